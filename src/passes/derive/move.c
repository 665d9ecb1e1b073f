// Rules of movement: elements go back to where they came from.
//
// What nobody took gets zeros. Where sizes are symbols, edges that a pad cannot name are joined on.
#include "passes/derive/rules.h"

static const int64_t *ints(const gj_node *node, gj_attr attr) {
  return node->attrs->list[attr].values;
}

void gj__vjp_reshape(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[0], gj__d_reshape(d, cts[0], gj__type_of(d, node->args[0])));
}

void gj__vjp_transpose(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  int64_t back[GJ_MAX_RANK];
  (void)ref;
  for (uint8_t i = 0; i < node->type.rank; i++)
    back[ints(node, GJ_ATTR_axes)[i]] = i;
  gj__d_give(d, node->args[0], gj__d_transpose(d, cts[0], back));
}

void gj__vjp_broadcast(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  const gj_type *type = gj__type_of(d, node->args[0]);
  int64_t summed[GJ_MAX_RANK];
  size_t count = 0;
  uint8_t own = 0;
  (void)ref;
  for (uint8_t i = 0; i < node->type.rank; i++) {
    bool mapped = own < type->rank && ints(node, GJ_ATTR_axes)[own] == i;
    if (!mapped || type->shape[own] != node->type.shape[i])
      summed[count++] = i;
    own += mapped;
  }
  gj_ref sum = gj__d_sum(d, cts[0], summed, count);
  gj__d_give(d, node->args[0], gj__d_reshape(d, sum, type));
}

void gj__vjp_reverse(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[0], gj_graph_append_like(d->graph, node, cts));
}

// --- windows at known places ---

gj_ref gj__d_pad(gj__derive *d, gj_ref a, gj_ref fill, const int64_t *lo, const int64_t *hi,
                 const int64_t *interior) {
  gj_attrs attrs = {0};
  if (!a || !fill)
    return 0;
  uint8_t rank = gj__type_of(d, a)->rank;
  bool any = false;
  for (uint8_t i = 0; i < rank; i++)
    any = any || lo[i] || hi[i] || interior[i];
  gj_attrs_set(&attrs, GJ_ATTR_lo, lo, rank);
  gj_attrs_set(&attrs, GJ_ATTR_hi, hi, rank);
  gj_attrs_set(&attrs, GJ_ATTR_interior, interior, rank);
  return any ? gj_graph_append(d->graph, GJ_OP_pad, (gj_ref[]){a, fill}, 2, &attrs) : a;
}

// Zeros of `size` elements along an axis and the sizes of `a` along the others.
static gj_ref edge(gj__derive *d, gj_ref a, uint8_t axis, gj_dim size) {
  gj_type type = *gj__type_of(d, a);
  type.shape[axis] = size;
  return gj__d_filled(d, &type, 0);
}

// Joins zeros on along an axis, `before` elements and then up to `size` in all.
static gj_ref join_edges(gj__derive *d, gj_ref a, uint8_t axis, gj_dim before, gj_dim size) {
  gj_dims *dims = gj_graph_dims(d->graph);
  gj_ref parts[3];
  size_t count = 0;
  if (!a)
    return 0;
  gj_dim after = gj_dim_sub(dims, gj_dim_sub(dims, size, before), gj__type_of(d, a)->shape[axis]);
  if (before != 0)
    parts[count++] = edge(d, a, axis, before);
  parts[count++] = a;
  if (after != 0)
    parts[count++] = edge(d, a, axis, after);
  return count == 1 ? a : gj__d_concat(d, parts, count, axis);
}

gj_ref gj__d_place(gj__derive *d, gj_ref a, const gj_type *type, const int64_t *start,
                   const int64_t *stride) {
  static const int64_t none[GJ_MAX_RANK] = {0};
  gj_dims *dims = gj_graph_dims(d->graph);
  int64_t lo[GJ_MAX_RANK] = {0}, hi[GJ_MAX_RANK] = {0}, gaps[GJ_MAX_RANK], first[GJ_MAX_RANK];
  gj_type taken = *gj__type_of(d, a);
  for (uint8_t i = 0; i < type->rank; i++) {
    int64_t step = stride[i] < 0 ? -stride[i] : stride[i];
    gaps[i] = step - 1;
    first[i] = start[i];
    if (taken.shape[i] == 0)
      return gj__d_filled(d, type, 0);
    if (stride[i] < 0) {
      gj_dim last = gj_dim_mul(dims, gj_dim_const(dims, step), gj_dim_sub(dims, taken.shape[i], 1));
      first[i] = gj_dim_sub(dims, first[i], last);
      a = gj__d_reverse_axis(d, a, i);
    }
  }
  gj_ref zero = gj__d_number(d, type->dtype, 0);
  a = gj__d_pad(d, a, zero, none, none, gaps);
  bool known[GJ_MAX_RANK];
  for (uint8_t i = 0; a && i < type->rank; i++) {
    gj_dim rest =
        gj_dim_sub(dims, gj_dim_sub(dims, type->shape[i], first[i]), gj__type_of(d, a)->shape[i]);
    known[i] = gj_dim_is_const(first[i]) && gj_dim_is_const(rest);
    lo[i] = known[i] ? first[i] : 0;
    hi[i] = known[i] ? rest : 0;
  }
  a = gj__d_pad(d, a, zero, lo, hi, none);
  for (uint8_t i = 0; a && i < type->rank; i++)
    if (!known[i])
      a = join_edges(d, a, i, first[i], type->shape[i]);
  return a;
}

void gj__vjp_slice(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[0],
             gj__d_place(d, cts[0], gj__type_of(d, node->args[0]), ints(node, GJ_ATTR_start),
                         ints(node, GJ_ATTR_stride)));
}

gj_ref gj__d_slice(gj__derive *d, gj_ref a, const int64_t *start, const gj_type *shape,
                   const int64_t *stride) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_start, start, shape->rank);
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape->shape, shape->rank);
  gj_attrs_set(&attrs, GJ_ATTR_stride, stride, shape->rank);
  return a ? gj_graph_append(d->graph, GJ_OP_slice, &a, 1, &attrs) : 0;
}

// Where an element of the result comes from the scalar, that gets its cotangent.
static gj_ref filled_part(gj__derive *d, const gj_node *node, gj_ref ct) {
  static const int64_t all[GJ_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  gj_type type = *gj__type_of(d, node->args[0]);
  type.dtype = GJ_DTYPE_bool;
  gj_ref is_fill =
      gj__d_pad(d, gj__d_filled(d, &type, 0), gj__d_number(d, GJ_DTYPE_bool, 1),
                ints(node, GJ_ATTR_lo), ints(node, GJ_ATTR_hi), ints(node, GJ_ATTR_interior));
  gj_ref part = gj__d_select(d, is_fill, ct, gj__d_number(d, node->type.dtype, 0));
  return gj__d_reduce(d, GJ_OP_reduce_sum, part, all, node->type.rank);
}

void gj__vjp_pad(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  static const int64_t none[GJ_MAX_RANK] = {0};
  (void)ref;
  if (gj__d_wants(d, node->args[1]))
    gj__d_give(d, node->args[1], filled_part(d, node, cts[0]));
  if (!gj__d_wants(d, node->args[0]))
    return;
  int64_t start[GJ_MAX_RANK], stride[GJ_MAX_RANK], lo[GJ_MAX_RANK], hi[GJ_MAX_RANK];
  for (uint8_t i = 0; i < node->type.rank; i++) {
    int64_t before = ints(node, GJ_ATTR_lo)[i], behind = ints(node, GJ_ATTR_hi)[i];
    lo[i] = before < 0 ? -before : 0; // what was trimmed
    hi[i] = behind < 0 ? -behind : 0;
    start[i] = before > 0 ? before : 0;
    stride[i] = ints(node, GJ_ATTR_interior)[i] + 1;
  }
  gj_ref whole = gj__d_pad(d, cts[0], gj__d_number(d, node->type.dtype, 0), lo, hi, none);
  gj__d_give(d, node->args[0], gj__d_slice(d, whole, start, gj__type_of(d, node->args[0]), stride));
}

void gj__vjp_concat(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  static const int64_t one[GJ_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
  int64_t axis = gj_node_int(node, GJ_ATTR_axis), start[GJ_MAX_RANK] = {0};
  (void)ref;
  for (uint32_t i = 0; i < node->arg_count; i++) {
    const gj_type *type = gj__type_of(d, node->args[i]);
    if (gj__d_wants(d, node->args[i]))
      gj__d_give(d, node->args[i], gj__d_slice(d, cts[0], start, type, one));
    start[axis] = gj_dim_add(gj_graph_dims(d->graph), start[axis], type->shape[axis]);
  }
}

// --- windows at computed places ---

// A node like `node`, a dynamic_slice or update_slice, at the starts of another.
static gj_ref at_starts(gj__derive *d, gj_op op, const gj_ref *head, size_t count,
                        const gj_ref *starts, size_t rank, const gj_attrs *attrs) {
  gj_ref args[2 + GJ_MAX_RANK];
  for (size_t i = 0; i < count; i++)
    if (!(args[i] = head[i]))
      return 0;
  memcpy(args + count, starts, rank * sizeof *args);
  return gj_graph_append(d->graph, op, args, count + rank, attrs);
}

void gj__vjp_dynamic_slice(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref head[] = {gj__d_zeros_like(d, node->args[0]), cts[0]};
  (void)ref;
  gj__d_give(d, node->args[0],
             at_starts(d, GJ_OP_update_slice, head, 2, node->args + 1, node->type.rank, NULL));
}

void gj__vjp_update_slice(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  const gj_ref *starts = node->args + 2;
  uint8_t rank = node->type.rank;
  (void)ref;
  if (gj__d_wants(d, node->args[0])) {
    gj_ref head[] = {cts[0], gj__d_zeros_like(d, node->args[1])};
    gj__d_give(d, node->args[0], at_starts(d, GJ_OP_update_slice, head, 2, starts, rank, NULL));
  }
  if (gj__d_wants(d, node->args[1])) {
    gj_attrs attrs = {0};
    gj_attrs_set(&attrs, GJ_ATTR_shape, gj__type_of(d, node->args[1])->shape, rank);
    gj__d_give(d, node->args[1], at_starts(d, GJ_OP_dynamic_slice, cts, 1, starts, rank, &attrs));
  }
}
