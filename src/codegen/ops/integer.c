// Operators on integers that one LLVM instruction does not give: powers, shifts, counted bits.
//
// LLVM leaves wide shifts undefined. Here every operand has the documented result. Guards are
// dropped where a constant operand shows that they cannot matter. Division is in divide.c.
#include "codegen/context.h"

#include <stdio.h>

static bool is_signed(gj_dtype dtype) { return gj_dtype_get(dtype)->kind == GJ_KIND_INT; }

bool gj__cg_constant_int(const gj_lexpr *e, int64_t *out) {
  while (e->kind == GJ_LX_SPLAT)
    e = e->args[0];
  if (e->kind != GJ_LX_CONST)
    return false;
  *out = e->value.v.i;
  return true;
}

// --- powers ---

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
  if (gj__cg_constant_int(e->args[1], &known))
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

// --- shifts ---

LLVMValueRef gj__cg_shift(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool left) {
  LLVMBuilderRef b = cg->builder;
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes, bits = gj_dtype_get(dtype)->bits;
  LLVMValueRef x = args[0], by = args[1];
  LLVMOpcode opcode = left ? LLVMShl : is_signed(dtype) ? LLVMAShr : LLVMLShr;
  int64_t known = 0;
  if (gj__cg_constant_int(e->args[1], &known) && known >= 0 && known < (int64_t)bits)
    return LLVMBuildBinOp(b, opcode, x, by, "");
  if (opcode == LLVMAShr) { // shifting by width - 1 leaves nothing but the sign
    by = gj__cg_intrinsic1(cg, "llvm.umin", by, gj__cg_number(cg, dtype, lanes, bits - 1), NULL);
    return LLVMBuildAShr(b, x, by, "");
  }
  LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, by, gj__cg_number(cg, dtype, lanes, bits), "");
  return LLVMBuildSelect(b, inside, LLVMBuildBinOp(b, opcode, x, by, ""),
                         gj__cg_number(cg, dtype, lanes, 0), "");
}

// --- counted bits ---

// wasm counts the bits of bytes only; neighbours are added up to the width of the element.
LLVMValueRef gj__cg_popcount(gj__cg *cg, const gj_lexpr *e, LLVMValueRef x) {
  LLVMBuilderRef b = cg->builder;
  unsigned bits = gj_dtype_get(e->type.dtype)->bits, lanes = e->type.lanes;
  if (!cg->target->wasm || lanes == 1 || bits == 8)
    return gj__cg_intrinsic1(cg, "llvm.ctpop", x, NULL, NULL);
  LLVMTypeRef type = LLVMTypeOf(x), bytes = LLVMVectorType(cg->i8, lanes * bits / 8);
  LLVMValueRef counts =
      gj__cg_intrinsic1(cg, "llvm.ctpop", LLVMBuildBitCast(b, x, bytes, ""), NULL, NULL);
  x = LLVMBuildBitCast(b, counts, type, "");
  for (unsigned half = 8; half < bits; half *= 2) {
    LLVMValueRef by = gj__cg_number(cg, e->type.dtype, lanes, half);
    x = LLVMBuildAdd(b, x, LLVMBuildLShr(b, x, by, ""), "");
  }
  return LLVMBuildAnd(b, x, gj__cg_number(cg, e->type.dtype, lanes, 0xff), "");
}
