// Block kernels: one elementwise op over a run of elements, compiled when the addon is built.
//
// src/tools/blocks writes the loop of each op and dtype in Loop IR and compiles it with our own
// code generator, once per instruction set; so a block kernel rounds as code compiled at run time
// does, and a new row in ops.def is all that a new op needs. Operands are contiguous arrays, or one
// element for all (a splat). A result may be written over an operand element for element.
#ifndef GJ_INTERP_BLOCKS_H
#define GJ_INTERP_BLOCKS_H

#include "ops/op.h"

// z[i] = op(x[i], y[i], w[i]) for n elements; operands that the op does not have are ignored, and
// so is `exec`. Returns 0.
typedef int32_t gj_block(void *z, const void *x, const void *y, const void *w, int64_t n,
                         void *exec);

// Which operands are splats. An op of one operand has only GJ_BLOCK_PLAIN; one of two has the
// first three; one of three has those that leave its first operand an array.
enum {
  GJ_BLOCK_PLAIN = 0,
  GJ_BLOCK_FIRST = 1,    // of two: op(x, …)
  GJ_BLOCK_SECOND = 2,   // of two: op(…, y)
  GJ_BLOCK_MIDDLE = 1,   // of three: op(…, y, …)
  GJ_BLOCK_LAST = 2,     // of three: op(…, …, w)
  GJ_BLOCK_LAST_TWO = 3, // of three: op(…, y, w)
  GJ_BLOCK_FORMS = 4
};

// The kernels of one instruction set; what is NULL is in `base`, or does not exist.
typedef struct gj_block_set {
  const char *cpu;                 // x86-64 level needed, or "" for any machine of the build's kind
  bool fused;                      // compiled for a CPU with fused multiply-add
  const struct gj_block_set *base; // strict sets: the other kernels
  gj_block *ops[GJ_OP_COUNT][GJ_DTYPE_COUNT][GJ_BLOCK_FORMS]; // by dtype of the last operand
  gj_block *convert[GJ_DTYPE_COUNT][GJ_DTYPE_COUNT];          // from, to
} gj_block_set;

// Pairs (default, strict), best first, ended by NULL; written by the build.
extern const gj_block_set *const gj_block_sets[];

// The set to use on this CPU, or NULL when there is none that runs on it and uses fused
// multiply-add just as code compiled for it does.
const gj_block_set *gj_block_set_choose(bool strict);

// NULL when the set has no such kernel.
gj_block *gj_block_find(const gj_block_set *set, gj_op op, gj_dtype operand, gj_dtype result,
                        unsigned form);

#endif
