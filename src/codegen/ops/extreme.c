// The least or greatest of several floats at once, for machines without an instruction that keeps
// to IEEE 754-2019.
//
//   max(a, max(max(b, c), max(d, e)))   →   four maxps, and one correction for all of them
//
// The maxps of x86 gives its second operand when one is NaN and when both are zeros. LLVM corrects
// that at each maximum, which makes it six instructions. Here the quick maxima are taken first;
// what may be wrong with the last one is put right in two steps. Where it is a zero, no operand is
// above zero, and it is +0 exactly if some operand has no sign, so the sign to have is the `and` of
// all signs, which no other result can contradict. (Of minima, the `or`.) Where an operand is NaN,
// so is the result; of the first operand, mostly a running value, nothing need be asked, since it
// comes last into the maxima and stays if it is NaN.
//
// Of two operands, one a constant as in relu and clip, it is a comparison and a choice by itself:
//
//   max(a, 2)   →   a < 2 ? 2 : a
//
// A NaN stays, and zeros are never beside each other, but for a constant that is one.
//
// Left out: two operands that vary, where LLVM's code is no longer, and constants on x86, where
// LLVM sees that by itself. But 32-bit ARM has neither a quick nor a slow one for f64, and LLVM 22
// fails on it; there all are done as above.
#include "codegen/context.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 }; // operands taken together

typedef struct leaves {
  const gj_lexpr *of[MOST];
  uint32_t count;
} leaves;

// The operands of nested maxima from left to right. `room` is how many may be added.
static void collect(const gj_lexpr *e, gj_op op, uint32_t room, leaves *out) {
  if (room < 2 || e->kind != GJ_LX_OP || e->op != op) {
    out->of[out->count++] = e;
    return;
  }
  uint32_t before = out->count;
  collect(e->args[0], op, room - 1, out);
  collect(e->args[1], op, room - (out->count - before), out);
}

// Where the comparison fails, as with NaN, it is b.
static LLVMValueRef better(gj__cg *cg, bool least, LLVMValueRef a, LLVMValueRef b) {
  LLVMRealPredicate predicate = least ? LLVMRealOLT : LLVMRealOGT;
  LLVMValueRef yes = LLVMBuildFCmp(cg->builder, predicate, a, b, "");
  return LLVMBuildSelect(cg->builder, yes, a, b, "");
}

// Joins values `from` … `to` in pairs, by `join`.
typedef LLVMValueRef joiner(gj__cg *cg, bool least, LLVMValueRef a, LLVMValueRef b);

static LLVMValueRef join(gj__cg *cg, bool least, LLVMValueRef *v, uint32_t count, joiner *pair) {
  if (count == 1)
    return v[0];
  uint32_t half = count - count / 2;
  LLVMValueRef left = join(cg, least, v, half, pair);
  return pair(cg, least, left, join(cg, least, v + half, count - half, pair));
}

static LLVMValueRef join_signs(gj__cg *cg, bool least, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildBinOp(cg->builder, least ? LLVMOr : LLVMAnd, a, b, "");
}

// Whether a or b is NaN.
static LLVMValueRef unordered(gj__cg *cg, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildFCmp(cg->builder, LLVMRealUNO, a, b, "");
}

static LLVMValueRef any_nan(gj__cg *cg, LLVMValueRef *v, uint32_t count) {
  LLVMValueRef any = NULL;
  for (uint32_t i = 0; i < count; i += 2) {
    LLVMValueRef one = unordered(cg, v[i], v[i + 1 < count ? i + 1 : i]);
    any = any ? LLVMBuildOr(cg->builder, any, one, "") : one;
  }
  return any;
}

// `value` with its sign where that of the operands, joined, asks for it.
static LLVMValueRef with_sign(gj__cg *cg, const gj_lexpr *e, bool least, LLVMValueRef value,
                              LLVMValueRef *v, uint32_t count) {
  LLVMBuilderRef b = cg->builder;
  gj_dtype bits = gj_dtype_bytes((gj_dtype)e->type.dtype) == 8 ? GJ_DTYPE_u64 : GJ_DTYPE_u32;
  LLVMTypeRef type = gj__cg_register_type(cg, bits, e->type.lanes);
  LLVMValueRef pattern[MOST];
  for (uint32_t i = 0; i < count; i++)
    pattern[i] = LLVMBuildBitCast(b, v[i], type, "");
  LLVMValueRef sign = join(cg, least, pattern, count, join_signs);
  uint64_t top = bits == GJ_DTYPE_u64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
  gj_scalar mask = {.dtype = bits, .v.u = least ? top : top - 1};
  LLVMValueRef rest = gj__cg_const(cg, mask, e->type.lanes);
  value = LLVMBuildBitCast(b, value, type, "");
  if (least)
    value = LLVMBuildOr(b, value, LLVMBuildAnd(b, sign, rest, ""), "");
  else
    value = LLVMBuildAnd(b, value, LLVMBuildOr(b, sign, rest, ""), "");
  return LLVMBuildBitCast(b, value, gj__cg_type(cg, e->type), "");
}

static bool is_arm(gj__cg *cg) { return strncmp(cg->target->triple, "arm", 3) == 0; }
static bool is_wasm(gj__cg *cg) { return strncmp(cg->target->triple, "wasm32", 6) == 0; }

// The constant that all lanes of an expression are, or NULL.
static const gj_lexpr *constant_in(const gj_lexpr *e) {
  const gj_lexpr *scalar = e->kind == GJ_LX_SPLAT ? e->args[0] : e;
  return scalar->kind == GJ_LX_CONST ? scalar : NULL;
}

// NULL unless one of the two operands is a constant.
static LLVMValueRef with_constant(gj__cg *cg, const gj_lexpr *e, bool least) {
  bool is_second = constant_in(e->args[1]) != NULL;
  const gj_lexpr *constant = constant_in(e->args[is_second ? 1 : 0]);
  if (!constant || isnan(constant->value.v.f))
    return NULL;
  LLVMValueRef value = gj__cg_expr(cg, e->args[is_second ? 0 : 1]);
  LLVMValueRef limit = gj__cg_expr(cg, e->args[is_second ? 1 : 0]);
  // Beside a zero that wins over the other one, values that are equal to it give way too.
  double c = constant->value.v.f;
  bool wins = c == 0 && (signbit(c) != 0) == least;
  LLVMRealPredicate over = wins ? LLVMRealOGE : LLVMRealOGT,
                    under = wins ? LLVMRealOLE : LLVMRealOLT;
  LLVMValueRef yes = LLVMBuildFCmp(cg->builder, least ? over : under, value, limit, "");
  return LLVMBuildSelect(cg->builder, yes, limit, value, "");
}

// Whether a comparison and a choice are one instruction. In wasm they are for vectors, pmin and
// pmax, which engines on x86 make maxps of; there too, the exact instructions take them seven.
static bool is_quick(gj__cg *cg, gj_ltype type) {
  return strncmp(cg->target->triple, "x86_64", 6) == 0 || is_arm(cg) ||
         (type.lanes > 1 && is_wasm(cg));
}

LLVMValueRef gj__cg_extreme(gj__cg *cg, const gj_lexpr *e) {
  bool least = e->op == GJ_OP_min;
  if (e->kind != GJ_LX_OP || (!least && e->op != GJ_OP_max) ||
      !gj_dtype_is_float((gj_dtype)e->type.dtype) || !is_quick(cg, e->type))
    return NULL;
  leaves of = {.count = 0};
  LLVMValueRef v[MOST];
  collect(e, (gj_op)e->op, MOST, &of);
  if (of.count < 3 && !is_arm(cg))
    return is_wasm(cg) ? with_constant(cg, e, least) : NULL;
  for (uint32_t i = 0; i < of.count; i++)
    v[i] = gj__cg_expr(cg, of.of[i]);
  LLVMValueRef rest = join(cg, least, v + 1, of.count - 1, better);
  LLVMValueRef value = with_sign(cg, e, least, better(cg, least, rest, v[0]), v, of.count);
  gj_scalar nan = {.dtype = (gj_dtype)e->type.dtype, .v.f = NAN};
  return LLVMBuildSelect(cg->builder, any_nan(cg, v + 1, of.count - 1),
                         gj__cg_const(cg, nan, e->type.lanes), value, "");
}
