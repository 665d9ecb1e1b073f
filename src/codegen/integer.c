// Operators on integers that one LLVM instruction does not give: division, powers, shifts.
//
// LLVM leaves division by zero, the least integer divided by -1 and wide shifts undefined; x86
// traps on the divisions. Here every operand has the documented result. Guards are dropped where a
// constant operand shows that they cannot matter. No vector unit divides integers, so vectors of up
// to 32 bits divide in floating point, which is exact: with |a|, |b| < 2^n the quotient is at least
// 1/b away from the next integer, and its rounding error is below 2^n / b · 2^-p ≤ 1/b for the p =
// 24 (n = 16) or 53 (n = 32) bits of the significand. 64-bit vectors divide lane by lane.
#include "codegen/emit.h"

#include <stdio.h>

static bool is_signed(gj_dtype dtype) { return gj_dtype_get(dtype)->kind == GJ_KIND_INT; }

// The integer that every lane of the expression is, if it is constant.
static bool constant_of(const gj_lexpr *e, int64_t *out) {
  while (e->kind == GJ_LX_SPLAT)
    e = e->args[0];
  if (e->kind != GJ_LX_CONST)
    return false;
  *out = e->value.v.i;
  return true;
}

// --- division -----------------------------------------------------------------------------------

static LLVMValueRef quotient_in_floats(gj__cg *cg, gj_dtype dtype, unsigned lanes, LLVMValueRef a,
                                       LLVMValueRef b) {
  LLVMBuilderRef builder = cg->builder;
  LLVMTypeRef wide = gj__with_lanes(gj_dtype_get(dtype)->bits <= 16 ? cg->f32 : cg->f64, lanes);
  LLVMOpcode to_float = is_signed(dtype) ? LLVMSIToFP : LLVMUIToFP;
  LLVMOpcode to_int = is_signed(dtype) ? LLVMFPToSI : LLVMFPToUI;
  if (gj_dtype_get(dtype)->bits < 32) { // through i32, whose conversions are instructions
    LLVMTypeRef step = LLVMVectorType(cg->i32, lanes);
    LLVMOpcode extend = is_signed(dtype) ? LLVMSExt : LLVMZExt;
    LLVMValueRef x =
        LLVMBuildSIToFP(builder, LLVMBuildCast(builder, extend, a, step, ""), wide, "");
    LLVMValueRef y =
        LLVMBuildSIToFP(builder, LLVMBuildCast(builder, extend, b, step, ""), wide, "");
    LLVMValueRef q = LLVMBuildFPToSI(builder, LLVMBuildFDiv(builder, x, y, ""), step, "");
    return LLVMBuildTrunc(builder, q, LLVMTypeOf(a), "");
  }
  LLVMValueRef x = LLVMBuildCast(builder, to_float, a, wide, "");
  LLVMValueRef y = LLVMBuildCast(builder, to_float, b, wide, "");
  return LLVMBuildCast(builder, to_int, LLVMBuildFDiv(builder, x, y, ""), LLVMTypeOf(a), "");
}

// a / b or a rem b for b ≠ 0 and b ≠ -1.
static LLVMValueRef divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef a, LLVMValueRef b,
                           bool constant, bool remainder) {
  gj_dtype dtype = e->type.dtype;
  LLVMBuilderRef builder = cg->builder;
  if (e->type.lanes > 1 && gj_dtype_get(dtype)->bits <= 32 && !constant) {
    LLVMValueRef q = quotient_in_floats(cg, dtype, e->type.lanes, a, b);
    return remainder ? LLVMBuildSub(builder, a, LLVMBuildMul(builder, q, b, ""), "") : q;
  }
  LLVMOpcode opcode =
      is_signed(dtype) ? (remainder ? LLVMSRem : LLVMSDiv) : (remainder ? LLVMURem : LLVMUDiv);
  return LLVMBuildBinOp(builder, opcode, a, b, "");
}

LLVMValueRef gj__cg_int_divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool remainder) {
  LLVMBuilderRef builder = cg->builder;
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes;
  LLVMValueRef a = args[0], b = args[1];
  int64_t known = 0;
  if (constant_of(e->args[1], &known) && known != 0 && (known != -1 || !is_signed(dtype)))
    return divide(cg, e, a, b, true, remainder);

  LLVMValueRef zero = gj__cg_number(cg, dtype, lanes, 0), one = gj__cg_number(cg, dtype, lanes, 1);
  LLVMValueRef minus_one = gj__cg_number(cg, dtype, lanes, -1);
  LLVMValueRef by_zero = LLVMBuildICmp(builder, LLVMIntEQ, b, zero, "");
  LLVMValueRef by_minus = NULL, guarded = by_zero;
  if (is_signed(dtype)) {
    by_minus = LLVMBuildICmp(builder, LLVMIntEQ, b, minus_one, "");
    guarded = LLVMBuildOr(builder, by_zero, by_minus, "");
  }
  LLVMValueRef safe = LLVMBuildSelect(builder, guarded, one, b, "");
  LLVMValueRef result = divide(cg, e, a, safe, false, remainder);
  if (remainder) // x rem 1 = 0 is also x rem -1
    return LLVMBuildSelect(builder, by_zero, a, result, "");
  if (by_minus)
    result = LLVMBuildSelect(builder, by_minus, LLVMBuildNeg(builder, a, ""), result, "");
  return LLVMBuildSelect(builder, by_zero, minus_one, result, "");
}

// --- powers -------------------------------------------------------------------------------------

// What x to a negative power is: 1 for 1, ±1 for -1, else 0. `odd` says which exponents are odd.
static LLVMValueRef negative_power(gj__cg *cg, gj_dtype dtype, unsigned lanes, LLVMValueRef x,
                                   LLVMValueRef odd) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef zero = gj__cg_number(cg, dtype, lanes, 0), one = gj__cg_number(cg, dtype, lanes, 1);
  LLVMValueRef minus = gj__cg_number(cg, dtype, lanes, -1);
  LLVMValueRef of_minus = LLVMBuildSelect(b, odd, minus, one, "");
  LLVMValueRef rest =
      LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, x, minus, ""), of_minus, zero, "");
  return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, x, one, ""), one, rest, "");
}

static LLVMValueRef constant_power(gj__cg *cg, const gj_lexpr *e, LLVMValueRef x, int64_t power) {
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes;
  if (power < 0 && is_signed(dtype)) {
    LLVMValueRef odd = gj__const_splat(LLVMConstInt(cg->i1, (uint64_t)power & 1, false), lanes);
    return negative_power(cg, dtype, lanes, x, odd);
  }
  LLVMValueRef result = NULL;
  for (uint64_t rest = (uint64_t)power; rest; rest >>= 1) {
    if (rest & 1)
      result = result ? LLVMBuildMul(cg->builder, result, x, "") : x;
    if (rest > 1)
      x = LLVMBuildMul(cg->builder, x, x, "");
  }
  return result ? result : gj__cg_number(cg, dtype, lanes, 1);
}

// Squares until no lane has exponent bits left; at most 64 rounds.
static void build_power(gj__cg *cg, LLVMValueRef f, gj_dtype dtype, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef x = LLVMGetParam(f, 0), y = LLVMGetParam(f, 1);
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef zero = gj__cg_number(cg, dtype, lanes, 0), one = gj__cg_number(cg, dtype, lanes, 1);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cg->context, f, "entry");
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(cg->context, f, "square");
  LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(cg->context, f, "end");
  LLVMPositionBuilderAtEnd(b, entry);
  LLVMValueRef start = y, negative = NULL;
  if (is_signed(dtype)) {
    negative = LLVMBuildICmp(b, LLVMIntSLT, y, zero, "negative");
    start = LLVMBuildSelect(b, negative, zero, y, "");
  }
  LLVMBuildBr(b, loop);
  LLVMPositionBuilderAtEnd(b, loop);
  LLVMValueRef result = LLVMBuildPhi(b, type, "result"), base = LLVMBuildPhi(b, type, "base");
  LLVMValueRef rest = LLVMBuildPhi(b, type, "rest");
  LLVMValueRef bit = LLVMBuildAnd(b, rest, one, ""),
               odd = LLVMBuildICmp(b, LLVMIntNE, bit, zero, "");
  LLVMValueRef next = LLVMBuildSelect(b, odd, LLVMBuildMul(b, result, base, ""), result, "");
  LLVMValueRef squared = LLVMBuildMul(b, base, base, ""), shifted = LLVMBuildLShr(b, rest, one, "");
  LLVMValueRef more = gj__cg_any(cg, LLVMBuildICmp(b, LLVMIntNE, shifted, zero, ""));
  LLVMBuildCondBr(b, more, loop, end);
  LLVMAddIncoming(result, (LLVMValueRef[]){one, next}, (LLVMBasicBlockRef[]){entry, loop}, 2);
  LLVMAddIncoming(base, (LLVMValueRef[]){x, squared}, (LLVMBasicBlockRef[]){entry, loop}, 2);
  LLVMAddIncoming(rest, (LLVMValueRef[]){start, shifted}, (LLVMBasicBlockRef[]){entry, loop}, 2);
  LLVMPositionBuilderAtEnd(b, end);
  if (negative) {
    LLVMValueRef last = LLVMBuildAnd(b, y, one, "");
    odd = LLVMBuildICmp(b, LLVMIntNE, last, zero, "");
    next = LLVMBuildSelect(b, negative, negative_power(cg, dtype, lanes, x, odd), next, "");
  }
  LLVMBuildRet(b, next);
}

LLVMValueRef gj__cg_int_pow(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args) {
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes;
  int64_t known = 0;
  if (constant_of(e->args[1], &known))
    return constant_power(cg, e, args[0], known);
  char name[48];
  snprintf(name, sizeof name, "gjm_pow_%s.v%u", gj_dtype_name(dtype), lanes);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (!f) {
    LLVMTypeRef type = LLVMTypeOf(args[0]), params[2] = {type, type};
    LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->builder);
    f = gj__cg_function(cg, name, LLVMFunctionType(type, params, 2, false));
    build_power(cg, f, dtype, lanes);
    LLVMPositionBuilderAtEnd(cg->builder, here);
  }
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, args, 2, "");
}

// --- shifts -------------------------------------------------------------------------------------

LLVMValueRef gj__cg_shift(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool left) {
  LLVMBuilderRef b = cg->builder;
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes, bits = gj_dtype_get(dtype)->bits;
  LLVMValueRef x = args[0], by = args[1];
  LLVMOpcode opcode = left ? LLVMShl : is_signed(dtype) ? LLVMAShr : LLVMLShr;
  int64_t known = 0;
  if (constant_of(e->args[1], &known) && known >= 0 && known < (int64_t)bits)
    return LLVMBuildBinOp(b, opcode, x, by, "");
  if (opcode == LLVMAShr) { // shifting by width - 1 leaves nothing but the sign
    by = gj__cg_intrinsic1(cg, "llvm.umin", by, gj__cg_number(cg, dtype, lanes, bits - 1), NULL);
    return LLVMBuildAShr(b, x, by, "");
  }
  LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, by, gj__cg_number(cg, dtype, lanes, bits), "");
  return LLVMBuildSelect(b, inside, LLVMBuildBinOp(b, opcode, x, by, ""),
                         gj__cg_number(cg, dtype, lanes, 0), "");
}
