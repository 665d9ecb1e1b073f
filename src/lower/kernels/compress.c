// Compress: the rows of values where a mask is true, in order, and how many they are.
//
//   func k0_part(…, phase, begin, end)       blocks begin … end of the mask
//     phase 0: counts[b] = how many are true in block b
//     phase 1: their rows, from place starts[b] on
//   func k0(…)
//     for each batch of blocks
//       parallel k0_part(…, 0) over its blocks
//       starts from counts
//       parallel k0_part(…, 1) over its blocks
//
// A batch is so large that the last cache holds it: what phase 1 asks for again is near. One thread
// does without counting and goes through memory once, each block behind what it has taken so far.
//
// The sum goes to working memory, where the entry finds it (lower.c). Both
// counting and finding rows, by appending their numbers, are done in vectors
// (loops/vectorise/lanes.h): to the result, if these are what is asked for, else to an array of
// positions, at which values are computed and nowhere else.
//
// Memory of the mask may be written by somebody else meanwhile: no block writes more than it
// counted.
//
// Left out: a mask that is costly to compute is stored before (passes/stored.c), since both phases
// ask for it, and so does each of several results.
#include "lower/context.h"
#include "lower/kernels/reduce/reduce.h"
#include "lower/kernels/sort/sort.h"

enum {
  BLOCK = GJ_COMPRESS_BLOCK, // rows
  BATCH = 512                // blocks, whose rows the last cache holds
};

typedef struct compress {
  gj__lower *l;
  const gj_kernel *kernel;
  const gj_node *node;
  const gj_lexpr *size, *blocks; // rows and blocks of the mask
  const gj_lexpr *counts;        // i64: the sum of all, then per block, then the sum again
  const gj_lexpr *positions;     // of a block
} compress;

static const gj_type *type_of(const gj__lower *l, gj_ref ref) {
  return &gj_graph_node(l->graph, ref)->type;
}

void gj__divide_compress(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  gj_dim size = type_of(l, node->args[0])->shape[0];
  bool small = gj_dim_is_const(size) && (size <= 2 * BLOCK || size < 2 * l->work.piece);
  l->work.split = !small;
}

static compress compress_of(gj__lower *l, const gj_kernel *kernel) {
  compress c = {.l = l, .kernel = kernel, .node = gj_graph_node(l->graph, kernel->owner)};
  gj__enter(l, &l->f->body);
  c.size = gj__keep(l, "rows", gj__dim(l, type_of(l, c.node->args[0])->shape[0]));
  const gj_lexpr *up = gj__add(l, c.size, gj__i64(l, BLOCK - 1));
  c.blocks = gj__keep(l, "blocks", gj_lx_binary(l->m, GJ_OP_div, up, gj__i64(l, BLOCK)));
  c.counts = gj__temp(l, 0);
  return c;
}

static const gj_lexpr *count_at(const compress *c, const gj_lexpr *block, int64_t behind) {
  return gj_lx_load(c->l->m, c->counts, gj__add(c->l, block, gj__i64(c->l, behind)), 1);
}

static const gj_lexpr *mask_at(const compress *c, const gj_lexpr *row) {
  gj__index *at = gj__index_new(c->l);
  at->at[0] = row;
  return gj__value(c->l, c->node->args[0], at);
}

// A loop over blocks; returns the innermost block, entered, with the rows of it in *out.
static gj_lblock *block_loop(const compress *c, gj_lblock *into, gj__range share,
                             const gj_lexpr **out_block, gj__range *out) {
  gj__lower *l = c->l;
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "b", share.lo, share.hi, 1, 0, 1);
  gj__poll(l, &loop->body);
  gj__enter(l, &loop->body);
  *out_block = gj__local(l, loop->local);
  out->lo = gj__let(l, "first", gj__mul(l, *out_block, gj__i64(l, BLOCK)));
  out->hi = gj__let(l, "last", gj__min(l, gj__add(l, out->lo, gj__i64(l, BLOCK)), c->size));
  return &loop->body;
}

// --- phase 0 ---

static void count_blocks(const compress *c, gj_lblock *into, gj__range share) {
  gj__lower *l = c->l;
  const gj_lexpr *block;
  gj__range rows;
  into = block_loop(c, into, share, &block, &rows);
  uint32_t count = gj_ls_let(l->m, l->f, into, "count", gj__i64(l, 0));
  const gj_lexpr *i = gj__range_loop(l, into, "i", rows.lo, rows.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *taken = gj_lx_convert(l->m, mask_at(c, i), GJ_DTYPE_i64);
  gj_ls_set(l->m, l->f, l->block, count, gj__add(l, gj__local(l, count), taken));
  gj_ls_store(l->m, l->f, into, c->counts, gj__add(l, block, gj__i64(l, 1)), gj__local(l, count));
}

// --- between ---

// Counts of the blocks of a batch become starts; the sum goes on.
static void sum_counts(const compress *c, gj_lblock *into, uint32_t sum, gj__range batch) {
  gj__lower *l = c->l;
  gj__enter(l, into);
  const gj_lexpr *b = gj__range_loop(l, into, "b", batch.lo, batch.hi, 0);
  const gj_lexpr *count = gj__let(l, "count", count_at(c, b, 1));
  gj_ls_store(l->m, l->f, l->block, c->counts, gj__add(l, b, gj__i64(l, 1)), gj__local(l, sum));
  gj_ls_set(l->m, l->f, l->block, sum, gj__add(l, gj__local(l, sum), count));
  gj__enter(l, into);
  const gj_lexpr *behind = gj__add(l, batch.hi, gj__i64(l, 1));
  gj_ls_store(l->m, l->f, into, c->counts, behind, gj__local(l, sum));
}

// --- rows that are taken ---

// The row that goes to place `j` of those taken.
static const gj_lexpr *row_of(const compress *c, const gj_lexpr *j) {
  return gj_lx_load(c->l->m, c->positions, j, 1);
}

// Appends in the innermost body of a vector loop (loops/vectorise/lanes.h): array[count] = value,
// where the mask is true, and count + 1, as long as that is below `end`.
static void append(const compress *c, uint32_t count, const gj_lexpr *end, const gj_lexpr *array,
                   const gj_lexpr *value, const gj_lexpr *taken) {
  gj__lower *l = c->l;
  const gj_lexpr *at = gj__local(l, count);
  gj_lstmt *room = gj_ls_if(l->m, l->f, l->block, gj_lx_binary(l->m, GJ_OP_lt, at, end));
  gj_ls_store(l->m, l->f, &room->body, array, at, value);
  const gj_lexpr *one = gj_lx_convert(l->m, taken, GJ_DTYPE_i64);
  gj_ls_set(l->m, l->f, &room->body, count, gj__add(l, at, one));
}

// The positions of what is true of `rows`; returns how many are taken, at most `most`.
static const gj_lexpr *find_rows(const compress *c, gj_lblock *into, gj__range rows,
                                 const gj_lexpr *most) {
  gj__lower *l = c->l;
  uint32_t count = gj_ls_let(l->m, l->f, into, "found", gj__i64(l, 0));
  const gj_lexpr *i = gj__range_loop(l, into, "i", rows.lo, rows.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *taken = gj__let(l, "taken", mask_at(c, i));
  append(c, count, most, c->positions, i, taken);
  gj__enter(l, into);
  return gj__local(l, count);
}

// Rows of several elements: a loop over the rows, and loops over the axes of one.
static void write_rows(const compress *c, gj_lblock *into, const gj_store *store, gj_ref from,
                       const gj_lexpr *first, const gj_lexpr *taken) {
  gj__lower *l = c->l;
  const gj_type *type = type_of(l, from);
  const gj_lexpr *out = l->buffers[store->buffer];
  uint8_t axes[GJ_MAX_RANK];
  gj_type row = *type;
  row.shape[0] = 1;
  unsigned count = gj__loop_axes(&row, axes);
  gj__enter(l, into);
  const gj_lexpr *inner = gj__size(l, &row, axes, count);
  const gj_lexpr *j = gj__range_loop(l, into, "j", gj__i64(l, 0), taken, 0);
  into = l->block;
  const gj_lexpr *position = gj__let(l, "row", row_of(c, j));
  const gj_lexpr *place = gj__let(l, "place", gj__mul(l, gj__add(l, first, j), inner));
  gj__index *at = gj__index_new(l);
  if (gj__is_flat(l, from)) {
    const gj_lexpr *start = gj__let(l, "start", gj__mul(l, position, inner));
    const gj_lexpr *i = gj__range_loop(l, into, "i", gj__i64(l, 0), inner, GJ_LOOP_VECTOR);
    at->flat = true;
    at->at[0] = gj__add(l, start, i);
    gj_ls_store(l->m, l->f, l->block, out, gj__add(l, place, i), gj__value(l, from, at));
    return;
  }
  for (uint8_t axis = 0; axis < type->rank; axis++)
    at->at[axis] = gj__i64(l, 0);
  for (unsigned k = 0; k < count; k++)
    at->at[axes[k]] =
        gj__range_loop(l, l->block, k + 1 == count ? "i" : "o", gj__i64(l, 0),
                       gj__dim(l, type->shape[axes[k]]), k + 1 == count ? GJ_LOOP_VECTOR : 0);
  const gj_lexpr *to = gj__add(l, place, gj__flatten(l, &row, at));
  at->at[0] = position;
  gj_ls_store(l->m, l->f, l->block, out, to, gj__value(l, from, at));
}

static void write_value(const compress *c, gj_lblock *into, const gj_store *store,
                        const gj_lexpr *first, const gj_lexpr *taken) {
  gj__lower *l = c->l;
  gj_ref from = c->node->args[1 + gj__result_number(l, store)];
  gj_type row = *type_of(l, from);
  uint8_t axes[GJ_MAX_RANK];
  row.shape[0] = 1;
  if (gj__loop_axes(&row, axes) > 0) {
    write_rows(c, into, store, from, first, taken);
    return;
  }
  const gj_lexpr *j = gj__range_loop(l, into, "j", gj__i64(l, 0), taken, GJ_LOOP_VECTOR);
  gj__index *at = gj__index_new(l);
  for (uint8_t axis = 0; axis < row.rank; axis++)
    at->at[axis] = gj__i64(l, 0);
  at->at[0] = gj__let(l, "row", row_of(c, j));
  gj_ls_store(l->m, l->f, l->block, l->buffers[store->buffer], gj__add(l, first, j),
              gj__value(l, from, at));
}

// Whether a value is numbers of rows, which are appended as they are found.
static bool is_number(const compress *c, const gj_store *store) {
  gj_ref from = c->node->args[1 + gj__result_number(c->l, store)];
  const gj_node *node = gj_graph_node(c->l->graph, from);
  bool fits = node->type.rank == 1 && gj_dtype_bytes(node->type.dtype) >= 4;
  while (node->op == GJ_OP_convert && !gj__in_memory(c->l, from)) {
    from = node->args[0];
    node = gj_graph_node(c->l->graph, from);
  }
  return fits && node->op == GJ_OP_iota && !gj__in_memory(c->l, from);
}

// Writes the values of `rows` from place `first` on, at most as many as there are until `end`;
// returns how many were taken. Numbers of rows go where they belong; other values are computed at
// positions that have been found before.
static const gj_lexpr *write_values(const compress *c, gj_lblock *into, gj__range rows,
                                    const gj_lexpr *first, const gj_lexpr *end) {
  gj__lower *l = c->l;
  const gj_lexpr *taken = NULL;
  for (uint32_t k = 0; k < c->kernel->store_count; k++) {
    const gj_store *store = &c->kernel->stores[k];
    gj__enter(l, into);
    if (!is_number(c, store)) {
      if (!taken)
        taken = find_rows(c, into, rows, gj__let(l, "most", gj__sub(l, end, first)));
      write_value(c, into, store, first, taken);
      continue;
    }
    gj__index *at = gj__index_new(l);
    uint32_t count = gj_ls_let(l->m, l->f, into, "at", first);
    at->at[0] = gj__range_loop(l, into, "i", rows.lo, rows.hi, GJ_LOOP_VECTOR);
    gj_ref from = c->node->args[1 + gj__result_number(l, store)];
    const gj_lexpr *flag = gj__let(l, "taken", mask_at(c, at->at[0]));
    append(c, count, end, l->buffers[store->buffer], gj__value(l, from, at), flag);
    gj__enter(l, into);
    if (c->kernel->store_count == 1)
      return gj__sub(l, gj__local(l, count), first);
  }
  gj__enter(l, into);
  return taken ? taken : find_rows(c, into, rows, gj__let(l, "most", gj__sub(l, end, first)));
}

static void positions_new(compress *c, gj_lblock *into) {
  gj__lower *l = c->l;
  uint32_t array = gj_ls_array(l->m, l->f, into, "positions", GJ_DTYPE_i64, BLOCK);
  c->positions = gj__local(l, array);
}

// phase 1
static void write_blocks(compress *c, gj_lblock *into, gj__range share) {
  gj__lower *l = c->l;
  const gj_lexpr *block;
  gj__range rows;
  positions_new(c, into);
  into = block_loop(c, into, share, &block, &rows);
  const gj_lexpr *first = gj__let(l, "start", count_at(c, block, 1));
  const gj_lexpr *end = gj__let(l, "stop", count_at(c, block, 2));
  into = &gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_lt, first, end))->body;
  write_values(c, into, rows, first, end);
}

// All of it by one thread, which asks for the mask but once.
static void write_all(compress *c, gj_lblock *into) {
  gj__lower *l = c->l;
  const gj_lexpr *block;
  gj__range rows;
  positions_new(c, into);
  uint32_t sum = gj_ls_let(l->m, l->f, into, "sum", gj__i64(l, 0));
  gj_lblock *body = block_loop(c, into, (gj__range){gj__i64(l, 0), c->blocks}, &block, &rows);
  const gj_lexpr *first = gj__let(l, "start", gj__local(l, sum));
  const gj_lexpr *end = gj__add(l, first, gj__sub(l, rows.hi, rows.lo));
  const gj_lexpr *taken = write_values(c, body, rows, first, gj__let(l, "stop", end));
  gj_ls_set(l->m, l->f, body, sum, gj__add(l, first, taken));
  gj_ls_store(l->m, l->f, into, c->counts, gj__i64(l, 0), gj__local(l, sum));
}

// --- the kernel ---

void gj__lower_compress_part(gj__lower *l, const gj_kernel *kernel) {
  gj_ltype i64 = gj_ltype_scalar(GJ_DTYPE_i64);
  const gj_lexpr *phase = gj__local(l, gj_lfunc_param(l->m, l->f, "phase", i64, 0));
  const gj_lexpr *begin = gj__local(l, gj_lfunc_param(l->m, l->f, "begin", i64, 0));
  const gj_lexpr *end = gj__local(l, gj_lfunc_param(l->m, l->f, "end", i64, 0));
  compress c = compress_of(l, kernel);
  const gj_lexpr *counts = gj_lx_binary(l->m, GJ_OP_eq, phase, gj__i64(l, 0));
  gj_lstmt *choice = gj_ls_if(l->m, l->f, &l->f->body, counts);
  count_blocks(&c, &choice->body, (gj__range){begin, end});
  write_blocks(&c, &choice->orelse, (gj__range){begin, end});
}

static void call_phase(const compress *c, gj_lblock *into, const gj_lexpr **args, int64_t phase,
                       gj__range batch) {
  gj__lower *l = c->l;
  uint32_t count = (uint32_t)l->param_count;
  gj__enter(l, into);
  args[count++] = gj__i64(l, phase);
  gj__call_part(l, into, args, count, batch, BLOCK);
}

// Batch by batch: what phase 1 reads again is near.
static void call_phases(const compress *c, const gj_lexpr **args) {
  gj__lower *l = c->l;
  gj_lblock *body = &l->f->body;
  uint32_t sum = gj_ls_let(l->m, l->f, body, "sum", gj__i64(l, 0));
  gj_lstmt *each = gj_ls_for(l->m, l->f, body, "c", gj__i64(l, 0), c->blocks, BATCH, 0, 1);
  gj_lblock *into = &each->body;
  gj__enter(l, into);
  const gj_lexpr *lo = gj__local(l, each->local), *hi = gj__add(l, lo, gj__i64(l, BATCH));
  gj__range batch = {lo, gj__let(l, "end", gj__min(l, hi, c->blocks))};
  call_phase(c, into, args, 0, batch);
  sum_counts(c, into, sum, batch);
  call_phase(c, into, args, 1, batch);
  gj_ls_store(l->m, l->f, body, c->counts, gj__i64(l, 0), gj__local(l, sum));
}

void gj__lower_compress(gj__lower *l, const gj_kernel *kernel) {
  compress c = compress_of(l, kernel);
  if (!l->work.split) {
    write_all(&c, &l->f->body);
    return;
  }
  const gj_lexpr **args = gj__part_args(l);
  if (args)
    call_phases(&c, args);
}
