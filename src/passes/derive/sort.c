// Rules of sorts: elements go with the positions that they came from.
//
// The positions are found by a sort of the same keys with an iota beside them, or are among the
// results already, as in argsort. Equals keep their order, and their derivatives go with them. A
// sort by as many keys as it takes operands has no room for an iota, and is refused.
#include "passes/derive/rules.h"

// Whether a value is the position of each element along an axis, in a dtype that holds it.
static bool is_positions(const gj__derive *d, gj_ref ref, int64_t axis) {
  const gj_node *node = gj_graph_node(d->graph, ref);
  gj_dtype dtype = node->type.dtype;
  return node->op == GJ_OP_iota && gj_node_int(node, GJ_ATTR_axis) == axis &&
         !gj_dtype_is_float(dtype) && gj_dtype_bytes(dtype) >= 4;
}

static gj_ref positions_along(gj__derive *d, gj_ref like, int64_t axis) {
  const gj_type *type = gj__type_of(d, like);
  return gj__d_iota(d, gj__d_position_dtype(type->shape[axis]), type, axis);
}

// --- sort ---

static gj_ref sorted_positions(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_ref args[GJ_MAX_SORT_OPERANDS];
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  size_t keys = (size_t)gj_node_int(node, GJ_ATTR_keys);
  for (size_t i = keys; i < node->arg_count; i++)
    if (is_positions(d, node->args[i], axis))
      return gj__d_result(d, ref, i);
  if (keys == GJ_MAX_SORT_OPERANDS) {
    gj__d_refuse(d, ref, "it has so many keys that positions do not fit beside them");
    return 0;
  }
  memcpy(args, node->args, keys * sizeof *args);
  args[keys] = positions_along(d, args[0], axis);
  if (!args[keys])
    return 0;
  gj_ref sorted = gj_graph_append(d->graph, GJ_OP_sort, args, keys + 1, node->attrs);
  return gj__d_result(d, sorted, keys);
}

void gj__vjp_sort(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  for (uint32_t i = 0; i < node->arg_count; i++)
    if (cts[i] && gj__d_wants(d, node->args[i]))
      gj__d_give(d, node->args[i],
                 gj__d_add_along(d, gj__d_zeros_like(d, node->args[i]),
                                 sorted_positions(d, ref, node), cts[i], axis));
}

void gj__jvp_sort(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  for (uint32_t i = 0; i < node->arg_count; i++) {
    gj_ref tangent = gj__d_tangent(d, node->args[i]);
    if (tangent)
      out_tangents[i] = gj__d_take_along(d, tangent, sorted_positions(d, ref, node), axis);
  }
}

// --- top_k ---

static gj_ref top_positions(gj__derive *d, gj_ref ref, const gj_node *node) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  if (is_positions(d, node->args[1], axis))
    return gj__d_result(d, ref, 1);
  gj_ref args[] = {node->args[0], positions_along(d, node->args[0], axis)};
  return args[1] ? gj__d_result(d, gj_graph_append_like(d->graph, node, args), 1) : 0;
}

void gj__vjp_top_k(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj__d_give(d, node->args[0],
             gj__d_add_along(d, gj__d_zeros_like(d, node->args[0]), top_positions(d, ref, node),
                             cts[0], gj_node_int(node, GJ_ATTR_axis)));
}

void gj__jvp_top_k(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  out_tangents[0] = gj__d_take_along(d, gj__d_tangent(d, node->args[0]),
                                     top_positions(d, ref, node), gj_node_int(node, GJ_ATTR_axis));
}
