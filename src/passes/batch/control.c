// Rules of control: functions run on whole batches.
//
// A choice that all examples share is still one; where each has its own, all functions run and
// results are selected. A loop goes on while any example does, and what an example that has stopped
// computes further is dropped. Carried values that any round makes batched are so from the start.
#include "passes/batch/rules.h"

#include <stdio.h>

static uint8_t *flags_of(gj__batch *b, const gj_batched *args, size_t count) {
  uint8_t *flags = gj__b_room(b, count + 1, 1);
  for (size_t i = 0; flags && i < count; i++)
    flags[i] = args[i].batched;
  return flags;
}

static gj_ref *refs_of(gj__batch *b, const gj_batched *args, size_t count) {
  gj_ref *refs = gj__b_room(b, count + 1, sizeof *refs);
  for (size_t i = 0; refs && i < count; i++)
    refs[i] = args[i].ref;
  return refs;
}

// What a rule of a control op begins with.
typedef struct control {
  size_t carried;
  const int64_t *functions;
  uint8_t *args;    // flags, those of carried values as they are in any round
  uint8_t *results; // flags
  bool condition;   // of a while: whether it is batched
  gj_ref *refs;     // of the operands
} control;

static bool begin(gj__batch *b, const gj_node *node, const gj_batched *args, control *c) {
  bool loops = node->op == GJ_OP_while || node->op == GJ_OP_for;
  *c = (control){.carried = loops ? (size_t)gj_node_int(node, GJ_ATTR_carried) : 0,
                 .functions = node->attrs->list[GJ_ATTR_functions].values,
                 .args = flags_of(b, args, node->arg_count),
                 .results = gj__b_room(b, node->result_count, 1),
                 .refs = refs_of(b, args, node->arg_count)};
  if (!c->args || !c->results || !c->refs)
    return false;
  if (!gj__b_control_flags(b->all, b->out, node, c->args, c->results, &c->condition))
    return gj__b_no_memory(b);
  for (size_t i = 0; i < c->carried; i++) {
    c->args[i] = c->results[i];
    c->refs[i] = c->results[i] ? gj__b_spread(b, args[i]) : args[i].ref;
  }
  return true;
}

// The op with other functions and operands.
static gj_ref append(gj__batch *b, const gj_node *node, const int64_t *functions,
                     const gj_ref *refs) {
  gj_attrs attrs = *node->attrs;
  size_t count = attrs.list[GJ_ATTR_functions].count;
  for (size_t i = 0; i < count; i++)
    if (functions[i] < 0)
      return 0;
  gj_attrs_set(&attrs, GJ_ATTR_functions, functions, count);
  return gj__b_append(b, (gj_op)node->op, refs, node->arg_count, &attrs);
}

static void give(gj__batch *b, const gj_node *node, const control *c, gj_ref first,
                 gj_batched *out) {
  for (size_t i = 0; i < node->result_count; i++)
    out[i] = (gj_batched){gj__b_result(b, first, i), c->results[i]};
}

// --- call, cond, switch ---

// A function with all inputs and outputs batched.
static int64_t whole(gj__batch *b, size_t number) {
  const gj_graph *function = gj_graph_function(b->out, number);
  size_t ins = gj_graph_input_count(function), outs = gj_graph_output_count(function);
  uint8_t *flags = gj__b_room(b, ins + outs, 1);
  if (!flags)
    return -1;
  memset(flags, 1, ins + outs);
  return gj__b_function(b, number, flags, flags + ins);
}

// A call that has a function for its derivative beside the one that it calls has all operands and
// results batched, so that those two still fit one another.
void gj__batch_call(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  int64_t functions[GJ_MAX_LIST];
  size_t count = node->attrs->list[GJ_ATTR_functions].count;
  control c;
  if (!begin(b, node, args, &c))
    return;
  for (size_t i = 0; i < count; i++)
    functions[i] = count > 1 ? whole(b, (size_t)c.functions[i])
                             : gj__b_function(b, (size_t)c.functions[i], c.args, c.results);
  for (uint32_t i = 0; count > 1 && i < node->arg_count; i++)
    c.refs[i] = gj__b_spread(b, args[i]);
  give(b, node, &c, append(b, node, functions, c.refs), out);
}

// Whether an example takes what function `number` gives rather than what those behind it do.
static gj_batched takes(gj__batch *b, const gj_node *node, gj_batched chooser, int64_t number) {
  if (node->op == GJ_OP_cond)
    return chooser;
  gj_ref least = gj__b_filled(b, &(gj_type){.dtype = GJ_DTYPE_i32}, number);
  return (gj_batched){gj__b_op2(b, GJ_OP_le, chooser.ref, least), true};
}

static gj_ref choose(gj__batch *b, gj_batched condition, gj_batched x, gj_batched y, uint8_t rank) {
  return gj__b_op3(b, GJ_OP_select, gj__b_aligned(b, condition, rank), gj__b_aligned(b, x, rank),
                   gj__b_aligned(b, y, rank));
}

static void choose_each(gj__batch *b, const gj_node *node, const control *c, gj_batched chooser,
                        gj_batched *out) {
  for (size_t f = node->attrs->list[GJ_ATTR_functions].count, last = f; f-- > 0;) {
    size_t number = (size_t)c->functions[f];
    const uint8_t *flags = gj__b_flags(b->all, b->out, number, c->args + 1);
    const gj_graph *function = gj_graph_function(b->out, number);
    int64_t batched = flags ? gj__b_function(b, number, c->args + 1, flags) : -1;
    const gj_ref *given = gj__b_call(b, batched, c->refs + 1);
    gj_batched condition = takes(b, node, chooser, (int64_t)f);
    for (size_t i = 0; i < node->result_count; i++) {
      gj_batched own = {given ? given[i] : 0, given && flags[i]};
      uint8_t rank = gj_graph_output_type(function, i)->rank;
      out[i] = f + 1 == last ? own : (gj_batched){choose(b, condition, own, out[i], rank), true};
    }
  }
}

void gj__batch_choice(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  int64_t functions[GJ_MAX_LIST];
  control c;
  if (!begin(b, node, args, &c))
    return;
  if (args[0].batched) {
    choose_each(b, node, &c, args[0], out);
    return;
  }
  for (size_t i = 0; i < node->attrs->list[GJ_ATTR_functions].count; i++)
    functions[i] = gj__b_function(b, (size_t)c.functions[i], c.args + 1, c.results);
  give(b, node, &c, append(b, node, functions, c.refs), out);
}

// --- while ---

typedef struct port_name {
  char text[24];
} port_name;

static port_name name_of(size_t index) {
  port_name name;
  snprintf(name.text, sizeof name.text, "x%zu", index);
  return name;
}

// A function that has inputs of the types of these values; the last of them is 0 after a failure.
static bool new_function(gj__batch *b, const char *name, const gj_ref *refs, size_t count,
                         gj__batch *out_own, gj_ref **out_inputs) {
  *out_inputs = gj__b_room(b, count, sizeof **out_inputs);
  *out_own = (gj__batch){.all = b->all, .out = gj_graph_function_new(b->out, name)};
  if (!*out_inputs || !out_own->out)
    return false;
  for (size_t i = 0; i < count; i++)
    (*out_inputs)[i] = gj_graph_param(out_own->out, name_of(i).text, gj__b_type(b, refs[i]));
  return true;
}

// Of a loop whose examples stop in rounds of their own: which go on is carried with the rest.
static int64_t any_goes_on(gj__batch *b, const gj_ref *refs, size_t count) {
  int64_t axis = 0;
  gj_attrs attrs = {0};
  gj__batch own;
  gj_ref *inputs;
  if (!new_function(b, "any", refs, count, &own, &inputs))
    return -1;
  gj_attrs_set(&attrs, GJ_ATTR_axes, &axis, 1);
  gj_graph_set_output(own.out, "any", gj__b_append(&own, GJ_OP_reduce_or, inputs, 1, &attrs));
  return gj__b_add_function(b, own.out);
}

// Examples that go on take what the body gives; of them go on those whose condition holds then.
static int64_t round_of_each(gj__batch *b, const control *c, const int64_t *functions,
                             const gj_ref *refs, size_t count) {
  gj__batch own;
  gj_ref *inputs;
  if (!new_function(b, "round", refs, count, &own, &inputs))
    return -1;
  gj_batched goes = {inputs[0], true};
  const gj_ref *next = gj__b_call(&own, functions[1], inputs + 1);
  for (size_t i = 1; next && i <= c->carried; i++) {
    uint8_t rank = (uint8_t)(gj__b_type(b, refs[i])->rank - 1);
    inputs[i] =
        choose(&own, goes, (gj_batched){next[i - 1], true}, (gj_batched){inputs[i], true}, rank);
  }
  const gj_ref *go = next ? gj__b_call(&own, functions[0], inputs + 1) : NULL;
  for (size_t i = 0; go && i <= c->carried; i++)
    gj_graph_set_output(own.out, name_of(i).text, i == 0 ? go[0] : inputs[i]);
  return gj__b_add_function(b, own.out);
}

static void while_each(gj__batch *b, const gj_node *node, const control *c,
                       const int64_t *functions, gj_batched *out) {
  size_t count = node->arg_count + (size_t)1;
  int64_t carried = (int64_t)c->carried + 1;
  gj_ref *refs = gj__b_room(b, count, sizeof *refs);
  const gj_ref *go = gj__b_call(b, functions[0], c->refs);
  if (!refs || !go || functions[1] < 0)
    return;
  refs[0] = go[0];
  memcpy(refs + 1, c->refs, node->arg_count * sizeof *refs);
  int64_t rounds[] = {any_goes_on(b, refs, count), round_of_each(b, c, functions, refs, count)};
  if (rounds[0] < 0 || rounds[1] < 0)
    return;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_carried, &carried, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, rounds, 2);
  gj_ref first = gj__b_append(b, GJ_OP_while, refs, count, &attrs);
  for (size_t i = 0; i < c->carried; i++)
    out[i] = (gj_batched){gj__b_result(b, first, i + 1), true};
}

void gj__batch_while(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  control c;
  if (!begin(b, node, args, &c))
    return;
  uint8_t condition = c.condition;
  int64_t functions[] = {gj__b_function(b, (size_t)c.functions[0], c.args, &condition),
                         gj__b_function(b, (size_t)c.functions[1], c.args, c.results)};
  if (c.condition)
    while_each(b, node, &c, functions, out);
  else
    give(b, node, &c, append(b, node, functions, c.refs), out);
}

// --- for ---

void gj__batch_for(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  control c;
  if (!begin(b, node, args, &c))
    return;
  size_t behind = c.carried + (size_t)gj_node_int(node, GJ_ATTR_stacked);
  for (size_t i = c.carried; i < behind; i++)
    if (args[i].batched)
      c.refs[i] = gj__b_move_axis(b, args[i].ref, 1, 0); // [count, size, …]
  uint8_t *inputs = gj__b_room(b, node->arg_count + (size_t)1, 1);
  if (!inputs)
    return;
  memcpy(inputs + 1, c.args, node->arg_count);
  int64_t function = gj__b_function(b, (size_t)c.functions[0], inputs, c.results);
  give(b, node, &c, append(b, node, &function, c.refs), out);
  for (size_t i = c.carried; i < node->result_count; i++)
    if (out[i].batched)
      out[i].ref = gj__b_move_axis(b, out[i].ref, 1, 0);
}

// --- loops over examples ---

static int64_t one_example(gj__batch *b, const gj_node *node, const gj_batched *args) {
  const gj_type index = {.dtype = GJ_DTYPE_i64};
  gj_graph *function = gj_graph_function_new(b->out, gj_op_name((gj_op)node->op));
  gj_ref *refs = gj__b_room(b, node->arg_count, sizeof *refs);
  if (!function || !refs)
    return -1;
  gj_graph_param(function, "index", &index);
  for (int batched = 1; batched >= 0; batched--)
    for (uint32_t i = 0; i < node->arg_count; i++) {
      gj_type type = *gj__b_type(b, args[i].ref);
      if (args[i].batched != batched)
        continue;
      if (batched)
        memmove(type.shape, type.shape + 1, --type.rank * sizeof *type.shape);
      refs[i] = gj_graph_param(function, name_of(i).text, &type);
    }
  gj__batch own = {.all = b->all, .out = function};
  gj_ref made = gj_graph_append_like(function, node, refs);
  for (size_t k = 0; k < gj_node_result_count(node); k++)
    gj_graph_set_output(function, name_of(k).text, gj__b_result(&own, made, k));
  return gj__b_add_function(b, function);
}

void gj__b_loop(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj_ref *refs = gj__b_room(b, node->arg_count, sizeof *refs);
  int64_t function = one_example(b, node, args), none = 0, stacked = 0;
  gj_attrs attrs = {0};
  if (!refs || function < 0)
    return;
  for (uint32_t i = 0; i < node->arg_count; i++)
    if (args[i].batched)
      refs[stacked++] = args[i].ref;
  for (uint32_t i = 0, at = (uint32_t)stacked; i < node->arg_count; i++)
    if (!args[i].batched)
      refs[at++] = args[i].ref;
  gj_attrs_set(&attrs, GJ_ATTR_count, &b->all->size, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &none, 1);
  gj_attrs_set(&attrs, GJ_ATTR_carried, &none, 1);
  gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, &function, 1);
  gj_ref made = gj__b_append(b, GJ_OP_for, refs, node->arg_count, &attrs);
  gj__b_results(b, node, made, true, out);
}
