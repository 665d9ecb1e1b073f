// See pages.h.
//
// A fresh array of 80 MB has 20,000 pages of 4 KiB, and the first write into each is a fault that
// takes longer than filling it. Linux gives pages of 2 MiB to who asks (transparent huge pages,
// 'madvise'), which leaves 40 faults and spares most misses of the translation buffer afterwards.
// Arrays of a few large pages only would gain little and leave gaps, so these stay as they are.
#include "base/pages.h"

#ifdef __linux__
#include <stdint.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 1 << 21, LEAST = 2 }; // bytes, on x86-64 and aarch64; pages

void gj_pages_advise(void *data, size_t bytes) {
  size_t before = -(uintptr_t)data & (LARGE_PAGE - 1);
  size_t whole = bytes < before ? 0 : (bytes - before) / LARGE_PAGE;
  if (whole >= LEAST)
    madvise((char *)data + before, whole * LARGE_PAGE, MADV_HUGEPAGE);
}
#else
void gj_pages_advise(void *data, size_t bytes) {
  (void)data;
  (void)bytes;
}
#endif
