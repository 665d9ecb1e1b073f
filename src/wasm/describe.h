// The custom section by which a module describes itself, so that one loader runs any module.
//
// It is called "graphjit" and holds compact JSON in UTF-8:
//   {"v":1,"name":"hypot","numerics":"strict","symbols":["n"],
//    "inputs":[["x","f64",["n"]],["y","f64",["n"]]],"outputs":[["z","f64",["n"]]],
//    "checks":["input \"x\": …"],"weights":{"bytes":4096,"hash":"9be17165"},
//    "threads":{"pages":2}}
// A size is a number or the text of an expression over the symbols. With symbols, `checks` says
// what it means that `plan` returns 1, 2, …; without, `scratch` is how many bytes a run needs.
// There are `weights` when the constants lie in a file of their own (weights.h), and `threads` when
// the memory is shared and imported, with its least size in pages.
#ifndef GJ_WASM_DESCRIBE_H
#define GJ_WASM_DESCRIBE_H

#include "codegen/codegen.h"
#include "ir/graph.h"

typedef struct gj_description {
  const gj_graph *graph;
  gj_numerics numerics;
  gj_dim scratch; // a size of the graph's dims
  uint32_t check_count;
  const char *const *checks;
  const unsigned char *weights; // NULL: none
  size_t weight_bytes;
  uint32_t shared_pages; // least size of the shared memory; 0: the module has one of its own
} gj_description;

// Appends the section to the text of a module.
void gj_wasm_describe(const gj_description *what, gj_strbuf *module);
// The same for JSON that somebody else has written, as modules of functions have it.
void gj_wasm_add_description(const char *text, size_t size, gj_strbuf *module);

#endif
