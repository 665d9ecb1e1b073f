// Plans: lifecycle, and the walks over what a kernel reads and computes.
#include "passes/plan.h"

#include <stdlib.h>

// kernels.def names traits without their prefix.
enum {
  STEP = GJ_KERNEL_HAS_STEP,
  REUSES = GJ_KERNEL_HAS_REUSES,
  UPDATES = GJ_KERNEL_HAS_UPDATES,
  FEW = GJ_KERNEL_HAS_FEW,
  ASKS = GJ_KERNEL_HAS_ASKS,
  FAILS = GJ_KERNEL_HAS_FAILS,
  CALLS = GJ_KERNEL_HAS_CALLS,
  SIZES = GJ_KERNEL_HAS_SIZES
};

static const struct kernel_row {
  const char *name;
  uint8_t traits;
} rows[GJ_KERNEL_COUNT] = {
#define GJ_KERNEL(NAME, name, traits, doc) [GJ_KERNEL_##NAME] = {#name, traits},
#include "passes/kernels.def"
};

const char *gj_kernel_name(gj_kernel_kind kind) { return rows[kind].name; }

bool gj_kernel_has(gj_kernel_kind kind, unsigned trait) { return (rows[kind].traits & trait) != 0; }

static gj__plan_fn *const passes[GJ_PASS_COUNT] = {
#define GJ_PLAN_PASS(name, ...) [GJ_PASS_##name] = gj__plan_##name,
#include "passes/passes.def"
};

// The plans of `functions`, which those before have, are there already.
static gj_status plan_one(const gj_graph *graph, gj_pass_id until, gj_plan **functions,
                          gj_plan **out_plan, gj_error *err) {
  gj_plan *plan = calloc(1, sizeof *plan);
  if (!plan)
    return gj_fail(err, GJ_E_MEMORY, "plan: out of memory");
  gj_arena_init(&plan->arena, 1 << 14);
  plan->graph = graph;
  plan->functions = functions;
  *out_plan = plan;
  for (gj_pass_id id = GJ_PASS_NONE + 1; id < GJ_PASS_COUNT; id++)
    if (passes[id] && gj_pass_runs(id, until))
      GJ_TRY(passes[id](plan, err));
  return GJ_OK;
}

static void free_one(gj_plan *plan) {
  if (plan)
    gj_arena_fini(&plan->arena);
  free(plan);
}

static void free_functions(gj_plan **functions, size_t count) {
  for (size_t i = 0; functions && i < count; i++)
    free_one(functions[i]);
  free(functions);
}

gj_status gj_plan_until(const gj_graph *graph, gj_pass_id until, gj_plan **out_plan,
                        gj_error *err) {
  size_t count = gj_graph_function_count(graph);
  gj_plan *plan = NULL, **functions = calloc(count + 1, sizeof(gj_plan *));
  *out_plan = NULL;
  gj_status status =
      functions ? GJ_OK : gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %zu functions", count);
  for (size_t i = 0; i < count && status == GJ_OK; i++)
    status = plan_one(gj_graph_function(graph, i), GJ_PASS_NONE, functions, &functions[i], err);
  if (status == GJ_OK)
    status = plan_one(graph, until, functions, &plan, err);
  if (status == GJ_OK) {
    *out_plan = plan;
    return GJ_OK;
  }
  free_functions(functions, count);
  free_one(plan);
  return status;
}

gj_status gj_plan_new(const gj_graph *graph, gj_plan **out_plan, gj_error *err) {
  return gj_plan_until(graph, GJ_PASS_NONE, out_plan, err);
}

void gj_plan_free(gj_plan *plan) {
  if (!plan)
    return;
  free_functions(plan->functions, gj_graph_function_count(plan->graph));
  free_one(plan);
}

bool gj__is_in_place(const gj_plan *plan, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(plan->graph, kernel->owner);
  uint32_t from = plan->home[node->args[0]], to = kernel->stores[0].buffer;
  if (from == GJ_NO_BUFFER || from == to)
    return from == to;
  const gj_buffer *a = &plan->buffers[from], *b = &plan->buffers[to];
  return a->kind == GJ_BUFFER_SCRATCH && b->kind == GJ_BUFFER_SCRATCH && a->offset == b->offset;
}

typedef struct walk {
  const gj_plan *plan;
  uint32_t kernel;
  uint32_t *seen;
  gj_read_visit *reads, *computes; // the second may be NULL
  void *context;
} walk;

static void walk_args(walk *w, gj_ref ref, bool in_step);

// seen[ref] is 2·kernel + 1 after a visit in step and 2·kernel + 2 after one that was not.
static void walk_value(walk *w, gj_ref ref, bool in_step) {
  uint32_t mark = 2 * w->kernel + (in_step ? 1 : 2);
  if (w->seen[ref] == mark || w->seen[ref] == 2 * w->kernel + 2)
    return;
  w->seen[ref] = mark;
  bool read = w->plan->home[ref] != GJ_NO_BUFFER && w->plan->writer[ref] != w->kernel;
  if (read) {
    w->reads(ref, in_step, w->context);
    return;
  }
  if (w->computes)
    w->computes(ref, in_step, w->context);
  walk_args(w, ref, in_step);
}

static void walk_args(walk *w, gj_ref ref, bool in_step) {
  const gj_graph *graph = w->plan->graph;
  const gj_node *node = gj_graph_node(graph, ref);
  if (node->op == GJ_OP_result) {
    ref = node->args[0];
    node = gj_graph_node(graph, ref);
    if (w->computes)
      w->computes(ref, in_step, w->context);
  }
  for (uint32_t a = 0; a < node->arg_count; a++)
    walk_value(w, node->args[a], in_step && gj__reads_in_step(graph, ref, a));
}

void gj__kernel_walk(const gj_plan *plan, uint32_t index, uint32_t *seen, gj_read_visit *reads,
                     gj_read_visit *computes, void *context) {
  walk w = {plan, index, seen, reads, computes, context};
  const gj_kernel *kernel = &plan->kernels[index];
  for (uint32_t i = 0; i < kernel->store_count; i++)
    walk_value(&w, kernel->stores[i].ref, gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_STEP));
}

void gj__kernel_reads(const gj_plan *plan, uint32_t index, uint32_t *seen, gj_read_visit *visit,
                      void *context) {
  gj__kernel_walk(plan, index, seen, visit, NULL, context);
}
