// Fusion: decides which values are stored and groups the stores into kernels.
//
// A value is stored when something must read it from memory: outputs, reductions, and the ops whose
// result is assembled by several loop nests (concat, pad, update_slice). On top of that a value is
// stored when recomputing it would cost more: an expensive or long one that several kernels use or
// that a broadcast repeats, one that is read at several indices, and one that is used far away in a
// large graph. Everything else is computed on the way, inside the loops of whoever needs it.
//
// Stores are grouped greedily. Two stores share a kernel when they have the same iteration space
// (shape, and reduced axes) and the same level, where the level of a store is one more than the
// highest level it reads. Reading, element by element, what another store of the same kernel has
// just computed does not count, so a chain of elementwise outputs is one kernel.
//
// Left out: sharing one pass over memory between reductions and elementwise stores of the same
// shape, and keeping a row in cache between a reduction and its use.
#include "base/hash.h"
#include "passes/plan.h"

#include <stdlib.h>
#include <string.h>

// A kernel computes about MAX_OPS values for at most MAX_STORES stores: LLVM's time grows faster
// than the size of a loop body, and registers run out long before. Recursions over expressions are
// bounded too. Reductions hold their running values in arrays on the stack.
enum { MAX_OPS = 512, MAX_STORES = 64, MAX_REDUCTIONS = 8, CHEAP_OPS = 8, MAX_ROUNDS = 8 };

// One value to be written: the unit that is grouped into kernels.
typedef struct item {
  gj_ref ref;
  uint32_t buffer;
  gj_kernel_kind kind;
  uint32_t axes;
  uint32_t level;
  uint32_t group;       // the item that heads it
  uint32_t ops, stores; // of the item, then of the group it heads
  gj_type domain;
} item;

typedef struct fuser {
  gj_plan *plan;
  const gj_graph *graph;
  size_t count;      // nodes + 1
  uint8_t *stored;   // per ref: has memory of its own
  uint8_t *holds;    // per ref: COMPUTES and COSTLY bits of its inline expression
  uint32_t *segment; // per ref: the graph is cut into segments of MAX_OPS nodes
  uint32_t *uses;    // per ref: operands and outputs that name it
  uint32_t *seen;    // per ref: stamp of the last walk; see walk()
  uint32_t *group;   // per ref: 1 + the group that computes it inline, or MANY
  uint32_t *asked;   // per ref: at which index its users want it; see store_scattered()
  uint32_t *item_of; // per ref: 1 + the item that stores it
  uint32_t stamp;
  item *items;
  size_t item_count;
  uint8_t *covered; // per ref: a user of it is shared and not cheap either
} fuser;

enum { COMPUTES = 1, COSTLY = 2 }; // an inline expression has an elementwise op, an expensive one

static const uint32_t MANY = UINT32_MAX;

// Indices at which a value is wanted: that of its kernel, the only one of a value with one element,
// MADE + ref for one that a user makes of its own, and MANY.
enum { NOWHERE, KERNEL, ORIGIN, MADE };

bool gj__is_stored_kind(const gj_node *node) {
  switch (gj_op_get((gj_op)node->op)->kind) {
  case GJ_OP_KIND_PARAM:
  case GJ_OP_KIND_REDUCE:
  case GJ_OP_KIND_RESULT:
  case GJ_OP_KIND_CONCAT:
  case GJ_OP_KIND_PAD:
  case GJ_OP_KIND_UPDATE_SLICE:
  case GJ_OP_KIND_CUMULATE:
    return true;
  default:
    return false;
  }
}

static bool same_shape(const gj_type *a, const gj_type *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

static bool has_one_element(const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] != 1)
      return false;
  return true;
}

bool gj__reads_in_step(const gj_graph *graph, gj_ref ref, uint32_t arg) {
  const gj_node *node = gj_graph_node(graph, ref);
  return gj_op_is_elementwise((gj_op)node->op) &&
         same_shape(&node->type, &gj_graph_node(graph, node->args[arg])->type);
}

static bool is_computed(const gj_node *node) { return gj_op_is_elementwise((gj_op)node->op); }

// --- what is stored
// ----------------------------------------------------------------------------------

static void count_uses(fuser *f) {
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    for (uint32_t a = 0; a < node->arg_count && node->op != GJ_OP_result; a++)
      f->uses[node->args[a]]++;
    if (gj__is_stored_kind(node))
      f->stored[ref] = 1;
  }
  for (size_t i = 0; i < gj_graph_output_count(f->graph); i++) {
    gj_ref ref = gj_graph_output(f->graph, i)->ref;
    f->uses[ref]++;
    if (gj_graph_node(f->graph, ref)->op != GJ_OP_const)
      f->stored[ref] = 1;
  }
}

// A move or a broadcast of `v` by its user asks for it at other indices than the user's other
// operands. Values of one element are exempt, since there is only one index, and so are operands of
// reductions, which take every element once.
static bool moves(const fuser *f, gj_ref user, uint32_t arg) {
  const gj_node *node = gj_graph_node(f->graph, user);
  gj_ref v = node->args[arg];
  uint8_t kind = gj_op_get((gj_op)node->op)->kind;
  return kind != GJ_OP_KIND_REDUCE && kind != GJ_OP_KIND_CUMULATE &&
         !gj__reads_in_step(f->graph, user, arg) &&
         !has_one_element(&gj_graph_node(f->graph, v)->type);
}

// Stores what a later user would otherwise compute more than once: costly values that are repeated,
// and any computed value of several uses that is moved by one of them (without this rule a chain of
// shifted sums would double in cost with every link).
static void store_moved(fuser *f, gj_ref user) {
  const gj_node *node = gj_graph_node(f->graph, user);
  bool repeats = node->op == GJ_OP_broadcast || is_computed(node);
  for (uint32_t a = 0; a < node->arg_count; a++) {
    gj_ref v = node->args[a];
    if (f->stored[v] || !(f->holds[v] & COMPUTES))
      continue;
    bool costly_repeat = repeats && (f->holds[v] & COSTLY) && !gj__reads_in_step(f->graph, user, a);
    if (costly_repeat || (f->uses[v] > 1 && moves(f, user, a)))
      f->stored[v] = 1;
  }
}

// Decides, operands first, what is stored beyond what must be.
static void choose_stored(fuser *f) {
  uint32_t inner = 0; // nodes with operands so far
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    store_moved(f, ref);
    inner += node->arg_count > 0;
    f->segment[ref] = inner / MAX_OPS;
    uint8_t holds = is_computed(node) ? COMPUTES : 0;
    if (gj_op_get((gj_op)node->op)->flags & GJ_OP_COSTLY)
      holds |= COSTLY;
    for (uint32_t a = 0; a < node->arg_count; a++) {
      gj_ref v = node->args[a];
      bool far = f->segment[v] != f->segment[ref] && gj_graph_node(f->graph, v)->arg_count > 0;
      if (far)
        f->stored[v] = 1;
      if (!f->stored[v])
        holds |= f->holds[v];
    }
    f->holds[ref] = f->stored[ref] ? 0 : holds;
  }
}

// Notes that `user` wants its operand `arg`, itself being wanted at `index`.
static void ask(fuser *f, gj_ref user, uint32_t arg, uint32_t index) {
  gj_ref v = gj_graph_node(f->graph, user)->args[arg];
  if (has_one_element(&gj_graph_node(f->graph, v)->type))
    index = ORIGIN;
  else if (moves(f, user, arg))
    index = MADE + user;
  if (f->asked[v] != NOWHERE && f->asked[v] != index)
    index = MANY;
  f->asked[v] = index;
}

// Stores computed values that are wanted at several indices through different users, none of which
// need move it itself: s = add(reverse(abs(s)), neg(s)), written k times, would otherwise ask for
// the first s at 2^k places. Users come first, so that what is stored asks but once.
static void store_scattered(fuser *f) {
  memset(f->asked, 0, f->count * sizeof *f->asked);
  for (gj_ref ref = (gj_ref)f->count - 1; ref > 0; ref--) {
    if (f->asked[ref] == MANY && (f->holds[ref] & COMPUTES))
      f->stored[ref] = 1;
    const gj_node *node = gj_graph_node(f->graph, ref);
    uint32_t index = f->stored[ref] ? (uint32_t)KERNEL : f->asked[ref];
    for (uint32_t a = 0; a < node->arg_count && index != NOWHERE; a++)
      ask(f, ref, a, index);
  }
}

// --- items: one per value written
// ------------------------------------------------------------------------

static gj_kernel_kind kernel_kind(const gj_node *node) {
  switch (gj_op_get((gj_op)node->op)->kind) {
  case GJ_OP_KIND_REDUCE:
  case GJ_OP_KIND_RESULT:
    return GJ_KERNEL_REDUCE;
  case GJ_OP_KIND_CONCAT:
    return GJ_KERNEL_CONCAT;
  case GJ_OP_KIND_PAD:
    return GJ_KERNEL_PAD;
  case GJ_OP_KIND_UPDATE_SLICE:
    return GJ_KERNEL_UPDATE;
  case GJ_OP_KIND_CUMULATE:
    return GJ_KERNEL_CUMULATE;
  default:
    return GJ_KERNEL_ELEMENTWISE;
  }
}

static void add_item(fuser *f, gj_ref ref, uint32_t buffer, bool copy) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  item *it = &f->items[f->item_count++];
  *it = (item){.ref = ref, .buffer = buffer, .domain = node->type};
  it->kind = copy ? GJ_KERNEL_ELEMENTWISE : kernel_kind(node);
  if (!copy)
    f->item_of[ref] = (uint32_t)f->item_count;
  if (it->kind != GJ_KERNEL_REDUCE)
    return;
  const gj_node *reduce = node->op == GJ_OP_result ? gj_graph_node(f->graph, node->args[0]) : node;
  it->domain = gj_graph_node(f->graph, reduce->args[0])->type;
  const gj_attr_list *axes = &reduce->attrs->list[GJ_ATTR_axes];
  for (uint8_t i = 0; i < axes->count; i++)
    it->axes |= 1u << axes->values[i];
}

static uint32_t add_buffer(fuser *f, gj_buffer_kind kind, uint32_t index, gj_ref ref) {
  gj_dims *dims = gj_graph_dims(f->graph);
  gj_buffer *b = &f->plan->buffers[f->plan->buffer_count];
  *b = (gj_buffer){.kind = kind, .index = index, .type = gj_graph_node(f->graph, ref)->type};
  gj_dim element = gj_dim_const(dims, (int64_t)gj_dtype_bytes(b->type.dtype));
  b->bytes = gj_dim_mul(dims, gj_type_size(dims, &b->type), element);
  return f->plan->buffer_count++;
}

// Inputs and outputs get their buffers, then every other stored value one of its own. A value that
// is output twice, or an input that is output, is copied.
static void make_items(fuser *f) {
  size_t inputs = gj_graph_input_count(f->graph), outputs = gj_graph_output_count(f->graph);
  f->item_count = 0;
  f->plan->buffer_count = 0;
  memset(f->item_of, 0, f->count * sizeof *f->item_of);
  for (size_t i = 0; i < f->count; i++)
    f->plan->home[i] = GJ_NO_BUFFER;
  for (size_t i = 0; i < inputs; i++) {
    gj_ref ref = gj_graph_input(f->graph, i);
    f->plan->home[ref] = add_buffer(f, GJ_BUFFER_INPUT, (uint32_t)i, ref);
  }
  for (size_t i = 0; i < outputs; i++) {
    gj_ref ref = gj_graph_output(f->graph, i)->ref;
    uint32_t buffer = add_buffer(f, GJ_BUFFER_OUTPUT, (uint32_t)(inputs + i), ref);
    bool copy = f->plan->home[ref] != GJ_NO_BUFFER || !f->stored[ref];
    if (!copy)
      f->plan->home[ref] = buffer;
    add_item(f, ref, buffer, copy);
  }
  for (gj_ref ref = 1; ref < f->count; ref++) {
    bool used = f->uses[ref] > 0;
    if (f->stored[ref] && used && f->plan->home[ref] == GJ_NO_BUFFER) {
      uint32_t buffer = add_buffer(f, GJ_BUFFER_SCRATCH, 0, ref);
      f->plan->home[ref] = buffer;
      add_item(f, ref, buffer, false);
    }
  }
}

// --- walking the inline expression of an item
// --------------------------------------------------------------

typedef void walk_visit(fuser *f, gj_ref ref, bool in_step, bool stored, void *context);

static void walk_arg(fuser *f, gj_ref ref, bool in_step, walk_visit *visit, void *context) {
  // A value is entered at most twice: once in step, once not. seen holds 2·stamp + in_step.
  uint32_t mark = 2 * f->stamp + (in_step ? 0 : 1);
  if (f->seen[ref] == mark || f->seen[ref] == 2 * f->stamp + 1)
    return;
  f->seen[ref] = mark;
  visit(f, ref, in_step, f->stored[ref], context);
  if (f->stored[ref])
    return;
  const gj_node *node = gj_graph_node(f->graph, ref);
  for (uint32_t a = 0; a < node->arg_count; a++)
    walk_arg(f, node->args[a], in_step && gj__reads_in_step(f->graph, ref, a), visit, context);
}

// Visits everything the kernel of `it` computes or reads for it, `it` itself left out.
static void walk(fuser *f, const item *it, walk_visit *visit, void *context) {
  f->stamp++;
  if (f->item_of[it->ref] != (uint32_t)(it - f->items) + 1) { // a copy
    walk_arg(f, it->ref, true, visit, context);
    return;
  }
  gj_ref ref = it->ref;
  const gj_node *node = gj_graph_node(f->graph, ref);
  if (node->op == GJ_OP_result) {
    ref = node->args[0];
    node = gj_graph_node(f->graph, ref);
  }
  for (uint32_t a = 0; a < node->arg_count; a++)
    walk_arg(f, node->args[a],
             it->kind == GJ_KERNEL_ELEMENTWISE && gj__reads_in_step(f->graph, ref, a), visit,
             context);
}

// --- levels and groups
// -----------------------------------------------------------------------------------------

static bool same_space(const item *a, const item *b) {
  bool joins = a->kind == GJ_KERNEL_ELEMENTWISE || a->kind == GJ_KERNEL_REDUCE;
  return joins && a->kind == b->kind && a->axes == b->axes && same_shape(&a->domain, &b->domain);
}

static void raise_level(fuser *f, gj_ref ref, bool in_step, bool stored, void *context) {
  item *it = context;
  if (!stored || !f->item_of[ref])
    return;
  const item *read = &f->items[f->item_of[ref] - 1];
  bool joins = in_step && it->kind == GJ_KERNEL_ELEMENTWISE && same_space(it, read);
  uint32_t level = read->level + (joins ? 0 : 1);
  if (level > it->level)
    it->level = level;
}

static int by_ref(const void *a, const void *b) {
  gj_ref x = ((const item *)a)->ref, y = ((const item *)b)->ref;
  if (x != y)
    return x < y ? -1 : 1;
  uint32_t p = ((const item *)a)->buffer, q = ((const item *)b)->buffer;
  return p < q ? -1 : p > q;
}

static uint64_t space_hash(const item *it) {
  uint64_t hash = gj_hash_u64(it->kind, it->axes);
  hash = gj_hash_u64(hash, it->level);
  return gj_hash_bytes(hash, it->domain.shape, it->domain.rank * sizeof it->domain.shape[0]);
}

static void count_op(fuser *f, gj_ref ref, bool in_step, bool stored, void *context) {
  (void)f, (void)ref, (void)in_step;
  item *it = context;
  it->ops += !stored;
}

// Gives every item its group: the first item of the latest one with the same space and level, while
// there is room. A full group is closed, so that what reads an item in step never comes before it.
// `table` has a power of two of slots, more than twice the items.
static void group_items(fuser *f, uint32_t *table, size_t slots) {
  memset(table, 0, slots * sizeof *table);
  for (size_t i = 0; i < f->item_count; i++) {
    item *it = &f->items[i], *head = NULL;
    it->ops = 1;
    it->stores = 1;
    walk(f, it, count_op, it);
    size_t slot = (size_t)space_hash(it) & (slots - 1);
    for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
      head = &f->items[table[slot] - 1];
      if (head->level == it->level && same_space(head, it))
        break;
    }
    uint32_t room = it->kind == GJ_KERNEL_REDUCE ? MAX_REDUCTIONS : MAX_STORES;
    bool joins = table[slot] && head->ops + it->ops <= MAX_OPS && head->stores < room;
    it->group = joins ? head->group : (uint32_t)i;
    if (joins) {
      head->ops += it->ops;
      head->stores++;
    } else {
      table[slot] = (uint32_t)i + 1;
    }
  }
}

static void find_levels(fuser *f) {
  qsort(f->items, f->item_count, sizeof *f->items, by_ref);
  for (size_t i = 0; i < f->item_count; i++) {
    bool copy = f->plan->home[f->items[i].ref] != f->items[i].buffer;
    if (!copy)
      f->item_of[f->items[i].ref] = (uint32_t)i + 1;
  }
  for (size_t i = 0; i < f->item_count;
       i++) // what an item reads has a lower ref, or is its original
    walk(f, &f->items[i], raise_level, &f->items[i]);
}

static void note_group(fuser *f, gj_ref ref, bool in_step, bool stored, void *context) {
  (void)in_step;
  const item *it = context;
  if (stored)
    return;
  if (f->group[ref] == 0)
    f->group[ref] = it->group + 1;
  else if (f->group[ref] != it->group + 1)
    f->group[ref] = MANY;
}

// True when computing `ref` takes at most *budget ops, none of them costly: about what reading it
// back from memory takes.
static bool is_cheap(const fuser *f, gj_ref ref, unsigned *budget) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  if (f->stored[ref] || node->arg_count == 0)
    return true;
  if ((f->holds[ref] & COSTLY) || *budget == 0)
    return false;
  --*budget;
  for (uint32_t a = 0; a < node->arg_count; a++)
    if (!is_cheap(f, node->args[a], budget))
      return false;
  return true;
}

// Stores what more than one kernel computes and is not cheap, if nothing above it is such a value
// too; with `all`, whatever is above it.
static bool store_shared(fuser *f, bool all) {
  bool changed = false;
  memset(f->group, 0, f->count * sizeof *f->group);
  for (size_t i = 0; i < f->item_count; i++)
    walk(f, &f->items[i], note_group, &f->items[i]);
  memset(f->covered, 0, f->count);
  for (gj_ref ref = (gj_ref)f->count - 1; ref > 0; ref--) {
    unsigned budget = CHEAP_OPS;
    bool shared = f->group[ref] == MANY && !f->stored[ref] && !is_cheap(f, ref, &budget);
    if (shared && (all || !f->covered[ref]) && f->uses[ref] > 1) {
      f->stored[ref] = 1;
      changed = true;
    }
    const gj_node *node = gj_graph_node(f->graph, ref);
    for (uint32_t a = 0; shared && a < node->arg_count; a++)
      f->covered[node->args[a]] = 1;
  }
  return changed;
}

// --- kernels
// -----------------------------------------------------------------------------------------------------

static int by_level(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return by_ref(a, b);
}

static gj_status make_kernels(fuser *f, gj_error *err) {
  gj_plan *plan = f->plan;
  qsort(f->items, f->item_count, sizeof *f->items, by_level);
  plan->kernels = gj_arena_array(&plan->arena, f->item_count + 1, sizeof *plan->kernels);
  gj_store *stores = gj_arena_array(&plan->arena, f->item_count + 1, sizeof *stores);
  if (!plan->kernels || !stores)
    return gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu stores", f->item_count);
  for (size_t i = 0; i < f->count; i++)
    plan->writer[i] = GJ_NO_KERNEL;
  for (size_t i = 0; i < f->item_count; i++) {
    const item *it = &f->items[i];
    bool fresh = i == 0 || it->group != f->items[i - 1].group || it->level != f->items[i - 1].level;
    if (fresh)
      plan->kernels[plan->kernel_count++] =
          (gj_kernel){it->kind, it->domain, it->axes, it->level, 0, &stores[i]};
    gj_kernel *kernel = &plan->kernels[plan->kernel_count - 1];
    kernel->stores[kernel->store_count++] = (gj_store){it->ref, it->buffer};
    if (plan->home[it->ref] == it->buffer)
      plan->writer[it->ref] = plan->kernel_count - 1;
  }
  return GJ_OK;
}

static gj_status fuse(fuser *f, gj_arena *scratch, gj_error *err) {
  size_t slots = 16;
  count_uses(f);
  while (slots < 2 * (f->count + gj_graph_output_count(f->graph)))
    slots *= 2;
  uint32_t *table = gj_arena_array(scratch, slots, sizeof *table);
  if (!table)
    return gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu nodes", f->count);
  for (int round = 0; round < MAX_ROUNDS; round++) {
    choose_stored(f);
    store_scattered(f);
    make_items(f);
    find_levels(f);
    group_items(f, table, slots);
    // A chain of shared values loses its last link per round. What is left of a long one is stored
    // at once: each kernel would otherwise compute all links before its own.
    bool all = round + 2 == MAX_ROUNDS;
    if (round + 1 == MAX_ROUNDS || !store_shared(f, all))
      break;
  }
  return make_kernels(f, err);
}

gj_status gj__plan_fuse(gj_plan *plan, gj_error *err) {
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 16);
  const gj_graph *graph = plan->graph;
  size_t count = gj_graph_node_count(graph) + 1;
  size_t places = count + gj_graph_output_count(graph);
  fuser f = {.plan = plan, .graph = graph, .count = count};
  f.stored = gj_arena_array(&scratch, count, 1);
  f.holds = gj_arena_array(&scratch, count, 1);
  f.covered = gj_arena_array(&scratch, count, 1);
  f.segment = gj_arena_array(&scratch, count, sizeof *f.segment);
  f.uses = gj_arena_array(&scratch, count, sizeof *f.uses);
  f.seen = gj_arena_array(&scratch, count, sizeof *f.seen);
  f.group = gj_arena_array(&scratch, count, sizeof *f.group);
  f.asked = gj_arena_array(&scratch, count, sizeof *f.asked);
  f.item_of = gj_arena_array(&scratch, count, sizeof *f.item_of);
  f.items = gj_arena_array(&scratch, places, sizeof *f.items);
  plan->home = gj_arena_array(&plan->arena, count, sizeof *plan->home);
  plan->writer = gj_arena_array(&plan->arena, count, sizeof *plan->writer);
  plan->buffers = gj_arena_array(&plan->arena, places, sizeof *plan->buffers);
  gj_status status = GJ_OK;
  if (!f.stored || !f.holds || !f.covered || !f.segment || !f.uses || !f.seen || !f.group ||
      !f.asked || !f.item_of || !f.items || !plan->home || !plan->writer || !plan->buffers)
    status = gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu nodes", count);
  if (status == GJ_OK) {
    memset(f.stored, 0, count);
    memset(f.uses, 0, count * sizeof *f.uses);
    memset(f.seen, 0, count * sizeof *f.seen);
    status = fuse(&f, &scratch, err);
  }
  gj_arena_fini(&scratch);
  return status;
}
