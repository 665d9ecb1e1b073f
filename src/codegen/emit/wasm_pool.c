// The pool that a WebAssembly module with threads has inside (codegen/wasm_pool/pool.c): its
// bitcode joins the module when the first parallel call asks for it.
//
// There it is optimised with the rest, so a single parallel call may take it in. What a loader
// calls stays visible to the linker.
#include "codegen/context.h"

#include "codegen/wasm_pool/bitcode.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

static const char parallel[] = "gj_wasm_parallel";

static LLVMModuleRef read_pool(gj__cg *cg) {
  size_t size = (size_t)(gj_wasm_pool_end - gj_wasm_pool_begin);
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRange(gj_wasm_pool_begin, size, "pool", false);
  LLVMModuleRef module = NULL;
  if (LLVMParseBitcodeInContext2(cg->context, buffer, &module))
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the bitcode of the pool is damaged");
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

LLVMValueRef gj__cg_wasm_pool(gj__cg *cg) {
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, parallel);
  if (f || cg->status != GJ_OK)
    return f;
  LLVMModuleRef pool = read_pool(cg);
  // The linker takes the pool's module whatever comes of it.
  if (!pool || LLVMLinkModules2(cg->module, pool)) {
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: the pool does not fit into the module");
    return NULL;
  }
  f = LLVMGetNamedFunction(cg->module, parallel);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  return f;
}
