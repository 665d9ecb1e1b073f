// Small constructors that keep the rest of lower/ readable, and dims as expressions.
#include "loops/rules.h"
#include "lower/context.h"

const gj_lexpr *gj__i64(gj__lower *l, int64_t value) { return gj_lx_i64(l->m, value); }

const gj_lexpr *gj__add(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_add, a, b);
}

const gj_lexpr *gj__sub(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  bool ends = a->kind == GJ_LX_OP && a->op == GJ_OP_add && a->args[0] == b; // (b + c) - b
  if (ends && a->args[1]->kind == GJ_LX_CONST)
    return a->args[1];
  return gj_lx_binary(l->m, GJ_OP_sub, a, b);
}

const gj_lexpr *gj__mul(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_mul, a, b);
}

const gj_lexpr *gj__min(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_min, a, b);
}

const gj_lexpr *gj__max(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_max, a, b);
}

const gj_lexpr *gj__dim(gj__lower *l, gj_dim d) {
  return gj_lower_dim(l->m, l->dims, d, l->symbols);
}

const gj_lexpr *gj__size(gj__lower *l, const gj_type *type, const uint8_t *axes, unsigned count) {
  gj_dims *dims = gj_graph_dims(l->graph);
  gj_dim size = 1;
  for (unsigned k = 0; k < count; k++)
    size = gj_dim_mul(dims, size, type->shape[axes[k]]);
  if (size != GJ_DIM_ERROR)
    return gj__dim(l, size);
  const gj_lexpr *product = gj__dim(l, type->shape[axes[0]]);
  for (unsigned k = 1; k < count; k++)
    product = gj__mul(l, product, gj__dim(l, type->shape[axes[k]]));
  return product;
}

const gj_lexpr *gj__let(gj__lower *l, const char *name, const gj_lexpr *value) {
  return gj__local(l, gj_ls_let(l->m, l->f, l->block, name, value));
}

const gj_lexpr *gj__local(gj__lower *l, uint32_t local) { return gj_lx_local(l->m, l->f, local); }

const gj_lexpr *gj__keep(gj__lower *l, const char *name, const gj_lexpr *e) {
  return e->kind == GJ_LX_CONST ? e : gj__let(l, name, e);
}

const gj_lexpr *gj__less(gj__lower *l, const gj_lexpr *a, int64_t b) {
  return gj_lx_binary(l->m, GJ_OP_lt, a, gj__i64(l, b));
}

bool gj__is_one(const gj_lexpr *e) { return e->kind == GJ_LX_CONST && e->value.v.i == 1; }

const gj_lexpr *gj__lesser(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  if (a->kind == GJ_LX_CONST && b->kind == GJ_LX_CONST)
    return a->value.v.i < b->value.v.i ? a : b;
  return gj__min(l, a, b);
}

const gj_lexpr *gj__greater(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  if (a->kind == GJ_LX_CONST && b->kind == GJ_LX_CONST)
    return a->value.v.i > b->value.v.i ? a : b;
  return gj__max(l, a, b);
}

const gj_lexpr *gj__divide(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  if (gj__is_one(b))
    return a;
  if (a->kind == GJ_LX_CONST && b->kind == GJ_LX_CONST)
    return gj__i64(l, a->value.v.i / b->value.v.i);
  return gj_lx_binary(l->m, GJ_OP_div, a, b);
}

gj__index *gj__index_new(gj__lower *l) {
  gj__index *index = gj_arena_alloc(&l->scratch, sizeof *index);
  if (!index) {
    l->out_of_memory = true;
    return l->origin;
  }
  *index = (gj__index){0};
  return index;
}

// a / b rounded down: a shift for powers of two, else the truncated quotient less one when there is
// a remainder and the signs differ.
const gj_lexpr *gj_lower_floordiv(gj_lmodule *m, const gj_lexpr *a, const gj_lexpr *b,
                                  bool positive) {
  const gj_lexpr *zero = gj_lx_i64(m, 0), *one = gj_lx_i64(m, 1);
  int64_t divisor = b->kind == GJ_LX_CONST ? b->value.v.i : 0;
  if (divisor > 0 && (divisor & (divisor - 1)) == 0)
    return gj_lx_binary(m, GJ_OP_shr, a, gj_lx_i64(m, __builtin_ctzll((uint64_t)divisor)));
  const gj_lexpr *quotient = gj_lx_binary(m, GJ_OP_div, a, b);
  if (positive)
    return quotient;
  const gj_lexpr *rest = gj_lx_binary(m, GJ_OP_rem, a, b);
  const gj_lexpr *inexact = gj_lx_binary(m, GJ_OP_ne, rest, zero);
  const gj_lexpr *apart = gj_lx_binary(m, GJ_OP_lt, gj_lx_binary(m, GJ_OP_xor, rest, b), zero);
  const gj_lexpr *down = gj_lx_binary(m, GJ_OP_and, inexact, apart);
  return gj_lx_binary(m, GJ_OP_sub, quotient, gj_lx_select(m, down, one, zero));
}

const gj_lexpr *gj_lower_dim(gj_lmodule *m, const gj_dims *dims, gj_dim d,
                             const gj_lexpr *const *symbols) {
  if (!gj_dim_is_valid(dims, d))
    gj__lfail(m, GJ_E_UNSUPPORTED, "the expression of a size is too complex");
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_CONST)
    return gj_lx_i64(m, node.value);
  if (node.kind == GJ_DIM_SYMBOL && !symbols[node.symbol]) {
    gj__lfail(m, GJ_E_INTERNAL, "symbol %s is missing", gj_dims_symbol_name(dims, node.symbol));
    return gj_lx_i64(m, 0);
  }
  if (node.kind == GJ_DIM_SYMBOL)
    return symbols[node.symbol];
  const gj_lexpr *first = gj_lower_dim(m, dims, node.operands[0], symbols);
  if (node.kind == GJ_DIM_FLOORDIV)
    return gj_lower_floordiv(m, first, gj_lower_dim(m, dims, node.operands[1], symbols), false);
  if (node.kind == GJ_DIM_MAXIMUM)
    return gj_lx_binary(m, GJ_OP_max, first, gj_lower_dim(m, dims, node.operands[1], symbols));
  gj_op op = node.kind == GJ_DIM_SUM ? GJ_OP_add : GJ_OP_mul;
  for (uint32_t i = 1; i < node.operand_count; i++)
    first = gj_lx_binary(m, op, first, gj_lower_dim(m, dims, node.operands[i], symbols));
  return gj_lx_binary(m, op, first, gj_lx_i64(m, node.value));
}
