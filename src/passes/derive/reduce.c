// Rules of reductions.
#include "passes/derive/rules.h"

static const gj_attr_list *axes_of(const gj_node *node) { return &node->attrs->list[GJ_ATTR_axes]; }

// What a reduction gave, or its cotangent, beside every element that it was given.
static gj_ref beside(gj__derive *d, const gj_node *node, gj_ref a) {
  return gj__d_spread(d, a, gj__type_of(d, node->args[0]), axes_of(node)->values,
                      axes_of(node)->count);
}

static gj_ref sum_as(gj__derive *d, const gj_node *node, gj_ref a) {
  return gj__d_reduce(d, GJ_OP_reduce_sum, a, axes_of(node)->values, axes_of(node)->count);
}

void gj__vjp_sum(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[0], beside(d, node, cts[0]));
}

// --- least and greatest: equals share alike ---

// Of each element its share of what the result changes: 1 over how many are equal to it, or 0.
static gj_ref share(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_ref equal =
      gj__d_convert(d, gj__d_eq(d, node->args[0], beside(d, node, ref)), node->type.dtype);
  return gj__d_div(d, equal, beside(d, node, sum_as(d, node, equal)));
}

void gj__vjp_extreme(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj__d_give(d, node->args[0], gj__d_mul(d, beside(d, node, cts[0]), share(d, ref, node)));
}

void gj__jvp_extreme(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  out_tangents[0] =
      sum_as(d, node, gj__d_mul(d, gj__d_tangent(d, node->args[0]), share(d, ref, node)));
}

// --- argmin, argmax: the element whose index was found ---

static gj_ref chosen(gj__derive *d, gj_ref ref, const gj_node *node) {
  return gj__d_eq(d, node->args[1], beside(d, node, gj__d_result(d, ref, 1)));
}

void gj__vjp_arg_extreme(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref zero = gj__d_number(d, node->type.dtype, 0);
  gj__d_give(d, node->args[0],
             gj__d_select(d, chosen(d, ref, node), beside(d, node, cts[0]), zero));
}

void gj__jvp_arg_extreme(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref zero = gj__d_number(d, node->type.dtype, 0);
  gj_ref own = gj__d_select(d, chosen(d, ref, node), gj__d_tangent(d, node->args[0]), zero);
  out_tangents[0] = sum_as(d, node, own);
}

// --- moments: the sum of squared distances from the mean, and the mean ---

static gj_ref distances(gj__derive *d, gj_ref ref, const gj_node *node) {
  gj_ref from = gj__d_sub(d, node->args[0], beside(d, node, gj__d_result(d, ref, 1)));
  return gj__d_mul(d, from, gj__d_number(d, node->type.dtype, 2));
}

static gj_ref count_of(gj__derive *d, const gj_node *node) {
  return gj__d_extent(d, node->type.dtype, gj__type_of(d, node->args[0]), axes_of(node)->values,
                      axes_of(node)->count);
}

void gj__vjp_moments(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  if (cts[0])
    gj__d_give(d, node->args[0], gj__d_mul(d, beside(d, node, cts[0]), distances(d, ref, node)));
  if (cts[1])
    gj__d_give(d, node->args[0], beside(d, node, gj__d_div(d, cts[1], count_of(d, node))));
}

void gj__jvp_moments(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref t = gj__d_tangent(d, node->args[0]);
  out_tangents[0] = sum_as(d, node, gj__d_mul(d, t, distances(d, ref, node)));
  out_tangents[1] = gj__d_div(d, sum_as(d, node, t), count_of(d, node));
}

// --- running sums ---

void gj__vjp_cumulate_sum(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  (void)ref;
  gj_ref back = gj__d_cumulate(d, GJ_OP_cumulate_sum, gj__d_reverse_axis(d, cts[0], axis), axis);
  gj__d_give(d, node->args[0], gj__d_reverse_axis(d, back, axis));
}
