// Arrays between pages that may not be touched.
//
// An array ends where its memory ends or begins where it begins, so that a stray access on that
// side stops the program, read or write, however far away it is; what is left of its pages on the
// other side is filled and compared afterwards. Sanitizers do not see what generated code does.
//
// The pages of some arrays that were freed are kept for the next ones of as many pages: to unmap
// them interrupts every thread of the process, which took a fifth of the time of random graphs that
// are not optimised. One thread only.
#ifndef GJ_TEST_GUARDED_H
#define GJ_TEST_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARDED_PAGE = 4096, GUARDED_CANARY = 0xA5, GUARDED_KEPT = 64 };

typedef struct guarded {
  unsigned char *data; // NULL: there is none, or it is empty and nowhere
  size_t bytes;
  unsigned char *pages; // those that may be touched
  size_t room;          // their bytes
} guarded;

// Pages that are kept: slots are overwritten in turn.
typedef struct guarded_kept {
  struct {
    unsigned char *pages;
    size_t room;
  } slots[GUARDED_KEPT];
  size_t next;
} guarded_kept;

static inline guarded_kept *guarded_pool(void) {
  static guarded_kept kept;
  return &kept;
}

static inline void guarded_unmap(unsigned char *pages, size_t room) {
  if (pages)
    munmap(pages - GUARDED_PAGE, room + (size_t)2 * GUARDED_PAGE);
}

// Pages that may be touched between two that may not; NULL when there is no memory.
static inline unsigned char *guarded_pages(size_t room) {
  guarded_kept *kept = guarded_pool();
  for (size_t i = 0; i < GUARDED_KEPT; i++) {
    unsigned char *pages = kept->slots[i].pages;
    if (pages && kept->slots[i].room == room) {
      kept->slots[i].pages = NULL;
      return pages;
    }
  }
  unsigned char *all = mmap(NULL, room + (size_t)2 * GUARDED_PAGE, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return NULL;
  if (room && mprotect(all + GUARDED_PAGE, room, PROT_READ | PROT_WRITE) != 0) {
    guarded_unmap(all + GUARDED_PAGE, room);
    return NULL;
  }
  return all + GUARDED_PAGE;
}

// Filled with canaries. The end is aligned as `bytes` is, the beginning by a page.
static inline guarded guarded_new(size_t bytes, bool at_end) {
  guarded g = {.bytes = bytes, .room = (bytes + GUARDED_PAGE - 1) & ~(size_t)(GUARDED_PAGE - 1)};
  g.pages = guarded_pages(g.room);
  if (!g.pages)
    return (guarded){0};
  memset(g.pages, GUARDED_CANARY, g.room);
  g.data = g.pages + (at_end ? g.room - bytes : 0);
  return g;
}

static inline void guarded_free(guarded *g) {
  if (g->pages) {
    guarded_kept *kept = guarded_pool();
    size_t at = kept->next++ % GUARDED_KEPT;
    guarded_unmap(kept->slots[at].pages, kept->slots[at].room);
    kept->slots[at].pages = g->pages;
    kept->slots[at].room = g->room;
  }
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
