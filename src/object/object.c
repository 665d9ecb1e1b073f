// Pipeline and code generation for a target by name; see object.h.
#include "object/object.h"

#include "ir/custom.h"
#include "lower/pipeline.h"
#include "object/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gj_status own_symbol(const char *text, const char *kind, char *out, gj_error *err) {
  gj_arena arena;
  gj_arena_init(&arena, 0);
  char *name = gj__c_identifier(&arena, text);
  gj_status status = GJ_OK;
  size_t end = name ? strlen(name) : 0;
  if (end > GJ__SYMBOL_MOST)
    name[GJ__SYMBOL_MOST] = '\0';
  if (name && gj__c_is_library(name)) // a function called exp would stand in for the C library's
    snprintf(out, GJ_SYMBOL_CAPACITY, "%s_%s", name, kind);
  else if (name) // two underscores in a row are the compiler's
    snprintf(out, GJ_SYMBOL_CAPACITY, "%s%s", name, name[strlen(name) - 1] == '_' ? kind : "");
  else
    status = gj_fail(err, GJ_E_MEMORY, "object: out of memory");
  gj_arena_fini(&arena);
  return status;
}

gj_status gj__object_symbol(const char *name, const char *kind, const char *symbol,
                            char out_symbol[GJ_SYMBOL_CAPACITY], gj_error *err) {
  if (!symbol)
    return own_symbol(name, kind, out_symbol, err);
  if (strlen(symbol) > GJ__SYMBOL_MOST)
    return gj_fail(err, GJ_E_ARGUMENT, "object: the symbol has %zu characters, at most %d",
                   strlen(symbol), GJ__SYMBOL_MOST);
  if (!gj__c_is_identifier(symbol))
    return gj_fail(err, GJ_E_ARGUMENT,
                   "object: the symbol must be a C identifier and no word of C or C++, got \"%s\"",
                   symbol);
  if (gj__c_is_vital(symbol))
    return gj_fail(err, GJ_E_ARGUMENT,
                   "object: the symbol \"%s\" is one of C's library, which it would take from the "
                   "program",
                   symbol);
  snprintf(out_symbol, GJ_SYMBOL_CAPACITY, "%s", symbol);
  return GJ_OK;
}

gj_status gj_object_symbol(const gj_graph *graph, const gj_object_options *options,
                           char out_symbol[GJ_SYMBOL_CAPACITY], gj_error *err) {
  return gj__object_symbol(gj_graph_name(graph), "graph", options->symbol, out_symbol, err);
}

// The linker looks for the functions that the graph calls by their own names.
static bool is_taken(const char *name, const void *context) {
  const char *const *own = context; // the names of the object: its symbol, its plan
  return gj__c_is_library(name) || !gj__c_is_identifier(name) || strcmp(name, own[0]) == 0 ||
         strcmp(name, own[1]) == 0;
}

// Of functions that only this process has.
static bool is_native(const char *name, const void *context) {
  (void)context;
  const gj_custom *custom = gj_custom_find(name);
  return custom && !gj_custom_is_c(custom);
}

static gj_status check_custom(const gj_graph *graph, const char *symbol, const char *plan,
                              gj_error *err) {
  const char *const own[] = {symbol, plan};
  gj_ref ref;
  const gj_node *node = gj_custom_first(graph, is_native, NULL, &ref);
  if (node)
    return gj_fail(err, GJ_E_UNSUPPORTED,
                   "object: \"%s\" (%%%u) is a native function of arrays, which an object of a "
                   "graph cannot hold: make one of its own by the function's toObject()",
                   node->name, ref);
  node = gj_custom_first(graph, is_taken, own, &ref);
  if (!node)
    return GJ_OK;
  return gj_fail(err, GJ_E_ARGUMENT,
                 "object: custom_call of \"%s\" (%%%u), which is a name of C or of the object",
                 node->name, ref);
}

// 'strict' and 'default' know subnormal numbers everywhere.
gj_status gj__object_target(const gj_target *given, const gj_object_options *options,
                            gj_target *out, gj_error *err) {
  *out = *given;
  if (options->threads && given->wasm)
    return gj_fail(err, GJ_E_UNSUPPORTED,
                   "object: threads are not supported for %s; use toWasm() instead", given->triple);
  if (options->numerics != GJ_NUMERICS_FAST && gj_target_flushes(given))
    return gj_target_drop_vectors(out, err);
  return GJ_OK;
}

gj_status gj_object_compile(const gj_graph *graph, const gj_target *target,
                            const gj_object_options *options, gj_emit emit,
                            unsigned char **out_bytes, size_t *out_size, gj_error *err) {
  char symbol[GJ_SYMBOL_CAPACITY], plan[GJ_SYMBOL_CAPACITY + 8];
  gj_target settled;
  gj_pipeline pipeline;
  *out_bytes = NULL;
  *out_size = 0;
  GJ_TRY(gj_object_symbol(graph, options, symbol, err));
  GJ_TRY(gj__object_target(target, options, &settled, err));
  snprintf(plan, sizeof plan, "%s_plan", symbol);
  GJ_TRY(check_custom(graph, symbol, plan, err));
  gj_pipeline_options front = {.machine = gj_target_loops(&settled),
                               .poll = options->threads,
                               .piece_ns = options->threads ? GJ_PIECE_NS : 0,
                               .fma = gj_numerics_fuse(options->numerics, &settled),
                               .reassociate = options->numerics == GJ_NUMERICS_FAST,
                               .plan = true};
  gj_codegen_options back = {.numerics = options->numerics,
                             .opt_level = options->opt_level,
                             .for_size = settled.wasm,
                             .entry_symbol = symbol,
                             .plan_symbol = plan,
                             .exec_optional = true,
                             .custom_prefix = ""};
  GJ_TRY(gj_pipeline_run(graph, &front, &pipeline, err));
  gj_status status =
      gj_codegen(pipeline.lowered.module, &settled, &back, emit, out_bytes, out_size, NULL, err);
  gj_pipeline_fini(&pipeline);
  return status;
}
