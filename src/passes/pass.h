// The passes as a table, and the runner of those that make a graph of a graph.
//
// The pipeline is the rows of passes.def, top to bottom: graph passes here, those of the plan in
// plan.h, those of loops in lower/pipeline.h. A graph pass never edits its input. In debug builds
// the result of every pass is verified; a pass that breaks a graph is a GJ_E_INTERNAL naming the
// pass.
#ifndef GJ_PASSES_PASS_H
#define GJ_PASSES_PASS_H

#include "ir/graph.h"

// In the order they run.
typedef enum gj_pass_id {
  GJ_PASS_NONE = 0,
#define GJ_GRAPH_PASS(name, ...) GJ_PASS_##name,
#define GJ_PLAN_PASS(name, ...) GJ_PASS_##name,
#define GJ_LOOP_PASS(name, ...) GJ_PASS_##name,
#define GJ_PART(name, ...) GJ_PASS_##name,
#include "passes/passes.def"
  GJ_PASS_COUNT
} gj_pass_id;

typedef enum gj_stage { GJ_STAGE_GRAPH, GJ_STAGE_PLAN, GJ_STAGE_LOOPS } gj_stage;

typedef struct gj_pass {
  const char *name, *text, *requires, *keeps, *changes;
  gj_stage stage;
  gj_pass_id part_of; // GJ_PASS_NONE: a pass of its own
} gj_pass;

const gj_pass *gj_pass_get(gj_pass_id id);
// The pass named so, or GJ_PASS_NONE.
gj_pass_id gj_pass_parse(const char *name);
// Whether a pass, or a part of one, runs where everything is wanted up to `until`; GJ_PASS_NONE:
// everything there is.
bool gj_pass_runs(gj_pass_id id, gj_pass_id until);

// out_map has an entry per ref of `in`: the ref of the result that has its value, 0 when it is
// gone. A pass that finds nothing to do leaves *out_graph NULL, and the map alone.
typedef gj_status gj_pass_fn(const gj_graph *in, gj_pass_id until, gj_ref *out_map,
                             gj_graph **out_graph, gj_error *err);

#define GJ_GRAPH_PASS(name, ...) gj_pass_fn gj_pass_##name;
#include "passes/passes.def"

// Called after each pass with its result, but for one that found nothing to do; for `gj passes`.
typedef void gj_pass_watch(const gj_pass *pass, const gj_graph *result, void *context);

// Runs all graph passes. `watch` may be NULL. The input stays the caller's, the result is the
// caller's.
gj_status gj_passes_run(const gj_graph *in, gj_pass_watch *watch, void *context,
                        gj_graph **out_graph, gj_error *err);
// The same, telling what became of each node: out_map has room for gj_graph_node_count(in) + 1
// entries, each the ref of the result that has its value, or 0.
gj_status gj_passes_map(const gj_graph *in, gj_pass_watch *watch, void *context, gj_ref *out_map,
                        gj_graph **out_graph, gj_error *err);
// Those up to `until`. Where none of them found anything to do, *out_graph is NULL.
gj_status gj_passes_until(const gj_graph *in, gj_pass_id until, gj_graph **out_graph,
                          gj_error *err);

#endif
