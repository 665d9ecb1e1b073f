// Simplify: rebuilds the graph through folding, exact identities, CSE and dead-code removal.
//
// Requires: a valid graph.
// Keeps:    inputs and their order, outputs and their order, every value bit for bit,
//           but for pow(x, 2), which becomes the correctly rounded x · x.
// Changes:  everything else; what no output needs is gone, equal nodes are one node.
//
// Walking the node array once is enough: operands stand before users, so each node sees operands
// that are as simple as they get. The rules are in fold.c and fold_move.c.
#include "base/arena.h"
#include "passes/fold.h"
#include "passes/pass.h"

static gj_ref rebuild_node(const gj_node *node, const gj_ref *args, bool fold, gj_graph *out) {
  if (node->op == GJ_OP_param)
    return gj_graph_param(out, node->name, &node->type);
  if (node->op == GJ_OP_const)
    return gj_graph_const(out, &node->type, node->data, node->data_size);
  gj_fold f = {out, (gj_op)node->op, args, node->arg_count, node->attrs, node->type};
  gj_ref folded = 0;
  if (fold)
    folded = gj_op_is_elementwise(f.op) ? gj__fold_elementwise(&f) : gj__fold_movement(&f);
  return folded ? folded : gj_graph_append_like(out, node, args);
}

// live[ref] is 1 for nodes to keep; map[ref of in] is the ref in out, 0 for others; args is room
// for the longest operand list.
static void rebuild(const gj_graph *in, const uint8_t *live, bool fold, gj_ref *map, gj_ref *args,
                    gj_graph *out) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(in); ref++) {
    map[ref] = 0;
    if (!live[ref])
      continue;
    const gj_node *node = gj_graph_node(in, ref);
    for (uint32_t a = 0; a < node->arg_count; a++)
      args[a] = map[node->args[a]];
    map[ref] = rebuild_node(node, args, fold, out);
  }
  for (size_t i = 0; i < gj_graph_output_count(in); i++) {
    const gj_output *output = gj_graph_output(in, i);
    gj_graph_set_output(out, output->name, map[output->ref]);
  }
}

static gj_status rebuild_live(const gj_graph *in, gj_arena *scratch, bool fold, gj_ref *map,
                              gj_graph **out_graph, gj_error *err) {
  size_t count = gj_graph_node_count(in) + 1, longest = 1;
  for (gj_ref ref = 1; ref < count; ref++)
    if (gj_graph_node(in, ref)->arg_count > longest)
      longest = gj_graph_node(in, ref)->arg_count;
  uint8_t *live = gj_arena_array(scratch, count, 1);
  gj_ref *args = gj_arena_array(scratch, longest, sizeof *args);
  gj_graph *out = gj_graph_new_like(in);
  if (!live || !args || !out) {
    gj_graph_free(out);
    return gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu nodes", count - 1);
  }
  gj_graph_mark_needed(in, live);
  gj_graph_share_nodes(out, true);
  rebuild(in, live, fold, map, args, out);
  gj_status status = gj_graph_take_error(out, err);
  if (status != GJ_OK) {
    gj_graph_free(out);
    return status;
  }
  *out_graph = out;
  return GJ_OK;
}

// False also when there is no memory to find out.
static bool is_all_needed(const gj_graph *graph, gj_arena *scratch) {
  size_t count = gj_graph_node_count(graph) + 1, ref = 1;
  uint8_t *needed = gj_arena_array(scratch, count, 1);
  if (needed)
    gj_graph_mark_needed(graph, needed);
  while (needed && ref < count && needed[ref])
    ref++;
  return ref == count;
}

// Builds `folded` once more from its outputs, without rules, and follows the map of `in`.
static gj_status sweep(const gj_graph *in, const gj_graph *folded, gj_arena *scratch, gj_ref *map,
                       gj_graph **out_graph, gj_error *err) {
  size_t count = gj_graph_node_count(folded) + 1;
  gj_ref *kept = gj_arena_array(scratch, count, sizeof *kept);
  if (!kept)
    return gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu nodes", count - 1);
  kept[0] = 0;
  GJ_TRY(rebuild_live(folded, scratch, false, kept, out_graph, err));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(in); ref++)
    map[ref] = kept[map[ref]];
  return GJ_OK;
}

gj_status gj_pass_simplify(const gj_graph *in, gj_ref *out_map, gj_graph **out_graph,
                           gj_error *err) {
  *out_graph = NULL;
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 16);
  gj_graph *folded = NULL;
  gj_status status = rebuild_live(in, &scratch, true, out_map, &folded, err);
  // Folding may leave nodes behind that nothing uses any more (the operands of what was folded).
  if (status == GJ_OK && is_all_needed(folded, &scratch)) {
    *out_graph = folded;
    folded = NULL;
  } else if (status == GJ_OK) {
    status = sweep(in, folded, &scratch, out_map, out_graph, err);
  }
  gj_graph_free(folded);
  gj_arena_fini(&scratch);
  return status;
}
