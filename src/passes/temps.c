// Working memory of kernels: which temporary arrays the kernel of an op needs.
//
// They lie in the arena of the run, like intermediate values, so that kernels need no memory of
// their own and generated code never allocates. A rule per kind of kernel says dtypes and sizes;
// what is small and per thread had better be an array on the stack.
#include "passes/plan.h"

typedef uint32_t temps_fn(const gj_plan *plan, const gj_kernel *kernel, gj_temp out[GJ_MAX_TEMPS]);

gj_dtype gj__sort_key_dtype(const gj_graph *graph, const gj_node *node) {
  static const gj_dtype of_bytes[] = {
      [1] = GJ_DTYPE_u8, [2] = GJ_DTYPE_u16, [4] = GJ_DTYPE_u32, [8] = GJ_DTYPE_u64};
  int64_t keys = node->op == GJ_OP_sort ? gj_node_int(node, GJ_ATTR_keys) : 1;
  size_t widest = 1;
  for (int64_t k = 0; k < keys; k++) {
    size_t bytes = gj_dtype_bytes(gj_graph_node(graph, node->args[k])->type.dtype);
    widest = bytes > widest ? bytes : widest;
  }
  return of_bytes[widest];
}

gj_dtype gj__sort_position_dtype(const gj_graph *graph, const gj_node *node) {
  if (node->arg_count == 1)
    return GJ_DTYPE_none;
  gj_dim size = gj_graph_node(graph, node->args[0])->type.shape[gj_node_int(node, GJ_ATTR_axis)];
  return gj_dim_is_const(size) && size <= UINT32_MAX ? GJ_DTYPE_u32 : GJ_DTYPE_i64;
}

uint32_t gj__result_stored(const gj_graph *graph, const gj_store *store) {
  const gj_node *node = gj_graph_node(graph, store->ref);
  return node->op == GJ_OP_result ? (uint32_t)gj_node_int(node, GJ_ATTR_index) : 0;
}

bool gj__stores_result(const gj_graph *graph, const gj_kernel *kernel, uint32_t result) {
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (result == gj__result_stored(graph, &kernel->stores[i]))
      return true;
  return false;
}

gj_dim gj__library_shares(gj_dims *dims, const gj_library_form *form) {
  return gj_dim_min(dims, gj_type_size(dims, &form->batch), GJ_LIBRARY_SHARES);
}

// The keys of all lines twice, and their positions (lower/kernels/sort/sort.c).
static uint32_t temps_sort(const gj_plan *plan, const gj_kernel *kernel,
                           gj_temp out[GJ_MAX_TEMPS]) {
  const gj_graph *graph = plan->graph;
  const gj_node *node = gj_graph_node(graph, kernel->owner);
  gj_dim size = gj_type_size(gj_graph_dims(graph), &gj_graph_node(graph, node->args[0])->type);
  out[0] = out[1] = (gj_temp){gj__sort_key_dtype(graph, node), size};
  if (node->arg_count == 1)
    return 2;
  out[2] = out[3] = (gj_temp){gj__sort_position_dtype(graph, node), size};
  return 4;
}

// The sum, then a number per block and the sum again (lower/kernels/compress.c).
static uint32_t temps_compress(const gj_plan *plan, const gj_kernel *kernel,
                               gj_temp out[GJ_MAX_TEMPS]) {
  const gj_graph *graph = plan->graph;
  const gj_node *node = gj_graph_node(graph, kernel->owner);
  gj_dims *dims = gj_graph_dims(graph);
  gj_dim size = gj_graph_node(graph, node->args[0])->type.shape[0];
  gj_dim up = gj_dim_add(dims, size, GJ_COMPRESS_BLOCK - 1);
  gj_dim blocks = gj_dim_floordiv(dims, up, GJ_COMPRESS_BLOCK);
  out[0] = (gj_temp){GJ_DTYPE_i64, gj_dim_add(dims, blocks, 2)};
  return 1;
}

// One piece of memory, which control.c divides.
static uint32_t temps_control(const gj_plan *plan, const gj_kernel *kernel,
                              gj_temp out[GJ_MAX_TEMPS]) {
  gj_arena scratch;
  gj_control_places places;
  if (gj__runs_in_registers(plan->graph, gj_graph_node(plan->graph, kernel->owner)))
    return 0;
  gj_arena_init(&scratch, 0);
  gj_status status = gj__control_places(plan, kernel, &scratch, &places, NULL);
  *out = (gj_temp){GJ_DTYPE_u8, status == GJ_OK ? places.bytes : GJ_DIM_ERROR};
  gj_arena_fini(&scratch);
  return 1;
}

// Working memory of each share of the batch, then results that nobody wants
// (lower/kernels/library.c).
static uint32_t temps_library(const gj_plan *plan, const gj_kernel *kernel,
                              gj_temp out[GJ_MAX_TEMPS]) {
  const gj_graph *graph = plan->graph;
  const gj_node *node = gj_graph_node(graph, kernel->owner);
  gj_dims *dims = gj_graph_dims(graph);
  gj_library_form form = gj_library_form_of(graph, node);
  gj_dim shares = gj__library_shares(dims, &form);
  uint32_t count = 0;
  out[count++] = (gj_temp){node->type.dtype, gj_dim_mul(dims, shares, form.work)};
  for (uint32_t i = 0; i < form.result_count; i++) {
    if (gj__stores_result(graph, kernel, i))
      continue;
    gj_type item = form.results[i];
    item.rank = form.result_axes[i];
    for (uint8_t axis = 0; axis < item.rank; axis++)
      item.shape[axis] = form.results[i].shape[form.batch.rank + axis];
    out[count++] = (gj_temp){item.dtype, gj_dim_mul(dims, shares, gj_type_size(dims, &item))};
  }
  return count;
}

static uint32_t temps_none(const gj_plan *plan, const gj_kernel *kernel,
                           gj_temp out[GJ_MAX_TEMPS]) {
  (void)plan, (void)kernel, (void)out;
  return 0;
}

static temps_fn *const rules[GJ_KERNEL_COUNT] = {
#define GJ_KERNEL(NAME, ...) [GJ_KERNEL_##NAME] =
#define GJ_KERNEL_TEMPS(rule) temps_##rule,
#include "passes/kernels.def"
};

uint32_t gj__temps_of(const gj_plan *plan, const gj_kernel *kernel, gj_temp out[GJ_MAX_TEMPS]) {
  return rules[kernel->kind](plan, kernel, out);
}
