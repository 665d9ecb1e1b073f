// The cost model of kernels: nanoseconds for the operations of their ops (GJ_FLOPS of ops/ops.def)
// and for the bytes that they move, from a cache that is not the nearest.
//
// Both rates were measured on one machine with 64-byte vectors. The decision that they serve, how
// much work is worth waking a thread, bears errors of a factor of two.
//
// Left out: divisions and square roots, which count like any operation, vectors of 16 and 32 bytes
// unless the caller says so, what does not depend on the innermost loop and is computed less often,
// and access that is not contiguous. Mostly that makes kernels look cheaper than they are, and work
// is divided later than it could be.
#include "lower/schedule/cost.h"

#include "loops/apply.h"

static const double FLOP_NS = 1.0 / 240; // times the bytes of an element
static const double BYTE_NS = 0.02;

typedef struct estimate {
  const gj_plan *plan;
  uint32_t kernel;
  uint32_t *seen;
  double flop_ns, ns;
} estimate;

static bool is_one_element(const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    if (type->shape[i] != 1)
      return false;
  return true;
}

static void add_memory(estimate *e, const gj_type *type) {
  if (!is_one_element(type))
    e->ns += BYTE_NS * (double)gj_dtype_bytes(type->dtype);
}

// The elements of a value that one of the result is made of, beyond the first axes that both have:
// what is unknown counts as a few.
static double size_of(const gj_dim *shape, uint8_t count) {
  enum { UNKNOWN = 8 };
  double size = 1;
  for (uint8_t i = 0; i < count; i++)
    size *= gj_dim_is_const(shape[i]) ? (double)shape[i] : UNKNOWN;
  return size;
}

// --- operations for an element of the result, see kinds.def: `each` are those of its op ---

static double cost_none(const gj_graph *graph, const gj_node *node, double each) {
  (void)graph, (void)node, (void)each;
  return 0;
}

// What has operands of one element is computed once.
static double cost_each(const gj_graph *graph, const gj_node *node, double each) {
  return is_one_element(&gj_graph_node(graph, node->args[0])->type) ? 0 : each;
}

static double cost_apply(const gj_graph *graph, const gj_node *node, double each) {
  double flops = gj_apply_flops(node->name);
  return cost_each(graph, node, flops > 0 ? flops : each);
}

static double cost_window(const gj_graph *graph, const gj_node *node, double each) {
  (void)graph, (void)each;
  return size_of(node->attrs->list[GJ_ATTR_window].values, node->type.rank);
}

static double cost_dot(const gj_graph *graph, const gj_node *node, double each) {
  (void)graph, (void)node;
  return each;
}

static double cost_conv(const gj_graph *graph, const gj_node *node, double each) {
  const gj_type *kernel = &gj_graph_node(graph, node->args[1])->type;
  return each + 2 * size_of(kernel->shape + 1, (uint8_t)(kernel->rank - 1));
}

static double cost_library(const gj_graph *graph, const gj_node *node, double each) {
  gj_library_form form = gj_library_form_of(graph, node);
  return each * size_of(&form.steps, 1);
}

typedef double cost_fn(const gj_graph *graph, const gj_node *node, double each);

static cost_fn *const rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_COST(rule) cost_##rule,
#include "ops/kinds.def"
};

// Adds `ref` and what it is computed from; the operands of a result are those of its op.
static void add_value(estimate *e, gj_ref ref) {
  if (e->seen[ref] == e->kernel + 1)
    return;
  e->seen[ref] = e->kernel + 1;
  const gj_node *node = gj_graph_node(e->plan->graph, ref);
  if (e->plan->home[ref] != GJ_NO_BUFFER && e->plan->writer[ref] != e->kernel) {
    add_memory(e, &node->type);
    return;
  }
  const gj_op_info *op = gj_op_get((gj_op)node->op);
  size_t bytes = gj_dtype_bytes(node->type.dtype);
  int flops = bytes > 4 ? op->wide_flops : op->narrow_flops;
  e->ns += e->flop_ns * (double)bytes * rules[op->kind](e->plan->graph, node, flops ? flops : 1);
  if (gj_op_has((gj_op)node->op, GJ_TRAIT_CONTRACTS)) // what it reads is used many times
    return;
  for (uint32_t a = 0; a < node->arg_count; a++)
    add_value(e, node->args[a]);
}

double gj__kernel_cost(const gj_plan *plan, uint32_t index, unsigned narrow, uint32_t *seen) {
  const gj_kernel *kernel = &plan->kernels[index];
  estimate e = {.plan = plan, .kernel = index, .seen = seen, .flop_ns = FLOP_NS * narrow};
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    bool many = !gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_FEW) && !kernel->stores[i].one;
    if (many && gj__store_lasts(plan, &kernel->stores[i]))
      add_memory(&e, &plan->buffers[kernel->stores[i].buffer].type);
    add_value(&e, kernel->stores[i].ref);
  }
  return e.ns > BYTE_NS ? e.ns : BYTE_NS;
}
