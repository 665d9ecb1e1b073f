// Gather: index arithmetic, as for a slice whose start is read from memory for each window.
//
// A gather computes nothing, so it becomes part of whoever uses its result: a sum of gathered rows
// is one kernel. Along a window the elements lie side by side, which makes contiguous copies of
// wide ones; where neighbours come from index vectors of their own, the vectoriser makes gathers.
//
// Starts are clamped in the type of the indices: more of those fit into a vector, and machines
// gather by 32 bits as well.
#include "lower/context.h"

// The largest value of an integer dtype as far as an i64 holds it.
static int64_t greatest(gj_dtype dtype) {
  const gj_dtype_info *info = gj_dtype_get(dtype);
  int bits = info->bits - (info->kind == GJ_KIND_INT);
  return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

const gj_lexpr *gj__clamp_start(gj__lower *l, const gj_lexpr *start, gj_dim size, gj_dim window) {
  gj_dtype dtype = (gj_dtype)start->type.dtype;
  const gj_lexpr *last = gj__sub(l, gj__dim(l, size), gj__dim(l, window));
  if (greatest(dtype) < INT64_MAX)
    last = gj__min(l, last, gj__i64(l, greatest(dtype)));
  start = gj__min(l, start, gj_lx_convert(l->m, last, dtype));
  if (gj_dtype_get(dtype)->kind == GJ_KIND_INT)
    start = gj__max(l, start, gj_lx_const(l->m, (gj_scalar){.dtype = dtype}));
  return gj__let(l, "start", gj_lx_convert(l->m, start, GJ_DTYPE_i64));
}

const gj__index *gj__indices_at(gj__lower *l, const gj_node *node, const gj_index_axes *axes,
                                const gj__index *index, uint8_t element) {
  gj__index *at = gj__index_new(l);
  for (uint8_t k = 0; k < axes->batch_count; k++)
    at->at[k] = index->at[axes->batch[k]];
  at->at[gj_graph_node(l->graph, node->args[1])->type.rank - 1] = gj__i64(l, element);
  return at;
}

const gj_lexpr *gj__value_gather(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_type *whole = &gj_graph_node(l->graph, node->args[0])->type;
  const int64_t *window = node->attrs->list[GJ_ATTR_window].values;
  gj_index_axes axes = gj_index_axes_of(l->graph, node);
  index = gj__unflatten(l, &node->type, index);
  gj__index *moved = gj__index_new(l);
  for (uint8_t i = 0; i < whole->rank; i++)
    moved->at[i] = gj__i64(l, 0);
  for (uint8_t k = 0; k < axes.window_count; k++)
    moved->at[axes.operand[k]] = index->at[axes.offset[k]];
  for (uint8_t i = 0; i < whole->rank; i++) {
    if (axes.along[i] != GJ_NO_AXIS)
      moved->at[i] = index->at[axes.batch[axes.along[i]]];
    if (axes.start[i] == GJ_NO_AXIS || whole->shape[i] == window[i])
      continue; // a window of all there is starts at 0
    const gj__index *at = gj__indices_at(l, node, &axes, index, axes.start[i]);
    const gj_lexpr *start = gj__value(l, node->args[1], at);
    moved->at[i] = gj__add(l, gj__clamp_start(l, start, whole->shape[i], window[i]), moved->at[i]);
  }
  return gj__value(l, node->args[0], moved);
}
