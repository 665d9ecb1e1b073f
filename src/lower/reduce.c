// Reductions: one pass over the operand, any number of results, a fixed order.
//
// Rows. When the innermost axis is reduced, each result has LANES partial results: element i goes
// to lane i mod LANES, whatever the vector width of the target, and at the end lane l is combined
// with lane l + LANES/2, then LANES/4 and so on. Elements behind the last full group of LANES go to
// partial results of their own (`rest`), joined to the lanes afterwards, so that the main ones can
// live in registers.
//
// Columns. When the innermost axis is kept, neighbouring results are neighbours in memory: the loop
// over them is the vector loop, and each result is reduced serially inside it.
//
// Float sums. Adding n numbers one by one loses up to n/2 ulp. So the running sum is emptied every
// CHUNK elements into a pair (hi, lo) by Knuth's TwoSum (The Art of Computer Programming, vol. 2,
// section 4.2.2, theorem B): hi + lo carries twice the digits, at the cost of six operations per
// chunk and lane.
//
// The order depends on the graph and its shapes, never on target or thread count, so results are
// the same everywhere. (The rest of the graph matters where several axes are reduced: they are one
// row when all operands of the kernel can be read flat, and otherwise taken axis by axis.) Left
// out: splitting one long reduction over threads (the chunks are made for it).
#include "lower/context.h"

enum { LANES = 32, ROW_CHUNK = 128 * LANES, COLUMN_CHUNK = 256, LONG_CHUNK = 1 << 16 };

// One running value of a reduction: a local, or an array of LANES.
typedef struct cell {
  gj_dtype dtype;
  uint32_t local;
  bool array;
} cell;

// The running state of one reduction.
typedef struct part {
  cell value, index; // index: argmin and argmax only
  cell rest, rest_index;
  cell hi, lo; // compensated sums only
} part;

typedef struct reducer {
  gj__lower *l;
  gj_op op;          // the reduction
  gj_ref arg, index; // what is reduced; index: argmin and argmax, else 0
  bool sums;         // compensated
  gj_scalar start;
  part p;
  uint32_t value_buffer, index_buffer; // where results go, or GJ_NO_BUFFER
  bool counts;                         // sum of ones: the number of elements, no loop needed
} reducer;

typedef struct reduction {
  gj__lower *l;
  gj_type domain;
  uint32_t axes;
  reducer *reducers;
  uint32_t count;
  uint8_t loops[GJ_MAX_RANK]; // axes with loops, reduced ones only, in order
  unsigned loop_count;
  bool flat;
  bool rows;
} reduction;

// --- cells
// ---------------------------------------------------------------------------------------------

static const gj_lexpr *constant(gj__lower *l, gj_scalar value) { return gj_lx_const(l->m, value); }

static cell cell_new(gj__lower *l, gj_lblock *block, const char *name, gj_scalar start,
                     bool array) {
  cell c = {start.dtype, 0, array};
  if (!array) {
    c.local = gj_ls_let(l->m, l->f, block, name, constant(l, start));
    return c;
  }
  c.local = gj_ls_array(l->m, l->f, block, name, start.dtype, LANES);
  gj_lstmt *fill =
      gj_ls_for(l->m, l->f, block, "l", gj__i64(l, 0), gj__i64(l, LANES), 1, GJ_LOOP_VECTOR, 1);
  gj_ls_store(l->m, l->f, &fill->body, gj__local(l, c.local), gj__local(l, fill->local),
              constant(l, start));
  return c;
}

static const gj_lexpr *cell_get(gj__lower *l, cell c, const gj_lexpr *lane) {
  const gj_lexpr *local = gj__local(l, c.local);
  return c.array ? gj_lx_load(l->m, local, lane, 1) : local;
}

static void cell_set(gj__lower *l, cell c, const gj_lexpr *lane, const gj_lexpr *value) {
  if (c.array)
    gj_ls_store(l->m, l->f, l->block, gj__local(l, c.local), lane, value);
  else
    gj_ls_set(l->m, l->f, l->block, c.local, value);
}

// --- combining
// -------------------------------------------------------------------------------------------

static const gj_lexpr *as_unsigned(gj__lower *l, const gj_lexpr *a) {
  gj_dtype wide = gj_dtype_bytes((gj_dtype)a->type.dtype) == 8 ? GJ_DTYPE_u64 : GJ_DTYPE_u32;
  return a->type.dtype == wide ? a : gj_lx_op(l->m, GJ_OP_bitcast, &a, 1, wide);
}

static const gj_lexpr *both(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_and, a, b);
}

static const gj_lexpr *either(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_or, a, b);
}

// argmin and argmax: is (v, i) better than (best, at)? A strictly better value is, a NaN is better
// than a number, and of equals the lower index, compared as unsigned so that the start index -1
// loses to all.
static const gj_lexpr *is_better(gj__lower *l, gj_op better, const gj_lexpr *v, const gj_lexpr *i,
                                 const gj_lexpr *best, const gj_lexpr *at) {
  const gj_lexpr *yes = gj_lx_binary(l->m, better, v, best);
  const gj_lexpr *tie = gj_lx_binary(l->m, GJ_OP_eq, v, best);
  if (gj_dtype_is_float((gj_dtype)v->type.dtype)) {
    const gj_lexpr *v_nan = gj_lx_unary(l->m, GJ_OP_is_nan, v);
    const gj_lexpr *best_nan = gj_lx_unary(l->m, GJ_OP_is_nan, best);
    yes = either(l, yes, both(l, v_nan, gj_lx_unary(l->m, GJ_OP_not, best_nan)));
    tie = either(l, tie, both(l, v_nan, best_nan));
  }
  const gj_lexpr *lower = gj_lx_binary(l->m, GJ_OP_lt, as_unsigned(l, i), as_unsigned(l, at));
  return either(l, yes, both(l, tie, lower));
}

// Joins (v, i) to the cells at `lane`.
static void join(reducer *r, cell value, cell index, const gj_lexpr *lane, const gj_lexpr *v,
                 const gj_lexpr *i) {
  gj__lower *l = r->l;
  gj_op combine = (gj_op)gj_op_get(r->op)->combine;
  if (!r->index) {
    cell_set(l, value, lane, gj_lx_binary(l->m, combine, cell_get(l, value, lane), v));
    return;
  }
  const gj_lexpr *best = gj__let(l, "best", cell_get(l, value, lane));
  const gj_lexpr *at = gj__let(l, "at", cell_get(l, index, lane));
  const gj_lexpr *better = gj__let(l, "better", is_better(l, combine, v, i, best, at));
  cell_set(l, value, lane, gj_lx_select(l->m, better, v, best));
  cell_set(l, index, lane, gj_lx_select(l->m, better, i, at));
}

// Computes the operands of every reduction at `index` and joins them to the given cells.
static void join_elements(reduction *x, const gj__index *index, const gj_lexpr *lane, bool rest) {
  for (uint32_t k = 0; k < x->count; k++) {
    reducer *r = &x->reducers[k];
    if (r->counts)
      continue;
    const gj_type *type = &gj_graph_node(x->l->graph, r->arg)->type;
    const gj__index *at = gj__broadcast(x->l, &x->domain, type, index);
    const gj_lexpr *v = gj__value(x->l, r->arg, at);
    const gj_lexpr *i = r->index ? gj__value(x->l, r->index, at) : NULL;
    join(r, rest ? r->p.rest : r->p.value, rest ? r->p.rest_index : r->p.index, lane, v, i);
  }
}

// (hi, lo) += value, exactly but for the last digits of lo; then value starts again from zero.
static void empty_into(reducer *r, cell from, const gj_lexpr *lane) {
  gj__lower *l = r->l;
  const gj_lexpr *v = gj__let(l, "v", cell_get(l, from, lane));
  const gj_lexpr *hi = gj__let(l, "hi", cell_get(l, r->p.hi, lane));
  const gj_lexpr *sum = gj__let(l, "sum", gj__add(l, hi, v));
  const gj_lexpr *moved = gj__let(l, "moved", gj__sub(l, sum, hi));
  const gj_lexpr *lost = gj__add(l, gj__sub(l, hi, gj__sub(l, sum, moved)), gj__sub(l, v, moved));
  cell_set(l, r->p.hi, lane, sum);
  cell_set(l, r->p.lo, lane, gj__add(l, cell_get(l, r->p.lo, lane), lost));
  cell_set(l, from, lane, constant(l, r->start));
}

// hi + lo, or hi alone where the sum has left the finite numbers (lo is NaN then).
static const gj_lexpr *rounded_sum(reducer *r, const gj_lexpr *lane) {
  gj__lower *l = r->l;
  const gj_lexpr *hi = gj__let(l, "hi", cell_get(l, r->p.hi, lane));
  const gj_lexpr *sum = gj__add(l, hi, cell_get(l, r->p.lo, lane));
  return gj_lx_select(l->m, gj_lx_unary(l->m, GJ_OP_is_finite, hi), sum, hi);
}

// --- loops over the reduced axes
// ---------------------------------------------------------------------------

static const gj_lexpr *lanes_loop(gj__lower *l, gj_lblock *into) {
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, "l", gj__i64(l, 0), gj__i64(l, LANES), 1, GJ_LOOP_VECTOR, 1);
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}

static bool any_sums(const reduction *x) {
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].sums && !x->reducers[k].counts)
      return true;
  return false;
}

static void empty_lanes(reduction *x, gj_lblock *into) {
  if (!any_sums(x))
    return;
  const gj_lexpr *lane = lanes_loop(x->l, into);
  for (uint32_t k = 0; k < x->count; k++) {
    reducer *r = &x->reducers[k];
    if (!r->sums || r->counts)
      continue;
    empty_into(r, r->p.value, lane);
    empty_into(r, r->p.rest, lane);
  }
}

// Position `i` along the innermost reduced loop, the rest of the index being `outer`.
static const gj__index *at_inner(reduction *x, const gj__index *outer, const gj_lexpr *i) {
  gj__index *index = gj__index_new(x->l);
  *index = *outer;
  if (x->flat)
    index->at[0] = gj__add(x->l, outer->at[0], i);
  else
    index->at[x->loops[x->loop_count - 1]] = i;
  return index;
}

// The innermost reduced axis, in rows: full groups of LANES, then the rest.
static void reduce_row(reduction *x, gj_lblock *into, const gj__index *outer,
                       const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj__range range = {gj__i64(l, 0), size};
  if (any_sums(x) || l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, any_sums(x) ? ROW_CHUNK : LONG_CHUNK, &range);
  gj__enter(l, into);
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  const gj_lexpr *groups = gj_lx_binary(l->m, GJ_OP_div, length, gj__i64(l, LANES));
  const gj_lexpr *full =
      gj__let(l, "full", gj__add(l, range.lo, gj__mul(l, groups, gj__i64(l, LANES))));

  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "b", range.lo, full, LANES, 0, 1);
  const gj_lexpr *lane = lanes_loop(l, &loop->body);
  join_elements(x, at_inner(x, outer, gj__add(l, gj__local(l, loop->local), lane)), lane, false);

  gj_lstmt *rest = gj_ls_for(l->m, l->f, into, "i", full, range.hi, 1, 0, 1);
  gj__enter(l, &rest->body);
  const gj_lexpr *i = gj__local(l, rest->local);
  join_elements(x, at_inner(x, outer, i), gj__sub(l, i, full), true);
  empty_lanes(x, into);
}

// The innermost reduced axis, in columns: one by one.
static void reduce_column(reduction *x, gj_lblock *into, const gj__index *outer,
                          const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj__range range = {gj__i64(l, 0), size};
  bool sums = any_sums(x);
  bool poll = l->poll;
  l->poll = false; // inside a vector loop there is no place to leave from
  if (sums)
    into = gj__chunks(l, into, range.lo, range.hi, COLUMN_CHUNK, &range);
  l->poll = poll;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "r", range.lo, range.hi, 1, 0, 1);
  gj__enter(l, &loop->body);
  join_elements(x, at_inner(x, outer, gj__local(l, loop->local)), NULL, false);
  gj__enter(l, into);
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].sums && !x->reducers[k].counts)
      empty_into(&x->reducers[k], x->reducers[k].p.value, NULL);
}

// Loops over all reduced axes inside one result (or one vector of results).
static void reduce_axes(reduction *x, gj_lblock *into, const gj__index *kept) {
  gj__lower *l = x->l;
  const gj__index *index = kept;
  if (x->loop_count == 0) { // reducing axes of size 1 only
    gj__enter(l, into);
    join_elements(x, index, NULL, false);
    for (uint32_t k = 0; k < x->count; k++)
      if (x->reducers[k].sums && !x->reducers[k].counts)
        empty_into(&x->reducers[k], x->reducers[k].p.value, NULL);
    return;
  }
  for (unsigned k = 0; k + 1 < x->loop_count && !x->flat; k++) {
    gj_dim size = x->domain.shape[x->loops[k]];
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "q", gj__i64(l, 0), gj__dim(l, size), 1, 0, 1);
    if (k == 0 && x->rows) // around rows too short for chunks there is no other place to leave from
      gj__poll(l, &loop->body);
    gj__index *inner = gj__index_new(l);
    *inner = *index;
    inner->at[x->loops[k]] = gj__local(l, loop->local);
    index = inner;
    into = &loop->body;
  }
  unsigned outer = x->flat ? 0 : x->loop_count - 1; // of loops that stand around the innermost
  const gj_lexpr *size = gj__size(l, &x->domain, x->loops + outer, x->loop_count - outer);
  if (x->rows)
    reduce_row(x, into, index, size);
  else
    reduce_column(x, into, index, size);
}

// --- one result
// ----------------------------------------------------------------------------------------------

static void make_cells(reduction *x, gj_lblock *into) {
  gj__lower *l = x->l;
  for (uint32_t k = 0; k < x->count; k++) {
    reducer *r = &x->reducers[k];
    if (r->counts)
      continue;
    gj_scalar zero = gj_scalar_start(GJ_START_ZERO, r->start.dtype), none = {0};
    if (r->index) {
      none = gj_scalar_start(GJ_START_ONES, gj_graph_node(l->graph, r->index)->type.dtype);
      r->p.index = cell_new(l, into, "at", none, x->rows);
    }
    r->p.value = cell_new(l, into, "acc", r->start, x->rows);
    if (x->rows)
      r->p.rest = cell_new(l, into, "rest", r->start, true);
    if (x->rows && r->index)
      r->p.rest_index = cell_new(l, into, "rest_at", none, true);
    if (r->sums) {
      r->p.hi = cell_new(l, into, "high", zero, x->rows);
      r->p.lo = cell_new(l, into, "low", zero, x->rows);
    }
  }
}

// Folds the lanes of one reduction into lane 0 of fresh arrays; returns where the result is.
static part fold_lanes(reducer *r, gj_lblock *into) {
  gj__lower *l = r->l;
  part p = {0};
  gj_dtype index_dtype = r->index ? gj_graph_node(l->graph, r->index)->type.dtype : GJ_DTYPE_none;
  p.value =
      (cell){r->start.dtype, gj_ls_array(l->m, l->f, into, "fold", r->start.dtype, LANES), true};
  if (r->index)
    p.index =
        (cell){index_dtype, gj_ls_array(l->m, l->f, into, "fold_at", index_dtype, LANES), true};
  const gj_lexpr *lane = lanes_loop(l, into);
  if (r->sums) {
    cell_set(l, p.value, lane, rounded_sum(r, lane));
  } else {
    const gj_lexpr *i = r->index ? cell_get(l, r->p.rest_index, lane) : NULL;
    join(r, r->p.value, r->p.index, lane, cell_get(l, r->p.rest, lane), i);
    cell_set(l, p.value, lane, cell_get(l, r->p.value, lane));
    if (r->index)
      cell_set(l, p.index, lane, cell_get(l, r->p.index, lane));
  }
  for (int64_t half = LANES / 2; half > 0; half /= 2) {
    gj_lstmt *loop =
        gj_ls_for(l->m, l->f, into, "l", gj__i64(l, 0), gj__i64(l, half), 1, GJ_LOOP_VECTOR, 1);
    gj__enter(l, &loop->body);
    const gj_lexpr *low = gj__local(l, loop->local), *high = gj__add(l, low, gj__i64(l, half));
    const gj_lexpr *i = r->index ? gj__let(l, "i", cell_get(l, p.index, high)) : NULL;
    join(r, p.value, p.index, low, gj__let(l, "v", cell_get(l, p.value, high)), i);
  }
  return p;
}

// The number of elements reduced, in the dtype of the sum.
static const gj_lexpr *element_count(const reduction *x, const reducer *r) {
  gj__lower *l = x->l;
  const gj_lexpr *count = gj__i64(l, 1);
  for (uint8_t i = 0; i < x->domain.rank; i++)
    if (x->axes & (1u << i))
      count = gj__mul(l, count, gj__dim(l, x->domain.shape[i]));
  return gj_lx_convert(l->m, count, r->start.dtype);
}

static void store_results(reduction *x, gj_lblock *into, const gj_lexpr *position) {
  gj__lower *l = x->l;
  const gj_lexpr *zero = gj__i64(l, 0);
  for (uint32_t k = 0; k < x->count; k++) {
    reducer *r = &x->reducers[k];
    part p = r->p;
    if (x->rows && !r->counts)
      p = fold_lanes(r, into);
    gj__enter(l, into);
    const gj_lexpr *value;
    if (r->counts)
      value = element_count(x, r);
    else
      value = r->sums && !x->rows ? rounded_sum(r, NULL) : cell_get(l, p.value, zero);
    if (r->value_buffer != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, into, l->buffers[r->value_buffer], position, value);
    if (r->index_buffer != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, into, l->buffers[r->index_buffer], position,
                  cell_get(l, p.index, zero));
  }
}

// --- the kernel
// ------------------------------------------------------------------------------------------------

// Loops over the kept axes; the innermost is the vector loop when reducing columns.
static gj_lblock *kept_loops(reduction *x, gj__index *index, const gj_lexpr **out_position) {
  gj__lower *l = x->l;
  gj_lblock *into = &l->f->body;
  gj_type kept = {0};
  uint8_t axes[GJ_MAX_RANK];
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    index->at[i] = gj__i64(l, 0);
    if (!(x->axes & (1u << i)) && x->domain.shape[i] != 1) {
      axes[kept.rank] = i;
      kept.shape[kept.rank++] = x->domain.shape[i];
    }
  }
  *out_position = gj__i64(l, 0);
  if (x->flat) { // one loop over results, each a run of `run` elements
    index->flat = true;
    index->at[0] = gj__i64(l, 0);
    if (kept.rank == 0)
      return into;
    const gj_lexpr *results = gj__size(l, &x->domain, axes, kept.rank);
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "o", gj__i64(l, 0), results, 1, 0, 1);
    gj__poll(l, &loop->body);
    *out_position = gj__local(l, loop->local);
    index->at[0] = gj__mul(l, *out_position, gj__size(l, &x->domain, x->loops, x->loop_count));
    return &loop->body;
  }
  for (uint8_t k = 0; k < kept.rank; k++) {
    bool vector = !x->rows && k + 1 == kept.rank;
    gj__range range = {gj__i64(l, 0), gj__dim(l, kept.shape[k])};
    if (k == 0 && vector && l->poll)
      into = gj__chunks(l, into, range.lo, range.hi, LONG_CHUNK, &range);
    gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1,
                               vector ? GJ_LOOP_VECTOR : 0, vector ? 4 : 1);
    if (k == 0 && !vector)
      gj__poll(l, &loop->body);
    index->at[axes[k]] = gj__local(l, loop->local);
    *out_position =
        gj__add(l, gj__mul(l, *out_position, gj__dim(l, kept.shape[k])), index->at[axes[k]]);
    into = &loop->body;
  }
  return into;
}

// A flat index will do when the kept axes all stand in front and every operand is flat.
static bool can_be_flat(const reduction *x) {
  bool reducing = false;
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    bool reduced = (x->axes & (1u << i)) != 0;
    if (x->domain.shape[i] != 1 && reducing && !reduced)
      return false;
    reducing = reducing || (reduced && x->domain.shape[i] != 1);
  }
  for (uint32_t k = 0; k < x->count; k++) {
    const reducer *r = &x->reducers[k];
    if (!gj__is_flat(x->l, r->arg) || (r->index && !gj__is_flat(x->l, r->index)))
      return false;
  }
  return true;
}

static void add_store(reduction *x, gj_store store) {
  const gj_graph *graph = x->l->graph;
  const gj_node *node = gj_graph_node(graph, store.ref);
  bool index = node->op == GJ_OP_result;
  gj_ref ref = index ? node->args[0] : store.ref;
  node = gj_graph_node(graph, ref);
  x->l->computed[ref] = 1;
  reducer *r = NULL;
  for (uint32_t k = 0; k < x->count; k++) // the two results of one argmin share a reducer
    if (node->arg_count == 2 && x->reducers[k].op == node->op &&
        x->reducers[k].arg == node->args[0] && x->reducers[k].index == node->args[1] &&
        (index ? x->reducers[k].index_buffer : x->reducers[k].value_buffer) == GJ_NO_BUFFER)
      r = &x->reducers[k];
  if (!r) {
    r = &x->reducers[x->count++];
    *r = (reducer){.l = x->l, .op = (gj_op)node->op, .arg = node->args[0]};
    r->index = node->arg_count == 2 ? node->args[1] : 0;
    r->start = gj_scalar_start((gj_start)gj_op_get(r->op)->start, node->type.dtype);
    bool adds = gj_op_get(r->op)->combine == GJ_OP_add;
    r->sums = adds && gj_dtype_is_float(node->type.dtype);
    const gj_node *arg = gj_graph_node(graph, r->arg);
    gj_scalar one;
    r->counts = adds && arg->op == GJ_OP_const &&
                arg->data_size == gj_dtype_bytes(arg->type.dtype) &&
                gj_scalar_from_double(arg->type.dtype, 1, &one) &&
                gj_scalar_same_bits(gj_scalar_load(arg->type.dtype, arg->data), one);
    r->value_buffer = r->index_buffer = GJ_NO_BUFFER;
  }
  *(index ? &r->index_buffer : &r->value_buffer) = store.buffer;
}

// Results of fewer than LANES elements each, as far as is known, are reduced one by one, as columns
// are, where the order does not show in the result. (Sums of floats keep the order that longer rows
// have.)
static bool is_short(const reduction *x) {
  gj_dims *dims = gj_graph_dims(x->l->graph);
  gj_dim size = 1;
  for (unsigned k = 0; k < x->loop_count; k++)
    size = gj_dim_mul(dims, size, x->domain.shape[x->loops[k]]);
  for (uint32_t k = 0; k < x->count; k++) {
    const reducer *r = &x->reducers[k];
    bool rounds = gj_op_get(r->op)->combine == GJ_OP_mul && gj_dtype_is_float(r->start.dtype);
    if (r->sums || rounds)
      return false;
  }
  return gj_dim_is_const(size) && size < LANES;
}

void gj__lower_reduce(gj__lower *l, const gj_kernel *kernel) {
  reduction x = {.l = l, .domain = kernel->domain, .axes = kernel->axes};
  x.reducers = gj_arena_array(&l->scratch, kernel->store_count, sizeof *x.reducers);
  if (!x.reducers) {
    l->out_of_memory = true;
    return;
  }
  for (uint32_t i = 0; i < kernel->store_count; i++)
    add_store(&x, kernel->stores[i]);
  uint8_t innermost = 0;
  for (uint8_t i = 0; i < x.domain.rank; i++) {
    if (x.domain.shape[i] == 1)
      continue;
    innermost = i;
    if (x.axes & (1u << i))
      x.loops[x.loop_count++] = i;
  }
  x.rows = x.loop_count > 0 && (x.axes & (1u << innermost)) != 0 && !is_short(&x);
  x.flat = x.rows && can_be_flat(&x);
  gj__index *index = gj__index_new(l);
  const gj_lexpr *position;
  gj_lblock *into = kept_loops(&x, index, &position);
  bool all_counts = true;
  for (uint32_t k = 0; k < x.count; k++)
    all_counts = all_counts && x.reducers[k].counts;
  make_cells(&x, into);
  if (!all_counts)
    reduce_axes(&x, into, index);
  store_results(&x, into, position);
}
