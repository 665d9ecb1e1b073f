// Fusion: decides which values are stored and groups the stores into kernels.
//
// The work is done in rounds: choose what is stored (stored.c), make an item of each value to be
// written, group the items (groups.c, with rows.c for kernels that keep a row in cache), and look
// whether several kernels now compute the same value, which is then stored in the next round.
//
// Left out: sharing one pass over memory between reductions and elementwise stores that have
// nothing but an input in common.
#include "passes/fuse.h"

#include "ir/infer/contract.h"

#include <stdlib.h>
#include <string.h>

// A graph of several segments gets few rounds: each goes over all of it.
enum { MAX_ROUNDS = 8, FEW_ROUNDS = 4 };

// How an op is fused, see kinds.def.
typedef enum fused { FUSED_inline, FUSED_shared, FUSED_alone, FUSED_given } fused;

static const struct kernel_of_kind {
  fused how;
  gj_kernel_kind kernel;
} kernels[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_KERNEL(how, kernel) {FUSED_##how, GJ_KERNEL_##kernel},
#include "ops/kinds.def"
};

static struct kernel_of_kind kernel_of_kind(const gj_node *node) {
  return kernels[gj_op_kind_of((gj_op)node->op)];
}

bool gj__is_stored_kind(const gj_node *node) { return kernel_of_kind(node).how != FUSED_inline; }

bool gj__has_own_kernel(const gj_node *node) {
  return gj__is_stored_kind(node) && kernel_of_kind(node).how != FUSED_given;
}

bool gj__gives_size(const gj_node *node) {
  return gj_kernel_has(kernel_of_kind(node).kernel, GJ_KERNEL_HAS_SIZES);
}

bool gj__updates(const gj_node *node) {
  return gj_kernel_has(kernel_of_kind(node).kernel, GJ_KERNEL_HAS_UPDATES);
}

bool gj__reads_in_step(const gj_graph *graph, gj_ref ref, uint32_t arg) {
  const gj_node *node = gj_graph_node(graph, ref);
  if (gj__updates(node))
    return arg == 0;
  return gj_op_maps((gj_op)node->op) &&
         gj__same_shape(&node->type, &gj_graph_node(graph, node->args[arg])->type);
}

bool gj__reads_memory(const gj_node *node) {
  return gj_op_has((gj_op)node->op, GJ_TRAIT_ADDRESSES);
}

// --- items: one per value written ---

static void space_own(const gj__fuser *f, const gj_node *op, gj__item *it) {
  (void)f;
  it->domain = op->type;
}

static void space_operand(const gj__fuser *f, const gj_node *op, gj__item *it) {
  it->domain = gj_graph_node(f->graph, op->args[0])->type;
}

static void space_reduced(const gj__fuser *f, const gj_node *op, gj__item *it) {
  const gj_attr_list *axes = &op->attrs->list[GJ_ATTR_axes];
  space_operand(f, op, it);
  for (uint8_t i = 0; i < axes->count; i++)
    it->axes |= 1u << axes->values[i];
}

static void space_products(const gj__fuser *f, const gj_node *op, gj__item *it) {
  it->domain = op->type;
  gj_contraction_space(f->graph, op, &it->domain);
}

// What a scatter goes over: its updates, unless they are known to be fewer than what it copies.
static void space_scatter(const gj__fuser *f, const gj_node *op, gj__item *it) {
  const gj_type *updates = &gj_graph_node(f->graph, op->args[2])->type;
  gj_dim many = gj_type_size(f->dims, updates), all = gj_type_size(f->dims, &op->type);
  bool fewer = many != GJ_DIM_ERROR && gj_dim_is_const(many) &&
               !(all != GJ_DIM_ERROR && gj_dim_is_const(all) && all < many);
  it->domain = fewer ? op->type : *updates;
}

typedef void space_fn(const gj__fuser *f, const gj_node *op, gj__item *it);

static space_fn *const spaces[GJ_KERNEL_COUNT] = {
#define GJ_KERNEL(NAME, ...) [GJ_KERNEL_##NAME] =
#define GJ_KERNEL_SPACE(rule) space_##rule,
#include "passes/kernels.def"
};

static void add_item(gj__fuser *f, gj_ref ref, uint32_t buffer, bool copy) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  gj__item *it = &f->items[f->item_count++];
  *it = (gj__item){.ref = ref, .buffer = buffer, .domain = node->type, .copy = copy};
  if (copy)
    return;
  gj_ref owner = node->op == GJ_OP_result ? node->args[0] : ref;
  const gj_node *op = gj_graph_node(f->graph, owner);
  struct kernel_of_kind rule = kernel_of_kind(op);
  it->kind = rule.kernel;
  if (rule.how == FUSED_alone)
    it->owner = owner;
  spaces[it->kind](f, op, it);
}

static uint32_t add_buffer_of(gj_plan *plan, gj_buffer_kind kind, uint32_t index,
                              const gj_type *type) {
  gj_dims *dims = gj_graph_dims(plan->graph);
  gj_buffer *b = &plan->buffers[plan->buffer_count];
  *b = (gj_buffer){.kind = kind, .index = index, .type = *type};
  b->bytes = gj_dim_const(dims, (int64_t)gj_dtype_bytes(b->type.dtype));
  for (uint8_t axis = 0; axis < type->rank; axis++)
    b->bytes = gj_dim_mul(dims, b->bytes, gj_dim_most(dims, type->shape[axis]));
  return plan->buffer_count++;
}

static uint32_t add_buffer(gj__fuser *f, gj_buffer_kind kind, uint32_t index, gj_ref ref) {
  return add_buffer_of(f->plan, kind, index, &gj_graph_node(f->graph, ref)->type);
}

static int by_ref(const void *a, const void *b) {
  gj_ref x = ((const gj__item *)a)->ref, y = ((const gj__item *)b)->ref;
  if (x != y)
    return x < y ? -1 : 1;
  uint32_t p = ((const gj__item *)a)->buffer, q = ((const gj__item *)b)->buffer;
  return p < q ? -1 : p > q;
}

// By ref, so that what an item reads stands before it.
static void sort_items(gj__fuser *f) {
  qsort(f->items, f->item_count, sizeof *f->items, by_ref);
  for (size_t i = 0; i < f->item_count; i++)
    if (!f->items[i].copy)
      f->item_of[f->items[i].ref] = (uint32_t)i + 1;
}

// Inputs and outputs get their buffers, then every other stored value one of its own. A value that
// is output twice, or an input that is output, is copied.
static void make_items(gj__fuser *f) {
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
  sort_items(f);
}

// --- kernels ---

static int by_level(const void *a, const void *b) {
  const gj__item *x = a, *y = b;
  if (x->level != y->level)
    return x->level < y->level ? -1 : 1;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  return by_ref(a, b);
}

static gj_kernel kernel_of(const gj__item *it, gj_store *stores) {
  gj_kernel kernel = {.kind = it->kind,
                      .domain = it->domain,
                      .axes = it->axes,
                      .level = it->level,
                      .stores = stores,
                      .owner = it->owner};
  if (it->in_rows) {
    kernel.kind = GJ_KERNEL_ROWS;
    kernel.domain = (gj_type){.rank = 2, .shape = {it->rows, it->cols}};
    kernel.axes = 2;
  }
  return kernel;
}

// Room for the working memory of all kernels behind the buffers of values.
static gj_status make_temps(gj__fuser *f, gj_error *err) {
  gj_plan *plan = f->plan;
  gj_temp temps[GJ_MAX_TEMPS];
  size_t total = 0;
  for (uint32_t k = 0; k < plan->kernel_count; k++)
    if (plan->kernels[k].owner)
      total += gj__temps_of(plan, &plan->kernels[k], temps);
  if (total == 0)
    return GJ_OK;
  gj_buffer *buffers =
      gj_arena_array(&plan->arena, plan->buffer_count + total, sizeof *plan->buffers);
  uint32_t *numbers = gj_arena_array(&plan->arena, total, sizeof *numbers);
  if (!buffers || !numbers)
    return gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu temporary arrays", total);
  if (plan->buffer_count)
    memcpy(buffers, plan->buffers, plan->buffer_count * sizeof *buffers);
  plan->buffers = buffers;
  for (uint32_t k = 0; k < plan->kernel_count; k++) {
    gj_kernel *kernel = &plan->kernels[k];
    if (!kernel->owner)
      continue;
    kernel->temp_count = gj__temps_of(plan, kernel, temps);
    kernel->temps = numbers;
    for (uint32_t i = 0; i < kernel->temp_count; i++) {
      gj_type type = {.dtype = temps[i].dtype, .rank = 1, .shape = {temps[i].count}};
      *numbers++ = add_buffer_of(plan, GJ_BUFFER_SCRATCH, 0, &type);
    }
  }
  return GJ_OK;
}

static gj_status make_kernels(gj__fuser *f, gj_error *err) {
  gj_plan *plan = f->plan;
  qsort(f->items, f->item_count, sizeof *f->items, by_level);
  plan->kernels = gj_arena_array(&plan->arena, f->item_count + 1, sizeof *plan->kernels);
  gj_store *stores = gj_arena_array(&plan->arena, f->item_count + 1, sizeof *stores);
  if (!plan->kernels || !stores)
    return gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu stores", f->item_count);
  for (size_t i = 0; i < f->count; i++)
    plan->writer[i] = GJ_NO_KERNEL;
  for (size_t i = 0; i < f->item_count; i++) {
    const gj__item *it = &f->items[i];
    bool fresh = i == 0 || it->group != f->items[i - 1].group || it->level != f->items[i - 1].level;
    if (fresh)
      plan->kernels[plan->kernel_count++] = kernel_of(it, &stores[i]);
    gj_kernel *kernel = &plan->kernels[plan->kernel_count - 1];
    kernel->stores[kernel->store_count++] =
        (gj_store){it->ref, it->buffer, it->stage, it->one, it->borrowed};
    if (plan->home[it->ref] == it->buffer)
      plan->writer[it->ref] = plan->kernel_count - 1;
  }
  return make_temps(f, err);
}

static gj_status fuse(gj__fuser *f, gj_error *err) {
  gj__count_uses(f);
  gj__cut_segments(f);
  int rounds = f->segment[f->count - 1] > 0 ? FEW_ROUNDS : MAX_ROUNDS;
  for (int round = 0; round < rounds; round++) {
    gj__choose_stored(f);
    gj__store_apart(f);
    make_items(f);
    gj__group_items(f);
    // A chain of shared values loses its last link per round. What is left of a long one is stored
    // at once: each kernel would otherwise compute all links before its own.
    bool all = round + 2 == rounds;
    if (round + 1 == rounds || !gj__store_shared(f, all))
      break;
  }
  gj__place_rows(f);
  return make_kernels(f, err);
}

gj_status gj__plan_fuse(gj_plan *plan, gj_error *err) {
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 16);
  const gj_graph *graph = plan->graph;
  size_t count = gj_graph_node_count(graph) + 1;
  size_t places = count + gj_graph_output_count(graph);
  gj__fuser f = {.plan = plan, .graph = graph, .dims = gj_graph_dims(graph), .count = count};
  for (f.slots = 16; f.slots < 2 * places; f.slots *= 2)
    ;
  f.stored = gj_arena_array(&scratch, count, 1);
  f.holds = gj_arena_array(&scratch, count, 1);
  f.covered = gj_arena_array(&scratch, count, 1);
  f.segment = gj_arena_array(&scratch, count, sizeof *f.segment);
  f.far = gj_arena_array(&scratch, count, 1);
  f.uses = gj_arena_array(&scratch, count, sizeof *f.uses);
  f.seen = gj_arena_array(&scratch, count, sizeof *f.seen);
  f.group = gj_arena_array(&scratch, count, sizeof *f.group);
  f.asked = gj_arena_array(&scratch, count, sizeof *f.asked);
  f.item_of = gj_arena_array(&scratch, count, sizeof *f.item_of);
  f.touched = gj_arena_array(&scratch, count, sizeof *f.touched);
  f.plain = gj_arena_array(&scratch, count, 1);
  f.table = gj_arena_array(&scratch, f.slots, sizeof *f.table);
  f.items = gj_arena_array(&scratch, places, sizeof *f.items);
  plan->home = gj_arena_array(&plan->arena, count, sizeof *plan->home);
  plan->writer = gj_arena_array(&plan->arena, count, sizeof *plan->writer);
  plan->buffers = gj_arena_array(&plan->arena, places, sizeof *plan->buffers);
  gj_status status = GJ_OK;
  if (!f.stored || !f.holds || !f.covered || !f.segment || !f.far || !f.uses || !f.seen ||
      !f.group || !f.asked || !f.item_of || !f.items || !f.touched || !f.plain || !f.table ||
      !plan->home || !plan->writer || !plan->buffers)
    status = gj_fail(err, GJ_E_MEMORY, "fuse: out of memory for %zu nodes", count);
  if (status == GJ_OK) {
    memset(f.stored, 0, count);
    memset(f.uses, 0, count * sizeof *f.uses);
    memset(f.seen, 0, count * sizeof *f.seen);
    status = fuse(&f, err);
  }
  gj_arena_fini(&scratch);
  return status;
}
