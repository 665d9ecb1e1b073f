// A block arena: many small allocations, freed all at once.
//
// Each graph and each compilation owns one, so the core counts references of little else: code, and
// the elements of large constants (storage.h). Requests larger than a quarter of a block get an
// allocation of their own on a second list, which keeps
// blocks well filled. Under AddressSanitizer every allocation is followed by a poisoned gap and
// the unused rest of a block is poisoned too, so overruns inside the arena are still found.
// Single objects cannot be freed; growing arrays live on the heap (array.h) until they are final.
// Thread-compatible: one thread at a time.

#ifndef GJ_BASE_ARENA_H
#define GJ_BASE_ARENA_H

#include <stddef.h>

struct gj__arena_block;

typedef struct gj_arena {
  struct gj__arena_block *blocks;   // newest first; only the newest has room
  struct gj__arena_block *oversize; // one allocation each
  size_t block_size;                // payload bytes of a block
  size_t used;                      // bytes taken from the newest block
  size_t total;                     // bytes held from the system
} gj_arena;

// Prepares an empty arena without allocating. `block_size` 0 means 32 KiB; small values are raised
// to 256 bytes.
void gj_arena_init(gj_arena *arena, size_t block_size);

// Frees everything. The arena is then as after gj_arena_init; calling it again is harmless.
void gj_arena_fini(gj_arena *arena);

// Returns `size` zeroed bytes aligned for any C type (16), or NULL when out of memory. Size 0 gives
// a valid pointer that must not be read.
void *gj_arena_alloc(gj_arena *arena, size_t size);

// Returns `count` zeroed items of `item_size` bytes; NULL also when the product overflows.
void *gj_arena_array(gj_arena *arena, size_t count, size_t item_size);

// Returns a copy of `size` bytes; `data` may be NULL when `size` is 0. NULL when out of memory.
void *gj_arena_copy(gj_arena *arena, const void *data, size_t size);

// Returns a copy of a C string, or of its first `length` bytes with a NUL added. NULL when out of
// memory.
char *gj_arena_strdup(gj_arena *arena, const char *text);
char *gj_arena_strndup(gj_arena *arena, const char *text, size_t length);

#endif
