// A graph as a WebAssembly module: the same pipeline as a program, for wasm32, linked in process.
//
// The module imports nothing. It exports its `memory`, `run(buffers, dims, exec) -> status`, the C
// ABI of every compiled function with 4-byte pointers, and the global __heap_base, behind which
// memory is the caller's. A custom section tells the rest (describe.h). With separate weights the
// global `weights` is where the caller copies them before the first run.
#ifndef GJ_WASM_MODULE_H
#define GJ_WASM_MODULE_H

#include "codegen/codegen.h"
#include "ir/graph.h"

typedef struct gj_wasm_options {
  gj_numerics numerics;
  unsigned opt_level;
  gj_wasm_variant variant;
  bool separate_weights; // leave constants of GJ_WEIGHT_LEAST bytes and more out of the module
} gj_wasm_options;

typedef struct gj_wasm_module {
  unsigned char *bytes; // malloc
  size_t size;
  unsigned char *weights; // malloc; NULL when there are none outside
  size_t weight_bytes;
  gj_strbuf scratch; // bytes of arena of a run, as a JavaScript expression over the symbols
} gj_wasm_module;

gj_status gj_wasm_compile(const gj_graph *graph, const gj_wasm_options *options,
                          gj_wasm_module *out_module, gj_error *err);
void gj_wasm_module_fini(gj_wasm_module *module);

// `d` as a JavaScript expression over its symbols' names: "Math.floor((n + 1) / 2)".
void gj_wasm_print_dim(const gj_dims *dims, gj_dim d, gj_strbuf *out);

#endif
