// Vector loops done in tiles; see tile.c.
#ifndef GJ_LOOPS_VECTORISE_TILE_H
#define GJ_LOOPS_VECTORISE_TILE_H

#include "loops/loops.h"

// Appends to `to` the form in tiles of `rows`, a loop that was marked tile and ends with a vector
// loop; returns the side of a tile, or 0 when nothing was done. Where sizes may turn out too small,
// `rows` itself stands in the other branch. Errors are kept by the module.
unsigned gj__tile(gj_lmodule *m, gj_lfunc *f, const gj_lstmt *rows, const gj_loops_machine *machine,
                  gj_lblock *to);

#endif
