// Shape rules of sorts: sort keeps the shape of its operands, top_k shortens one axis.
#include "ir/infer/infer.h"

#include <string.h>

static gj_status check_axis(const gj__infer *in, const gj_type *type, int64_t axis) {
  if (axis >= 0 && axis < type->rank)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is not in [0, %d), the axes of %s", in->name,
                 (long long)axis, type->rank, gj__shape_text(in->dims, type).s);
}

static gj_status check_descending(const gj__infer *in) {
  int64_t descending = gj__list(in, GJ_ATTR_descending)->values[0];
  if (descending == 0 || descending == 1)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_ARGUMENT, "%s: descending is %lld, but it must be 0 or 1", in->name,
                 (long long)descending);
}

static gj_status check_same_shape(const gj__infer *in, size_t i) {
  const gj_type *first = gj__operand(in, 0), *own = gj__operand(in, i);
  if (first->rank == own->rank &&
      memcmp(first->shape, own->shape, first->rank * sizeof(gj_dim)) == 0)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_SHAPE, "%s: operand %%%u has shape %s, but %%%u has %s", in->name,
                 in->args[0], gj__shape_text(in->dims, first).s, in->args[i],
                 gj__shape_text(in->dims, own).s);
}

gj_status gj_shape_sort(const gj__infer *in, gj_type *out) {
  int64_t keys = gj__list(in, GJ_ATTR_keys)->values[0];
  const gj_type *type = gj__operand(in, 0);
  if (in->arg_count > GJ_MAX_SORT_OPERANDS)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: takes at most %d operands, got %zu", in->name,
                   GJ_MAX_SORT_OPERANDS, in->arg_count);
  if (keys < 1 || keys > (int64_t)in->arg_count)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: keys is %lld, but there are %zu operands", in->name,
                   (long long)keys, in->arg_count);
  for (size_t i = 1; i < in->arg_count; i++)
    GJ_TRY(check_same_shape(in, i));
  GJ_TRY(check_descending(in));
  GJ_TRY(check_axis(in, type, gj__list(in, GJ_ATTR_axis)->values[0]));
  out->rank = type->rank;
  memcpy(out->shape, type->shape, sizeof type->shape);
  return GJ_OK;
}

gj_status gj_shape_top_k(const gj__infer *in, gj_type *out) {
  int64_t axis = gj__list(in, GJ_ATTR_axis)->values[0];
  const gj_attr_list *count = gj__list(in, GJ_ATTR_count);
  const gj_type *type = gj__operand(in, 0);
  GJ_TRY(check_same_shape(in, 1));
  GJ_TRY(check_descending(in));
  GJ_TRY(check_axis(in, type, axis));
  if (count->count != 1)
    return gj_fail(in->err, GJ_E_ARGUMENT, "%s: count takes one value, got %d", in->name,
                   count->count);
  if (gj__dim_exceeds(count->values[0], type->shape[axis]))
    return gj_fail(in->err, GJ_E_SHAPE, "%s: count is %s, but axis %lld of %s (%%%u) has size %s",
                   in->name, gj__dim_text(in->dims, count->values[0]).s, (long long)axis,
                   gj__shape_text(in->dims, type).s, in->args[0],
                   gj__dim_text(in->dims, type->shape[axis]).s);
  out->rank = type->rank;
  memcpy(out->shape, type->shape, sizeof type->shape);
  out->shape[axis] = count->values[0];
  return GJ_OK;
}
