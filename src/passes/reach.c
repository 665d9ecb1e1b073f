// Parts of functions: what some of their values need, and building that anew.
//
// A function is rebuilt into the graph where it is called, with the operands as its inputs, or into
// a specialised one. Everything made counts against a budget.
#include "passes/fold/control.h"

#include <string.h>

void *gj__control_room(const gj__control *c, size_t count, size_t size) {
  void *array = gj_arena_array(c->scratch, count + 1, size);
  if (array)
    memset(array, 0, (count + 1) * size);
  else
    c->r->all->out_of_memory = true;
  return array;
}

bool gj__control_spend(const gj__control *c, size_t nodes) {
  if (nodes > c->r->all->budget)
    return false;
  c->r->all->budget -= nodes;
  return true;
}

bool gj__reach_begin(const gj__control *c, const gj_graph *f, gj__reach *out) {
  size_t count = gj_graph_node_count(f), inputs = gj_graph_input_count(f);
  *out = (gj__reach){.f = f, .live = gj__control_room(c, count, 1)};
  out->stack = gj__control_room(c, count, sizeof *out->stack);
  out->input_of = gj__control_room(c, count, sizeof *out->input_of);
  out->found = gj__control_room(c, inputs, sizeof *out->found);
  if (!out->live || !out->stack || !out->input_of || !out->found)
    return false;
  for (size_t i = 0; i < inputs; i++)
    out->input_of[gj_graph_input(f, i)] = i;
  return true;
}

// Marks a value and all it needs.
void gj__reach_ref(gj__reach *at, gj_ref ref) {
  size_t depth = 0;
  if (!at->live[ref])
    at->stack[depth++] = ref;
  at->live[ref] = 1;
  while (depth > 0) {
    const gj_node *node = gj_graph_node(at->f, at->stack[--depth]);
    if (node->op == GJ_OP_param)
      at->found[at->found_count++] = at->input_of[at->stack[depth]];
    for (uint32_t a = 0; a < node->arg_count; a++)
      if (!at->live[node->args[a]]) {
        at->live[node->args[a]] = 1;
        at->stack[depth++] = node->args[a];
      }
  }
}

void gj__reach_output(gj__reach *at, size_t index) {
  gj__reach_ref(at, gj_graph_output(at->f, index)->ref);
}

// --- building ---

// What was reached of a function as nodes of `out`, which has `given` as inputs: by ref what stands
// for it, NULL after a failure.
gj_ref *gj__control_build(const gj__control *c, const gj__reach *need, gj_graph *out,
                          const gj_ref *given, const gj_ref *instead) {
  size_t nodes = gj_graph_node_count(need->f), most = 0, args = 1;
  gj__measure(need->f, &most, &args);
  gj__rebuild own = {
      .all = c->r->all, .in = need->f, .out = out, .given = given, .instead = instead};
  own.map = gj__control_room(c, nodes, sizeof *own.map);
  own.results = gj__control_room(c, nodes, sizeof *own.results);
  own.chain = gj__control_room(c, nodes, sizeof *own.chain);
  own.user = gj__control_room(c, nodes, sizeof *own.user);
  own.args = gj__control_room(c, args, sizeof *own.args);
  if (!own.map || !own.results || !own.chain || !own.user || !own.args)
    return NULL;
  own.live = need->live;
  gj__rebuild_nodes(&own);
  return own.map;
}

// The outputs of `f` that are asked for, in `out`, which has `given` as inputs; NULL after failure.
gj_ref *gj__control_outputs(const gj__control *c, const gj_graph *f, gj_graph *out,
                            const gj_ref *given, const uint8_t *asked) {
  size_t outputs = gj_graph_output_count(f);
  gj__reach need;
  gj_ref *results = gj__control_room(c, outputs, sizeof *results);
  if (!gj__reach_begin(c, f, &need) || !results)
    return NULL;
  for (size_t i = 0; i < outputs; i++)
    if (asked[i])
      gj__reach_output(&need, i);
  const gj_ref *map = gj__control_build(c, &need, out, given, NULL);
  for (size_t i = 0; map && i < outputs; i++)
    results[i] = asked[i] ? map[gj_graph_output(f, i)->ref] : 0;
  return map ? results : NULL;
}

gj_ref gj__control_result_of(const gj__control *c, gj_ref ref, size_t index) {
  int64_t value = (int64_t)index;
  gj_attrs attrs = {0};
  if (index == 0)
    return ref;
  gj_attrs_set(&attrs, GJ_ATTR_index, &value, 1);
  return gj_graph_append(c->r->out, GJ_OP_result, &ref, 1, &attrs);
}

gj_ref gj__control_param(gj_graph *to, const gj_graph *f, size_t input) {
  const gj_node *node = gj_graph_node(f, gj_graph_input(f, input));
  return gj_graph_param(to, node->name, &node->type);
}
