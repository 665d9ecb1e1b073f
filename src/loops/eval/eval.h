// The state of the reference interpreter, shared by its expressions (expr.c) and its
// statements and functions (eval.c).
#ifndef GJ_LOOPS_EVAL_EVAL_H
#define GJ_LOOPS_EVAL_EVAL_H

#include "loops/eval/memory.h"

#include <stdbool.h>

typedef struct gj__lframe {
  const gj_lfunc *f;
  gj__lcell *cells;
  size_t *first;    // by local: its first cell
  uint32_t *arrays; // by local: region + 1 of an ARRAY that has been met
  gj__lcell result;
} gj__lframe;

typedef struct gj__lmachine {
  const gj_lmodule *m;
  const gj_leval *args;
  gj__lmemory memory;
  uint64_t steps;
  uintptr_t stack; // where C's began
  bool inside;     // a parallel call
  int64_t slot;    // of the function that runs
  gj_error *err;
} gj__lmachine;

// --- expr.c ---

// The value of an expression, a cell per lane.
gj_status gj__leval_expr(gj__lmachine *v, gj__lframe *fr, const gj_lexpr *e, gj__lcell *out);
// Bytes of C's stack in use: frames are as deep as C's, whose depth is what has an end.
size_t gj__leval_depth(const gj__lmachine *v);
gj_status gj__leval_no_memory(gj__lmachine *v, const gj__lframe *fr);
// Names an access that failed for its message: "k0: load of x". Returns `status`.
gj_status gj__leval_stray(gj__lmachine *v, const gj__lframe *fr, const char *what,
                          const gj_lexpr *p, gj_status status);

// --- eval.c ---

gj_status gj__leval_func(gj__lmachine *v, const gj_lfunc *f, const gj__lcell *params,
                         gj__lcell *out);

#endif
