// The C face of lld's WebAssembly linker: one object in memory to one module in memory.
//
// lld has no C interface and works on files. The shim behind this header is the project's only C++
// and holds nothing but the adaptation; options and errors are the business of link.c.

#ifndef GJ_WASM_LLD_SHIM_H
#define GJ_WASM_LLD_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs the linker with `argv`, whose first word is the linker's name and whose input and output
// files both have the name GJ_LLD_OBJECT resp. GJ_LLD_MODULE. On success stores the module, which
// the caller frees with free(), and returns true. Otherwise `log` holds what the linker printed,
// cut to `log_size` bytes including the NUL, and the outputs are NULL and 0. Safe from any thread;
// calls are serialised by one lock, since lld keeps its state in globals.
bool gj_lld_wasm(const char *const *argv, size_t argc, const void *object, size_t object_size,
                 unsigned char **out_module, size_t *out_size, char *log, size_t log_size);

#define GJ_LLD_OBJECT "object"
#define GJ_LLD_MODULE "module"

#ifdef __cplusplus
}
#endif

#endif
