// Shape rules of the movement ops: reshape, transpose, broadcast, slices, pad, concat, reverse.
//
// Whatever is known when a node is appended is checked here; what depends on symbols is checked by
// gj_graph_bind() when their values are known.

#include "ir/infer/infer.h"

#include "base/size.h"

#include <string.h>

static void shape_from_attr(const gj__infer *in, gj_type *out) {
  const gj_attr_list *shape = gj__list(in, GJ_ATTR_shape);
  out->rank = shape->count;
  for (size_t i = 0; i < out->rank; i++)
    out->shape[i] = shape->values[i];
}

// The attribute has one value per axis of the operand.
static gj_status check_per_axis(const gj__infer *in, gj_attr attr) {
  const gj_type *type = gj__operand(in, 0);
  if (gj__list(in, attr)->count == type->rank)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_SHAPE, "%s: %s has %d values, but operand %%%u has rank %d",
                 in->name, gj_attr_get(attr)->name, gj__list(in, attr)->count, in->args[0],
                 type->rank);
}

static gj_status check_axis(const gj__infer *in, int64_t axis, size_t rank) {
  if (axis >= 0 && (uint64_t)axis < rank)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is not in [0, %zu)", in->name, (long long)axis,
                 rank);
}

// The axes are all below `rank` and none is named twice.
static gj_status check_distinct_axes(const gj__infer *in, size_t rank) {
  const gj_attr_list *axes = gj__list(in, GJ_ATTR_axes);
  bool seen[GJ_MAX_RANK] = {false};
  for (size_t i = 0; i < axes->count; i++) {
    int64_t axis = axes->values[i];
    GJ_TRY(check_axis(in, axis, rank));
    if (seen[axis])
      return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is named twice", in->name,
                     (long long)axis);
    seen[axis] = true;
  }
  return GJ_OK;
}

gj_status gj_shape_reshape(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  shape_from_attr(in, out);
  GJ_TRY(gj__type_check(in->dims, in->name, out, in->err));
  gj_dim from = gj_type_size(in->dims, type), to = gj_type_size(in->dims, out);
  if (from == GJ_DIM_ERROR || to == GJ_DIM_ERROR)
    return gj_fail(in->err, GJ_E_OVERFLOW, "%s: the size of %s or %s overflows", in->name,
                   gj__shape_text(in->dims, type).s, gj__shape_text(in->dims, out).s);
  if (gj_dim_is_const(from) && gj_dim_is_const(to) && from != to)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: %s has %lld elements, but %s has %lld", in->name,
                   gj__shape_text(in->dims, type).s, (long long)from,
                   gj__shape_text(in->dims, out).s, (long long)to);
  // Symbolic sizes may agree without looking alike (n and 4·(n/4)), so the rest waits for the
  // binding.
  return GJ_OK;
}

gj_status gj_shape_transpose(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  GJ_TRY(check_per_axis(in, GJ_ATTR_axes));
  GJ_TRY(check_distinct_axes(in, type->rank));
  out->rank = type->rank;
  for (size_t i = 0; i < type->rank; i++)
    out->shape[i] = type->shape[gj__list(in, GJ_ATTR_axes)->values[i]];
  return GJ_OK;
}

gj_status gj_shape_broadcast_to(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  const gj_attr_list *axes = gj__list(in, GJ_ATTR_axes);
  shape_from_attr(in, out);
  GJ_TRY(check_per_axis(in, GJ_ATTR_axes));
  for (size_t i = 0; i < axes->count; i++) {
    GJ_TRY(check_axis(in, axes->values[i], out->rank));
    if (i > 0 && axes->values[i] <= axes->values[i - 1])
      return gj_fail(in->err, GJ_E_SHAPE, "%s: axes must increase, but %lld follows %lld", in->name,
                     (long long)axes->values[i], (long long)axes->values[i - 1]);
    gj_dim from = type->shape[i], to = out->shape[axes->values[i]];
    if (from != 1 && from != to)
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis %zu of operand %%%u has size %s, but axis %lld of %s has %s",
                     in->name, i, in->args[0], gj__dim_text(in->dims, from).s,
                     (long long)axes->values[i], gj__shape_text(in->dims, out).s,
                     gj__dim_text(in->dims, to).s);
  }
  return GJ_OK;
}

// Elements start, start + stride, …, taken from [0, size), are all inside. Empty slices always are.
static gj_status check_slice_axis(const gj__infer *in, size_t axis) {
  int64_t size, start, count, stride = gj__list(in, GJ_ATTR_stride)->values[axis], last;
  if (stride == 0)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: stride of axis %zu is 0", in->name, axis);
  if (!gj_dim_value(in->dims, gj__operand(in, 0)->shape[axis], &size) ||
      !gj_dim_value(in->dims, gj__list(in, GJ_ATTR_start)->values[axis], &start) ||
      !gj_dim_value(in->dims, gj__list(in, GJ_ATTR_shape)->values[axis], &count) || count <= 0)
    return GJ_OK;
  if (!gj_mul_i64(stride, count - 1, &last) || !gj_add_i64(start, last, &last) || start < 0 ||
      start >= size || last < 0 || last >= size)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: start %lld, stride %lld and %lld elements leave axis %zu of size %lld",
                   in->name, (long long)start, (long long)stride, (long long)count, axis,
                   (long long)size);
  return GJ_OK;
}

gj_status gj_shape_slice(const gj__infer *in, gj_type *out) {
  GJ_TRY(check_per_axis(in, GJ_ATTR_shape));
  GJ_TRY(check_per_axis(in, GJ_ATTR_start));
  GJ_TRY(check_per_axis(in, GJ_ATTR_stride));
  shape_from_attr(in, out);
  for (size_t axis = 0; axis < out->rank; axis++)
    GJ_TRY(check_slice_axis(in, axis));
  return GJ_OK;
}

// Operands from `first` on are the starts of a window: scalars of one integer dtype, one per axis.
static gj_status check_starts(const gj__infer *in, size_t first) {
  size_t rank = gj__operand(in, 0)->rank;
  if (in->arg_count != first + rank)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: rank %zu takes %zu operands (%zu starts), got %zu",
                   in->name, rank, first + rank, rank, in->arg_count);
  for (size_t i = first; i < in->arg_count; i++) {
    const gj_type *type = gj__operand(in, i);
    gj_dtype expected = gj__operand(in, first)->dtype;
    if (type->rank != 0)
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: start %zu (%%%u) has shape %s, but it must be a scalar", in->name,
                     i - first, in->args[i], gj__shape_text(in->dims, type).s);
    if (!gj_dtype_is_integer(type->dtype))
      return gj_fail(in->err, GJ_E_DTYPE, "%s: start %zu (%%%u) is %s, but it must be an integer",
                     in->name, i - first, in->args[i], gj_dtype_name(type->dtype));
    if (type->dtype != expected)
      return gj_fail(in->err, GJ_E_DTYPE, "%s: starts %%%u and %%%u have dtypes %s and %s",
                     in->name, in->args[first], in->args[i], gj_dtype_name(expected),
                     gj_dtype_name(type->dtype));
  }
  return GJ_OK;
}

// A window of shape `window` fits into operand 0 as far as known.
static gj_status check_window(const gj__infer *in, const gj_type *window) {
  const gj_type *type = gj__operand(in, 0);
  for (size_t axis = 0; axis < type->rank; axis++)
    if (gj__dim_exceeds(window->shape[axis], type->shape[axis]))
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis %zu of the window %s is larger than operand %%%u %s", in->name, axis,
                     gj__shape_text(in->dims, window).s, in->args[0],
                     gj__shape_text(in->dims, type).s);
  return GJ_OK;
}

gj_status gj_shape_dynamic_slice(const gj__infer *in, gj_type *out) {
  GJ_TRY(check_per_axis(in, GJ_ATTR_shape));
  GJ_TRY(check_starts(in, 1));
  shape_from_attr(in, out);
  return check_window(in, out);
}

gj_status gj_shape_update_slice(const gj__infer *in, gj_type *out) {
  if (in->arg_count < 2)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes at least 2 operands, got %zu", in->name,
                   in->arg_count);
  const gj_type *type = gj__operand(in, 0), *update = gj__operand(in, 1);
  if (type->dtype != update->dtype)
    return gj_fail(in->err, GJ_E_DTYPE,
                   "%s: operands %%%u and %%%u have dtypes %s and %s; convert one", in->name,
                   in->args[0], in->args[1], gj_dtype_name(type->dtype),
                   gj_dtype_name(update->dtype));
  if (type->rank != update->rank)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: operand %%%u has rank %d, but the update %%%u has %d",
                   in->name, in->args[0], type->rank, in->args[1], update->rank);
  GJ_TRY(check_starts(in, 2));
  GJ_TRY(check_window(in, update));
  out->rank = type->rank;
  memcpy(out->shape, type->shape, sizeof type->shape);
  return GJ_OK;
}

gj_status gj_shape_pad(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0), *fill = gj__operand(in, 1);
  GJ_TRY(check_per_axis(in, GJ_ATTR_lo));
  GJ_TRY(check_per_axis(in, GJ_ATTR_hi));
  GJ_TRY(check_per_axis(in, GJ_ATTR_interior));
  if (fill->rank != 0)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: the fill %%%u has shape %s, but it must be a scalar",
                   in->name, in->args[1], gj__shape_text(in->dims, fill).s);
  out->rank = type->rank;
  for (size_t axis = 0; axis < type->rank; axis++) {
    int64_t lo = gj__list(in, GJ_ATTR_lo)->values[axis];
    int64_t hi = gj__list(in, GJ_ATTR_hi)->values[axis];
    int64_t interior = gj__list(in, GJ_ATTR_interior)->values[axis];
    if (interior < 0)
      return gj_fail(in->err, GJ_E_ARGUMENT, "%s: interior of axis %zu is negative: %lld", in->name,
                     axis, (long long)interior);
    // Far beyond any tensor, and small enough that no index computed from them overflows.
    if (lo < -GJ_DIM_MAX || lo > GJ_DIM_MAX || hi < -GJ_DIM_MAX || hi > GJ_DIM_MAX ||
        interior > GJ_DIM_MAX)
      return gj_fail(in->err, GJ_E_OVERFLOW,
                     "%s: lo %lld, hi %lld or interior %lld of axis %zu is beyond 2^47", in->name,
                     (long long)lo, (long long)hi, (long long)interior, axis);
    // lo + size + max(size - 1, 0) · interior + hi
    gj_dims *dims = in->dims;
    gj_dim gaps = gj_dim_max(dims, gj_dim_sub(dims, type->shape[axis], 1), 0);
    gj_dim size = gj_dim_add(dims, type->shape[axis], gj_dim_const(dims, lo));
    size = gj_dim_add(dims, size, gj_dim_const(dims, hi));
    out->shape[axis] = gj_dim_add(dims, size, gj_dim_mul(dims, gaps, interior));
  }
  return GJ_OK;
}

gj_status gj_shape_concat(const gj__infer *in, gj_type *out) {
  const gj_type *first = gj__operand(in, 0);
  int64_t axis = gj__list(in, GJ_ATTR_axis)->values[0];
  GJ_TRY(check_axis(in, axis, first->rank));
  out->rank = first->rank;
  memcpy(out->shape, first->shape, sizeof first->shape);
  for (size_t i = 1; i < in->arg_count; i++) {
    const gj_type *type = gj__operand(in, i);
    if (type->rank != first->rank)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: operand %%%u has rank %d, but %%%u has %d", in->name,
                     in->args[0], first->rank, in->args[i], type->rank);
    for (size_t k = 0; k < first->rank; k++)
      if (k != (size_t)axis && type->shape[k] != first->shape[k])
        return gj_fail(
            in->err, GJ_E_SHAPE, "%s: axis %zu of shapes %s (%%%u) and %s (%%%u) differ: %s vs %s",
            in->name, k, gj__shape_text(in->dims, first).s, in->args[0],
            gj__shape_text(in->dims, type).s, in->args[i],
            gj__dim_text(in->dims, first->shape[k]).s, gj__dim_text(in->dims, type->shape[k]).s);
    out->shape[axis] = gj_dim_add(in->dims, out->shape[axis], type->shape[axis]);
  }
  return GJ_OK;
}

gj_status gj_shape_reverse(const gj__infer *in, gj_type *out) {
  const gj_type *type = gj__operand(in, 0);
  GJ_TRY(check_distinct_axes(in, type->rank));
  out->rank = type->rank;
  memcpy(out->shape, type->shape, sizeof type->shape);
  return GJ_OK;
}
