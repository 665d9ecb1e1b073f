// Working memory of kernels: which temporary arrays the kernel of an op needs.
//
// They lie in the arena of the run, like intermediate values, so that kernels need no memory of
// their own and generated code never allocates. A rule per kind of op says dtypes and sizes; what
// is small and per thread had better be an array on the stack.
#include "passes/plan.h"

typedef uint32_t temps_fn(const gj_graph *graph, const gj_node *node, gj_temp out[GJ_MAX_TEMPS]);

static temps_fn *const rules[GJ_OP_KIND_COUNT] = {
    NULL,
};

uint32_t gj__temps_of(const gj_graph *graph, gj_ref ref, gj_temp out[GJ_MAX_TEMPS]) {
  const gj_node *node = gj_graph_node(graph, ref);
  temps_fn *rule = rules[gj_op_get((gj_op)node->op)->kind];
  return rule ? rule(graph, node, out) : 0;
}
