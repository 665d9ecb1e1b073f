// Graph passes: each reads one graph and builds another.
//
// The pipeline is the rows of passes.def, top to bottom. A pass never edits its input. In debug
// builds the result of every pass is verified; a pass that breaks a graph is a GJ_E_INTERNAL naming
// the pass.
#ifndef GJ_PASSES_PASS_H
#define GJ_PASSES_PASS_H

#include "ir/graph.h"

// out_map has an entry per ref of `in`: the ref of the result that has its value, 0 when it is
// gone. A pass that finds nothing to do leaves *out_graph NULL, and the map alone.
typedef gj_status gj_pass_fn(const gj_graph *in, gj_ref *out_map, gj_graph **out_graph,
                             gj_error *err);

typedef struct gj_pass {
  const char *name;
  const char *text;
  gj_pass_fn *run;
} gj_pass;

size_t gj_pass_count(void);

// Called after each pass with its result, but for one that found nothing to do; for `gj passes`.
typedef void gj_pass_watch(const gj_pass *pass, const gj_graph *result, void *context);

// Runs all passes. `watch` may be NULL. The input stays the caller's, the result is the caller's.
gj_status gj_passes_run(const gj_graph *in, gj_pass_watch *watch, void *context,
                        gj_graph **out_graph, gj_error *err);
// The same, telling what became of each node: out_map has room for gj_graph_node_count(in) + 1
// entries, each the ref of the result that has its value, or 0.
gj_status gj_passes_map(const gj_graph *in, gj_pass_watch *watch, void *context, gj_ref *out_map,
                        gj_graph **out_graph, gj_error *err);

#define GJ_PASS(name, text) gj_pass_fn gj_pass_##name;
#include "passes/passes.def"

#endif
