// What the kernels of a plan move and compute, counted from shapes.
//
// Bytes are those that a kernel has to move: each element of memory counts once, however often it
// is loaded, and of a slice only what is taken. Operations are counted per element as the rows of
// ops.def say, a value that is computed twice at the same place once. Those of functions count as
// often as a `for` repeats them, else once; of several branches the most.
#ifndef GJ_PASSES_TRAFFIC_H
#define GJ_PASSES_TRAFFIC_H

#include "passes/plan.h"

typedef struct gj_traffic {
  double bytes_read, bytes_written;
  double narrow_ops, wide_ops; // on elements of up to 4 bytes, and of 8
} gj_traffic;

// The same as expressions over the symbols, in the dims of the plan's graph, which grow by it. They
// hold for symbols that are at least 1; GJ_DIM_ERROR stands for what is too long to write down.
typedef struct gj_traffic_formulas {
  gj_dim bytes_read, bytes_written, ops;
} gj_traffic_formulas;

// Fills out[plan->kernel_count] for these values of the graph's symbols, which have been bound.
gj_status gj_plan_traffic(const gj_plan *plan, const int64_t *symbols, gj_traffic *out,
                          gj_error *err);
// Fills out[plan->kernel_count].
gj_status gj_plan_traffic_formulas(const gj_plan *plan, gj_traffic_formulas *out, gj_error *err);

#endif
