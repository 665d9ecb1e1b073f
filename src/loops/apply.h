// Functions of numbers that graphs apply to each element: the apply op.
//
// A node carries the text of a module of Loop IR. Its one exported function takes a number per
// operand and gives the element of the result; its elementary functions on f64 are JavaScript's.
// The text may come from a stranger, so code of it must not be able to do harm: it holds numbers
// only, no memory, asks nothing of the run and does not call itself.
#ifndef GJ_LOOPS_APPLY_H
#define GJ_LOOPS_APPLY_H

#include "loops/loops.h"

#define GJ_MAX_APPLIED 32                   // operands
#define GJ_MAX_APPLY_TEXT ((size_t)1 << 20) // bytes

// GJ_OK when `text` is such a module, whose function takes `count` numbers of these dtypes and
// gives one of `result`. NULL is no text.
gj_status gj_apply_check(const char *text, const gj_dtype *args, size_t count, gj_dtype result,
                         gj_error *err);

// About how many operations the function of a checked text takes, for those who divide work.
double gj_apply_flops(const char *text);

// A checked text, read once for many elements.
typedef struct gj_applied {
  gj_lmodule *m;
  const gj_lfunc *f; // the exported one
} gj_applied;
gj_status gj_applied_new(const char *text, gj_applied **out_applied, gj_error *err);
gj_status gj_applied_eval(const gj_applied *applied, const gj_scalar *args, size_t count,
                          gj_scalar *out, gj_error *err);
void gj_applied_free(gj_applied *applied);

// The value of the function of a checked text for `args`, computed in block `b` of `f`. A function
// without loops and conditional statements becomes statements of the block, which vectorise with
// it. Any other is added to the module, once, and called; with `poll` its loops end early when the
// run is cancelled, with a value that means nothing.
const gj_lexpr *gj_lx_apply(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *text,
                            const gj_lexpr *const *args, size_t count, bool poll);

#endif
