// Running reductions along one axis: sums, products, least and greatest so far.
//
// Rows. When the axis is the innermost, its elements are taken in groups of LANES. A group becomes
// its own running values in log2(LANES) vector steps (Hillis and Steele, Data Parallel Algorithms,
// CACM 29, 1986): x[i] joins x[i - 1], then x[i - 2], x[i - 4] and so on, with the neutral value in
// front of the group. What all earlier groups came to is joined to each element last. A group's
// place has room for the neutral values before it, so no step needs a condition, and all places in
// it are constants, so that it lives in registers (codegen/pieces.c): with nothing between reading
// and writing a group, memory is busy all the time. Integers, which join in a cycle or two, go one
// by one instead: that is twice as fast.
//
// Columns. When elements behind the axis are neighbours in memory, they are the vector loop, and
// each runs down its line. But only for a strip of some rows: what is carried then rests in an
// array, which stays in the nearest cache, and the next columns follow, up to the end of a panel.
// Going all the way down a few columns would touch a page of memory per element. Where there are
// few columns anyway, strips are long.
//
// What a float sum carries from group to group, or from element to element of a column, is kept as
// in whole sums (reduce.c): for f32 in f64, for f64 as a pair (hi, lo) by Knuth's TwoSum. So errors
// do not grow with the length. A pair of f32 would not do: what lo loses counts by the square of
// the number of groups, which after some millions of elements is more than the digits that hi has.
// The order depends on shapes alone. Rows and blocks of columns are shared among threads. Left out:
// dividing one long row, or few long columns, for which sums would need another order.
#include "lower/context.h"

enum { LANES = 16, PAD = 2 * LANES, BLOCK = 1 << 12 };
enum {
  PANEL = 512,         // columns
  COLUMNS_BLOCK = 256, // that are worth a thread's attention
  FEW_COLUMNS = 64,
  STRIP = 8, // rows
  LONG_STRIP = 4096,
  COLUMN_VECTORS = 4
};

typedef struct scan {
  gj__lower *l;
  gj_ref arg;
  gj_type type;
  uint8_t axis;
  gj_op combine;
  gj_dtype carried; // f64 for sums of f32
  bool pairs;       // compensated: sums of f64
  gj_scalar start;
  const gj_lexpr *out;
  uint32_t hi, lo;           // locals: what is carried; lo: with `pairs` only
  const gj_lexpr *pads[2];   // rows: a group, before and after a step
  const gj_lexpr *rest;      // rows: the last group
  const gj_lexpr *row_start; // rows: flat position of the row's first element
} scan;

static const gj_lexpr *constant(scan *s, gj_scalar value) { return gj_lx_const(s->l->m, value); }

static const gj_lexpr *join(scan *s, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(s->l->m, s->combine, a, b);
}

// --- what is carried ---

// What it begins with.
static const gj_lexpr *carry_start(scan *s) {
  bool own = s->carried == s->type.dtype;
  return constant(s, own ? s->start : gj_scalar_start(GJ_START_ZERO, s->carried));
}

// Locals for it that begin with `hi` and `low_part`.
static void carry_new(scan *s, gj_lblock *block, const gj_lexpr *hi, const gj_lexpr *low_part) {
  gj__lower *l = s->l;
  s->hi = gj_ls_let(l->m, l->f, block, "carry", hi);
  if (s->pairs)
    s->lo = gj_ls_let(l->m, l->f, block, "low", low_part);
}

// Once a sum has left the finite numbers, lo is NaN and no longer counts.
static const gj_lexpr *low(scan *s) {
  gj__lower *l = s->l;
  const gj_lexpr *finite = gj_lx_unary(l->m, GJ_OP_is_finite, gj__local(l, s->hi));
  return gj_lx_select(l->m, finite, gj__local(l, s->lo), constant(s, s->start));
}

static const gj_lexpr *as_carried(scan *s, const gj_lexpr *v) {
  return s->carried == s->type.dtype ? v : gj_lx_convert(s->l->m, v, s->carried);
}

static const gj_lexpr *as_result(scan *s, const gj_lexpr *v) {
  return s->carried == s->type.dtype ? v : gj_lx_convert(s->l->m, v, s->type.dtype);
}

// The carried value and `v`; `low` is low(), NULL where there is none.
static const gj_lexpr *with_carry(scan *s, const gj_lexpr *low_part, const gj_lexpr *v) {
  gj__lower *l = s->l;
  if (low_part)
    v = gj__add(l, low_part, v);
  return as_result(s, join(s, gj__local(l, s->hi), as_carried(s, v)));
}

// carry ∘= v. For pairs (hi, lo) += v, exactly but for the last digits of lo.
static void carry_on(scan *s, const gj_lexpr *v) {
  gj__lower *l = s->l;
  const gj_lexpr *hi = gj__local(l, s->hi);
  v = as_carried(s, v);
  if (!s->pairs) {
    gj_ls_set(l->m, l->f, l->block, s->hi, join(s, hi, v));
    return;
  }
  const gj_lexpr *sum = gj__let(l, "sum", gj__add(l, hi, v));
  const gj_lexpr *moved = gj__let(l, "moved", gj__sub(l, sum, hi));
  const gj_lexpr *lost = gj__add(l, gj__sub(l, hi, gj__sub(l, sum, moved)), gj__sub(l, v, moved));
  gj_ls_set(l->m, l->f, l->block, s->lo, gj__add(l, gj__local(l, s->lo), lost));
  gj_ls_set(l->m, l->f, l->block, s->hi, sum);
}

// --- rows ---

static const gj_lexpr *loop(scan *s, gj_lblock *into, const char *name, const gj_lexpr *lo,
                            const gj_lexpr *hi, uint8_t marks) {
  gj__lower *l = s->l;
  gj_lstmt *made = gj_ls_for(l->m, l->f, into, name, lo, hi, 1, marks, 1);
  gj__enter(l, &made->body);
  return gj__local(l, made->local);
}

static const gj_lexpr *lanes(scan *s, gj_lblock *into) {
  return loop(s, into, "i", gj__i64(s->l, 0), gj__i64(s->l, LANES), GJ_LOOP_VECTOR);
}

// Neutral values in front of both pads, which stay.
static void pads_new(scan *s, gj_lblock *into) {
  gj__lower *l = s->l;
  for (int k = 0; k < 2; k++) {
    s->pads[k] = gj__local(l, gj_ls_array(l->m, l->f, into, "pad", s->type.dtype, PAD));
    const gj_lexpr *i = lanes(s, into);
    gj_ls_store(l->m, l->f, l->block, s->pads[k], i, constant(s, s->start));
    gj__enter(l, into);
  }
}

// Room for the last group, all of it filled, as not all of it is used.
static void rest_new(scan *s, gj_lblock *into) {
  gj__lower *l = s->l;
  s->rest = gj__local(l, gj_ls_array(l->m, l->f, into, "last", s->type.dtype, LANES));
  const gj_lexpr *i = lanes(s, into);
  gj_ls_store(l->m, l->f, l->block, s->rest, i, constant(s, s->start));
  gj__enter(l, into);
}

// The element at position i of the row.
static const gj_lexpr *element(scan *s, const gj__index *row, const gj_lexpr *i) {
  gj__index *at = gj__index_new(s->l);
  *at = *row;
  at->at[s->axis] = i;
  return gj__value(s->l, s->arg, at);
}

// Element `back` before element i of the group, in a pad.
static const gj_lexpr *in_pad(scan *s, const gj_lexpr *i, int64_t back) {
  return gj__add(s->l, gj__i64(s->l, LANES - back), i);
}

// One step: every element of the group joins the one `distance` before it.
static void step(scan *s, gj_lblock *into, int64_t distance, int from) {
  gj__lower *l = s->l;
  const gj_lexpr *i = lanes(s, into);
  const gj_lexpr *before = gj_lx_load(l->m, s->pads[from], in_pad(s, i, distance), 1);
  const gj_lexpr *own = gj_lx_load(l->m, s->pads[from], in_pad(s, i, 0), 1);
  gj_ls_store(l->m, l->f, l->block, s->pads[1 - from], in_pad(s, i, 0), join(s, before, own));
}

// The group in the first pad becomes its running values, in the pad that is returned.
static const gj_lexpr *run_group(scan *s, gj_lblock *into) {
  int from = 0;
  for (int64_t distance = 1; distance < LANES; distance *= 2, from = 1 - from)
    step(s, into, distance, from);
  gj__enter(s->l, into);
  return s->pads[from];
}

// A whole group that begins at `base`.
static void scan_group(scan *s, gj_lblock *into, const gj__index *row, const gj_lexpr *base) {
  gj__lower *l = s->l;
  const gj_lexpr *i = lanes(s, into);
  const gj_lexpr *value = element(s, row, gj__add(l, base, i));
  gj_ls_store(l->m, l->f, l->block, s->pads[0], in_pad(s, i, 0), value);
  const gj_lexpr *pad = run_group(s, into);
  const gj_lexpr *low_part = s->pairs ? gj__let(l, "low", low(s)) : NULL;
  const gj_lexpr *place = gj__let(l, "place", gj__add(l, s->row_start, base));
  i = lanes(s, into);
  value = with_carry(s, low_part, gj_lx_load(l->m, pad, in_pad(s, i, 0), 1));
  gj_ls_store(l->m, l->f, l->block, s->out, gj__add(l, place, i), value);
  gj__enter(l, into);
  carry_on(s, gj__let(l, "total", gj_lx_load(l->m, pad, gj__i64(l, PAD - 1), 1)));
}

// The `count` elements that begin at `base` and are no whole group. What stands behind them in the
// array does not matter.
static void scan_rest(scan *s, gj_lblock *into, const gj__index *row, const gj_lexpr *base,
                      const gj_lexpr *count) {
  gj__lower *l = s->l;
  const gj_lexpr *i = loop(s, into, "i", gj__i64(l, 0), count, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, s->rest, i, element(s, row, gj__add(l, base, i)));
  i = lanes(s, into);
  const gj_lexpr *value = gj_lx_load(l->m, s->rest, i, 1);
  gj_ls_store(l->m, l->f, l->block, s->pads[0], in_pad(s, i, 0), value);
  const gj_lexpr *pad = run_group(s, into);
  i = lanes(s, into);
  value = gj_lx_load(l->m, pad, in_pad(s, i, 0), 1);
  gj_ls_store(l->m, l->f, l->block, s->rest, i, value);
  gj__enter(l, into);
  const gj_lexpr *low_part = s->pairs ? gj__let(l, "low", low(s)) : NULL;
  const gj_lexpr *place = gj__let(l, "place", gj__add(l, s->row_start, base));
  i = loop(s, into, "i", gj__i64(l, 0), count, GJ_LOOP_VECTOR);
  value = with_carry(s, low_part, gj_lx_load(l->m, s->rest, i, 1));
  gj_ls_store(l->m, l->f, l->block, s->out, gj__add(l, place, i), value);
}

// Elements lo … hi of the row one after the other. What must be computed is, in vectors, before.
static void run_through(scan *s, gj_lblock *into, const gj__index *row, gj__range block) {
  gj__lower *l = s->l;
  const gj_lexpr *i, *place;
  bool computed = l->plan->home[s->arg] == GJ_NO_BUFFER;
  if (computed) {
    i = loop(s, into, "i", block.lo, block.hi, GJ_LOOP_VECTOR);
    place = gj__add(l, s->row_start, i);
    gj_ls_store(l->m, l->f, l->block, s->out, place, element(s, row, i));
  }
  i = loop(s, into, "i", block.lo, block.hi, 0);
  place = gj__add(l, s->row_start, i);
  carry_on(s, computed ? gj_lx_load(l->m, s->out, place, 1) : element(s, row, i));
  gj_ls_store(l->m, l->f, l->block, s->out, place, gj__local(l, s->hi));
}

static void scan_row(scan *s, gj_lblock *into, const gj__index *row) {
  gj__lower *l = s->l;
  gj__range block = {gj__i64(l, 0), gj__dim(l, s->type.shape[s->axis])};
  carry_new(s, into, carry_start(s), carry_start(s));
  if (!gj_dtype_is_float(s->type.dtype)) {
    into = gj__chunks(l, into, block.lo, block.hi, BLOCK, &block);
    run_through(s, into, row, block);
    return;
  }
  const gj_lexpr *size = block.hi, *sixteen = gj__i64(l, LANES);
  gj__enter(l, into);
  const gj_lexpr *groups = gj__mul(l, gj_lx_binary(l->m, GJ_OP_div, size, sixteen), sixteen);
  const gj_lexpr *whole = gj__let(l, "whole", groups);
  const gj_lexpr *rest = gj__let(l, "rest", gj__sub(l, size, whole));
  gj_lblock *outer = into;
  into = gj__chunks(l, into, block.lo, whole, BLOCK, &block);
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "base", block.lo, block.hi, LANES, 0, 1);
  scan_group(s, &each->body, row, gj__local(l, each->local));
  gj_lstmt *some = gj_ls_if(l->m, l->f, outer, gj_lx_binary(l->m, GJ_OP_gt, rest, gj__i64(l, 0)));
  scan_rest(s, &some->body, row, whole, rest);
}

// --- columns ---

// What is carried in a panel that begins at column `first`.
typedef struct panel {
  const gj_lexpr *hi, *lo, *first;
} panel;

static const gj_lexpr *carries(scan *s, const char *name) {
  gj__lower *l = s->l;
  return gj__local(l, gj_ls_array(l->m, l->f, &l->f->body, name, s->carried, PANEL));
}

static void begin_panel(scan *s, gj_lblock *into, const panel *p, gj__range columns) {
  gj__lower *l = s->l;
  const gj_lexpr *i = loop(s, into, "i", columns.lo, columns.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *place = gj__sub(l, i, p->first);
  gj_ls_store(l->m, l->f, l->block, p->hi, place, carry_start(s));
  if (s->pairs)
    gj_ls_store(l->m, l->f, l->block, p->lo, place, carry_start(s));
}

// Rows of a strip of the panel: `at`, but for the places along the axis and along `inner`.
static void scan_strip(scan *s, gj_lblock *into, const panel *p, gj__range columns, gj__range rows,
                       gj__index *at, uint8_t inner) {
  gj__lower *l = s->l;
  gj_lstmt *each =
      gj_ls_for(l->m, l->f, into, "i", columns.lo, columns.hi, 1, GJ_LOOP_VECTOR, COLUMN_VECTORS);
  into = &each->body;
  gj__enter(l, into);
  at->at[inner] = gj__local(l, each->local);
  const gj_lexpr *place = gj__let(l, "place", gj__sub(l, at->at[inner], p->first));
  carry_new(s, into, gj_lx_load(l->m, p->hi, place, 1),
            s->pairs ? gj_lx_load(l->m, p->lo, place, 1) : NULL);
  at->at[s->axis] = loop(s, into, "r", rows.lo, rows.hi, 0);
  carry_on(s, gj__let(l, "v", gj__value(l, s->arg, at)));
  const gj_lexpr *result = as_result(s, gj__local(l, s->hi));
  if (s->pairs)
    result = gj__add(l, result, low(s));
  gj_ls_store(l->m, l->f, l->block, s->out, gj__flatten(l, &s->type, at), result);
  gj_ls_store(l->m, l->f, into, p->hi, place, gj__local(l, s->hi));
  if (s->pairs)
    gj_ls_store(l->m, l->f, into, p->lo, place, gj__local(l, s->lo));
}

// Columns along axis `inner`, panel by panel.
static void scan_columns(scan *s, gj_lblock *into, panel *p, gj__index *at, uint8_t inner,
                         gj__range columns) {
  gj__lower *l = s->l;
  const gj_lexpr *few = gj__less(l, gj__dim(l, s->type.shape[inner]), FEW_COLUMNS);
  const gj_lexpr *length = gj__dim(l, s->type.shape[s->axis]);
  const gj_lexpr *high =
      gj__let(l, "high", gj_lx_select(l->m, few, gj__i64(l, LONG_STRIP), gj__i64(l, STRIP)));
  const gj_lexpr *up = gj__add(l, length, gj__sub(l, high, gj__i64(l, 1)));
  const gj_lexpr *strips = gj__let(l, "strips", gj_lx_binary(l->m, GJ_OP_div, up, high));
  into = gj__chunks(l, into, columns.lo, columns.hi, PANEL, &columns);
  p->first = columns.lo;
  begin_panel(s, into, p, columns);
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "s", gj__i64(l, 0), strips, 1, 0, 1);
  gj__poll(l, &each->body);
  gj__enter(l, &each->body);
  const gj_lexpr *top = gj__let(l, "top", gj__mul(l, gj__local(l, each->local), high));
  const gj_lexpr *end = gj__let(l, "end", gj__min(l, gj__add(l, top, high), length));
  scan_strip(s, &each->body, p, columns, (gj__range){top, end}, at, inner);
}

// --- kernels ---

// Whether the axis is the innermost that has a loop; *out_count counts the axes that have one.
static bool is_rows(const gj_type *type, uint8_t axis, unsigned *out_count) {
  uint8_t axes[GJ_MAX_RANK];
  *out_count = gj__loop_axes(type, axes);
  return *out_count == 0 || axes[*out_count - 1] <= axis;
}

// Rows are units; of columns steps of the outermost loop over them, or blocks where it is the only
// one.
void gj__divide_cumulate(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->stores[0].ref);
  uint8_t axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis);
  unsigned count;
  if (is_rows(&node->type, axis, &count)) {
    gj__add_line_units(l, &node->type, axis);
    return;
  }
  gj_type *kept = gj_arena_alloc(&l->scratch, sizeof *kept);
  gj_type *running = gj_arena_alloc(&l->scratch, sizeof *running);
  if (!kept || !running) {
    l->out_of_memory = true;
    return;
  }
  *kept = node->type;
  kept->shape[axis] = 1;
  *running = (gj_type){.dtype = kept->dtype, .rank = 1, .shape = {node->type.shape[axis]}};
  gj__units units = gj__outermost_units(kept);
  gj_dim columns = gj_type_size(gj_graph_dims(l->graph), kept);
  if (units.blocks && gj_dim_is_const(columns) && columns <= COLUMNS_BLOCK)
    return;
  if (units.blocks)
    l->work.block = COLUMNS_BLOCK;
  units.each = running;
  gj__add_units(l, units);
}

// The columns of this call: loops over the kept axes but the innermost.
static void columns_loop(scan *s, const gj_type *kept) {
  gj__lower *l = s->l;
  uint8_t axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(kept, axes);
  gj__share share = gj__share_of(l, 0);
  gj_lblock *into = &l->f->body;
  gj__index *at = gj__index_new(l);
  for (uint8_t i = 0; i < kept->rank; i++)
    at->at[i] = gj__i64(l, 0);
  panel p = {.hi = carries(s, "carries"), .lo = s->pairs ? carries(s, "lows") : NULL};
  gj__range range = {NULL, NULL};
  for (unsigned k = 0; k < count; k++) {
    range = (gj__range){gj__i64(l, 0), gj__dim(l, kept->shape[axes[k]])};
    if (k == 0 && share.divided)
      range = gj__share_elements(l, &share, range.hi);
    if (k + 1 == count)
      break;
    gj_lstmt *each = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, 0, 1);
    into = &each->body;
    at->at[axes[k]] = gj__local(l, each->local);
  }
  gj__enter(l, into);
  scan_columns(s, into, &p, at, axes[count - 1], range);
}

void gj__lower_cumulate(gj__lower *l, const gj_kernel *kernel) {
  gj_ref ref = kernel->stores[0].ref;
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  scan s = {.l = l,
            .arg = node->args[0],
            .type = node->type,
            .axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis),
            .combine = (gj_op)info->combine,
            .start = gj_scalar_start((gj_start)info->start, node->type.dtype),
            .out = l->buffers[kernel->stores[0].buffer]};
  bool sums = s.combine == GJ_OP_add && gj_dtype_is_float(s.type.dtype);
  s.pairs = sums && s.type.dtype == GJ_DTYPE_f64;
  s.carried = sums ? GJ_DTYPE_f64 : s.type.dtype;
  gj_type kept = s.type;
  kept.shape[s.axis] = 1;
  unsigned count;
  gj__enter(l, &l->f->body);
  if (is_rows(&s.type, s.axis, &count)) {
    const gj__index *row;
    if (gj_dtype_is_float(s.type.dtype)) {
      pads_new(&s, &l->f->body);
      rest_new(&s, &l->f->body);
    }
    gj_lblock *into = gj__rows_loop(l, "o", &kept, &row, NULL);
    s.row_start = gj__let(l, "start", gj__flatten(l, &s.type, row));
    scan_row(&s, into, row);
  } else {
    columns_loop(&s, &kept);
  }
}
