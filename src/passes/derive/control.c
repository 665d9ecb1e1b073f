// Rules of call, cond, switch, checkpoint and noinline_call, and of calls that give their own
// cotangents.
//
// The functions become ones that give residuals too, and a second op of the same kind runs the
// derivatives of whichever was chosen. Branches have residuals of their own, but a node has the
// same results whatever it chooses: those of one type share results, zeros fill the rest.
#include "passes/derive/control.h"

#include "passes/fold/fold.h"

// A choice and its derivative.
typedef struct choice {
  gj__derive *d;
  gj_ref ref;
  const gj_node *node;
  size_t branches, inputs, results; // results: before there were residuals
  gj__joint *joints;                // by branch
  const gj_ref *given;              // cotangents by result (forward: tangents by input), or 0
  size_t given_count;
  uint8_t *made; // by input (forward: result): some branch gives it a derivative
  size_t made_count;
  gj_type *types; // by residual result
  gj_ref **slots; // by branch, by residual result: the value of its joint, or 0
  size_t slot_count;
  uint8_t *read; // by result: it is a residual of some branch
  uint8_t *used; // by input: some branch needs it
} choice;

// --- residuals ---

// Puts a residual where the branch has none of its type yet.
static void take_slot(choice *c, size_t branch, gj_ref residual) {
  const gj_type *type = &gj_graph_node(c->joints[branch].graph, residual)->type;
  size_t slot = 0;
  while (slot < c->slot_count && (c->slots[branch][slot] || !gj__same_type(&c->types[slot], type)))
    slot++;
  c->types[slot] = *type;
  c->slots[branch][slot] = residual;
  c->slot_count += slot == c->slot_count;
}

static bool find_residuals(choice *c) {
  gj__derive *d = c->d;
  uint8_t *there = gj__d_room(d, c->inputs, 1);
  size_t most = 0;
  if (!there)
    return false;
  memset(there, GJ__THERE, c->inputs);
  for (size_t i = 0; i < c->branches; i++) {
    if (!gj__joint_cut(d, &c->joints[i], there, NULL))
      return false;
    most += c->joints[i].residual_count;
  }
  c->types = gj__d_room(d, most, sizeof *c->types);
  c->slots = gj__d_room(d, c->branches, sizeof *c->slots);
  c->read = gj__d_room(d, c->results, 1);
  c->used = gj__d_room(d, c->inputs, 1);
  if (!c->types || !c->slots || !c->read || !c->used)
    return false;
  for (size_t i = 0; i < c->branches; i++) {
    const gj__joint *joint = &c->joints[i];
    c->slots[i] = gj__d_room(d, most, sizeof **c->slots);
    if (!c->slots[i])
      return false;
    for (size_t k = 0; k < joint->residual_count; k++) {
      size_t result = gj__joint_output_of(joint, joint->residuals[k], 0);
      if (result < c->results)
        c->read[result] = 1;
      else
        take_slot(c, i, joint->residuals[k]);
    }
    for (size_t k = 0; k < c->inputs; k++)
      c->used[k] |= gj__joint_needs_input(joint, k);
  }
  return true;
}

static bool widen(choice *c) {
  int64_t numbers[GJ_MAX_LIST];
  if (c->slot_count == 0)
    return true;
  for (size_t i = 0; i < c->branches; i++)
    if ((numbers[i] =
             gj__joint_widened(c->d, &c->joints[i], c->slots[i], c->types, c->slot_count)) < 0)
      return false;
  return gj_graph_widen(c->d->graph, c->ref, numbers);
}

// --- the op of the derivative ---

// Of a branch, with the inputs that operands() are for.
static int64_t branch_function(choice *c, size_t branch, const char *name) {
  gj__derive *d = c->d;
  const gj__joint *joint = &c->joints[branch];
  gj_graph *to = gj__d_function_new(d, name);
  gj_ref *map = gj__d_room(d, gj_graph_node_count(joint->graph) + 1, sizeof *map);
  if (!to || !map)
    return -1;
  for (size_t k = 0; k < c->results; k++)
    if (c->read[k])
      map[joint->map[gj_graph_output(joint->f, k)->ref]] =
          gj__d_input(to, gj_graph_output_type(joint->f, k));
  for (size_t k = 0; k < c->slot_count; k++)
    map[c->slots[branch][k]] = gj__d_input(to, &c->types[k]);
  for (size_t k = 0; k < c->inputs; k++)
    if (c->used[k])
      map[joint->map[gj_graph_input(joint->f, k)]] = gj__d_input(to, gj__input_type(joint->f, k));
  for (size_t k = 0; k < c->given_count; k++)
    if (c->given[k])
      map[joint->given[k]] = gj__d_input(to, gj__type_of(d, c->given[k]));
  map[0] = 0;
  if (!gj__joint_copy(d, joint, to, map))
    return -1;
  gj__derive inside = gj__d_inside(d, to);
  for (size_t k = 0; k < c->made_count; k++)
    if (c->made[k]) {
      gj_ref own = map[joint->made[k]];
      gj__d_output(to, own ? own : gj__d_filled(&inside, gj__joint_made_type(joint, k), 0));
    }
  return gj__d_function_add(d, to);
}

// What the functions of branch_function() are given; the count.
static size_t operands(const choice *c, gj_ref *out) {
  size_t count = 0, first = gj__first_input(c->node);
  if (first > 0)
    out[count++] = c->node->args[0];
  for (size_t k = 0; k < c->results; k++)
    if (c->read[k])
      out[count++] = gj__d_result(c->d, c->ref, k);
  for (size_t k = 0; k < c->slot_count; k++)
    out[count++] = gj__d_result(c->d, c->ref, c->results + k);
  for (size_t k = 0; k < c->inputs; k++)
    if (c->used[k])
      out[count++] = c->node->args[first + k];
  for (size_t k = 0; k < c->given_count; k++)
    if (c->given[k])
      out[count++] = c->given[k];
  return count;
}

static gj_ref append_derivative(choice *c, const char *name) {
  int64_t numbers[GJ_MAX_LIST];
  size_t most = 1 + c->results + c->slot_count + c->inputs + c->given_count;
  gj_ref *args = gj__d_room(c->d, most, sizeof *args);
  if (!args)
    return 0;
  for (size_t i = 0; i < c->branches; i++)
    if ((numbers[i] = branch_function(c, i, name)) < 0)
      return 0;
  size_t count = operands(c, args);
  return gj__d_control(c->d, c->node, (gj_op)c->node->op, args, count, numbers);
}

// --- functions that are not cut: what they compute is computed again ---

// Inlined, what is computed again backwards would be taken from what was computed before.
static gj_ref append_again(choice *c) {
  const gj__joint *joint = &c->joints[0];
  gj_ref *args = gj__d_room(c->d, c->inputs + c->given_count, sizeof *args);
  size_t count = 0;
  if (!args)
    return 0;
  for (size_t k = 0; k < c->made_count; k++)
    gj__d_output(joint->graph, joint->made[k]);
  for (size_t k = 0; k < c->inputs; k++)
    args[count++] = c->node->args[k];
  for (size_t k = 0; k < c->given_count; k++)
    if (c->given[k])
      args[count++] = c->given[k];
  bool again = joint->reverse && c->node->op == GJ_OP_checkpoint;
  gj_op op = again ? GJ_OP_noinline_call : (gj_op)c->node->op;
  int64_t number = gj__d_function_add(c->d, joint->graph);
  return number < 0 ? 0 : gj__d_control(c->d, c->node, op, args, count, &number);
}

// --- both directions ---

typedef bool joint_fn(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                      gj__joint *out);

// Makes the joints of all branches and finds what they make together; false where that is nothing.
static bool begin(choice *c, joint_fn *make, const uint8_t *wanted) {
  gj__derive *d = c->d;
  uint8_t *given = gj__d_room(d, c->given_count, 1);
  bool any = false;
  c->joints = gj__d_room(d, c->branches, sizeof *c->joints);
  c->made = gj__d_room(d, c->made_count, 1);
  if (!given || !c->joints || !c->made)
    return false;
  for (size_t k = 0; k < c->given_count; k++)
    given[k] = c->given[k] != 0;
  for (size_t i = 0; i < c->branches; i++) {
    if (!make(d, gj__d_function(d, c->node, i), given, wanted, &c->joints[i]))
      return false;
    for (size_t k = 0; k < c->made_count; k++) {
      c->made[k] |= c->joints[i].made[k] != 0;
      any = any || c->made[k];
    }
  }
  return any;
}

static choice choice_of(gj__derive *d, gj_ref ref, const gj_node *node) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  return (choice){.d = d,
                  .ref = ref,
                  .node = node,
                  .branches = node->op == GJ_OP_call ? 1 : list->count,
                  .inputs = node->arg_count - gj__first_input(node),
                  .results = node->result_count};
}

static gj_ref append_cut(choice *c, const char *name) {
  return find_residuals(c) && widen(c) ? append_derivative(c, name) : 0;
}

typedef gj_ref append_fn(choice *c);

static gj_ref append_pullback(choice *c) { return append_cut(c, "cotangents"); }
static gj_ref append_pushforward(choice *c) { return append_cut(c, "tangents"); }

static void reverse(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts,
                    append_fn *append) {
  choice c = choice_of(d, ref, node);
  size_t first = gj__first_input(node), index = 0;
  uint8_t *wanted = gj__d_room(d, c.inputs, 1);
  c.given = cts;
  c.given_count = c.results;
  c.made_count = c.inputs;
  for (size_t k = 0; wanted && k < c.inputs; k++)
    wanted[k] = gj__d_wants(d, node->args[first + k]);
  gj_ref own = wanted && begin(&c, gj__joint_vjp, wanted) ? append(&c) : 0;
  for (size_t k = 0; own && k < c.inputs; k++)
    if (c.made[k])
      gj__d_give(d, node->args[first + k], gj__d_result(d, own, index++));
}

static void forward(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents,
                    append_fn *append) {
  choice c = choice_of(d, ref, node);
  size_t first = gj__first_input(node), index = 0;
  uint8_t *wanted = gj__d_room(d, c.results, 1);
  gj_ref *given = gj__d_room(d, c.inputs, sizeof *given);
  if (!wanted || !given)
    return;
  for (size_t k = 0; k < c.inputs; k++)
    given[k] = gj__d_wants(d, node->args[first + k]) ? gj__d_tangent(d, node->args[first + k]) : 0;
  for (size_t k = 0; k < c.results; k++)
    wanted[k] = gj_dtype_is_float(gj_graph_output_type(gj__d_function(d, node, 0), k)->dtype);
  c.given = given;
  c.given_count = c.inputs;
  c.made_count = c.results;
  gj_ref own = begin(&c, gj__joint_jvp, wanted) ? append(&c) : 0;
  for (size_t k = 0; own && k < c.results; k++)
    if (c.made[k])
      out_tangents[k] = gj__d_result(d, own, index++);
}

// --- cotangents that a function gives itself ---

static bool gives_cotangents(const gj_node *node) {
  return node->attrs->list[GJ_ATTR_functions].count > 1;
}

static void given_cotangents(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  const gj_graph *back = gj__d_function(d, node, 1), *f = gj__d_function(d, node, 0);
  size_t results = node->result_count, count = 0, index = 0, given = gj_graph_output_count(back);
  int64_t number = gj_graph_function_number(back);
  gj_ref *args = gj__d_room(d, 2 * results + node->arg_count, sizeof *args);
  if (!args)
    return;
  for (size_t k = 0; k < results; k++)
    args[count++] = gj__d_result(d, ref, k);
  for (size_t k = 0; k < results; k++) {
    const gj_type *type = gj_graph_output_type(f, k);
    if (gj_dtype_is_float(type->dtype))
      args[count++] = cts[k] ? cts[k] : gj__d_filled(d, type, 0);
  }
  for (uint32_t k = 0; k < node->arg_count; k++)
    args[count++] = node->args[k];
  gj_ref own = gj__d_control(d, node, GJ_OP_call, args, count, &number);
  for (uint32_t k = 0; own && k < node->arg_count; k++) {
    bool is_float = gj_dtype_is_float(gj__type_of(d, node->args[k])->dtype);
    if (is_float && index < given)
      gj__d_give(d, node->args[k], gj__d_result(d, own, index++));
    else if (gj__d_wants(d, node->args[k]))
      gj__d_refuse(d, ref,
                   "the function uses a value from outside that it is differentiated by, "
                   "but gives no cotangent of it: pass it as an argument");
  }
}

// --- rules ---

void gj__vjp_call(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  if (gives_cotangents(node))
    given_cotangents(d, ref, node, cts);
  else
    reverse(d, ref, node, cts, append_pullback);
}

// Residuals would change what the function that gives cotangents is given.
void gj__jvp_call(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  forward(d, ref, node, out_tangents, gives_cotangents(node) ? append_again : append_pushforward);
}

void gj__vjp_choice(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  reverse(d, ref, node, cts, append_pullback);
}

void gj__jvp_choice(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  forward(d, ref, node, out_tangents, append_pushforward);
}

void gj__vjp_checkpoint(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  reverse(d, ref, node, cts, append_again);
}

void gj__jvp_checkpoint(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  forward(d, ref, node, out_tangents, append_again);
}
