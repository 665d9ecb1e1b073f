// Forward mode: tangents from the variables up to the ys.
#include "passes/derive/walk.h"

gj_ref gj__d_tangent(const gj__derive *d, gj_ref operand) {
  size_t index;
  gj_ref owner = gj__d_owner_of(d->graph, operand, &index);
  return d->tangents[owner] ? d->tangents[owner][index] : 0;
}

gj_ref gj__d_tangent_or_zeros(gj__derive *d, gj_ref operand) {
  gj_ref tangent = gj__d_tangent(d, operand);
  return tangent ? tangent : gj__d_zeros_like(d, operand);
}

void gj__jvp_linear(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref *args = gj_arena_array(&d->arena, node->arg_count, sizeof *args);
  if (!args) {
    gj__d_refuse(d, ref, "out of memory");
    return;
  }
  for (uint32_t i = 0; i < node->arg_count; i++) {
    bool moves = gj_dtype_is_float(gj__type_of(d, node->args[i])->dtype);
    args[i] = moves ? gj__d_tangent_or_zeros(d, node->args[i]) : node->args[i];
    if (!args[i])
      return;
  }
  out_tangents[0] = gj_graph_append_like(d->graph, node, args);
}

static gj_ref *room_for(gj__derive *d, gj_ref owner) {
  gj_ref **own = &d->tangents[owner];
  size_t count = gj_node_result_count(gj_graph_node(d->graph, owner));
  if (!*own && !(*own = gj_arena_array(&d->arena, count, sizeof **own)))
    gj__d_refuse(d, owner, "out of memory");
  return *own;
}

// `given` by ref: what a variable has.
static void walk(gj__derive *d, const gj_ref *given) {
  for (gj_ref ref = 1; ref <= d->count; ref++) {
    const gj_node *node = gj_graph_node(d->graph, ref);
    size_t index;
    gj_ref owner = gj__d_owner_of(d->graph, ref, &index);
    if (!d->active[ref] || !room_for(d, owner))
      continue;
    bool is_variable = given[ref] && gj_node_result_count(node) == 1;
    if (owner == ref && !is_variable && gj__d_needs(d, node))
      gj__d_rule_of((gj_op)node->op)->jvp(d, ref, node, d->tangents[ref]);
    if (given[ref])
      d->tangents[owner][index] = given[ref];
  }
}

gj_status gj_graph_jvp(gj_graph *graph, const gj_ref *ys, size_t y_count, const gj_ref *wrt,
                       const gj_ref *tangents, size_t count, const gj_derive_options *options,
                       gj_ref *out_tangents, gj_error *err) {
  static const gj_derive_options defaults = {0};
  gj__derive d = {.graph = graph, .options = options ? options : &defaults};
  gj_status status = gj__derive_begin(&d, ys, y_count, wrt, count, err);
  gj_ref *given = status == GJ_OK ? gj_arena_array(&d.arena, d.count + 1, sizeof *given) : NULL;
  if (status == GJ_OK && !given)
    status = gj_fail(err, GJ_E_MEMORY, "derivative: out of memory");
  for (size_t i = 0; i < count && status == GJ_OK; i++)
    given[wrt[i]] = tangents[i];
  if (status == GJ_OK)
    walk(&d, given);
  for (size_t k = 0; k < y_count && status == GJ_OK; k++)
    out_tangents[k] = gj__d_tangent(&d, ys[k]);
  return gj__derive_end(&d, status, err);
}
