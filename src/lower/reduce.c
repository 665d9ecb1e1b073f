// Reduction kernels: loops over the kept axes, a reduction in each, its results stored.
//
// One pass over the operand makes any number of results. How a result comes about, and in which
// order, is in reduce_row.c.
#include "lower/reduce.h"

// Where the results of a reducer go, or GJ_NO_BUFFER.
typedef struct places {
  uint32_t value, position;
} places;

// Loops over the kept axes; the innermost is the vector loop when reducing columns.
static gj_lblock *kept_loops(gj__reduction *x, gj__index *index, const gj_lexpr **out_position) {
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
      into = gj__chunks(l, into, range.lo, range.hi, GJ__LONG_CHUNK, &range);
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

static void add_store(gj__reduction *x, places *to, gj_store store) {
  const gj_graph *graph = x->l->graph;
  const gj_node *node = gj_graph_node(graph, store.ref);
  bool position = node->op == GJ_OP_result;
  gj_ref ref = position ? node->args[0] : store.ref;
  node = gj_graph_node(graph, ref);
  gj__note_computed(x->l, ref);
  uint32_t k = 0;
  while (k < x->count) { // the two results of one argmin share a reducer
    const gj__reducer *r = &x->reducers[k];
    if (node->arg_count == 2 && r->op == node->op && r->arg == node->args[0] &&
        r->index == node->args[1] && (position ? to[k].position : to[k].value) == GJ_NO_BUFFER)
      break;
    k++;
  }
  if (k == x->count) {
    gj__reducer_init(&x->reducers[x->count++], x->l, ref);
    to[k] = (places){GJ_NO_BUFFER, GJ_NO_BUFFER};
  }
  *(position ? &to[k].position : &to[k].value) = store.buffer;
}

void gj__lower_reduce(gj__lower *l, const gj_kernel *kernel) {
  gj__reduction x = {.l = l, .domain = kernel->domain, .axes = kernel->axes};
  x.reducers = gj_arena_array(&l->scratch, kernel->store_count, sizeof *x.reducers);
  places *to = gj_arena_array(&l->scratch, kernel->store_count, sizeof *to);
  if (!x.reducers || !to) {
    l->out_of_memory = true;
    return;
  }
  for (uint32_t i = 0; i < kernel->store_count; i++)
    add_store(&x, to, kernel->stores[i]);
  gj__reduction_init(&x);
  gj__index *index = gj__index_new(l);
  const gj_lexpr *position;
  gj_lblock *into = kept_loops(&x, index, &position);
  gj__reduce(&x, into, index);
  for (uint32_t k = 0; k < x.count; k++) {
    const gj__reducer *r = &x.reducers[k];
    if (to[k].value != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, into, l->buffers[to[k].value], position, r->value);
    if (to[k].position != GJ_NO_BUFFER)
      gj_ls_store(l->m, l->f, into, l->buffers[to[k].position], position, r->position);
  }
}
