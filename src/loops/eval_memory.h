// Checked memory of the reference interpreter; see eval.c.
#ifndef GJ_LOOPS_EVAL_MEMORY_H
#define GJ_LOOPS_EVAL_MEMORY_H

#include "loops/loops.h"

typedef struct gj__lpointer {
  uint32_t region;
  int64_t offset; // bytes; anything, checked at each access
} gj__lpointer;

// One lane of a value.
typedef union gj__lcell {
  gj_scalar scalar;
  gj__lpointer pointer;
} gj__lcell;

typedef struct gj__lregion {
  const char *kind;
  unsigned char *bytes;
  size_t size;
  bool writable, owned;
} gj__lregion;

// A zeroed struct is empty memory.
typedef struct gj__lmemory {
  gj__lregion *regions;
  size_t count, capacity;
} gj__lmemory;

void gj__lmemory_fini(gj__lmemory *memory);
// Adds the caller's bytes as the next region.
gj_status gj__lmemory_add(gj__lmemory *memory, const char *kind, void *bytes, size_t size,
                          bool writable, gj_error *err);
// Adds a spoilt array of its own; writes its region + 1.
gj_status gj__lmemory_array(gj__lmemory *memory, size_t size, uint32_t *out_region, gj_error *err);
// Fills a region with the pattern of fresh arrays.
void gj__lmemory_spoil(gj__lmemory *memory, uint32_t region);
// Forgets the regions from `count` on.
void gj__lmemory_drop(gj__lmemory *memory, size_t count);

// to[side · r + c] = from[index + c · stride + r] for r and c below `side`.
gj_status gj__lmemory_tile(const gj__lmemory *memory, const gj__lcell *to, const gj__lcell *from,
                           gj_dtype dtype, int64_t index, int64_t stride, uint32_t side,
                           gj_error *err);

// The address of element index + lane behind `pointer`, or GJ_E_VERIFY saying what is wrong with
// it.
gj_status gj__lmemory_at(const gj__lmemory *memory, gj__lcell pointer, gj_dtype dtype,
                         int64_t index, uint32_t lane, bool write, unsigned char **out_at,
                         gj_error *err);
gj_status gj__lpointer_move(gj__lcell *pointer, gj_dtype dtype, int64_t index, gj_error *err);

#endif
