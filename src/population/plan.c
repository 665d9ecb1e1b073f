// See plan.h.
//
// Steps stand in the order of the nodes, which is that of the programs, and each sink right behind
// the last node that it takes. Blocks are numbered while steps are made; how many rows a block has
// is known when all are counted, as a frame must stay within bounds however many values are live at
// a time.
#include "population/plan.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
  LEAST_ROWS = 16,
  GAP = 8, // units between blocks, so that they differ in the bits that caches are addressed by
  MOST_FRAME = 1 << 28
};

#define NO_KERNEL UINT16_MAX

typedef struct planner {
  gj__plan *plan;
  const gj__nodes *nodes;
  const gj__sinks *sinks;
  const gj_block_set *set;
  uint32_t *uses;        // of a node, by steps and sinks that are still to come
  uint32_t *first_sink;  // anchored at a node, + 1
  uint32_t *next_sink;   // at the same node, + 1
  uint32_t *blocks;      // of a node, + 1; 0 where it has none
  uint32_t *free_blocks; // a stack
  size_t free_count, free_capacity;
  uint16_t (*kernels)[GJ_BLOCK_FORMS]; // of an op, where known
} planner;

static bool is_uniform(const planner *p, uint32_t node) {
  return p->nodes->list[node].traits & GJ__UNIFORM;
}
static bool is_truth(const planner *p, uint32_t node) {
  return p->nodes->list[node].traits & GJ__TRUTH;
}

// --- what is needed ---

static void count_uses(planner *p) {
  for (size_t i = p->sinks->starts[0]; i < p->sinks->starts[p->sinks->count]; i++)
    p->uses[p->sinks->nodes[i]]++;
  for (size_t i = p->nodes->count; i-- > 0;) {
    const gj__node *n = &p->nodes->list[i];
    if (p->uses[i])
      for (int a = 0; a < gj__node_arity(p->nodes, n); a++)
        p->uses[n->args[a]]++;
  }
}

static void anchor_sinks(planner *p) {
  for (size_t i = p->sinks->count; i-- > 0;) {
    uint32_t last = 0;
    for (uint32_t k = p->sinks->starts[i]; k < p->sinks->starts[i + 1]; k++)
      if (p->sinks->nodes[k] > last)
        last = p->sinks->nodes[k];
    p->next_sink[i] = p->first_sink[last];
    p->first_sink[last] = (uint32_t)i + 1;
  }
}

// --- blocks ---

static uint32_t take_block(planner *p) {
  return p->free_count ? p->free_blocks[--p->free_count] : (uint32_t)p->plan->block_count++;
}

static bool give_block(planner *p, uint32_t block) {
  uint32_t *grown =
      gj_array_grow(p->free_blocks, &p->free_capacity, p->free_count + 1, sizeof *grown);
  if (!grown)
    return false;
  p->free_blocks = grown;
  p->free_blocks[p->free_count++] = block;
  return true;
}

// One use of a node is over.
static bool used(planner *p, uint32_t node) {
  if (--p->uses[node] > 0 || is_uniform(p, node) || p->nodes->list[node].leaf)
    return true;
  return give_block(p, p->blocks[node] - 1);
}

// --- steps ---

// While planning, a place is a block + 1, or the number of a cell with the highest bit set.
#define CELL ((uint32_t)1 << 31)

static uint32_t place(const planner *p, uint32_t node) {
  return is_uniform(p, node) ? p->plan->places[node] : p->blocks[node];
}

static bool add_step(gj__step **steps, size_t *count, size_t *capacity, gj__step step) {
  gj__step *grown = gj_array_grow(*steps, capacity, *count + 1, sizeof *grown);
  if (!grown)
    return false;
  *steps = grown;
  grown[(*count)++] = step;
  return true;
}

static bool add(planner *p, gj__step step) {
  return add_step(&p->plan->steps, &p->plan->step_count, &p->plan->step_capacity, step);
}

static gj_dtype dtype_of(const planner *p, uint32_t node) {
  return is_truth(p, node) ? GJ_DTYPE_bool : p->plan->dtype;
}

// The number of a kernel among the plan's, or of a function; NO_KERNEL where there is none.
static uint16_t kernel_of(planner *p, const gj__node *n, gj_dtype result, unsigned form) {
  if (gj__op_is_function(n->op))
    return (uint16_t)(GJ__PLAN_FUNCTION + n->op - GJ_OP_COUNT);
  uint16_t *known = &p->kernels[n->op][form];
  if (*known != NO_KERNEL)
    return *known;
  int arity = gj_op_get(n->op)->arity;
  gj_dtype operand = dtype_of(p, n->args[arity - 1]);
  gj_block *kernel = gj_block_find(p->set, (gj_op)n->op, operand, result, form);
  if (kernel) {
    p->plan->kernels[p->plan->kernel_count] = kernel;
    *known = (uint16_t)p->plan->kernel_count++;
  }
  return *known;
}

// A uniform value in every row, in a block of its own.
static bool fill(planner *p, uint32_t node, uint32_t *out_block) {
  *out_block = take_block(p);
  gj__step step = {.kernel = GJ__PLAN_FILL, .d = *out_block + 1, .a = place(p, node)};
  step.b = (uint32_t)gj_dtype_bytes(dtype_of(p, node));
  return add(p, step);
}

static unsigned form_of(const planner *p, const gj__node *n, int arity) {
  unsigned form = GJ_BLOCK_PLAIN;
  for (int i = 0; i < arity; i++)
    if (is_uniform(p, n->args[i]))
      form |= arity == 2 ? (unsigned)i + 1 : (unsigned)i;
  return form;
}

// Whether an operand that is the same in all rows needs a block. Kernels of three operands have no
// form for such a first one, and functions take arrays only.
static bool needs_fill(const planner *p, const gj__node *n, int arity, int i) {
  return is_uniform(p, n->args[i]) && (gj__op_is_function(n->op) || (arity == 3 && i == 0));
}

// A block may be written over only by a value of the same width, and not by a function, whose
// result is none of its operands.
static bool may_overwrite(const planner *p, uint32_t node, int arity) {
  const gj__node *n = &p->nodes->list[node];
  if (gj__op_is_function(n->op))
    return false;
  for (int i = 0; i < arity; i++)
    if (is_truth(p, n->args[i]) != is_truth(p, node))
      return false;
  return true;
}

static bool apply(planner *p, uint32_t node) {
  const gj__node *n = &p->nodes->list[node];
  int arity = gj__node_arity(p->nodes, n);
  uint32_t filled[GJ_MOST_ARGS], places[GJ_MOST_ARGS] = {0};
  size_t fills = 0;
  for (int i = 0; i < arity; i++) {
    places[i] = place(p, n->args[i]);
    if (!needs_fill(p, n, arity, i))
      continue;
    if (!fill(p, n->args[i], &filled[fills]))
      return false;
    places[i] = filled[fills++] + 1;
  }
  bool over = may_overwrite(p, node, arity) && !fills;
  if (!over)
    p->blocks[node] = take_block(p) + 1;
  for (int i = 0; i < arity; i++)
    if (!used(p, n->args[i]))
      return false;
  if (over)
    p->blocks[node] = take_block(p) + 1;
  gj__step step = {.d = p->blocks[node], .a = places[0], .b = places[1], .c = places[2]};
  step.kernel = kernel_of(p, n, dtype_of(p, node), form_of(p, n, arity));
  while (fills > 0)
    if (!give_block(p, filled[--fills]))
      return false;
  return step.kernel != NO_KERNEL && add(p, step);
}

// What is the same in all rows gets a cell, and is computed before the first row.
static bool plan_cell(planner *p, uint32_t node) {
  gj__plan *plan = p->plan;
  const gj__node *n = &p->nodes->list[node];
  plan->places[node] = CELL | (uint32_t)plan->cells++;
  if (n->leaf)
    return true;
  gj__step step = {.d = plan->places[node]};
  uint32_t *places[] = {&step.a, &step.b, &step.c};
  for (int i = 0; i < gj__node_arity(p->nodes, n); i++)
    *places[i] = plan->places[n->args[i]];
  step.kernel = kernel_of(p, n, dtype_of(p, node), GJ_BLOCK_PLAIN);
  return step.kernel != NO_KERNEL &&
         add_step(&plan->once, &plan->once_count, &plan->once_capacity, step);
}

// Behind the last of its values: those that are the same in all rows are spread out for it.
static bool plan_sink(planner *p, uint32_t sink) {
  const uint32_t *starts = p->sinks->starts;
  for (uint32_t k = starts[sink]; k < starts[sink + 1]; k++) {
    uint32_t node = p->sinks->nodes[k], block;
    p->plan->inputs[k] = place(p, node);
    if (is_uniform(p, node)) {
      if (!fill(p, node, &block))
        return false;
      p->plan->inputs[k] = block + 1;
    }
  }
  if (!add(p, (gj__step){.kernel = GJ__PLAN_SINK, .a = sink}))
    return false;
  for (uint32_t k = starts[sink]; k < starts[sink + 1]; k++) {
    uint32_t node = p->sinks->nodes[k];
    if (is_uniform(p, node) ? !give_block(p, p->plan->inputs[k] - 1) : !used(p, node))
      return false;
  }
  return true;
}

static bool plan_nodes(planner *p) {
  for (uint32_t i = 0; i < p->nodes->count; i++) {
    const gj__node *n = &p->nodes->list[i];
    if (!p->uses[i] && !p->first_sink[i])
      continue;
    bool ok = true;
    if (is_uniform(p, i))
      ok = plan_cell(p, i);
    else if (!n->leaf)
      ok = apply(p, i);
    for (uint32_t s = p->first_sink[i]; s && ok; s = p->next_sink[s - 1])
      ok = plan_sink(p, s - 1);
    if (!ok)
      return false;
  }
  return true;
}

// The columns that are read have the first blocks.
static void plan_columns(planner *p) {
  for (uint32_t i = 0; i < p->nodes->count; i++)
    if (p->uses[i] && p->nodes->list[i].leaf == GJ__VARIABLE) {
      p->plan->columns[p->plan->column_count++] = p->nodes->list[i].args[0];
      p->blocks[i] = take_block(p) + 1;
    }
}

// --- places in bytes ---

static uint32_t settled(const gj__plan *plan, uint32_t place) {
  if (place & CELL)
    return place & ~CELL;
  return place ? (uint32_t)(plan->cells + (place - 1) * plan->block_stride) : 0;
}

static bool choose_rows(gj__plan *plan) {
  size_t bytes = gj_dtype_bytes(plan->dtype), rows = GJ__BLOCK_BYTES / bytes;
  for (;; rows /= 2) {
    plan->block_rows = rows;
    plan->block_stride = rows * bytes / 8 + GAP;
    if (gj__plan_frame_bytes(plan) <= MOST_FRAME || rows <= LEAST_ROWS)
      break;
  }
  return plan->cells + plan->block_count * plan->block_stride < CELL;
}

static bool settle(gj__plan *plan, size_t node_count, size_t input_count) {
  plan->cells = (plan->cells + GAP - 1) / GAP * GAP;
  if (!choose_rows(plan))
    return false;
  for (size_t i = 0; i < plan->step_count; i++) {
    gj__step *s = &plan->steps[i];
    s->d = settled(plan, s->d);
    s->a = s->kernel == GJ__PLAN_SINK ? s->a : settled(plan, s->a);
    s->b = s->kernel == GJ__PLAN_FILL ? s->b : settled(plan, s->b);
    s->c = settled(plan, s->c);
  }
  for (size_t i = 0; i < plan->once_count; i++) {
    gj__step *s = &plan->once[i];
    *s = (gj__step){s->kernel, settled(plan, s->d), settled(plan, s->a), settled(plan, s->b),
                    settled(plan, s->c)};
  }
  for (size_t i = 0; i < input_count; i++)
    plan->inputs[i] = settled(plan, plan->inputs[i]);
  for (size_t i = 0; i < node_count; i++)
    plan->places[i] = settled(plan, plan->places[i]);
  return true;
}

static bool allocate(planner *p, size_t nodes, size_t sinks, size_t inputs) {
  gj__plan *plan = p->plan;
  p->uses = calloc(nodes + 1, sizeof *p->uses);
  p->first_sink = calloc(nodes + 1, sizeof *p->first_sink);
  p->blocks = calloc(nodes + 1, sizeof *p->blocks);
  p->next_sink = calloc(sinks + 1, sizeof *p->next_sink);
  p->kernels = malloc(GJ_OP_COUNT * sizeof *p->kernels);
  plan->kernels = calloc(GJ_OP_COUNT * GJ_BLOCK_FORMS, sizeof *plan->kernels);
  plan->places = calloc(nodes + 1, sizeof *plan->places);
  plan->inputs = calloc(inputs + 1, sizeof *plan->inputs);
  plan->columns = calloc(nodes + 1, sizeof *plan->columns);
  if (!p->uses || !p->first_sink || !p->blocks || !p->next_sink || !p->kernels || !plan->kernels ||
      !plan->places || !plan->inputs || !plan->columns)
    return false;
  memset(p->kernels, 0xff, GJ_OP_COUNT * sizeof *p->kernels); // NO_KERNEL
  return true;
}

gj_status gj__plan_make(gj__plan *plan, const gj__nodes *nodes, const gj__sinks *sinks,
                        const gj_block_set *set, gj_dtype dtype, gj_error *err) {
  *plan = (gj__plan){.dtype = dtype, .cells = 1};
  planner p = {.plan = plan, .nodes = nodes, .sinks = sinks, .set = set};
  size_t inputs = sinks->starts[sinks->count];
  bool ok = allocate(&p, nodes->count, sinks->count, inputs);
  if (ok) {
    count_uses(&p);
    anchor_sinks(&p);
    plan_columns(&p);
    ok = plan_nodes(&p) && settle(plan, nodes->count, inputs);
  }
  free(p.uses);
  free(p.first_sink);
  free(p.blocks);
  free(p.next_sink);
  free(p.free_blocks);
  free(p.kernels);
  if (ok)
    return GJ_OK;
  gj__plan_fini(plan);
  return gj_fail(err, GJ_E_MEMORY, "population: no memory for its evaluation");
}

void gj__plan_fini(gj__plan *plan) {
  free(plan->steps);
  free(plan->once);
  free(plan->kernels);
  free(plan->places);
  free(plan->inputs);
  free(plan->columns);
  *plan = (gj__plan){0};
}
