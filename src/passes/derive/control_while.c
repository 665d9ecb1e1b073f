// Forward rule of while: the loop with tangents beside the values. The reverse is in
// control_unwind.c.
#include "passes/derive/control.h"

typedef struct loop {
  gj__derive *d;
  gj_ref ref;
  const gj_node *node;
  const gj_graph *condition, *body;
  size_t args, carried;
  uint8_t *flows; // by operand: it depends on a variable, in the first round or later
} loop;

static bool begin(loop *l, gj__derive *d, gj_ref ref, const gj_node *node) {
  *l = (loop){.d = d,
              .ref = ref,
              .node = node,
              .condition = gj__d_function(d, node, 0),
              .body = gj__d_function(d, node, 1)};
  l->args = node->arg_count;
  l->carried = (size_t)gj_node_int(node, GJ_ATTR_carried);
  l->flows = gj__d_room(d, l->args, 1);
  uint8_t *results = gj__d_room(d, l->carried, 1);
  for (size_t i = 0; l->flows && i < l->args; i++)
    l->flows[i] = gj__d_wants(d, node->args[i]);
  if (l->flows && results && gj__d_flow_control(&d->arena, d->graph, node, l->flows, results))
    return true;
  gj__d_refuse(d, ref, "out of memory");
  return false;
}

static gj_ref append(loop *l, const gj_ref *args, size_t count, size_t carried,
                     const int64_t *functions) {
  gj_attrs attrs = {0};
  int64_t number = (int64_t)carried;
  gj_attrs_set(&attrs, GJ_ATTR_carried, &number, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, functions, 2);
  for (size_t i = 0; i < count; i++)
    if (!args[i])
      return 0;
  return functions[0] < 0 || functions[1] < 0
             ? 0
             : gj_graph_append(l->d->graph, GJ_OP_while, args, count, &attrs);
}

// Inputs for operands `from` to `end` of a function and for their tangents; those for which `map`
// and `tangents` are given stand for inputs of the function that is copied.
static void take_both(const loop *l, gj_graph *to, size_t from, size_t end, const gj_ref *params,
                      const gj_ref *tangents, gj_ref *map) {
  for (size_t i = from; i < end; i++)
    map[params[i]] = gj__d_input(to, gj__input_type(l->body, i));
  for (size_t i = from; i < end; i++)
    if (l->flows[i]) {
      gj_ref input = gj__d_input(to, gj__input_type(l->body, i));
      if (tangents)
        map[tangents[i]] = input;
    }
}

static gj_ref *params_of(const loop *l, const gj_graph *f, const gj_ref *map) {
  gj_ref *params = gj__d_room(l->d, l->args, sizeof *params);
  for (size_t i = 0; params && i < l->args; i++) {
    gj_ref input = gj_graph_input(f, i);
    params[i] = map ? map[input] : input;
  }
  return params;
}

static int64_t condition_with_tangents(const loop *l) {
  gj_graph *to = gj__d_function_new(l->d, gj_graph_name(l->condition));
  gj_ref *map = gj__d_room(l->d, gj_graph_node_count(l->condition) + 1, sizeof *map);
  const gj_ref *params = params_of(l, l->condition, NULL);
  if (!to || !map || !params)
    return -1;
  take_both(l, to, 0, l->carried, params, NULL, map);
  take_both(l, to, l->carried, l->args, params, NULL, map);
  if (!gj__d_copy_function(l->d, l->condition, to, map))
    return -1;
  gj__d_output(to, map[gj_graph_output(l->condition, 0)->ref]);
  return gj__d_function_add(l->d, to);
}

static int64_t body_with_tangents(const loop *l) {
  gj__derive *d = l->d;
  gj__joint joint;
  uint8_t *kept = gj__d_room(d, l->carried, 1);
  if (!kept || !gj__joint_jvp(d, l->body, l->flows, l->flows, &joint))
    return -1;
  memset(kept, 1, l->carried);
  gj_graph *to = gj__d_function_new(d, "tangents");
  gj_ref *map = gj__d_room(d, gj_graph_node_count(joint.graph) + 1, sizeof *map);
  const gj_ref *params = params_of(l, l->body, joint.map);
  if (!to || !map || !params || !gj__joint_cut(d, &joint, NULL, kept))
    return -1;
  take_both(l, to, 0, l->carried, params, joint.given, map);
  take_both(l, to, l->carried, l->args, params, joint.given, map);
  if (!gj__joint_copy(d, &joint, to, map))
    return -1;
  gj__derive inside = gj__d_inside(d, to);
  for (size_t i = 0; i < l->carried; i++)
    gj__d_output(to, map[joint.map[gj_graph_output(l->body, i)->ref]]);
  for (size_t i = 0; i < l->carried; i++)
    if (l->flows[i]) {
      gj_ref own = map[joint.made[i]];
      gj__d_output(to, own ? own : gj__d_filled(&inside, gj__joint_made_type(&joint, i), 0));
    }
  return gj__d_function_add(d, to);
}

static size_t list_both(const loop *l, size_t from, size_t end, gj_ref *out) {
  size_t count = 0;
  for (size_t i = from; i < end; i++)
    out[count++] = l->node->args[i];
  for (size_t i = from; i < end; i++)
    if (l->flows[i])
      out[count++] = gj__d_tangent_or_zeros(l->d, l->node->args[i]);
  return count;
}

void gj__jvp_while(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  loop l;
  gj_ref *args = gj__d_room(d, 2 * node->arg_count, sizeof *args);
  if (!args || !begin(&l, d, ref, node))
    return;
  int64_t functions[] = {condition_with_tangents(&l), body_with_tangents(&l)};
  size_t carried = list_both(&l, 0, l.carried, args), index = l.carried;
  size_t count = carried + list_both(&l, l.carried, l.args, args + carried);
  gj_ref own = append(&l, args, count, carried, functions);
  for (size_t i = 0; own && i < l.carried; i++)
    if (l.flows[i])
      out_tangents[i] = gj__d_result(d, own, index++);
}
