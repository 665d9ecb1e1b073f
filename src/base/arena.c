// A block arena: bump allocation in blocks, a list of oversize allocations, ASan poisoning.

#include "base/arena.h"

#include "base/poison.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

#ifdef GJ_POISONS
enum { GAP = 16 }; // between allocations, so that overruns are noticed
#else
enum { GAP = 0 };
#endif

enum { ALIGNMENT = 16, DEFAULT_BLOCK = 32 * 1024, SMALLEST_BLOCK = 256 };

// The header's size is a multiple of ALIGNMENT, so the payload behind it is aligned as malloc is.
typedef struct gj__arena_block {
  _Alignas(ALIGNMENT) struct gj__arena_block *next;
  size_t size; // payload bytes
} block;

static char *payload(block *b) { return (char *)(b + 1); }

static block *block_new(gj_arena *arena, size_t size, block *next) {
  size_t bytes;
  if (!gj_add_size(size, sizeof(block), &bytes))
    return NULL;
  block *b = malloc(bytes);
  if (!b)
    return NULL;
  b->next = next;
  b->size = size;
  arena->total += bytes;
  gj_poison(payload(b), size);
  return b;
}

static void blocks_free(block *list) {
  while (list) {
    block *next = list->next;
    gj_unpoison(payload(list), list->size);
    free(list);
    list = next;
  }
}

void gj_arena_init(gj_arena *arena, size_t block_size) {
  size_t wanted = block_size ? block_size : DEFAULT_BLOCK;
  *arena = (gj_arena){.block_size = wanted < SMALLEST_BLOCK ? SMALLEST_BLOCK : wanted};
}

void gj_arena_fini(gj_arena *arena) {
  blocks_free(arena->blocks);
  blocks_free(arena->oversize);
  gj_arena_init(arena, arena->block_size);
}

// `room` is the aligned size of the request including its gap.
static char *take(gj_arena *arena, size_t room) {
  if (room > arena->block_size / 4) {
    block *b = block_new(arena, room, arena->oversize);
    if (!b)
      return NULL;
    arena->oversize = b;
    return payload(b);
  }
  if (!arena->blocks || arena->blocks->size - arena->used < room) {
    block *b = block_new(arena, arena->block_size, arena->blocks);
    if (!b)
      return NULL;
    arena->blocks = b;
    arena->used = 0;
  }
  char *at = payload(arena->blocks) + arena->used;
  arena->used += room;
  return at;
}

void *gj_arena_alloc(gj_arena *arena, size_t size) {
  size_t room;
  if (!gj_add_size(size, GAP, &room) || !gj_align_size(room, ALIGNMENT, &room))
    return NULL;
  char *at = take(arena, room ? room : ALIGNMENT);
  if (!at)
    return NULL;
  gj_unpoison(at, size);
  memset(at, 0, size);
  return at;
}

void *gj_arena_array(gj_arena *arena, size_t count, size_t item_size) {
  size_t bytes;
  return gj_mul_size(count, item_size, &bytes) ? gj_arena_alloc(arena, bytes) : NULL;
}

void *gj_arena_copy(gj_arena *arena, const void *data, size_t size) {
  void *copy = gj_arena_alloc(arena, size);
  if (copy && size)
    memcpy(copy, data, size);
  return copy;
}

char *gj_arena_strdup(gj_arena *arena, const char *text) {
  return gj_arena_strndup(arena, text, strlen(text));
}

char *gj_arena_strndup(gj_arena *arena, const char *text, size_t length) {
  size_t bytes;
  if (!gj_add_size(length, 1, &bytes))
    return NULL;
  char *copy = gj_arena_alloc(arena, bytes);
  if (copy && length)
    memcpy(copy, text, length);
  return copy;
}
