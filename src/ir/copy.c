// Copies of graphs, and what of a graph decides whether it can run with given sizes.
//
// Nodes that no output needs do not: a front end may have appended them on the way to an error. For
// the others everything about shapes does. A compiled program keeps a copy of its graph: what it
// refuses is what the graph as written refuses, whatever simplification made of it, messages have
// the numbers of its text, and what the program looks like inside can be made again.

#include "ir/graph.h"

#include <string.h>

// What computes the sizes of a node is needed though it may be no operand. Functions may name any
// size that is computed before their call.
static void mark_binder(void *needed, gj_ref binder) { ((uint8_t *)needed)[binder] = 1; }

void gj_graph_mark_needed(const gj_graph *graph, uint8_t *out_needed) {
  memset(out_needed, 0, gj_graph_node_count(graph) + 1);
  for (size_t i = 0; i < gj_graph_output_count(graph); i++)
    out_needed[gj_graph_output(graph, i)->ref] = 1;
  for (size_t i = 0; i < gj_graph_input_count(graph); i++)
    out_needed[gj_graph_input(graph, i)] = 1;
  bool sizes = gj_graph_computes_sizes(graph) && !gj_graph_is_function(graph), all = false;
  for (gj_ref ref = (gj_ref)gj_graph_node_count(graph); ref > 0; ref--) {
    const gj_node *node = gj_graph_node(graph, ref);
    if (all && node->op == GJ_OP_compress)
      out_needed[ref] = 1;
    for (uint32_t a = 0; out_needed[ref] && a < node->arg_count; a++)
      out_needed[node->args[a]] = 1;
    if (!sizes || !out_needed[ref])
      continue;
    gj_node_each_binder(graph, node, mark_binder, out_needed);
    all = all || gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS);
  }
}

// `*constants` is the storage of the next large constant, and moves on; NULL: each keeps its own.
static void append_like(gj_graph *out, const gj_node *node, gj_storage *const **constants) {
  if (node->op == GJ_OP_param)
    gj_graph_param(out, node->name, &node->type);
  else if (node->storage && *constants)
    gj_graph_const_shared(out, &node->type, *(*constants)++);
  else if (node->op == GJ_OP_const)
    gj_graph_const_like(out, node);
  else
    gj_graph_append_like(out, node, node->args);
}

static void copy_into(const gj_graph *graph, gj_graph *out, gj_storage *const **constants) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    append_like(out, gj_graph_node(graph, ref), constants);
  for (size_t i = 0; i < gj_graph_output_count(graph); i++) {
    const gj_output *output = gj_graph_output(graph, i);
    gj_graph_set_output(out, output->name, output->ref);
  }
}

gj_status gj_graph_copy_with(const gj_graph *graph, gj_storage *const *constants,
                             gj_graph **out_graph, gj_error *err) {
  *out_graph = gj_graph_new_like(graph);
  if (!*out_graph)
    return gj_fail(err, GJ_E_MEMORY, "graph \"%s\": out of memory", gj_graph_name(graph));
  for (size_t i = 0; i < gj_graph_function_count(graph); i++) {
    const gj_graph *function = gj_graph_function(graph, i);
    gj_graph *copy = gj_graph_function_new(*out_graph, gj_graph_name(function));
    if (!copy)
      break;
    copy_into(function, copy, &constants);
    gj_graph_function_add(copy);
  }
  copy_into(graph, *out_graph, &constants);
  gj_status status = gj_graph_take_error(*out_graph, err);
  if (status != GJ_OK) {
    gj_graph_free(*out_graph);
    *out_graph = NULL;
  }
  return status;
}

gj_status gj_graph_copy(const gj_graph *graph, gj_graph **out_graph, gj_error *err) {
  return gj_graph_copy_with(graph, NULL, out_graph, err);
}
