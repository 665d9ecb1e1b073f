// Compress: the rows of values where a mask is true, in order, and how many they are.
//
//   func k0_part(…, phase, begin, end)       blocks begin … end of the mask
//     phase 0: counts[b] = how many are true in block b
//     phase 1: their positions into an array, then each value's rows at those, from place starts[b]
//     on
//   func k0(…)
//     parallel k0_part(…, 0) over all blocks
//     starts from counts, and the sum of all
//     parallel k0_part(…, 1) over all blocks
//
// The sum goes to working memory, where the entry finds it (lower.c). Counting adds lanes in bytes;
// finding positions writes each, true or not, and goes on by one where it is true, so that neither
// has a branch to be guessed. Values are computed at the positions taken and nowhere else. A block
// that is true throughout needs no positions, one that is nowhere true is passed over.
//
// Memory of the mask may be written by somebody else meanwhile: no block writes more than it
// counted.
//
// Left out: a mask that is costly to compute is stored before (passes/stored.c), since both phases
// ask for it.
#include "lower/context.h"
#include "lower/reduce.h"
#include "lower/sort.h"

enum {
  BLOCK = GJ_COMPRESS_BLOCK, // rows
  LANES = 64                 // that are counted at once; BLOCK / LANES fits into a byte
};

typedef struct compress {
  gj__lower *l;
  const gj_kernel *kernel;
  const gj_node *node;
  const gj_lexpr *size, *blocks; // rows and blocks of the mask
  const gj_lexpr *counts;        // i64: the sum of all, then per block, then the sum again
  const gj_lexpr *positions;     // of a block
  const gj_lexpr *flags;         // its mask, where that is computed here; else NULL
  const gj_lexpr *first_row;     // of a block that is taken as a whole, else NULL
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

static const gj_lexpr *mask_at(const compress *c, const gj_lexpr *row, gj_dtype as) {
  gj__index *at = gj__index_new(c->l);
  at->at[0] = row;
  return gj_lx_convert(c->l->m, gj__value(c->l, c->node->args[0], at), as);
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

static const gj_lexpr *zero_of(const compress *c, gj_dtype dtype) {
  return gj_lx_const(c->l->m, (gj_scalar){.dtype = dtype});
}

// How many are true of `rows`, a local.
static const gj_lexpr *count_rows(const compress *c, gj_lblock *into, const gj_lexpr *lanes,
                                  gj__range rows) {
  gj__lower *l = c->l;
  const gj_lexpr *none = gj__i64(l, 0), *all = gj__i64(l, LANES);
  const gj_lexpr *t = gj__range_loop(l, into, "t", none, all, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, lanes, t, zero_of(c, GJ_DTYPE_u8));
  gj__enter(l, into);
  const gj_lexpr *length = gj__sub(l, rows.hi, rows.lo);
  const gj_lexpr *whole = gj__let(
      l, "whole", gj__add(l, rows.lo, gj_lx_binary(l->m, GJ_OP_and, length, gj__i64(l, -LANES))));
  gj_lstmt *many = gj_ls_for(l->m, l->f, into, "i", rows.lo, whole, LANES, 0, 1);
  const gj_lexpr *i = gj__local(l, many->local);
  t = gj__range_loop(l, &many->body, "t", none, all, GJ_LOOP_VECTOR);
  const gj_lexpr *more = mask_at(c, gj__add(l, i, t), GJ_DTYPE_u8);
  const gj_lexpr *sum = gj_lx_binary(l->m, GJ_OP_add, gj_lx_load(l->m, lanes, t, 1), more);
  gj_ls_store(l->m, l->f, l->block, lanes, t, sum);
  gj__enter(l, into);
  uint32_t total = gj_ls_let(l->m, l->f, into, "count", none);
  t = gj__range_loop(l, into, "t", none, all, 0);
  const gj_lexpr *lane = gj_lx_convert(l->m, gj_lx_load(l->m, lanes, t, 1), GJ_DTYPE_i64);
  gj_ls_set(l->m, l->f, l->block, total, gj__add(l, gj__local(l, total), lane));
  const gj_lexpr *rest = gj__range_loop(l, into, "i", whole, rows.hi, 0);
  gj_ls_set(l->m, l->f, l->block, total,
            gj__add(l, gj__local(l, total), mask_at(c, rest, GJ_DTYPE_i64)));
  gj__enter(l, into);
  return gj__local(l, total);
}

static void count_blocks(const compress *c, gj_lblock *into, gj__range share) {
  gj__lower *l = c->l;
  const gj_lexpr *lanes = gj__local(l, gj_ls_array(l->m, l->f, into, "lanes", GJ_DTYPE_u8, LANES));
  const gj_lexpr *block;
  gj__range rows;
  into = block_loop(c, into, share, &block, &rows);
  const gj_lexpr *count = count_rows(c, into, lanes, rows);
  gj_ls_store(l->m, l->f, into, c->counts, gj__add(l, block, gj__i64(l, 1)), count);
}

// --- between ---

static void sum_counts(const compress *c) {
  gj__lower *l = c->l;
  gj_lblock *body = &l->f->body;
  gj__enter(l, body);
  uint32_t sum = gj_ls_let(l->m, l->f, body, "sum", gj__i64(l, 0));
  const gj_lexpr *b = gj__range_loop(l, body, "b", gj__i64(l, 0), c->blocks, 0);
  const gj_lexpr *count = gj__let(l, "count", count_at(c, b, 1));
  gj_ls_store(l->m, l->f, l->block, c->counts, gj__add(l, b, gj__i64(l, 1)), gj__local(l, sum));
  gj_ls_set(l->m, l->f, l->block, sum, gj__add(l, gj__local(l, sum), count));
  gj__enter(l, body);
  gj_ls_store(l->m, l->f, body, c->counts, gj__add(l, c->blocks, gj__i64(l, 1)), gj__local(l, sum));
  gj_ls_store(l->m, l->f, body, c->counts, gj__i64(l, 0), gj__local(l, sum));
}

// --- phase 1 ---

// The row that goes to place `j` of those taken.
static const gj_lexpr *row_of(const compress *c, const gj_lexpr *j) {
  return c->first_row ? gj__add(c->l, c->first_row, j) : gj_lx_load(c->l->m, c->positions, j, 1);
}

// A mask that is computed is so in vectors, before it is looked at one by one.
static const gj_lexpr *flag_at(const compress *c, const gj_lexpr *row, const gj_lexpr *first) {
  if (!c->flags)
    return mask_at(c, row, GJ_DTYPE_i64);
  const gj_lexpr *flag = gj_lx_load(c->l->m, c->flags, gj__sub(c->l, row, first), 1);
  return gj_lx_convert(c->l->m, flag, GJ_DTYPE_i64);
}

// The positions of what is true of `rows`; returns how many are taken, at most `most`.
static const gj_lexpr *find_rows(const compress *c, gj_lblock *into, gj__range rows,
                                 const gj_lexpr *most) {
  gj__lower *l = c->l;
  if (c->flags) {
    const gj_lexpr *i = gj__range_loop(l, into, "i", rows.lo, rows.hi, GJ_LOOP_VECTOR);
    gj_ls_store(l->m, l->f, l->block, c->flags, gj__sub(l, i, rows.lo), mask_at(c, i, GJ_DTYPE_u8));
    gj__enter(l, into);
  }
  uint32_t count = gj_ls_let(l->m, l->f, into, "found", gj__i64(l, 0));
  const gj_lexpr *found = gj__local(l, count);
  const gj_lexpr *i = gj__range_loop(l, into, "i", rows.lo, rows.hi, 0);
  const gj_lexpr *taken = gj__let(l, "taken", flag_at(c, i, rows.lo));
  gj_ls_store(l->m, l->f, l->block, c->positions, found, i);
  gj_ls_set(l->m, l->f, l->block, count, gj__add(l, found, taken));
  gj__enter(l, into);
  return gj__let(l, "taken", gj__min(l, found, most));
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

static void write_values(const compress *c, gj_lblock *into, const gj_lexpr *first,
                         const gj_lexpr *taken) {
  for (uint32_t i = 0; i < c->kernel->store_count; i++)
    write_value(c, into, &c->kernel->stores[i], first, taken);
}

static void write_blocks(compress *c, gj_lblock *into, gj__range share) {
  gj__lower *l = c->l;
  gj_ref mask = c->node->args[0];
  c->positions = gj__local(l, gj_ls_array(l->m, l->f, into, "positions", GJ_DTYPE_i64, BLOCK));
  if (!gj__in_memory(l, mask))
    c->flags = gj__local(l, gj_ls_array(l->m, l->f, into, "flags", GJ_DTYPE_u8, BLOCK));
  const gj_lexpr *block;
  gj__range rows;
  into = block_loop(c, into, share, &block, &rows);
  const gj_lexpr *first = gj__let(l, "start", count_at(c, block, 1));
  const gj_lexpr *most = gj__let(l, "most", gj__sub(l, count_at(c, block, 2), first));
  const gj_lexpr *length = gj__sub(l, rows.hi, rows.lo);
  gj_lstmt *whole = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_eq, most, length));
  c->first_row = rows.lo;
  write_values(c, &whole->body, first, most);
  c->first_row = NULL;
  const gj_lexpr *some = gj_lx_binary(l->m, GJ_OP_gt, most, gj__i64(l, 0));
  into = &gj_ls_if(l->m, l->f, &whole->orelse, some)->body;
  gj__enter(l, into);
  write_values(c, into, first, find_rows(c, into, rows, most));
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

static void call_phase(const compress *c, const gj_lexpr **args, int64_t phase) {
  gj__lower *l = c->l;
  uint32_t count = (uint32_t)l->param_count;
  gj__enter(l, &l->f->body);
  args[count++] = gj__i64(l, phase);
  gj__call_part(l, &l->f->body, args, count, (gj__range){gj__i64(l, 0), c->blocks}, BLOCK);
}

void gj__lower_compress(gj__lower *l, const gj_kernel *kernel) {
  compress c = compress_of(l, kernel);
  gj__range all = {gj__i64(l, 0), c.blocks};
  const gj_lexpr **args = l->work.split ? gj__part_args(l) : NULL;
  if (args)
    call_phase(&c, args, 0);
  else
    count_blocks(&c, &l->f->body, all);
  sum_counts(&c);
  if (args)
    call_phase(&c, args, 1);
  else
    write_blocks(&c, &l->f->body, all);
}
