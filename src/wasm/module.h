// A graph as a WebAssembly module: the same pipeline as a program, for wasm32, linked in process.
//
// The module imports nothing. It exports its `memory`, `run(buffers, dims, exec) -> status`, the C
// ABI of every compiled function with 4-byte pointers, and the global __heap_base, behind which
// memory is the caller's. With symbols it also exports `plan(dims, sizes) -> check`, which is to be
// called before a run with new sizes (lower/sizes.c). A custom section tells the rest (describe.h).
// With separate weights the global `weights` is where the caller copies them before the first run.
//
// With threads the memory is shared, and imported as env.memory. Each thread has an instance with a
// stack of its own, as large as that of the first one, which the global __stack_pointer gives when
// it has been instantiated: the caller finds memory for it and sets the global to its end. The
// first one is instantiated before the others and calls `run`, where exec->parallel is 0 (divide
// nothing), 1 (this thread may not sleep) or 2. The others call `work`, which returns after `stop`;
// `fail` is for threads that trap (codegen/wasm_pool/pool.c).
#ifndef GJ_WASM_MODULE_H
#define GJ_WASM_MODULE_H

#include "codegen/codegen.h"
#include "ir/graph.h"

// How many times longer operations take than with vectors of 64 bytes, see gj_lower_options.
enum { GJ_WASM_NARROW = 4 };

typedef struct gj_wasm_options {
  gj_numerics numerics;
  unsigned opt_level;
  gj_wasm_variant variant;
  bool separate_weights; // leave constants of GJ_WEIGHT_LEAST bytes and more out of the module
  bool threads;          // divide work; a module with nothing to divide is one without threads
} gj_wasm_options;

typedef struct gj_wasm_module {
  unsigned char *bytes; // malloc
  size_t size;
  unsigned char *weights; // malloc; NULL when there are none outside
  size_t weight_bytes;
} gj_wasm_module;

gj_status gj_wasm_compile(const gj_graph *graph, const gj_wasm_options *options,
                          gj_wasm_module *out_module, gj_error *err);
void gj_wasm_module_fini(gj_wasm_module *module);

#endif
