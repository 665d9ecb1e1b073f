// Fetching ahead: a loop over much memory asks for what it will read later.
//
// How fast one core reads is a matter of how many lines are on their way to it, and the hardware's
// own prefetchers follow a stream no further than the end of its page. So a second reader runs
// ahead of the loop, through four pages at a time, a line of each in turn: the prefetchers then
// follow four streams, and the loop finds its lines in the first cache.
//
//   position   0        16 KiB                            32 KiB
//   read       ═════▶
//   fetched             ═▶......═▶......═▶......═▶......
//
// Measured on Sapphire Rapids: sums of 80 MB are read at 19 GB/s instead of 13, with large pages
// and small ones; of 40 MB, which its last cache holds, at a tenth more; of 4 MB no faster. One
// stream fetched ahead gains nothing. A row kernel, whose first loop fetches the next rows, gains a
// tenth (softmax of 4 MB); it would lose that by fetching memory that it writes. What is fetched
// behind the end of an array is never read.
//
// Left out: loops that write as much as they read, and operands that are not read from front to
// back.
#include "lower/context.h"

enum {
  FAR = 1 << 22, // bytes read or written; less lies in the second cache, or nearly
  PAGE = 4096,
  PAGES = 4,
  LINE = 64,
};

static int64_t bytes_of(const gj__lower *l, uint32_t b) {
  return (int64_t)gj_dtype_bytes(l->plan->buffers[b].type.dtype);
}

// Whether buffer `b` is gone through as the kernel goes through a domain of `size`.
static bool goes_along(const gj__lower *l, uint32_t b, gj_dim size) {
  const gj_buffer *buffer = &l->plan->buffers[b];
  return l->buffers[b] && !buffer->row &&
         gj_type_size(gj_graph_dims(l->graph), &buffer->type) == size;
}

// Whether it is only read, and at least a line of each page per step.
static bool is_worth_it(const gj__lower *l, uint32_t b, int64_t step) {
  bool only_read = l->f->locals[l->buffers[b]->index].flags & GJ_LOCAL_READONLY;
  return only_read && step * bytes_of(l, b) >= PAGES * LINE;
}

static void fetch_from(gj__lower *l, uint32_t b, const gj_lexpr *at, int64_t step) {
  int64_t bytes = bytes_of(l, b);
  int64_t group = PAGES * PAGE / bytes, lines = step * bytes / (PAGES * LINE);
  const gj_lexpr *done = gj_lx_binary(l->m, GJ_OP_and, at, gj__i64(l, group - 1));
  const gj_lexpr *behind = gj__add(l, gj__sub(l, at, done), gj__i64(l, group));
  const gj_lexpr *share = gj_lx_binary(l->m, GJ_OP_shr, done, gj__i64(l, 2)); // of PAGES
  const gj_lexpr *first = gj__let(l, "next", gj__add(l, behind, share));
  for (int64_t page = 0; page < PAGES; page++)
    for (int64_t line = 0; line < lines; line++) {
      const gj_lexpr *place = gj__i64(l, (page * PAGE + line * LINE) / bytes);
      gj_ls_fetch(l->m, l->f, l->block, gj_lx_offset(l->m, l->buffers[b], gj__add(l, first, place)),
                  0);
    }
}

void gj__fetch_ahead(gj__lower *l, gj_lblock *into, const gj_type *domain, const gj_lexpr *at,
                     int64_t step) {
  gj_dim size = gj_type_size(gj_graph_dims(l->graph), domain);
  int64_t all = 0;
  bool any = false;
  for (uint32_t b = 0; b < l->plan->buffer_count && size != GJ_DIM_ERROR; b++)
    if (goes_along(l, b, size)) {
      all += bytes_of(l, b);
      any = any || is_worth_it(l, b, step);
    }
  if (!any || l->stream_bytes == 0)
    return;
  const gj_lexpr *far = gj_lx_binary(l->m, GJ_OP_gt, gj__dim(l, size), gj__i64(l, FAR / all));
  bool known = far->kind == GJ_LX_CONST;
  if (known && !far->value.v.u)
    return;
  gj_lblock *to = known ? into : &gj_ls_if(l->m, l->f, into, far)->body;
  gj__enter(l, to);
  at = at->kind == GJ_LX_LOCAL ? at : gj__let(l, "at", at);
  for (uint32_t b = 0; b < l->plan->buffer_count; b++)
    if (goes_along(l, b, size) && is_worth_it(l, b, step))
      fetch_from(l, b, at, step);
  gj__enter(l, into);
}
