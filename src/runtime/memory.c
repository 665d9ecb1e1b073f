// Blocks kept per thread. See memory.h.
//
// A block is looked for by size and not by the order of taking, since a thread may run now a
// program with a large arena, now one with small frames. What fits best is taken, or else the
// largest block is replaced, so there are never more blocks than were once in use together.
#include "runtime/memory.h"

#include "base/pages.h"
#include "base/poison.h"
#include "base/size.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 4, ALIGNMENT = 64 };

typedef struct block {
  void *memory;
  size_t size; // 0 without memory
  bool taken;
} block;

typedef struct shelf {
  block blocks[BLOCKS];
  size_t bytes; // of all blocks
} shelf;

static _Thread_local shelf *mine; // NULL before the first block

static void drop(shelf *own, block *b) {
  gj_unpoison(b->memory, b->size);
  free(b->memory);
  own->bytes -= b->size;
  b->memory = NULL;
  b->size = 0;
}

// --- threads: the key is there to be told when one ends ---

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static bool end_key_made;

static void free_shelf(void *value) {
  shelf *own = value;
  for (size_t i = 0; i < BLOCKS; i++)
    drop(own, &own->blocks[i]);
  free(own);
  mine = NULL;
}

static void make_end_key(void) { end_key_made = pthread_key_create(&end_key, free_shelf) == 0; }

// NULL when out of memory.
static shelf *make_shelf(void) {
  pthread_once(&end_once, make_end_key);
  shelf *own = end_key_made ? calloc(1, sizeof *own) : NULL;
  if (own && pthread_setspecific(end_key, own) != 0) {
    free(own);
    own = NULL;
  }
  return mine = own;
}

// --- blocks ---

static bool is_better(const block *b, const block *than, size_t size) {
  bool fits = b->size >= size;
  if (fits != (than->size >= size))
    return fits;
  return fits ? b->size < than->size : b->size > than->size;
}

// The smallest free block of `size` or more, else the largest free one; NULL when all are taken.
static block *find_block(shelf *own, size_t size) {
  block *best = NULL;
  for (block *b = own->blocks; b < own->blocks + BLOCKS; b++)
    if (!b->taken && (!best || is_better(b, best, size)))
      best = b;
  return best;
}

// From the system, in large pages where it gives them: the first write into a small one is a fault.
static void *allocate(size_t size) {
  void *memory = aligned_alloc(ALIGNMENT, size);
  if (memory)
    gj_pages_advise(memory, size);
  return memory;
}

// Makes a block larger, at the expense of other free ones if need be. False: it could not be kept,
// or there is no memory.
static bool replace(shelf *own, block *b, size_t size) {
  drop(own, b);
  for (block *other = own->blocks; other < own->blocks + BLOCKS; other++)
    if (!other->taken && own->bytes + size > GJ_MEMORY_KEPT)
      drop(own, other);
  if (own->bytes + size > GJ_MEMORY_KEPT)
    return false;
  b->memory = allocate(size);
  if (!b->memory)
    return false;
  b->size = size;
  own->bytes += size;
  gj_poison(b->memory, size);
  return true;
}

void *gj_memory_take(size_t bytes) {
  size_t size;
  if (!gj_align_size(bytes > 0 ? bytes : 1, ALIGNMENT, &size))
    return NULL;
  if (size > GJ_MEMORY_KEPT)
    return allocate(size);
  shelf *own = mine ? mine : make_shelf();
  block *b = own ? find_block(own, size) : NULL;
  if (!b || (b->size < size && !replace(own, b, size)))
    return allocate(size);
  b->taken = true;
  gj_unpoison(b->memory, bytes);
  return b->memory;
}

void gj_memory_give(void *memory) {
  for (size_t i = 0; memory && mine && i < BLOCKS; i++) {
    block *b = &mine->blocks[i];
    if (b->memory == memory) {
      b->taken = false;
      gj_poison(memory, b->size);
      return;
    }
  }
  free(memory);
}

size_t gj_memory_kept(void) { return mine ? mine->bytes : 0; }
