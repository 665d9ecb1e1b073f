// Reductions: the loops over the reduced axes, and what they leave.
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
// The order depends on the graph and its shapes, never on target or thread count, so results are
// the same everywhere. (The rest of the graph matters where several axes are reduced: they are one
// row when all operands of the kernel can be read flat, and otherwise taken axis by axis.) Left
// out: splitting one long reduction over threads (the chunks are made for it).
#include "lower/reduce.h"

static void join_elements(gj__reduction *x, const gj__index *index, const gj_lexpr *lane,
                          bool rest) {
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->counts)
      continue;
    const gj_type *type = &gj_graph_node(x->l->graph, r->arg)->type;
    const gj__index *at = gj__broadcast(x->l, &x->domain, type, index);
    const gj_lexpr *v = gj__value(x->l, r->arg, at);
    const gj_lexpr *i = r->index ? gj__value(x->l, r->index, at) : NULL;
    gj__join(r, rest ? r->p.rest : r->p.value, rest ? r->p.rest_index : r->p.index, lane, v, i);
  }
}

static bool any_sums(const gj__reduction *x) {
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].sums && !x->reducers[k].counts)
      return true;
  return false;
}

static void empty_lanes(gj__reduction *x, gj_lblock *into) {
  if (!any_sums(x))
    return;
  const gj_lexpr *lane = gj__lanes_loop(x->l, into, GJ__LANES);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (!r->sums || r->counts)
      continue;
    gj__empty_into(r, r->p.value, lane);
    gj__empty_into(r, r->p.rest, lane);
  }
}

// Position `i` along the innermost reduced loop, the rest of the index being `outer`.
static const gj__index *at_inner(gj__reduction *x, const gj__index *outer, const gj_lexpr *i) {
  gj__index *index = gj__index_new(x->l);
  *index = *outer;
  if (x->flat)
    index->at[0] = gj__add(x->l, outer->at[0], i);
  else
    index->at[x->loops[x->loop_count - 1]] = i;
  return index;
}

// The innermost reduced axis, in rows: full groups of GJ__LANES, then the rest.
static void reduce_row(gj__reduction *x, gj_lblock *into, const gj__index *outer,
                       const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj__range range = {gj__i64(l, 0), size};
  if (any_sums(x) || l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, any_sums(x) ? GJ__ROW_CHUNK : GJ__LONG_CHUNK,
                      &range);
  gj__enter(l, into);
  const gj_lexpr *length = gj__sub(l, range.hi, range.lo);
  const gj_lexpr *groups = gj_lx_binary(l->m, GJ_OP_div, length, gj__i64(l, GJ__LANES));
  const gj_lexpr *full =
      gj__let(l, "full", gj__add(l, range.lo, gj__mul(l, groups, gj__i64(l, GJ__LANES))));

  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "b", range.lo, full, GJ__LANES, 0, 1);
  const gj_lexpr *lane = gj__lanes_loop(l, &loop->body, GJ__LANES);
  join_elements(x, at_inner(x, outer, gj__add(l, gj__local(l, loop->local), lane)), lane, false);

  gj_lstmt *rest = gj_ls_for(l->m, l->f, into, "i", full, range.hi, 1, 0, 1);
  gj__enter(l, &rest->body);
  const gj_lexpr *i = gj__local(l, rest->local);
  join_elements(x, at_inner(x, outer, i), gj__sub(l, i, full), true);
  empty_lanes(x, into);
}

// The innermost reduced axis, in columns: one by one.
static void reduce_column(gj__reduction *x, gj_lblock *into, const gj__index *outer,
                          const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj__range range = {gj__i64(l, 0), size};
  bool sums = any_sums(x);
  bool poll = l->poll;
  l->poll = false; // inside a vector loop there is no place to leave from
  if (sums)
    into = gj__chunks(l, into, range.lo, range.hi, GJ__COLUMN_CHUNK, &range);
  l->poll = poll;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "r", range.lo, range.hi, 1, 0, 1);
  gj__enter(l, &loop->body);
  join_elements(x, at_inner(x, outer, gj__local(l, loop->local)), NULL, false);
  gj__enter(l, into);
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].sums && !x->reducers[k].counts)
      gj__empty_into(&x->reducers[k], x->reducers[k].p.value, NULL);
}

// Loops over all reduced axes inside one result (or one vector of results).
static void reduce_axes(gj__reduction *x, gj_lblock *into, const gj__index *kept) {
  gj__lower *l = x->l;
  const gj__index *index = kept;
  if (x->loop_count == 0) { // reducing axes of size 1 only
    gj__enter(l, into);
    join_elements(x, index, NULL, false);
    for (uint32_t k = 0; k < x->count; k++)
      if (x->reducers[k].sums && !x->reducers[k].counts)
        gj__empty_into(&x->reducers[k], x->reducers[k].p.value, NULL);
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

static void make_cells(gj__reduction *x, gj_lblock *into) {
  gj__lower *l = x->l;
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (r->counts)
      continue;
    gj_scalar zero = gj_scalar_start(GJ_START_ZERO, r->start.dtype), none = {0};
    if (r->index) {
      none = gj_scalar_start(GJ_START_ONES, gj_graph_node(l->graph, r->index)->type.dtype);
      r->p.index = gj__cell_new(l, into, "at", none, x->rows);
    }
    r->p.value = gj__cell_new(l, into, "acc", r->start, x->rows);
    if (x->rows)
      r->p.rest = gj__cell_new(l, into, "rest", r->start, true);
    if (x->rows && r->index)
      r->p.rest_index = gj__cell_new(l, into, "rest_at", none, true);
    if (r->sums) {
      r->p.hi = gj__cell_new(l, into, "high", zero, x->rows);
      r->p.lo = gj__cell_new(l, into, "low", zero, x->rows);
    }
  }
}

// Folds the lanes of one reduction into lane 0 of fresh arrays; returns where the result is.
static gj__part fold_lanes(gj__reducer *r, gj_lblock *into) {
  gj__lower *l = r->l;
  gj__part p = {0};
  gj_dtype index_dtype = r->index ? gj_graph_node(l->graph, r->index)->type.dtype : GJ_DTYPE_none;
  p.value = (gj__cell){r->start.dtype,
                       gj_ls_array(l->m, l->f, into, "fold", r->start.dtype, GJ__LANES), true};
  if (r->index)
    p.index = (gj__cell){index_dtype,
                         gj_ls_array(l->m, l->f, into, "fold_at", index_dtype, GJ__LANES), true};
  const gj_lexpr *lane = gj__lanes_loop(l, into, GJ__LANES);
  if (r->sums) {
    gj__cell_set(l, p.value, lane, gj__rounded_sum(r, lane));
  } else {
    const gj_lexpr *i = r->index ? gj__cell_get(l, r->p.rest_index, lane) : NULL;
    gj__join(r, r->p.value, r->p.index, lane, gj__cell_get(l, r->p.rest, lane), i);
    gj__cell_set(l, p.value, lane, gj__cell_get(l, r->p.value, lane));
    if (r->index)
      gj__cell_set(l, p.index, lane, gj__cell_get(l, r->p.index, lane));
  }
  for (int64_t half = GJ__LANES / 2; half > 0; half /= 2) {
    gj_lstmt *loop =
        gj_ls_for(l->m, l->f, into, "l", gj__i64(l, 0), gj__i64(l, half), 1, GJ_LOOP_VECTOR, 1);
    gj__enter(l, &loop->body);
    const gj_lexpr *low = gj__local(l, loop->local), *high = gj__add(l, low, gj__i64(l, half));
    const gj_lexpr *i = r->index ? gj__let(l, "i", gj__cell_get(l, p.index, high)) : NULL;
    gj__join(r, p.value, p.index, low, gj__let(l, "v", gj__cell_get(l, p.value, high)), i);
  }
  return p;
}

// The number of elements reduced, in the dtype of the sum.
static const gj_lexpr *element_count(const gj__reduction *x, const gj__reducer *r) {
  gj__lower *l = x->l;
  const gj_lexpr *count = gj__i64(l, 1);
  for (uint8_t i = 0; i < x->domain.rank; i++)
    if (x->axes & (1u << i))
      count = gj__mul(l, count, gj__dim(l, x->domain.shape[i]));
  return gj_lx_convert(l->m, count, r->start.dtype);
}

// --- entry
// ----------------------------------------------------------------------------------------

// A flat index will do when the kept axes all stand in front and every operand is flat.
static bool can_be_flat(const gj__reduction *x) {
  bool reducing = false;
  for (uint8_t i = 0; i < x->domain.rank; i++) {
    bool reduced = (x->axes & (1u << i)) != 0;
    if (x->domain.shape[i] != 1 && reducing && !reduced)
      return false;
    reducing = reducing || (reduced && x->domain.shape[i] != 1);
  }
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    if (!gj__is_flat(x->l, r->arg) || (r->index && !gj__is_flat(x->l, r->index)))
      return false;
  }
  return true;
}

// Results of fewer than GJ__LANES elements each, as far as is known, are reduced one by one, as
// columns are, where the order does not show in the result. (Sums of floats keep the order that
// longer rows have.)
static bool is_short(const gj__reduction *x) {
  gj_dims *dims = gj_graph_dims(x->l->graph);
  gj_dim size = 1;
  for (unsigned k = 0; k < x->loop_count; k++)
    size = gj_dim_mul(dims, size, x->domain.shape[x->loops[k]]);
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    bool rounds = gj_op_get(r->op)->combine == GJ_OP_mul && gj_dtype_is_float(r->start.dtype);
    if (r->sums || rounds)
      return false;
  }
  return gj_dim_is_const(size) && size < GJ__LANES;
}

void gj__reducer_init(gj__reducer *r, gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  *r = (gj__reducer){.l = l, .op = (gj_op)node->op, .arg = node->args[0]};
  r->index = node->arg_count == 2 ? node->args[1] : 0;
  r->start = gj_scalar_start((gj_start)gj_op_get(r->op)->start, node->type.dtype);
  bool adds = gj_op_get(r->op)->combine == GJ_OP_add;
  r->sums = adds && gj_dtype_is_float(node->type.dtype);
  const gj_node *arg = gj_graph_node(l->graph, r->arg);
  gj_scalar one;
  r->counts = adds && arg->op == GJ_OP_const && arg->data_size == gj_dtype_bytes(arg->type.dtype) &&
              gj_scalar_from_double(arg->type.dtype, 1, &one) &&
              gj_scalar_same_bits(gj_scalar_load(arg->type.dtype, arg->data), one);
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
  x->rows = x->loop_count > 0 && (x->axes & (1u << innermost)) != 0 && !is_short(x);
  x->flat = x->rows && can_be_flat(x);
}

void gj__reduce(gj__reduction *x, gj_lblock *into, const gj__index *index) {
  gj__lower *l = x->l;
  const gj_lexpr *zero = gj__i64(l, 0);
  bool all_counts = true;
  for (uint32_t k = 0; k < x->count; k++)
    all_counts = all_counts && x->reducers[k].counts;
  make_cells(x, into);
  if (!all_counts)
    reduce_axes(x, into, index);
  for (uint32_t k = 0; k < x->count; k++) {
    gj__reducer *r = &x->reducers[k];
    if (x->rows && !r->counts)
      r->p = fold_lanes(r, into);
    gj__enter(l, into);
    if (r->counts)
      r->value = element_count(x, r);
    else
      r->value = r->sums && !x->rows ? gj__rounded_sum(r, NULL) : gj__cell_get(l, r->p.value, zero);
    if (r->index)
      r->position = gj__cell_get(l, r->p.index, zero);
  }
}
