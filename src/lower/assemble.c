// Results put together by several loop nests: concat, pad and update_slice.
//
// Each piece is a loop nest over its own shape that stores at a shifted index, so pieces need no
// conditions and their loops vectorise like any other.
#include "lower/context.h"

// One nest over `ref` that stores its elements into `out` at index · step + shift, axis by axis.
static void copy_piece(gj__lower *l, gj_ref ref, const gj_type *out, const gj_lexpr *pointer,
                       const gj_lexpr *const *shift, const int64_t *step, const gj__range *ranges) {
  const gj_type *type = &gj_graph_node(l->graph, ref)->type;
  const gj__index *from = gj__nest(l, &l->f->body, type, false, ranges);
  gj__index *to = gj__index_new(l);
  for (uint8_t i = 0; i < type->rank; i++)
    to->at[i] = gj__add(l, shift[i], gj__mul(l, from->at[i], gj__i64(l, step ? step[i] : 1)));
  const gj_lexpr *value = gj__value(l, ref, from);
  gj_ls_store(l->m, l->f, l->block, pointer, gj__flatten(l, out, to), value);
}

// The same as one loop: the piece is one run of memory, `shift` elements into the result.
static void copy_run(gj__lower *l, gj_ref ref, const gj_lexpr *pointer, const gj_lexpr *shift) {
  const gj_type *type = &gj_graph_node(l->graph, ref)->type;
  const gj__index *from = gj__nest(l, &l->f->body, type, true, NULL);
  const gj_lexpr *value = gj__value(l, ref, from);
  gj_ls_store(l->m, l->f, l->block, pointer, gj__add(l, shift, from->at[0]), value);
}

static bool is_outermost(const gj_type *type, int64_t axis) {
  for (int64_t i = 0; i < axis; i++)
    if (type->shape[i] != 1)
      return false;
  return true;
}

void gj__lower_concat(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  const gj_lexpr *pointer = l->buffers[kernel->stores[0].buffer];
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  const gj_lexpr *shift[GJ_MAX_RANK];
  const gj_lexpr *inner = gj__i64(l, 1); // elements per step along the axis
  for (uint8_t i = 0; i < node->type.rank; i++)
    shift[i] = gj__i64(l, 0);
  for (int64_t i = axis + 1; i < node->type.rank; i++)
    inner = gj__mul(l, inner, gj__dim(l, node->type.shape[i]));
  for (uint32_t a = 0; a < node->arg_count; a++) {
    if (is_outermost(&node->type, axis) && gj__is_flat(l, node->args[a]))
      copy_run(l, node->args[a], pointer, gj__mul(l, shift[axis], inner));
    else
      copy_piece(l, node->args[a], &node->type, pointer, shift, NULL, NULL);
    const gj_type *piece = &gj_graph_node(l->graph, node->args[a])->type;
    gj__enter(l, &l->f->body);
    shift[axis] = gj__let(l, "offset", gj__add(l, shift[axis], gj__dim(l, piece->shape[axis])));
  }
}

// The elements i of an axis of `size` whose place i · step + lo is inside [0, out).
static gj__range visible(gj__lower *l, gj_dim size, gj_dim out, int64_t lo, int64_t step) {
  gj_dims *dims = gj_graph_dims(l->graph);
  int64_t first = lo < 0 ? -lo / step + (-lo % step != 0) : 0;
  gj_dim room =
      gj_dim_add(dims, gj_dim_sub(dims, out, gj_dim_const(dims, lo)), gj_dim_const(dims, step - 1));
  gj_dim end = gj_dim_floordiv(dims, room, gj_dim_const(dims, step));
  return (gj__range){gj__i64(l, first), gj__min(l, gj__dim(l, size), gj__dim(l, end))};
}

void gj__lower_pad(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  const gj_type *from = &gj_graph_node(l->graph, node->args[0])->type;
  const gj_lexpr *pointer = l->buffers[kernel->stores[0].buffer];
  const gj__index *all = gj__nest(l, &l->f->body, &node->type, true, NULL);
  const gj_lexpr *fill = gj__value(l, node->args[1], l->origin);
  gj_ls_store(l->m, l->f, l->block, pointer, all->at[0], fill);

  const gj_lexpr *shift[GJ_MAX_RANK];
  int64_t step[GJ_MAX_RANK];
  gj__range ranges[GJ_MAX_RANK];
  for (uint8_t i = 0; i < node->type.rank; i++) {
    int64_t lo = node->attrs->list[GJ_ATTR_lo].values[i];
    step[i] = node->attrs->list[GJ_ATTR_interior].values[i] + 1;
    shift[i] = gj__i64(l, lo);
    ranges[i] = visible(l, from->shape[i], node->type.shape[i], lo, step[i]);
  }
  copy_piece(l, node->args[0], &node->type, pointer, shift, step, ranges);
}

void gj__lower_update(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  const gj_lexpr *pointer = l->buffers[kernel->stores[0].buffer];
  bool flat = gj__is_flat(l, node->args[0]);
  const gj__index *all = gj__nest(l, &l->f->body, &node->type, flat, NULL);
  const gj_lexpr *old = gj__value(l, node->args[0], all);
  gj_ls_store(l->m, l->f, l->block, pointer, gj__flatten(l, &node->type, all), old);

  const gj_type *update = &gj_graph_node(l->graph, node->args[1])->type;
  gj__index *origin = gj__index_new(l);
  for (uint8_t i = 0; i < node->type.rank; i++)
    origin->at[i] = gj__i64(l, 0);
  gj__enter(l, &l->f->body);
  const gj__index *shift = gj__window(l, &node->type, update, node->args + 2, origin);
  copy_piece(l, node->args[1], &node->type, pointer, shift->at, NULL, NULL);
}
