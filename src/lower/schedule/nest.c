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
  loop->d = l->stream;
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}

// A loop around others; the outermost asks for cancellation. `tile`: the vector loop is all there
// is in it, and both may be done in tiles.
static gj_lblock *outer_loop(gj__lower *l, gj_lblock *into, gj__range range, bool polls, bool tile,
                             const gj_lexpr **out_at) {
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, tile ? GJ_LOOP_TILE : 0, 1);
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

// Loops over `axes` in this order, each over its range. With tiles, the loop over l->tile_axis goes
// next to the innermost: an operand is contiguous along that one.
static const gj__index *nest_of(gj__lower *l, gj_lblock *into, const gj_type *type, uint8_t *axes,
                                unsigned count, const gj__range *ranges) {
  gj__index *index = zero_index(l, type);
  for (unsigned k = 0; l->tiles && k + 2 < count; k++) {
    if (axes[k] == l->tile_axis) {
      axes[k] = axes[k + 1];
      axes[k + 1] = l->tile_axis;
    }
  }
  for (unsigned k = 0; k + 1 < count; k++)
    into = outer_loop(l, into, ranges[axes[k]], k == 0, l->tiles && k + 2 == count,
                      &index->at[axes[k]]);
  gj__range row = {gj__i64(l, 0), gj__i64(l, 1)};
  const gj_lexpr *at = vector_loop(l, into, count ? ranges[axes[count - 1]] : row, count == 1);
  if (count)
    index->at[axes[count - 1]] = at;
  return index;
}

static void whole_axes(gj__lower *l, const gj_type *type, gj__range *out) {
  for (uint8_t i = 0; i < type->rank; i++)
    out[i] = whole_axis(l, type, i);
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
  gj__range whole[GJ_MAX_RANK];
  // With ranges, an axis of size 1 may be cut to nothing and so needs its loop.
  for (uint8_t i = 0; ranges && i < type->rank; i++)
    axes[i] = i;
  if (ranges)
    return nest_of(l, into, type, axes, type->rank, ranges);
  whole_axes(l, type, whole);
  return nest_of(l, into, type, axes, count, whole);
}

// --- a share of a nest ---

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
  into = outer_loop(l, into, range, axis == 0, false, out_at);
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
  gj__share rest = *share;
  gj__range ranges[GJ_MAX_RANK];
  whole_axes(l, type, ranges);
  if (outer == 1 && !rest.units.blocks) {
    ranges[axes[0]] = (gj__range){rest.begin, rest.end};
    return nest_of(l, into, type, axes, count, ranges);
  }
  gj__index *index = zero_index(l, type);
  for (unsigned k = 0; k < outer; k++) {
    if (k + 1 < outer || rest.units.blocks)
      into = share_loop(l, into, &rest, k, &index->at[axes[k]]);
    else
      into = outer_loop(l, into, (gj__range){rest.begin, rest.end}, k == 0,
                        l->tiles && k + 2 == count, &index->at[axes[k]]);
  }
  for (unsigned k = outer; k + 1 < count; k++)
    into = outer_loop(l, into, ranges[axes[k]], false, l->tiles && k + 2 == count,
                      &index->at[axes[k]]);
  gj__range row = {gj__i64(l, 0), gj__i64(l, 1)};
  if (count)
    row = ranges[axes[count - 1]];
  if (rest.units.blocks)
    row = gj__share_elements(l, &rest, row.hi);
  const gj_lexpr *at = vector_loop(l, into, row, rest.units.blocks);
  if (count)
    index->at[axes[count - 1]] = at;
  return index;
}

gj_lblock *gj__rows_loop(gj__lower *l, const char *name, const gj_type *rows,
                         const gj__index **out_index, const gj_lexpr **out_flat) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(rows, axes);
  gj__share share = gj__share_of(l, 0);
  gj__range range = {gj__i64(l, 0), gj__size(l, rows, axes, count)};
  if (share.divided)
    range = (gj__range){share.begin, share.end};
  gj_lblock *into = &l->f->body;
  gj__index *flat = gj__index_new(l);
  *flat = (gj__index){.flat = true, .at = {gj__i64(l, 0)}};
  if (count > 0) {
    gj_lstmt *each = gj_ls_for(l->m, l->f, into, name, range.lo, range.hi, 1, 0, 1);
    gj__poll(l, &each->body);
    into = &each->body;
    flat->at[0] = gj__local(l, each->local);
  }
  gj__enter(l, into);
  if (out_flat)
    *out_flat = flat->at[0];
  *out_index = gj__unflatten(l, rows, flat);
  return into;
}
