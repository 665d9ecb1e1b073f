// See pass.h: the table of passes.def and a loop over the passes of graphs.
#include "passes/pass.h"

#include <stdlib.h>
#include <string.h>

#define ROW(name, stage, part_of, text, requires, keeps, changes)                                  \
  [GJ_PASS_##name] = {#name, text, requires, keeps, changes, stage, part_of},

// What a part is part of stands in a row of its own, whose stage it has.
enum {
#define GJ_GRAPH_PASS(name, ...) STAGE_##name = GJ_STAGE_GRAPH,
#define GJ_PLAN_PASS(name, ...) STAGE_##name = GJ_STAGE_PLAN,
#define GJ_LOOP_PASS(name, ...) STAGE_##name = GJ_STAGE_LOOPS,
#include "passes/passes.def"
};

static const gj_pass rows[GJ_PASS_COUNT] = {
#define GJ_GRAPH_PASS(name, ...) ROW(name, GJ_STAGE_GRAPH, GJ_PASS_NONE, __VA_ARGS__)
#define GJ_PLAN_PASS(name, ...) ROW(name, GJ_STAGE_PLAN, GJ_PASS_NONE, __VA_ARGS__)
#define GJ_LOOP_PASS(name, ...) ROW(name, GJ_STAGE_LOOPS, GJ_PASS_NONE, __VA_ARGS__)
#define GJ_PART(name, pass, ...) ROW(name, (gj_stage)STAGE_##pass, GJ_PASS_##pass, __VA_ARGS__)
#include "passes/passes.def"
};
#undef ROW

static gj_pass_fn *const runs[GJ_PASS_COUNT] = {
#define GJ_GRAPH_PASS(name, ...) [GJ_PASS_##name] = gj_pass_##name,
#include "passes/passes.def"
};

const gj_pass *gj_pass_get(gj_pass_id id) { return &rows[id]; }

gj_pass_id gj_pass_parse(const char *name) {
  int id = GJ_PASS_COUNT - 1;
  while (id > GJ_PASS_NONE && strcmp(rows[id].name, name) != 0)
    id--;
  return (gj_pass_id)id;
}

bool gj_pass_runs(gj_pass_id id, gj_pass_id until) {
  return until == GJ_PASS_NONE || id <= until || rows[until].part_of == id;
}

// Runs one pass and follows `map` through it.
static gj_status run_one(gj_pass_id id, const gj_graph *in, gj_pass_id until, gj_ref *map,
                         size_t map_count, gj_graph **out_graph, gj_error *err) {
  const gj_pass *pass = &rows[id];
  gj_ref *step = calloc(gj_graph_node_count(in) + 1, sizeof *step);
  if (!step)
    return gj_fail(err, GJ_E_MEMORY, "pass %s: out of memory", pass->name);
  gj_status status = runs[id](in, until, step, out_graph, err);
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

static gj_status run_all(const gj_graph *in, gj_pass_id until, gj_pass_watch *watch, void *context,
                         gj_ref *map, size_t map_count, gj_graph **out_graph, gj_error *err) {
  *out_graph = NULL;
  const gj_graph *current = in;
  for (gj_pass_id id = GJ_PASS_NONE + 1; id < GJ_PASS_COUNT; id++) {
    if (!runs[id] || !gj_pass_runs(id, until))
      continue;
    gj_graph *next = NULL;
    gj_status status = run_one(id, current, until, map, map_count, &next, err);
    if (status == GJ_OK && !next)
      continue;
    if (current != in)
      gj_graph_free((gj_graph *)current);
    if (status != GJ_OK)
      return status;
    if (watch)
      watch(&rows[id], next, context);
    current = next;
  }
  *out_graph = current == in ? NULL : (gj_graph *)current;
  return GJ_OK;
}

gj_status gj_passes_run(const gj_graph *in, gj_pass_watch *watch, void *context,
                        gj_graph **out_graph, gj_error *err) {
  return run_all(in, GJ_PASS_NONE, watch, context, NULL, 0, out_graph, err);
}

gj_status gj_passes_map(const gj_graph *in, gj_pass_watch *watch, void *context, gj_ref *out_map,
                        gj_graph **out_graph, gj_error *err) {
  size_t count = gj_graph_node_count(in) + 1;
  for (size_t ref = 0; ref < count; ref++)
    out_map[ref] = (gj_ref)ref;
  return run_all(in, GJ_PASS_NONE, watch, context, out_map, count, out_graph, err);
}

gj_status gj_passes_until(const gj_graph *in, gj_pass_id until, gj_graph **out_graph,
                          gj_error *err) {
  return run_all(in, until, NULL, NULL, NULL, 0, out_graph, err);
}
