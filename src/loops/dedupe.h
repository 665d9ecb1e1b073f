// Leaves one of equal functions of a Loop IR module.
#ifndef GJ_LOOPS_DEDUPE_H
#define GJ_LOOPS_DEDUPE_H

#include "loops/loops.h"

// Functions that differ in names and notes only, and with `lifts` in constant data (lift.h), become
// the first of them, and calls go to that one. out_left has an entry per function: the number that
// what is left of it has now. The module must verify; it still does, and its results keep their
// bits.
gj_status gj_loops_dedupe(gj_lmodule *m, bool lifts, uint32_t *out_left, gj_error *err);

#endif
