// Kernels that call a C function: the custom_call op.
//
// The function gets the addresses of its operands and of its result, and all their sizes. Loop IR
// has a function that stands for it, one per kernel, as functions stand before those that call
// them; equal ones become one (loops/dedupe.c).
#include "base/exec.h"
#include "lower/context.h"

#include <stdio.h>

// The function that the kernel calls.
void gj__prepare_custom(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  char name[24];
  snprintf(name, sizeof name, "c%u", (unsigned)l->kernel);
  gj_lfunc *f = gj_lfunc_new(l->m, name, gj_ltype_scalar(GJ_DTYPE_i32), false);
  uint32_t sizes = node->type.rank;
  for (uint32_t a = 0; a < node->arg_count; a++) {
    const gj_type *type = &gj_graph_node(l->graph, node->args[a])->type;
    gj_lfunc_param(l->m, f, "x", gj_ltype_pointer(type->dtype), GJ_LOCAL_READONLY);
    sizes += type->rank;
  }
  gj_lfunc_param(l->m, f, "z", gj_ltype_pointer(node->type.dtype), 0);
  for (uint32_t i = 0; i < sizes; i++)
    gj_lfunc_param(l->m, f, "size", gj_ltype_scalar(GJ_DTYPE_i64), 0);
  f->external = gj_arena_strdup(&l->m->arena, node->name);
  l->out_of_memory = l->out_of_memory || !f->external;
  l->external = f;
}

// Constants of several elements are handed over where they are, others are stored before.
static const gj_lexpr *operand(gj__lower *l, gj_ref ref) {
  uint32_t home = l->plan->home[ref];
  return home == GJ_NO_BUFFER ? gj__constant(l, ref) : l->buffers[home];
}

static uint32_t put_sizes(gj__lower *l, const gj_type *type, const gj_lexpr **args) {
  for (uint8_t i = 0; i < type->rank; i++)
    args[i] = gj__dim(l, type->shape[i]);
  return type->rank;
}

void gj__lower_custom(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  const gj_lfunc *callee = l->external;
  const gj_lexpr **args = gj_arena_array(&l->scratch, callee->param_count + 1, sizeof *args);
  if (!args) {
    l->out_of_memory = true;
    return;
  }
  gj__enter(l, &l->f->body);
  uint32_t count = 0;
  for (uint32_t a = 0; a < node->arg_count; a++)
    args[count++] = operand(l, node->args[a]);
  args[count++] = l->buffers[kernel->stores[0].buffer];
  for (uint32_t a = 0; a < node->arg_count; a++)
    count += put_sizes(l, &gj_graph_node(l->graph, node->args[a])->type, args + count);
  count += put_sizes(l, &node->type, args + count);
  gj_scalar ok = {.dtype = GJ_DTYPE_i32}, refused = {.dtype = GJ_DTYPE_i32};
  refused.v.i = GJ_RUN_REFUSED;
  const gj_lexpr *status = gj__let(l, "status", gj_lx_call(l->m, callee, args, count));
  gj_lstmt *stop =
      gj_ls_if(l->m, l->f, l->block, gj_lx_binary(l->m, GJ_OP_ne, status, gj_lx_const(l->m, ok)));
  gj_ls_return(l->m, l->f, &stop->body, gj_lx_const(l->m, refused));
}
