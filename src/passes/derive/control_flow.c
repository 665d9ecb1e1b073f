// Which values depend on which, through functions: see control.h.
//
// A control op passes on what its functions do, result by result; a loop what its body does in any
// number of rounds. A function that gives its own cotangents may give them to all of its operands.
#include "passes/derive/control.h"

typedef struct flow {
  gj_arena *arena;
  const gj_graph *graph;
  uint8_t *marks;
  uint8_t **results; // by ref of a control op: which results depend
} flow;

static bool is_float(const gj_graph *graph, gj_ref ref) {
  return gj_dtype_is_float(gj_graph_node(graph, ref)->type.dtype);
}

bool gj__d_flow(gj_arena *arena, const gj_graph *f, const uint8_t *inputs, uint8_t *out_outputs) {
  size_t count = gj_graph_node_count(f);
  uint8_t *marks = gj_arena_array(arena, count + 1, 1);
  if (!marks)
    return false;
  for (size_t i = 0; i < gj_graph_input_count(f); i++)
    marks[gj_graph_input(f, i)] = inputs[i] ? GJ__FLOWS : 0;
  if (!gj__d_mark(arena, f, count, marks))
    return false;
  for (size_t i = 0; i < gj_graph_output_count(f); i++) {
    gj_ref ref = gj_graph_output(f, i)->ref;
    out_outputs[i] = marks[ref] & GJ__FLOWS && is_float(f, ref);
  }
  return true;
}

// --- control ops ---

static const gj_graph *function_of(const gj_graph *graph, const gj_node *node, size_t i) {
  return gj_graph_function(graph, (size_t)node->attrs->list[GJ_ATTR_functions].values[i]);
}

static bool flow_of_choice(gj_arena *arena, const gj_graph *graph, const gj_node *node,
                           const uint8_t *operands, uint8_t *out_results) {
  size_t functions = node->attrs->list[GJ_ATTR_functions].count;
  uint8_t *own = gj_arena_array(arena, node->result_count, 1);
  if (!own)
    return false;
  if (node->op == GJ_OP_call && functions > 1) {
    const gj_graph *f = function_of(graph, node, 0);
    for (uint32_t i = 0; i < node->arg_count; i++)
      own[0] |= operands[i];
    for (uint32_t k = 0; k < node->result_count; k++)
      out_results[k] = own[0] && gj_dtype_is_float(gj_graph_output_type(f, k)->dtype);
    return true;
  }
  for (size_t i = 0; i < functions; i++) {
    const gj_graph *f = function_of(graph, node, i);
    if (!gj__d_flow(arena, f, operands + gj__first_input(node), own))
      return false;
    for (uint32_t k = 0; k < node->result_count; k++)
      out_results[k] |= own[k];
  }
  return true;
}

// Until no further carried value comes to depend on what is marked.
static bool flow_of_loop(gj_arena *arena, const gj_graph *graph, const gj_node *node,
                         uint8_t *operands, uint8_t *out_results) {
  size_t carried = (size_t)gj_node_int(node, GJ_ATTR_carried), lead = node->op == GJ_OP_for;
  const gj_graph *body = function_of(graph, node, node->op == GJ_OP_while);
  uint8_t *inputs = gj_arena_array(arena, node->arg_count + lead, 1);
  bool changed = true;
  if (!inputs)
    return false;
  while (changed) {
    changed = false;
    memcpy(inputs + lead, operands, node->arg_count);
    if (!gj__d_flow(arena, body, inputs, out_results))
      return false;
    for (size_t i = 0; i < carried; i++) {
      changed = changed || (out_results[i] && !operands[i]);
      operands[i] |= out_results[i];
    }
  }
  memcpy(out_results, operands, carried);
  return true;
}

bool gj__d_flow_control(gj_arena *arena, const gj_graph *graph, const gj_node *node,
                        uint8_t *operands, uint8_t *out_results) {
  return node->attrs->set & GJ_HAS_CARRIED
             ? flow_of_loop(arena, graph, node, operands, out_results)
             : flow_of_choice(arena, graph, node, operands, out_results);
}

// What each carried value feeds in one round, a row of outputs each.
static bool find_rows(gj_arena *arena, const gj_graph *body, size_t lead, size_t carried,
                      const uint8_t *flows, uint8_t *rows) {
  uint8_t *inputs = gj_arena_array(arena, gj_graph_input_count(body) + 1, 1);
  for (size_t i = 0; inputs && i < carried; i++) {
    inputs[lead + i] = flows[i];
    if (flows[i] && !gj__d_flow(arena, body, inputs, rows + i * gj_graph_output_count(body)))
      return false;
    inputs[lead + i] = 0;
  }
  return inputs != NULL;
}

bool gj__d_flow_back(const gj_graph *body, size_t lead, size_t carried, const uint8_t *flows,
                     uint8_t *out_given) {
  gj_arena arena; // of its own, since marks are made for each carried value
  gj_arena_init(&arena, 0);
  size_t outputs = gj_graph_output_count(body);
  uint8_t *rows = gj_arena_array(&arena, carried * outputs + 1, 1);
  bool found = rows && find_rows(&arena, body, lead, carried, flows, rows), changed = found;
  for (size_t i = 0; i < carried; i++)
    out_given[i] &= flows[i];
  while (changed) {
    changed = false;
    for (size_t i = 0; i < carried; i++)
      for (size_t k = 0; k < outputs && !out_given[i]; k++)
        if (rows[i * outputs + k] && out_given[k]) {
          out_given[i] = 1;
          changed = true;
        }
  }
  gj_arena_fini(&arena);
  return found;
}

// --- nodes ---

static bool mark_control(flow *w, gj_ref ref, const gj_node *node) {
  uint8_t *operands = gj_arena_array(w->arena, node->arg_count, 1);
  uint8_t *results = w->results[ref] = gj_arena_array(w->arena, node->result_count, 1);
  bool some = false;
  if (!operands || !results)
    return false;
  for (uint32_t a = 0; a < node->arg_count; a++) {
    operands[a] = w->marks[node->args[a]] & GJ__FLOWS && is_float(w->graph, node->args[a]);
    some = some || operands[a];
  }
  if (some && !gj__d_flow_control(w->arena, w->graph, node, operands, results))
    return false;
  w->marks[ref] |= results[0] ? GJ__FLOWS : 0;
  for (uint32_t k = 0; k < node->result_count; k++)
    w->marks[ref] |= results[k] ? GJ__SOME : 0;
  return true;
}

static void mark_result(flow *w, gj_ref ref, const gj_node *node) {
  gj_ref owner = node->args[0];
  bool depends = w->results[owner] ? w->results[owner][gj_node_int(node, GJ_ATTR_index)] != 0
                                   : (w->marks[owner] & GJ__SOME) != 0;
  if (depends && gj_dtype_is_float(node->type.dtype))
    w->marks[ref] |= GJ__FLOWS | GJ__SOME;
}

static void mark_plain(flow *w, gj_ref ref, const gj_node *node) {
  bool depends = false;
  for (uint32_t a = 0; a < node->arg_count; a++)
    depends = depends || (w->marks[node->args[a]] & GJ__FLOWS && is_float(w->graph, node->args[a]));
  if (depends && gj__d_passes_on(node))
    w->marks[ref] |= GJ__FLOWS | GJ__SOME;
}

bool gj__d_mark(gj_arena *arena, const gj_graph *graph, size_t count, uint8_t *marks) {
  flow w = {arena, graph, marks, gj_arena_array(arena, count + 1, sizeof *w.results)};
  if (!w.results)
    return false;
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(graph, ref);
    if (node->op == GJ_OP_result)
      mark_result(&w, ref, node);
    else if (!gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS))
      mark_plain(&w, ref, node);
    else if (!mark_control(&w, ref, node))
      return false;
  }
  return true;
}
