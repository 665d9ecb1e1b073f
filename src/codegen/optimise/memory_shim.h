// Blocks of memory without memcpy and its like, as C sees it.
#ifndef GJ_CODEGEN_OPTIMISE_MEMORY_SHIM_H
#define GJ_CODEGEN_OPTIMISE_MEMORY_SHIM_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes loops of what copies or sets more bytes than some stores do, for targets that have neither
// instructions nor a library for that.
void gj__expand_memory(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif
