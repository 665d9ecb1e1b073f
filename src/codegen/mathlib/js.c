// JavaScript's elementary functions in generated code, from src/math/js.
//
// They are scalar functions with branches. In code for this process they are calls into the core
// (jit/code/host_math.h), elsewhere copies of the bitcode. Some have a straight-line twin that is
// widened for vectors, and asks the scalar function for rare arguments; a vector of others calls
// the scalar function for each lane:
//   define internal <4 x double> @gjs_tan_f64.v4(<4 x double> %x) {
//     %x0 = extractelement %x, 0 … %y0 = call @gjs_tan_f64(%x0) … insertelement …
// All ways give the same bits, so 'strict' and 'default' are the same here; 'fast' does not come
// here.
#include "codegen/context.h"

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

static LLVMModuleRef module_of(gj__cg *cg, const char *op) {
  size_t row = row_of(op);
  return gj__math_module(cg, 2 * gj_math_blob_count + row, op, gj_math_js_blobs[row].code);
}

// "gjs_<op>_f64<part>", with ".v<lanes>" for vectors.
static void function_name(char *name, size_t capacity, const char *op, const char *part,
                          unsigned lanes) {
  int n = snprintf(name, capacity, "gjs_%s_f64%s", op, part);
  if (lanes > 1 && n > 0 && (size_t)n < capacity)
    snprintf(name + n, capacity - (size_t)n, ".v%u", lanes);
}

static LLVMValueRef source_function(gj__cg *cg, const char *op, const char *part) {
  char name[64];
  LLVMModuleRef source = module_of(cg, op);
  function_name(name, sizeof name, op, part, 1);
  return source ? LLVMGetNamedFunction(source, name) : NULL;
}

// Whether vectors have code of their own; two lanes of wasm gain nothing from it.
static bool has_twin(gj__cg *cg, const char *op) {
  bool elsewhere = cg->options->platform_pow && strcmp(op, "pow") == 0;
  return !elsewhere && !cg->target->wasm && source_function(cg, op, "_main");
}

// A copy of a part of an op; NULL on failure.
static LLVMValueRef clone(gj__cg *cg, const char *op, const char *part, unsigned lanes) {
  char name[64];
  LLVMValueRef original = source_function(cg, op, part);
  function_name(name, sizeof name, op, part, lanes);
  if (!original && cg->status == GJ_OK)
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the math library has no %s", name);
  LLVMValueRef f = original ? gj__clone_function(cg, original, lanes, name) : NULL;
  if (f)
    gj__cg_mark_pure(cg, f);
  return f;
}

static LLVMValueRef vector_function(gj__cg *cg, const char *op, unsigned arity, unsigned lanes);

static LLVMValueRef scalar_function(gj__cg *cg, const char *op, unsigned arity) {
  char name[64];
  function_name(name, sizeof name, op, "", 1);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  f = cg->options->host_math ? declare(cg, name, arity) : clone(cg, op, "", 1);
  if (f && !cg->options->host_math)
    gj__cg_mark_optimised(cg, f);
  unsigned lanes = gj__math_variant_lanes(cg, GJ_DTYPE_f64);
  if (f && lanes > 1 && has_twin(cg, op))
    gj__math_add_variant(cg, f, vector_function(cg, op, arity, lanes), arity, lanes);
  return f;
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

static LLVMValueRef widened(gj__cg *cg, const char *op, const char *name, LLVMValueRef scalar,
                            unsigned lanes) {
  char slow_name[64];
  function_name(slow_name, sizeof slow_name, op, "_slow", lanes);
  LLVMValueRef main = clone(cg, op, "_main", lanes), rare = clone(cg, op, "_rare", lanes);
  return main && rare ? gj__math_choice(cg, name, slow_name, main, rare, scalar) : NULL;
}

static LLVMValueRef lane_by_lane(gj__cg *cg, const char *name, LLVMValueRef scalar, unsigned arity,
                                 unsigned lanes) {
  LLVMTypeRef vector = LLVMVectorType(cg->f64, lanes), params[2] = {vector, vector};
  LLVMValueRef f = gj__cg_function(cg, name, LLVMFunctionType(vector, params, arity, false));
  build_lanes(cg, f, scalar, lanes);
  gj__cg_mark_pure(cg, f);
  return f;
}

static LLVMValueRef vector_function(gj__cg *cg, const char *op, unsigned arity, unsigned lanes) {
  char name[64];
  function_name(name, sizeof name, op, "", lanes);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  LLVMValueRef scalar = f ? NULL : scalar_function(cg, op, arity);
  f = LLVMGetNamedFunction(cg->module, name); // the scalar one may have brought it along
  if (f || !scalar)
    return f;
  return has_twin(cg, op) ? widened(cg, op, name, scalar, lanes)
                          : lane_by_lane(cg, name, scalar, arity, lanes);
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
