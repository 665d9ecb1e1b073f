// The pass pipeline: a table from passes.def and a loop over it.
#include "passes/pass.h"

#include <stdlib.h>

static const gj_pass passes[] = {
#define GJ_PASS(name, text) {#name, text, gj_pass_##name},
#include "passes/passes.def"
};

size_t gj_pass_count(void) { return sizeof passes / sizeof passes[0]; }

// Runs one pass and follows `map` through it.
static gj_status run_one(const gj_pass *pass, const gj_graph *in, gj_ref *map, size_t map_count,
                         gj_graph **out_graph, gj_error *err) {
  gj_ref *step = calloc(gj_graph_node_count(in) + 1, sizeof *step);
  if (!step)
    return gj_fail(err, GJ_E_MEMORY, "pass %s: out of memory", pass->name);
  gj_status status = pass->run(in, step, out_graph, err);
  bool changed = status == GJ_OK && *out_graph;
  for (size_t i = 0; changed && i < map_count; i++)
    map[i] = step[map[i]];
  free(step);
#ifndef NDEBUG
  gj_error broken;
  if (changed && gj_graph_verify(*out_graph, &broken) != GJ_OK) {
    gj_graph_free(*out_graph);
    *out_graph = NULL;
    return gj_fail(err, GJ_E_INTERNAL, "pass %s made an invalid graph: %s", pass->name,
                   broken.message);
  }
#endif
  return status;
}

static gj_status run_all(const gj_graph *in, gj_pass_watch *watch, void *context, gj_ref *map,
                         size_t map_count, gj_graph **out_graph, gj_error *err) {
  *out_graph = NULL;
  const gj_graph *current = in;
  for (size_t i = 0; i < gj_pass_count(); i++) {
    gj_graph *next = NULL;
    gj_status status = run_one(&passes[i], current, map, map_count, &next, err);
    if (status == GJ_OK && !next)
      continue;
    if (current != in)
      gj_graph_free((gj_graph *)current);
    if (status != GJ_OK)
      return status;
    if (watch)
      watch(&passes[i], next, context);
    current = next;
  }
  *out_graph = (gj_graph *)current;
  return GJ_OK;
}

gj_status gj_passes_run(const gj_graph *in, gj_pass_watch *watch, void *context,
                        gj_graph **out_graph, gj_error *err) {
  return run_all(in, watch, context, NULL, 0, out_graph, err);
}

gj_status gj_passes_map(const gj_graph *in, gj_pass_watch *watch, void *context, gj_ref *out_map,
                        gj_graph **out_graph, gj_error *err) {
  size_t count = gj_graph_node_count(in) + 1;
  for (size_t ref = 0; ref < count; ref++)
    out_map[ref] = (gj_ref)ref;
  return run_all(in, watch, context, out_map, count, out_graph, err);
}
