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

enum { STRIP = 32 }; // columns

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
  loop->d = l->stream;
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}

// A loop around others; the outermost asks for cancellation.
static gj_lblock *outer_loop(gj__lower *l, gj_lblock *into, gj__range range, bool polls,
                             const gj_lexpr **out_at) {
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, 0, 1);
  if (polls)
    gj__poll(l, &loop->body);
  *out_at = gj__local(l, loop->local);
  return &loop->body;
}

const gj__index *gj__nest_run(gj__lower *l, gj_lblock *into, gj__range range) {
  gj__index *index = gj__index_new(l);
  gj__enter(l, into);
  index->flat = true;
  index->at[0] = vector_loop(l, into, range, true);
  return index;
}

static gj__index *zero_index(gj__lower *l, const gj_type *type) {
  gj__index *index = gj__index_new(l);
  for (uint8_t i = 0; i < type->rank; i++)
    index->at[i] = gj__i64(l, 0);
  return index;
}

static gj__range whole_axis(gj__lower *l, const gj_type *type, uint8_t axis) {
  return (gj__range){gj__i64(l, 0), gj__dim(l, type->shape[axis])};
}

// With strips, a loop over strips of columns around the last two loops of a nest:
//
//   for c = 0 to columns step 32 { for o = rows { for i = c to min(c + 32, columns) vector { … } }
//   }
//
// A transposed operand is read down its columns, an element from each line of memory; the lines of
// one strip stay in the cache until the rows have used all of them. Narrows *range to the strip.
static gj_lblock *strip_loop(gj__lower *l, gj_lblock *into, gj__range *range, bool polls) {
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "c", range->lo, range->hi, STRIP, 0, 1);
  if (polls)
    gj__poll(l, &loop->body);
  const gj_lexpr *c = gj__local(l, loop->local);
  const gj_lexpr *end = gj__min(l, gj__add(l, c, gj__i64(l, STRIP)), range->hi);
  *range = (gj__range){c, gj__local(l, gj_ls_let(l->m, l->f, &loop->body, "end", end))};
  return &loop->body;
}

const gj__index *gj__nest(gj__lower *l, gj_lblock *into, const gj_type *type, bool flat,
                          const gj__range *ranges) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes);
  gj__enter(l, into);
  if (flat && count == 0)
    return l->origin;
  if (flat)
    return gj__nest_run(l, into, (gj__range){gj__i64(l, 0), gj__size(l, type, axes, count)});
  gj__index *index = zero_index(l, type);
  // With ranges, an axis of size 1 may be cut to nothing and so needs its loop.
  for (uint8_t i = 0; ranges && i < type->rank; i++)
    axes[i] = i;
  count = ranges ? type->rank : count;
  gj__range row = {gj__i64(l, 0), gj__i64(l, 1)};
  if (count)
    row = ranges ? ranges[axes[count - 1]] : whole_axis(l, type, axes[count - 1]);
  for (unsigned k = 0; k + 1 < count; k++) {
    bool strips = l->strips && k + 2 == count;
    if (strips)
      into = strip_loop(l, into, &row, k == 0);
    into = outer_loop(l, into, ranges ? ranges[axes[k]] : whole_axis(l, type, axes[k]),
                      k == 0 && !strips, &index->at[axes[k]]);
  }
  if (count)
    index->at[axes[count - 1]] = vector_loop(l, into, row, count == 1);
  return index;
}

// --- a share of a nest
// ---------------------------------------------------------------------------

// The step of outer loop `axis` that unit `share->begin` is in, and that behind the last one; the
// units of a step become the share of the loops inside.
static gj_lblock *share_loop(gj__lower *l, gj_lblock *into, gj__share *share, unsigned axis,
                             const gj_lexpr **out_at) {
  const gj_lexpr *one = gj__i64(l, 1), *zero = gj__i64(l, 0);
  const gj_lexpr *per = gj__let(l, "per", gj__units_per_step(l, &share->units, axis));
  const gj_lexpr *by = gj__max(l, per, one);
  const gj_lexpr *up = gj__add(l, share->end, gj__sub(l, per, one));
  gj__range range = {gj_lx_binary(l->m, GJ_OP_div, share->begin, by),
                     gj_lx_binary(l->m, GJ_OP_div, up, by)};
  into = outer_loop(l, into, range, axis == 0, out_at);
  gj__enter(l, into);
  const gj_lexpr *before = gj__let(l, "before", gj__mul(l, *out_at, per));
  share->begin = gj__let(l, "first", gj__max(l, gj__sub(l, share->begin, before), zero));
  share->end = gj__let(l, "last", gj__min(l, gj__sub(l, share->end, before), per));
  return into;
}

const gj__index *gj__nest_share(gj__lower *l, gj_lblock *into, const gj_type *type, bool flat,
                                const gj__share *share) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(type, axes), outer = share->units.outer;
  if (!share->divided)
    return gj__nest(l, into, type, flat, NULL);
  gj__enter(l, into);
  if (flat)
    return gj__nest_run(l, into, gj__share_elements(l, share, gj__size(l, type, axes, count)));
  gj__index *index = zero_index(l, type);
  gj__share rest = *share;
  bool strips = l->strips && count > 1 && !rest.units.blocks;
  gj__range row = {gj__i64(l, 0), gj__i64(l, 1)};
  if (count)
    row = whole_axis(l, type, axes[count - 1]);
  for (unsigned k = 0; k < outer; k++) {
    if (strips && k + 2 == count)
      into = strip_loop(l, into, &row, k == 0);
    if (k + 1 < outer || rest.units.blocks)
      into = share_loop(l, into, &rest, k, &index->at[axes[k]]);
    else
      into = outer_loop(l, into, (gj__range){rest.begin, rest.end},
                        k == 0 && !(strips && count == 2), &index->at[axes[k]]);
  }
  for (unsigned k = outer; k + 1 < count; k++) {
    if (strips && k + 2 == count)
      into = strip_loop(l, into, &row, false);
    into = outer_loop(l, into, whole_axis(l, type, axes[k]), false, &index->at[axes[k]]);
  }
  if (rest.units.blocks)
    row = gj__share_elements(l, &rest, row.hi);
  const gj_lexpr *at = vector_loop(l, into, row, rest.units.blocks);
  if (count)
    index->at[axes[count - 1]] = at;
  return index;
}
