// The calls of a graph and its functions: whether what they name is there, and which ones there
// are.
#include "ir/custom.h"

static gj_status check_node(const gj_graph *graph, gj_ref ref, gj_error *err) {
  const gj_node *node = gj_graph_node(graph, ref);
  const gj_custom *custom = gj_custom_find(node->name);
  if (!custom)
    return gj_fail(err, GJ_E_STATE, "custom_call: no function is registered as \"%s\" (%%%u)",
                   node->name, ref);
  return custom->check ? custom->check(custom, graph, node, err) : GJ_OK;
}

gj_status gj_custom_check(const gj_graph *graph, gj_error *err) {
  bool whole = gj_graph_function_number(graph) < 0;
  for (size_t i = 0; whole && i < gj_graph_function_count(graph); i++)
    GJ_TRY(gj_custom_check(gj_graph_function(graph, i), err));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    if (gj_graph_node(graph, ref)->op == GJ_OP_custom_call)
      GJ_TRY(check_node(graph, ref, err));
  return GJ_OK;
}

const gj_node *gj_custom_first(const gj_graph *graph, gj_custom_match *match, const void *context,
                               gj_ref *out_ref) {
  bool whole = gj_graph_function_number(graph) < 0;
  for (size_t i = 0; whole && i < gj_graph_function_count(graph); i++) {
    const gj_node *node = gj_custom_first(gj_graph_function(graph, i), match, context, out_ref);
    if (node)
      return node;
  }
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_node *node = gj_graph_node(graph, ref);
    *out_ref = ref;
    if (node->op == GJ_OP_custom_call && match(node->name, context))
      return node;
  }
  return NULL;
}
