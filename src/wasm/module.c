// A graph as a WebAssembly module: pipeline, code generation for wasm32, lld.
#include "wasm/module.h"

#include "lower/pipeline.h"
#include "wasm/describe.h"
#include "wasm/link.h"
#include "wasm/weights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The last one only with separate weights.
static const char *const exports[] = {"run", "__heap_base", GJ_REGION_SYMBOL};
enum { EXPORT_COUNT = sizeof exports / sizeof *exports };

// Stack for everything but the partial results of reductions.
enum { STACK_BYTES = 16 * 1024, STACK_LINE = 64 };

// Stack that the arrays of a block take, each in whole lines.
static uint64_t array_bytes(const gj_lfunc *f, const gj_lblock *block) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    total += array_bytes(f, &s->body) + array_bytes(f, &s->orelse);
    if (s->kind != GJ_LS_ARRAY)
      continue;
    uint64_t bytes = (uint64_t)s->count * gj_dtype_bytes((gj_dtype)f->locals[s->local].type.dtype);
    total += (bytes + STACK_LINE - 1) / STACK_LINE * STACK_LINE;
  }
  return total;
}

// A kernel of many reductions has more partial results than any fixed stack. All functions count,
// since LLVM may inline every kernel into the entry.
static gj_status stack_bytes(const gj_lmodule *module, uint32_t *out_bytes, gj_error *err) {
  uint64_t total = STACK_BYTES;
  for (uint32_t i = 0; i < module->func_count; i++)
    total += array_bytes(module->funcs[i], &module->funcs[i]->body);
  if (total > INT32_MAX)
    return gj_fail(err, GJ_E_OVERFLOW,
                   "wasm: the partial results of reductions take %" PRIu64
                   " bytes, and 32 bits address fewer",
                   total);
  *out_bytes = (uint32_t)total;
  return GJ_OK;
}

// Generates code and links it.
static gj_status link_code(const gj_lmodule *code, const gj_wasm_options *options,
                           const gj_target *target, const gj_region *weights,
                           gj_wasm_module *module, gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  uint32_t stack = 0;
  GJ_TRY(stack_bytes(code, &stack, err));
  gj_codegen_options back = {.numerics = options->numerics,
                             .opt_level = options->opt_level,
                             .for_size = true,
                             .weights = *weights,
                             .entry_symbol = exports[0]};
  gj_wasm_link_options link = {.exports = exports,
                               .export_count = weights->size ? EXPORT_COUNT : EXPORT_COUNT - 1,
                               .stack_size = stack};
  GJ_TRY(gj_codegen(code, target, &back, GJ_EMIT_OBJECT, &object, &size, NULL, err));
  gj_status status = gj_wasm_link(object, size, &link, &module->bytes, &module->size, err);
  free(object);
  return status;
}

// Puts the description behind the code.
static gj_status add_description(const gj_description *what, gj_wasm_module *module,
                                 gj_error *err) {
  gj_strbuf bytes = {0};
  char *text = NULL;
  gj_strbuf_bytes(&bytes, module->bytes, module->size);
  gj_wasm_describe(what, &bytes);
  GJ_TRY(gj_strbuf_take(&bytes, &text, &module->size, err));
  free(module->bytes);
  module->bytes = (unsigned char *)text;
  return GJ_OK;
}

static gj_status make_module(const gj_graph *graph, const gj_pipeline *pipeline,
                             const gj_target *target, const gj_wasm_options *options,
                             gj_wasm_module *module, gj_error *err) {
  gj_lmodule *code = pipeline->lowered.module;
  gj_region weights = {0};
  if (options->separate_weights)
    GJ_TRY(gj_weights_place(code, &weights, err));
  GJ_TRY(link_code(code, options, target, &weights, module, err));
  if (weights.size) {
    GJ_TRY(gj_weights_copy(code, &weights, &module->weights, err));
    module->weight_bytes = (size_t)weights.size;
  }
  gj_description what = {.graph = graph,
                         .numerics = options->numerics,
                         .scratch = pipeline->scratch_bytes,
                         .weights = module->weights,
                         .weight_bytes = module->weight_bytes};
  GJ_TRY(add_description(&what, module, err));
  gj_wasm_print_dim(gj_graph_dims(pipeline->graph), pipeline->scratch_bytes, &module->scratch);
  return module->scratch.failed ? gj_fail(err, GJ_E_MEMORY, "wasm: out of memory") : GJ_OK;
}

gj_status gj_wasm_compile(const gj_graph *graph, const gj_wasm_options *options,
                          gj_wasm_module *out_module, gj_error *err) {
  *out_module = (gj_wasm_module){0};
  gj_target target;
  gj_pipeline pipeline;
  GJ_TRY(gj_target_wasm(options->variant, &target, err));
  gj_pipeline_options front = {.machine = gj_target_loops(&target)};
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  gj_status status = make_module(graph, &pipeline, &target, options, out_module, err);
  gj_pipeline_fini(&pipeline);
  if (status != GJ_OK)
    gj_wasm_module_fini(out_module);
  return status;
}

void gj_wasm_module_fini(gj_wasm_module *module) {
  free(module->bytes);
  free(module->weights);
  gj_strbuf_fini(&module->scratch);
  memset(module, 0, sizeof *module);
}

static void print_call(const gj_dims *dims, const char *name, const char *between,
                       const gj_dim_node *node, gj_strbuf *out) {
  gj_strbuf_text(out, name);
  for (uint32_t i = 0; i < node->operand_count; i++) {
    if (i)
      gj_strbuf_text(out, between);
    gj_wasm_print_dim(dims, node->operands[i], out);
  }
  gj_strbuf_char(out, ')');
}

void gj_wasm_print_dim(const gj_dims *dims, gj_dim d, gj_strbuf *out) {
  gj_dim_node node = gj_dim_get(dims, d);
  switch (node.kind) {
  case GJ_DIM_CONST:
    gj_strbuf_printf(out, "%" PRId64, node.value);
    break;
  case GJ_DIM_SYMBOL:
    gj_strbuf_text(out, gj_dims_symbol_name(dims, node.symbol));
    break;
  case GJ_DIM_SUM:
    print_call(dims, "(", " + ", &node, out);
    out->size--; // the constant goes inside the parentheses
    gj_strbuf_printf(out, " + %" PRId64 ")", node.value);
    break;
  case GJ_DIM_PRODUCT:
    gj_strbuf_printf(out, "%" PRId64 " * ", node.value);
    print_call(dims, "(", " * ", &node, out);
    break;
  case GJ_DIM_FLOORDIV:
    print_call(dims, "Math.floor(", " / ", &node, out);
    break;
  case GJ_DIM_MAXIMUM:
    print_call(dims, "Math.max(", ", ", &node, out);
    break;
  }
}
