// Plans: lifecycle, and the walk over what a kernel reads.
#include "passes/plan.h"

#include <stdlib.h>

gj_status gj_plan_new(const gj_graph *graph, gj_plan **out_plan, gj_error *err) {
  *out_plan = NULL;
  gj_plan *plan = calloc(1, sizeof *plan);
  if (!plan)
    return gj_fail(err, GJ_E_MEMORY, "plan: out of memory");
  gj_arena_init(&plan->arena, 1 << 14);
  plan->graph = graph;
  gj_status status = gj__plan_fuse(plan, err);
  if (status == GJ_OK)
    status = gj__plan_memory(plan, err);
  if (status != GJ_OK) {
    gj_plan_free(plan);
    return status;
  }
  *out_plan = plan;
  return GJ_OK;
}

void gj_plan_free(gj_plan *plan) {
  if (!plan)
    return;
  gj_arena_fini(&plan->arena);
  free(plan);
}

typedef struct reads {
  const gj_plan *plan;
  uint32_t kernel;
  uint32_t *seen;
  gj_read_visit *visit;
  void *context;
} reads;

static void read_args(reads *r, gj_ref ref, bool in_step);

// seen[ref] is 2·kernel + 1 after a visit in step and 2·kernel + 2 after one that was not.
static void read_value(reads *r, gj_ref ref, bool in_step) {
  uint32_t mark = 2 * r->kernel + (in_step ? 1 : 2);
  if (r->seen[ref] == mark || r->seen[ref] == 2 * r->kernel + 2)
    return;
  r->seen[ref] = mark;
  if (r->plan->home[ref] != GJ_NO_BUFFER && r->plan->writer[ref] != r->kernel)
    r->visit(ref, in_step, r->context);
  else
    read_args(r, ref, in_step);
}

static void read_args(reads *r, gj_ref ref, bool in_step) {
  const gj_graph *graph = r->plan->graph;
  const gj_node *node = gj_graph_node(graph, ref);
  if (node->op == GJ_OP_result) {
    ref = node->args[0];
    node = gj_graph_node(graph, ref);
  }
  for (uint32_t a = 0; a < node->arg_count; a++)
    read_value(r, node->args[a], in_step && gj__reads_in_step(graph, ref, a));
}

void gj__kernel_reads(const gj_plan *plan, uint32_t index, uint32_t *seen, gj_read_visit *visit,
                      void *context) {
  reads r = {plan, index, seen, visit, context};
  const gj_kernel *kernel = &plan->kernels[index];
  for (uint32_t i = 0; i < kernel->store_count; i++)
    read_value(&r, kernel->stores[i].ref, kernel->kind == GJ_KERNEL_ELEMENTWISE);
}
