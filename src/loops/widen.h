// Rewriting of one loop body for W lanes; see widen.c.
#ifndef GJ_LOOPS_WIDEN_H
#define GJ_LOOPS_WIDEN_H

#include "loops/lanes.h"

// Appends to `to` the body of the analysed loop for `width` iterations side by side, the first of
// them with the loop variable equal to `base`. With a mask, only lanes where it is true touch
// memory; the others compute with ones. Errors are kept by the module.
void gj__widen(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes, unsigned width,
               const gj_lexpr *base, const gj_lexpr *mask, gj_lblock *to);

#endif
