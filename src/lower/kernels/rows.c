// Row kernels: one row at a time through all stages.
//
//   for each row
//     numbers of the row that stage 0 needs
//     stage 0: a vector loop over the row that stores elementwise values
//     stage 1: reductions over the row, their results locals
//     numbers of the row that stage 2 needs, and so on
//
// Values with an element per place are wanted at a row index, which knows its row and column and so
// needs no division. Numbers (values with one element per row, and scalars) are computed in front
// of the loop that needs them, where gj__value() finds them again. What one stage stores the next
// one loads, from a row that is in cache. Reductions have the order that kernels/reduce/row.c gives
// any row, so results do not depend on what has become one kernel.
#include "lower/kernels/reduce/reduce.h"

typedef struct rows {
  gj__lower *l;
  const gj_kernel *kernel;
  gj_lblock *into;       // the body of the loop over rows
  const gj_lexpr *row;   // its variable
  const gj_lexpr *start; // position of the row's first element
  gj__reducer *reducers;
  const gj_store **values, **positions; // per reducer: where its results go, or NULL
} rows;

// --- numbers ---

static bool is_known(const gj__lower *l, gj_ref ref) {
  return l->numbers[ref].kernel == l->kernel + 1;
}

static void set_number(rows *x, gj_ref ref, const gj_lexpr *value) {
  gj__lower *l = x->l;
  if (value->kind != GJ_LX_CONST && value->kind != GJ_LX_LOCAL)
    value = gj__let(l, gj_op_name((gj_op)gj_graph_node(l->graph, ref)->op), value);
  l->numbers[ref] = (gj__number){l->kernel + 1, value};
}

static void set_stored(rows *x, const gj_store *store, const gj_lexpr *value) {
  gj__lower *l = x->l;
  set_number(x, store->ref, value);
  if (store->buffer != GJ_NO_BUFFER)
    gj_ls_store(l->m, l->f, x->into, l->buffers[store->buffer], x->row,
                l->numbers[store->ref].value);
}

static void need_operands(rows *x, gj_ref ref);

// Computes the numbers that are needed for computing `ref`, which is wanted at `place`.
static void need(rows *x, gj_ref ref, gj_place place) {
  gj__lower *l = x->l;
  const gj_node *node = gj_graph_node(l->graph, ref);
  bool scalar = gj__has_one_element(&node->type);
  if (node->op == GJ_OP_const || is_known(l, ref))
    return;
  if (scalar || place == GJ_PLACE_ROW)
    set_number(x, ref, gj__value(l, ref, scalar ? l->origin : l->this_row));
  else if (place == GJ_PLACE_SAME && !gj__in_memory(l, ref))
    need_operands(x, ref);
}

static void need_operands(rows *x, gj_ref ref) {
  gj__lower *l = x->l;
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (l->asked[ref] == l->stage)
    return;
  l->asked[ref] = l->stage;
  for (uint32_t a = 0; a < node->arg_count; a++)
    need(x, node->args[a], gj__row_place(l->graph, l->rows, l->cols, ref, a, GJ_PLACE_SAME));
}

// --- stages ---

static gj__index *row_index(rows *x, const gj_lexpr *col) {
  gj__lower *l = x->l;
  gj__index *index = gj__index_new(l);
  *index = (gj__index){.flat = true, .row = x->row, .col = col};
  index->at[0] = gj__add(l, x->start, col);
  return index;
}

// A loop over the row that stores the elementwise values of a stage.
static void store_values(rows *x, uint32_t stage) {
  gj__lower *l = x->l;
  const gj_kernel *kernel = x->kernel;
  gj__range range = {gj__i64(l, 0), gj__dim(l, l->cols)};
  gj_lblock *into = x->into;
  if (l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, GJ__SEGMENT, &range);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "i", range.lo, range.hi, 1, GJ_LOOP_VECTOR, 1);
  gj__enter(l, &loop->body);
  const gj_lexpr *col = gj__local(l, loop->local);
  const gj__index *index = row_index(x, col);
  const gj_lexpr **values = gj_arena_array(&l->scratch, kernel->store_count, sizeof *values);
  if (!values) {
    l->out_of_memory = true;
    return;
  }
  // All values before the first store, which may overwrite what another value reads.
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (kernel->stores[i].stage == stage && !kernel->stores[i].one)
      values[i] = gj__value(l, kernel->stores[i].ref, index);
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    const gj_store *store = &kernel->stores[i];
    if (store->stage != stage || store->one || store->buffer == GJ_NO_BUFFER)
      continue;
    const gj_lexpr *at = l->plan->buffers[store->buffer].row ? col : index->at[0];
    gj_ls_store(l->m, l->f, l->block, l->buffers[store->buffer], at, values[i]);
    l->kept[store->ref] = l->kernel + 1;
  }
}

static uint32_t find_reducer(rows *x, uint32_t count, const gj_node *node, bool position) {
  for (uint32_t k = 0; k < count; k++) { // the two results of one op share a reducer
    const gj__reducer *r = &x->reducers[k];
    if (gj_node_result_count(node) == 2 && r->op == (gj_op)node->op && r->arg == node->args[0] &&
        r->index == (node->arg_count == 2 ? node->args[1] : 0) &&
        !(position ? x->positions : x->values)[k])
      return k;
  }
  return count;
}

// The reducers of a stage; returns how many there are.
static uint32_t list_reducers(rows *x, uint32_t stage) {
  gj__lower *l = x->l;
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->kernel->store_count; i++) {
    const gj_store *store = &x->kernel->stores[i];
    const gj_node *node = gj_graph_node(l->graph, store->ref);
    bool position = node->op == GJ_OP_result;
    gj_ref ref = position ? node->args[0] : store->ref;
    if (store->stage != stage)
      continue;
    node = gj_graph_node(l->graph, ref);
    gj__note_computed(l, ref);
    uint32_t k = find_reducer(x, count, node, position);
    if (k == count) {
      gj__reducer_init(&x->reducers[count++], l, ref);
      x->values[k] = x->positions[k] = NULL;
    }
    (position ? x->positions : x->values)[k] = store;
  }
  return count;
}

// Whether a stage has a loop that stores elementwise values.
static bool makes_values(const rows *x, uint32_t stage) {
  for (uint32_t i = 0; i < x->kernel->store_count; i++)
    if (x->kernel->stores[i].stage == stage && !x->kernel->stores[i].one)
      return true;
  return false;
}

static void reduce_row(rows *x, uint32_t stage) {
  gj__lower *l = x->l;
  gj__reduction r = {.l = l, .domain = x->kernel->domain, .axes = x->kernel->axes};
  r.first = stage == 1 && !makes_values(x, 0);
  r.reducers = x->reducers;
  r.count = list_reducers(x, stage);
  for (uint32_t k = 0; k < r.count; k++) {
    need(x, r.reducers[k].arg, GJ_PLACE_SAME);
    if (r.reducers[k].index)
      need(x, r.reducers[k].index, GJ_PLACE_SAME);
  }
  gj__reduction_init(&r);
  for (uint32_t k = 0; k < r.count; k++)
    r.reducers[k].wants_value = x->values[k] != NULL;
  gj__reduce(&r, x->into, row_index(x, gj__i64(l, 0)));
  for (uint32_t k = 0; k < r.count; k++) {
    if (x->values[k])
      set_stored(x, x->values[k], r.reducers[k].value);
    if (x->positions[k])
      set_stored(x, x->positions[k], r.reducers[k].position);
  }
}

static void lower_stage(rows *x, uint32_t stage) {
  gj__lower *l = x->l;
  l->stage++;
  gj__enter(l, x->into);
  if (stage % 2) {
    reduce_row(x, stage);
    return;
  }
  for (uint32_t i = 0; i < x->kernel->store_count; i++) {
    const gj_store *store = &x->kernel->stores[i];
    if (store->stage != stage)
      continue;
    if (store->one)
      set_stored(x, store, gj__value(l, store->ref, l->this_row));
    else
      need_operands(x, store->ref);
  }
  if (makes_values(x, stage))
    store_values(x, stage);
}

// --- the kernel ---

static bool allocate(rows *x) {
  size_t count = x->kernel->store_count;
  gj_arena *arena = &x->l->scratch;
  x->reducers = gj_arena_array(arena, count, sizeof *x->reducers);
  x->values = gj_arena_array(arena, count, sizeof *x->values);
  x->positions = gj_arena_array(arena, count, sizeof *x->positions);
  return x->reducers && x->values && x->positions;
}

// The loop over the rows of this call, or none when there is only one.
static void row_loop(rows *x) {
  gj__lower *l = x->l;
  gj__share share = gj__share_of(l, 0);
  x->into = &l->f->body;
  x->row = gj__i64(l, 0);
  if (l->rows != 1) {
    const gj_lexpr *lo = share.divided ? share.begin : x->row;
    const gj_lexpr *hi = share.divided ? share.end : gj__dim(l, l->rows);
    gj_lstmt *loop = gj_ls_for(l->m, l->f, x->into, "o", lo, hi, 1, 0, 1);
    gj__poll(l, &loop->body);
    x->into = &loop->body;
    x->row = gj__local(l, loop->local);
  }
  gj__enter(l, x->into);
  x->start = gj__let(l, "start", gj__mul(l, x->row, gj__dim(l, l->cols)));
  l->this_row = gj__index_new(l);
  *l->this_row = (gj__index){.flat = true, .at = {x->row}};
}

// Rows on the stack, made before the loop and forgotten after the kernel.
static void set_local_rows(rows *x, bool made) {
  gj__lower *l = x->l;
  for (uint32_t i = 0; i < x->kernel->store_count; i++) {
    uint32_t b = x->kernel->stores[i].buffer;
    const gj_buffer *buffer = b == GJ_NO_BUFFER ? NULL : &l->plan->buffers[b];
    if (!buffer || buffer->kind != GJ_BUFFER_LOCAL)
      continue;
    l->buffers[b] = NULL;
    if (made)
      l->buffers[b] = gj__local(l, gj_ls_array(l->m, l->f, &l->f->body, "kept", buffer->type.dtype,
                                               buffer->type.shape[0]));
  }
}

// Rows are units, unless they share a buffer for one of them.
void gj__divide_stages(gj__lower *l, const gj_kernel *kernel) {
  bool shared = kernel->domain.shape[0] == 1;
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    uint32_t b = kernel->stores[i].buffer;
    shared = shared || (b != GJ_NO_BUFFER && l->plan->buffers[b].row &&
                        l->plan->buffers[b].kind == GJ_BUFFER_SCRATCH);
  }
  if (!shared)
    gj__add_units(l, gj__outermost_units(&kernel->domain));
}

void gj__lower_stages(gj__lower *l, const gj_kernel *kernel) {
  rows x = {.l = l, .kernel = kernel};
  uint32_t last = 0;
  if (!allocate(&x)) {
    l->out_of_memory = true;
    return;
  }
  l->rows = kernel->domain.shape[0];
  l->cols = kernel->domain.shape[1];
  set_local_rows(&x, true);
  row_loop(&x);
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (kernel->stores[i].stage > last)
      last = kernel->stores[i].stage;
  for (uint32_t stage = 0; stage <= last; stage++)
    lower_stage(&x, stage);
  set_local_rows(&x, false);
}
