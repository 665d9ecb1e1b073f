// Checked memory of the reference interpreter; see eval.c.
#ifndef GJ_LOOPS_EVAL_MEMORY_H
#define GJ_LOOPS_EVAL_MEMORY_H

#include "loops/loops.h"

typedef struct gj__lpointer {
  uint32_t region;
  int64_t offset; // bytes; anything, checked at each access
} gj__lpointer;

// Regions from here on are of the heap; the last is none, where null points.
#define GJ__HEAP_REGION ((uint32_t)1 << 31)
#define GJ__NO_REGION UINT32_MAX

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
  gj__lregion *heap;
  size_t heap_count, heap_capacity, heap_bytes;
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
// Adds zeroed memory to the heap; writes its region.
gj_status gj__lmemory_heap(gj__lmemory *memory, size_t size, uint32_t *out_region, gj_error *err);
// Forgets what of the heap is behind the first `count`.
void gj__lmemory_release(gj__lmemory *memory, size_t count);

// The region; NULL for null.
const gj__lregion *gj__lmemory_region(const gj__lmemory *memory, uint32_t region);
// A pointer as an address, and back: to the region that the address is in or just behind of.
int64_t gj__lmemory_address(const gj__lmemory *memory, gj__lpointer pointer);
gj_status gj__lmemory_pointer(const gj__lmemory *memory, int64_t address, gj__lpointer *out_pointer,
                              gj_error *err);

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
