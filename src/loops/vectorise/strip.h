// Strips of a vector loop: W iterations at a time, and the rest; see strip.c.
#ifndef GJ_LOOPS_VECTORISE_STRIP_H
#define GJ_LOOPS_VECTORISE_STRIP_H

#include "loops/vectorise/lanes.h"

// The number of iterations when both bounds are constants, else -1.
int64_t gj__strip_trip(const gj_lstmt *loop);

// Whether the machine can do the memory accesses of the body under a mask.
bool gj__strip_maskable(const gj__lanes *lanes, const gj_loops_machine *machine);

// Appends to `to` what runs all iterations of the analysed loop, `width` at a time as far as
// possible. Returns how the rest is done, for the report: "", ", masked rest" …
const char *gj__strip(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes,
                      const gj_loops_machine *machine, unsigned width, gj_lblock *to);

// Whether iterations may be done twice: none reads what it or another one writes.
bool gj__strip_repeatable(const gj_lfunc *f, const gj_lblock *body);

// For a loop that is as many whole vectors: whether its stores, all of which are aligned then, go
// past the caches; NULL: never.
const gj_lexpr *gj__strip_streams(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes,
                                  unsigned width, gj_lblock *to);

#endif
