// What a kernel takes: memory it writes, memory it reads, the symbols that its sizes are made of,
// and the units of work that a call does.
//
// The values a kernel computes are walked once before its code is made, since params stand before
// everything else in a function. A symbol is taken when any shape or attribute on the way names it;
// that may be one more than the code needs, but never all those of a large graph.
#include "lower/context.h"

static void note_param(gj__lower *l, bool symbol, uint32_t index) {
  if (l->param_count < l->param_capacity)
    l->params[l->param_count++] = (gj__param){.symbol = symbol, .index = index};
}

static void add_buffer(gj__lower *l, uint32_t buffer, bool written) {
  if (buffer == GJ_NO_BUFFER || l->buffers[buffer])
    return;
  const gj_buffer *b = &l->plan->buffers[buffer];
  if (b->kind == GJ_BUFFER_LOCAL)
    return;
  uint8_t flags = written ? 0 : GJ_LOCAL_READONLY;
  if (!b->in_place)
    flags |= GJ_LOCAL_NOALIAS;
  uint32_t param = gj_lfunc_param(l->m, l->f, gj__buffer_name(l, buffer),
                                  gj_ltype_pointer(b->type.dtype), flags);
  l->buffers[buffer] = gj__local(l, param);
  note_param(l, false, buffer);
}

// The working memory of a control kernel: an offset, since it has values of several types.
static void add_place(gj__lower *l, uint32_t buffer) {
  l->base = gj__local(l, gj_lfunc_param(l->m, l->f, "at", gj_ltype_scalar(GJ_DTYPE_i64), 0));
  if (l->param_count < l->param_capacity)
    l->params[l->param_count++] = (gj__param){.place = true, .index = buffer};
}

static void note_read(gj_ref ref, bool in_step, void *context) {
  (void)in_step;
  gj__lower *l = context;
  add_buffer(l, l->plan->home[ref], false);
}

// --- symbols ---

static void need_dim(gj__lower *l, gj_dim d) {
  if (gj_dim_is_const(d))
    return;
  gj_dim_node node = gj_dim_get(l->dims, d);
  if (node.kind == GJ_DIM_SYMBOL)
    l->needed[node.symbol] = l->kernel + 1;
  for (uint32_t i = 0; i < node.operand_count; i++)
    need_dim(l, node.operands[i]);
}

static void need_type(gj__lower *l, const gj_type *type) {
  for (uint8_t i = 0; i < type->rank; i++)
    need_dim(l, type->shape[i]);
}

static void need_value(gj__lower *l, gj_ref ref);

// The sizes that computing `ref` here may ask for.
static void need_parts(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (node->op == GJ_OP_result)
    node = gj_graph_node(l->graph, node->args[0]);
  for (int attr = 0; node->symbolic && attr < GJ_ATTR_COUNT; attr++)
    for (uint8_t i = 0; i < node->attrs->list[attr].count; i++)
      if (gj_attr_get((gj_attr)attr)->form == GJ_FORM_DIMS)
        need_dim(l, node->attrs->list[attr].values[i]);
  for (uint32_t a = 0; a < node->arg_count; a++)
    need_value(l, node->args[a]);
}

// A value that is read from memory is asked for its shape only.
static void need_value(gj__lower *l, gj_ref ref) {
  if (l->sized[ref] == l->kernel + 1)
    return;
  l->sized[ref] = l->kernel + 1;
  need_type(l, &gj_graph_node(l->graph, ref)->type);
  if (l->plan->home[ref] == GJ_NO_BUFFER || l->plan->writer[ref] == l->kernel)
    need_parts(l, ref);
}

static void add_symbols(gj__lower *l, const gj_kernel *kernel) {
  need_type(l, &kernel->domain);
  for (uint32_t i = 0; i < kernel->store_count; i++)
    need_value(l, kernel->stores[i].ref);
  for (uint32_t i = 0; i < kernel->temp_count; i++)
    need_type(l, &l->plan->buffers[kernel->temps[i]].type);
  bool all = gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS); // functions take them all
  for (size_t i = 0; i < gj_dims_symbol_count(l->dims); i++) {
    l->symbols[i] = NULL;
    if (!all && l->needed[i] != l->kernel + 1)
      continue;
    uint32_t param = gj_lfunc_param(l->m, l->f, gj_dims_symbol_name(l->dims, i),
                                    gj_ltype_scalar(GJ_DTYPE_i64), 0);
    l->symbols[i] = gj__local(l, param);
    note_param(l, true, (uint32_t)i);
  }
}

// --- all of them ---

static void add_units(gj__lower *l) {
  gj_ltype i64 = gj_ltype_scalar(GJ_DTYPE_i64);
  l->work.begin = gj__local(l, gj_lfunc_param(l->m, l->f, "begin", i64, 0));
  l->work.end = gj__local(l, gj_lfunc_param(l->m, l->f, "end", i64, 0));
}

bool gj__params_init(gj__lower *l) {
  size_t refs = gj_graph_node_count(l->graph) + 1, symbols = gj_dims_symbol_count(l->dims);
  l->param_capacity = l->plan->buffer_count + symbols;
  l->params = gj_arena_array(&l->scratch, l->param_capacity + 1, sizeof *l->params);
  l->sized = gj_arena_array(&l->scratch, refs, sizeof *l->sized);
  l->needed = gj_arena_array(&l->scratch, symbols + 1, sizeof *l->needed);
  l->buffers = gj_arena_array(&l->scratch, l->plan->buffer_count + 1, sizeof *l->buffers);
  l->symbols = gj_arena_array(&l->scratch, symbols + 1, sizeof *l->symbols);
  return l->params && l->sized && l->needed && l->buffers && l->symbols;
}

void gj__add_params(gj__lower *l, const gj_kernel *kernel) {
  for (size_t i = 0; i < l->param_count; i++) // of the kernel before
    if (!l->params[i].symbol)
      l->buffers[l->params[i].index] = NULL;
  l->param_count = 0;
  for (uint32_t i = 0; i < kernel->store_count; i++)
    add_buffer(l, kernel->stores[i].buffer, true);
  for (uint32_t i = 0; i < kernel->temp_count; i++)
    if (gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS))
      add_place(l, kernel->temps[i]);
    else
      add_buffer(l, kernel->temps[i], true);
  gj__kernel_reads(l->plan, l->kernel, l->seen, note_read, l);
  add_symbols(l, kernel);
  if (l->work.divided)
    add_units(l);
}

void gj__repeat_params(gj__lower *l, const gj_lfunc *other) {
  for (uint32_t i = 0; i < l->param_count; i++) {
    const gj_llocal *as = &other->locals[i];
    uint32_t index = l->params[i].index;
    const gj_lexpr *param = gj__local(l, gj_lfunc_param(l->m, l->f, as->name, as->type, as->flags));
    if (l->params[i].symbol)
      l->symbols[index] = param;
    else
      l->buffers[index] = param;
  }
}

const gj_lexpr *gj__temp(gj__lower *l, uint32_t index) {
  return l->buffers[l->plan->kernels[l->kernel].temps[index]];
}

const gj__param *gj__keep_params(gj__lower *l) {
  gj__param *kept = gj_arena_copy(&l->scratch, l->params, l->param_count * sizeof *kept);
  if (!kept)
    l->out_of_memory = true;
  return kept;
}
