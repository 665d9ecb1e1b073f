// Shape rules of windows: conv, and the reductions of sliding windows.
//
// Along each axis the operand is first laid out with base_dilation - 1 gaps between neighbours,
// then lo and hi elements are added (or taken) at its ends; a window of `window` elements that are
// `dilation` apart moves over that in steps of `stride`. It has
//
//   floor((laid out + lo + hi - reach) / stride) + 1
//
// places, where reach = (window - 1) · dilation + 1. Less than none, that is a window which the
// padded operand lacks more than a stride for, is refused like any negative size, and so is padding
// that takes away more than there is: here where sizes are known, before the run where they are not
// (conditions.c).

#include "ir/infer/infer.h"

#include <string.h>

// Per axis of the window what the attributes say.
typedef struct axis_rule {
  int64_t stride, lo, hi, base, dilation;
} axis_rule;

static const gj_attr per_axis[] = {GJ_ATTR_stride, GJ_ATTR_lo, GJ_ATTR_hi, GJ_ATTR_base_dilation,
                                   GJ_ATTR_dilation};
enum { PER_AXIS = sizeof per_axis / sizeof per_axis[0] };

static gj_status check_counts(const gj__infer *in, size_t axes) {
  for (size_t i = 0; i < PER_AXIS; i++) {
    const gj_attr_list *list = gj__list(in, per_axis[i]);
    if (list->count != axes)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: %s has %d values, but the window has %zu axes",
                     in->name, gj_attr_get(per_axis[i])->name, list->count, axes);
  }
  return GJ_OK;
}

static gj_status check_at_least_one(const gj__infer *in, gj_attr attr, size_t axis, int64_t value) {
  if (value >= 1 && value <= GJ_DIM_MAX)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_ARGUMENT, "%s: %s of axis %zu is %lld, not in [1, 2^47]", in->name,
                 gj_attr_get(attr)->name, axis, (long long)value);
}

static gj_status read_axis(const gj__infer *in, size_t axis, axis_rule *out) {
  int64_t values[PER_AXIS];
  for (size_t i = 0; i < PER_AXIS; i++)
    values[i] = gj__list(in, per_axis[i])->values[axis];
  *out = (axis_rule){values[0], values[1], values[2], values[3], values[4]};
  GJ_TRY(check_at_least_one(in, GJ_ATTR_stride, axis, out->stride));
  GJ_TRY(check_at_least_one(in, GJ_ATTR_base_dilation, axis, out->base));
  GJ_TRY(check_at_least_one(in, GJ_ATTR_dilation, axis, out->dilation));
  // Far beyond any tensor, and small enough that no index computed from them overflows.
  if (out->lo < -GJ_DIM_MAX || out->lo > GJ_DIM_MAX || out->hi < -GJ_DIM_MAX ||
      out->hi > GJ_DIM_MAX)
    return gj_fail(in->err, GJ_E_OVERFLOW, "%s: lo %lld or hi %lld of axis %zu is beyond 2^47",
                   in->name, (long long)out->lo, (long long)out->hi, axis);
  return GJ_OK;
}

// What `size` elements that are `distance` apart take up.
static gj_dim spread(gj_dims *dims, gj_dim size, int64_t distance) {
  if (distance == 1)
    return size;
  gj_dim gaps = gj_dim_max(dims, gj_dim_sub(dims, size, 1), 0);
  return gj_dim_add(dims, size, gj_dim_mul(dims, gaps, distance - 1));
}

// The places of a window along one axis.
static gj_status slide(const gj__infer *in, size_t axis, gj_dim size, gj_dim window, gj_dim *out) {
  gj_dims *dims = in->dims;
  axis_rule rule;
  int64_t count, laid;
  GJ_TRY(read_axis(in, axis, &rule));
  gj_dim ends = gj_dim_add(dims, gj_dim_const(dims, rule.lo), gj_dim_const(dims, rule.hi));
  gj_dim padded = gj_dim_add(dims, spread(dims, size, rule.base), ends);
  gj_dim reach = spread(dims, window, rule.dilation);
  gj_dim room = gj_dim_sub(dims, padded, reach);
  *out = gj_dim_floordiv(dims, gj_dim_add(dims, room, rule.stride), rule.stride);
  if ((gj_dim_value(dims, *out, &count) && count < 0) ||
      (gj_dim_value(dims, padded, &laid) && laid < 0))
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: a window that reaches over %s elements does not fit into axis %zu, which "
                   "has %s with its padding",
                   in->name, gj__dim_text(dims, reach).s, axis, gj__dim_text(dims, padded).s);
  return GJ_OK;
}

static gj_status check_groups(const gj__infer *in, const gj_type *type, const gj_type *kernel) {
  gj_dims *dims = in->dims;
  int64_t groups = gj__list(in, GJ_ATTR_groups)->values[0];
  if (groups < 1 || groups > GJ_DIM_MAX)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: groups is %lld, not in [1, 2^47]", in->name,
                   (long long)groups);
  if (gj_dim_mul(dims, kernel->shape[1], groups) != type->shape[1])
    return gj_fail(
        in->err, GJ_E_SHAPE,
        "%s: the input %s has %s channels, but kernel %s takes %s in each of %lld groups", in->name,
        gj__shape_text(dims, type).s, gj__dim_text(dims, type->shape[1]).s,
        gj__shape_text(dims, kernel).s, gj__dim_text(dims, kernel->shape[1]).s, (long long)groups);
  gj_dim each = gj_dim_floordiv(dims, kernel->shape[0], groups);
  if (gj_dim_mul(dims, each, groups) != kernel->shape[0])
    return gj_fail(in->err, GJ_E_SHAPE, "%s: %s result channels cannot be divided into %lld groups",
                   in->name, gj__dim_text(dims, kernel->shape[0]).s, (long long)groups);
  return GJ_OK;
}

gj_status gj_shape_conv(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0), *kernel = gj__operand(in, 1);
  if (type->rank < 3 || type->rank > 5 || kernel->rank != type->rank)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: input %s and kernel %s have ranks %d and %d, expected the same from 3 to 5",
                   in->name, gj__shape_text(in->dims, type).s, gj__shape_text(in->dims, kernel).s,
                   type->rank, kernel->rank);
  GJ_TRY(check_counts(in, type->rank - 2u));
  GJ_TRY(check_groups(in, type, kernel));
  out->rank = type->rank;
  out->shape[0] = type->shape[0];
  out->shape[1] = kernel->shape[0];
  for (uint8_t i = 2; i < type->rank; i++)
    GJ_TRY(slide(in, i - 2u, type->shape[i], kernel->shape[i], &out->shape[i]));
  return GJ_OK;
}

gj_status gj_shape_window(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  const gj_attr_list *window = gj__list(in, GJ_ATTR_window);
  if (window->count != type->rank)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: window has %d sizes, but %s (%%%u) has rank %d",
                   in->name, window->count, gj__shape_text(in->dims, type).s, in->args[0],
                   type->rank);
  GJ_TRY(check_counts(in, type->rank));
  out->rank = type->rank;
  for (uint8_t i = 0; i < type->rank; i++) {
    int64_t size;
    if (gj_dim_value(in->dims, window->values[i], &size) && size < 1)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: window of axis %d is %lld, expected at least 1",
                     in->name, i, (long long)size);
    GJ_TRY(slide(in, i, type->shape[i], window->values[i], &out->shape[i]));
  }
  return GJ_OK;
}
