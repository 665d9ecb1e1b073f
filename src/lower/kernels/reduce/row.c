// Reductions in rows: the innermost axis is reduced, elements of a result stand in a run.
//
// All reduced axes together, in row-major order, are one row of n elements, however the operand is
// stored. It is cut into segments of SEGMENT elements, and those into blocks of GROUPS · lanes
// elements. Lane l of a block joins its GROUPS elements l, l + lanes, … pairwise and adds the
// result to its running value; elements that the last block lacks count as neutral. After a segment
// lane l takes over lane l + lanes/2, then lanes/4 and so on, and what is left in lane 0 joins the
// running value of the row. So the order depends on n alone: not on target, thread count, the way
// operands are read, or what else the kernel computes. (Only float sums and products care about it,
// if they are not to be fast; else the lanes fill a cache line instead of being 16.)
//
// Where the row is no run of memory, because several axes are reduced and an operand is not stored
// in their order, elements are first staged in an array, innermost axis by innermost axis. So are
// those of the last block, behind which the array holds neutral elements.
#include "lower/kernels/reduce/reduce.h"

#include <string.h>

const gj_lexpr *gj__reduced_size(const gj__reduction *x) {
  return x->loop_count ? gj__size(x->l, &x->domain, x->loops, x->loop_count) : gj__i64(x->l, 1);
}

enum { LANES = 16, LINE = 64, STAGED = 1024, STAGED_BYTES = 1 << 15 };

static int64_t block_size(const gj__reduction *x) { return GJ__GROUPS * x->lanes; }

// --- elements ---

const gj__index *gj__at_row(gj__reduction *x, const gj__index *index, const gj_lexpr *i) {
  gj__index *at = gj__index_new(x->l);
  *at = *index;
  if (index->row)
    at->col = i;
  if (x->flat || index->row)
    at->at[0] = gj__add(x->l, index->at[0], i);
  else if (x->loop_count > 0)
    at->at[x->loops[x->loop_count - 1]] = i;
  return at;
}

const gj__index *gj__at_rest(gj__reduction *x, const gj__index *index, const gj_lexpr *i,
                             unsigned count) {
  gj__lower *l = x->l;
  gj__index *at = gj__index_new(l);
  *at = *index;
  for (unsigned k = count; k-- > 0;) {
    const gj_lexpr *size = gj__dim(l, x->domain.shape[x->loops[k]]);
    at->at[x->loops[k]] = k == 0 ? i : gj__let(l, "i", gj_lx_binary(l->m, GJ_OP_rem, i, size));
    if (k > 0)
      i = gj__let(l, "q", gj_lx_binary(l->m, GJ_OP_div, i, size));
  }
  return at;
}

// Whether an element is found by its number in the row alone.
static bool is_direct(const gj__reduction *x) { return x->flat || x->loop_count <= 1; }

static bool runs(const gj__reducer *r) { return !r->counts && !r->searches; }

bool gj__only_counts(const gj__reduction *x) {
  for (uint32_t k = 0; k < x->count; k++)
    if (!x->reducers[k].counts)
      return false;
  return true;
}

// Fills element `to` + i of the stages from elements `from` + i of the row, for i below `count`.
// `index` has its place on the other axes.
static void stage_run(gj__reduction *x, gj_lblock *into, const gj__index *index,
                      const gj_lexpr *from, const gj_lexpr *to, const gj_lexpr *number,
                      const gj_lexpr *count) {
  gj__lower *l = x->l;
  const gj_lexpr *i = gj__vector_loop(l, into, "t", count, 1);
  const gj__index *at = gj__at_row(x, index, gj__add(l, from, i));
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (runs(r))
      gj__stage(r, r->stage, gj__add(l, to, i), gj__element_at(x, r, at, gj__add(l, number, i)));
  }
}

static void clear_stages(gj__reduction *x, gj_lblock *into, int64_t size) {
  gj__lower *l = x->l;
  const gj_lexpr *i = gj__vector_loop(l, into, "t", gj__i64(l, size), 1);
  for (uint32_t k = 0; k < x->count; k++)
    if (runs(&x->reducers[k]))
      gj__stage(&x->reducers[k], x->reducers[k].stage, i, gj__neutral(&x->reducers[k]));
}

static void make_stages(gj__reduction *x, gj_lblock *into, int64_t size) {
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (!runs(r))
      continue;
    r->stage.local[0] = gj_ls_array(x->l->m, x->l->f, into, "stage", r->from, size);
    if (r->fold == GJ__FOLD_INDEXED)
      r->stage.local[1] = gj_ls_array(x->l->m, x->l->f, into, "stage_at",
                                      gj_graph_node(x->l->graph, r->index)->type.dtype, size);
  }
}

// --- blocks ---

// Adds GROUPS elements per lane, the first at number `first` of the row, or (without `index`) of
// the stages.
static void add_block(gj__reduction *x, gj_lblock *into, const gj__index *index,
                      const gj_lexpr *first) {
  gj__lower *l = x->l;
  const gj_lexpr *lane = gj__vector_loop(l, into, "l", gj__i64(l, x->lanes), x->factor);
  const gj_lexpr *place[GJ__GROUPS];
  const gj__index *at[GJ__GROUPS];
  for (int64_t g = 0; g < GJ__GROUPS; g++) {
    place[g] = gj__add(l, gj__add(l, first, gj__i64(l, g * x->lanes)), lane);
    at[g] = index ? gj__at_row(x, index, place[g]) : NULL;
  }
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    gj__element e[GJ__GROUPS];
    if (!runs(r))
      continue;
    for (int64_t g = 0; g < GJ__GROUPS; g++)
      e[g] = gj__widened(r, index ? gj__element_at(x, r, at[g], place[g])
                                  : gj__staged(r, r->stage, place[g]));
    for (int64_t step = 1; step < GJ__GROUPS; step *= 2)
      for (int64_t g = 0; g < GJ__GROUPS; g += 2 * step)
        e[g] = gj__joined(r, e[g], e[g + step]);
    gj__state_add(r, r->lanes, lane, e[0]);
  }
}

static void add_blocks(gj__reduction *x, gj_lblock *into, const gj__index *index,
                       const gj_lexpr *lo, const gj_lexpr *hi) {
  gj__lower *l = x->l;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "b", lo, hi, block_size(x), 0, 1);
  if (x->first && x->flat)
    gj__fetch_ahead(l, &loop->body, &x->domain, gj__add(l, index->at[0], gj__local(l, loop->local)),
                    block_size(x));
  add_block(x, &loop->body, index, gj__local(l, loop->local));
}

// Stages elements `lo` … `hi` of a row that is no run of memory, a part of its innermost axis at a
// time.
static void stage_parts(gj__reduction *x, gj_lblock *into, const gj__index *index,
                        const gj_lexpr *lo, const gj_lexpr *hi) {
  gj__lower *l = x->l;
  unsigned last = x->loop_count - 1;
  const gj_lexpr *inner = gj__dim(l, x->domain.shape[x->loops[last]]);
  uint32_t next = gj_ls_let(l->m, l->f, into, "p", lo);
  gj_lstmt *loop =
      gj_ls_while(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, gj__local(l, next), hi));
  gj__enter(l, &loop->body);
  const gj_lexpr *p = gj__let(l, "first", gj__local(l, next));
  const gj_lexpr *at = gj__let(l, "at", gj_lx_binary(l->m, GJ_OP_rem, p, inner));
  const gj_lexpr *count = gj__let(l, "count", gj__min(l, gj__sub(l, inner, at), gj__sub(l, hi, p)));
  const gj_lexpr *rest = gj__let(l, "q", gj_lx_binary(l->m, GJ_OP_div, p, inner));
  const gj__index *outer = gj__at_rest(x, index, rest, last);
  stage_run(x, &loop->body, outer, at, gj__sub(l, p, lo), p, count);
  gj_ls_set(l->m, l->f, &loop->body, next, gj__add(l, p, count));
}

// How many elements are staged at a time: no more than what the caches hardly notice.
static int64_t staged_size(const gj__reduction *x) {
  int64_t bytes = 1, size = STAGED;
  for (uint32_t k = 0; k < x->count; k++)
    bytes += 2 * (int64_t)gj_dtype_bytes(x->reducers[k].from);
  while (size > block_size(x) && size * bytes > STAGED_BYTES)
    size /= 2;
  return size;
}

static void add_staged(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  gj__lower *l = x->l;
  int64_t size = staged_size(x);
  make_stages(x, into, size);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "s", range.lo, range.hi, size, 0, 1);
  const gj_lexpr *lo = gj__local(l, loop->local);
  gj__enter(l, &loop->body);
  const gj_lexpr *hi = gj__let(l, "end", gj__min(l, gj__add(l, lo, gj__i64(l, size)), range.hi));
  const gj_lexpr *count = gj__let(l, "count", gj__sub(l, hi, lo));
  gj_lstmt *part =
      gj_ls_if(l->m, l->f, &loop->body, gj_lx_binary(l->m, GJ_OP_lt, count, gj__i64(l, size)));
  clear_stages(x, &part->body, size);
  stage_parts(x, &loop->body, index, lo, hi);
  add_blocks(x, &loop->body, NULL, gj__i64(l, 0), count);
}

// The last block, of fewer elements than others.
static void add_rest(gj__reduction *x, gj_lblock *into, const gj__index *index, const gj_lexpr *lo,
                     const gj_lexpr *hi) {
  gj__lower *l = x->l;
  make_stages(x, into, block_size(x));
  clear_stages(x, into, block_size(x));
  gj__enter(l, into);
  const gj_lexpr *count = gj__keep(l, "rest", gj__sub(l, hi, lo));
  stage_run(x, into, index, lo, gj__i64(l, 0), lo, count);
  add_block(x, into, NULL, gj__i64(l, 0));
}

static void add_direct(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  gj__lower *l = x->l;
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  const gj_lexpr *full = gj_lx_binary(l->m, GJ_OP_and, length, gj__i64(l, -block_size(x)));
  gj__enter(l, into);
  if (length->kind == GJ_LX_CONST) {
    int64_t size = length->value.v.i, whole = size & -block_size(x);
    const gj_lexpr *end = gj__add(l, range.lo, gj__i64(l, whole));
    if (whole)
      add_blocks(x, into, index, range.lo, end);
    if (whole < size)
      add_rest(x, into, index, end, range.hi);
    return;
  }
  const gj_lexpr *end = gj__let(l, "full", gj__add(l, range.lo, full));
  add_blocks(x, into, index, range.lo, end);
  gj_lstmt *rest = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, end, range.hi));
  add_rest(x, &rest->body, index, end, range.hi);
}

// --- segments ---

static void fold_lanes(gj__reduction *x, gj_lblock *into) {
  gj__lower *l = x->l;
  for (int64_t half = x->lanes / 2; half > 0; half /= 2) {
    const gj_lexpr *low = gj__vector_loop(l, into, "l", gj__i64(l, half), x->factor);
    for (uint32_t k = 0; k < x->count; k++)
      if (runs(&x->reducers[k]))
        gj__state_merge(&x->reducers[k], x->reducers[k].lanes, low, x->reducers[k].lanes,
                        gj__add(l, low, gj__i64(l, half)));
  }
}

void gj__reduce_segment(gj__reduction *x, gj_lblock *into, const gj__index *index,
                        gj__range range) {
  gj__lower *l = x->l;
  for (uint32_t k = 0; k < x->count; k++)
    if (runs(&x->reducers[k]))
      x->reducers[k].lanes = gj__state_new(&x->reducers[k], into, "acc", x->lanes);
  const gj_lexpr *lane = gj__vector_loop(l, into, "l", gj__i64(l, x->lanes), x->factor);
  for (uint32_t k = 0; k < x->count; k++)
    if (runs(&x->reducers[k]))
      gj__state_clear(&x->reducers[k], x->reducers[k].lanes, lane);
  if (is_direct(x))
    add_direct(x, into, index, range);
  else
    add_staged(x, into, index, range);
  fold_lanes(x, into);
}

static bool any_runs(const gj__reduction *x) {
  for (uint32_t k = 0; k < x->count; k++)
    if (runs(&x->reducers[k]))
      return true;
  return false;
}

// Elements one by one, to the running values of the row.
static void add_singly(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  gj__lower *l = x->l;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "i", range.lo, range.hi, 1, GJ_LOOP_UNROLL, 1);
  const gj_lexpr *i = gj__local(l, loop->local);
  gj__enter(l, &loop->body);
  const gj__index *at =
      is_direct(x) ? gj__at_row(x, index, i) : gj__at_rest(x, index, i, x->loop_count);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (runs(r))
      gj__state_add(r, r->total, NULL, gj__widened(r, gj__element_at(x, r, at, i)));
  }
}

// What they come to by themselves joins the running values of the row, as that of any segment does.
static void add_brief(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (!runs(r))
      continue;
    r->lanes = r->total;
    r->total = gj__state_new(r, into, "brief", 0);
  }
  add_singly(x, into, index, range);
  gj__enter(x->l, into);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (!runs(r))
      continue;
    gj__state_merge(r, r->lanes, NULL, r->total, NULL);
    r->total = r->lanes;
  }
}

// One segment: what it comes to joins the running values of the row.
void gj__add_segment(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  gj__lower *l = x->l;
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  bool fixed = length->kind == GJ_LX_CONST;
  if (fixed && length->value.v.i < GJ__SHORT) {
    add_singly(x, into, index, range);
    return;
  }
  if (!fixed) {
    gj_lstmt *brief =
        gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, length, gj__i64(l, GJ__SHORT)));
    add_brief(x, &brief->body, index, range);
    into = &brief->orelse;
  }
  gj__reduce_segment(x, into, index, range);
  gj__enter(l, into);
  for (uint32_t k = 0; k < x->count; k++)
    if (runs(&x->reducers[k]))
      gj__state_merge(&x->reducers[k], x->reducers[k].total, NULL, x->reducers[k].lanes,
                      gj__i64(l, 0));
}

void gj__row_start(gj__reduction *x, gj_lblock *into) {
  for (uint32_t k = 0; k < x->count; k++)
    if (!x->reducers[k].counts)
      x->reducers[k].total = gj__state_new(&x->reducers[k], into, "total", 0);
}

void gj__row_segment(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range) {
  if (any_runs(x))
    gj__add_segment(x, into, index, range);
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].searches)
      gj__search_segment(x, &x->reducers[k], into, index, range);
}

void gj__row_end(gj__reduction *x, gj_lblock *into, const gj__index *index, const gj_lexpr *size) {
  gj__enter(x->l, into);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (runs(r))
      gj__state_result(r, r->total, NULL, size);
    if (r->searches)
      gj__search_end(x, r, into, index, size);
    if (r->counts)
      r->value = gj__element_count(x, r);
  }
}

// --- entry ---

// A flat index will do when the kept axes all stand in front and every operand is flat.
bool gj__reduces_flat(const gj__reduction *x) {
  bool reducing = false;
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    bool reduced = (x->axes & (1u << i)) != 0;
    if (x->domain.shape[i] != 1 && reducing && !reduced)
      return false;
    reducing = reducing || (reduced && x->domain.shape[i] != 1);
  }
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    bool indexed = r->fold == GJ__FOLD_INDEXED && !r->searches;
    if (!gj__is_flat(x->l, r->arg) || (indexed && !gj__is_flat(x->l, r->index)))
      return false;
  }
  return true;
}

// 16 lanes where the order shows in the result, else as many as fill a cache line.
static void choose_lanes(gj__reduction *x) {
  size_t widest = 1;
  bool widens = false, ordered = false;
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    size_t bytes = gj_dtype_bytes(r->from);
    if (r->counts)
      continue;
    widest = bytes > widest ? bytes : widest;
    ordered =
        ordered || (gj_dtype_is_float(r->from) &&
                    (r->combine == GJ_OP_add || r->combine == GJ_OP_mul) && !x->l->reassociate);
    widens = widens || (r->acc != r->from && x->l->plan->home[r->arg] == GJ_NO_BUFFER);
  }
  bool is_wide = widest > LINE / LANES && !x->l->reassociate;
  x->lanes = ordered || is_wide ? LANES : (int64_t)(LINE / widest);
  x->factor = widens && widest <= 4 ? 2 : 1;
}

// argmin or argmax whose indices are the positions along the reduced axis.
static bool is_search(const gj__reduction *x, const gj__reducer *r) {
  if (!r->index || x->loop_count != 1)
    return false;
  const gj_node *index = gj_graph_node(x->l->graph, r->index);
  gj_dim size = x->domain.shape[x->loops[0]];
  if (gj_dim_is_const(size) && size < GJ__SHORT)
    return false;
  bool wide = index->type.dtype == GJ_DTYPE_i64 || index->type.dtype == GJ_DTYPE_u64;
  return wide && index->op == GJ_OP_iota && index->type.rank == x->domain.rank &&
         gj_node_int(index, GJ_ATTR_axis) == x->loops[0] && index->type.shape[x->loops[0]] == size;
}

void gj__reduction_init(gj__reduction *x) {
  uint8_t innermost = 0;
  x->loop_count = 0;
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    if (x->domain.shape[i] == 1)
      continue;
    innermost = i;
    if (x->axes & (1u << i))
      x->loops[x->loop_count++] = i;
  }
  x->rows = x->loop_count > 0 && (x->axes & (1u << innermost)) != 0;
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    r->searches = x->rows && is_search(x, r);
  }
  x->flat = gj__reduces_flat(x);
  choose_lanes(x);
}

void gj__reduce(gj__reduction *x, gj_lblock *into, const gj__index *index) {
  gj__lower *l = x->l;
  const gj_lexpr *size = gj__only_counts(x) ? NULL : gj__reduced_size(x);
  gj__row_start(x, into);
  if (gj__has_moments(x))
    gj__find_centres(x, into, index, size);
  if (size) {
    gj__range range;
    gj_lblock *block = gj__chunks(l, into, gj__i64(l, 0), size, GJ__SEGMENT, &range);
    gj__row_segment(x, block, index, range);
  }
  gj__row_end(x, into, index, size);
}
