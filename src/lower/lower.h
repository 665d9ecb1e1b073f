// Lowering: a planned graph becomes a Loop IR module, one function per kernel and an entry that
// calls them.
#ifndef GJ_LOWER_LOWER_H
#define GJ_LOWER_LOWER_H

#include "loops/loops.h"
#include "passes/plan.h"

typedef struct gj_lower_options {
  bool poll;      // ask for cancellation between kernels and between chunks of their loops
  bool by_kernel; // a call of the entry runs one kernel, whose number is the dim behind the symbols
  unsigned piece_ns;     // work that is worth a thread's attention; 0: kernels are not divided
  unsigned narrow;       // see gj__kernel_cost; 0: 1
  int64_t stream_bytes;  // see gj_loops_machine
  unsigned vector_bytes; // the same; 0: unknown. Results do not depend on it
  bool cheap_masks;      // the same
  bool fma;         // contractions round once per product: the target has an instruction for it
  bool reassociate; // sums of floats may be added up in any order, and lose digits: 'fast' numerics
  // The graph as written, of which the plan's is a simplification: adds the function "plan", which
  // checks its conditions and says its sizes (sizes.c). NULL: no such function.
  const gj_graph *written;
} gj_lower_options;

// What handing work to a worker that is awake costs, some times over. Whether it is also worth
// waking one is for the pool to say.
enum { GJ_PIECE_NS = 15000 };

typedef struct gj_lowered_kernel {
  const char *name;  // of its function, which equal kernels share after gj_pipeline_run()
  const char *kind;  // "elementwise": see kernels.def
  const char *what;  // "mul mul add sqrt -> z": ops computed, then what is written
  const char *shape; // iteration space: "[n]"
  uint32_t func;     // number of its function in the module
  uint32_t part;     // of the function with the loops: the one that it calls in parallel, or `func`
} gj_lowered_kernel;

// What became of a function of the graph.
typedef struct gj_lowered_function {
  const char *title; // what the graph calls it
  bool called;       // else its code stands in the kernels of the ops that name it, and it has none
  uint32_t kernel_count;
  gj_lowered_kernel *kernels;
} gj_lowered_function;

typedef struct gj_lowered {
  gj_lmodule *module; // the caller's; its arena holds the strings
  uint32_t kernel_count;
  gj_lowered_kernel *kernels;
  uint32_t function_count; // all that the graph has, by number
  gj_lowered_function *functions;
  uint32_t check_count; // conditions that the plan function checks, by what it returns less 1
  const char **checks;  // what it means that one is broken: "input \"x\": …"
} gj_lowered;

gj_status gj_lower(const gj_plan *plan, const gj_lower_options *options, gj_lowered *out_lowered,
                   gj_error *err);

// a / b rounded down; `positive`: a is not negative and b is positive.
const gj_lexpr *gj_lower_floordiv(gj_lmodule *m, const gj_lexpr *a, const gj_lexpr *b,
                                  bool positive);

// `d` as an i64 expression; symbols[i] is what symbol i is. Floor division and max as in dims.h.
const gj_lexpr *gj_lower_dim(gj_lmodule *m, const gj_dims *dims, gj_dim d,
                             const gj_lexpr *const *symbols);

#endif
