// Rules of movement, and of whatever keeps examples apart by working along other axes.
#include "passes/batch/rules.h"

#include "passes/fold/fold.h"

void gj__batch_reshape(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj_type type = gj__b_batched_type(b, &node->type);
  out[0] = (gj_batched){type.rank ? gj__b_reshape(b, args[0].ref, &type) : 0, true};
}

void gj__batch_transpose(gj__batch *b, const gj_node *node, const gj_batched *args,
                         gj_batched *out) {
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  gj__b_shift_with(&a, GJ_ATTR_axes);
  gj__b_finish(b, node, &args[0].ref, &a, out);
}

void gj__batch_broadcast(gj__batch *b, const gj_node *node, const gj_batched *args,
                         gj_batched *out) {
  gj__b_attrs a;
  if (!gj__b_batched_type(b, &node->type).rank)
    return;
  gj__b_attrs_init(&a, node);
  gj__b_lead(&a, GJ_ATTR_shape, b->all->size);
  gj__b_shift_with(&a, GJ_ATTR_axes);
  gj__b_finish(b, node, &args[0].ref, &a, out);
}

void gj__batch_slice(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  gj__b_lead(&a, GJ_ATTR_start, 0);
  gj__b_lead(&a, GJ_ATTR_shape, b->all->size);
  gj__b_lead(&a, GJ_ATTR_stride, 1);
  gj__b_finish(b, node, &args[0].ref, &a, out);
}

// Where each example has a fill of its own, what is padded is chosen afterwards.
static gj_ref filled(gj__batch *b, const gj_node *node, gj_ref padded, gj_batched operand,
                     gj_batched fill) {
  gj_type type = *gj__b_type(b, operand.ref);
  type.dtype = GJ_DTYPE_bool;
  if (operand.batched)
    memmove(type.shape, type.shape + 1, --type.rank * sizeof *type.shape);
  gj_ref inside = gj__b_filled(b, &type, 0);
  gj_ref outside = gj__b_filled(b, &(gj_type){.dtype = GJ_DTYPE_bool}, 1);
  gj_ref mask = gj__b_append(b, GJ_OP_pad, (gj_ref[]){inside, outside}, 2, node->attrs);
  return gj__b_op3(b, GJ_OP_select, mask, gj__b_aligned(b, fill, node->type.rank), padded);
}

void gj__batch_pad(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj_batched operand = args[0], fill = args[1];
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  if (operand.batched) {
    gj__b_lead(&a, GJ_ATTR_lo, 0);
    gj__b_lead(&a, GJ_ATTR_hi, 0);
    gj__b_lead(&a, GJ_ATTR_interior, 0);
  }
  gj_type scalar = {.dtype = node->type.dtype};
  gj_ref around = fill.batched ? gj__b_filled(b, &scalar, 0) : fill.ref;
  gj_ref made = gj__b_append(b, GJ_OP_pad, (gj_ref[]){operand.ref, around}, 2, &a.attrs);
  out[0] = (gj_batched){fill.batched ? filled(b, node, made, operand, fill) : made, true};
}

// All operands are batched, and the axes of the op are those behind the batch: reductions, running
// ones, sorts, concat, reverse.
void gj__batch_along(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj_ref *refs = gj__b_room(b, node->arg_count, sizeof *refs);
  gj__b_attrs a;
  for (uint32_t i = 0; refs && i < node->arg_count; i++)
    refs[i] = gj__b_spread(b, args[i]);
  gj__b_attrs_init(&a, node);
  gj__b_shift(&a, GJ_ATTR_axis);
  gj__b_shift(&a, GJ_ATTR_axes);
  if (refs)
    gj__b_finish(b, node, refs, &a, out);
}

// A window of size 1 goes along the batch.
void gj__batch_window(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj__b_attrs a;
  gj__b_attrs_init(&a, node);
  gj__b_lead(&a, GJ_ATTR_window, 1);
  gj__b_lead(&a, GJ_ATTR_stride, 1);
  gj__b_lead(&a, GJ_ATTR_lo, 0);
  gj__b_lead(&a, GJ_ATTR_hi, 0);
  gj__b_lead(&a, GJ_ATTR_base_dilation, 1);
  gj__b_lead(&a, GJ_ATTR_dilation, 1);
  gj__b_finish(b, node, &args[0].ref, &a, out);
}

// --- what is left out ---

void gj__batch_custom_call(gj__batch *b, const gj_node *node, const gj_batched *args,
                           gj_batched *out) {
  gj_error error;
  (void)args;
  (void)out;
  gj_fail(&error, GJ_E_UNSUPPORTED,
          "batch of custom_call \"%s\": its code takes one example; call it in a loop, with map",
          node->name);
  gj_graph_refuse(b->out, &error);
}

void gj__batch_compress(gj__batch *b, const gj_node *node, const gj_batched *args,
                        gj_batched *out) {
  (void)args;
  (void)out;
  gj__b_refuse(b, (gj_op)node->op, "each example would have another size; use a mask and select");
}
