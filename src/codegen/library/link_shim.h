// Linking some functions of a bitcode module into another, as C sees it.
#ifndef GJ_CODEGEN_LIBRARY_LINK_SHIM_H
#define GJ_CODEGEN_LIBRARY_LINK_SHIM_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Adds the definitions of what `to` declares and the bitcode defines, with what those need, as
// internal; of the rest of the bitcode no more than its names is read. Layout and triple are taken
// to be those of `to`. False where the bitcode is damaged or does not fit.
bool gj__link_needed(LLVMModuleRef to, const unsigned char *bitcode, size_t size);

#ifdef __cplusplus
}
#endif

#endif
