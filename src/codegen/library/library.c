// Library functions in generated code (src/library).
//
// Quickly made code for this process calls them where they are in the core. All other code gets
// copies, from bitcode, of those that it calls and of what they need; they are optimised with the
// rest, inlined or not, for the machine that the code is for.
#include "codegen/context.h"

#include "codegen/library/link_shim.h"
#include "library/table.h"

#include <stdio.h>
#include <string.h>

enum { CALLED_LEVEL = 1 }; // of optimisation, up to which they are called

#define BITCODE_PREFIX "gjl_"

static bool is_called(const gj__cg *cg) {
  return cg->options->host_math && cg->options->opt_level <= CALLED_LEVEL;
}

LLVMValueRef gj__cg_library_function(gj__cg *cg, const gj_lfunc *func) {
  LLVMTypeRef params[GJ_LIBRARY_MOST_PARAMS];
  const char *prefix = is_called(cg) ? GJ_LIBRARY_PREFIX : BITCODE_PREFIX;
  size_t size = strlen(prefix) + strlen(func->library) + 1;
  char *name = gj_arena_alloc(&cg->arena, size);
  if (!name) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at function %s", func->name);
    return NULL;
  }
  snprintf(name, size, "%s%s", prefix, func->library);
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

static bool uses_library(const gj_lmodule *m) {
  bool uses = false;
  for (uint32_t i = 0; i < m->func_count; i++)
    uses = uses || m->funcs[i]->library;
  return uses;
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
  if (!uses_library(cg->lm) || is_called(cg))
    return;
  bool wide = cg->target->pointer_bytes == 8;
  const unsigned char *begin = wide ? gj_library_64_begin : gj_library_32_begin;
  const unsigned char *end = wide ? gj_library_64_end : gj_library_32_end;
  if (!gj__link_needed(cg->module, begin, (size_t)(end - begin))) {
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the library's bitcode does not fit");
    return;
  }
  settle_functions(cg);
}
