// A function of Loop IR as a WebAssembly module: its text, code generation for wasm32, lld.
//
// The module imports nothing and exports its `memory` and __heap_base, and of the functions in the
// text the entry as `run` (see module.h) and the exported one by the name given, with parameters of
// wasm; such a module is made to be small, others to be quick. Elementary functions of f64 are
// JavaScript's. What recurses gets a larger stack for its arrays, below which access traps, and
// exports __stack_pointer: after a trap, or an exception of the engine's, the caller sets it to
// what it was when the module was new.
#ifndef GJ_WASM_FUNCTION_H
#define GJ_WASM_FUNCTION_H

#include "codegen/codegen.h"

typedef struct gj_wasm_function_options {
  gj_numerics numerics;
  unsigned opt_level;
  gj_wasm_variant variant;
  bool recurses;
  const char *name;        // of the exported function; NULL: there is none
  const char *description; // JSON for the custom section
} gj_wasm_function_options;

// On success *out_bytes is malloc'ed. GJ_E_PARSE, GJ_E_VERIFY for a text that is none.
gj_status gj_wasm_function(const char *text, size_t size, const gj_wasm_function_options *options,
                           unsigned char **out_bytes, size_t *out_size, gj_error *err);

#endif
