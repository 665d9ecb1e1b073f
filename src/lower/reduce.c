// Reduction kernels: loops over the kept axes, a reduction in each, its results stored.
//
// One pass over the operand makes any number of results. There are three forms. Where the innermost
// axis is reduced, each result is a row (reduce_row.c); where it is kept, neighbouring results are
// neighbours in memory and are made together (reduce_columns.c). Results of a few elements each, as
// far as is known, are made many at a time in either case: the loop over results is the vector loop
// and their elements are added one by one, the order that rows and columns have for as few.
#include "lower/reduce.h"

// --- results
// -----------------------------------------------------------------------------------------

static void add_store(gj__reduction *x, gj__places *to, gj_store store) {
  const gj_graph *graph = x->l->graph;
  const gj_node *node = gj_graph_node(graph, store.ref);
  bool position = node->op == GJ_OP_result;
  gj_ref ref = position ? node->args[0] : store.ref;
  node = gj_graph_node(graph, ref);
  gj__note_computed(x->l, ref);
  uint32_t k = 0;
  while (k < x->count) { // the two results of one op share a reducer
    const gj__reducer *r = &x->reducers[k];
    if (gj_node_result_count(node) == 2 && r->op == node->op && r->arg == node->args[0] &&
        r->index == (node->arg_count == 2 ? node->args[1] : 0) &&
        (position ? to[k].position : to[k].value) == GJ_NO_BUFFER)
      break;
    k++;
  }
  if (k == x->count) {
    gj__reducer_init(&x->reducers[x->count++], x->l, ref);
    to[k] = (gj__places){GJ_NO_BUFFER, GJ_NO_BUFFER};
  }
  *(position ? &to[k].position : &to[k].value) = store.buffer;
}

void gj__store_results(const gj__reduction *x, const gj__places *to, const gj_lexpr *at) {
  gj__lower *l = x->l;
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    if (to[k].value != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, l->block, l->buffers[to[k].value], at, r->value);
    if (to[k].position != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, l->block, l->buffers[to[k].position], at, r->position);
  }
}

// --- loops over results
// ------------------------------------------------------------------------------

// One loop over all results, `index` being the flat position of the first element of each.
static gj_lblock *flat_loop(gj__reduction *x, gj__index *index, const gj_type *kept,
                            const uint8_t *axes, bool vector, const gj_lexpr **out_position) {
  gj__lower *l = x->l;
  gj_lblock *into = &l->f->body;
  index->flat = true;
  index->at[0] = *out_position = gj__i64(l, 0);
  if (kept->rank == 0)
    return into;
  gj__range range = {gj__i64(l, 0), gj__size(l, &x->domain, axes, kept->rank)};
  if (vector && l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, GJ__SEGMENT, &range);
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, vector ? GJ_LOOP_VECTOR : 0, 1);
  if (!vector)
    gj__poll(l, &loop->body);
  *out_position = gj__local(l, loop->local);
  index->at[0] = gj__mul(l, *out_position, gj__reduced_size(x));
  return &loop->body;
}

// Loops over the kept axes, the innermost of them a vector loop if `vector`.
static gj_lblock *kept_loops(gj__reduction *x, gj__index *index, bool vector,
                             const gj_lexpr **out_position) {
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
  if (x->flat)
    return flat_loop(x, index, &kept, axes, vector, out_position);
  *out_position = gj__i64(l, 0);
  for (uint8_t k = 0; k < kept.rank; k++) {
    bool innermost = vector && k + 1 == kept.rank;
    gj__range range = {gj__i64(l, 0), gj__dim(l, kept.shape[k])};
    if (k == 0 && innermost && l->poll)
      into = gj__chunks(l, into, range.lo, range.hi, GJ__SEGMENT, &range);
    gj_lstmt *loop =
        gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, innermost ? GJ_LOOP_VECTOR : 0, 1);
    if (k == 0 && !innermost)
      gj__poll(l, &loop->body);
    index->at[axes[k]] = gj__local(l, loop->local);
    *out_position =
        gj__add(l, gj__mul(l, *out_position, gj__dim(l, kept.shape[k])), index->at[axes[k]]);
    into = &loop->body;
  }
  return into;
}

// Results of a constant number of elements below SHORT.
static bool is_short(const gj__reduction *x) {
  const gj_lexpr *size = gj__reduced_size(x);
  return size->kind == GJ_LX_CONST && size->value.v.i < GJ__SHORT;
}

void gj__lower_reduce(gj__lower *l, const gj_kernel *kernel) {
  gj__reduction x = {.l = l, .domain = kernel->domain, .axes = kernel->axes};
  x.reducers = gj_arena_array(&l->scratch, kernel->store_count, sizeof *x.reducers);
  gj__places *to = gj_arena_array(&l->scratch, kernel->store_count, sizeof *to);
  if (!x.reducers || !to) {
    l->out_of_memory = true;
    return;
  }
  for (uint32_t i = 0; i < kernel->store_count; i++)
    add_store(&x, to, kernel->stores[i]);
  gj__reduction_init(&x);
  for (uint32_t k = 0; k < x.count; k++)
    x.reducers[k].wants_value = to[k].value != GJ_NO_BUFFER;
  bool few = is_short(&x) || gj__only_counts(&x);
  if (!few && !x.rows) {
    gj__reduce_columns(&x, to);
    return;
  }
  gj__index *index = gj__index_new(l);
  const gj_lexpr *position;
  gj_lblock *into = kept_loops(&x, index, few, &position);
  gj__reduce(&x, into, index);
  gj__store_results(&x, to, position);
}
