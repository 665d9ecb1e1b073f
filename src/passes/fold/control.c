// Folding of control ops while a graph is rebuilt: functions are put where they are called, choices
// that are known are made, and functions keep only the inputs and outputs that somebody needs.
//
// A function whose ops stand at its call takes part in fusion, so one is inlined when it is small
// or named once. A loop that makes no round is what it began with, one of a single round its body.
// Of the functions that stay, specialised ones are made (shrink.c), and what every round would
// compute anew is computed before the loop (hoist.c).
//
// Functions that are called stand before their callers and have been rebuilt, so whatever is read
// here is a function of the new graph. Everything made on the way counts against a budget: nested
// functions that each call the next twice would double with every level.
//
// Left out: what noinline_call calls stays a function, so that values that it computes again are
// not taken from those around it; loops are not unrolled, and a choice between cheap values is not
// made a `select`.
#include "passes/fold/control.h"

#include "passes/fold/fold.h"

#include <string.h>

enum { SMALL_NODES = 32 };

// What function `number` gives for these inputs, inlined or called.
static const gj_ref *invoke(const gj__control *c, int64_t number, const gj_ref *inputs) {
  const gj_graph *f = gj_graph_function(c->r->out, (size_t)number);
  size_t nodes = gj_graph_node_count(f), outputs = gj_graph_output_count(f);
  if ((c->once || nodes <= SMALL_NODES) && gj__control_spend(c, nodes))
    return gj__control_outputs(c, f, c->r->out, inputs, c->asked);
  gj_ref *results = gj__control_room(c, outputs, sizeof *results);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_ref call = gj_graph_append(c->r->out, GJ_OP_call, inputs, gj_graph_input_count(f), &attrs);
  for (size_t i = 0; results && i < outputs; i++)
    results[i] = c->asked[i] ? gj__control_result_of(c, call, i) : 0;
  return results;
}

// --- known choices ---

static const gj_ref *fold_choice(const gj__control *c) {
  gj_scalar chooser;
  size_t chosen = 0, first = gj__control_first(c);
  bool calls = c->op == GJ_OP_call || c->op == GJ_OP_checkpoint, known = calls;
  if (c->op == GJ_OP_noinline_call)
    return NULL;
  if (!known && gj__is_splat(c->r->out, c->args[0], &chooser)) {
    int64_t last = (int64_t)c->function_count - 1;
    int64_t at = c->op == GJ_OP_cond ? !chooser.v.i : chooser.v.i;
    chosen = (size_t)(at < 0 ? 0 : at > last ? last : at);
    known = true;
  }
  bool same = true;
  for (size_t i = 1; i < c->function_count; i++)
    same = same && c->numbers[i] == c->numbers[0];
  if (!known && !same)
    return NULL;
  if (calls && !c->once &&
      gj_graph_node_count(gj__control_function(c, 0)) > SMALL_NODES) // stays what it is
    return NULL;
  return invoke(c, c->numbers[chosen], c->args + first);
}

// --- loops of no or one round ---

// The condition of a loop for what it begins with, when that is known.
static bool is_false_at_once(const gj__control *c) {
  const gj_graph *condition = gj__control_function(c, 0);
  gj_scalar value = {.v.i = 1};
  if (gj__is_splat(condition, gj_graph_output(condition, 0)->ref, &value))
    return !value.v.i;
  bool known = false;
  for (size_t i = 0; i < c->arg_count; i++)
    known = known || gj__is_splat(c->r->out, c->args[i], &value);
  size_t nodes = gj_graph_node_count(condition);
  if (!known || nodes > SMALL_NODES || !gj__control_spend(c, nodes))
    return false;
  const gj_ref *truth = gj__control_outputs(c, condition, c->r->out, c->args, (const uint8_t[]){1});
  return truth && truth[0] && gj__is_splat(c->r->out, truth[0], &value) && !value.v.i;
}

static gj_type type_of_result(const gj__control *c, size_t index) {
  gj_type type = *gj_graph_output_type(gj__control_last(c), index);
  if (c->op != GJ_OP_for || index < c->carried)
    return type;
  memmove(type.shape + 1, type.shape, type.rank * sizeof type.shape[0]);
  type.shape[0] = gj_node_int(c->node, GJ_ATTR_count);
  type.rank++;
  return type;
}

static const gj_ref *no_rounds(const gj__control *c) {
  gj_ref *results = gj__control_room(c, c->result_count, sizeof *results);
  for (size_t i = 0; results && i < c->result_count; i++) {
    gj_type type = type_of_result(c, i);
    if (i < c->carried)
      results[i] = c->args[i];
    else if (c->asked[i])
      results[i] = gj__splat(c->r->out, &type, (gj_scalar){.dtype = type.dtype});
  }
  return results;
}

static gj_ref reshape(const gj__control *c, gj_ref ref, const gj_type *type) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_shape, type->shape, type->rank);
  gj_fold f = {c->r->out, GJ_OP_reshape, &ref, 1, &attrs, *type};
  gj_ref folded = gj__fold(&f);
  return folded ? folded : gj_graph_append(c->r->out, GJ_OP_reshape, &ref, 1, &attrs);
}

static const gj_ref *one_round(const gj__control *c) {
  const gj_graph *body = gj__control_last(c);
  gj_type index = {.dtype = GJ_DTYPE_i64};
  gj_ref *inputs = gj__control_room(c, c->arg_count + 1, sizeof *inputs);
  gj_ref *results = gj__control_room(c, c->result_count, sizeof *results);
  if (!inputs || !results)
    return NULL;
  inputs[0] = gj__splat(c->r->out, &index, (gj_scalar){.dtype = GJ_DTYPE_i64});
  for (size_t i = 0; i < c->arg_count; i++) {
    bool part = i >= c->carried && i < c->carried + c->stacked;
    const gj_type *type = &gj_graph_node(body, gj_graph_input(body, i + 1))->type;
    inputs[i + 1] = part ? reshape(c, c->args[i], type) : c->args[i];
  }
  const gj_ref *given = invoke(c, c->numbers[0], inputs);
  for (size_t i = 0; given && i < c->result_count; i++) {
    gj_type type = type_of_result(c, i);
    results[i] = c->asked[i] && i >= c->carried ? reshape(c, given[i], &type) : given[i];
  }
  return given ? results : NULL;
}

static const gj_ref *fold_loop(const gj__control *c) {
  if (c->op == GJ_OP_while)
    return is_false_at_once(c) ? no_rounds(c) : NULL;
  int64_t count = gj_node_int(c->node, GJ_ATTR_count);
  return count == 0 ? no_rounds(c) : count == 1 ? one_round(c) : NULL;
}

// --- the whole ---

static bool begin_control(gj__rebuild *r, gj_ref ref, gj__control *c) {
  const gj_node *node = gj_graph_node(r->in, ref);
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  *c = (gj__control){.r = r, .scratch = r->all->scratch, .node = node, .op = (gj_op)node->op};
  c->arg_count = node->arg_count;
  c->result_count = node->result_count;
  c->function_count = node->op == GJ_OP_call ? 1 : list->count; // cotangents are not for code
  c->args = gj__control_room(c, c->arg_count, sizeof *c->args);
  c->numbers = gj__control_room(c, c->function_count, sizeof *c->numbers);
  c->asked = gj__control_room(c, c->result_count, 1);
  c->results = gj__control_room(c, c->result_count, sizeof *c->results);
  if (!c->args || !c->numbers || !c->asked || !c->results)
    return false;
  c->once = r->functions != NULL;
  for (size_t i = 0; i < c->function_count; i++) {
    c->numbers[i] = r->functions ? r->functions[list->values[i]] : list->values[i];
    c->once = c->once && r->all->sites[list->values[i]] == 1;
  }
  memcpy(c->args, r->args, c->arg_count * sizeof *c->args);
  for (gj_ref at = r->chain[ref]; at; at = r->chain[at])
    c->asked[gj_node_int(gj_graph_node(r->in, at), GJ_ATTR_index)] = 1;
  c->asked[0] |= r->user[ref] != 0;
  if (gj__control_loops(c))
    c->carried = (size_t)gj_node_int(node, GJ_ATTR_carried);
  if (c->op == GJ_OP_for)
    c->stacked = (size_t)gj_node_int(node, GJ_ATTR_stacked);
  return true;
}

gj_ref gj__rebuild_control(gj__rebuild *r, gj_ref ref) {
  gj__control c;
  if (!begin_control(r, ref, &c))
    return 0;
  for (size_t i = 0; i < c.arg_count; i++)
    if (!c.args[i]) // an earlier failure; the graph holds its message
      return 0;
  for (size_t i = 0; i < c.function_count; i++)
    if (c.numbers[i] < 0)
      return 0;
  const gj_ref *folded = NULL;
  unsigned rules = r->all->rules;
  if (rules & GJ__INLINE)
    folded = gj__control_loops(&c) ? fold_loop(&c) : fold_choice(&c);
  if (!folded && (rules & GJ__HOIST))
    gj__control_hoist(&c);
  if (folded)
    memcpy(c.results, folded, c.result_count * sizeof *c.results);
  else if (rules & GJ__SHRINK)
    gj__control_shrink(&c);
  else
    gj__control_append(&c);
  r->results[ref] = c.results;
  return c.results[0];
}
