// Index arithmetic: where an operand's element is, given where the result's is.
#include "lower/context.h"

#include <string.h>

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

// Positions along axes lo … hi - 1 of `type`, from the one in all of them together.
static void take_apart(gj__lower *l, const gj_type *type, int lo, int hi, const gj_lexpr *rest,
                       gj__index *out) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = 0;
  for (int i = lo; i < hi; i++) {
    out->at[i] = gj__i64(l, 0);
    if (type->shape[i] != 1)
      axes[count++] = (uint8_t)i;
  }
  for (unsigned k = count; k-- > 0;) {
    const gj_lexpr *size = gj__dim(l, type->shape[axes[k]]);
    if (k == 0) {
      out->at[axes[k]] = rest; // the outermost index needs no remainder
    } else {
      out->at[axes[k]] = gj__let(l, "i", gj_lx_binary(l->m, GJ_OP_rem, rest, size));
      rest = gj__let(l, "rest", gj_lx_binary(l->m, GJ_OP_div, rest, size));
    }
  }
}

const gj__index *gj__unflatten(gj__lower *l, const gj_type *type, const gj__index *index) {
  if (!index->flat)
    return index;
  gj__index *result = gj__index_new(l);
  int split = index->row ? gj__row_split(l->graph, type, l->rows, l->cols) : -1;
  if (split >= 0) {
    take_apart(l, type, 0, split, index->row, result);
    take_apart(l, type, split, type->rank, index->col, result);
  } else {
    take_apart(l, type, 0, type->rank, index->at[0], result);
  }
  return result;
}

static const gj__index *flat_index(gj__lower *l, const gj_lexpr *at) {
  gj__index *index = gj__index_new(l);
  index->flat = true;
  index->at[0] = at;
  return index;
}

const gj__index *gj__aligned_operand(gj__lower *l, const gj_type *type, const gj_dim *own,
                                     const gj__index *index) {
  if (!index->row) {
    bool same = memcmp(own, type->shape, type->rank * sizeof *own) == 0;
    return index->flat && same ? index : NULL;
  }
  switch (gj__row_align(l->graph, l->rows, l->cols, type, own)) {
  case GJ_PLACE_SAME:
    return index;
  case GJ_PLACE_ROW:
    return l->this_row;
  case GJ_PLACE_COLUMN:
    return flat_index(l, index->col);
  case GJ_PLACE_OTHER:
    break;
  }
  return NULL;
}

static const gj__index *derive(gj__lower *l, const gj_type *type, const gj_type *arg,
                               const gj__index *index) {
  uint8_t shift = (uint8_t)(type->rank - arg->rank);
  gj_dim own[GJ_MAX_RANK];
  for (uint8_t i = 0; i < type->rank; i++)
    own[i] = i < shift ? 1 : arg->shape[i - shift];
  const gj__index *aligned = gj__aligned_operand(l, type, own, index);
  if (aligned)
    return aligned;
  const gj__index *from = gj__unflatten(l, type, index);
  gj__index *result = gj__index_new(l);
  for (uint8_t i = 0; i < arg->rank; i++)
    result->at[i] = arg->shape[i] == 1 ? gj__i64(l, 0) : from->at[i + shift];
  return result;
}

static bool same_shape(const gj_type *a, const gj_type *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

const gj__index *gj__broadcast(gj__lower *l, const gj_type *type, const gj_type *arg,
                               const gj__index *index) {
  if (gj__has_one_element(arg))
    return l->origin;
  if (same_shape(type, arg) || (index->flat && gj__same_sizes(type, arg)))
    return index;
  gj_dims *dims = gj_graph_dims(l->graph);
  if (index->row && gj_type_size(dims, type) == gj_type_size(dims, arg))
    return index;
  for (size_t i = 0; i < l->derived_count; i++) {
    const gj__derived *d = &l->derived[i];
    if (d->from == index && d->rank == arg->rank && same_shape(d->type, type) &&
        memcmp(d->shape, arg->shape, arg->rank * sizeof arg->shape[0]) == 0)
      return d->index;
  }
  const gj__index *result = derive(l, type, arg, index);
  if (l->derived_count < l->derived_capacity)
    l->derived[l->derived_count++] = (gj__derived){index, type, arg->shape, arg->rank, result};
  return result;
}
