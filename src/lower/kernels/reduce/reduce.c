// Reduction kernels: loops over the kept axes, a reduction in each, its results stored.
//
// One pass over the operand makes any number of results. There are three forms. Where the innermost
// axis is reduced, each result is a row (row.c); where it is kept, neighbouring results are
// neighbours in memory and are made together (columns.c). Results of a few elements each, as
// far as is known, are made many at a time in either case: the loop over results is the vector loop
// and their elements are added one by one, the order that rows and columns have for as few.
#include "lower/kernels/reduce/reduce.h"

// --- results ---

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

// --- loops over results ---

uint8_t gj__kept_axes(const gj__reduction *x, uint8_t axes[GJ_MAX_RANK]) {
  uint8_t count = 0;
  for (uint8_t i = 0; i < x->domain.rank; i++)
    if (!(x->axes & (1u << i)) && x->domain.shape[i] != 1)
      axes[count++] = i;
  return count;
}

// One loop of a nest of results: all of `axes` together, or one of them.
static gj_lblock *kept_loop(gj__reduction *x, gj_lblock *into, gj__range range, bool outermost,
                            bool vector, const gj_lexpr **out_at) {
  gj__lower *l = x->l;
  if (outermost && vector && l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, GJ__SEGMENT, &range);
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, "o", range.lo, range.hi, 1, vector ? GJ_LOOP_VECTOR : 0, 1);
  if (outermost && !vector)
    gj__poll(l, &loop->body);
  *out_at = gj__local(l, loop->local);
  return &loop->body;
}

// Loops over the kept axes, the innermost of them a vector loop if `vector`: one over all results,
// with a flat index, where that will do. The share is a range of the outermost loop.
static gj_lblock *kept_loops(gj__reduction *x, gj__index *index, bool vector,
                             const gj_lexpr **out_position) {
  gj__lower *l = x->l;
  gj_lblock *into = &l->f->body;
  uint8_t axes[GJ_MAX_RANK], count = gj__kept_axes(x, axes);
  gj__share share = gj__share_of(l, 0);
  *out_position = index->at[0] = gj__i64(l, 0); // a flat index of a scalar has no axis to go by
  for (uint8_t i = 0; i < x->domain.rank; i++)
    index->at[i] = gj__i64(l, 0);
  index->flat = x->flat;
  uint8_t loops = x->flat && count > 0 ? 1 : count;
  for (uint8_t k = 0; k < loops; k++) {
    const gj_lexpr *size = gj__size(l, &x->domain, axes + k, x->flat ? count : 1), *at;
    gj__range range = {gj__i64(l, 0), size};
    if (k == 0 && share.divided)
      range = (gj__range){share.begin, share.end};
    into = kept_loop(x, into, range, k == 0, vector && k + 1 == loops, &at);
    *out_position = gj__add(l, gj__mul(l, *out_position, size), at);
    index->at[x->flat ? 0 : axes[k]] = x->flat ? gj__mul(l, at, gj__reduced_size(x)) : at;
  }
  return into;
}

// Results of a constant number of elements below SHORT.
static bool is_short(const gj__reduction *x) {
  gj_dims *dims = gj_graph_dims(x->l->graph);
  gj_dim size = 1;
  for (unsigned k = 0; k < x->loop_count; k++)
    size = gj_dim_mul(dims, size, x->domain.shape[x->loops[k]]);
  return gj_dim_is_const(size) && size < GJ__SHORT;
}

// What a kernel reduces, and where to; false when out of memory.
static bool describe(gj__lower *l, const gj_kernel *kernel, gj__reduction *x, gj__places **out_to) {
  *x = (gj__reduction){.l = l, .domain = kernel->domain, .axes = kernel->axes, .first = true};
  x->reducers = gj_arena_array(&l->scratch, kernel->store_count, sizeof *x->reducers);
  gj__places *to = *out_to = gj_arena_array(&l->scratch, kernel->store_count, sizeof *to);
  if (!x->reducers || !to) {
    l->out_of_memory = true;
    return false;
  }
  for (uint32_t i = 0; i < kernel->store_count; i++)
    add_store(x, to, kernel->stores[i]);
  gj__reduction_init(x);
  for (uint32_t k = 0; k < x->count; k++)
    x->reducers[k].wants_value = to[k].value != GJ_NO_BUFFER;
  return true;
}

// Units are results, or steps of the outermost loop over them; where that is the loop over columns,
// blocks of columns.
void gj__divide_reduce(gj__lower *l, const gj_kernel *kernel) {
  gj__reduction x;
  gj__places *to;
  gj_type *type = gj_arena_alloc(&l->scratch, sizeof *type);
  gj_type *reduced = gj_arena_alloc(&l->scratch, sizeof *reduced);
  l->out_of_memory = l->out_of_memory || !type || !reduced;
  if (l->out_of_memory || !describe(l, kernel, &x, &to))
    return;
  uint8_t axes[GJ_MAX_RANK], count = gj__kept_axes(&x, axes);
  l->work.split = !is_short(&x) && (gj__splits_rows(&x) || gj__splits_columns(&x));
  if (count == 0 || l->work.split)
    return;
  *type = *reduced = (gj_type){.dtype = kernel->domain.dtype};
  for (uint8_t k = 0; k < count; k++)
    type->shape[type->rank++] = x.domain.shape[axes[k]];
  for (uint8_t k = 0; k < x.loop_count; k++)
    reduced->shape[reduced->rank++] = x.domain.shape[x.loops[k]];
  bool rows = x.rows || is_short(&x) || gj__only_counts(&x);
  uint8_t outer = rows ? (x.flat ? count : 1) : gj__columns_outer(&x);
  if (outer == 0)
    l->work.block = GJ__COLUMNS_BLOCK;
  gj__add_units(l, (gj__units){.type = type,
                               .outer = outer > 0 && !x.flat ? 1 : outer,
                               .blocks = outer == 0,
                               .each = reduced});
}

void gj__lower_reduce_part(gj__lower *l, const gj_kernel *kernel) {
  gj__reduction x;
  gj__places *to;
  if (!describe(l, kernel, &x, &to))
    return;
  if (x.rows)
    gj__reduce_part(&x);
  else
    gj__columns_part(&x);
}

void gj__lower_reduce(gj__lower *l, const gj_kernel *kernel) {
  gj__reduction x;
  gj__places *to;
  if (!describe(l, kernel, &x, &to))
    return;
  bool few = is_short(&x) || gj__only_counts(&x);
  if (!few && !x.rows) {
    gj__reduce_columns(&x, to);
    return;
  }
  gj__index *index = gj__index_new(l);
  const gj_lexpr *position;
  gj_lblock *into = kept_loops(&x, index, few, &position);
  if (l->work.split)
    gj__reduce_by_parts(&x, into, index);
  else
    gj__reduce(&x, into, index);
  gj__store_results(&x, to, position);
}
