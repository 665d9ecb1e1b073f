// Index arithmetic: where an operand's element is, given where the result's is.
#include "lower/context.h"

#include <string.h>

bool gj__has_one_element(const gj_type *type) {
  uint8_t axes[GJ_MAX_RANK];
  return gj__loop_axes(type, axes) == 0;
}

unsigned gj__loop_axes(const gj_type *type, uint8_t axes[GJ_MAX_RANK]) {
  unsigned count = 0;
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] != 1)
      axes[count++] = i;
  return count;
}

bool gj__same_sizes(const gj_type *a, const gj_type *b) {
  uint8_t x[GJ_MAX_RANK], y[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(a, x);
  if (gj__loop_axes(b, y) != count)
    return false;
  for (unsigned i = 0; i < count; i++)
    if (a->shape[x[i]] != b->shape[y[i]])
      return false;
  return true;
}

const gj_lexpr *gj__flatten(gj__lower *l, const gj_type *type, const gj__index *index) {
  if (index->flat)
    return index->at[0];
  const gj_lexpr *position = gj__i64(l, 0);
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] != 1) // an axis of size 1 has only index 0
      position = gj__add(l, gj__mul(l, position, gj__dim(l, type->shape[i])), index->at[i]);
  return position;
}

const gj__index *gj__unflatten(gj__lower *l, const gj_type *type, const gj__index *index) {
  if (!index->flat)
    return index;
  gj__index *result = gj__index_new(l);
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes);
  const gj_lexpr *rest = index->at[0];
  for (uint8_t i = 0; i < type->rank; i++)
    result->at[i] = gj__i64(l, 0);
  for (unsigned k = count; k-- > 0;) {
    const gj_lexpr *size = gj__dim(l, type->shape[axes[k]]);
    if (k == 0) {
      result->at[axes[k]] = rest; // the outermost index needs no remainder
    } else {
      result->at[axes[k]] = gj__let(l, "i", gj_lx_binary(l->m, GJ_OP_rem, rest, size));
      rest = gj__let(l, "rest", gj_lx_binary(l->m, GJ_OP_div, rest, size));
    }
  }
  return result;
}

static const gj__index *derive(gj__lower *l, const gj_type *type, const gj_type *arg,
                               const gj__index *index) {
  const gj__index *from = gj__unflatten(l, type, index);
  gj__index *result = gj__index_new(l);
  uint8_t shift = (uint8_t)(type->rank - arg->rank);
  for (uint8_t i = 0; i < arg->rank; i++)
    result->at[i] = arg->shape[i] == 1 ? gj__i64(l, 0) : from->at[i + shift];
  return result;
}

const gj__index *gj__broadcast(gj__lower *l, const gj_type *type, const gj_type *arg,
                               const gj__index *index) {
  if (gj__has_one_element(arg))
    return l->origin;
  bool same_shape = type->rank == arg->rank &&
                    memcmp(type->shape, arg->shape, arg->rank * sizeof arg->shape[0]) == 0;
  if (same_shape || (index->flat && gj__same_sizes(type, arg)))
    return index;
  for (size_t i = 0; i < l->derived_count; i++) {
    const gj__derived *d = &l->derived[i];
    if (d->from == index && d->rank == arg->rank &&
        memcmp(d->shape, arg->shape, arg->rank * sizeof arg->shape[0]) == 0)
      return d->index;
  }
  const gj__index *result = derive(l, type, arg, index);
  if (l->derived_count < l->derived_capacity)
    l->derived[l->derived_count++] = (gj__derived){index, arg->shape, arg->rank, result};
  return result;
}
