// The frame of lowering: kernels one by one, then the entry function that calls them.
//
// A kernel becomes a function of the memory it touches and the symbols it needs (params.c).
// Pointers to memory that is written are unaliased by construction, except where the memory plan
// works in place. The entry gives each kernel its buffers, either the caller's or places in the
// run's arena.
#include "base/exec.h"
#include "lower/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kernel_rule {
  gj__kernel_fn *divide, *lower, *part, *prepare;
} rules[GJ_KERNEL_COUNT] = {
#define GJ_KERNEL(NAME, ...) [GJ_KERNEL_##NAME] =
#define GJ_KERNEL_LOWER(divide, lower, part, prepare)                                              \
  {gj__divide_##divide, gj__lower_##lower, gj__lower_##part, gj__prepare_##prepare},
#include "passes/kernels.def"
};

void gj__divide_none(gj__lower *l, const gj_kernel *kernel) { (void)l, (void)kernel; }
void gj__lower_none(gj__lower *l, const gj_kernel *kernel) { (void)l, (void)kernel; }
void gj__prepare_none(gj__lower *l, const gj_kernel *kernel) { (void)l, (void)kernel; }

// --- one kernel ---

const char *gj__buffer_name(const gj__lower *l, uint32_t buffer) {
  const gj_buffer *b = &l->plan->buffers[buffer];
  size_t inputs = gj_graph_input_count(l->graph);
  if (b->kind == GJ_BUFFER_INPUT)
    return gj_graph_node(l->graph, gj_graph_input(l->graph, b->index))->name;
  return b->kind == GJ_BUFFER_OUTPUT ? gj_graph_output(l->graph, b->index - inputs)->name : "t";
}

static const char *keep_text(gj__lower *l, gj_strbuf *text) {
  const char *kept = gj_arena_strdup(&l->m->arena, gj_strbuf_peek(text));
  if (text->failed || !kept)
    l->out_of_memory = true;
  gj_strbuf_fini(text);
  return kept ? kept : "";
}

enum { NOTED_OPS = 40 };

void gj__note_computed(gj__lower *l, gj_ref ref) {
  if (l->computed[ref] == l->kernel + 1)
    return;
  l->computed[ref] = l->kernel + 1;
  l->ops[l->op_count++] = ref;
}

static int by_ref(const void *a, const void *b) {
  gj_ref x = *(const gj_ref *)a, y = *(const gj_ref *)b;
  return (x > y) - (x < y);
}

static void append_word(gj_strbuf *text, const char *word) {
  gj_strbuf_text(text, word);
  gj_strbuf_char(text, ' ');
}

// The functions that a control op runs: "@0 @1 ", and whether that is without calls.
static void append_functions(gj__lower *l, const gj_node *node, gj_strbuf *text) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  for (size_t i = 0; i < list->count; i++)
    gj_strbuf_printf(text, "@%lld ", (long long)list->values[i]);
  if (gj__runs_in_registers(l->graph, node))
    gj_strbuf_text(text, "in registers ");
}

// "mul mul add sqrt -> z"
static const char *describe(gj__lower *l, const gj_kernel *kernel) {
  gj_strbuf text;
  gj_strbuf_init(&text);
  bool asks = gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_ASKS);
  for (uint32_t i = 0; i < kernel->store_count && !asks; i++) // assembled by the kernel itself
    gj__note_computed(l, kernel->owner ? kernel->owner : kernel->stores[i].ref);
  qsort(l->ops, l->op_count, sizeof *l->ops, by_ref);
  for (size_t i = 0; i < l->op_count && i < NOTED_OPS; i++)
    append_word(&text, gj_op_name((gj_op)gj_graph_node(l->graph, l->ops[i])->op));
  if (l->op_count > NOTED_OPS)
    gj_strbuf_printf(&text, "and %zu more ", l->op_count - NOTED_OPS);
  if (l->op_count == 0)
    gj_strbuf_text(&text, "copy ");
  if (gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS))
    append_functions(l, gj_graph_node(l->graph, kernel->owner), &text);
  gj_strbuf_text(&text, "->");
  const char *between = "";
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    const gj_store *store = &kernel->stores[i];
    if (!gj__store_lasts(l->plan, store))
      continue;
    gj_strbuf_printf(&text, "%s %s", between, gj__buffer_name(l, store->buffer));
    between = ",";
  }
  return keep_text(l, &text);
}

static const char *shape_text(gj__lower *l, const gj_type *type) {
  gj_strbuf text;
  gj_strbuf_init(&text);
  gj_strbuf_char(&text, '[');
  for (uint8_t i = 0; i < type->rank; i++) {
    if (i)
      gj_strbuf_text(&text, ", ");
    gj_dim_print(l->dims, type->shape[i], &text);
  }
  gj_strbuf_char(&text, ']');
  return keep_text(l, &text);
}

static void begin_function(gj__lower *l, const char *suffix) {
  char name[40], prefix[16] = "";
  if (l->function >= 0)
    snprintf(prefix, sizeof prefix, "f%u_", (unsigned)l->function);
  snprintf(name, sizeof name, "%sk%u%s", prefix, (unsigned)l->kernel, suffix);
  l->f = gj_lfunc_new(l->m, name, gj_ltype_scalar(GJ_DTYPE_i32), false);
}

static void end_function(gj__lower *l) {
  gj_scalar ok = {.dtype = GJ_DTYPE_i32, .v.i = GJ_OK};
  gj_ls_return(l->m, l->f, &l->f->body, gj_lx_const(l->m, ok));
}

static void lower_kernel(gj__lower *l, gj_lowered_kernel *out) {
  const gj_kernel *kernel = &l->plan->kernels[l->kernel];
  const struct kernel_rule *rule = &rules[kernel->kind];
  l->op_count = 0;
  gj__work_begin(l);
  if (l->piece_ns)
    rule->divide(l, kernel);
  gj__work_settle(l);
  rule->prepare(l, kernel);
  begin_function(l, l->work.split ? "_part" : "");
  gj__add_params(l, kernel);
  if (l->work.split) {
    rule->part(l, kernel);
    end_function(l);
    l->work.part = l->f;
    begin_function(l, "");
    gj__repeat_params(l, l->work.part);
  }
  rule->lower(l, kernel);
  end_function(l);
  out->name = l->f->name;
  out->func = l->f->index;
  out->part = l->work.split ? l->work.part->index : out->func;
  out->kind = gj_kernel_name(kernel->kind);
  out->what = describe(l, kernel);
  out->shape = shape_text(l, &kernel->domain);
  l->f->note = out->what;
}

// --- the entry, or what a function of the graph becomes ---

static const gj_lexpr *place_of(gj__lower *l, uint32_t buffer) {
  const gj_lexpr *offset = gj__dim(l, l->plan->buffers[buffer].offset);
  return l->function >= 0 ? gj__add(l, l->base, offset) : offset;
}

static const gj_lexpr *entry_buffer(gj__lower *l, uint32_t buffer) {
  const gj_buffer *b = &l->plan->buffers[buffer];
  if (b->kind == GJ_BUFFER_SCRATCH)
    return gj_lx_scratch(l->m, place_of(l, buffer), b->type.dtype);
  if (l->function >= 0)
    return l->ports[b->index];
  return gj_lx_buffer(l->m, b->index, b->type.dtype);
}

// A kernel that has been made, for the entry.
typedef struct made {
  const gj_lfunc *func;
  const gj__param *params; // what its params stand for
  gj__work work;
} made;

static const gj_lexpr *call_kernel(gj__lower *l, uint32_t k, const made *kernel,
                                   const gj_lexpr **args) {
  const gj_lfunc *callee = kernel->func;
  uint32_t count = callee->param_count - (kernel->work.divided ? 2 : 0);
  for (uint32_t i = 0; i < count; i++) {
    gj__param param = kernel->params[i];
    args[i] = param.symbol  ? l->symbols[param.index]
              : param.place ? place_of(l, param.index)
                            : entry_buffer(l, param.index);
  }
  if (!kernel->work.divided)
    return gj_lx_call(l->m, callee, args, count);
  const gj_lexpr *units = gj__work_units(l, &kernel->work);
  if (units->kind != GJ_LX_CONST)
    units = gj__let(l, "units", units);
  const gj_lexpr *grain = gj__work_grain(l, &kernel->work, &l->plan->kernels[k].domain, units);
  return gj_lx_parallel(l->m, callee, args, count, gj__i64(l, 0), units, grain);
}

static void begin_entry(gj__lower *l) {
  l->f = gj_lfunc_new(l->m, "main", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj__enter(l, &l->f->body);
  for (size_t i = 0; i < gj_dims_symbol_count(l->dims); i++)
    l->symbols[i] = gj__let(l, gj_dims_symbol_name(l->dims, i), gj_lx_dim(l->m, (uint32_t)i));
}

static const gj_lexpr *add_port(gj__lower *l, const char *name, gj_dtype dtype, uint8_t flags) {
  return gj__local(l, gj_lfunc_param(l->m, l->f, name, gj_ltype_pointer(dtype), flags));
}

// Outputs, inputs, where it may work, symbols. Callers may give it one value twice.
static void begin_callee(gj__lower *l) {
  size_t inputs = gj_graph_input_count(l->graph), outputs = gj_graph_output_count(l->graph);
  gj_ltype i64 = gj_ltype_scalar(GJ_DTYPE_i64);
  char name[16];
  snprintf(name, sizeof name, "f%u", (unsigned)l->function);
  l->f = gj_lfunc_new(l->m, name, gj_ltype_scalar(GJ_DTYPE_i32), false);
  l->ports = gj_arena_array(&l->scratch, inputs + outputs + 1, sizeof *l->ports);
  if (!l->ports) {
    l->out_of_memory = true;
    return;
  }
  for (size_t i = 0; i < outputs; i++)
    l->ports[inputs + i] = add_port(l, gj_graph_output(l->graph, i)->name,
                                    gj_graph_output_type(l->graph, i)->dtype, 0);
  for (size_t i = 0; i < inputs; i++) {
    const gj_node *input = gj_graph_node(l->graph, gj_graph_input(l->graph, i));
    l->ports[i] = add_port(l, input->name, input->type.dtype, GJ_LOCAL_READONLY);
  }
  l->base = gj__local(l, gj_lfunc_param(l->m, l->f, "at", i64, 0));
  for (size_t i = 0; i < gj_dims_symbol_count(l->dims); i++)
    l->symbols[i] =
        gj__local(l, gj_lfunc_param(l->m, l->f, gj_dims_symbol_name(l->dims, i), i64, 0));
  l->f->note = gj_arena_strdup(&l->m->arena, gj_graph_name(l->graph));
  gj__enter(l, &l->f->body);
}

// Takes the size that a compress has just counted, for the kernels behind it and for the caller.
static void take_size(gj__lower *l, gj_lblock *into, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  int symbol = gj_dim_as_symbol(l->dims, node->type.shape[0]);
  const gj_lexpr *counts = gj_lx_scratch(l->m, place_of(l, kernel->temps[0]), GJ_DTYPE_i64);
  const gj_lexpr *size = l->symbols[symbol];
  gj_ls_set(l->m, l->f, into, size->index, gj_lx_load(l->m, counts, gj__i64(l, 0), 1));
  gj_ls_dim(l->m, l->f, into, (uint32_t)symbol, size);
}

static void lower_entry(gj__lower *l, const made *kernels) {
  gj_scalar ok = {.dtype = GJ_DTYPE_i32, .v.i = GJ_OK};
  const gj_lexpr *zero = gj_lx_const(l->m, ok);
  size_t symbols = gj_dims_symbol_count(l->dims);
  const gj_lexpr **args = gj_arena_array(&l->scratch, l->param_capacity + 1, sizeof *args);
  if (!args) {
    l->out_of_memory = true;
    return;
  }
  if (l->function >= 0)
    begin_callee(l);
  else
    begin_entry(l);
  const gj_lexpr *wanted =
      l->by_kernel && l->function < 0 ? gj_lx_dim(l->m, (uint32_t)symbols) : NULL;
  for (uint32_t k = 0; k < l->plan->kernel_count; k++) {
    gj_lblock *into = &l->f->body;
    if (wanted)
      into = &gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_eq, wanted, gj__i64(l, k)))->body;
    gj__enter(l, into);
    const gj_lexpr *call = call_kernel(l, k, &kernels[k], args);
    gj_kernel_kind kind = l->plan->kernels[k].kind;
    bool may_fail = gj_kernel_has(kind, GJ_KERNEL_HAS_FAILS);
    if (!l->poll && !kernels[k].work.divided && !may_fail) { // there is nothing to ask
      gj_ls_do(l->m, l->f, into, call);
    } else {
      const gj_lexpr *status = gj__let(l, "status", call);
      gj_lstmt *stop = gj_ls_if(l->m, l->f, into, gj_lx_binary(l->m, GJ_OP_ne, status, zero));
      gj_ls_return(l->m, l->f, &stop->body, status);
    }
    if (gj_kernel_has(kind, GJ_KERNEL_HAS_SIZES))
      take_size(l, into, &l->plan->kernels[k]);
  }
  if (l->m->ends_early && l->function < 0) { // what has ended early is no result
    gj_scalar cancelled = {.dtype = GJ_DTYPE_i32, .v.i = GJ_RUN_CANCELLED};
    gj_lstmt *stop = gj_ls_if(l->m, l->f, &l->f->body, gj_lx_cancelled(l->m));
    gj_ls_return(l->m, l->f, &stop->body, gj_lx_const(l->m, cancelled));
  }
  gj_ls_return(l->m, l->f, &l->f->body, zero);
}

// --- the module ---

static bool allocate(gj__lower *l) {
  size_t refs = gj_graph_node_count(l->graph) + 1;
  l->derived_capacity = 64;
  l->seen = gj_arena_array(&l->scratch, refs, sizeof *l->seen);
  l->costed = gj_arena_array(&l->scratch, refs, sizeof *l->costed);
  l->flat = gj_arena_array(&l->scratch, refs, sizeof *l->flat);
  l->crossed = gj_arena_array(&l->scratch, refs, sizeof *l->crossed);
  l->data = gj_arena_array(&l->scratch, refs, sizeof *l->data);
  l->computed = gj_arena_array(&l->scratch, refs, sizeof *l->computed);
  l->ops = gj_arena_array(&l->scratch, refs, sizeof *l->ops);
  l->derived = gj_arena_array(&l->scratch, l->derived_capacity, sizeof *l->derived);
  l->numbers = gj_arena_array(&l->scratch, refs, sizeof *l->numbers);
  l->kept = gj_arena_array(&l->scratch, refs, sizeof *l->kept);
  l->asked = gj_arena_array(&l->scratch, refs, sizeof *l->asked);
  l->origin = gj_arena_alloc(&l->scratch, sizeof *l->origin);
  if (!gj__params_init(l) || !l->seen || !l->costed || !l->flat || !l->crossed || !l->data ||
      !l->computed || !l->ops || !l->derived || !l->numbers || !l->kept || !l->asked || !l->origin)
    return false;
  *l->origin = (gj__index){.flat = true};
  l->origin->at[0] = gj__i64(l, 0);
  return true;
}

static void lower_all(gj__lower *l, gj_lowered *out) {
  uint32_t count = l->plan->kernel_count;
  made *kernels = gj_arena_array(&l->scratch, count + 1, sizeof *kernels);
  out->kernels = gj_arena_array(&l->m->arena, count + 1, sizeof *out->kernels);
  if (!kernels || !out->kernels || !allocate(l)) {
    l->out_of_memory = true;
    return;
  }
  out->kernel_count = count;
  for (l->kernel = 0; l->kernel < count && !l->out_of_memory && l->m->failed == GJ_OK;
       l->kernel++) {
    lower_kernel(l, &out->kernels[l->kernel]);
    kernels[l->kernel] = (made){l->f, gj__keep_params(l), l->work};
  }
  if (!l->out_of_memory && l->m->failed == GJ_OK)
    lower_entry(l, kernels);
}

static void note_calls(const gj_graph *graph, uint8_t *called) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_node *node = gj_graph_node(graph, ref);
    const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
    if (list->count == 0 || gj__runs_in_registers(graph, node))
      continue;
    for (size_t i = 0; i < list->count; i++)
      called[list->values[i]] = 1;
  }
}

// Each function of the graph that is called becomes one of the module; callees stand before
// callers.
static void lower_functions(gj__lower *l, gj_lowered *out) {
  size_t count = gj_graph_function_count(l->graph);
  l->functions = gj_arena_array(&l->scratch, count + 1, sizeof *l->functions);
  uint8_t *called = gj_arena_array(&l->scratch, count + 1, 1);
  out->functions = gj_arena_array(&l->m->arena, count + 1, sizeof *out->functions);
  if (!l->functions || !called || !out->functions) {
    l->out_of_memory = true;
    return;
  }
  out->function_count = (uint32_t)count;
  memset(called, 0, count + 1);
  note_calls(l->graph, called);
  for (size_t i = count; i-- > 0;)
    if (called[i])
      note_calls(gj_graph_function(l->graph, i), called);
  for (size_t i = 0; i < count && !l->out_of_memory && l->m->failed == GJ_OK; i++) {
    const char *title = gj_graph_name(gj_graph_function(l->graph, i));
    out->functions[i] =
        (gj_lowered_function){.title = gj_arena_strdup(&l->m->arena, title), .called = called[i]};
    l->out_of_memory = !out->functions[i].title;
    if (!called[i])
      continue;
    gj__lower own = *l;
    gj_lowered kernels = {0};
    own.plan = l->plan->functions[i];
    own.graph = own.plan->graph;
    own.function = (int64_t)i;
    gj_arena_init(&own.scratch, 1 << 14);
    lower_all(&own, &kernels);
    out->functions[i].kernel_count = kernels.kernel_count;
    out->functions[i].kernels = kernels.kernels;
    gj_arena_fini(&own.scratch);
    l->functions[i] = own.f;
    l->out_of_memory = own.out_of_memory;
  }
}

gj_status gj_lower(const gj_plan *plan, const gj_lower_options *options, gj_lowered *out_lowered,
                   gj_error *err) {
  *out_lowered = (gj_lowered){0};
  gj_lmodule *module = gj_lmodule_new(gj_graph_name(plan->graph));
  if (!module)
    return gj_fail(err, GJ_E_MEMORY, "lower: out of memory");
  gj__lower l = {.plan = plan,
                 .graph = plan->graph,
                 .dims = gj_graph_dims(plan->graph),
                 .m = module,
                 .function = -1,
                 .poll = options->poll,
                 .by_kernel = options->by_kernel,
                 .piece_ns = options->piece_ns,
                 .narrow = options->narrow ? options->narrow : 1,
                 .stream_bytes = options->stream_bytes,
                 .vector_bytes = options->vector_bytes,
                 .cheap_masks = options->cheap_masks,
                 .fma = options->fma,
                 .reassociate = options->reassociate};
  gj_arena_init(&l.scratch, 1 << 16);
  out_lowered->module = module;
  lower_functions(&l, out_lowered);
  if (!l.out_of_memory && module->failed == GJ_OK)
    lower_all(&l, out_lowered);
  if (options->written && !l.out_of_memory && module->failed == GJ_OK)
    l.out_of_memory = !gj__lower_sizes(module, options->written, gj_graph_dims(plan->graph),
                                       plan->scratch_bytes, out_lowered);
  gj_status status = GJ_OK;
  if (l.out_of_memory)
    status = gj_fail(err, GJ_E_MEMORY, "lower: out of memory for graph \"%s\"",
                     gj_graph_name(plan->graph));
  else if (module->failed != GJ_OK)
    status = gj_fail(err, module->failed, "lower: %s", module->error.message);
#ifndef NDEBUG
  else
    status = gj_lmodule_verify(module, err);
#endif
  gj_arena_fini(&l.scratch);
  if (status != GJ_OK) {
    gj_lmodule_free(module);
    *out_lowered = (gj_lowered){0};
  }
  return status;
}
