// Reductions in columns: the innermost axis is kept, neighbouring results stand side by side.
//
// All reduced axes together, in row-major order, are rows r of a matrix whose columns are results.
// Running values of up to PANEL columns stand in arrays that stay in the first cache, and memory is
// read along its rows: GROUPS rows at a time, joined pairwise and then added to the running values.
// Rows behind the last full group are added one by one, as all are when there are fewer than SHORT.
// After SEGMENT rows what they came to joins the running values of the whole column.
//
// A narrow matrix would leave no room for vectors, so with less than NARROW columns FOLD rows make
// one: row r goes to running value r mod FOLD of its column, and those are joined in order after a
// segment. Where the operands allow it such a wide row is read as one run of memory. Rows that
// do not fill a wide row go last, one by one.
//
// Where columns are few, threads share the segments: those go to a function of their own, which
// leaves what each came to in `parts`, and it is joined in the same order (split.c).
//
// So the order depends on the sizes alone: of all reduced axes together, and of the kept axes
// behind the last one that is reduced.
#include "lower/kernels/reduce/reduce.h"

enum {
  PANEL = 1024,
  NARROW = 32,
  FOLD = 16,
  LONG = 64,
  SAMPLE = 64,
  SEGMENT = 1024,
  MOST_BYTES = 1 << 17,
  BATCH = 256, // segments
  BATCH_BYTES = 1 << 16,
  FEW_COLUMNS = 64
};

typedef struct columns {
  gj__reduction *x;
  const gj__places *to;
  gj__index *index;           // kept axes outside of the vector loop
  uint8_t group[GJ_MAX_RANK]; // kept axes behind the last reduced one
  unsigned group_count;
  bool run;                // a wide row is a run of memory
  const gj_lexpr *outer;   // of results: position on the axes before `width`; with `run`, all
  const gj_lexpr *rows;    // R
  const gj_lexpr *fold;    // rows in a wide row: 1 or FOLD
  const gj_lexpr *width;   // columns: of the group with `run`, else of its innermost axis
  const gj_lexpr *lo, *hi; // of the panel: columns of a wide row with `run`, else of a row
  const gj_lexpr *breadth; // columns of the panel with results
  int64_t panel;
  int64_t batch; // of segments that are made in parallel; 0: not split
} columns;

// --- elements ---

// The index of row `row` (of wide row `row` with `run`) at column `column`.
static const gj__index *at_row(columns *c, const gj_lexpr *row) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  if (!c->run)
    return gj__at_rest(x, c->index, row, x->loop_count);
  gj__index *at = gj__index_new(l);
  at->flat = true;
  at->at[0] = gj__let(l, "row", row);
  return at;
}

static const gj__index *at_column(columns *c, const gj__index *row, const gj_lexpr *column) {
  gj__lower *l = c->x->l;
  gj__index *at = gj__index_new(l);
  *at = *row;
  if (c->run)
    at->at[0] = gj__add(l, row->at[0], column);
  else
    at->at[c->group[c->group_count - 1]] = column;
  return at;
}

// With `run`, where row `row` starts, counted in elements.
static const gj_lexpr *start_of(columns *c, const gj_lexpr *row) {
  gj__lower *l = c->x->l;
  return c->run ? gj__mul(l, gj__add(l, gj__mul(l, c->outer, c->rows), row), c->width) : row;
}

// Joins `count` rows, each given by its index, and adds them to the cells from `cell` on, for the
// columns lo … hi.
static void add_rows(columns *c, gj_lblock *into, const gj__index **rows, int64_t count,
                     const gj_lexpr *lo, const gj_lexpr *hi, const gj_lexpr *cell, bool total) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  const gj_lexpr *i = gj__vector_loop(l, into, "o", gj__sub(l, hi, lo), x->factor);
  const gj__index *at[GJ__GROUPS];
  for (int64_t g = 0; g < count; g++)
    at[g] = at_column(c, rows[g], gj__add(l, lo, i));
  const gj_lexpr *place = gj__add(l, cell, i);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    gj__element e[GJ__GROUPS];
    if (r->counts)
      continue;
    if (r->fold == GJ__FOLD_MOMENTS)
      r->centre = gj__let(l, "centre", gj_lx_load(l->m, gj__local(l, r->centres), place, 1));
    for (int64_t g = 0; g < count; g++)
      e[g] = gj__widened(r, gj__element_at(x, r, at[g], NULL));
    for (int64_t step = 1; step < count; step *= 2)
      for (int64_t g = 0; g < count; g += 2 * step)
        e[g] = gj__joined(r, e[g], e[g + step]);
    gj__state_add(r, total ? r->total : r->lanes, place, e[0]);
  }
}

// Wide rows from `first` on, `count` of them, to the panel's running values.
static void add_wide(columns *c, gj_lblock *into, const gj_lexpr *first, int64_t count) {
  gj__lower *l = c->x->l;
  const gj__index *rows[GJ__GROUPS];
  const gj_lexpr *cell = gj__i64(l, 0);
  const gj_lexpr *within = NULL; // row of a wide row
  gj__enter(l, into);
  if (!c->run && !gj__is_one(c->fold)) {
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "k", gj__i64(l, 0), c->fold, 1, 0, 1);
    into = &loop->body;
    within = gj__local(l, loop->local);
    gj__enter(l, into);
    cell = gj__let(l, "cell", gj__mul(l, within, gj__sub(l, c->hi, c->lo)));
  }
  for (int64_t g = 0; g < count; g++) {
    const gj_lexpr *row = gj__mul(l, gj__add(l, first, gj__i64(l, g)), c->fold);
    if (within)
      row = gj__add(l, row, within);
    rows[g] = at_row(c, start_of(c, row));
  }
  add_rows(c, into, rows, count, c->lo, c->hi, cell, false);
}

// --- running values ---

typedef void cell_visit(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other);

// A vector loop over the first `count` cells that visits each reducer.
static void each_cell(columns *c, gj_lblock *into, const gj_lexpr *count, const gj_lexpr *shift,
                      cell_visit *visit) {
  gj__lower *l = c->x->l;
  const gj_lexpr *i = gj__vector_loop(l, into, "o", count, c->x->factor);
  for (uint32_t k = 0; k < c->x->count; k++)
    if (!c->x->reducers[k].counts)
      visit(c, &c->x->reducers[k], i, gj__add(l, i, shift));
}

static void clear_cell(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other) {
  (void)c, (void)other;
  gj__state_clear(r, r->lanes, i);
}

static void clear_total(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other) {
  (void)c, (void)other;
  gj__state_clear(r, r->total, i);
}

static void fold_cell(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other) {
  (void)c;
  gj__state_merge(r, r->lanes, i, r->lanes, other);
}

static void join_total(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other) {
  (void)c;
  gj__state_merge(r, r->total, i, r->lanes, other);
}

static void store_part(columns *c, gj__reducer *r, const gj_lexpr *i, const gj_lexpr *other) {
  (void)c;
  gj__state_copy(r, r->total, other, r->lanes, i);
}

// Wide rows lo … hi, to running values of their own.
static void reduce_segment(columns *c, gj_lblock *into, gj__range range) {
  gj__lower *l = c->x->l;
  const gj_lexpr *zero = gj__i64(l, 0), *cells = gj__sub(l, c->hi, c->lo);
  each_cell(c, into, c->run ? cells : gj__mul(l, cells, c->fold), zero, clear_cell);
  gj__enter(l, into);
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  const gj_lexpr *full = gj_lx_binary(l->m, GJ_OP_and, length, gj__i64(l, -GJ__GROUPS));
  const gj_lexpr *brief = gj__less(l, c->rows, GJ__SHORT);
  const gj_lexpr *end =
      gj__let(l, "full", gj__add(l, range.lo, gj_lx_select(l->m, brief, zero, full)));
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "r", range.lo, end, GJ__GROUPS, 0, 1);
  add_wide(c, &loop->body, gj__local(l, loop->local), GJ__GROUPS);
  gj_lstmt *rest = gj_ls_for(l->m, l->f, into, "r", end, range.hi, 1, 0, 1);
  add_wide(c, &rest->body, gj__local(l, rest->local), 1);
  if (!gj__is_one(c->fold)) {
    gj_lstmt *folds = gj_ls_for(l->m, l->f, into, "k", gj__i64(l, 1), c->fold, 1, 0, 1);
    gj__enter(l, &folds->body);
    const gj_lexpr *shift = gj__let(l, "shift", gj__mul(l, gj__local(l, folds->local), c->breadth));
    each_cell(c, &folds->body, c->breadth, shift, fold_cell);
  }
}

// The same, and those to the ones of the column.
static void add_segment(columns *c, gj_lblock *into, gj__range range) {
  reduce_segment(c, into, range);
  each_cell(c, into, c->breadth, gj__i64(c->x->l, 0), join_total);
}

// Rows that do not fill a wide row.
static void add_rest(columns *c, gj_lblock *into, const gj_lexpr *wide) {
  gj__lower *l = c->x->l;
  if (gj__is_one(c->fold))
    return;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "r", gj__mul(l, wide, c->fold), c->rows, 1, 0, 1);
  gj__enter(l, &loop->body);
  const gj__index *row = at_row(c, start_of(c, gj__local(l, loop->local)));
  const gj_lexpr *lo = c->run ? gj__i64(l, 0) : c->lo;
  add_rows(c, &loop->body, &row, 1, lo, gj__add(l, lo, c->breadth), gj__i64(l, 0), true);
}

static void store_panel(columns *c, gj_lblock *into) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  const gj_lexpr *i = gj__vector_loop(l, into, "o", c->breadth, x->factor);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->counts)
      r->value = gj__element_count(x, r);
    if (r->fold == GJ__FOLD_MOMENTS)
      r->centre = gj__let(l, "centre", gj_lx_load(l->m, gj__local(l, r->centres), i, 1));
    if (!r->counts)
      gj__state_result(r, r->total, i, c->rows);
  }
  const gj_lexpr *first = gj__add(l, gj__mul(l, c->outer, c->width), c->lo);
  gj__store_results(x, c->to, gj__add(l, first, i));
}

// Centres of the columns' moments: the means of their first wide rows. The cells of all rows in a
// wide one get them.
static void find_centres(columns *c, gj_lblock *into, const gj_lexpr *wide) {
  gj__lower *l = c->x->l;
  gj__reduction *x = c->x, sums = gj__sums_for(x);
  for (uint32_t k = 0, next = 0; k < x->count && next < sums.count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->fold != GJ__FOLD_MOMENTS)
      continue;
    sums.reducers[next].lanes = r->lanes; // not in use yet
    sums.reducers[next].total = r->total;
    sums.reducers[next++].centres = r->centres =
        gj_ls_array(l->m, l->f, into, "centres", GJ_DTYPE_f64, c->panel);
  }
  c->x = &sums;
  each_cell(c, into, c->breadth, gj__i64(l, 0), clear_total);
  gj__enter(l, into);
  const gj_lexpr *sample = gj__keep(l, "sample", gj__lesser(l, wide, gj__i64(l, SAMPLE)));
  const gj_lexpr *count = gj__keep(l, "count", gj__mul(l, sample, c->fold));
  add_segment(c, into, (gj__range){gj__i64(l, 0), sample});
  const gj_lexpr *i = gj__vector_loop(l, into, "o", c->breadth, 1);
  for (uint32_t k = 0; k < sums.count; k++) {
    gj__reducer *sum = &sums.reducers[k];
    gj_ls_store(l->m, l->f, l->block, gj__local(l, sum->centres), i,
                gj__centre_of(sum, sum->total, i, count));
  }
  if (!gj__is_one(c->fold)) {
    gj_lstmt *rows = gj_ls_for(l->m, l->f, into, "k", gj__i64(l, 1), c->fold, 1, 0, 1);
    gj__enter(l, &rows->body);
    const gj_lexpr *shift = gj__let(l, "shift", gj__mul(l, gj__local(l, rows->local), c->breadth));
    const gj_lexpr *o = gj__vector_loop(l, &rows->body, "o", c->breadth, 1);
    for (uint32_t k = 0; k < sums.count; k++) {
      const gj_lexpr *centres = gj__local(l, sums.reducers[k].centres);
      gj_ls_store(l->m, l->f, l->block, centres, gj__add(l, shift, o),
                  gj_lx_load(l->m, centres, o, 1));
    }
  }
  c->x = x;
}

// --- segments shared among threads ---

// Where a segment's part begins among those of its batch.
static const gj_lexpr *part_at(columns *c, const gj_lexpr *segment, const gj_lexpr *base) {
  gj__lower *l = c->x->l;
  return gj__let(l, "shift", gj__mul(l, gj__sub(l, segment, base), c->breadth));
}

static void call_part(columns *c, gj_lblock *into, gj__range batch) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  uint32_t n = (uint32_t)l->param_count;
  const gj_lexpr **args = gj__part_args(l);
  if (!args)
    return;
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    if (r->fold == GJ__FOLD_MOMENTS)
      args[n++] = gj__local(l, r->centres);
    if (!r->counts)
      n += gj__state_args(r, r->lanes, args + n);
  }
  args[n++] = batch.lo;
  int64_t width = gj__known_size(x, c->group, c->group_count);
  gj__call_part(l, into, args, n, batch, SEGMENT * width * (width < NARROW ? FOLD : 1));
}

static void add_batches(columns *c, gj_lblock *into, const gj_lexpr *wide) {
  gj__lower *l = c->x->l;
  const gj_lexpr *segments = gj__let(
      l, "segments", gj__divide(l, gj__add(l, wide, gj__i64(l, SEGMENT - 1)), gj__i64(l, SEGMENT)));
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "c", gj__i64(l, 0), segments, c->batch, 0, 1);
  const gj_lexpr *base = gj__local(l, loop->local);
  gj__enter(l, &loop->body);
  const gj_lexpr *end =
      gj__let(l, "end", gj__min(l, gj__add(l, base, gj__i64(l, c->batch)), segments));
  call_part(c, &loop->body, (gj__range){base, end});
  gj_lstmt *joins = gj_ls_for(l->m, l->f, &loop->body, "s", base, end, 1, 0, 1);
  gj__enter(l, &joins->body);
  const gj_lexpr *shift = part_at(c, gj__local(l, joins->local), base);
  each_cell(c, &joins->body, c->breadth, shift, join_total);
}

static void reduce_panel(columns *c, gj_lblock *into) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->counts)
      continue;
    int64_t parts = c->batch * gj__known_size(x, c->group, c->group_count);
    r->lanes = gj__state_new(r, into, "acc", parts > c->panel ? parts : c->panel);
    r->total = gj__state_new(r, into, "total", c->panel);
  }
  gj__enter(l, into);
  const gj_lexpr *wide = gj__keep(l, "wide", gj__divide(l, c->rows, c->fold));
  if (gj__has_moments(x))
    find_centres(c, into, wide);
  each_cell(c, into, c->breadth, gj__i64(l, 0), clear_total);
  if (c->batch) {
    gj__enter(l, into);
    add_batches(c, into, wide);
  } else {
    gj__range range;
    gj_lblock *block = gj__chunks(l, into, gj__i64(l, 0), wide, SEGMENT, &range);
    add_segment(c, block, range);
  }
  add_rest(c, into, wide);
  store_panel(c, into);
}

// --- the kernel ---

// Finds the group of kept axes that stand last, and whether rows of it are runs of memory: the
// reduced axes then stand together before it, and operands are read in memory order.
static void find_group(columns *c) {
  gj__reduction *x = c->x;
  unsigned changes = 0;
  bool reduced = false;
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    if (x->domain.shape[i] == 1)
      continue;
    bool now = (x->axes & (1u << i)) != 0;
    changes += now && !reduced;
    reduced = now;
    if (now)
      c->group_count = 0;
    else
      c->group[c->group_count++] = i;
  }
  c->run = changes == 1;
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    c->run = c->run && gj__is_flat(x->l, r->arg) &&
             (r->fold != GJ__FOLD_INDEXED || gj__is_flat(x->l, r->index));
  }
}

// Panels as wide as the arrays of a function should be; a wide row always fits.
static int64_t choose_panel(const gj__reduction *x) {
  int64_t bytes = 1, panel = PANEL;
  for (uint32_t k = 0; k < x->count; k++)
    bytes += 2 * gj__state_bytes(&x->reducers[k]);
  while (panel > NARROW * FOLD && panel * bytes > MOST_BYTES)
    panel /= 2;
  return panel;
}

// Loops over the kept axes before the columns; the share is a range of the outermost.
static gj_lblock *outer_loops(columns *c, const gj__share *share) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  gj_lblock *into = &l->f->body;
  c->outer = gj__i64(l, 0);
  uint8_t first = c->group[c->run ? 0 : c->group_count - 1];
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    c->index->at[i] = gj__i64(l, 0);
    if ((x->axes & (1u << i)) || x->domain.shape[i] == 1 || i >= first)
      continue;
    const gj_lexpr *size = gj__dim(l, x->domain.shape[i]);
    bool outermost = share->divided && into == &l->f->body;
    const gj_lexpr *begin = outermost ? share->begin : gj__i64(l, 0);
    const gj_lexpr *end = outermost ? share->end : size;
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "q", begin, end, 1, 0, 1);
    c->index->at[i] = gj__local(l, loop->local);
    c->outer = gj__add(l, gj__mul(l, c->outer, size), c->index->at[i]);
    into = &loop->body;
  }
  gj__enter(l, into);
  c->outer = gj__keep(l, "outer", c->outer);
  return into;
}

// How many rows make a wide one: FOLD where columns are few and rows are not.
static const gj_lexpr *choose_fold(columns *c, const gj_lexpr *group) {
  gj__lower *l = c->x->l;
  bool wide = group->kind == GJ_LX_CONST && group->value.v.i >= NARROW;
  bool few = c->rows->kind == GJ_LX_CONST && c->rows->value.v.i < LONG;
  if (wide || few)
    return gj__i64(l, 1);
  if (group->kind == GJ_LX_CONST && c->rows->kind == GJ_LX_CONST)
    return gj__i64(l, FOLD);
  const gj_lexpr *narrow = gj__less(l, group, NARROW);
  const gj_lexpr *tall = gj_lx_unary(l->m, GJ_OP_not, gj__less(l, c->rows, LONG));
  const gj_lexpr *both = gj_lx_binary(l->m, GJ_OP_and, narrow, tall);
  return gj__let(l, "fold", gj_lx_select(l->m, both, gj__i64(l, FOLD), gj__i64(l, 1)));
}

uint8_t gj__columns_outer(gj__reduction *x) {
  columns c = {.x = x};
  find_group(&c);
  uint8_t count = 0, first = c.group[c.run ? 0 : c.group_count - 1];
  for (uint8_t i = 0; i < first; i++)
    count += !(x->axes & (1u << i)) && x->domain.shape[i] != 1;
  return count;
}

bool gj__splits_columns(gj__reduction *x) {
  columns c = {.x = x};
  if (x->rows || x->loop_count == 0 || x->count > GJ__SPLIT_REDUCERS || gj__only_counts(x) ||
      gj__columns_outer(x) > 0)
    return false;
  find_group(&c);
  int64_t width = gj__known_size(x, c.group, c.group_count);
  int64_t rows = gj__known_size(x, x->loops, x->loop_count);
  if (width == 0 || width > FEW_COLUMNS)
    return false;
  int64_t segment = SEGMENT * (width < NARROW ? FOLD : 1);
  return rows == 0 || (rows > segment && rows / 2 > x->l->work.piece / width);
}

// How many segments make a batch, whose parts fit in an array that a stack can bear.
static int64_t choose_batch(const columns *c) {
  int64_t bytes = 1, batch = BATCH, width = gj__known_size(c->x, c->group, c->group_count);
  for (uint32_t k = 0; k < c->x->count; k++)
    bytes += gj__state_bytes(&c->x->reducers[k]);
  while (batch > 1 && batch * width * bytes > BATCH_BYTES)
    batch /= 2;
  return batch;
}

// Sizes, and how many rows make a wide one.
static void find_sizes(columns *c) {
  gj__reduction *x = c->x;
  gj__lower *l = x->l;
  const gj_lexpr *group = gj__keep(l, "group", gj__size(l, &x->domain, c->group, c->group_count));
  c->width = c->run ? group : gj__dim(l, x->domain.shape[c->group[c->group_count - 1]]);
  c->rows = gj__keep(l, "rows", gj__reduced_size(x));
  c->fold = choose_fold(c, group);
}

void gj__columns_part(gj__reduction *x) {
  gj__lower *l = x->l;
  columns c = {.x = x, .index = gj__index_new(l), .panel = choose_panel(x)};
  find_group(&c);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->fold == GJ__FOLD_MOMENTS)
      r->centres = gj_lfunc_param(l->m, l->f, "centres", gj_ltype_pointer(GJ_DTYPE_f64),
                                  GJ_LOCAL_NOALIAS | GJ_LOCAL_READONLY);
    if (!r->counts)
      r->total = gj__state_params(r);
  }
  const gj_lexpr *base;
  gj__range share = gj__part_range(l, &base);
  gj_lblock *into = outer_loops(&c, &(gj__share){0});
  find_sizes(&c);
  const gj_lexpr *wide = gj__keep(l, "wide", gj__divide(l, c.rows, c.fold));
  c.breadth = c.width;
  c.lo = gj__i64(l, 0);
  c.hi = gj__keep(l, "hi", gj__mul(l, c.width, c.run ? c.fold : gj__i64(l, 1)));
  for (uint32_t k = 0; k < x->count; k++)
    if (!x->reducers[k].counts)
      x->reducers[k].lanes = gj__state_new(&x->reducers[k], into, "acc", c.panel);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "s", share.lo, share.hi, 1, 0, 1);
  gj__poll(l, &loop->body);
  gj__enter(l, &loop->body);
  const gj_lexpr *s = gj__local(l, loop->local), *length = gj__i64(l, SEGMENT);
  const gj_lexpr *lo = gj__let(l, "first", gj__mul(l, s, length));
  const gj_lexpr *hi = gj__let(l, "last", gj__min(l, gj__add(l, lo, length), wide));
  const gj_lexpr *shift = part_at(&c, s, base);
  reduce_segment(&c, &loop->body, (gj__range){lo, hi});
  each_cell(&c, &loop->body, c.breadth, shift, store_part);
}

void gj__reduce_columns(gj__reduction *x, const gj__places *to) {
  gj__lower *l = x->l;
  columns c = {.x = x, .to = to, .index = gj__index_new(l), .panel = choose_panel(x)};
  find_group(&c);
  gj__share share = gj__share_of(l, 0);
  gj_lblock *into = outer_loops(&c, &share);
  find_sizes(&c);
  c.batch = l->work.split ? choose_batch(&c) : 0;
  gj__range all = {gj__i64(l, 0), c.width};
  if (share.divided && share.units.blocks)
    all = gj__share_elements(l, &share, c.width);
  const gj_lexpr *fold = c.run ? c.fold : gj__i64(l, 1); // columns of a wide row as one
  c.lo = gj__keep(l, "lo", gj__mul(l, all.lo, fold));
  c.hi = gj__keep(l, "hi", gj__mul(l, all.hi, fold));
  if (!c.batch && (c.hi->kind != GJ_LX_CONST || c.hi->value.v.i > c.panel)) {
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "p", c.lo, c.hi, c.panel, 0, 1);
    const gj_lexpr *hi = c.hi;
    into = &loop->body;
    gj__enter(l, into);
    c.lo = gj__local(l, loop->local);
    c.hi = gj__let(l, "end", gj__min(l, gj__add(l, c.lo, gj__i64(l, c.panel)), hi));
  }
  c.breadth = gj__keep(l, "breadth", gj__lesser(l, gj__sub(l, c.hi, c.lo), c.width));
  reduce_panel(&c, into);
}
