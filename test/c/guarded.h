// Arrays between pages that may not be touched.
//
// An array ends where its memory ends or begins where it begins, so that a stray access on that
// side stops the program, read or write, however far away it is; what is left of its pages on the
// other side is filled and compared afterwards. Sanitizers do not see what generated code does.
#ifndef GJ_TEST_GUARDED_H
#define GJ_TEST_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARDED_PAGE = 4096, GUARDED_CANARY = 0xA5 };

typedef struct guarded {
  unsigned char *data; // NULL: there is none, or it is empty and nowhere
  size_t bytes;
  unsigned char *pages; // those that may be touched
  size_t room;          // their bytes
} guarded;

// Filled with canaries. The end is aligned as `bytes` is, the beginning by a page.
static inline guarded guarded_new(size_t bytes, bool at_end) {
  guarded g = {.bytes = bytes, .room = (bytes + GUARDED_PAGE - 1) & ~(size_t)(GUARDED_PAGE - 1)};
  unsigned char *all = mmap(NULL, g.room + (size_t)2 * GUARDED_PAGE, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return (guarded){0};
  g.pages = all + GUARDED_PAGE;
  if (g.room && mprotect(g.pages, g.room, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, g.room + (size_t)2 * GUARDED_PAGE);
    return (guarded){0};
  }
  memset(g.pages, GUARDED_CANARY, g.room);
  g.data = g.pages + (at_end ? g.room - bytes : 0);
  return g;
}

static inline void guarded_free(guarded *g) {
  if (g->pages)
    munmap(g->pages - GUARDED_PAGE, g->room + (size_t)2 * GUARDED_PAGE);
  *g = (guarded){0};
}

// Whether nothing was written around the array.
static inline bool guarded_stands(const guarded *g) {
  const unsigned char *end = g->data + g->bytes;
  for (const unsigned char *at = g->pages; at < g->pages + g->room; at++)
    if ((at < g->data || at >= end) && *at != GUARDED_CANARY)
      return false;
  return true;
}

#endif
