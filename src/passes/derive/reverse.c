// Reverse mode: cotangents from the ys down to the variables.
//
// Refs go down, so all users of a value have given what they have to give when its turn comes. What
// comes to one value is added up in that order, which depends on the graph alone.
#include "passes/derive/walk.h"

void gj__d_give(gj__derive *d, gj_ref operand, gj_ref cotangent) {
  size_t index;
  if (!cotangent || !d->active[operand])
    return;
  gj_ref owner = gj__d_owner_of(d->graph, operand, &index);
  gj_ref **sums = &d->cotangents[owner];
  if (!*sums) {
    size_t count = gj_node_result_count(gj_graph_node(d->graph, owner));
    *sums = gj_arena_array(&d->arena, count, sizeof **sums);
    if (!*sums) {
      gj__d_refuse(d, owner, "out of memory");
      return;
    }
  }
  gj_ref *sum = &(*sums)[index];
  *sum = *sum ? gj__d_add(d, *sum, cotangent) : cotangent;
}

gj_status gj_graph_vjp(gj_graph *graph, const gj_ref *ys, const gj_ref *seeds, size_t y_count,
                       const gj_ref *wrt, size_t count, const gj_derive_options *options,
                       gj_ref *out_grads, gj_error *err) {
  static const gj_derive_options defaults = {0};
  gj__derive d = {.graph = graph, .options = options ? options : &defaults};
  gj_status status = gj__derive_begin(&d, ys, y_count, wrt, count, err);
  for (size_t k = 0; k < y_count && status == GJ_OK; k++)
    gj__d_give(&d, ys[k], seeds[k]);
  for (gj_ref ref = (gj_ref)d.count; ref > 0 && status == GJ_OK; ref--) {
    const gj_node *node = gj_graph_node(graph, ref);
    if (d.cotangents[ref] && gj__d_needs(&d, node))
      gj__d_rule_of((gj_op)node->op)->vjp(&d, ref, node, d.cotangents[ref]);
  }
  for (size_t i = 0; i < count && status == GJ_OK; i++) {
    size_t index;
    gj_ref owner = gj__d_owner_of(graph, wrt[i], &index);
    out_grads[i] = d.cotangents[owner] ? d.cotangents[owner][index] : 0;
  }
  return gj__derive_end(&d, status, err);
}
