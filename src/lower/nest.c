// Loops over a shape: which loops there are, which one is the vector loop, where cancellation is
// polled.
//
//   for c = 0 to n step 65536 {          a chunk: the unit of cancellation
//     if (cancelled) { return 1:i32 }
//     for i = c to min(n, c + 65536) vector { … }
//   }
//
// With more than one loop the outermost is the unit instead. Axes of size 1 get no loop. The vector
// loop is the innermost, where row-major memory is contiguous.
#include "lower/context.h"

enum { CHUNK = 1 << 16 };

void gj__poll(gj__lower *l, gj_lblock *block) {
  if (!l->poll)
    return;
  gj_lstmt *stop = gj_ls_if(l->m, l->f, block, gj_lx_cancelled(l->m));
  gj_scalar status = {.dtype = GJ_DTYPE_i32, .v.i = 1};
  gj_ls_return(l->m, l->f, &stop->body, gj_lx_const(l->m, status));
}

// A constant range that fits in one chunk.
static bool is_short(const gj_lexpr *lo, const gj_lexpr *hi, int64_t chunk) {
  return lo->kind == GJ_LX_CONST && hi->kind == GJ_LX_CONST &&
         hi->value.v.i - lo->value.v.i <= chunk;
}

gj_lblock *gj__chunks(gj__lower *l, gj_lblock *into, const gj_lexpr *lo, const gj_lexpr *hi,
                      int64_t chunk, gj__range *out) {
  if (is_short(lo, hi, chunk)) {
    *out = (gj__range){lo, hi};
    return into;
  }
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "c", lo, hi, chunk, 0, 1);
  gj__poll(l, &loop->body);
  const gj_lexpr *c = gj__local(l, loop->local);
  const gj_lexpr *end = gj__min(l, gj__add(l, c, gj__i64(l, chunk)), hi);
  *out = (gj__range){c, gj__local(l, gj_ls_let(l->m, l->f, &loop->body, "end", end))};
  return &loop->body;
}

// The innermost loop over lo … hi; chunked when it is the only one. Returns its variable.
static const gj_lexpr *vector_loop(gj__lower *l, gj_lblock *into, gj__range range, bool chunked) {
  if (chunked && l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, CHUNK, &range);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "i", range.lo, range.hi, 1, GJ_LOOP_VECTOR, 1);
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}

const gj__index *gj__nest(gj__lower *l, gj_lblock *into, const gj_type *type, bool flat,
                          const gj__range *ranges) {
  gj__index *index = gj__index_new(l);
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes);
  gj__enter(l, into);
  if (flat) {
    const gj_lexpr *size = gj__size(l, type, axes, count);
    index->flat = true;
    index->at[0] = gj__i64(l, 0);
    if (count > 0)
      index->at[0] = vector_loop(l, into, (gj__range){gj__i64(l, 0), size}, true);
    return index;
  }
  for (uint8_t i = 0; i < type->rank; i++)
    index->at[i] = gj__i64(l, 0);
  // With ranges, an axis of size 1 may be cut to nothing and so needs its loop.
  for (uint8_t i = 0; ranges && i < type->rank; i++)
    axes[i] = i;
  count = ranges ? type->rank : count;
  for (unsigned k = 0; k < count; k++) {
    gj__range range = {gj__i64(l, 0), gj__dim(l, type->shape[axes[k]])};
    if (ranges)
      range = ranges[axes[k]];
    if (k + 1 == count) {
      index->at[axes[k]] = vector_loop(l, into, range, count == 1);
      break;
    }
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, 0, 1);
    if (k == 0)
      gj__poll(l, &loop->body);
    index->at[axes[k]] = gj__local(l, loop->local);
    into = &loop->body;
  }
  return index;
}
