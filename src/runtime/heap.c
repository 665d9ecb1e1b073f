// A stack of chunks and one of large blocks; see heap.h.
//
// A position counts the bytes given out since the heap was empty; a large block counts as one unit.
// Chunks and blocks know the position at which they were made, so releasing to a position frees
// those made since, and what is used of the chunk left is the distance from its own.
#include "runtime/heap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNIT = 64,          // alignment, and what the least allocation takes
  CHUNK = 128 * 1024, // bytes of a chunk
  LARGE = 32 * 1024   // bytes from which on a block stands alone
};

struct gj__block {
  gj__block *before;
  int64_t start; // position
  char *data;    // 64-byte aligned
};

// A block of `size` bytes, its header in front of them.
static gj__block *make_block(size_t size, bool zeroed) {
  if (size > SIZE_MAX - 2 * UNIT)
    return NULL;
  size_t whole = size + 2 * UNIT;
  char *memory = zeroed ? calloc(1, whole) : malloc(whole);
  if (!memory)
    return NULL;
  gj__block *block = (gj__block *)memory;
  uintptr_t data = ((uintptr_t)memory + sizeof *block + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
  block->data = (char *)data;
  return block;
}

static void push(gj__block **list, gj__block *block, int64_t start) {
  block->before = *list;
  block->start = start;
  *list = block;
}

static void *alloc_large(gj_run_heap *heap, size_t size) {
  gj__block *block = make_block(size, true);
  if (!block)
    return NULL;
  push(&heap->large, block, heap->position);
  heap->position += UNIT;
  return block->data;
}

static bool has_room(const gj_run_heap *heap, size_t size) {
  return heap->chunks && heap->position - heap->chunks->start <= CHUNK - (int64_t)size;
}

static bool add_chunk(gj_run_heap *heap) {
  gj__block *chunk = heap->spare ? heap->spare : make_block(CHUNK, false);
  heap->spare = NULL;
  if (chunk)
    push(&heap->chunks, chunk, heap->position);
  return chunk != NULL;
}

static void *heap_alloc(gj_heap *face, int64_t count, int64_t bytes) {
  gj_run_heap *heap = (gj_run_heap *)face;
  int64_t size;
  if (count < 0 || bytes <= 0 || __builtin_mul_overflow(count, bytes, &size) ||
      (uint64_t)size > PTRDIFF_MAX || heap->position > INT64_MAX / 2)
    return NULL;
  if (size >= LARGE)
    return alloc_large(heap, (size_t)size);
  size_t whole = size ? ((size_t)size + UNIT - 1) & ~(size_t)(UNIT - 1) : UNIT;
  if (!has_room(heap, whole) && !add_chunk(heap))
    return NULL;
  char *data = heap->chunks->data + (heap->position - heap->chunks->start);
  heap->position += (int64_t)whole;
  return memset(data, 0, whole);
}

static int64_t heap_mark(gj_heap *face) { return ((gj_run_heap *)face)->position; }

static void pop(gj__block **list) {
  gj__block *block = *list;
  *list = block->before;
  free(block);
}

static void heap_release(gj_heap *face, int64_t mark) {
  gj_run_heap *heap = (gj_run_heap *)face;
  if (mark < 0 || mark >= heap->position)
    return;
  while (heap->large && heap->large->start >= mark)
    pop(&heap->large);
  while (heap->chunks && heap->chunks->start >= mark) {
    gj__block *chunk = heap->chunks;
    if (heap->spare) {
      pop(&heap->chunks);
      continue;
    }
    heap->chunks = chunk->before;
    heap->spare = chunk;
  }
  heap->position = mark;
}

void gj_heap_init(gj_run_heap *heap) {
  *heap = (gj_run_heap){.face = {heap_alloc, heap_mark, heap_release}};
}

void gj_heap_clear(gj_run_heap *heap) { heap_release(&heap->face, 0); }

void gj_heap_fini(gj_run_heap *heap) {
  gj_heap_clear(heap);
  free(heap->spare);
  heap->spare = NULL;
}

bool gj_heap_take(gj_run_heap *heap, const void *pointer, void **out_memory) {
  for (gj__block **at = &heap->large; *at; at = &(*at)->before)
    if ((*at)->data == pointer) {
      *out_memory = *at;
      *at = (*at)->before;
      return true;
    }
  return false;
}
