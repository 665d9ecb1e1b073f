// See rules.h: nodes that rules append, named by what they are for.
#include "passes/batch/rules.h"

gj_ref gj__b_append(gj__batch *b, gj_op op, const gj_ref *args, size_t count,
                    const gj_attrs *attrs) {
  for (size_t i = 0; i < count; i++)
    if (!args[i])
      return 0;
  return gj_graph_append(b->out, op, args, count, attrs);
}

void gj__b_results(gj__batch *b, const gj_node *node, gj_ref ref, bool batched, gj_batched *out) {
  for (size_t i = 0; i < gj_node_result_count(node); i++)
    out[i] = (gj_batched){gj__b_result(b, ref, i), batched};
}

gj_ref gj__b_move_axis(gj__batch *b, gj_ref a, uint8_t from, uint8_t to) {
  int64_t axes[GJ_MAX_RANK];
  uint8_t next = 0;
  for (uint8_t i = 0; a && i < gj__b_type(b, a)->rank; i++) {
    next += next == from;
    axes[i] = i == to ? from : next++;
  }
  return gj__b_transpose(b, a, axes);
}

gj_type gj__b_batched_type(gj__batch *b, const gj_type *type) {
  gj_type batched = {.dtype = type->dtype, .rank = (uint8_t)(type->rank + 1)};
  gj_error error;
  if (type->rank == GJ_MAX_RANK) {
    gj_fail(&error, GJ_E_SHAPE,
            "batch: a value of rank %d is the highest there is, without a batch", GJ_MAX_RANK);
    gj_graph_refuse(b->out, &error);
    return (gj_type){0};
  }
  batched.shape[0] = b->all->size;
  memcpy(batched.shape + 1, type->shape, type->rank * sizeof *type->shape);
  return batched;
}

gj_ref gj__b_spread(gj__batch *b, gj_batched a) {
  static const int64_t behind[GJ_MAX_RANK] = {1, 2, 3, 4, 5, 6, 7, 8};
  gj_attrs attrs = {0};
  if (a.batched || !a.ref)
    return a.ref;
  gj_type type = gj__b_batched_type(b, gj__b_type(b, a.ref));
  gj_attrs_set(&attrs, GJ_ATTR_shape, type.shape, type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_axes, behind, type.rank ? type.rank - 1u : 0);
  return type.rank ? gj_graph_append(b->out, GJ_OP_broadcast, &a.ref, 1, &attrs) : 0;
}

gj_ref gj__b_aligned(gj__batch *b, gj_batched a, uint8_t rank) {
  if (!a.batched || !a.ref)
    return a.ref;
  if (rank == GJ_MAX_RANK)
    return gj__b_batched_type(b, &(gj_type){.rank = rank}).rank;
  const gj_type *own = gj__b_type(b, a.ref);
  gj_type type = {.rank = (uint8_t)(rank + 1), .shape = {b->all->size}};
  uint8_t missing = (uint8_t)(type.rank - own->rank);
  for (uint8_t i = 1; i < type.rank; i++)
    type.shape[i] = i <= missing ? 1 : own->shape[i - missing];
  return gj__b_reshape(b, a.ref, &type);
}

// --- attributes ---

void gj__b_attrs_init(gj__b_attrs *a, const gj_node *node) { a->attrs = *node->attrs; }

void gj__b_shift(gj__b_attrs *a, gj_attr attr) {
  gj_attr_list list = a->attrs.list[attr];
  for (uint8_t i = 0; i < list.count; i++)
    a->values[attr][i] = list.values[i] + 1;
  if (a->attrs.set & 1u << attr)
    gj_attrs_set(&a->attrs, attr, a->values[attr], list.count);
}

void gj__b_lead(gj__b_attrs *a, gj_attr attr, int64_t value) {
  gj_attr_list list = a->attrs.list[attr];
  memmove(a->values[attr] + 1, list.values, list.count * sizeof *list.values);
  a->values[attr][0] = value;
  gj_attrs_set(&a->attrs, attr, a->values[attr], list.count + 1u);
}

void gj__b_shift_with(gj__b_attrs *a, gj_attr attr) {
  gj__b_shift(a, attr);
  gj__b_lead(a, attr, 0);
}

void gj__b_finish(gj__batch *b, const gj_node *node, const gj_ref *args, const gj__b_attrs *a,
                  gj_batched *out) {
  gj_ref made = gj__b_append(b, (gj_op)node->op, args, node->arg_count, &a->attrs);
  gj__b_results(b, node, made, true, out);
}
