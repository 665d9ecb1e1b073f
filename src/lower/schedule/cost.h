// What kernels cost, roughly: enough to tell work that is worth a thread from work that is not.
#ifndef GJ_LOWER_SCHEDULE_COST_H
#define GJ_LOWER_SCHEDULE_COST_H

#include "passes/plan.h"

// Estimated nanoseconds per element of the kernel's domain on one core, more than 0: what its
// values cost to compute and the memory it moves. An operation takes `narrow` times as long as
// measured: where vectors are shorter by far. `seen` has an entry per ref, zero at first, and is
// shared by calls for rising `index`.
double gj__kernel_cost(const gj_plan *plan, uint32_t index, unsigned narrow, uint32_t *seen);

#endif
