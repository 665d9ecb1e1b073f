// A graph as a WebAssembly module: pipeline, code generation for wasm32, lld.
#include "wasm/module.h"

#include "ir/custom.h"
#include "lower/pipeline.h"
#include "wasm/describe.h"
#include "wasm/leb.h"
#include "wasm/link.h"
#include "wasm/trim.h"
#include "wasm/weights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN_SYMBOL "run"
#define PLAN_SYMBOL "plan"

// The largest memory that 32 bits address.
static const uint64_t MOST_MEMORY = UINT64_C(1) << 32;

// What a module is made of.
typedef struct parts {
  gj_lmodule *code;
  bool plan, threads; // has the function; has a pool
  uint32_t stack;
  gj_region weights;
} parts;

enum { MOST_EXPORTS = 8 };
static size_t list_exports(const parts *p, const char *exports[MOST_EXPORTS]) {
  static const char *const pool[] = {"work", "stop", "fail", "__stack_pointer"};
  size_t count = 0;
  exports[count++] = RUN_SYMBOL;
  if (p->plan)
    exports[count++] = PLAN_SYMBOL;
  exports[count++] = "__heap_base";
  if (p->weights.size)
    exports[count++] = GJ_REGION_SYMBOL;
  for (size_t i = 0; p->threads && i < sizeof pool / sizeof *pool; i++)
    exports[count++] = pool[i];
  return count;
}

// Stack for everything but the partial results of reductions.
enum { STACK_BYTES = 16 * 1024, STACK_LINE = 64 };

// The arrays and parallel calls of a block.
typedef struct needs {
  uint64_t bytes; // of stack, each in whole lines: arrays, and arguments of parallel calls
  bool parallel;
} needs;

static void add_needs(const gj_lfunc *f, const gj_lblock *block, needs *n) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    uint64_t bytes = 0;
    if (s->kind == GJ_LS_ARRAY)
      bytes = (uint64_t)s->count * gj_dtype_bytes((gj_dtype)f->locals[s->local].type.dtype);
    if (s->kind == GJ_LS_LET && s->a->kind == GJ_LX_PARALLEL) {
      bytes = (uint64_t)s->a->arg_count * sizeof(int64_t);
      n->parallel = true;
    }
    n->bytes += (bytes + STACK_LINE - 1) / STACK_LINE * STACK_LINE;
    add_needs(f, &s->body, n);
    add_needs(f, &s->orelse, n);
  }
}

// A kernel of many reductions has more partial results than any fixed stack. All functions count,
// since LLVM may inline every kernel into the entry.
static gj_status find_needs(const gj_lmodule *module, needs *out_needs, gj_error *err) {
  *out_needs = (needs){.bytes = STACK_BYTES};
  for (uint32_t i = 0; i < module->func_count; i++)
    add_needs(module->funcs[i], &module->funcs[i]->body, out_needs);
  if (out_needs->bytes > INT32_MAX)
    return gj_fail(err, GJ_E_OVERFLOW,
                   "wasm: the partial results of reductions take %" PRIu64
                   " bytes, and 32 bits address fewer",
                   out_needs->bytes);
  return GJ_OK;
}

// A module imports nothing, so there is nobody to call.
static bool is_any(const char *name, const void *context) {
  (void)name;
  (void)context;
  return true;
}

static gj_status check_custom(const gj_graph *graph, gj_error *err) {
  gj_ref ref;
  const gj_node *node = gj_custom_first(graph, is_any, NULL, &ref);
  if (!node)
    return GJ_OK;
  const gj_custom *custom = gj_custom_find(node->name);
  if (custom && !gj_custom_is_c(custom))
    return gj_fail(err, GJ_E_UNSUPPORTED,
                   "wasm: \"%s\" (%%%u) is a native function of arrays, which a module of a graph "
                   "cannot hold: make a module of its own by the function's toWasm()",
                   node->name, ref);
  return gj_fail(err, GJ_E_UNSUPPORTED,
                 "wasm: custom_call of \"%s\" (%%%u): a module has no C functions to call",
                 node->name, ref);
}

static bool has_symbols(const gj_graph *graph) {
  return gj_dims_symbol_count(gj_graph_dims(graph)) > 0;
}

// Generates code and links it.
static gj_status link_code(const parts *p, const gj_wasm_options *options, gj_wasm_module *module,
                           gj_error *err) {
  unsigned char *object = NULL;
  size_t size = 0;
  gj_target target;
  GJ_TRY(gj_target_wasm(options->variant, p->threads, &target, err));
  gj_codegen_options back = {.numerics = options->numerics,
                             .opt_level = options->opt_level,
                             .for_size = true,
                             .weights = p->weights,
                             .wasm_pool = p->threads,
                             .entry_symbol = RUN_SYMBOL,
                             .plan_symbol = PLAN_SYMBOL};
  const char *exports[MOST_EXPORTS];
  gj_wasm_link_options link = {.exports = exports,
                               .export_count = list_exports(p, exports),
                               .import_memory = p->threads,
                               .shared_memory = p->threads,
                               .max_memory = p->threads ? MOST_MEMORY : 0,
                               .stack_size = p->stack};
  GJ_TRY(gj_codegen(p->code, &target, &back, GJ_EMIT_OBJECT, &object, &size, NULL, err));
  gj_status status = gj_wasm_link(object, size, &link, &module->bytes, &module->size, err);
  free(object);
  return status;
}

// Trims the data of the module and puts the description behind it.
static gj_status add_description(const gj_description *what, gj_wasm_module *module,
                                 gj_error *err) {
  gj_strbuf bytes = {0};
  char *text = NULL;
  gj_wasm_trim(module->bytes, module->size, &bytes);
  gj_wasm_describe(what, &bytes);
  GJ_TRY(gj_strbuf_take(&bytes, &text, &module->size, err));
  free(module->bytes);
  module->bytes = (unsigned char *)text;
  return GJ_OK;
}

// Pages that the memory must have which the module imports. That is its only import, so they stand
// at the end of a section that begins alike in every module.
static uint32_t shared_pages(const gj_wasm_module *module) {
  enum { IMPORTS = 2 };
  static const char memory[] = "\1\3env\6memory\2\3"; // one import: shared, with a maximum
  const unsigned char *at = module->bytes + 8, *end = module->bytes + module->size;
  uint64_t size, count = 0;
  while (at < end) {
    unsigned char section = *at++;
    if (!gj_leb_read_unsigned(&at, end, &size) || size > (uint64_t)(end - at))
      break;
    const unsigned char *pages = at + sizeof memory - 1;
    if (section == IMPORTS && size > sizeof memory && memcmp(at, memory, sizeof memory - 1) == 0 &&
        gj_leb_read_unsigned(&pages, end, &count))
      break;
    at += size;
  }
  return (uint32_t)count;
}

static gj_status make_module(const gj_graph *graph, const gj_pipeline *pipeline,
                             const gj_wasm_options *options, gj_wasm_module *module,
                             gj_error *err) {
  needs needed;
  GJ_TRY(find_needs(pipeline->lowered.module, &needed, err));
  parts p = {.code = pipeline->lowered.module,
             .plan = has_symbols(graph),
             .threads = needed.parallel,
             .stack = (uint32_t)needed.bytes};
  GJ_TRY(gj_weights_place(p.code, options->separate_weights, &p.weights, err));
  GJ_TRY(link_code(&p, options, module, err));
  if (p.weights.size) {
    GJ_TRY(gj_weights_copy(p.code, &p.weights, &module->weights, err));
    module->weight_bytes = (size_t)p.weights.size;
  }
  gj_description what = {.graph = graph,
                         .numerics = options->numerics,
                         .scratch = pipeline->scratch_bytes,
                         .check_count = pipeline->lowered.check_count,
                         .checks = pipeline->lowered.checks,
                         .weights = module->weights,
                         .weight_bytes = module->weight_bytes,
                         .shared_pages = p.threads ? shared_pages(module) : 0};
  return add_description(&what, module, err);
}

gj_status gj_wasm_compile(const gj_graph *graph, const gj_wasm_options *options,
                          gj_wasm_module *out_module, gj_error *err) {
  *out_module = (gj_wasm_module){0};
  if (options->variant > GJ_WASM_RELAXED || options->numerics > GJ_NUMERICS_FAST)
    return gj_fail(err, GJ_E_ARGUMENT, "wasm: no variant %u with numerics %u",
                   (unsigned)options->variant, (unsigned)options->numerics);
  gj_target target;
  gj_pipeline pipeline;
  GJ_TRY(check_custom(graph, err));
  GJ_TRY(gj_target_wasm(options->variant, options->threads, &target, err));
  gj_pipeline_options front = {.machine = gj_target_loops(&target),
                               .fma = gj_numerics_fuse(options->numerics, &target),
                               .reassociate = options->numerics == GJ_NUMERICS_FAST,
                               .plan = has_symbols(graph)};
  if (options->threads) {
    front.piece_ns = GJ_PIECE_NS;
    front.narrow = GJ_WASM_NARROW;
  }
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  gj_status status = make_module(graph, &pipeline, options, out_module, err);
  gj_pipeline_fini(&pipeline);
  if (status != GJ_OK)
    gj_wasm_module_fini(out_module);
  return status;
}

void gj_wasm_module_fini(gj_wasm_module *module) {
  free(module->bytes);
  free(module->weights);
  memset(module, 0, sizeof *module);
}
