// Functions and their derivatives in one graph, and how they are parted again: see control.h.
//
// A residual is a value of the function that the derivative reads. What only moves elements is done
// again, and so is what depends on nothing that changes from round to round: that leaves the loop
// (hoist.c) and is the same before and behind it.
#include "passes/derive/control.h"

#include <stdio.h>

void *gj__d_room(gj__derive *d, size_t count, size_t size) {
  void *room = gj_arena_array(&d->arena, count + 1, size);
  gj_error error;
  if (!room) {
    gj_fail(&error, GJ_E_MEMORY, "derivative: out of memory for %zu values", count);
    gj_graph_refuse(d->graph, &error);
  }
  return room;
}

const gj_graph *gj__d_function(const gj__derive *d, const gj_node *node, size_t i) {
  return gj_graph_function(d->graph, (size_t)node->attrs->list[GJ_ATTR_functions].values[i]);
}

gj__derive gj__d_inside(const gj__derive *d, gj_graph *graph) {
  return (gj__derive){.graph = graph, .options = d->options};
}

// --- building functions ---

// What failed while something was made for the derivative is an error of the derivative.
static void take_error(gj__derive *d, gj_graph *from) {
  gj_error error;
  if (gj_graph_take_error(from, &error) != GJ_OK)
    gj_graph_refuse(d->graph, &error);
}

gj_graph *gj__d_function_new(gj__derive *d, const char *name) {
  gj_graph *function = gj_graph_function_new(d->graph, name);
  if (function)
    gj_graph_share_nodes(function, true);
  else
    take_error(d, gj_graph_root(d->graph));
  return function;
}

int64_t gj__d_function_add(gj__derive *d, gj_graph *function) {
  int64_t number = gj_graph_function_add(function);
  if (number < 0)
    take_error(d, gj_graph_root(function));
  return number;
}

gj_ref gj__d_input(gj_graph *to, const gj_type *type) {
  char name[32];
  snprintf(name, sizeof name, "x%zu", gj_graph_input_count(to));
  return gj_graph_param(to, name, type);
}

void gj__d_output(gj_graph *to, gj_ref ref) {
  char name[32];
  snprintf(name, sizeof name, "r%zu", gj_graph_output_count(to));
  if (ref)
    gj_graph_set_output(to, name, ref);
}

gj_ref gj__d_copy_node(gj__derive *d, const gj_graph *from, gj_ref ref, gj_graph *to, gj_ref *map) {
  const gj_node *node = gj_graph_node(from, ref);
  if (node->op == GJ_OP_param)
    return map[ref] = gj__d_input(to, &node->type);
  if (node->op == GJ_OP_const)
    return map[ref] = gj_graph_const_like(to, node);
  gj_ref *args = gj__d_room(d, node->arg_count, sizeof *args);
  for (uint32_t a = 0; args && a < node->arg_count; a++)
    if (!(args[a] = map[node->args[a]])) // an earlier failure
      return 0;
  return args ? (map[ref] = gj_graph_append_like(to, node, args)) : 0;
}

bool gj__d_copy_function(gj__derive *d, const gj_graph *f, gj_graph *to, gj_ref *map) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(f); ref++)
    if (!map[ref] && !gj__d_copy_node(d, f, ref, to, map)) {
      take_error(d, to);
      return false;
    }
  return true;
}

gj_ref gj__d_control(gj__derive *d, const gj_node *like, gj_op op, const gj_ref *args, size_t count,
                     const int64_t *functions) {
  gj_attrs attrs = *like->attrs;
  size_t function_count = op == GJ_OP_call ? 1 : attrs.list[GJ_ATTR_functions].count;
  gj_attrs_set(&attrs, GJ_ATTR_functions, functions, function_count);
  for (size_t i = 0; i < count; i++)
    if (!args[i])
      return 0;
  return gj_graph_append(d->graph, op, args, count, &attrs);
}

// --- joints ---

static bool begin(gj__derive *d, const gj_graph *f, gj__joint *out) {
  size_t count = gj_graph_node_count(f);
  *out = (gj__joint){.f = f, .graph = gj__d_function_new(d, gj_graph_name(f))};
  out->map = gj__d_room(d, count + 1, sizeof *out->map);
  if (!out->graph || !out->map || !gj__d_copy_function(d, f, out->graph, out->map))
    return false;
  out->own = gj_graph_node_count(out->graph);
  return true;
}

static gj_ref output_of(const gj__joint *joint, size_t i) {
  return joint->map[gj_graph_output(joint->f, i)->ref];
}

static gj_ref input_of(const gj__joint *joint, size_t i) {
  return joint->map[gj_graph_input(joint->f, i)];
}

typedef gj_ref part_fn(const gj__joint *joint, size_t i);

// Lists the values of one side that are marked, each with its number.
static size_t list(const gj__joint *joint, part_fn *part, const uint8_t *marks, size_t count,
                   gj_ref *out_refs, size_t *out_at) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    if (marks[i]) {
      out_at[found] = i;
      out_refs[found++] = part(joint, i);
    }
  return found;
}

static bool derive(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                   bool reverse, gj__joint *out) {
  if (!begin(d, f, out))
    return false;
  out->reverse = reverse;
  size_t inputs = gj_graph_input_count(f), outputs = gj_graph_output_count(f);
  size_t from_count = reverse ? outputs : inputs, to_count = reverse ? inputs : outputs;
  part_fn *from_part = reverse ? output_of : input_of, *to_part = reverse ? input_of : output_of;
  gj_ref *from = gj__d_room(d, from_count, sizeof *from), *to = gj__d_room(d, to_count, sizeof *to);
  gj_ref *params = gj__d_room(d, from_count, sizeof *params);
  gj_ref *made = gj__d_room(d, to_count, sizeof *made);
  size_t *from_at = gj__d_room(d, from_count, sizeof *from_at);
  size_t *to_at = gj__d_room(d, to_count, sizeof *to_at);
  out->given = gj__d_room(d, from_count, sizeof *out->given);
  out->made = gj__d_room(d, to_count, sizeof *out->made);
  if (!from || !to || !params || !made || !from_at || !to_at || !out->given || !out->made)
    return false;
  size_t n = list(out, from_part, given, from_count, from, from_at);
  size_t m = list(out, to_part, wanted, to_count, to, to_at);
  for (size_t i = 0; i < n; i++)
    out->given[from_at[i]] = params[i] =
        gj__d_input(out->graph, &gj_graph_node(out->graph, from[i])->type);
  gj_error error;
  gj_status status =
      reverse ? gj_graph_vjp(out->graph, from, params, n, to, m, d->options, made, &error)
              : gj_graph_jvp(out->graph, to, m, from, params, n, d->options, made, &error);
  if (status != GJ_OK)
    gj_graph_refuse(d->graph, &error);
  for (size_t i = 0; i < m; i++)
    out->made[to_at[i]] = made[i];
  out->made_count = to_count;
  return status == GJ_OK;
}

bool gj__joint_vjp(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                   gj__joint *out) {
  return derive(d, f, given, wanted, true, out);
}

bool gj__joint_jvp(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                   gj__joint *out) {
  return derive(d, f, given, wanted, false, out);
}

// --- cutting ---

// A node of the function, or a further result of one.
static bool is_own(const gj__joint *joint, gj_ref ref) {
  const gj_node *node = gj_graph_node(joint->graph, ref);
  return ref <= joint->own || (node->op == GJ_OP_result && node->args[0] <= joint->own);
}

static bool moves(const gj_node *node) { return gj_op_has((gj_op)node->op, GJ_TRAIT_PICKS); }

// By ref of the function's values how they are there.
static uint8_t *find_there(gj__derive *d, const gj__joint *joint, const uint8_t *there) {
  size_t count = gj_graph_node_count(joint->graph);
  uint8_t *how = gj__d_room(d, count + 1, 1);
  for (size_t i = 0; how && i < gj_graph_input_count(joint->f); i++)
    how[input_of(joint, i)] = there[i];
  for (gj_ref ref = 1; how && ref <= count; ref++) {
    const gj_node *node = gj_graph_node(joint->graph, ref);
    uint8_t least = GJ__FIXED;
    for (uint32_t a = 0; a < node->arg_count; a++)
      least = how[node->args[a]] < least ? how[node->args[a]] : least;
    if (node->op != GJ_OP_param && is_own(joint, ref))
      how[ref] = least == GJ__THERE && !moves(node) ? GJ__STORED : least;
  }
  return how;
}

// What is worth less than the memory that it would take to keep it.
static bool is_done_again(const gj_node *node) {
  return node->op == GJ_OP_reshape || node->op == GJ_OP_transpose || node->op == GJ_OP_broadcast;
}

bool gj__joint_cut(gj__derive *d, gj__joint *joint, const uint8_t *there, const uint8_t *kept) {
  size_t count = gj_graph_node_count(joint->graph);
  const uint8_t *how = there ? find_there(d, joint, there) : NULL;
  joint->needed = gj__d_room(d, count + 1, 1);
  joint->residuals = gj__d_room(d, count, sizeof *joint->residuals);
  if ((there && !how) || !joint->needed || !joint->residuals)
    return false;
  for (size_t i = 0; i < joint->made_count; i++)
    joint->needed[joint->made[i]] = 1;
  for (size_t i = 0; kept && i < gj_graph_output_count(joint->f); i++)
    joint->needed[output_of(joint, i)] |= kept[i];
  joint->needed[0] = 0;
  for (gj_ref ref = (gj_ref)count; ref > 0; ref--) {
    const gj_node *node = gj_graph_node(joint->graph, ref);
    if (!joint->needed[ref])
      continue;
    if (how && is_own(joint, ref) && how[ref] == GJ__STORED && !is_done_again(node)) {
      joint->needed[ref] = 0;
      joint->residuals[joint->residual_count++] = ref;
      continue;
    }
    for (uint32_t a = 0; a < node->arg_count; a++)
      joint->needed[node->args[a]] = 1;
  }
  return true;
}

bool gj__joint_needs_input(const gj__joint *joint, size_t input) {
  return joint->needed[input_of(joint, input)];
}

size_t gj__joint_output_of(const gj__joint *joint, gj_ref residual, size_t first) {
  size_t count = gj_graph_output_count(joint->f);
  for (size_t i = first; i < count; i++)
    if (output_of(joint, i) == residual)
      return i;
  return count;
}

// --- parts ---

const gj_type *gj__joint_made_type(const gj__joint *joint, size_t i) {
  return joint->reverse ? gj__input_type(joint->f, i) : gj_graph_output_type(joint->f, i);
}

int64_t gj__joint_widened(gj__derive *d, const gj__joint *joint, const gj_ref *values,
                          const gj_type *types, size_t count) {
  gj_graph *to = gj__d_function_new(d, gj_graph_name(joint->f));
  gj_ref *map = gj__d_room(d, gj_graph_node_count(joint->graph) + 1, sizeof *map);
  if (!to || !map)
    return -1;
  for (gj_ref ref = 1; ref <= joint->own; ref++)
    gj__d_copy_node(d, joint->graph, ref, to, map);
  for (size_t i = 0; i < gj_graph_output_count(joint->f); i++)
    gj__d_output(to, map[output_of(joint, i)]);
  gj__derive inside = gj__d_inside(d, to);
  for (size_t i = 0; i < count; i++) {
    gj_ref value = values[i];
    if (value > joint->own)
      gj__d_copy_node(d, joint->graph, value, to, map);
    gj__d_output(to, value ? map[value] : gj__d_filled(&inside, &types[i], 0));
  }
  return gj__d_function_add(d, to);
}

bool gj__joint_copy(gj__derive *d, const gj__joint *joint, gj_graph *to, gj_ref *map) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(joint->graph); ref++)
    if (joint->needed[ref] && !map[ref] && !gj__d_copy_node(d, joint->graph, ref, to, map)) {
      take_error(d, to);
      return false;
    }
  return true;
}
