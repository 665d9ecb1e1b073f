// The first `count` elements of a sort, found without sorting: top_k.
//
// Of a long line, candidates are collected: elements whose key is not greater than that of the last
// of the best in a sample from the whole line, from then on less than that of the last of the best
// so far. Without the sample every element of a line that rises to the best would be a candidate.
// When their array is full, it is sorted and cut to the best. Blocks without a candidate, which
// most are, take a comparison per element. A later element of an equal key does not stand before an
// earlier one, so none is missed; candidates stay in the order of positions, so sorting them keeps
// that among equals.
//
// Of a short line, or when much of it is wanted, all elements are candidates. Lines are shared
// among threads; left out is dividing one.
#include "lower/kernels/sort/sort.h"

enum {
  BLOCK = 256,       // elements tested at once
  ROOM = 5 * BLOCK,  // candidates beyond twice the count: enough for order in them to be noticed
  LEAST = 8 * BLOCK, // elements of a line that is worth it
  FRACTION = 8       // which the count may be
};

typedef struct selector {
  gj__lower *l;
  const gj_node *node;
  uint8_t axis;
  bool descending;
  gj_dtype key, position;
  const gj_lfunc *sort, *take;
  const gj_lexpr *keys, *key_room, *positions, *position_room; // of the line
  const gj_lexpr *size, *count;
  const gj_lexpr *block; // keys of the elements being tested
  uint32_t found;        // candidates
} selector;

static selector selector_of(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  return (selector){.l = l,
                    .node = node,
                    .axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis),
                    .descending = gj_node_int(node, GJ_ATTR_descending) != 0,
                    .key = gj__sort_key_dtype(l->graph, node),
                    .position = gj__sort_position_dtype(l->graph, node)};
}

// --- both ways ---

// Keys of the elements lo … hi of the line, to places `to` + 0 …, and their positions.
static void fill(selector *s, gj_lblock *into, const gj__index *line, gj__range range,
                 const gj_lexpr *keys, const gj_lexpr *positions) {
  gj__lower *l = s->l;
  const gj_lexpr *i = gj__range_loop(l, into, "i", range.lo, range.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *place = positions ? i : gj__sub(l, i, range.lo);
  const gj_lexpr *value =
      gj__let(l, "value", gj__value(l, s->node->args[0], gj__in_line(l, line, s->axis, i)));
  gj_ls_store(l->m, l->f, l->block, keys, place, gj__key_of(l, value, s->key, s->descending));
  if (positions)
    gj_ls_store(l->m, l->f, l->block, positions, place, gj_lx_convert(l->m, i, s->position));
}

static void sort_found(selector *s, gj_lblock *into) {
  gj__lower *l = s->l;
  const gj_lexpr *args[5] = {s->keys, s->key_room, s->positions, s->position_room,
                             gj__local(l, s->found)};
  gj__call_or_stop(l, into, gj_lx_call(l->m, s->sort, args, 5));
}

static void take_all(selector *s, gj_lblock *into, const gj__index *line) {
  gj__lower *l = s->l;
  gj__range chunk;
  gj_lblock *loop = gj__chunks(l, into, gj__i64(l, 0), s->size, 1 << 14, &chunk);
  fill(s, loop, line, chunk, s->keys, s->positions);
  gj_ls_set(l->m, l->f, into, s->found, s->size);
}

// --- selecting ---

// The key of the last of the best among what is sorted.
static const gj_lexpr *last_key(selector *s) {
  gj__lower *l = s->l;
  const gj_lexpr *last = gj__sub(l, gj__max(l, s->count, gj__i64(l, 1)), gj__i64(l, 1));
  return gj_lx_load(l->m, s->keys, last, 1);
}

// Leaves the best of what has been found; `limit` becomes the key that is still good enough.
static void cut(selector *s, gj_lblock *into, uint32_t limit) {
  gj__lower *l = s->l;
  gj_scalar one = {.dtype = s->key, .v.u = 1};
  sort_found(s, into);
  const gj_lexpr *worst = gj__let(l, "worst", last_key(s));
  gj_ls_set(l->m, l->f, into, s->found, s->count);
  // Of the least of all keys there may be too many already.
  gj_scalar least = {.dtype = s->key};
  gj_lstmt *done =
      gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_eq, worst, gj_lx_const(l->m, least)));
  gj_ls_break(l->m, l->f, &done->body, 1);
  gj_ls_set(l->m, l->f, into, limit, gj_lx_binary(l->m, GJ_OP_sub, worst, gj_lx_const(l->m, one)));
}

// The key of the last of the best among `many` elements that lie evenly in the line. As many as are
// wanted are not worse, so nothing behind it is among the best of the line.
static const gj_lexpr *sample(selector *s, gj_lblock *into, const gj__index *line,
                              const gj_lexpr *many) {
  gj__lower *l = s->l;
  const gj_lexpr *apart = gj__keep(l, "apart", gj__divide(l, s->size, many));
  const gj_lexpr *i = gj__range_loop(l, into, "i", gj__i64(l, 0), many, GJ_LOOP_VECTOR);
  const gj__index *at = gj__in_line(l, line, s->axis, gj__mul(l, i, apart));
  const gj_lexpr *value = gj__let(l, "value", gj__value(l, s->node->args[0], at));
  gj_ls_store(l->m, l->f, l->block, s->keys, i, gj__key_of(l, value, s->key, s->descending));
  gj_ls_store(l->m, l->f, l->block, s->positions, i, gj_lx_convert(l->m, i, s->position));
  gj_ls_set(l->m, l->f, into, s->found, many);
  sort_found(s, into);
  gj_ls_set(l->m, l->f, into, s->found, gj__i64(l, 0));
  gj__enter(l, into);
  return last_key(s);
}

static void select_best(selector *s, gj_lblock *into, const gj__index *line) {
  gj__lower *l = s->l;
  gj__enter(l, into);
  const gj_lexpr *two = gj__i64(l, 2);
  const gj_lexpr *full =
      gj__keep(l, "full", gj__add(l, gj__mul(l, s->count, two), gj__i64(l, ROOM - BLOCK)));
  uint32_t limit = gj_ls_let(l->m, l->f, into, "limit", sample(s, into, line, full));
  gj__enter(l, into);
  gj_lstmt *each = gj_ls_for(l->m, l->f, into, "base", gj__i64(l, 0), s->size, BLOCK, 0, 1);
  into = &each->body;
  gj__poll(l, into);
  gj__enter(l, into);
  gj__range range = {gj__local(l, each->local), NULL};
  range.hi = gj__let(l, "end", gj__min(l, gj__add(l, range.lo, gj__i64(l, BLOCK)), s->size));
  fill(s, into, line, range, s->block, NULL);
  gj__enter(l, into);
  const gj_lexpr *args[7] = {s->keys,
                             s->positions,
                             gj__local(l, s->found),
                             s->block,
                             range.lo,
                             gj__sub(l, range.hi, range.lo),
                             gj__local(l, limit)};
  gj_ls_set(l->m, l->f, into, s->found, gj_lx_call(l->m, s->take, args, 7));
  const gj_lexpr *is_full = gj_lx_binary(l->m, GJ_OP_gt, gj__local(l, s->found), full);
  cut(s, &gj_ls_if(l->m, l->f, into, is_full)->body, limit);
}

// --- the kernel ---

void gj__prepare_top_k(gj__lower *l, const gj_kernel *kernel) {
  selector s = selector_of(l, kernel);
  gj__sort_function(l, s.key, s.position);
  gj__take_function(l, s.key, s.position);
}

static void store_results(selector *s, gj_lblock *into, const gj__index *line,
                          const gj_kernel *kernel) {
  gj__lower *l = s->l;
  for (uint32_t k = 0; k < kernel->store_count; k++) {
    uint32_t which = gj__result_number(l, &kernel->stores[k]);
    const gj_lexpr *i = gj__range_loop(l, into, "i", gj__i64(l, 0), s->count, GJ_LOOP_VECTOR);
    const gj_lexpr *from = gj_lx_load(l->m, s->positions, i, 1);
    from = gj__let(l, "from", gj_lx_convert(l->m, from, GJ_DTYPE_i64));
    const gj_lexpr *value = gj__value(l, s->node->args[which], gj__in_line(l, line, s->axis, from));
    const gj_lexpr *place = gj__flatten(l, &s->node->type, gj__in_line(l, line, s->axis, i));
    gj_ls_store(l->m, l->f, l->block, l->buffers[kernel->stores[k].buffer], place, value);
  }
}

// Whether a line is long enough, as far as its size is known: 1, 0, or -1 for asking.
static int is_worth_it(gj_dim size, gj_dim count) {
  if (gj_dim_is_const(size) && size < LEAST)
    return 0;
  if (gj_dim_is_const(size) && gj_dim_is_const(count))
    return count <= size / FRACTION;
  return -1;
}

void gj__lower_top_k(gj__lower *l, const gj_kernel *kernel) {
  selector s = selector_of(l, kernel);
  const gj_lexpr *number;
  const gj__index *line;
  gj_dim size = gj_graph_node(l->graph, s.node->args[0])->type.shape[s.axis];
  gj_dim count = s.node->type.shape[s.axis];
  s.sort = gj__sort_function(l, s.key, s.position);
  s.take = gj__take_function(l, s.key, s.position);
  int worth_it = is_worth_it(size, count);
  if (worth_it)
    s.block = gj__local(l, gj_ls_array(l->m, l->f, &l->f->body, "block", s.key, BLOCK));
  gj_lblock *into = gj__lines_loop(l, s.node, &number, &line);
  s.size = gj__dim(l, size);
  s.count = gj__dim(l, count);
  const gj_lexpr *start = gj__keep(l, "start", gj__mul(l, number, s.size));
  s.keys = gj_lx_offset(l->m, gj__temp(l, 0), start);
  s.key_room = gj_lx_offset(l->m, gj__temp(l, 1), start);
  s.positions = gj_lx_offset(l->m, gj__temp(l, 2), start);
  s.position_room = gj_lx_offset(l->m, gj__temp(l, 3), start);
  s.found = gj_ls_let(l->m, l->f, into, "found", gj__i64(l, 0));
  gj_lblock *some = into, *all = into;
  if (worth_it < 0) {
    const gj_lexpr *least =
        gj__mul(l, gj__max(l, s.count, gj__i64(l, LEAST / FRACTION)), gj__i64(l, FRACTION));
    gj_lstmt *choice = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_ge, s.size, least));
    some = &choice->body;
    all = &choice->orelse;
  }
  if (worth_it)
    select_best(&s, some, line);
  if (worth_it <= 0)
    take_all(&s, all, line);
  sort_found(&s, into);
  store_results(&s, into, line, kernel);
}
