// Results put together by several loop nests: concat, pad and update_slice.
//
// Each piece is a loop nest over its own shape that stores at a shifted index, so pieces need no
// conditions and their loops vectorise like any other.
//
// Pieces of a concat share no element, so each has units of its own. In pad and update_slice one
// nest overwrites what another one wrote: their units are rows of the result, and a call does both
// nests for its rows.
#include "lower/context.h"

// Stores element `from` of `ref` into `out` at index · step + shift, axis by axis.
static void store_moved(gj__lower *l, gj_ref ref, const gj_type *out, const gj_lexpr *pointer,
                        const gj_lexpr *const *shift, const int64_t *step, const gj__index *from) {
  const gj_type *type = &gj_graph_node(l->graph, ref)->type;
  gj__index *to = gj__index_new(l);
  for (uint8_t i = 0; i < type->rank; i++)
    to->at[i] = gj__add(l, shift[i], gj__mul(l, from->at[i], gj__i64(l, step ? step[i] : 1)));
  const gj_lexpr *value = gj__value(l, ref, from);
  gj_ls_store(l->m, l->f, l->block, pointer, gj__flatten(l, out, to), value);
}

static const gj_type *type_of(const gj__lower *l, gj_ref ref) {
  return &gj_graph_node(l->graph, ref)->type;
}

static bool is_outermost(const gj_type *type, int64_t axis) {
  for (int64_t i = 0; i < axis; i++)
    if (type->shape[i] != 1)
      return false;
  return true;
}

// Whether the piece is one run of memory of the result and can be read as one.
static bool is_run(gj__lower *l, const gj_node *node, uint32_t arg) {
  return is_outermost(&node->type, gj_node_int(node, GJ_ATTR_axis)) &&
         gj__is_flat(l, node->args[arg]);
}

void gj__divide_concat(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  for (uint32_t a = 0; a < node->arg_count; a++)
    gj__add_units(l, gj__nest_units(l, type_of(l, node->args[a]), is_run(l, node, a)));
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
    const gj_type *piece = type_of(l, node->args[a]);
    bool run = is_run(l, node, a);
    gj__share share = gj__share_of(l, a);
    const gj__index *from = gj__nest_share(l, &l->f->body, piece, run, &share);
    if (run)
      gj_ls_store(l->m, l->f, l->block, pointer,
                  gj__add(l, gj__mul(l, shift[axis], inner), from->at[0]),
                  gj__value(l, node->args[a], from));
    else
      store_moved(l, node->args[a], &node->type, pointer, shift, NULL, from);
    gj__enter(l, &l->f->body);
    shift[axis] = gj__let(l, "offset", gj__add(l, shift[axis], gj__dim(l, piece->shape[axis])));
  }
}

// --- rows of the result ---

void gj__divide_rows(gj__lower *l, const gj_kernel *kernel) {
  gj__add_units(l, gj__outermost_units(&kernel->domain));
}

// The rows of `type` that this call does: indices along its outermost loop axis, *out_axis. False
// when it does all.
static bool rows_of_share(gj__lower *l, const gj_type *type, uint8_t *out_axis, gj__range *out) {
  uint8_t axes[GJ_MAX_RANK];
  gj__share share = gj__share_of(l, 0);
  if (!share.divided || gj__loop_axes(type, axes) == 0)
    return false;
  *out_axis = axes[0];
  *out = gj__share_elements(l, &share, gj__dim(l, type->shape[axes[0]]));
  return true;
}

// A nest over the result, or over those of its rows.
static const gj__index *result_nest(gj__lower *l, const gj_type *type, bool flat) {
  gj__range ranges[GJ_MAX_RANK], rows;
  uint8_t axes[GJ_MAX_RANK], axis;
  if (!rows_of_share(l, type, &axis, &rows))
    return gj__nest(l, &l->f->body, type, flat, NULL);
  if (flat) {
    unsigned count = gj__loop_axes(type, axes);
    const gj_lexpr *inner = gj__size(l, type, axes + 1, count - 1);
    return gj__nest_run(l, &l->f->body,
                        (gj__range){gj__mul(l, rows.lo, inner), gj__mul(l, rows.hi, inner)});
  }
  for (uint8_t i = 0; i < type->rank; i++)
    ranges[i] = i == axis ? rows : (gj__range){gj__i64(l, 0), gj__dim(l, type->shape[i])};
  return gj__nest(l, &l->f->body, type, false, ranges);
}

// Leaves of `ranges` the indices i whose place i · step + shift along the outermost axis of `out`
// is in the rows of this call.
static bool cut_to_rows(gj__lower *l, const gj_type *out, const gj_lexpr *const *shift,
                        const int64_t *step, gj__range *ranges) {
  gj__range rows;
  uint8_t axis;
  if (!rows_of_share(l, out, &axis, &rows))
    return false;
  gj__enter(l, &l->f->body);
  const gj_lexpr *by = gj__i64(l, step ? step[axis] : 1);
  const gj_lexpr *bounds[2] = {rows.lo, rows.hi};
  for (int i = 0; i < 2; i++) { // the first i at or behind the bound: what is below 0 is cut anyway
    const gj_lexpr *past =
        gj__add(l, gj__sub(l, bounds[i], shift[axis]), gj__sub(l, by, gj__i64(l, 1)));
    bounds[i] =
        gj__let(l, "row", gj_lx_binary(l->m, GJ_OP_div, gj__max(l, past, gj__i64(l, 0)), by));
  }
  ranges[axis].lo = gj__max(l, ranges[axis].lo, bounds[0]);
  ranges[axis].hi = gj__min(l, ranges[axis].hi, bounds[1]);
  return true;
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
  const gj_type *from = type_of(l, node->args[0]);
  const gj_lexpr *pointer = l->buffers[kernel->stores[0].buffer];
  const gj__index *all = result_nest(l, &node->type, true);
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
  cut_to_rows(l, &node->type, shift, step, ranges);
  const gj__index *piece = gj__nest(l, &l->f->body, from, false, ranges);
  store_moved(l, node->args[0], &node->type, pointer, shift, step, piece);
}

// In place there is only the window to write, by one call.
void gj__divide_update(gj__lower *l, const gj_kernel *kernel) {
  if (!gj__is_in_place(l->plan, kernel))
    gj__divide_rows(l, kernel);
}

void gj__lower_update(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  const gj_lexpr *pointer = l->buffers[kernel->stores[0].buffer];
  if (!gj__is_in_place(l->plan, kernel)) {
    bool flat = gj__is_flat(l, node->args[0]);
    const gj__index *all = result_nest(l, &node->type, flat);
    const gj_lexpr *old = gj__value(l, node->args[0], all);
    gj_ls_store(l->m, l->f, l->block, pointer, gj__flatten(l, &node->type, all), old);
  }

  const gj_type *update = type_of(l, node->args[1]);
  gj__range ranges[GJ_MAX_RANK];
  gj__index *origin = gj__index_new(l);
  for (uint8_t i = 0; i < node->type.rank; i++)
    origin->at[i] = gj__i64(l, 0);
  for (uint8_t i = 0; i < node->type.rank; i++)
    ranges[i] = (gj__range){gj__i64(l, 0), gj__dim(l, update->shape[i])};
  gj__enter(l, &l->f->body);
  const gj__index *shift = gj__window(l, &node->type, update, node->args + 2, origin);
  bool cut = cut_to_rows(l, &node->type, shift->at, NULL, ranges);
  const gj__index *piece = gj__nest(l, &l->f->body, update, false, cut ? ranges : NULL);
  store_moved(l, node->args[1], &node->type, pointer, shift->at, NULL, piece);
}
