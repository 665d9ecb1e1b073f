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
#include "base/table.h"
#include "passes/fold.h"
#include "passes/pass.h"

// A graph on its way from `in` to `out`, which folds as it goes or only drops what is not needed.
typedef struct rebuild {
  const gj_graph *in; // the graph, or one of its functions
  gj_graph *out;
  bool fold;
  const uint8_t *live; // by ref of `in`: 1 for nodes to keep
  gj_ref *map;         // by ref of `in`: the ref in `out`, 0 for others
  gj_ref *args;        // room for the longest operand list
  int64_t *functions;  // by number: the number in `out`
  gj_table *equal;     // hash of a function of `out` → its number + 1
} rebuild;

// The same op with the functions that took the place of its own.
static gj_ref rebuild_control(const rebuild *r, const gj_node *node) {
  int64_t numbers[GJ_MAX_LIST];
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  gj_attrs attrs = *node->attrs;
  for (size_t i = 0; i < list->count; i++)
    numbers[i] = r->functions[list->values[i]];
  gj_attrs_set(&attrs, GJ_ATTR_functions, numbers, list->count);
  return gj_graph_append(r->out, (gj_op)node->op, r->args, node->arg_count, &attrs);
}

static gj_ref rebuild_node(const rebuild *r, const gj_node *node) {
  if (node->op == GJ_OP_param)
    return gj_graph_param(r->out, node->name, &node->type);
  if (node->op == GJ_OP_const)
    return gj_graph_const(r->out, &node->type, node->data, node->data_size);
  if (gj_op_get((gj_op)node->op)->kind == GJ_OP_KIND_CONTROL)
    return rebuild_control(r, node);
  gj_fold f = {r->out, (gj_op)node->op, r->args, node->arg_count, node->attrs, node->type};
  gj_ref folded = 0;
  if (r->fold)
    folded = gj_op_is_elementwise(f.op) ? gj__fold_elementwise(&f) : gj__fold_movement(&f);
  return folded ? folded : gj_graph_append_like(r->out, node, r->args);
}

static void rebuild_all(const rebuild *r) {
  gj_graph_share_nodes(r->out, true);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(r->in); ref++) {
    r->map[ref] = 0;
    if (!r->live[ref])
      continue;
    const gj_node *node = gj_graph_node(r->in, ref);
    for (uint32_t a = 0; a < node->arg_count; a++)
      r->args[a] = r->map[node->args[a]];
    r->map[ref] = rebuild_node(r, node);
  }
  for (size_t i = 0; i < gj_graph_output_count(r->in); i++) {
    const gj_output *output = gj_graph_output(r->in, i);
    gj_graph_set_output(r->out, output->name, r->map[output->ref]);
  }
}

// --- functions ---

// Adds a function, or finds the one that it is equal to; then it is called by nobody.
static int64_t add_function(gj_graph *function, gj_table *equal) {
  int64_t number = gj_graph_function_add(function);
  if (number < 0)
    return number;
  uint64_t hash = gj_graph_function_hash(function);
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(equal, hash, &cursor)) != 0;)
    if (gj_graph_function_equal(gj_graph_function(function, i - 1), function))
      return i - 1;
  (void)gj_table_add(equal, hash, (uint32_t)number + 1); // without it only sharing is lost
  return number;
}

// Functions that are called, in their order; `r` is of the graph, its map and `live` are room for
// any of them.
static void rebuild_functions(const rebuild *r, const uint8_t *called, uint8_t *live) {
  for (size_t i = 0; i < gj_graph_function_count(r->in); i++) {
    rebuild own = *r;
    own.in = gj_graph_function(r->in, i);
    own.out = called[i] ? gj_graph_function_new(r->out, gj_graph_name(own.in)) : NULL;
    own.live = live;
    if (!own.out)
      continue;
    gj_graph_mark_needed(own.in, live);
    rebuild_all(&own);
    r->functions[i] = add_function(own.out, r->equal);
  }
}

// The most nodes and the most operands that the graph or a function has.
static void measure(const gj_graph *graph, size_t *most_nodes, size_t *most_args) {
  size_t count = gj_graph_node_count(graph);
  *most_nodes = count > *most_nodes ? count : *most_nodes;
  for (gj_ref ref = 1; ref <= count; ref++)
    if (gj_graph_node(graph, ref)->arg_count > *most_args)
      *most_args = gj_graph_node(graph, ref)->arg_count;
}

static gj_status rebuild_live(const gj_graph *in, gj_arena *scratch, bool fold, gj_ref *map,
                              gj_graph **out_graph, gj_error *err) {
  size_t nodes = 0, args = 1, functions = gj_graph_function_count(in);
  measure(in, &nodes, &args);
  for (size_t i = 0; i < functions; i++)
    measure(gj_graph_function(in, i), &nodes, &args);
  gj_table equal = {0};
  uint8_t *live = gj_arena_array(scratch, nodes + 1, 1);
  uint8_t *called = gj_arena_array(scratch, functions + 1, 1);
  rebuild r = {in, gj_graph_new_like(in), fold, live, NULL, NULL, NULL, &equal};
  r.map = gj_arena_array(scratch, nodes + 1, sizeof *r.map);
  r.args = gj_arena_array(scratch, args, sizeof *r.args);
  r.functions = gj_arena_array(scratch, functions + 1, sizeof *r.functions);
  if (!live || !called || !r.out || !r.map || !r.args || !r.functions) {
    gj_graph_free(r.out);
    return gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu nodes", nodes);
  }
  gj_graph_mark_needed(in, live);
  gj_graph_mark_called(in, live, called);
  rebuild_functions(&r, called, live);
  gj_graph_mark_needed(in, live);
  r.map = map;
  rebuild_all(&r);
  gj_table_fini(&equal);
  gj_status status = gj_graph_take_error(r.out, err);
  if (status != GJ_OK) {
    gj_graph_free(r.out);
    return status;
  }
  *out_graph = r.out;
  return GJ_OK;
}

static bool all_marked(const uint8_t *marks, size_t count) {
  size_t i = 0;
  while (i < count && marks[i])
    i++;
  return i == count;
}

// True also when there is no memory to find out.
static bool is_all_needed(const gj_graph *graph, gj_arena *scratch) {
  size_t nodes = 0, args = 0, functions = gj_graph_function_count(graph);
  measure(graph, &nodes, &args);
  for (size_t i = 0; i < functions; i++)
    measure(gj_graph_function(graph, i), &nodes, &args);
  uint8_t *needed = gj_arena_array(scratch, nodes + 1, 1);
  uint8_t *called = gj_arena_array(scratch, functions + 1, 1);
  if (!needed || !called)
    return true;
  gj_graph_mark_needed(graph, needed);
  gj_graph_mark_called(graph, needed, called);
  bool all = all_marked(called, functions) && all_marked(needed + 1, gj_graph_node_count(graph));
  for (size_t i = 0; all && i < functions; i++) {
    const gj_graph *function = gj_graph_function(graph, i);
    gj_graph_mark_needed(function, needed);
    all = all_marked(needed + 1, gj_graph_node_count(function));
  }
  return all;
}

// Builds `folded` once more from what is needed, without rules, and follows the map of `in`.
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
  gj_graph *done = NULL;
  gj_status status = rebuild_live(in, &scratch, true, out_map, &done, err);
  // Folding may leave nodes behind that nothing uses any more (the operands of what was folded),
  // and without those functions may be equal that were not.
  while (status == GJ_OK && !is_all_needed(done, &scratch)) {
    gj_graph *swept = NULL;
    status = sweep(in, done, &scratch, out_map, &swept, err);
    gj_graph_free(done);
    done = swept;
  }
  gj_arena_fini(&scratch);
  *out_graph = done;
  return status;
}
