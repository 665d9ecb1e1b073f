// Integers that leave their type: ECMAScript's modular conversion of floats, and the test whether a
// sum, difference or product overflows.
//
//   wrap<i32>(x)   |x| < 2^63 ? the low bits of x truncated to 64 bits : the mantissa shifted
//
// Below 2^63, which is nearly always, one conversion does it. Above, x is a whole number m · 2^s of
// a mantissa of 53 bits and s >= 11, so its low 64 bits are m << s, with the sign; NaN and
// infinities have the largest s there is and give 0. For scalars that is a function out of line, as
// nearly nobody comes there; vectors select.
#include "codegen/context.h"

#include <stdio.h>
#include <string.h>

// --- wrap ---

static LLVMValueRef number(gj__cg *cg, unsigned lanes, uint64_t bits) {
  return gj__const_splat(LLVMConstInt(cg->i64, bits, false), lanes);
}

// The low 64 bits of an x that is not below 2^63, and 0 for one that is not finite.
static LLVMValueRef shifted(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  enum { MANTISSA = 52, BIAS = 1075 };
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef type = gj__with_lanes(cg->i64, lanes);
  LLVMValueRef bits = LLVMBuildBitCast(b, x, type, "");
  LLVMValueRef exponent = LLVMBuildLShr(b, bits, number(cg, lanes, MANTISSA), "");
  exponent = LLVMBuildAnd(b, exponent, number(cg, lanes, 0x7FF), "");
  LLVMValueRef shift = LLVMBuildSub(b, exponent, number(cg, lanes, BIAS), "");
  LLVMValueRef one = number(cg, lanes, UINT64_C(1) << MANTISSA);
  LLVMValueRef low = number(cg, lanes, (UINT64_C(1) << MANTISSA) - 1);
  LLVMValueRef mantissa = LLVMBuildOr(b, LLVMBuildAnd(b, bits, low, ""), one, "");
  LLVMValueRef some = LLVMBuildICmp(b, LLVMIntULT, shift, number(cg, lanes, 64), "");
  LLVMValueRef by = LLVMBuildAnd(b, shift, number(cg, lanes, 63), "");
  LLVMValueRef whole = LLVMBuildShl(b, mantissa, by, "");
  whole = LLVMBuildSelect(b, some, whole, number(cg, lanes, 0), "");
  LLVMValueRef sign = LLVMBuildAShr(b, bits, number(cg, lanes, 63), "");
  return LLVMBuildSub(b, LLVMBuildXor(b, whole, sign, ""), sign, "");
}

static LLVMValueRef is_small(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMValueRef end = gj__const_splat(LLVMConstReal(cg->f64, 0x1p63), lanes);
  LLVMValueRef size = gj__cg_intrinsic1(cg, "llvm.fabs", x, NULL, NULL);
  return LLVMBuildFCmp(cg->builder, LLVMRealOLT, size, end, "");
}

static LLVMValueRef wrap_vector(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef small = is_small(cg, x, lanes);
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x));
  LLVMValueRef inside = LLVMBuildSelect(b, small, x, zero, "");
  LLVMValueRef truncated = gj__cg_lacks_wide_casts(cg, lanes)
                               ? gj__cg_wide_truncate(cg, inside, GJ_DTYPE_f64, GJ_DTYPE_i64, lanes)
                               : gj__cg_truncate(cg, inside, GJ_DTYPE_f64, GJ_DTYPE_i64, lanes);
  return LLVMBuildSelect(b, small, truncated, shifted(cg, x, lanes), "");
}

static void mark_unlikely(gj__cg *cg, LLVMValueRef branch) {
  unsigned kind = LLVMGetMDKindIDInContext(cg->context, "prof", 4);
  LLVMMetadataRef operands[3] = {
      LLVMMDStringInContext2(cg->context, "branch_weights", 14),
      LLVMValueAsMetadata(LLVMConstInt(cg->i32, 1 << 20, false)),
      LLVMValueAsMetadata(LLVMConstInt(cg->i32, 1, false)),
  };
  LLVMMetadataRef node = LLVMMDNodeInContext2(cg->context, operands, 3);
  LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(cg->context, node));
}

// shifted() as a function that hardly disturbs its callers: on x86 and arm64 it saves the registers
// that it uses.
static LLVMValueRef shifted_function(gj__cg *cg) {
  static const char name[] = "gj_wrap_large";
  enum { PRESERVE_MOST = 14 };
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(cg->builder);
  f = gj__cg_function(cg, name, LLVMFunctionType(cg->i64, &cg->f64, 1, false));
  LLVMPositionBuilderAtEnd(cg->builder, LLVMAppendBasicBlockInContext(cg->context, f, "entry"));
  LLVMBuildRet(cg->builder, shifted(cg, LLVMGetParam(f, 0), 1));
  LLVMPositionBuilderAtEnd(cg->builder, before);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "memory", 0);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "willreturn", 0);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "cold", 0);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "noinline", 0);
  if (strncmp(cg->target->triple, "x86_64", 6) == 0 ||
      strncmp(cg->target->triple, "aarch64", 7) == 0)
    LLVMSetFunctionCallConv(f, PRESERVE_MOST);
  return f;
}

static LLVMValueRef wrap_scalar(gj__cg *cg, LLVMValueRef x) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef small = is_small(cg, x, 1), values[2];
  LLVMBasicBlockRef blocks[2] = {gj__cg_block(cg, "wrap", ""), gj__cg_block(cg, "wrap", ".large")};
  LLVMBasicBlockRef end = gj__cg_block(cg, "wrap", ".end");
  mark_unlikely(cg, LLVMBuildCondBr(b, small, blocks[0], blocks[1]));
  LLVMPositionBuilderAtEnd(b, blocks[0]);
  values[0] = LLVMBuildFPToSI(b, x, cg->i64, "");
  LLVMBuildBr(b, end);
  LLVMPositionBuilderAtEnd(b, blocks[1]);
  LLVMValueRef large = shifted_function(cg);
  values[1] = LLVMBuildCall2(b, LLVMGlobalGetValueType(large), large, &x, 1, "");
  LLVMSetInstructionCallConv(values[1], LLVMGetFunctionCallConv(large));
  LLVMBuildBr(b, end);
  LLVMPositionBuilderAtEnd(b, end);
  LLVMValueRef phi = LLVMBuildPhi(b, cg->i64, "");
  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

LLVMValueRef gj__cg_wrap(gj__cg *cg, const gj_lexpr *e) {
  unsigned lanes = e->type.lanes;
  gj_dtype to = (gj_dtype)e->type.dtype;
  LLVMValueRef x = gj__cg_expr(cg, e->args[0]);
  LLVMValueRef whole = lanes > 1 ? wrap_vector(cg, x, lanes) : wrap_scalar(cg, x);
  LLVMTypeRef type = gj__cg_register_type(cg, to, lanes);
  return gj_dtype_bytes(to) == 8 ? whole : LLVMBuildTrunc(cg->builder, whole, type, "");
}

// --- overflow ---

LLVMValueRef gj__cg_overflows(gj__cg *cg, const gj_lexpr *e) {
  char name[40];
  gj_dtype dtype = (gj_dtype)e->args[0]->type.dtype;
  LLVMValueRef args[2] = {gj__cg_expr(cg, e->args[0]), gj__cg_expr(cg, e->args[1])};
  snprintf(name, sizeof name, "llvm.%c%s.with.overflow",
           gj_dtype_get(dtype)->kind == GJ_KIND_INT ? 's' : 'u', gj_op_name((gj_op)e->op));
  LLVMValueRef pair = gj__cg_intrinsic1(cg, name, args[0], args[1], NULL);
  LLVMValueRef over = LLVMBuildExtractValue(cg->builder, pair, 1, "");
  return e->type.lanes == 1 ? gj__cg_unlikely(cg, over) : over;
}
