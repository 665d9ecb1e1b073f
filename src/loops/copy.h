// Copying of Loop IR trees with locals replaced, for the transforms.
#ifndef GJ_LOOPS_COPY_H
#define GJ_LOOPS_COPY_H

#include "loops/loops.h"

typedef struct gj__lcopy {
  gj_lmodule *m;
  gj_lfunc *f;
  uint32_t count;           // locals of f when the copying began
  const gj_lexpr **replace; // by local: what stands for it, NULL: the local itself
} gj__lcopy;

// `replace` is a zeroed heap array; false (kept by the module) when out of memory. Free it
// yourself.
bool gj__lcopy_init(gj__lcopy *copy, gj_lmodule *m, gj_lfunc *f);

// The same kind of node over other arguments, folded as the builders do.
const gj_lexpr *gj__lx_rebuild(gj_lmodule *m, const gj_lexpr *e, const gj_lexpr *const *args);

// The expression with the replacements made; untouched subtrees are shared, not copied.
const gj_lexpr *gj__lcopy_expr(const gj__lcopy *copy, const gj_lexpr *e);

// Appends copies of the statements of `from` to `to`; locals that they make are made anew and
// entered in `replace`, so that one block may be copied many times.
void gj__lcopy_block(gj__lcopy *copy, const gj_lblock *from, gj_lblock *to);

#endif
