// JavaScript's elementary functions in generated code, from src/math/js.
//
// They are scalar functions with branches. In code for this process they are calls into the core
// (jit/host_math.h), elsewhere copies of the bitcode; a vector calls one for each lane:
//   define internal <4 x double> @gjs_sin_f64.v4(<4 x double> %x) {
//     %x0 = extractelement %x, 0 … %y0 = call @gjs_sin_f64(%x0) … insertelement …
// Loops that LLVM widens itself keep such calls scalar. There is one set of bits, so 'strict' and
// 'default' are the same here; 'fast' does not come here at all.
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

// The row of an op, or gj_math_js_blob_count.
static size_t row_of(const char *op) {
  size_t row = 0;
  while (row < gj_math_js_blob_count && strcmp(gj_math_js_blobs[row].op, op) != 0)
    row++;
  return row;
}

bool gj__is_js_math(const gj__cg *cg, const char *op, gj_dtype dtype) {
  return cg->options->math == GJ_MATH_JS && cg->options->numerics != GJ_NUMERICS_FAST &&
         dtype == GJ_DTYPE_f64 && row_of(op) < gj_math_js_blob_count;
}

static LLVMValueRef declare(gj__cg *cg, const char *name, unsigned arity) {
  LLVMTypeRef params[2] = {cg->f64, cg->f64};
  LLVMValueRef f =
      LLVMAddFunction(cg->module, name, LLVMFunctionType(cg->f64, params, arity, false));
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "nounwind", 0);
  gj__cg_mark_pure(cg, f);
  return f;
}

static LLVMValueRef define(gj__cg *cg, const char *op, const char *name) {
  size_t row = row_of(op), slot = 2 * gj_math_blob_count + row;
  LLVMModuleRef source = gj__math_module(cg, slot, op, gj_math_js_blobs[row].code);
  LLVMValueRef original = source ? LLVMGetNamedFunction(source, name) : NULL;
  if (source && !original)
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the math library has no %s", name);
  LLVMValueRef f = original ? gj__clone_function(cg, original, 1, name) : NULL;
  if (!f)
    return NULL;
  gj__cg_mark_pure(cg, f);
  gj__cg_mark_optimised(cg, f);
  return f;
}

static LLVMValueRef scalar_function(gj__cg *cg, const char *op, unsigned arity) {
  char name[64];
  snprintf(name, sizeof name, "gjs_%s_f64", op);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  return cg->options->host_math ? declare(cg, name, arity) : define(cg, op, name);
}

static void build_lanes(gj__cg *cg, LLVMValueRef f, LLVMValueRef scalar, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef y = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(f))), args[2];
  unsigned arity = LLVMCountParams(f);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cg->context, f, "entry"));
  for (unsigned i = 0; i < lanes; i++) {
    LLVMValueRef lane = LLVMConstInt(cg->i32, i, false);
    for (unsigned k = 0; k < arity; k++)
      args[k] = LLVMBuildExtractElement(b, LLVMGetParam(f, k), lane, "");
    LLVMTypeRef type = LLVMGlobalGetValueType(scalar);
    y = LLVMBuildInsertElement(b, y, LLVMBuildCall2(b, type, scalar, args, arity, ""), lane, "");
  }
  LLVMBuildRet(b, y);
}

static LLVMValueRef vector_function(gj__cg *cg, const char *op, unsigned arity, unsigned lanes) {
  char name[64];
  snprintf(name, sizeof name, "gjs_%s_f64.v%u", op, lanes);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  LLVMValueRef scalar = f ? NULL : scalar_function(cg, op, arity);
  if (!scalar)
    return f;
  LLVMTypeRef vector = LLVMVectorType(cg->f64, lanes), params[2] = {vector, vector};
  f = gj__cg_function(cg, name, LLVMFunctionType(vector, params, arity, false));
  build_lanes(cg, f, scalar, lanes);
  gj__cg_mark_pure(cg, f);
  return f;
}

LLVMValueRef gj__js_math_function(gj__cg *cg, const char *op, unsigned arity, unsigned lanes) {
  if (cg->status != GJ_OK)
    return NULL;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->builder);
  LLVMValueRef f =
      lanes > 1 ? vector_function(cg, op, arity, lanes) : scalar_function(cg, op, arity);
  LLVMPositionBuilderAtEnd(cg->builder, here);
  return f;
}
