// Functions of control ops: which of their outputs are batched when some inputs are, and the
// functions that compute that.
//
// What was found of a function is kept for each set of flags, so that one that is called at many
// places, by functions that are called at many places, is looked at once.
#include "passes/batch/rules.h"

// A function for flags of its inputs.
struct gj__b_variant {
  const gj__b_variant *next;
  const uint8_t *inputs;
  const uint8_t *outputs; // those that it makes batched, or is to
  int64_t made; // the function with these outputs; -1: outputs are what they are by themselves
};

// `outputs` NULL: what they are by themselves.
static const gj__b_variant *find(const gj__batching *all, const gj_graph *function,
                                 const uint8_t *inputs, const uint8_t *outputs) {
  size_t ins = gj_graph_input_count(function), outs = gj_graph_output_count(function);
  const gj__b_variant *v = all->variants[gj_graph_function_number(function)];
  for (; v; v = v->next)
    if (memcmp(v->inputs, inputs, ins) == 0 && (v->made < 0) == !outputs &&
        (!outputs || memcmp(v->outputs, outputs, outs) == 0))
      return v;
  return NULL;
}

static const gj__b_variant *keep(gj__batching *all, const gj_graph *function, const uint8_t *inputs,
                                 const uint8_t *outputs, int64_t made) {
  int64_t number = gj_graph_function_number(function);
  gj__b_variant *v = gj_arena_alloc(&all->arena, sizeof *v);
  if (!v)
    return NULL;
  v->next = all->variants[number];
  v->inputs = gj_arena_copy(&all->arena, inputs, gj_graph_input_count(function));
  v->outputs = gj_arena_copy(&all->arena, outputs, gj_graph_output_count(function));
  v->made = made;
  if (!v->inputs || !v->outputs)
    return NULL;
  all->variants[number] = v;
  return v;
}

// --- flags ---

static bool any_of(const uint8_t *flags, size_t count) {
  return count > 0 && memchr(flags, 1, count) != NULL;
}

// Adds flags to others; whether there were new ones.
static bool join(uint8_t *flags, const uint8_t *others, size_t count) {
  bool grew = false;
  for (size_t i = 0; i < count; i++) {
    grew = grew || others[i] > flags[i];
    flags[i] |= others[i];
  }
  return grew;
}

static const uint8_t *flags_of(gj__batching *all, const gj_graph *graph, const gj_node *node,
                               size_t function, const uint8_t *inputs) {
  size_t number = (size_t)node->attrs->list[GJ_ATTR_functions].values[function];
  return gj__b_flags(all, graph, number, inputs);
}

// A value that a round makes batched is so from the first one on, and all are where examples stop
// in rounds of their own.
static bool while_flags(gj__batching *all, const gj_graph *graph, const gj_node *node,
                        uint8_t *state, bool *out_condition) {
  size_t carried = (size_t)gj_node_int(node, GJ_ATTR_carried);
  for (bool grew = true; grew;) {
    const uint8_t *condition = flags_of(all, graph, node, 0, state);
    const uint8_t *next = condition ? flags_of(all, graph, node, 1, state) : NULL;
    if (!next)
      return false;
    *out_condition = condition[0];
    grew = join(state, next, carried);
    for (size_t i = 0; condition[0] && i < carried; i++) {
      grew = grew || !state[i];
      state[i] = 1;
    }
  }
  return true;
}

bool gj__b_control_flags(gj__batching *all, const gj_graph *graph, const gj_node *node,
                         const uint8_t *args, uint8_t *out_results, bool *out_condition) {
  uint8_t *state = gj_arena_alloc(&all->arena, node->arg_count + (size_t)1);
  const uint8_t *next = NULL;
  if (!state)
    return false;
  if (node->op == GJ_OP_while) {
    memcpy(state, args, node->arg_count);
    if (!while_flags(all, graph, node, state, out_condition))
      return false;
    memcpy(out_results, state, node->result_count);
    return true;
  }
  if (node->op == GJ_OP_for) {
    memcpy(state + 1, args, node->arg_count);
    do
      next = flags_of(all, graph, node, 0, state);
    while (next && join(state + 1, next, (size_t)gj_node_int(node, GJ_ATTR_carried)));
    if (next)
      memcpy(out_results, next, node->result_count);
    return next && (join(out_results, state + 1, (size_t)gj_node_int(node, GJ_ATTR_carried)), true);
  }
  bool chooses = node->op == GJ_OP_cond || node->op == GJ_OP_switch;
  uint8_t count = node->attrs->list[GJ_ATTR_functions].count;
  if (!chooses && count > 1) { // see gj__batch_call()
    memset(out_results, any_of(args, node->arg_count), node->result_count);
    return true;
  }
  memset(out_results, chooses && args[0], node->result_count);
  for (uint8_t i = 0; i < count; i++) {
    next = flags_of(all, graph, node, i, args + chooses);
    if (!next)
      return false;
    join(out_results, next, node->result_count);
  }
  return true;
}

// By ref of a function: which results are batched.
static bool node_flags(gj__batching *all, const gj_graph *function, gj_ref ref, uint8_t **own) {
  const gj_node *node = gj_graph_node(function, ref);
  size_t count = gj_node_result_count(node);
  bool condition;
  if (own[ref])
    return true;
  if (node->op == GJ_OP_result) {
    own[ref] = own[node->args[0]] + gj_node_int(node, GJ_ATTR_index);
    return true;
  }
  uint8_t *args = gj_arena_alloc(&all->arena, node->arg_count);
  own[ref] = gj_arena_alloc(&all->arena, count);
  if (!args || !own[ref])
    return false;
  for (uint32_t i = 0; i < node->arg_count; i++)
    args[i] = own[node->args[i]][0];
  if (gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS))
    return gj__b_control_flags(all, function, node, args, own[ref], &condition);
  memset(own[ref], any_of(args, node->arg_count), count);
  return true;
}

const uint8_t *gj__b_flags(gj__batching *all, const gj_graph *graph, size_t number,
                           const uint8_t *inputs) {
  const gj_graph *function = gj_graph_function(graph, number);
  const gj__b_variant *known = find(all, function, inputs, NULL);
  if (known)
    return known->outputs;
  size_t count = gj_graph_node_count(function);
  uint8_t **own = gj_arena_array(&all->arena, count + 1, sizeof *own);
  uint8_t *given = gj_arena_copy(&all->arena, inputs, gj_graph_input_count(function));
  uint8_t *outputs = gj_arena_alloc(&all->arena, gj_graph_output_count(function));
  if (!own || !given || !outputs)
    return NULL;
  for (size_t i = 0; i < gj_graph_input_count(function); i++)
    own[gj_graph_input(function, i)] = given + i;
  for (gj_ref ref = 1; ref <= count; ref++)
    if (!node_flags(all, function, ref, own))
      return NULL;
  for (size_t k = 0; k < gj_graph_output_count(function); k++)
    outputs[k] = own[gj_graph_output(function, k)->ref][0];
  known = keep(all, function, inputs, outputs, -1);
  return known ? known->outputs : NULL;
}

// --- functions ---

int64_t gj__b_add_function(gj__batch *b, gj_graph *function) {
  gj_error error;
  int64_t number = -1;
  gj_graph *keeper = function; // of the error
  if (gj_graph_take_error(function, &error) == GJ_OK) {
    number = gj_graph_function_add(function);
    keeper = gj_graph_root(function);
    if (gj_graph_take_error(keeper, &error) == GJ_OK)
      return number;
  }
  gj_graph_refuse(b->out, &error);
  return -1;
}

// The inputs of `to`, like those of the function.
static bool append_inputs(gj__batch *b, const gj_graph *function, const uint8_t *flags,
                          gj_batched *out) {
  for (size_t i = 0; i < gj_graph_input_count(function); i++) {
    const gj_node *input = gj_graph_node(function, gj_graph_input(function, i));
    gj_type type = flags[i] ? gj__b_batched_type(b, &input->type) : input->type;
    out[i] = (gj_batched){gj_graph_param(b->out, input->name, &type), flags[i]};
    if (!out[i].ref)
      return false;
  }
  return true;
}

static bool build(gj__batch *b, const gj_graph *function, const uint8_t *inputs,
                  const uint8_t *outputs) {
  gj_batched *given = gj__b_room(b, gj_graph_input_count(function), sizeof *given);
  gj_batched *results = gj__b_room(b, gj_graph_output_count(function), sizeof *results);
  if (!given || !results || !append_inputs(b, function, inputs, given) ||
      !gj__b_append_function(b->all, function, b->out, given, results))
    return false;
  for (size_t k = 0; k < gj_graph_output_count(function); k++) {
    gj_ref ref = outputs[k] ? gj__b_spread(b, results[k]) : results[k].ref;
    gj_graph_set_output(b->out, gj_graph_output(function, k)->name, ref);
  }
  return true;
}

int64_t gj__b_function(gj__batch *b, size_t number, const uint8_t *inputs, const uint8_t *outputs) {
  const gj_graph *function = gj_graph_function(b->out, number);
  const gj__b_variant *known = find(b->all, function, inputs, outputs);
  if (known)
    return known->made;
  if (!any_of(inputs, gj_graph_input_count(function)) &&
      !any_of(outputs, gj_graph_output_count(function)))
    return (int64_t)number;
  gj__batch own = {.all = b->all, .out = gj_graph_function_new(b->out, gj_graph_name(function))};
  if (!own.out)
    return -1;
  build(&own, function, inputs, outputs);
  int64_t made = gj__b_add_function(b, own.out);
  if (made >= 0 && !keep(b->all, function, inputs, outputs, made))
    gj__b_no_memory(b);
  return made;
}

const gj_ref *gj__b_call(gj__batch *b, int64_t number, const gj_ref *inputs) {
  if (number < 0)
    return NULL;
  const gj_graph *function = gj_graph_function(b->out, (size_t)number);
  size_t count = gj_graph_output_count(function);
  gj_ref *results = gj__b_room(b, count, sizeof *results);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_ref first = gj__b_append(b, GJ_OP_call, inputs, gj_graph_input_count(function), &attrs);
  for (size_t i = 0; results && i < count; i++)
    if (!(results[i] = gj__b_result(b, first, i)))
      return NULL;
  return results;
}
