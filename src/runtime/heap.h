// The heap of a thread of a run: what arrays that compiled code makes lie in.
//
// Small ones stand one after the other in chunks; large ones are calloc's, apart, so that one can
// outlive the run without being copied. What is marked and released comes and goes as on a stack.
// Thread-compatible.
#ifndef GJ_RUNTIME_HEAP_H
#define GJ_RUNTIME_HEAP_H

#include "base/exec.h"

#include <stdbool.h>

typedef struct gj__block gj__block;

typedef struct gj_run_heap {
  gj_heap face;      // first: compiled code knows nothing else
  gj__block *chunks; // the last first; so are the large ones
  gj__block *large;
  gj__block *spare; // a chunk to be used again
  int64_t position; // grows with each allocation
} gj_run_heap;

// Takes no memory until something is allocated.
void gj_heap_init(gj_run_heap *heap);
void gj_heap_fini(gj_run_heap *heap);
// Forgets everything that was allocated; keeps memory for the next run.
void gj_heap_clear(gj_run_heap *heap);
// Takes the block that begins at `pointer` out of the heap, if it is one of its own: the caller
// frees *out_memory, which it lies in. False: it shares a chunk and is to be copied.
bool gj_heap_take(gj_run_heap *heap, const void *pointer, void **out_memory);

#endif
