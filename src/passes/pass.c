// The pass pipeline: a table from passes.def and a loop over it.
#include "passes/pass.h"

static const gj_pass passes[] = {
#define GJ_PASS(name, text) {#name, text, gj_pass_##name},
#include "passes/passes.def"
};

size_t gj_pass_count(void) { return sizeof passes / sizeof passes[0]; }

static gj_status run_one(const gj_pass *pass, const gj_graph *in, gj_graph **out_graph,
                         gj_error *err) {
  GJ_TRY(pass->run(in, out_graph, err));
#ifndef NDEBUG
  gj_error broken;
  if (gj_graph_verify(*out_graph, &broken) != GJ_OK) {
    gj_graph_free(*out_graph);
    *out_graph = NULL;
    return gj_fail(err, GJ_E_INTERNAL, "pass %s made an invalid graph: %s", pass->name,
                   broken.message);
  }
#endif
  return GJ_OK;
}

gj_status gj_passes_run(const gj_graph *in, gj_pass_watch *watch, void *context,
                        gj_graph **out_graph, gj_error *err) {
  *out_graph = NULL;
  const gj_graph *current = in;
  for (size_t i = 0; i < gj_pass_count(); i++) {
    gj_graph *next = NULL;
    gj_status status = run_one(&passes[i], current, &next, err);
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
