// A graph as a WebAssembly module: pipeline, code generation for wasm32, lld.
#include "wasm/module.h"

#include "lower/pipeline.h"
#include "wasm/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const exports[] = {"run", "__heap_base"};

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

static gj_status link_object(const gj_pipeline *pipeline, const gj_target *target,
                             const gj_wasm_options *options, gj_wasm_module *module,
                             gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  uint32_t stack = 0;
  GJ_TRY(stack_bytes(pipeline->lowered.module, &stack, err));
  gj_codegen_options back = {.numerics = options->numerics,
                             .opt_level = options->opt_level,
                             .for_size = true,
                             .entry_symbol = exports[0]};
  gj_wasm_link_options link = {.exports = exports,
                               .export_count = sizeof exports / sizeof *exports,
                               .import_memory = true,
                               .stack_size = stack};
  GJ_TRY(gj_codegen(pipeline->lowered.module, target, &back, GJ_EMIT_OBJECT, &object, &size, NULL,
                    err));
  gj_status status = gj_wasm_link(object, size, &link, &module->bytes, &module->size, err);
  free(object);
  return status;
}

gj_status gj_wasm_compile(const gj_graph *graph, const gj_wasm_options *options,
                          gj_wasm_module *out_module, gj_error *err) {
  *out_module = (gj_wasm_module){0};
  gj_strbuf_init(&out_module->scratch);
  gj_target target;
  gj_pipeline pipeline;
  GJ_TRY(gj_target_wasm(options->simd, &target, err));
  gj_pipeline_options front = {0};
  if (options->simd)
    front.machine = gj_target_loops(&target);
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  gj_status status = link_object(&pipeline, &target, options, out_module, err);
  if (status == GJ_OK) {
    gj_wasm_print_dim(gj_graph_dims(pipeline.graph), pipeline.scratch_bytes, &out_module->scratch);
    if (out_module->scratch.failed)
      status = gj_fail(err, GJ_E_MEMORY, "wasm: out of memory");
  }
  gj_pipeline_fini(&pipeline);
  if (status != GJ_OK)
    gj_wasm_module_fini(out_module);
  return status;
}

void gj_wasm_module_fini(gj_wasm_module *module) {
  free(module->bytes);
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
