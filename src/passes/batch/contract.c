// Rules of contractions: the batch is one more axis along which both operands go together, or one
// more free axis of the operand that has it.
#include "passes/batch/rules.h"

// --- dot_general ---

static bool is_batch_alone(const gj_type *type, const gj_attr_list *batch,
                           const gj_attr_list *contract) {
  return type->rank == 1 + batch->count + contract->count;
}

// Batches, free axes of x and those of y come out in this order, the batch where its operand is.
void gj__batch_dot_general(gj__batch *b, const gj_node *node, const gj_batched *args,
                           gj_batched *out) {
  static const gj_attr batch[] = {GJ_ATTR_lhs_batch, GJ_ATTR_rhs_batch};
  static const gj_attr contract[] = {GJ_ATTR_lhs_contract, GJ_ATTR_rhs_contract};
  const gj_type *types[] = {gj__b_type(b, args[0].ref), gj__b_type(b, args[1].ref)};
  const gj_attr_list *lists = node->attrs->list;
  bool both = args[0].batched && args[1].batched;
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  for (int s = 0; s < 2; s++)
    if (args[s].batched) {
      gj__b_shift(&a, contract[s]);
      if (both)
        gj__b_shift_with(&a, batch[s]);
      else
        gj__b_shift(&a, batch[s]);
    }
  uint8_t batches = lists[GJ_ATTR_lhs_batch].count;
  uint8_t lhs_free = (uint8_t)(types[0]->rank - batches - lists[GJ_ATTR_lhs_contract].count);
  uint8_t at = (uint8_t)(args[0].batched ? batches : batches + lhs_free);
  gj_ref refs[] = {args[0].ref, args[1].ref};
  // One example of y being all there is of it, the operands change places: rows of a product
  // instead of columns.
  if (!args[0].batched &&
      is_batch_alone(types[1], &lists[GJ_ATTR_rhs_batch], &lists[GJ_ATTR_rhs_contract])) {
    gj_attrs swapped = {0};
    for (int s = 0; s < 2; s++) {
      gj_attrs_set(&swapped, batch[s], a.attrs.list[batch[1 - s]].values, batches);
      gj_attrs_set(&swapped, contract[s], a.attrs.list[contract[1 - s]].values,
                   lists[contract[s]].count);
    }
    gj_ref rows = gj__b_append(b, GJ_OP_dot_general, (gj_ref[]){refs[1], refs[0]}, 2, &swapped);
    out[0] = (gj_batched){gj__b_move_axis(b, rows, batches, 0), true};
    return;
  }
  gj_ref made = gj__b_append(b, GJ_OP_dot_general, refs, 2, &a.attrs);
  out[0] = (gj_batched){both ? made : gj__b_move_axis(b, made, at, 0), true};
}

// --- conv ---
//
// Input [N, C, …], kernel [O, C / groups, …], result [N, O, …]: examples of inputs are more of N,
// those of kernels more of O, and where both are batched each example is a group of channels.

// Axis `axis` and the one behind it as one.
static gj_ref merge(gj__batch *b, gj_ref a, uint8_t axis) {
  if (!a)
    return 0;
  gj_type type = *gj__b_type(b, a);
  type.shape[axis] = gj_dim_mul(gj_graph_dims(b->out), type.shape[axis], type.shape[axis + 1]);
  type.rank--;
  memmove(type.shape + axis + 1, type.shape + axis + 2,
          (size_t)(type.rank - axis - 1) * sizeof *type.shape);
  return gj__b_reshape(b, a, &type);
}

// Axis `axis` as `count` and what is left of it.
static gj_ref split(gj__batch *b, gj_ref a, uint8_t axis, gj_dim count) {
  if (!a)
    return 0;
  gj_type type = *gj__b_type(b, a);
  gj_dim rest = gj_dim_floordiv(gj_graph_dims(b->out), type.shape[axis], count);
  memmove(type.shape + axis + 1, type.shape + axis,
          (size_t)(type.rank - axis) * sizeof *type.shape);
  type.shape[axis] = count;
  type.shape[axis + 1] = rest;
  type.rank++;
  return gj__b_reshape(b, a, &type);
}

static gj_ref conv(gj__batch *b, gj_ref input, gj_ref kernel, const gj_attrs *attrs) {
  return gj__b_append(b, GJ_OP_conv, (gj_ref[]){input, kernel}, 2, attrs);
}

static gj_ref conv_inputs(gj__batch *b, const gj_node *node, const gj_batched *args) {
  gj_ref made = conv(b, merge(b, args[0].ref, 0), args[1].ref, node->attrs);
  gj_type type = gj__b_batched_type(b, &node->type);
  return gj__b_reshape(b, made, &type);
}

// Channels stay in their groups: O is [groups, size, O / groups].
static gj_ref conv_kernels(gj__batch *b, const gj_node *node, const gj_batched *args) {
  int64_t groups = gj_node_int(node, GJ_ATTR_groups);
  gj_ref kernel = gj__b_move_axis(b, split(b, args[1].ref, 1, groups), 1, 0);
  gj_ref made = conv(b, args[0].ref, merge(b, merge(b, kernel, 0), 0), node->attrs);
  made = split(b, split(b, made, 1, groups), 2, b->all->size); // [N, groups, size, O / groups, …]
  return merge(b, gj__b_move_axis(b, made, 2, 0), 2);
}

static gj_ref conv_both(gj__batch *b, const gj_node *node, const gj_batched *args) {
  int64_t groups = gj_node_int(node, GJ_ATTR_groups) * b->all->size;
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  gj_attrs_set(&a.attrs, GJ_ATTR_groups, &groups, 1);
  gj_ref input = merge(b, gj__b_move_axis(b, args[0].ref, 0, 1), 1);
  gj_ref made = conv(b, input, merge(b, args[1].ref, 0), &a.attrs);
  return gj__b_move_axis(b, split(b, made, 1, b->all->size), 1, 0);
}

void gj__batch_conv(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  bool both = args[0].batched && args[1].batched;
  if (both && (!gj_dim_is_const(b->all->size) || b->all->size == 0)) {
    gj__b_loop(b, node, args, out); // the number of groups is no size
    return;
  }
  gj_ref made = both              ? conv_both(b, node, args)
                : args[0].batched ? conv_inputs(b, node, args)
                                  : conv_kernels(b, node, args);
  out[0] = (gj_batched){made, true};
}
