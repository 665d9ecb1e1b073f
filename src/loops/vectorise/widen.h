// Rewriting of one loop body for W lanes; see widen.c.
#ifndef GJ_LOOPS_VECTORISE_WIDEN_H
#define GJ_LOOPS_VECTORISE_WIDEN_H

#include "loops/vectorise/lanes.h"

// A load of the body whose lanes lie in memory already, `width` after each other for each row.
typedef struct gj__turned {
  const gj_lexpr *load, *lanes; // the pointer to those of row 0
} gj__turned;

typedef struct gj__widen_tile {
  uint32_t row;                    // the local that counts rows, which is made outside the loop
  const gj_lexpr *row_at, *number; // what stands for it, and the number of that row in the tile
  const gj__turned *turned;
  uint32_t turned_count;
} gj__widen_tile;

typedef struct gj__widen_how {
  const gj_lexpr *mask;  // of the lanes that touch memory, the others compute with ones; NULL: all
  const gj_lexpr *whole; // whether these are all lanes, and no mask is needed; NULL: unknown
  bool stream;           // stores are aligned and go past the caches; without a mask
  const gj_lexpr *when;  // only if this holds; NULL: in any case
  const gj__widen_tile *tile; // the body is done for one row of a tile; or NULL
} gj__widen_how;

// Appends to `to` the body of the analysed loop for `width` iterations side by side, the first of
// them with the loop variable equal to `base`. Errors are kept by the module.
void gj__widen(gj_lmodule *m, gj_lfunc *f, const gj__lanes *lanes, unsigned width,
               const gj_lexpr *base, gj__widen_how how, gj_lblock *to);

#endif
