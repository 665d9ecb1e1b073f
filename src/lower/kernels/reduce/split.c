// Few and long rows: the segments of a row are shared among threads.
//
//   func k0_part(…, parts, base, begin, end)    segments begin … end of a row, each to its own
//                                               running values, element segment - base of `parts`
//   func k0(…)
//     for each row
//       for base = 0 to segments step BATCH
//         parallel k0_part(…, parts, base) over base to base + BATCH
//         join `parts` in order
//
// A row that is not split goes through the same segments in the same order (row.c), so the
// bits are the same, however many threads there are and whether rows are split at all. Batches keep
// the parts in an array of fixed size; a batch is work for milliseconds, against which its end
// costs nothing.
//
// Left out: rows of which there are more than a few, which are divided row by row, and kernels of
// many reductions, whose parts would take much of the stack.
#include "lower/kernels/reduce/reduce.h"

enum {
  BATCH = 256,    // segments
  FEW = 16,       // rows; more are enough for any number of threads that memory can feed
  WORTHWHILE = 4, // segments of one row; with fewer, rows are divided where there are several
};

int64_t gj__known_size(const gj__reduction *x, const uint8_t *axes, unsigned count) {
  gj_dims *dims = gj_graph_dims(x->l->graph);
  gj_dim size = 1;
  for (unsigned k = 0; k < count; k++)
    size = gj_dim_mul(dims, size, x->domain.shape[axes[k]]);
  return gj_dim_is_const(size) && size > 0 ? size : 0;
}

bool gj__splits_rows(const gj__reduction *x) {
  if (!x->rows || x->count > GJ__SPLIT_REDUCERS || gj__only_counts(x))
    return false;
  uint8_t axes[GJ_MAX_RANK], count = gj__kept_axes(x, axes);
  int64_t rows = gj__known_size(x, axes, count), size = gj__known_size(x, x->loops, x->loop_count);
  if (rows == 0 || rows >= FEW)
    return false;
  if (size == 0)
    return true;
  return size > GJ__SEGMENT && size / 2 > x->l->work.piece &&
         (rows == 1 || size >= WORTHWHILE * GJ__SEGMENT);
}

// The axes, or places of a flat index, that say which row it is.
static uint8_t row_axes(const gj__reduction *x, uint8_t axes[GJ_MAX_RANK]) {
  uint8_t count = gj__kept_axes(x, axes);
  if (x->flat && count) {
    axes[0] = 0;
    return 1;
  }
  return count;
}

static const gj_lexpr *param(gj__lower *l, const char *name, gj_dtype dtype) {
  return gj__local(l, gj_lfunc_param(l->m, l->f, name, gj_ltype_scalar(dtype), 0));
}

gj__range gj__part_range(gj__lower *l, const gj_lexpr **out_base) {
  *out_base = param(l, "base", GJ_DTYPE_i64);
  const gj_lexpr *begin = param(l, "begin", GJ_DTYPE_i64), *end = param(l, "end", GJ_DTYPE_i64);
  return (gj__range){begin, end};
}

// --- the part ---

void gj__reduce_part(gj__reduction *x) {
  gj__lower *l = x->l;
  gj__index *index = gj__index_new(l);
  uint8_t axes[GJ_MAX_RANK], count = row_axes(x, axes);
  index->flat = x->flat;
  index->at[0] = gj__i64(l, 0); // a flat index of a scalar has no axis to go by
  for (uint8_t i = 0; i < x->domain.rank; i++)
    index->at[i] = gj__i64(l, 0);
  for (uint8_t k = 0; k < count; k++)
    index->at[axes[k]] = param(l, "row", GJ_DTYPE_i64);
  gj__state parts[GJ__SPLIT_REDUCERS] = {{false, {0}}};
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->fold == GJ__FOLD_MOMENTS)
      r->centre = param(l, "centre", GJ_DTYPE_f64);
    if (!r->counts)
      parts[k] = gj__state_params(r);
  }
  const gj_lexpr *base;
  gj__range share = gj__part_range(l, &base);
  gj__enter(l, &l->f->body);
  const gj_lexpr *size = gj__reduced_size(x);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, &l->f->body, "s", share.lo, share.hi, 1, 0, 1);
  gj_lblock *into = &loop->body;
  const gj_lexpr *s = gj__local(l, loop->local), *length = gj__i64(l, GJ__SEGMENT);
  gj__poll(l, into);
  gj__enter(l, into);
  const gj_lexpr *lo = gj__let(l, "lo", gj__mul(l, s, length));
  const gj_lexpr *hi = gj__let(l, "hi", gj__min(l, gj__add(l, lo, length), size));
  gj__row_start(x, into);
  gj__row_segment(x, into, index, (gj__range){lo, hi});
  gj__enter(l, into);
  for (uint32_t k = 0; k < x->count; k++)
    if (!x->reducers[k].counts)
      gj__state_copy(&x->reducers[k], parts[k], gj__sub(l, s, base), x->reducers[k].total, NULL);
}

// --- its caller ---

const gj_lexpr **gj__part_args(gj__lower *l) {
  const gj_lexpr **args = gj_arena_array(&l->scratch, l->work.part->param_count + 1, sizeof *args);
  l->out_of_memory = l->out_of_memory || !args;
  for (uint32_t i = 0; args && i < l->param_count; i++)
    args[i] = gj__local(l, i);
  return args;
}

void gj__call_part(gj__lower *l, gj_lblock *into, const gj_lexpr **args, uint32_t count,
                   gj__range batch, int64_t segment) {
  gj_scalar ok = {.dtype = GJ_DTYPE_i32, .v.i = GJ_OK};
  const gj_lexpr *grain = gj__i64(l, l->work.piece / segment > 1 ? l->work.piece / segment : 1);
  const gj_lexpr *status = gj__let(
      l, "status", gj_lx_parallel(l->m, l->work.part, args, count, batch.lo, batch.hi, grain));
  gj_lstmt *stop =
      gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_ne, status, gj_lx_const(l->m, ok)));
  gj_ls_return(l->m, l->f, &stop->body, status);
}

// The segments in `batch` of the row at `index`.
static void call_part(gj__reduction *x, gj_lblock *into, const gj__index *index,
                      const gj__state *parts, gj__range batch) {
  gj__lower *l = x->l;
  uint8_t axes[GJ_MAX_RANK], count = row_axes(x, axes);
  uint32_t n = (uint32_t)l->param_count;
  const gj_lexpr **args = gj__part_args(l);
  if (!args)
    return;
  for (uint8_t k = 0; k < count; k++)
    args[n++] = index->at[axes[k]];
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    if (r->fold == GJ__FOLD_MOMENTS)
      args[n++] = r->centre;
    if (!r->counts)
      n += gj__state_args(r, parts[k], args + n);
  }
  args[n++] = batch.lo;
  gj__call_part(l, into, args, n, batch, GJ__SEGMENT);
}

void gj__reduce_by_parts(gj__reduction *x, gj_lblock *into, const gj__index *index) {
  gj__lower *l = x->l;
  gj__enter(l, into);
  const gj_lexpr *size = gj__reduced_size(x);
  gj__state parts[GJ__SPLIT_REDUCERS] = {{false, {0}}};
  for (uint32_t k = 0; k < x->count; k++)
    if (!x->reducers[k].counts)
      parts[k] = gj__state_new(&x->reducers[k], into, "parts", BATCH);
  gj__row_start(x, into);
  if (gj__has_moments(x))
    gj__find_centres(x, into, index, size);
  gj__enter(l, into);
  const gj_lexpr *up = gj__add(l, size, gj__i64(l, GJ__SEGMENT - 1));
  const gj_lexpr *segments =
      gj__let(l, "segments", gj_lx_binary(l->m, GJ_OP_div, up, gj__i64(l, GJ__SEGMENT)));
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "c", gj__i64(l, 0), segments, BATCH, 0, 1);
  const gj_lexpr *base = gj__local(l, loop->local);
  gj__enter(l, &loop->body);
  const gj_lexpr *end =
      gj__let(l, "end", gj__min(l, gj__add(l, base, gj__i64(l, BATCH)), segments));
  call_part(x, &loop->body, index, parts, (gj__range){base, end});
  gj_lstmt *joins =
      gj_ls_for(l->m, l->f, &loop->body, "s", gj__i64(l, 0), gj__sub(l, end, base), 1, 0, 1);
  gj__enter(l, &joins->body);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (!r->counts)
      gj__state_merge(r, r->total, NULL, parts[k], gj__local(l, joins->local));
  }
  gj__row_end(x, into, index, size);
}
