// Simplify: rebuilds the graph through folding, exact identities, CSE and dead-code removal.
//
// Requires: a valid graph.
// Keeps:    inputs and their order, outputs and their order, every value bit for bit,
//           but for pow(x, 2), which becomes the correctly rounded x · x.
// Changes:  everything else; what no output needs is gone, equal nodes are one node.
//
// Walking the node array once is enough: operands stand before users, so each node sees operands
// that are as simple as they get. The rules are in fold.c and fold/move.c, those of functions in
// fold/control.c.
#include "passes/fold/fold.h"
#include "passes/pass.h"
#include "passes/rebuild.h"

#include <string.h>

// Inlined and specialised functions may have this many times the nodes there were, and this many.
enum { GROWTH = 4, GROWTH_NODES = 4096, SUNK_BYTES = 1 << 26, MAX_ROUNDS = 4 };

// The dtype in which the rows that a compress selects are asked for. Converting them before they
// are written spares a pass over them; it is done at selected rows only.
static gj_dtype selected_dtype(const gj__rebuild *r, gj_ref ref) {
  const gj_node *node = gj_graph_node(r->in, ref);
  const gj_node *user = r->user[ref] ? gj_graph_node(r->in, r->user[ref]) : node;
  bool alone = node->arg_count == 2 && !r->chain[ref] && user->op == GJ_OP_convert;
  return (gj_dtype)(alone ? user : node)->type.dtype;
}

// --- how nodes are rebuilt, see kinds.def ---

static gj_ref rebuild_param(gj__rebuild *r, gj_ref ref) {
  const gj_node *node = gj_graph_node(r->in, ref);
  return gj_graph_param(r->out, node->name, &node->type);
}

static gj_ref rebuild_const(gj__rebuild *r, gj_ref ref) {
  return gj_graph_const_like(r->out, gj_graph_node(r->in, ref));
}

static gj_ref rebuild_control(gj__rebuild *r, gj_ref ref) { return gj__rebuild_control(r, ref); }

static gj_ref rebuild_node(gj__rebuild *r, gj_ref ref) {
  const gj_node *node = gj_graph_node(r->in, ref);
  gj_fold f = {r->out, (gj_op)node->op, r->args, node->arg_count, node->attrs, node->type};
  gj_ref folded = r->all->rules & GJ__FOLD ? gj__fold(&f) : 0;
  return folded ? folded : gj_graph_append_like(r->out, node, r->args);
}

static gj_ref rebuild_compress(gj__rebuild *r, gj_ref ref) {
  const gj_node *node = gj_graph_node(r->in, ref);
  int64_t dtype = r->all->rules & GJ__FOLD ? selected_dtype(r, ref) : node->type.dtype;
  if (dtype != node->type.dtype) {
    gj_attrs attrs = {0};
    gj_attrs_set(&attrs, GJ_ATTR_dtype, &dtype, 1);
    r->args[1] = gj_graph_append(r->out, GJ_OP_convert, &r->args[1], 1, &attrs);
  }
  return gj_graph_append_like(r->out, node, r->args);
}

typedef gj_ref rebuild_fn(gj__rebuild *r, gj_ref ref);

static rebuild_fn *const rebuilds[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_FOLD(how, rule) rebuild_##how,
#include "ops/kinds.def"
};

void gj__rebuild_chains(const gj__rebuild *r) {
  size_t count = gj_graph_node_count(r->in);
  memset(r->chain, 0, (count + 1) * sizeof *r->chain);
  memset(r->user, 0, (count + 1) * sizeof *r->user);
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(r->in, ref);
    if (!r->live[ref])
      continue;
    if (node->op == GJ_OP_result) {
      r->chain[ref] = r->chain[node->args[0]];
      r->chain[node->args[0]] = ref;
      continue;
    }
    for (uint32_t a = 0; a < node->arg_count; a++) {
      gj_ref named = node->args[a];
      r->user[named] = r->user[named] ? named : ref;
    }
  }
  for (size_t i = 0; i < gj_graph_output_count(r->in); i++) {
    gj_ref output = gj_graph_output(r->in, i)->ref;
    r->user[output] = output;
  }
}

void gj__rebuild_nodes(gj__rebuild *r) {
  size_t inputs = 0;
  gj__rebuild_chains(r);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(r->in); ref++) {
    const gj_node *node = gj_graph_node(r->in, ref);
    size_t input = inputs;
    inputs += node->op == GJ_OP_param;
    r->map[ref] = 0;
    r->results[ref] = NULL;
    if (!r->live[ref])
      continue;
    if (r->instead && r->instead[ref]) {
      r->map[ref] = r->instead[ref];
      continue;
    }
    const gj_ref *results = node->op == GJ_OP_result ? r->results[node->args[0]] : NULL;
    if (results) {
      r->map[ref] = results[gj_node_int(node, GJ_ATTR_index)];
      continue;
    }
    for (uint32_t a = 0; a < node->arg_count; a++)
      r->args[a] = r->map[node->args[a]];
    bool given = node->op == GJ_OP_param && r->given;
    r->map[ref] = given ? r->given[input] : rebuilds[gj_op_kind_of((gj_op)node->op)](r, ref);
  }
}

static void rebuild_all(gj__rebuild *r) {
  gj_graph_share_nodes(r->out, true);
  gj__rebuild_nodes(r);
  for (size_t i = 0; i < gj_graph_output_count(r->in); i++) {
    const gj_output *output = gj_graph_output(r->in, i);
    gj_graph_set_output(r->out, output->name, r->map[output->ref]);
  }
}

// --- functions ---

int64_t gj__rebuild_add_function(gj__rebuilding *all, gj_graph *function) {
  int64_t number = gj_graph_function_add(function);
  if (number < 0)
    return number;
  uint64_t hash = gj_graph_function_hash(function);
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(&all->equal, hash, &cursor)) != 0;)
    if (gj_graph_function_equal(gj_graph_function(function, i - 1), function))
      return i - 1;
  (void)gj_table_add(&all->equal, hash, (uint32_t)number + 1); // without it only sharing is lost
  return number;
}

// Functions that are called, in their order; `r` is of the graph, its arrays are room for any.
static void rebuild_functions(const gj__rebuild *r, const uint8_t *called, uint8_t *live) {
  for (size_t i = 0; i < gj_graph_function_count(r->in); i++) {
    gj__rebuild own = *r;
    own.in = gj_graph_function(r->in, i);
    own.out = called[i] ? gj_graph_function_new(r->out, gj_graph_name(own.in)) : NULL;
    if (!own.out)
      continue;
    gj_graph_mark_needed(own.in, live);
    rebuild_all(&own);
    r->functions[i] = gj__rebuild_add_function(r->all, own.out);
  }
}

void gj__measure(const gj_graph *graph, size_t *most_nodes, size_t *most_args) {
  size_t count = gj_graph_node_count(graph);
  *most_nodes = count > *most_nodes ? count : *most_nodes;
  for (gj_ref ref = 1; ref <= count; ref++)
    if (gj_graph_node(graph, ref)->arg_count > *most_args)
      *most_args = gj_graph_node(graph, ref)->arg_count;
}

static void count_sites(const gj_graph *graph, uint32_t *sites) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_attr_list *list = &gj_graph_node(graph, ref)->attrs->list[GJ_ATTR_functions];
    for (size_t i = 0; i < list->count; i++)
      sites[list->values[i]]++;
  }
}

static size_t total_nodes(const gj_graph *graph) {
  size_t total = gj_graph_node_count(graph);
  for (size_t i = 0; i < gj_graph_function_count(graph); i++)
    total += gj_graph_node_count(gj_graph_function(graph, i));
  return total;
}

static gj_status rebuild_live(const gj_graph *in, gj_arena *scratch, unsigned rules, gj_ref *map,
                              gj_graph **out_graph, gj_error *err) {
  size_t nodes = 0, args = 1, functions = gj_graph_function_count(in);
  gj__measure(in, &nodes, &args);
  for (size_t i = 0; i < functions; i++)
    gj__measure(gj_graph_function(in, i), &nodes, &args);
  uint8_t *live = gj_arena_array(scratch, nodes + 1, 1);
  uint8_t *called = gj_arena_array(scratch, functions + 1, 1);
  uint32_t *sites = gj_arena_array(scratch, functions + 1, sizeof *sites);
  gj__rebuilding all = {.scratch = scratch,
                        .sites = sites,
                        .budget = GROWTH * total_nodes(in) + GROWTH_NODES,
                        .sunk_bytes = SUNK_BYTES,
                        .rules = (uint8_t)rules};
  gj__rebuild r = {.all = &all, .in = in, .out = gj_graph_new_like(in), .live = live};
  r.map = gj_arena_array(scratch, nodes + 1, sizeof *r.map);
  r.results = gj_arena_array(scratch, nodes + 1, sizeof *r.results);
  r.chain = gj_arena_array(scratch, nodes + 1, sizeof *r.chain);
  r.user = gj_arena_array(scratch, nodes + 1, sizeof *r.user);
  r.args = gj_arena_array(scratch, args, sizeof *r.args);
  r.functions = gj_arena_array(scratch, functions + 1, sizeof *r.functions);
  if (!live || !called || !sites || !r.out || !r.map || !r.results || !r.chain || !r.user ||
      !r.args || !r.functions) {
    gj_graph_free(r.out);
    return gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu nodes", nodes);
  }
  memset(sites, 0, (functions + 1) * sizeof *sites);
  for (size_t i = 0; i < functions; i++)
    count_sites(gj_graph_function(in, i), sites);
  count_sites(in, sites);
  gj_graph_mark_needed(in, live);
  gj_graph_mark_called(in, live, called);
  rebuild_functions(&r, called, live);
  gj_graph_mark_needed(in, live);
  r.map = map;
  rebuild_all(&r);
  gj_table_fini(&all.equal);
  gj_status status = gj_graph_take_error(r.out, err);
  if (all.out_of_memory)
    status = gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu functions", functions);
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
  gj__measure(graph, &nodes, &args);
  for (size_t i = 0; i < functions; i++)
    gj__measure(gj_graph_function(graph, i), &nodes, &args);
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

// Builds `folded` once more and follows the map of `in`; frees `folded`.
static gj_status again(const gj_graph *in, gj_graph *folded, gj_arena *scratch, unsigned rules,
                       gj_ref *map, gj_graph **out_graph, gj_error *err) {
  size_t count = gj_graph_node_count(folded) + 1;
  gj_ref *kept = gj_arena_array(scratch, count, sizeof *kept);
  gj_status status = GJ_OK;
  *out_graph = NULL;
  if (!kept)
    status = gj_fail(err, GJ_E_MEMORY, "simplify: out of memory for %zu nodes", count - 1);
  if (status == GJ_OK) {
    kept[0] = 0;
    status = rebuild_live(folded, scratch, rules, kept, out_graph, err);
  }
  for (gj_ref ref = 1; status == GJ_OK && ref <= gj_graph_node_count(in); ref++)
    map[ref] = kept[map[ref]];
  gj_graph_free(folded);
  return status;
}

// Folding may leave nodes behind that nothing uses any more (the operands of what was folded), and
// without those functions may be equal that were not.
static gj_status sweep(const gj_graph *in, gj_arena *scratch, gj_ref *map, gj_graph **graph,
                       gj_error *err) {
  gj_status status = GJ_OK;
  while (status == GJ_OK && !is_all_needed(*graph, scratch))
    status = again(in, *graph, scratch, 0, map, graph, err);
  return status;
}

static unsigned rules_until(gj_pass_id until) {
  unsigned rules = GJ__FOLD;
  rules |= gj_pass_runs(GJ_PASS_inline, until) ? GJ__INLINE : 0;
  rules |= gj_pass_runs(GJ_PASS_hoist, until) ? GJ__HOIST : 0;
  rules |= gj_pass_runs(GJ_PASS_shrink, until) ? GJ__SHRINK : 0;
  return rules;
}

// What is known of one function may simplify those it calls, and what these no longer use may
// simplify who calls them, so graphs with functions are folded until they stay as they are.
gj_status gj_pass_simplify(const gj_graph *in, gj_pass_id until, gj_ref *out_map,
                           gj_graph **out_graph, gj_error *err) {
  *out_graph = NULL;
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 16);
  gj_graph *done = NULL;
  unsigned rules = rules_until(until);
  gj_status status = rebuild_live(in, &scratch, rules, out_map, &done, err);
  if (status == GJ_OK)
    status = sweep(in, &scratch, out_map, &done, err);
  size_t before = SIZE_MAX;
  for (int round = 1; status == GJ_OK && round < MAX_ROUNDS; round++) {
    if (gj_graph_function_count(done) == 0 || total_nodes(done) == before)
      break;
    before = total_nodes(done);
    status = again(in, done, &scratch, rules, out_map, &done, err);
    if (status == GJ_OK)
      status = sweep(in, &scratch, out_map, &done, err);
  }
  gj_arena_fini(&scratch);
  *out_graph = done;
  return status;
}
