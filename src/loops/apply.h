// Code of the apply op (ir/apply.h) inside other functions.
#ifndef GJ_LOOPS_APPLY_H
#define GJ_LOOPS_APPLY_H

#include "ir/apply.h"
#include "loops/loops.h"

struct gj_applied {
  gj_lmodule *m;
  const gj_lfunc *f; // the exported one
};

// The value of the function of a checked text for `args`, computed in block `b` of `f`. A function
// without loops and conditional statements becomes statements of the block, which vectorise with
// it. Any other is added to the module, once, and called; with `poll` its loops end early when the
// run is cancelled, with a value that means nothing.
const gj_lexpr *gj_lx_apply(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *text,
                            const gj_lexpr *const *args, size_t count, bool poll);

#endif
