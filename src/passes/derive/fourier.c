// Rules of Fourier transforms, which are linear: forward mode transforms tangents, reverse mode
// takes the transform back.
#include "passes/derive/rules.h"

// The adjoint has exponents of the other sign.
void gj__vjp_fft(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  int64_t adjoint = !gj_node_int(node, GJ_ATTR_adjoint);
  gj_attrs attrs = {0};
  (void)ref;
  gj_attrs_set(&attrs, GJ_ATTR_adjoint, &adjoint, 1);
  gj__d_give(d, node->args[0], gj_graph_append(d->graph, GJ_OP_fft, cts, 1, &attrs));
}

// Times a factor, but for the bins that stand for themselves only: the first, and of an even number
// of reals the last. The others stand for their conjugates too.
static gj_ref scale_pairs(gj__derive *d, gj_ref bins, gj_dim reals, double factor) {
  if (!bins)
    return 0;
  gj_type type = *gj__type_of(d, bins), signal = {.rank = 1, .shape = {reals}};
  gj_ref bin = gj__d_iota(d, GJ_DTYPE_i64, &type, type.rank - 2);
  gj_ref twice = gj__d_add(d, bin, bin);
  gj_ref count = gj__d_extent(d, GJ_DTYPE_i64, &signal, (int64_t[]){0}, 1);
  gj_ref alone = gj__d_op2(d, GJ_OP_or, gj__d_eq(d, bin, gj__d_number(d, GJ_DTYPE_i64, 0)),
                           gj__d_eq(d, twice, count));
  gj_ref scaled = gj__d_mul(d, bins, gj__d_number(d, type.dtype, factor));
  return gj__d_select(d, alone, bins, scaled);
}

void gj__vjp_rfft(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  const gj_type *type = gj__type_of(d, node->args[0]);
  int64_t count = type->shape[type->rank - 1];
  gj_attrs attrs = {0};
  (void)ref;
  gj_ref bins = scale_pairs(d, cts[0], count, 0.5);
  gj_attrs_set(&attrs, GJ_ATTR_count, &count, 1);
  if (bins)
    gj__d_give(d, node->args[0], gj_graph_append(d->graph, GJ_OP_irfft, &bins, 1, &attrs));
}

void gj__vjp_irfft(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  gj_ref bins = gj_graph_append(d->graph, GJ_OP_rfft, cts, 1, NULL);
  gj__d_give(d, node->args[0], scale_pairs(d, bins, node->attrs->list[GJ_ATTR_count].values[0], 2));
}
