// Library functions in generated code (src/library).
//
// Quickly made code for this process calls them where they are in the core. All other code gets
// copies, from bitcode, of those that it calls and of what they need; they are optimised with the
// rest, inlined or not, for the machine that the code is for. Numeric functions are called in this
// process at every level, since there are variants of them for its CPU.
#include "codegen/context.h"

#include "codegen/library/link_shim.h"
#include "library/table.h"

#include <stdio.h>
#include <string.h>

enum { CALLED_LEVEL = 1 }; // of optimisation, up to which they are called

#define BITCODE_PREFIX "gjl_"

static bool is_numeric(const gj_lfunc *func) {
  const gj_library_function *f = gj_library_find(func->library);
  return f && f->numeric;
}

static bool is_called(const gj__cg *cg, const gj_lfunc *func) {
  return cg->options->host_math && (cg->options->opt_level <= CALLED_LEVEL || is_numeric(func));
}

static const char *variant_of(const gj__cg *cg, const gj_lfunc *func) {
  if (!is_called(cg, func) || !is_numeric(func))
    return "";
  return gj_numerics_fuse(cg->options->numerics, cg->target) ? ".fused" : ".strict";
}

LLVMValueRef gj__cg_library_function(gj__cg *cg, const gj_lfunc *func) {
  LLVMTypeRef params[GJ_LIBRARY_MOST_PARAMS];
  const char *prefix = is_called(cg, func) ? GJ_LIBRARY_PREFIX : BITCODE_PREFIX;
  const char *variant = variant_of(cg, func);
  size_t size = strlen(prefix) + strlen(func->library) + strlen(variant) + 1;
  char *name = gj_arena_alloc(&cg->arena, size);
  if (!name) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at function %s", func->name);
    return NULL;
  }
  snprintf(name, size, "%s%s%s", prefix, func->library, variant);
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  for (uint32_t i = 0; i < func->param_count; i++)
    params[i] = cg->i64;
  LLVMTypeRef returns =
      func->returns.dtype == GJ_DTYPE_none ? LLVMVoidTypeInContext(cg->context) : cg->i64;
  f = LLVMAddFunction(cg->module, name,
                      LLVMFunctionType(returns, params, func->param_count, false));
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "nounwind", 0);
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "willreturn", 0);
  return f;
}

// Whether code has functions of one of the two kinds from bitcode.
static bool links(const gj__cg *cg, bool numeric) {
  bool any = false;
  for (uint32_t i = 0; i < cg->lm->func_count; i++) {
    const gj_lfunc *f = cg->lm->funcs[i];
    any = any || (f->library && !is_called(cg, f) && is_numeric(f) == numeric);
  }
  return any;
}

static bool link_module(gj__cg *cg, const unsigned char *begin, const unsigned char *end) {
  if (gj__link_needed(cg->module, begin, (size_t)(end - begin)))
    return true;
  gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the library's bitcode does not fit");
  return false;
}

// In strict code every product and every sum rounds by itself: a call of fmuladd becomes the two.
static void separate(gj__cg *cg, LLVMValueRef call) {
  LLVMPositionBuilderBefore(cg->builder, call);
  LLVMValueRef product =
      LLVMBuildFMul(cg->builder, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "");
  LLVMValueRef sum = LLVMBuildFAdd(cg->builder, product, LLVMGetOperand(call, 2), "");
  LLVMReplaceAllUsesWith(call, sum);
  LLVMInstructionEraseFromParent(call);
}

static void separate_products(gj__cg *cg) {
  static const char name[] = "llvm.fmuladd.";
  for (LLVMValueRef f = LLVMGetFirstFunction(cg->module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    if (strncmp(LLVMGetValueName2(f, &length), name, sizeof name - 1) != 0)
      continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f), next; use; use = next) {
      next = LLVMGetNextUse(use);
      separate(cg, LLVMGetUser(use));
    }
  }
}

// Functions that came with it have none of the attributes that ours have.
static void settle_functions(gj__cg *cg) {
  static const char ours[] = "target-cpu";
  for (LLVMValueRef f = LLVMGetFirstFunction(cg->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) &&
        !LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, ours, sizeof ours - 1))
      gj__cg_function_attributes(cg, f);
}

void gj__cg_link_library(gj__cg *cg) {
  bool wide = cg->target->pointer_bytes == 8, texts = links(cg, false), numeric = links(cg, true);
  if (texts && !link_module(cg, wide ? gj_library_64_begin : gj_library_32_begin,
                            wide ? gj_library_64_end : gj_library_32_end))
    return;
  if (numeric && !link_module(cg, wide ? gj_numeric_64_begin : gj_numeric_32_begin,
                              wide ? gj_numeric_64_end : gj_numeric_32_end))
    return;
  if (numeric && !gj_numerics_fuse(cg->options->numerics, cg->target))
    separate_products(cg);
  if (numeric || texts)
    settle_functions(cg);
}
