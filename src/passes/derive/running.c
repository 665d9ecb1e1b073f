// Rules of products, of running reductions along an axis, and of lgamma.
//
// No product is divided by a factor, so zeros among them do no harm: what the others make is the
// product of those before times that of those behind. A running product is a recurrence, and so are
// its derivatives, which a loop over the axis computes. A running extreme is an element of the
// operand; of equals it is the last one, as in PyTorch.
#include "passes/derive/rules.h"

// --- recurrences ---

// The round of a loop: (number, carried u, x, y) → x · u + y, carried on and stacked.
static int64_t recurrence_body(gj__derive *d, const gj_type *type) {
  static const gj_type number = {.dtype = GJ_DTYPE_i64};
  gj_graph *body = gj_graph_function_new(d->graph, "recurrence");
  if (!body)
    return -1;
  gj_graph_param(body, "round", &number);
  gj_ref u = gj_graph_param(body, "u", type);
  gj_ref x = gj_graph_param(body, "x", type), y = gj_graph_param(body, "y", type);
  gj_ref product = gj_graph_append(body, GJ_OP_mul, (gj_ref[]){x, u}, 2, NULL);
  gj_ref next = gj_graph_append(body, GJ_OP_add, (gj_ref[]){product, y}, 2, NULL);
  gj_graph_set_output(body, "next", next);
  gj_graph_set_output(body, "each", next);
  return gj_graph_function_add(body);
}

// The axis in front, the others behind it in their order.
static gj_ref to_front(gj__derive *d, gj_ref a, int64_t axis) {
  int64_t order[GJ_MAX_RANK];
  for (int64_t i = 0; i < GJ_MAX_RANK; i++)
    order[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
  return gj__d_transpose(d, a, order);
}

static gj_ref from_front(gj__derive *d, gj_ref a, int64_t axis) {
  int64_t order[GJ_MAX_RANK];
  for (int64_t i = 0; i < GJ_MAX_RANK; i++)
    order[i] = i == axis ? 0 : i < axis ? i + 1 : i;
  return gj__d_transpose(d, a, order);
}

// u of u[i] = x[i] · u[i - 1] + y[i] along an axis; falling: of u[i + 1]. What is beyond is zero.
static gj_ref recurrence(gj__derive *d, gj_ref x, gj_ref y, int64_t axis, int64_t falling) {
  static const int64_t one = 1, two = 2;
  gj_ref args[] = {0, to_front(d, x, axis), to_front(d, y, axis)};
  gj_attrs attrs = {0};
  if (!args[1] || !args[2])
    return 0;
  gj_type type = *gj__type_of(d, args[1]);
  gj_attrs_set(&attrs, GJ_ATTR_count, &(gj_dim){type.shape[0]}, 1);
  type.rank--;
  memmove(type.shape, type.shape + 1, type.rank * sizeof *type.shape);
  int64_t body = recurrence_body(d, &type);
  args[0] = gj__d_filled(d, &type, 0);
  if (body < 0 || !args[0])
    return 0;
  gj_attrs_set(&attrs, GJ_ATTR_descending, &falling, 1);
  gj_attrs_set(&attrs, GJ_ATTR_carried, &one, 1);
  gj_attrs_set(&attrs, GJ_ATTR_stacked, &two, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, &body, 1);
  gj_ref loop = gj_graph_append(d->graph, GJ_OP_for, args, 3, &attrs);
  return from_front(d, gj__d_result(d, loop, 1), axis);
}

// --- products ---

// Elements moved up or down by one place along an axis.
static gj_ref moved(gj__derive *d, gj_ref a, int64_t axis, int64_t by, double fill) {
  return gj__d_pad_axis(d, a, axis, by, -by, fill);
}

// For each element the product of all others along an axis.
static gj_ref product_of_others(gj__derive *d, gj_ref a, int64_t axis) {
  gj_ref before = gj__d_cumulate(d, GJ_OP_cumulate_prod, moved(d, a, axis, 1, 1), axis);
  gj_ref behind = gj__d_reverse_axis(d, moved(d, a, axis, -1, 1), axis);
  behind = gj__d_cumulate(d, GJ_OP_cumulate_prod, behind, axis);
  return gj__d_mul(d, before, gj__d_reverse_axis(d, behind, axis));
}

// The same along all axes that a node reduces, which are made one for it.
static gj_ref factors(gj__derive *d, const gj_node *node) {
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  const gj_type *type = gj__type_of(d, node->args[0]);
  if (axes->count == 0)
    return gj__d_filled(d, type, 1);
  if (axes->count == 1)
    return product_of_others(d, node->args[0], axes->values[0]);
  gj_ref merged = gj__d_merge(d, node->args[0], axes->values, axes->count);
  gj_ref others = product_of_others(d, merged, type->rank - axes->count);
  return gj__d_unmerge(d, others, type, axes->values, axes->count);
}

void gj__vjp_prod(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  const gj_type *type = gj__type_of(d, node->args[0]);
  (void)ref;
  gj_ref spread = gj__d_spread(d, cts[0], type, axes->values, axes->count);
  gj__d_give(d, node->args[0], gj__d_mul(d, spread, factors(d, node)));
}

void gj__jvp_prod(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  (void)ref;
  gj_ref each = gj__d_mul(d, gj__d_tangent(d, node->args[0]), factors(d, node));
  out_tangents[0] = gj__d_reduce(d, GJ_OP_reduce_sum, each, axes->values, axes->count);
}

// With r for the result, dx[i] = r[i - 1] · s[i], where s[i] = ct[i] + x[i + 1] · s[i + 1].
void gj__vjp_cumulate_prod(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  gj_ref s = recurrence(d, moved(d, node->args[0], axis, -1, 0), cts[0], axis, 1);
  gj__d_give(d, node->args[0], gj__d_mul(d, moved(d, ref, axis, 1, 1), s));
}

// dr[i] = x[i] · dr[i - 1] + dx[i] · r[i - 1].
void gj__jvp_cumulate_prod(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  gj_ref own = gj__d_mul(d, gj__d_tangent(d, node->args[0]), moved(d, ref, axis, 1, 1));
  out_tangents[0] = recurrence(d, node->args[0], own, axis, 0);
}

// --- running extremes ---

// Where the running extreme comes from: the last element so far that was one when it came. NaN is
// one from the first on.
static gj_ref origins(gj__derive *d, gj_ref ref, const gj_node *node) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  gj_dtype dtype = gj__d_position_dtype(node->type.shape[axis]);
  gj_ref x = node->args[0], here = gj__d_iota(d, dtype, &node->type, axis);
  gj_ref is_one = gj__d_op2(d, GJ_OP_or, gj__d_eq(d, x, ref), gj__d_op1(d, GJ_OP_is_nan, x));
  gj_ref found = gj__d_select(d, is_one, here, gj__d_number(d, dtype, 0));
  return gj__d_cumulate(d, GJ_OP_cumulate_max, found, axis);
}

void gj__vjp_cumulate_extreme(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  gj_ref zeros = gj__d_zeros_like(d, node->args[0]);
  gj__d_give(
      d, node->args[0],
      gj__d_add_along(d, zeros, origins(d, ref, node), cts[0], gj_node_int(node, GJ_ATTR_axis)));
}

void gj__jvp_cumulate_extreme(gj__derive *d, gj_ref ref, const gj_node *node,
                              gj_ref *out_tangents) {
  out_tangents[0] = gj__d_take_along(d, gj__d_tangent(d, node->args[0]), origins(d, ref, node),
                                     gj_node_int(node, GJ_ATTR_axis));
}

// --- lgamma: the digamma function, Abramowitz and Stegun, chapter 6.3 ---

enum { LEAST = 10 }; // from here on the series is right to the last bits of an f64

// ψ(y) ~ log y - 1/(2y) - Σ B(2k) / (2k · y^(2k)), 6.3.18, for y of at least LEAST.
static gj_ref series(gj__derive *d, gj_dtype dtype, gj_ref y) {
  static const double terms[] = {1. / 12,  -1. / 120,     1. / 252, -1. / 240,
                                 1. / 132, -691. / 32760, 1. / 12};
  size_t k = sizeof terms / sizeof *terms;
  gj_ref over = gj__d_div(d, gj__d_number(d, dtype, 1), y), square = gj__d_mul(d, over, over);
  gj_ref sum = gj__d_number(d, dtype, terms[--k]);
  while (k > 0)
    sum = gj__d_add(d, gj__d_mul(d, sum, square), gj__d_number(d, dtype, terms[--k]));
  gj_ref half = gj__d_mul(d, over, gj__d_number(d, dtype, 0.5));
  gj_ref rest = gj__d_add(d, half, gj__d_mul(d, sum, square));
  return gj__d_sub(d, gj__d_op1(d, GJ_OP_log, y), rest);
}

// ψ(x + LEAST) - ψ(x) = Σ 1 / (x + k) for k below LEAST, 6.3.6, the first and the last of them
// together, and so on: (2x + 9) / (x² + 9x + k(9 - k)).
static gj_ref steps(gj__derive *d, gj_dtype dtype, gj_ref x) {
  gj_ref span = gj__d_number(d, dtype, LEAST - 1), sum = 0;
  gj_ref product = gj__d_mul(d, x, gj__d_add(d, x, span));
  for (int k = 0; k < LEAST / 2; k++) {
    gj_ref below = gj__d_add(d, product, gj__d_number(d, dtype, k * (LEAST - 1 - k)));
    gj_ref own = gj__d_div(d, gj__d_number(d, dtype, 1), below);
    sum = k == 0 ? own : gj__d_add(d, sum, own);
  }
  return gj__d_mul(d, sum, gj__d_add(d, gj__d_add(d, x, x), span));
}

// Each part sees arguments that it is for, or harmless ones, so that derivatives of what is not
// selected are finite. ψ(x) = ψ(1 - x) - π / tan(πx), 6.3.7, below 0; at the poles it is -∞.
static gj_ref digamma(gj__derive *d, gj_dtype dtype, gj_ref x) {
  gj_ref zero = gj__d_number(d, dtype, 0), one = gj__d_number(d, dtype, 1);
  gj_ref least = gj__d_number(d, dtype, LEAST), pi = gj__d_number(d, dtype, 3.141592653589793);
  gj_ref negative = gj__d_op2(d, GJ_OP_lt, x, zero);
  gj_ref z = gj__d_select(d, negative, gj__d_sub(d, one, x), x);
  gj_ref small = gj__d_op2(d, GJ_OP_lt, z, least);
  gj_ref value = series(d, dtype, gj__d_select(d, small, gj__d_add(d, z, least), z));
  gj_ref down = steps(d, dtype, gj__d_select(d, small, z, one));
  value = gj__d_sub(d, value, gj__d_select(d, small, down, zero));
  gj_ref phase = gj__d_sub(d, x, gj__d_op1(d, GJ_OP_round_even, x));
  phase = gj__d_select(d, negative, phase, gj__d_number(d, dtype, 0.25));
  gj_ref mirrored = gj__d_div(d, pi, gj__d_op1(d, GJ_OP_tan, gj__d_mul(d, phase, pi)));
  return gj__d_sub(d, value, gj__d_select(d, negative, mirrored, zero));
}

// Halves have too few bits for the sums in between.
static gj_ref slope_of_lgamma(gj__derive *d, const gj_node *node, gj_ref change) {
  gj_dtype dtype = node->type.dtype, wide = gj_dtype_bytes(dtype) < 4 ? GJ_DTYPE_f32 : dtype;
  gj_ref slope = digamma(d, wide, gj__d_convert(d, node->args[0], wide));
  return gj__d_mul(d, change, gj__d_convert(d, slope, dtype));
}

void gj__vjp_lgamma(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj__d_give(d, node->args[0], slope_of_lgamma(d, node, cts[0]));
}

void gj__jvp_lgamma(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  (void)ref;
  out_tangents[0] = slope_of_lgamma(d, node, gj__d_tangent(d, node->args[0]));
}
