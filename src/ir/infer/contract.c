// The shape rule of contractions, and which axes do what.
//
// The result has the batch axes, then what is left of the first operand, then what is left of the
// second. Sizes that stand for one another and look different are an error when both are numbers;
// where one is an expression they are compared when its value is known (conditions.c).

#include "ir/infer/contract.h"
#include "ir/infer/infer.h"

#include <string.h>

// --- which axes ---

static uint8_t copy_axes(const gj_attr_list *list, uint8_t *out, bool *named) {
  for (uint8_t i = 0; i < list->count; i++) {
    out[i] = (uint8_t)list->values[i];
    named[out[i]] = true;
  }
  return list->count;
}

gj_contraction gj_contraction_of(const gj_graph *graph, const gj_node *node) {
  static const gj_attr batch[] = {GJ_ATTR_lhs_batch, GJ_ATTR_rhs_batch};
  static const gj_attr contract[] = {GJ_ATTR_lhs_contract, GJ_ATTR_rhs_contract};
  gj_contraction c = {0};
  for (int s = 0; s < 2; s++) {
    gj_contract_side *side = &c.side[s];
    bool named[GJ_MAX_RANK] = {false};
    c.batch_count = copy_axes(&node->attrs->list[batch[s]], side->batch, named);
    c.contract_count = copy_axes(&node->attrs->list[contract[s]], side->contract, named);
    uint8_t rank = gj_graph_node(graph, node->args[s])->type.rank;
    for (uint8_t axis = 0; axis < rank; axis++)
      if (!named[axis])
        side->free[side->free_count++] = axis;
  }
  return c;
}

static gj_dim product(gj_dims *dims, const gj_type *type, const uint8_t *axes, uint8_t count) {
  gj_dim total = 1;
  for (uint8_t i = 0; i < count && total != GJ_DIM_ERROR; i++)
    total = gj_dim_mul(dims, total, type->shape[axes[i]]);
  return total;
}

bool gj_contraction_space(const gj_graph *graph, const gj_node *node, gj_type *out) {
  gj_dims *dims = gj_graph_dims(graph);
  gj_contraction c = gj_contraction_of(graph, node);
  const gj_type *lhs = &gj_graph_node(graph, node->args[0])->type;
  const gj_type *rhs = &gj_graph_node(graph, node->args[1])->type;
  gj_type space = {.dtype = node->type.dtype};
  if (c.batch_count > 0)
    space.shape[space.rank++] = product(dims, lhs, c.side[0].batch, c.batch_count);
  space.shape[space.rank++] = product(dims, lhs, c.side[0].free, c.side[0].free_count);
  space.shape[space.rank++] = product(dims, rhs, c.side[1].free, c.side[1].free_count);
  space.shape[space.rank++] = product(dims, lhs, c.side[0].contract, c.contract_count);
  for (uint8_t i = 0; i < space.rank; i++)
    if (space.shape[i] == GJ_DIM_ERROR)
      return false;
  *out = space;
  return true;
}

// --- the rule ---

// The axes of a list exist and have not been named before.
static gj_status check_axes(const gj__infer *in, size_t arg, gj_attr attr, bool *named) {
  const gj_attr_list *list = gj__list(in, attr);
  const gj_type *type = gj__operand(in, arg);
  for (uint8_t i = 0; i < list->count; i++) {
    int64_t axis = list->values[i];
    if (axis < 0 || axis >= type->rank)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: %s: axis %lld is not in [0, %d), the axes of %s",
                     in->name, gj_attr_get(attr)->name, (long long)axis, type->rank,
                     gj__shape_text(in->dims, type).s);
    if (named[axis])
      return gj_fail(in->err, GJ_E_SHAPE, "%s: %s: axis %lld of operand %%%u is named twice",
                     in->name, gj_attr_get(attr)->name, (long long)axis, in->args[arg]);
    named[axis] = true;
  }
  return GJ_OK;
}

// Two lists of one length whose axes have the same sizes, as far as that is known.
static gj_status check_pairs(const gj__infer *in, gj_attr first, gj_attr second) {
  const gj_attr_list *a = gj__list(in, first), *b = gj__list(in, second);
  if (a->count != b->count)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: %s names %d axes, but %s names %d", in->name,
                   gj_attr_get(first)->name, a->count, gj_attr_get(second)->name, b->count);
  for (uint8_t i = 0; i < a->count; i++) {
    gj_dim x = gj__operand(in, 0)->shape[a->values[i]];
    gj_dim y = gj__operand(in, 1)->shape[b->values[i]];
    if (x != y && gj_dim_is_const(x) && gj_dim_is_const(y))
      return gj_fail(
          in->err, GJ_E_SHAPE,
          "%s: axis %lld of %s (%%%u) has size %s, but axis %lld of %s (%%%u) has %s", in->name,
          (long long)a->values[i], gj__shape_text(in->dims, gj__operand(in, 0)).s, in->args[0],
          gj__dim_text(in->dims, x).s, (long long)b->values[i],
          gj__shape_text(in->dims, gj__operand(in, 1)).s, in->args[1], gj__dim_text(in->dims, y).s);
  }
  return GJ_OK;
}

gj_status gj_shape_dot_general(const gj__infer *in, gj_type *out) {
  static const gj_attr lists[2][2] = {{GJ_ATTR_lhs_batch, GJ_ATTR_lhs_contract},
                                      {GJ_ATTR_rhs_batch, GJ_ATTR_rhs_contract}};
  bool named[2][GJ_MAX_RANK] = {{false}};
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 2; k++)
      GJ_TRY(check_axes(in, (size_t)s, lists[s][k], named[s]));
  GJ_TRY(check_pairs(in, GJ_ATTR_lhs_batch, GJ_ATTR_rhs_batch));
  GJ_TRY(check_pairs(in, GJ_ATTR_lhs_contract, GJ_ATTR_rhs_contract));
  const gj_attr_list *batch = gj__list(in, GJ_ATTR_lhs_batch);
  gj_dim shape[2 * GJ_MAX_RANK];
  size_t rank = 0;
  for (uint8_t i = 0; i < batch->count; i++)
    shape[rank++] = gj__operand(in, 0)->shape[batch->values[i]];
  for (int s = 0; s < 2; s++)
    for (uint8_t axis = 0; axis < gj__operand(in, (size_t)s)->rank; axis++)
      if (!named[s][axis])
        shape[rank++] = gj__operand(in, (size_t)s)->shape[axis];
  if (rank > GJ_MAX_RANK)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: the result of %s and %s would have rank %zu, above %d",
                   in->name, gj__shape_text(in->dims, gj__operand(in, 0)).s,
                   gj__shape_text(in->dims, gj__operand(in, 1)).s, rank, GJ_MAX_RANK);
  out->rank = (uint8_t)rank;
  memcpy(out->shape, shape, rank * sizeof *shape);
  return GJ_OK;
}
