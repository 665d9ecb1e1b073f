// Folding rules of windows: padding and gaps go into memory, where kernels need not ask for them.
//
// The input of a conv with padding or base dilation becomes a pad with zeros, the operand of a
// window reduction with base dilation a pad with gaps of its start value: the same values by the
// meaning of both ops. A convolution reads each element for every output channel, so its loops
// must be free of conditions, and one more pass over the input costs little beside that. A
// reduction reads an element a few times; its kernel cuts windows at the edges instead
// (lower/kernels/window.c), and keeps lo and hi.
#include "passes/fold/fold.h"

static bool all_are(const gj_attr_list *list, int64_t value) {
  for (uint8_t i = 0; i < list->count; i++)
    if (list->values[i] != value)
      return false;
  return true;
}

static gj_ref padded(const gj_fold *f, uint8_t first, bool ends) {
  const gj_attr_list *list = f->attrs->list;
  int64_t lo[GJ_MAX_RANK] = {0}, hi[GJ_MAX_RANK] = {0}, interior[GJ_MAX_RANK] = {0};
  for (uint8_t i = 0; i < list[GJ_ATTR_lo].count; i++) {
    interior[first + i] = list[GJ_ATTR_base_dilation].values[i] - 1;
    lo[first + i] = ends ? list[GJ_ATTR_lo].values[i] : 0;
    hi[first + i] = ends ? list[GJ_ATTR_hi].values[i] : 0;
  }
  const gj_op_info *info = gj_op_get(f->op);
  gj_start start = info->start ? (gj_start)info->start : GJ_START_ZERO;
  gj_type scalar = {.dtype = f->type.dtype};
  gj_ref args[2] = {f->args[0], gj__splat(f->graph, &scalar, gj_scalar_start(start, scalar.dtype))};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_lo, lo, f->type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_hi, hi, f->type.rank);
  gj_attrs_set(&attrs, GJ_ATTR_interior, interior, f->type.rank);
  return gj_graph_append(f->graph, GJ_OP_pad, args, 2, &attrs);
}

gj_ref gj__fold_window(const gj_fold *f) {
  static const int64_t zeros[GJ_MAX_RANK] = {0}, ones[GJ_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
  bool conv = f->op == GJ_OP_conv;
  gj_attrs attrs = *f->attrs;
  bool gaps = !all_are(&attrs.list[GJ_ATTR_base_dilation], 1);
  bool ends = conv && !(all_are(&attrs.list[GJ_ATTR_lo], 0) && all_are(&attrs.list[GJ_ATTR_hi], 0));
  if (!gaps && !ends)
    return 0;
  gj_ref args[2] = {padded(f, conv ? 2 : 0, conv), conv ? f->args[1] : 0};
  uint8_t axes = attrs.list[GJ_ATTR_lo].count;
  gj_attrs_set(&attrs, GJ_ATTR_base_dilation, ones, axes);
  if (conv) {
    gj_attrs_set(&attrs, GJ_ATTR_lo, zeros, axes);
    gj_attrs_set(&attrs, GJ_ATTR_hi, zeros, axes);
  }
  return gj_graph_append(f->graph, f->op, args, f->arg_count, &attrs);
}
