// Plans as text, for `gj passes --after=fuse` and those behind it.
//
//   plan "norm" {
//     b0: input "x" f64[n]
//     b1: output "z" f64[n]
//     b2: scratch f64[], 8 bytes at 0, k0 to k1
//     k0: reduce [n]
//       %3 reduce_sum -> b2
//     k1: elementwise [n], level 1
//       %5 div -> b1
//   }
#include "passes/plan.h"

typedef struct printer {
  const gj_plan *plan;
  const gj_dims *dims;
  gj_strbuf *out;
} printer;

static void print_dim(const printer *p, gj_dim d) { gj_dim_print(p->dims, d, p->out); }

static void print_shape(const printer *p, const gj_type *type) {
  gj_strbuf_char(p->out, '[');
  for (uint8_t i = 0; i < type->rank; i++) {
    gj_strbuf_text(p->out, i ? ", " : "");
    print_dim(p, type->shape[i]);
  }
  gj_strbuf_char(p->out, ']');
}

static void print_place(const printer *p, const gj_buffer *b) {
  if (!p->plan->placed || b->kind != GJ_BUFFER_SCRATCH)
    return;
  gj_strbuf_text(p->out, ", ");
  print_dim(p, b->bytes);
  gj_strbuf_text(p->out, " bytes at ");
  print_dim(p, b->offset);
  gj_strbuf_printf(p->out, ", k%u to k%u%s", b->first, b->last, b->in_place ? ", in place" : "");
}

static void print_buffer(const printer *p, uint32_t index) {
  static const char *const kinds[] = {[GJ_BUFFER_INPUT] = "input",
                                      [GJ_BUFFER_OUTPUT] = "output",
                                      [GJ_BUFFER_SCRATCH] = "scratch",
                                      [GJ_BUFFER_LOCAL] = "local",
                                      [GJ_BUFFER_NONE] = "elsewhere"};
  const gj_buffer *b = &p->plan->buffers[index];
  const gj_graph *graph = p->plan->graph;
  gj_strbuf_printf(p->out, "  b%u: %s ", index, kinds[b->kind]);
  if (b->kind == GJ_BUFFER_INPUT)
    gj_strbuf_printf(p->out, "\"%s\" ",
                     gj_graph_node(graph, gj_graph_input(graph, b->index))->name);
  if (b->kind == GJ_BUFFER_OUTPUT)
    gj_strbuf_printf(p->out, "\"%s\" ",
                     gj_graph_output(graph, b->index - gj_graph_input_count(graph))->name);
  gj_type_print(p->dims, &b->type, p->out);
  gj_strbuf_text(p->out, b->row ? ", a row of it" : "");
  print_place(p, b);
  gj_strbuf_char(p->out, '\n');
}

static void print_store(const printer *p, const gj_kernel *kernel, const gj_store *store) {
  gj_op op = (gj_op)gj_graph_node(p->plan->graph, store->ref)->op;
  gj_strbuf_printf(p->out, "    %%%u %s -> ", store->ref, gj_op_name(op));
  if (store->buffer == GJ_NO_BUFFER)
    gj_strbuf_text(p->out, "registers");
  else
    gj_strbuf_printf(p->out, "b%u%s", store->buffer, store->borrowed ? ", borrowed" : "");
  if (kernel->kind == GJ_KERNEL_ROWS)
    gj_strbuf_printf(p->out, ", stage %u%s", store->stage, store->one ? ", one per row" : "");
  gj_strbuf_char(p->out, '\n');
}

static void print_kernel(const printer *p, uint32_t index) {
  const gj_kernel *kernel = &p->plan->kernels[index];
  gj_strbuf_printf(p->out, "  k%u: %s ", index, gj_kernel_name(kernel->kind));
  print_shape(p, &kernel->domain);
  if (kernel->level)
    gj_strbuf_printf(p->out, ", level %u", kernel->level);
  for (uint32_t i = 0; i < kernel->temp_count; i++)
    gj_strbuf_printf(p->out, "%s b%u", i ? "," : ", works in", kernel->temps[i]);
  gj_strbuf_char(p->out, '\n');
  for (uint32_t i = 0; i < kernel->store_count; i++)
    print_store(p, kernel, &kernel->stores[i]);
}

// What a function has taken of its inputs for its outputs.
static void print_taken(const printer *p) {
  for (size_t i = 0; p->plan->taken && i < gj_graph_output_count(p->plan->graph); i++)
    if (p->plan->taken[i] != GJ_NO_BUFFER)
      gj_strbuf_printf(p->out, "  output %zu lies where input %u does\n", i, p->plan->taken[i]);
}

static void print_one(const gj_plan *plan, gj_strbuf *out) {
  printer p = {plan, gj_graph_dims(plan->graph), out};
  int64_t number = gj_graph_function_number(plan->graph);
  if (number >= 0)
    gj_strbuf_printf(out, "plan @%lld \"%s\" {\n", (long long)number, gj_graph_name(plan->graph));
  else
    gj_strbuf_printf(out, "plan \"%s\" {\n", gj_graph_name(plan->graph));
  for (uint32_t i = 0; i < plan->buffer_count; i++)
    print_buffer(&p, i);
  for (uint32_t k = 0; k < plan->kernel_count; k++)
    print_kernel(&p, k);
  print_taken(&p);
  gj_strbuf_text(out, "}\n");
}

void gj_plan_print(const gj_plan *plan, gj_strbuf *out) {
  for (size_t i = 0; i < gj_graph_function_count(plan->graph); i++)
    print_one(plan->functions[i], out);
  print_one(plan, out);
}
