// The figures of a program as JavaScript values: what compiling took and made, its kernels and
// their loops. The memory plan among them is made in memory.c.

#include "program.h"

#include <string.h>

static napi_value new_texts(napi_env env, const char *const *texts, size_t count) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++)
    if (!gjn_set_index(env, list, i, gjn_new_text(env, texts[i])))
      return NULL;
  return list;
}

static napi_value new_loops(napi_env env, const gj_loop_info *loops, size_t count) {
  napi_value list, loop;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++) {
    GJN_TRY(env, napi_create_object(env, &loop));
    if (!gjn_set_text(env, loop, "name", loops[i].name) ||
        !gjn_set_number(env, loop, "lanes", loops[i].lanes) ||
        !gjn_set_text(env, loop, "how", loops[i].how) || !gjn_set_index(env, list, i, loop))
      return NULL;
  }
  return list;
}

// The function that the entry calls, then the one with the loops if that is another.
static napi_value new_functions(napi_env env, const gj_kernel_info *own) {
  const char *const names[] = {own->name, own->part};
  return new_texts(env, names, strcmp(own->name, own->part) == 0 ? 1 : 2);
}

static napi_value new_refs(napi_env env, const gj_ref *refs, size_t count) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++)
    if (!gjn_set_index(env, list, i, gjn_new_number(env, refs[i])))
      return NULL;
  return list;
}

static bool set_kernel(napi_env env, napi_value kernel, const gj_kernel_info *own) {
  return gjn_set_text(env, kernel, "name", own->name) &&
         gjn_set(env, kernel, "functions", new_functions(env, own)) &&
         gjn_set_text(env, kernel, "kind", own->kind) &&
         gjn_set_text(env, kernel, "ops", own->what) &&
         gjn_set_text(env, kernel, "shape", own->shape) &&
         gjn_set(env, kernel, "nodes", new_refs(env, own->nodes, own->node_count)) &&
         gjn_set(env, kernel, "reads", new_texts(env, own->reads, own->read_count)) &&
         gjn_set(env, kernel, "writes", new_texts(env, own->writes, own->write_count)) &&
         gjn_set(env, kernel, "bytesRead", gjn_new_amount(env, NULL, &own->bytes_read, NULL)) &&
         gjn_set(env, kernel, "bytesWritten",
                 gjn_new_amount(env, NULL, &own->bytes_written, NULL)) &&
         gjn_set(env, kernel, "flops", gjn_new_amount(env, NULL, &own->flops, NULL)) &&
         gjn_set_number(env, kernel, "lanes", own->lanes) &&
         gjn_set_text(env, kernel, "vectorised", own->vectorised) &&
         gjn_set(env, kernel, "loops", new_loops(env, own->loops, own->loop_count));
}

static napi_value new_kernels(napi_env env, const gj_kernel_info *kernels, size_t count) {
  napi_value list, kernel;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++) {
    GJN_TRY(env, napi_create_object(env, &kernel));
    if (!set_kernel(env, kernel, &kernels[i]) || !gjn_set_index(env, list, i, kernel))
      return NULL;
  }
  return list;
}

static napi_value new_graph_functions(napi_env env, const gj_report *report) {
  napi_value list, function, called;
  GJN_TRY(env, napi_create_array_with_length(env, report->function_count, &list));
  for (size_t i = 0; i < report->function_count; i++) {
    const gj_function_info *own = &report->functions[i];
    GJN_TRY(env, napi_create_object(env, &function));
    GJN_TRY(env, napi_get_boolean(env, own->called, &called));
    if (!gjn_set_text(env, function, "name", own->title) ||
        !gjn_set(env, function, "called", called) ||
        !gjn_set(env, function, "kernels", new_kernels(env, own->kernels, own->kernel_count)) ||
        !gjn_set_index(env, list, i, function))
      return NULL;
  }
  return list;
}

static napi_value new_times(napi_env env, const gj_program_stats *stats) {
  const struct {
    const char *name;
    double ms;
  } stages[] = {{"simplify", stats->simplify_ms}, {"fuse", stats->fuse_ms},
                {"lower", stats->lower_ms},       {"emit", stats->emit_ms},
                {"optimize", stats->optimize_ms}, {"machine", stats->machine_ms},
                {"load", stats->load_ms},         {"cache", stats->cache_ms},
                {"total", stats->total_ms}};
  napi_value times;
  GJN_TRY(env, napi_create_object(env, &times));
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
    if (!gjn_set_number(env, times, stages[i].name, stages[i].ms))
      return NULL;
  return times;
}

static bool set_tier(napi_env env, napi_value result, const gj_program *program) {
  gj_error why;
  bool interpreted = gj_program_tier(program, &why) == GJ_TIER_AUTO;
  return gjn_set_text(env, result, "tier", interpreted ? "interpreter" : "llvm") &&
         (why.code == GJ_OK || gjn_set_text(env, result, "compileError", why.message));
}

napi_value gjn_program_stats(napi_env env, napi_callback_info info) {
  napi_value argv[1], result;
  gjn_program *own = gjn_get_args(env, info, 1, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  static const char *const sources[] = {[GJ_CACHE_OFF] = "off",
                                        [GJ_CACHE_MISS] = "miss",
                                        [GJ_CACHE_DISK] = "disk",
                                        [GJ_CACHE_MEMORY] = "memory"};
  gj_program_stats stats;
  const gj_report *report;
  gj_error err;
  gj_program_get_stats(own->program, &stats);
  if (gj_program_report(own->program, &report, &err) != GJ_OK)
    return gjn_throw(env, &err);
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok =
      set_tier(env, result, own->program) &&
      gjn_set(env, result, "compileMs", new_times(env, &stats)) &&
      gjn_set_text(env, result, "cache", sources[stats.cache]) &&
      gjn_set_number(env, result, "nodesBefore", (double)stats.nodes_before) &&
      gjn_set_number(env, result, "nodesAfter", (double)stats.nodes_after) &&
      gjn_set_number(env, result, "threads", stats.threads) &&
      gjn_set_number(env, result, "codeBytes", (double)stats.code_bytes) &&
      gjn_set_number(env, result, "constantBytes", (double)stats.constant_bytes) &&
      gjn_set(env, result, "scratchBytes", gjn_new_amount(env, report, &report->scratch, NULL)) &&
      gjn_set(env, result, "intermediates", gjn_new_places(env, report, NULL)) &&
      gjn_set(env, result, "kernels", new_kernels(env, report->kernels, report->kernel_count)) &&
      gjn_set(env, result, "functions", new_graph_functions(env, report));
  return ok ? result : NULL;
}
