// Groups: which values are computed by the same kernel.
//
// Stores are grouped greedily. Two stores share a kernel when they have the same iteration space
// (shape, and reduced axes; or rows of the same number and length) and the same level, where the
// level of a store is one more than the highest level it reads. Reading, element by element, what
// another store of the same kernel has just computed does not count, so a chain of elementwise
// outputs is one kernel; neither does reading what a row kernel has computed for the same row.
#include "base/hash.h"
#include "passes/fuse.h"

#include <string.h>

// Reductions hold their running values in arrays on the stack.
enum { MAX_ROUNDS = 4 };

// Most stores of a kernel, as kernels.def names them.
enum { MOST_STORES = GJ__MAX_STORES, MOST_REDUCTIONS = 6, MOST_ROWS = 32 };

gj__item *gj__item_of(const gj__fuser *f, gj_ref ref) {
  return f->item_of[ref] ? &f->items[f->item_of[ref] - 1] : NULL;
}

// --- walking the inline expression of an item ---

typedef struct walker {
  gj__fuser *f;
  const gj__item *it;
  gj__walk_visit *visit;
  void *context;
} walker;

static void walk_args(const walker *w, gj_ref ref, gj_place place);

// A value is entered once for each place. seen holds 16 · stamp, and a bit per place.
static void walk_value(const walker *w, gj_ref ref, gj_place place) {
  gj__fuser *f = w->f;
  uint64_t mark = 16 * f->stamp, bit = UINT64_C(1) << place;
  uint64_t seen = f->seen[ref] >= mark ? f->seen[ref] : mark;
  if (seen & bit)
    return;
  f->seen[ref] = seen | bit;
  w->visit(f, ref, place, f->stored[ref], w->context);
  if (!f->stored[ref])
    walk_args(w, ref, place);
}

static void walk_args(const walker *w, gj_ref ref, gj_place place) {
  const gj_graph *graph = w->f->graph;
  const gj__item *it = w->it;
  const gj_node *node = gj_graph_node(graph, ref);
  bool reduces = gj_op_get((gj_op)node->op)->kind == GJ_OP_KIND_REDUCE;
  for (uint32_t a = 0; a < node->arg_count; a++) {
    gj_place next = GJ_PLACE_OTHER;
    if (it->in_rows)
      next = reduces ? GJ_PLACE_SAME : gj__row_place(graph, it->rows, it->cols, ref, a, place);
    else if (place == GJ_PLACE_SAME && gj__reads_in_step(graph, ref, a))
      next = GJ_PLACE_SAME;
    walk_value(w, node->args[a], next);
  }
}

void gj__walk(gj__fuser *f, const gj__item *it, gj__walk_visit *visit, void *context) {
  walker w = {f, it, visit, context};
  f->stamp++;
  if (it->copy) {
    walk_value(&w, it->ref, GJ_PLACE_SAME);
    return;
  }
  const gj_node *node = gj_graph_node(f->graph, it->ref);
  gj_ref ref = node->op == GJ_OP_result ? node->args[0] : it->ref;
  gj_place place = it->kind == GJ_KERNEL_ELEMENTWISE ? GJ_PLACE_SAME : GJ_PLACE_OTHER;
  walk_args(&w, ref, it->one ? GJ_PLACE_ROW : place);
}

// --- levels and groups ---

static bool same_space(const gj__item *a, const gj__item *b) {
  if (a->in_rows || b->in_rows)
    return a->in_rows && b->in_rows && a->rows == b->rows && a->cols == b->cols;
  if (a->owner || b->owner)
    return a->owner == b->owner;
  return a->kind == b->kind && a->axes == b->axes && gj__same_shape(&a->domain, &b->domain);
}

static bool joins_item(const gj__item *it, const gj__item *read, gj_place place) {
  if (it->in_rows)
    return gj__joins_rows(it, read, place);
  return place == GJ_PLACE_SAME && it->kind == GJ_KERNEL_ELEMENTWISE && same_space(it, read);
}

static void raise_level(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  gj__item *it = context;
  const gj__item *read = gj__item_of(f, ref);
  if (!stored || !read)
    return;
  uint32_t level = read->level + (joins_item(it, read, place) ? 0 : 1);
  if (level > it->level)
    it->level = level;
}

typedef struct waiting {
  gj__fuser *f;
  gj__item *it;
} waiting;

// Kernels stand behind those that compute their sizes.
static void wait_for_size(void *context, gj_ref binder) {
  const waiting *w = context;
  const gj__item *from = binder != w->it->owner ? gj__item_of(w->f, binder) : NULL;
  if (from && from->level >= w->it->level)
    w->it->level = from->level + 1;
}

static void wait_for_node(gj__fuser *f, gj_ref ref, gj__item *it) {
  waiting w = {f, it};
  gj_node_each_binder(f->graph, gj_graph_node(f->graph, ref), wait_for_size, &w);
}

static void wait_for_inline(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  (void)place;
  if (!stored)
    wait_for_node(f, ref, context);
}

// Functions may name any size that is computed before they are called.
static void wait_for_sizes(gj__fuser *f, gj__item *it) {
  if (f->item_of[it->ref])
    wait_for_node(f, it->ref, it);
  gj__walk(f, it, wait_for_inline, it);
  for (size_t i = 0; gj_kernel_has(it->kind, GJ_KERNEL_HAS_CALLS) && i < f->item_count; i++) {
    const gj__item *from = &f->items[i];
    if (gj_kernel_has(from->kind, GJ_KERNEL_HAS_SIZES) && from->ref < it->owner &&
        from->level >= it->level)
      it->level = from->level + 1;
  }
}

static void bound_level(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  const gj__item *it = context;
  gj__item *read = gj__item_of(f, ref);
  if (!stored || !read)
    return;
  uint32_t latest = it->level - (joins_item(it, read, place) ? 0 : 1);
  if (latest < read->latest)
    read->latest = latest;
}

static uint64_t space_hash(const gj__item *it) {
  if (it->in_rows)
    return gj_hash_u64(gj_hash_u64((uint64_t)it->rows, (uint64_t)it->cols), it->level);
  uint64_t hash = gj_hash_u64(gj_hash_u64(it->kind, it->axes), it->owner);
  hash = gj_hash_u64(hash, it->level);
  return gj_hash_bytes(hash, it->domain.shape, it->domain.rank * sizeof it->domain.shape[0]);
}

typedef struct counting {
  uint32_t mark, ops;
} counting;

static void count_op(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  (void)place;
  counting *c = context;
  if (stored || f->group[ref] == c->mark)
    return;
  f->group[ref] = c->mark;
  c->ops++;
}

// What an item adds to the ops of a group. Those that an earlier item has are there already, but
// for rows, whose stages are loops of their own. group[ref] is 1 and the group that was last found
// to compute it.
static uint32_t count_ops(gj__fuser *f, const gj__item *it, uint32_t group) {
  uint32_t own = (uint32_t)(it - f->items);
  counting c = {1 + (it->in_rows ? own : group), 1};
  gj__walk(f, it, count_op, &c);
  return c.ops;
}

static const uint32_t most_of[GJ_KERNEL_COUNT] = {
#define GJ_KERNEL(NAME, ...) [GJ_KERNEL_##NAME] =
#define GJ_KERNEL_STORES(most) MOST_##most,
#include "passes/kernels.def"
};

static uint32_t most_stores(const gj__item *it) {
  if (it->owner) // an op runs once, whatever it gives
    return UINT32_MAX;
  return most_of[it->in_rows ? GJ_KERNEL_ROWS : it->kind];
}

// What crosses the end of a segment has most of what computes it in common: it stays together.
static bool same_segment(const gj__fuser *f, const gj__item *a, const gj__item *b) {
  bool plain = a->kind == GJ_KERNEL_ELEMENTWISE && !a->in_rows;
  return !plain || f->segment[a->ref] == f->segment[b->ref];
}

// Gives every item its group: the first item of the latest one with the same space and level, while
// there is room. A full group is closed, so that what reads an item in step never comes before it.
static void find_groups(gj__fuser *f) {
  uint32_t *table = f->table;
  size_t slots = f->slots;
  memset(table, 0, slots * sizeof *table);
  memset(f->group, 0, f->count * sizeof *f->group);
  for (size_t i = 0; i < f->item_count; i++) {
    gj__item *it = &f->items[i], *head = NULL;
    it->ops = 0;
    it->stores = 0;
    size_t slot = (size_t)space_hash(it) & (slots - 1);
    for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
      head = &f->items[table[slot] - 1];
      if (head->level == it->level && same_space(head, it))
        break;
    }
    bool joins = table[slot] && same_segment(f, head, it) && head->stores < most_stores(it);
    uint32_t ops = joins ? count_ops(f, it, head->group) : 0;
    joins = joins && (it->owner || head->ops + ops <= GJ__MAX_OPS);
    if (!joins) {
      head = it;
      head->group = (uint32_t)i;
      table[slot] = (uint32_t)i + 1;
      ops = count_ops(f, it, head->group);
    }
    it->group = head->group;
    head->ops += ops;
    head->stores++;
  }
}

static void find_levels(gj__fuser *f) {
  bool sizes = gj_graph_computes_sizes(f->graph) && !gj_graph_is_function(f->graph);
  for (size_t i = 0; i < f->item_count; i++) { // what an item reads stands before it
    gj__walk(f, &f->items[i], raise_level, &f->items[i]);
    if (sizes)
      wait_for_sizes(f, &f->items[i]);
  }
}

// What row kernels read in place moves up to the level of who reads it: the first stages of a row
// then wait for the others, which may need something else.
static void lift_rows(gj__fuser *f) {
  for (size_t i = 0; i < f->item_count; i++)
    f->items[i].latest = UINT32_MAX;
  for (size_t i = f->item_count; i-- > 0;) {
    gj__item *it = &f->items[i];
    if (it->in_rows && it->latest != UINT32_MAX)
      it->level = it->latest;
    gj__walk(f, it, bound_level, it);
  }
}

// Row kernels that gain nothing are taken apart, which may leave others with less to gain. Those
// that are left after some rounds stay: they are right, if not fast.
void gj__group_items(gj__fuser *f) {
  memset(f->plain, 0, f->count);
  for (int round = 0; round < MAX_ROUNDS; round++) {
    for (size_t i = 0; i < f->item_count; i++)
      f->items[i].level = 0;
    gj__mark_rows(f);
    find_levels(f);
    lift_rows(f);
    gj__find_stages(f);
    find_groups(f);
    if (round + 1 == MAX_ROUNDS || !gj__dissolve_rows(f))
      break;
  }
}
