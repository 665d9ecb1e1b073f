// Constant data of a function as params of it, for functions that differ in their data only.
#ifndef GJ_LOOPS_LIFT_H
#define GJ_LOOPS_LIFT_H

#include "loops/loops.h"

// Most data of a function that become params, and most params that it may have had before: calls of
// the first tier have 64 arguments.
enum { GJ__MOST_LIFTED = 8, GJ__MOST_PARAMS = 48 };

// The function reads `count` readonly params, which stand before all others, where it has read
// these data. Its calls are the caller's. Failures stay in the module.
void gj__lift_data(gj_lmodule *m, gj_lfunc *f, const uint32_t *data, uint32_t count);

#endif
