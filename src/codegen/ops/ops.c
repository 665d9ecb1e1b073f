// Operators → LLVM instructions: one small function per GJ_EMIT name in ops/ops.def.
//
//   add f64 → fadd    add i32 → add (wrapping, never nsw)    sqrt → llvm.sqrt    exp →
//   @gjm_exp_f64.v8
//
// Each works on scalars and vectors alike, since LLVM's instructions do. Results are exactly those
// of the reference functions; nothing is undefined for any operand. Integer division, powers and
// shifts are in integer.c, conversions in convert.c, elementary functions in mathlib.c.
#include "codegen/context.h"

static unsigned lanes_of(const gj_lexpr *e) { return e->type.lanes; }
static gj_dtype operand_dtype(const gj_lexpr *e) { return e->args[0]->type.dtype; }
static bool is_float(const gj_lexpr *e) { return gj_dtype_is_float(operand_dtype(e)); }
static bool is_signed(gj_dtype dtype) { return gj_dtype_get(dtype)->kind == GJ_KIND_INT; }

static LLVMValueRef number(gj__cg *cg, const gj_lexpr *e, int64_t n) {
  return gj__cg_number(cg, operand_dtype(e), e->args[0]->type.lanes, n);
}

// Flags of the numerics mode, on operators of the graph only.
static LLVMValueRef fast(gj__cg *cg, LLVMValueRef v) {
  if (cg->fast && LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
    LLVMSetFastMathFlags(v, cg->fast);
  return v;
}

static LLVMValueRef arithmetic(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a, LLVMOpcode on_float,
                               LLVMOpcode on_int) {
  return fast(cg, LLVMBuildBinOp(cg->builder, is_float(e) ? on_float : on_int, a[0], a[1], ""));
}

static LLVMValueRef emit_math(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  LLVMValueRef turns = gj__math_turns(cg, e, a[0]);
  if (turns)
    return turns;
  LLVMValueRef f =
      e->index == GJ_LX_JS && cg->options->numerics != GJ_NUMERICS_FAST
          ? gj__js_math_function(cg, gj_op_name((gj_op)e->op), e->arg_count, lanes_of(e))
          : gj__math_function(cg, gj_op_name((gj_op)e->op), operand_dtype(e), e->arg_count,
                              lanes_of(e));
  if (!f)
    return LLVMGetPoison(gj__cg_type(cg, e->type));
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, a, e->arg_count, "");
}

// --- sign and rounding ---

static LLVMValueRef emit_neg(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (is_float(e))
    return fast(cg, LLVMBuildFNeg(cg->builder, a[0], ""));
  return LLVMBuildNeg(cg->builder, a[0], "");
}

static LLVMValueRef emit_abs(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (is_float(e))
    return gj__cg_intrinsic1(cg, "llvm.fabs", a[0], NULL, NULL);
  if (!is_signed(operand_dtype(e)))
    return a[0];
  return gj__cg_intrinsic1(cg, "llvm.abs", a[0], LLVMConstNull(cg->i1), NULL);
}

static LLVMValueRef emit_sign(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef zero = number(cg, e, 0), one = number(cg, e, 1), minus = number(cg, e, -1);
  if (is_float(e)) {
    LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, a[0], zero, "");
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, a[0], zero, "");
    LLVMValueRef rest = LLVMBuildSelect(b, below, minus, a[0], "");
    return LLVMBuildSelect(b, above, one, rest, "");
  }
  if (!is_signed(operand_dtype(e)))
    return LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntNE, a[0], zero, ""), LLVMTypeOf(a[0]), "");
  LLVMValueRef most = gj__cg_intrinsic1(cg, "llvm.smin", a[0], one, NULL);
  return gj__cg_intrinsic1(cg, "llvm.smax", most, minus, NULL);
}

static LLVMValueRef emit_round(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return gj__cg_round(cg, e, a[0]);
}

static LLVMValueRef emit_sqrt(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return fast(cg, gj__cg_intrinsic1(cg, "llvm.sqrt", a[0], NULL, NULL));
}

// --- arithmetic ---

static LLVMValueRef emit_add(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return arithmetic(cg, e, a, LLVMFAdd, LLVMAdd);
}

static LLVMValueRef emit_sub(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return arithmetic(cg, e, a, LLVMFSub, LLVMSub);
}

static LLVMValueRef emit_mul(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return arithmetic(cg, e, a, LLVMFMul, LLVMMul);
}

static LLVMValueRef emit_div(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (is_float(e))
    return fast(cg, LLVMBuildFDiv(cg->builder, a[0], a[1], ""));
  return gj__cg_int_divide(cg, e, a, false);
}

// Whether a float is divided by a constant that is a power of two, 1 to 2^30.
static bool is_by_power(const gj_lexpr *e) {
  if (e->args[1]->kind != GJ_LX_CONST)
    return false;
  double by = e->args[1]->value.v.f;
  return by >= 1 && by <= 0x1p30 && ((uint32_t)by & ((uint32_t)by - 1)) == 0 && by == (uint32_t)by;
}

// x - trunc(x / 2^k) · 2^k, in which nothing is rounded but quotients below 1, which trunc makes 0.
// Zeros have the sign of x; infinities give NaN.
static LLVMValueRef rem_by_power(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  LLVMBuilderRef b = cg->builder;
  gj_lexpr rounding = *e;
  rounding.op = GJ_OP_trunc;
  LLVMValueRef inverse = LLVMBuildFDiv(b, number(cg, e, 1), a[1], "");
  LLVMValueRef whole = gj__cg_round(cg, &rounding, LLVMBuildFMul(b, a[0], inverse, ""));
  LLVMValueRef rest = LLVMBuildFSub(b, a[0], LLVMBuildFMul(b, whole, a[1], ""), "");
  return gj__cg_intrinsic1(cg, "llvm.copysign", rest, a[0], NULL);
}

static LLVMValueRef emit_rem(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (is_float(e))
    return is_by_power(e) ? rem_by_power(cg, e, a) : emit_math(cg, e, a);
  return gj__cg_int_divide(cg, e, a, true);
}

static LLVMValueRef emit_pow(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (is_float(e))
    return emit_math(cg, e, a);
  return gj__cg_int_pow(cg, e, a);
}

static LLVMValueRef emit_fma(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  if (cg->target->fma)
    return gj__cg_intrinsic1(cg, "llvm.fma", a[0], a[1], a[2]);
  return emit_math(cg, e, a);
}

// --- choice and comparison ---

// Whether x and y are what wasm compares signed and for equality only: vectors of 64 bits.
static bool lacks_unsigned(const gj__cg *cg, LLVMIntPredicate predicate, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  bool is_unsigned = predicate == LLVMIntULT || predicate == LLVMIntULE ||
                     predicate == LLVMIntUGT || predicate == LLVMIntUGE;
  return cg->target->wasm && is_unsigned && LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
         LLVMGetElementType(type) == cg->i64;
}

// There, x is below y where x - y borrows at the top. (Signed comparisons with the top bits flipped
// are what LLVM's optimiser takes for unsigned ones again.)
LLVMValueRef gj__cg_icmp(gj__cg *cg, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = cg->builder;
  if (!lacks_unsigned(cg, predicate, x))
    return LLVMBuildICmp(b, predicate, x, y, "");
  bool swap = predicate == LLVMIntUGT || predicate == LLVMIntULE;
  bool negate = predicate == LLVMIntULE || predicate == LLVMIntUGE;
  LLVMValueRef lower = swap ? y : x, upper = swap ? x : y, clear = LLVMBuildNot(b, lower, "");
  LLVMValueRef difference = LLVMBuildSub(b, lower, upper, "");
  LLVMValueRef carried = LLVMBuildAnd(b, LLVMBuildOr(b, clear, upper, ""), difference, "");
  LLVMValueRef borrow = LLVMBuildOr(b, LLVMBuildAnd(b, clear, upper, ""), carried, "");
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
  return LLVMBuildICmp(b, negate ? LLVMIntSGE : LLVMIntSLT, borrow, zero, "");
}

static LLVMValueRef least_or_greatest(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a, bool least) {
  gj_dtype dtype = operand_dtype(e);
  if (dtype == GJ_DTYPE_bool)
    return LLVMBuildBinOp(cg->builder, least ? LLVMAnd : LLVMOr, a[0], a[1], "");
  if (dtype == GJ_DTYPE_u64 && lacks_unsigned(cg, LLVMIntULT, a[0]))
    return LLVMBuildSelect(cg->builder, gj__cg_icmp(cg, LLVMIntULT, a[0], a[1]), a[!least],
                           a[least], "");
  const char *name = gj_dtype_is_float(dtype) ? (least ? "llvm.minimum" : "llvm.maximum")
                     : is_signed(dtype)       ? (least ? "llvm.smin" : "llvm.smax")
                                              : (least ? "llvm.umin" : "llvm.umax");
  return gj__cg_intrinsic1(cg, name, a[0], a[1], NULL);
}

static LLVMValueRef emit_min(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return least_or_greatest(cg, e, a, true);
}

static LLVMValueRef emit_max(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return least_or_greatest(cg, e, a, false);
}

static LLVMValueRef emit_same(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)cg;
  (void)e;
  return a[0];
}

static LLVMValueRef emit_select(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildSelect(cg->builder, a[0], a[1], a[2], "");
}

// One emitter for the six comparisons: the predicates stand in the order eq ne lt le gt ge.
static LLVMValueRef emit_compare(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  static const LLVMRealPredicate on_float[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
                                               LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
  static const LLVMIntPredicate on_signed[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
                                               LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
  static const LLVMIntPredicate on_unsigned[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
                                                 LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
  _Static_assert(GJ_OP_ge == GJ_OP_eq + 5, "the comparisons stand in the order of the tables");
  unsigned which = (unsigned)e->op - GJ_OP_eq;
  if (is_float(e))
    return LLVMBuildFCmp(cg->builder, on_float[which], a[0], a[1], "");
  const LLVMIntPredicate *table = is_signed(operand_dtype(e)) ? on_signed : on_unsigned;
  return gj__cg_icmp(cg, table[which], a[0], a[1]);
}

// --- bits and tests ---

static LLVMValueRef emit_not(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildNot(cg->builder, a[0], "");
}

static LLVMValueRef emit_and(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildAnd(cg->builder, a[0], a[1], "");
}

static LLVMValueRef emit_or(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildOr(cg->builder, a[0], a[1], "");
}

static LLVMValueRef emit_xor(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildXor(cg->builder, a[0], a[1], "");
}

static LLVMValueRef emit_shl(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return gj__cg_shift(cg, e, a, true);
}

static LLVMValueRef emit_shr(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return gj__cg_shift(cg, e, a, false);
}

static LLVMValueRef emit_is_nan(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return LLVMBuildFCmp(cg->builder, LLVMRealUNO, a[0], a[0], "");
}

static LLVMValueRef emit_is_finite(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  LLVMValueRef size = gj__cg_intrinsic1(cg, "llvm.fabs", a[0], NULL, NULL);
  gj_scalar infinity = {operand_dtype(e), {.f = __builtin_inf()}};
  return LLVMBuildFCmp(cg->builder, LLVMRealOLT, size, gj__cg_const(cg, infinity, lanes_of(e)), "");
}

static LLVMValueRef emit_popcount(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return gj__cg_popcount(cg, e, a[0]);
}

static LLVMValueRef emit_clz(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  (void)e;
  return gj__cg_intrinsic1(cg, "llvm.ctlz", a[0], LLVMConstNull(cg->i1), NULL);
}

// --- types ---

static LLVMValueRef emit_convert(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return gj__cg_convert(cg, a[0], operand_dtype(e), e->type.dtype, lanes_of(e));
}

static LLVMValueRef emit_bitcast(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  return LLVMBuildBitCast(cg->builder, a[0], gj__cg_type(cg, e->type), "");
}

LLVMValueRef gj__cg_op(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *a) {
  switch ((gj_op)e->op) {
  case GJ_OP_none:
  case GJ_OP_COUNT:
#define GJ_OP(name, ...)                                                                           \
  break;                                                                                           \
  case GJ_OP_##name:
#define GJ_EMIT(rule) return emit_##rule(cg, e, a);
#include "ops/ops.def"
    break;
  }
  gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: op %d is not elementwise", e->op);
  return LLVMGetPoison(gj__cg_type(cg, e->type));
}
