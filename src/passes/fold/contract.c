// Folding rules of contractions.
//
// A sum of no products is 0, and so is one of integers that are multiplied by 0 throughout (of
// floats it may be NaN). A transposed operand is read as it lies: its axes are named instead of
// moved, as long as those that are left keep their order.
#include "ir/infer/contract.h"
#include "passes/fold/fold.h"

#include <string.h>

static gj_ref zeros(const gj_fold *f) {
  return gj__splat(f->graph, &f->type, gj_scalar_start(GJ_START_ZERO, f->type.dtype));
}

static bool is_zero(const gj_fold *f, size_t arg) {
  gj_scalar value;
  return gj__is_splat(f->graph, f->args[arg], &value) &&
         gj_scalar_same_bits(value, gj_scalar_start(GJ_START_ZERO, value.dtype));
}

static bool is_nothing(const gj_fold *f) {
  const gj_attr_list *axes = &f->attrs->list[GJ_ATTR_lhs_contract];
  const gj_type *lhs = &gj_graph_node(f->graph, f->args[0])->type;
  for (uint8_t i = 0; i < axes->count; i++)
    if (lhs->shape[axes->values[i]] == 0)
      return true;
  return !gj_dtype_is_float(f->type.dtype) && (is_zero(f, 0) || is_zero(f, 1));
}

// Axes of an operand by the names that they have in front of its transpose.
typedef struct renamed {
  int64_t batch[GJ_MAX_RANK], contract[GJ_MAX_RANK];
} renamed;

// False when the axes that are left would change their order.
static bool rename_axes(const gj_node *transpose, const gj_contraction *c, int s, renamed *out) {
  const int64_t *from = transpose->attrs->list[GJ_ATTR_axes].values;
  const gj_contract_side *side = &c->side[s];
  for (uint8_t i = 1; i < side->free_count; i++)
    if (from[side->free[i]] < from[side->free[i - 1]])
      return false;
  for (uint8_t i = 0; i < c->batch_count; i++)
    out->batch[i] = from[side->batch[i]];
  for (uint8_t i = 0; i < c->contract_count; i++)
    out->contract[i] = from[side->contract[i]];
  return true;
}

gj_ref gj__fold_contract(const gj_fold *f) {
  static const gj_attr batch[] = {GJ_ATTR_lhs_batch, GJ_ATTR_rhs_batch};
  static const gj_attr contract[] = {GJ_ATTR_lhs_contract, GJ_ATTR_rhs_contract};
  if (is_nothing(f))
    return zeros(f);
  gj_node as = {.attrs = f->attrs, .args = f->args};
  gj_contraction c = gj_contraction_of(f->graph, &as);
  gj_ref args[2] = {f->args[0], f->args[1]};
  gj_attrs attrs = *f->attrs;
  renamed axes[2];
  bool changed = false;
  for (int s = 0; s < 2; s++) {
    const gj_node *operand = gj_graph_node(f->graph, args[s]);
    if (operand->op != GJ_OP_transpose || !rename_axes(operand, &c, s, &axes[s]))
      continue;
    args[s] = operand->args[0];
    gj_attrs_set(&attrs, batch[s], axes[s].batch, c.batch_count);
    gj_attrs_set(&attrs, contract[s], axes[s].contract, c.contract_count);
    changed = true;
  }
  return changed ? gj_graph_append(f->graph, f->op, args, 2, &attrs) : 0;
}
