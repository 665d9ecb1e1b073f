// Running reductions in rows: the axis is the innermost that has a loop.
//
//   element i      P[i] = P[i - 8] ∘ W[i]            W[i] joins the 8 elements up to i
//   W[i]           pairs of neighbours, then x[i - 2], then x[i - 4] (Hillis and Steele, Data
//                  Parallel Algorithms, CACM 29, 1986)
//
// A group of LANES elements is made at a time. Each step needs the group before beside this one, in
// arrays all places in which are constants, so that they live in registers (codegen/emit/pieces.c).
// What is carried is LANES running values that nothing is broadcast from: one join per group, which
// leaves the processor free to begin the next. Before a row nothing is joined but neutral values,
// in front of the group.
//
// A row is cut into segments. Before a segment the running values are all what the segments before
// come to, each reduced by itself in the order of whole reductions (kernels/reduce/row.c), and
// joined in order. So threads may share a row, of which B segments are a batch:
//
//   func k0_part(…, row, parts, begin, end)        steps begin … end of a row
//     step s: running values of segment s - B, from its part on
//             part of segment s = what it comes to
//   func k0(…)
//     for c = 0 to segments + B step B
//       parallel k0_part(…) over c to c + B
//       parts of segments c to c + B: what is in front of each
//
// So the elements of one batch are written while those of the next are read for the first time, by
// the same loop. Apart the one would wait for what memory takes, and then the other for what it
// gives: sums of 40 MB and of 80 MB take two threads of Zen 4 a sixth longer so.
//
// A row that one thread makes goes through each segment twice too, while it is in the first cache.
// The bits are the same whatever the number of threads, as the order depends on sizes alone.
//
// What a float sum carries is kept as in whole sums (kernels/reduce/state.c): for f32 in f64, as
// elements are before they are joined, for f64 as a pair (hi, lo) by Knuth's TwoSum. So errors do
// not grow with the length. Integers, which join in a cycle or two, go one by one instead of in
// groups.
//
// Nothing is fetched ahead (fetch.c): the stores that stand between the loads come from as many
// pages themselves, and sums of 80 MB take one thread of Zen 4 two fifths longer with it.
//
// Left out: elements that are costly to compute are stored before where there may be several
// segments (passes/stored.c), as they are asked for twice.
#include "lower/kernels/cumulate.h"

#include "passes/plan.h"

enum {
  LANES = 8,
  STEPS = 3, // 2^STEPS is LANES
  SEGMENT = GJ_CUMULATE_SEGMENT,
  BATCH_BYTES = 1 << 21, // of elements; the last cache holds two batches, and results of one
  BLOCK = 1 << 12,       // integers between polls
  FEW = 16,              // rows; more are enough for any number of threads that memory can feed
  WORTHWHILE = 8         // segments of a row that is shared
};

typedef struct rows {
  gj__scan *s;
  gj__lower *l;
  gj__reduction whole;          // of segments
  const gj_lexpr *size;         // of the row
  const gj_lexpr *start;        // flat position of its first element
  const gj__index *row;         // where it is
  const gj_lexpr *steps[STEPS]; // the group before and this one, elements joined by 1, 2 and 4
  const gj_lexpr *last;         // a group that is not whole
  gj__state run;                // a running value per lane
} rows;

static gj__reducer *reducer(const rows *r) { return &r->s->reducer; }

// Segments of a batch, a power of two. There are parts for two, one that is scanned and one that is
// reduced.
static int64_t batch_of(const rows *r) {
  return BATCH_BYTES / SEGMENT / (int64_t)gj_dtype_bytes(r->s->type.dtype);
}

static bool is_float(const rows *r) { return gj_dtype_is_float(r->s->type.dtype); }

static const gj_lexpr *lanes(const rows *r, gj_lblock *into) {
  return gj__vector_loop(r->l, into, "i", gj__i64(r->l, LANES), 1);
}

static const gj_lexpr *neutral(const rows *r) { return gj_lx_const(r->l->m, reducer(r)->start); }

static const gj_lexpr *loop(const rows *r, gj_lblock *into, gj__range range, uint8_t marks) {
  gj__lower *l = r->l;
  gj_lstmt *made = gj_ls_for(l->m, l->f, into, "i", range.lo, range.hi, 1, marks, 1);
  gj__enter(l, &made->body);
  return gj__local(l, made->local);
}

// The element at position i of the row.
static const gj_lexpr *element(const rows *r, const gj_lexpr *i) {
  gj__index *at = gj__index_new(r->l);
  *at = *r->row;
  at->at[r->s->axis] = i;
  return gj__value(r->l, r->s->arg, at);
}

static const gj_lexpr *widened(const rows *r, const gj_lexpr *v) {
  return gj__widened(reducer(r), (gj__element){v, NULL}).v;
}

// --- groups ---

static void arrays_new(rows *r, gj_lblock *into) {
  gj__lower *l = r->l;
  for (int k = 0; k < STEPS; k++)
    r->steps[k] = gj__local(l, gj_ls_array(l->m, l->f, into, "window", reducer(r)->acc, 2 * LANES));
  r->run = gj__state_new(reducer(r), into, "run", LANES);
  r->last = gj__local(l, gj_ls_array(l->m, l->f, into, "last", r->s->type.dtype, LANES));
}

// A group that stands in no memory of the row is not used in full, and filled nevertheless.
static void clear_last(const rows *r, gj_lblock *into) {
  gj__lower *l = r->l;
  gj_scalar start = gj_scalar_eval(GJ_OP_convert, &reducer(r)->start, r->s->type.dtype);
  const gj_lexpr *i = lanes(r, into);
  gj_ls_store(l->m, l->f, l->block, r->last, i, gj_lx_const(l->m, start));
}

// Element i of this group, `back` before it, in the array of a step.
static const gj_lexpr *joined_by(const rows *r, int step, const gj_lexpr *i, int64_t back) {
  const gj_lexpr *at = gj__add(r->l, gj__i64(r->l, LANES - back), i);
  return gj_lx_load(r->l->m, r->steps[step], at, 1);
}

// Nothing stands before a segment but what `base` says, at `place` of it.
static void begin_segment(const rows *r, gj_lblock *into, gj__state base, const gj_lexpr *place) {
  gj__lower *l = r->l;
  const gj_lexpr *i = lanes(r, into);
  for (int k = 0; k < STEPS; k++)
    gj_ls_store(l->m, l->f, l->block, r->steps[k], i, neutral(r));
  gj__state_copy(reducer(r), r->run, i, base, place);
}

// Writes element i of the group, of which the first step has its elements, to out[place + i].
static void run_group(const rows *r, gj_lblock *into, const gj_lexpr *out, const gj_lexpr *place) {
  gj__lower *l = r->l;
  const gj_lexpr *i;
  for (int k = 0; k < STEPS; k++) {
    i = lanes(r, into);
    gj__element before = {joined_by(r, k, i, (int64_t)1 << k), NULL};
    gj__element own = {joined_by(r, k, i, 0), NULL};
    gj__element both = gj__joined(reducer(r), before, own);
    if (k + 1 < STEPS) {
      const gj_lexpr *at = gj__add(l, gj__i64(l, LANES), i);
      gj_ls_store(l->m, l->f, l->block, r->steps[k + 1], at, both.v);
      continue;
    }
    gj__state_add(reducer(r), r->run, i, both);
    gj__state_result(reducer(r), r->run, i, NULL);
    gj_ls_store(l->m, l->f, l->block, out, gj__add(l, place, i), reducer(r)->value);
  }
  i = lanes(r, into);
  for (int k = 0; k < STEPS; k++)
    gj_ls_store(l->m, l->f, l->block, r->steps[k], i, joined_by(r, k, i, 0));
  gj__enter(l, into);
}

static void fill_group(const rows *r, const gj_lexpr *i, const gj_lexpr *v) {
  gj__lower *l = r->l;
  const gj_lexpr *at = gj__add(l, gj__i64(l, LANES), i);
  gj_ls_store(l->m, l->f, l->block, r->steps[0], at, widened(r, v));
}

// The elements behind the last whole group of a row.
static void scan_last(const rows *r, gj_lblock *into, gj__range range) {
  gj__lower *l = r->l;
  clear_last(r, into);
  gj__enter(l, into);
  gj__range own = {gj__i64(l, 0), gj__let(l, "rest", gj__sub(l, range.hi, range.lo))};
  const gj_lexpr *i = loop(r, into, own, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, r->last, i, element(r, gj__add(l, range.lo, i)));
  i = lanes(r, into);
  fill_group(r, i, gj_lx_load(l->m, r->last, i, 1));
  gj__enter(l, into);
  run_group(r, into, r->last, gj__i64(l, 0));
  const gj_lexpr *place = gj__let(l, "place", gj__add(l, r->start, range.lo));
  i = loop(r, into, own, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, r->s->out, gj__add(l, place, i),
              gj_lx_load(l->m, r->last, i, 1));
}

static void scan_groups(const rows *r, gj_lblock *into, gj__range range, gj__state base,
                        const gj_lexpr *base_at) {
  gj__lower *l = r->l;
  begin_segment(r, into, base, base_at);
  gj__enter(l, into);
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  const gj_lexpr *groups = gj_lx_binary(l->m, GJ_OP_and, length, gj__i64(l, -LANES));
  const gj_lexpr *whole = gj__let(l, "whole", gj__add(l, range.lo, groups));
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "g", range.lo, whole, LANES, 0, 1);
  const gj_lexpr *first = gj__local(l, each->local);
  const gj_lexpr *i = lanes(r, &each->body);
  fill_group(r, i, element(r, gj__add(l, first, i)));
  gj__enter(l, &each->body);
  run_group(r, &each->body, r->s->out, gj__let(l, "place", gj__add(l, r->start, first)));
  gj_lstmt *rest = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, whole, range.hi));
  scan_last(r, &rest->body, (gj__range){whole, range.hi});
  gj__enter(l, into);
}

// --- one by one ---

// Elements of `range` one after the other from `carry` on. What must be computed is, in vectors,
// before.
static void run_through(const rows *r, gj_lblock *into, gj__range range, gj__state carry) {
  gj__lower *l = r->l;
  const gj_lexpr *i, *place;
  bool computed = l->plan->home[r->s->arg] == GJ_NO_BUFFER;
  into = gj__chunks(l, into, range.lo, range.hi, BLOCK, &range);
  if (computed) {
    i = loop(r, into, range, GJ_LOOP_VECTOR);
    gj_ls_store(l->m, l->f, l->block, r->s->out, gj__add(l, r->start, i), element(r, i));
  }
  i = loop(r, into, range, 0);
  place = gj__add(l, r->start, i);
  gj__element v = {computed ? gj_lx_load(l->m, r->s->out, place, 1) : element(r, i), NULL};
  gj__state_add(reducer(r), carry, NULL, gj__widened(reducer(r), v));
  gj__state_result(reducer(r), carry, NULL, NULL);
  gj_ls_store(l->m, l->f, l->block, r->s->out, place, reducer(r)->value);
}

// --- rows and segments ---

static rows rows_of(gj__scan *s) {
  rows r = {.s = s, .l = s->l, .size = gj__dim(s->l, s->type.shape[s->axis])};
  r.whole = (gj__reduction){
      .l = s->l, .domain = s->type, .axes = 1u << s->axis, .reducers = &s->reducer, .count = 1};
  gj__reduction_init(&r.whole);
  return r;
}

static void enter_row(rows *r, const gj__index *row) {
  r->row = row;
  r->start = gj__let(r->l, "start", gj__flatten(r->l, &r->s->type, row));
}

// What `range` comes to joins the running value of the row.
static void add_segment(rows *r, gj_lblock *into, gj__range range) {
  gj__index *at = gj__index_new(r->l);
  *at = *r->row;
  at->flat = r->whole.flat;
  if (at->flat)
    at->at[0] = r->start;
  gj__row_segment(&r->whole, into, at, range);
  gj__enter(r->l, into);
}

// Segment by segment, each twice while it is near.
static void scan_row(rows *r, gj_lblock *into) {
  gj__lower *l = r->l;
  gj__range range, all = {gj__i64(l, 0), r->size};
  gj__row_start(&r->whole, into);
  gj__state total = reducer(r)->total;
  if (!is_float(r)) {
    run_through(r, into, all, total);
    return;
  }
  into = gj__chunks(l, into, all.lo, all.hi, SEGMENT, &range);
  scan_groups(r, into, range, total, NULL);
  if (r->size->kind == GJ_LX_CONST && r->size->value.v.i <= SEGMENT)
    return;
  const gj_lexpr *next = gj__let(l, "next", gj__add(l, range.lo, gj__i64(l, SEGMENT)));
  gj_lstmt *more = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, next, r->size));
  gj__enter(l, &more->body);
  add_segment(r, &more->body, (gj__range){range.lo, next});
}

// --- rows that threads share ---

static gj_type kept_type(const gj__scan *s) {
  gj_type kept = s->type;
  kept.shape[s->axis] = 1;
  return kept;
}

bool gj__splits_running_rows(const gj__scan *s) {
  gj_type kept = kept_type(s);
  gj_dim count = gj_type_size(gj_graph_dims(s->l->graph), &kept), size = s->type.shape[s->axis];
  if (!gj_dim_is_const(count) || count <= 0 || count >= FEW || size == 1)
    return false;
  return !gj_dim_is_const(size) || (size >= WORTHWHILE * SEGMENT && size / 2 > s->l->work.piece);
}

static const gj_lexpr *param(gj__lower *l, const char *name) {
  return gj__local(l, gj_lfunc_param(l->m, l->f, name, gj_ltype_scalar(GJ_DTYPE_i64), 0));
}

static const gj__index *row_at(const rows *r, const gj_lexpr *number) {
  gj_type kept = kept_type(r->s);
  gj__index *flat = gj__index_new(r->l);
  *flat = (gj__index){.flat = true, .at = {number}};
  return gj__unflatten(r->l, &kept, flat);
}

// The elements of a segment, if it is whole.
static gj__range segment_at(const rows *r, const gj_lexpr *number) {
  gj__lower *l = r->l;
  const gj_lexpr *lo = gj__let(l, "lo", gj__mul(l, number, gj__i64(l, SEGMENT)));
  return (gj__range){lo, gj__add(l, lo, gj__i64(l, SEGMENT))};
}

static const gj_lexpr *part_of(const rows *r, const gj_lexpr *number) {
  gj__lower *l = r->l;
  const gj_lexpr *mask = gj__i64(l, 2 * batch_of(r) - 1);
  return gj__let(l, "part", gj_lx_binary(l->m, GJ_OP_and, number, mask));
}

static void reduce_segment(rows *r, gj_lblock *into, const gj_lexpr *number, gj__state parts) {
  gj__lower *l = r->l;
  gj__enter(l, into);
  gj__range range = segment_at(r, number);
  gj__row_start(&r->whole, into);
  add_segment(r, into, range);
  gj__state_copy(reducer(r), parts, part_of(r, number), reducer(r)->total, NULL);
}

static void scan_segment(rows *r, gj_lblock *into, const gj_lexpr *number, gj__state parts) {
  gj__lower *l = r->l;
  gj__enter(l, into);
  gj__range range = segment_at(r, number);
  range.hi = gj__let(l, "hi", gj__min(l, range.hi, r->size));
  const gj_lexpr *place = part_of(r, number);
  if (is_float(r)) {
    scan_groups(r, into, range, parts, place);
    return;
  }
  gj__state carry = gj__state_new(reducer(r), into, "carry", 0);
  gj__state_copy(reducer(r), carry, NULL, parts, place);
  run_through(r, into, range, carry);
}

static const gj_lexpr *segments_of(const rows *r) {
  gj__lower *l = r->l;
  const gj_lexpr *up = gj__add(l, r->size, gj__i64(l, SEGMENT - 1));
  return gj__let(l, "segments", gj__divide(l, up, gj__i64(l, SEGMENT)));
}

void gj__scan_rows_part(gj__scan *s) {
  gj__lower *l = s->l;
  rows r = rows_of(s);
  const gj_lexpr *number = param(l, "row");
  gj__state parts = gj__state_params(&s->reducer);
  gj__range share = {.lo = param(l, "begin")};
  share.hi = param(l, "end");
  gj_lblock *body = &l->f->body;
  gj__enter(l, body);
  enter_row(&r, row_at(&r, number));
  if (is_float(&r))
    arrays_new(&r, body);
  const gj_lexpr *last = gj__sub(l, segments_of(&r), gj__i64(l, 1));
  gj_lstmt *each = gj_ls_for(l->m, l->f, body, "s", share.lo, share.hi, 1, 0, 1);
  gj__poll(l, &each->body);
  gj__enter(l, &each->body);
  const gj_lexpr *ahead = gj__local(l, each->local);
  const gj_lexpr *own = gj__let(l, "own", gj__sub(l, ahead, gj__i64(l, batch_of(&r))));
  gj_lstmt *scan =
      gj_ls_if(l->m, l->f, &each->body, gj_lx_binary(l->m, GJ_OP_ge, own, gj__i64(l, 0)));
  gj_lstmt *reduce = gj_ls_if(l->m, l->f, &each->body, gj_lx_binary(l->m, GJ_OP_lt, ahead, last));
  scan_segment(&r, &scan->body, own, parts);
  reduce_segment(&r, &reduce->body, ahead, parts);
}

static void call_part(const rows *r, gj_lblock *into, const gj_lexpr *number, gj__state parts,
                      gj__range batch) {
  gj__lower *l = r->l;
  uint32_t n = (uint32_t)l->param_count;
  gj__enter(l, into);
  const gj_lexpr **args = gj__part_args(l);
  if (!args)
    return;
  args[n++] = number;
  n += gj__state_args(reducer(r), parts, args + n);
  gj__call_part(l, into, args, n, batch, SEGMENT);
}

// Each part of a batch becomes what all segments before it come to. All but perhaps the last
// segment have been reduced.
static void join_parts(rows *r, gj_lblock *into, gj__state total, gj__state parts,
                       gj__range reduced, const gj_lexpr *end) {
  gj__lower *l = r->l;
  gj__enter(l, into);
  gj__state own = gj__state_new(reducer(r), into, "own", 0);
  const gj_lexpr *k = part_of(r, loop(r, into, reduced, 0));
  gj__state_copy(reducer(r), own, NULL, parts, k);
  gj__state_copy(reducer(r), parts, k, total, NULL);
  gj__state_merge(reducer(r), total, NULL, own, NULL);
  gj_lstmt *last = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, reduced.hi, end));
  gj__enter(l, &last->body);
  gj__state_copy(reducer(r), parts, part_of(r, reduced.hi), total, NULL);
}

static void share_row(rows *r, gj_lblock *into, const gj_lexpr *number) {
  gj__lower *l = r->l;
  gj__state parts = gj__state_new(reducer(r), into, "parts", 2 * batch_of(r));
  gj__state total = gj__state_new(reducer(r), into, "total", 0);
  gj__enter(l, into);
  const gj_lexpr *segments = segments_of(r), *size = gj__i64(l, batch_of(r));
  const gj_lexpr *all = gj__let(l, "all", gj__add(l, segments, size));
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "c", gj__i64(l, 0), all, batch_of(r), 0, 1);
  into = &each->body;
  gj__enter(l, into);
  gj__range batch = {gj__local(l, each->local), NULL};
  const gj_lexpr *is_first = gj_lx_binary(l->m, GJ_OP_eq, batch.lo, gj__i64(l, 0));
  const gj_lexpr *steps = gj_lx_select(l->m, is_first, segments, all); // with anything to do
  batch.hi = gj__let(l, "end", gj__min(l, gj__add(l, batch.lo, size), steps));
  call_part(r, into, number, parts, batch);
  gj_lstmt *some = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, batch.lo, segments));
  into = &some->body;
  gj__enter(l, into);
  const gj_lexpr *end = gj__let(l, "ready", gj__min(l, batch.hi, segments));
  const gj_lexpr *last = gj__sub(l, segments, gj__i64(l, 1));
  gj__range reduced = {batch.lo, gj__let(l, "reduced", gj__min(l, end, last))};
  join_parts(r, into, total, parts, reduced, end);
}

// --- the kernel ---

void gj__scan_rows(gj__scan *s) {
  gj__lower *l = s->l;
  rows r = rows_of(s);
  gj_type kept = kept_type(s);
  gj__enter(l, &l->f->body);
  if (is_float(&r) && !l->work.split)
    arrays_new(&r, &l->f->body);
  const gj__index *row;
  const gj_lexpr *number;
  gj_lblock *into = gj__rows_loop(l, "o", &kept, &row, &number);
  enter_row(&r, row);
  if (l->work.split)
    share_row(&r, into, number);
  else
    scan_row(&r, into);
}
