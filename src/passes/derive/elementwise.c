// Rules of elementwise ops: formulas of their rows, and where operands were broadcast.
#include "passes/derive/rules.h"

static const char *formulas_of(const gj_node *node) {
  return gj__d_rule_of((gj_op)node->op)->formulas;
}

void gj__vjp_formula(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  for (uint32_t i = 0; i < node->arg_count; i++) {
    if (!gj__d_wants(d, node->args[i]))
      continue;
    const gj_type *type = gj__type_of(d, node->args[i]);
    gj_ref given = gj__d_formula(d, formulas_of(node), ref, i, cts[0]);
    gj__d_give(d, node->args[i], gj__d_convert(d, gj__d_unbroadcast(d, given, type), type->dtype));
  }
}

void gj__jvp_formula(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref all = 0;
  for (uint32_t i = 0; i < node->arg_count; i++) {
    gj_ref tangent = gj__d_convert(d, gj__d_tangent(d, node->args[i]), node->type.dtype);
    gj_ref own = gj__d_formula(d, formulas_of(node), ref, i, tangent);
    all = all && own ? gj__d_add(d, all, own) : all ? all : own;
  }
  if (all && gj__type_of(d, all)->rank < node->type.rank) { // axes from the right are its own
    int64_t axes[GJ_MAX_RANK];
    uint8_t rank = gj__type_of(d, all)->rank;
    for (uint8_t i = 0; i < rank; i++)
      axes[i] = node->type.rank - rank + i;
    out_tangents[0] = gj__d_broadcast(d, all, &node->type, axes);
  } else {
    out_tangents[0] = gj__d_broadcast(d, all, &node->type, NULL);
  }
}
