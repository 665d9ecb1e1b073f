// Folding rules of movement ops, reductions over nothing and results: what moves nothing is
// dropped, and two moves of one kind become one.
#include "passes/fold/fold.h"

static const gj_node *operand(const gj_fold *f) { return gj_graph_node(f->graph, f->args[0]); }

static const int64_t *ints(const gj_attrs *attrs, gj_attr attr) { return attrs->list[attr].values; }

static bool all_equal(const gj_attrs *attrs, gj_attr attr, int64_t value) {
  const gj_attr_list *list = &attrs->list[attr];
  for (uint8_t i = 0; i < list->count; i++)
    if (list->values[i] != value)
      return false;
  return true;
}

// The operand itself when it already is what the node would be.
static gj_ref same(const gj_fold *f) {
  return gj__same_type(&operand(f)->type, &f->type) ? f->args[0] : 0;
}

static gj_ref append(const gj_fold *f, gj_ref arg, const gj_attrs *attrs) {
  gj_fold g = *f;
  g.args = &arg;
  g.attrs = attrs;
  gj_ref folded = gj__fold(&g);
  return folded ? folded : gj_graph_append(f->graph, f->op, &arg, 1, attrs);
}

gj_ref gj__fold_reshape(const gj_fold *f) {
  if (same(f))
    return f->args[0];
  return operand(f)->op == GJ_OP_reshape ? append(f, operand(f)->args[0], f->attrs) : 0;
}

gj_ref gj__fold_transpose(const gj_fold *f) {
  const int64_t *axes = ints(f->attrs, GJ_ATTR_axes);
  bool identity = true;
  for (uint8_t i = 0; i < f->type.rank; i++)
    identity = identity && axes[i] == i;
  if (identity)
    return f->args[0];
  if (operand(f)->op != GJ_OP_transpose)
    return 0;
  const int64_t *first = ints(operand(f)->attrs, GJ_ATTR_axes);
  int64_t both[GJ_MAX_RANK];
  for (uint8_t i = 0; i < f->type.rank; i++)
    both[i] = first[axes[i]];
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_axes, both, f->type.rank);
  return append(f, operand(f)->args[0], &attrs);
}

gj_ref gj__fold_broadcast(const gj_fold *f) {
  if (same(f)) // same rank and increasing axes: every axis maps to itself
    return f->args[0];
  if (operand(f)->op != GJ_OP_broadcast)
    return 0;
  const gj_attr_list *first = &operand(f)->attrs->list[GJ_ATTR_axes];
  int64_t both[GJ_MAX_RANK];
  for (uint8_t i = 0; i < first->count; i++)
    both[i] = ints(f->attrs, GJ_ATTR_axes)[first->values[i]];
  gj_attrs attrs = *f->attrs;
  gj_attrs_set(&attrs, GJ_ATTR_axes, both, first->count);
  return append(f, operand(f)->args[0], &attrs);
}

gj_ref gj__fold_slice(const gj_fold *f) {
  if (same(f) && all_equal(f->attrs, GJ_ATTR_start, 0) && all_equal(f->attrs, GJ_ATTR_stride, 1))
    return f->args[0];
  if (operand(f)->op != GJ_OP_slice)
    return 0;
  gj_dims *dims = gj_graph_dims(f->graph);
  const gj_attrs *inner = operand(f)->attrs;
  int64_t start[GJ_MAX_RANK], stride[GJ_MAX_RANK];
  for (uint8_t i = 0; i < f->type.rank; i++) {
    int64_t step = ints(inner, GJ_ATTR_stride)[i];
    gj_dim moved = gj_dim_mul(dims, gj_dim_const(dims, step), ints(f->attrs, GJ_ATTR_start)[i]);
    start[i] = gj_dim_add(dims, ints(inner, GJ_ATTR_start)[i], moved);
    if (start[i] == GJ_DIM_ERROR ||
        __builtin_mul_overflow(step, ints(f->attrs, GJ_ATTR_stride)[i], &stride[i]))
      return 0;
  }
  gj_attrs attrs = *f->attrs;
  gj_attrs_set(&attrs, GJ_ATTR_start, start, f->type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_stride, stride, f->type.rank);
  return append(f, operand(f)->args[0], &attrs);
}

gj_ref gj__fold_reverse(const gj_fold *f) {
  const gj_attr_list *axes = &f->attrs->list[GJ_ATTR_axes];
  if (axes->count == 0)
    return f->args[0];
  if (operand(f)->op != GJ_OP_reverse)
    return 0;
  const gj_attr_list *first = &operand(f)->attrs->list[GJ_ATTR_axes];
  if (first->count != axes->count)
    return 0;
  for (uint8_t i = 0; i < axes->count; i++)
    if (first->values[i] != axes->values[i])
      return 0;
  return operand(f)->args[0];
}

gj_ref gj__fold_pad(const gj_fold *f) {
  bool nothing = all_equal(f->attrs, GJ_ATTR_lo, 0) && all_equal(f->attrs, GJ_ATTR_hi, 0) &&
                 all_equal(f->attrs, GJ_ATTR_interior, 0);
  return nothing ? f->args[0] : 0;
}

gj_ref gj__fold_concat(const gj_fold *f) { return f->arg_count == 1 ? f->args[0] : 0; }

// A reduction over no axes combines each element with the start value alone, which is no change but
// in a sum of floats: 0 + -0 is +0.
gj_ref gj__fold_reduce(const gj_fold *f) {
  if (f->arg_count != 1 || (gj_op_get(f->op)->flags & GJ_OP_TWO) ||
      f->attrs->list[GJ_ATTR_axes].count > 0)
    return 0;
  return f->op == GJ_OP_reduce_sum && gj_dtype_is_float(f->type.dtype) ? 0 : same(f);
}

gj_ref gj__fold_result(const gj_fold *f) {
  return gj_graph_node(f->graph, f->args[0]) && ints(f->attrs, GJ_ATTR_index)[0] == 0 ? f->args[0]
                                                                                      : 0;
}
