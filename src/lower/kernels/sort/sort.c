// Sorts: the operands of one sort along an axis, line by line.
//
// A line's first key becomes an array of unsigned integers in working memory (keys.c), which a
// function of code.c sorts. With several operands the positions of the elements go along, and
// every result is read from its operand at those: however it is computed, argsort's iota for one,
// it needs no copy. Further keys come first, from the last one on: as sorting is stable, the order
// that they made is kept among equals of the next.
//
// A result that has the key itself is made back from it, in the order of memory. What a key does
// not tell, the sign of zeros and the bits of NaNs, is mended where there are any: they stand next
// to each other, and in their old order. NaNs without positions are not sorted at all. A line that
// is in order is copied (ready.c).
//
// Lines are shared among threads, and so are the elements of a line by the functions themselves.
// Left out: reading lines along other than the last axis in tiles.
#include "lower/kernels/sort/sort.h"

enum { CHUNK = 1 << 14 }; // elements between polls

typedef struct sorter {
  gj__lower *l;
  const gj_kernel *kernel;
  const gj_node *node;
  uint8_t axis;
  bool descending, carries; // carries: positions
  gj_dtype key, position;
  const gj_lfunc *sort, *below, *keep;
  const gj_lexpr *keys, *key_room, *positions, *position_room; // of the line
  const gj_lexpr *size;                                        // of the line
  const gj_lexpr *lanes; // an array for tests of the whole line
  const gj__index *line;
} sorter;

// --- shapes ---

// The shape of the operands with one element along the axis.
static gj_type lines_type(const gj_graph *graph, const gj_node *node) {
  gj_type kept = gj_graph_node(graph, node->args[0])->type;
  kept.shape[gj_node_int(node, GJ_ATTR_axis)] = 1;
  return kept;
}

void gj__divide_lines(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  const gj_type *whole = &gj_graph_node(l->graph, node->args[0])->type;
  gj__add_line_units(l, whole, (uint8_t)gj_node_int(node, GJ_ATTR_axis));
}

gj_lblock *gj__lines_loop(gj__lower *l, const gj_node *node, const gj_lexpr **out_line,
                          const gj__index **out_index) {
  gj_type lines = lines_type(l->graph, node);
  gj__enter(l, &l->f->body);
  return gj__rows_loop(l, "line", &lines, out_index, out_line);
}

// --- keys ---

const gj__index *gj__in_line(gj__lower *l, const gj__index *line, uint8_t axis,
                             const gj_lexpr *position) {
  gj__index *at = gj__index_new(l);
  *at = *line;
  at->at[axis] = position;
  return at;
}

// A loop over the line in chunks; enters the innermost body and returns the position there.
static const gj_lexpr *line_loop(sorter *s, gj_lblock *into) {
  gj__lower *l = s->l;
  gj__range chunk;
  into = gj__chunks(l, into, gj__i64(l, 0), s->size, CHUNK, &chunk);
  return gj__range_loop(l, into, "i", chunk.lo, chunk.hi, GJ_LOOP_VECTOR);
}

const gj_lexpr *gj__range_loop(gj__lower *l, gj_lblock *into, const char *name, const gj_lexpr *lo,
                               const gj_lexpr *hi, uint8_t marks) {
  gj_lstmt *made = gj_ls_for(l->m, l->f, into, name, lo, hi, 1, marks, 1);
  gj__enter(l, &made->body);
  return gj__local(l, made->local);
}

static const gj_lexpr *position_at(sorter *s, const gj_lexpr *i) {
  return gj_lx_convert(s->l->m, gj_lx_load(s->l->m, s->positions, i, 1), GJ_DTYPE_i64);
}

// The keys of operand `key`, in the order of positions, which the first time are made.
static void fill_keys(sorter *s, gj_lblock *into, const gj__index *line, uint32_t key, bool fresh) {
  gj__lower *l = s->l;
  const gj_lexpr *i = line_loop(s, into), *from = i;
  if (!fresh)
    from = gj__let(l, "from", position_at(s, i));
  const gj_lexpr *value =
      gj__let(l, "value", gj__value(l, s->node->args[key], gj__in_line(l, line, s->axis, from)));
  gj_ls_store(l->m, l->f, l->block, s->keys, i, gj__key_of(l, value, s->key, s->descending));
  if (s->carries && fresh)
    gj_ls_store(l->m, l->f, l->block, s->positions, i, gj_lx_convert(l->m, i, s->position));
}

// Sorts `count` keys from place `first` on.
static void call_sort(sorter *s, gj_lblock *into, const gj_lexpr *first, const gj_lexpr *count) {
  gj__lower *l = s->l;
  const gj_lexpr *args[5] = {gj_lx_offset(l->m, s->keys, first),
                             gj_lx_offset(l->m, s->key_room, first)};
  size_t arg_count = 2;
  if (s->carries) {
    args[arg_count++] = s->positions;
    args[arg_count++] = s->position_room;
  }
  args[arg_count++] = count;
  gj__enter(l, into);
  gj__call_or_stop(l, into, gj_lx_call(l->m, s->sort, args, arg_count));
}

// Keys of floats alone: those of NaNs, which all are the same, go to their end by themselves.
static void sort_numbers(sorter *s, gj_lblock *into) {
  gj__lower *l = s->l;
  gj__enter(l, into);
  const gj_lexpr *nan = gj__nan_key(l, s->node->type.dtype, s->descending);
  const gj_lexpr *zero = gj__i64(l, 0), *one = gj__i64(l, 1);
  const gj_lexpr *first = s->descending ? gj__sub(l, s->size, one) : zero;
  const gj_lexpr *step = s->descending ? gj__i64(l, -1) : one;
  const gj_lexpr *args[5] = {s->keys, s->size, nan, first, step};
  const gj_lexpr *kept = gj__let(l, "kept", gj_lx_call(l->m, s->keep, args, 5));
  const gj_lexpr *others = gj__let(l, "others", gj__sub(l, s->size, kept));
  gj__range range = {s->descending ? zero : kept, s->descending ? others : s->size};
  const gj_lexpr *i = gj__range_loop(l, into, "i", range.lo, range.hi, GJ_LOOP_VECTOR);
  gj_ls_store(l->m, l->f, l->block, s->keys, i, nan);
  call_sort(s, into, s->descending ? others : zero, kept);
}

void gj__call_or_stop(gj__lower *l, gj_lblock *into, const gj_lexpr *call) {
  gj_scalar ok = {.dtype = GJ_DTYPE_i32};
  gj__enter(l, into);
  const gj_lexpr *status = gj__let(l, "status", call);
  const gj_lexpr *stops = gj_lx_binary(l->m, GJ_OP_ne, status, gj_lx_const(l->m, ok));
  gj_ls_return(l->m, l->f, &gj_ls_if(l->m, l->f, into, stops)->body, status);
}

// --- results ---

// The operand's elements at positions lo … hi of the order.
static void gather(sorter *s, gj_lblock *into, const gj__index *line, uint32_t which,
                   const gj_lexpr *out, gj__range range) {
  gj__lower *l = s->l;
  const gj_lexpr *i = gj__range_loop(l, into, "i", range.lo, range.hi, GJ_LOOP_VECTOR);
  const gj_lexpr *from = gj__let(l, "from", position_at(s, i));
  const gj_lexpr *value = gj__value(l, s->node->args[which], gj__in_line(l, line, s->axis, from));
  const gj_lexpr *place = gj__flatten(l, &s->node->type, gj__in_line(l, line, s->axis, i));
  gj_ls_store(l->m, l->f, l->block, out, place, value);
}

static const gj_lexpr *below(sorter *s, const gj_lexpr *key) {
  gj__lower *l = s->l;
  const gj_lexpr *args[3] = {s->keys, s->size, gj_lx_convert(l->m, key, s->key)};
  return gj_lx_call(l->m, s->below, args, 3);
}

// Where the elements of a key stand.
static gj__range range_of(sorter *s, const gj_lexpr *key) {
  gj__lower *l = s->l;
  gj_scalar one = {.dtype = (gj_dtype)key->type.dtype, .v.i = 1};
  bool greatest = gj__scalar_greatest(one.dtype) == key->value.v.u;
  const gj_lexpr *lo = gj__let(l, "lo", below(s, key)), *hi = s->size;
  if (!greatest)
    hi = gj__let(l, "hi", below(s, gj_lx_binary(l->m, GJ_OP_add, key, gj_lx_const(l->m, one))));
  return (gj__range){lo, hi};
}

// Element i of the line, of the first operand.
static const gj_lexpr *element(const sorter *s, const gj_lexpr *i) {
  gj__lower *l = s->l;
  return gj__let(l, "value", gj__value(l, s->node->args[0], gj__in_line(l, s->line, s->axis, i)));
}

// Whether its key does not give it back.
static const gj_lexpr *is_odd(gj__lower *l, const void *of, const gj_lexpr *i) {
  return gj__is_odd(l, element(of, i));
}

// Whether the one behind it stands before it in the order.
static const gj_lexpr *falls(gj__lower *l, const void *of, const gj_lexpr *i) {
  const sorter *s = of;
  const gj_lexpr *next = element(s, gj__add(l, i, gj__i64(l, 1)));
  const gj_lexpr *behind = gj__key_of(l, next, s->key, s->descending);
  return gj_lx_binary(l->m, GJ_OP_lt, behind, gj__key_of(l, element(s, i), s->key, s->descending));
}

// Without positions: zeros and NaNs in the order in which the operand has them.
static void collect(sorter *s, gj_lblock *into, const gj__index *line, const gj_lexpr *out,
                    gj__range zeros, gj__range nans) {
  gj__lower *l = s->l;
  uint32_t next[2] = {gj_ls_let(l->m, l->f, into, "zero", zeros.lo),
                      gj_ls_let(l->m, l->f, into, "nan", nans.lo)};
  gj__range chunk;
  into = gj__chunks(l, into, gj__i64(l, 0), s->size, CHUNK, &chunk);
  const gj_lexpr *i = gj__range_loop(l, into, "i", chunk.lo, chunk.hi, 0);
  into = l->block;
  const gj_lexpr *value =
      gj__let(l, "value", gj__value(l, s->node->args[0], gj__in_line(l, line, s->axis, i)));
  const gj_lexpr *is[2] = {gj__is_zero(l, value), gj__is_nan(l, value)};
  for (int k = 0; k < 2; k++) {
    gj_lstmt *found = gj_ls_if(l->m, l->f, into, is[k]);
    const gj_lexpr *at = gj__local(l, next[k]);
    gj__enter(l, &found->body);
    gj_ls_store(l->m, l->f, &found->body, out,
                gj__flatten(l, &s->node->type, gj__in_line(l, line, s->axis, at)), value);
    gj_ls_set(l->m, l->f, &found->body, next[k], gj__add(l, at, gj__i64(l, 1)));
  }
}

// What keys of floats do not tell.
static void mend(sorter *s, gj_lblock *into, const gj__index *line, const gj_lexpr *out) {
  gj__lower *l = s->l;
  gj_dtype dtype = s->node->type.dtype;
  gj__enter(l, into);
  gj__range zeros = range_of(s, gj__zero_key(l, dtype, s->descending));
  gj__range nans = range_of(s, gj__nan_key(l, dtype, s->descending));
  if (s->carries) {
    gather(s, into, line, 0, out, zeros);
    gather(s, into, line, 0, out, nans);
    return;
  }
  const gj_lexpr *some =
      gj_lx_binary(l->m, GJ_OP_or, gj_lx_binary(l->m, GJ_OP_lt, zeros.lo, zeros.hi),
                   gj_lx_binary(l->m, GJ_OP_lt, nans.lo, nans.hi));
  into = &gj_ls_if(l->m, l->f, into, some)->body;
  gj__range whole = {gj__i64(l, 0), s->size};
  const gj_lexpr *odd = gj__any_in_line(l, into, whole, s->lanes, is_odd, s);
  into = &gj_ls_if(l->m, l->f, into, odd)->body;
  collect(s, into, line, out, zeros, nans);
}

// The first key's own result, from the keys.
static void restore(sorter *s, gj_lblock *into, const gj__index *line, const gj_lexpr *out) {
  gj__lower *l = s->l;
  gj_dtype dtype = s->node->type.dtype;
  const gj_lexpr *i = line_loop(s, into);
  const gj_lexpr *key = gj__let(l, "key", gj_lx_load(l->m, s->keys, i, 1));
  const gj_lexpr *place = gj__flatten(l, &s->node->type, gj__in_line(l, line, s->axis, i));
  gj_ls_store(l->m, l->f, l->block, out, place, gj__value_of_key(l, key, dtype, s->descending));
  if (gj_dtype_is_float(dtype))
    mend(s, into, line, out);
}

uint32_t gj__result_number(const gj__lower *l, const gj_store *store) {
  return gj__result_stored(l->graph, store);
}

// --- the kernel ---

static sorter sorter_of(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  sorter s = {.l = l,
              .kernel = kernel,
              .node = node,
              .axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis),
              .descending = gj_node_int(node, GJ_ATTR_descending) != 0,
              .carries = node->arg_count > 1,
              .key = gj__sort_key_dtype(l->graph, node),
              .position = gj__sort_position_dtype(l->graph, node)};
  return s;
}

void gj__prepare_sort(gj__lower *l, const gj_kernel *kernel) {
  sorter s = sorter_of(l, kernel);
  gj__sort_function(l, s.key, s.position);
  if (gj_dtype_is_float(s.node->type.dtype)) {
    gj__below_function(l, s.key);
    gj__keep_function(l, s.key);
  }
}

// Sorts the line and stores all results.
static void sort_line(sorter *s, gj_lblock *into) {
  gj__lower *l = s->l;
  const gj_kernel *kernel = s->kernel;
  uint32_t keys = (uint32_t)gj_node_int(s->node, GJ_ATTR_keys);
  for (uint32_t k = keys; k-- > 0;) {
    fill_keys(s, into, s->line, k, k + 1 == keys);
    if (s->keep && !s->carries)
      sort_numbers(s, into);
    else
      call_sort(s, into, gj__i64(l, 0), s->size);
  }
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    uint32_t which = gj__result_number(l, &kernel->stores[i]);
    const gj_lexpr *out = l->buffers[kernel->stores[i].buffer];
    if (which == 0)
      restore(s, into, s->line, out);
    else
      gather(s, into, s->line, which, out, (gj__range){gj__i64(l, 0), s->size});
  }
}

// Stores the operands as they are.
static void keep_line(sorter *s, gj_lblock *into) {
  gj__lower *l = s->l;
  for (uint32_t k = 0; k < s->kernel->store_count; k++) {
    const gj_store *store = &s->kernel->stores[k];
    gj_ref arg = s->node->args[gj__result_number(l, store)];
    const gj__index *at = gj__in_line(l, s->line, s->axis, line_loop(s, into));
    const gj_lexpr *value = gj__value(l, arg, at);
    gj_ls_store(l->m, l->f, l->block, l->buffers[store->buffer], gj__flatten(l, &s->node->type, at),
                value);
  }
}

// Whether it is worth asking: there is one key, and it need not be computed again.
static bool may_be_in_order(const sorter *s) {
  return gj_node_int(s->node, GJ_ATTR_keys) == 1 &&
         s->l->plan->home[s->node->args[0]] != GJ_NO_BUFFER &&
         gj__may_be_in_order(s->node->type.shape[s->axis]);
}

void gj__lower_sort(gj__lower *l, const gj_kernel *kernel) {
  sorter s = sorter_of(l, kernel);
  const gj_lexpr *number;
  bool asks = may_be_in_order(&s);
  s.sort = gj__sort_function(l, s.key, s.position);
  if (gj_dtype_is_float(s.node->type.dtype)) {
    s.below = gj__below_function(l, s.key);
    s.keep = gj__keep_function(l, s.key);
  }
  if (asks || (s.keep && !s.carries))
    s.lanes =
        gj__local(l, gj_ls_array(l->m, l->f, &l->f->body, "lanes", GJ_DTYPE_u8, GJ__TEST_LANES));
  gj_lblock *into = gj__lines_loop(l, s.node, &number, &s.line);
  s.size = gj__dim(l, s.node->type.shape[s.axis]);
  const gj_lexpr *start = gj__keep(l, "start", gj__mul(l, number, s.size));
  s.keys = gj_lx_offset(l->m, gj__temp(l, 0), start);
  s.key_room = gj_lx_offset(l->m, gj__temp(l, 1), start);
  if (s.carries) {
    s.positions = gj_lx_offset(l->m, gj__temp(l, 2), start);
    s.position_room = gj_lx_offset(l->m, gj__temp(l, 3), start);
  }
  if (!asks) {
    sort_line(&s, into);
    return;
  }
  const gj_lexpr *ordered = gj__in_order(l, into, s.size, s.lanes, falls, &s);
  gj_lstmt *choice = gj_ls_if(l->m, l->f, into, ordered);
  keep_line(&s, &choice->body);
  sort_line(&s, &choice->orelse);
}
