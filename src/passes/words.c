// See words.h.
#include "passes/words.h"

#include "passes/fold/fold.h"

gj_ref gj__w_result(gj_graph *graph, gj_ref owner, size_t index) {
  int64_t value = (int64_t)index;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_index, &value, 1);
  return index == 0 || !owner ? owner : gj_graph_append(graph, GJ_OP_result, &owner, 1, &attrs);
}

gj_ref gj__w_filled(gj_graph *graph, const gj_type *type, double value) {
  gj_scalar scalar = {.dtype = type->dtype};
  return gj_scalar_from_double(type->dtype, value, &scalar) ? gj__splat(graph, type, scalar) : 0;
}

gj_ref gj__w_convert(gj_graph *graph, gj_ref a, gj_dtype dtype) {
  int64_t value = dtype;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &value, 1);
  if (!a || gj_graph_node(graph, a)->type.dtype == dtype)
    return a;
  return gj_graph_append(graph, GJ_OP_convert, &a, 1, &attrs);
}

gj_ref gj__w_reshape(gj_graph *graph, gj_ref a, const gj_type *shape) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape->shape, shape->rank);
  if (!a || gj__same_shape(&gj_graph_node(graph, a)->type, shape))
    return a;
  return gj_graph_append(graph, GJ_OP_reshape, &a, 1, &attrs);
}

gj_ref gj__w_transpose(gj_graph *graph, gj_ref a, const int64_t *axes) {
  gj_attrs attrs = {0};
  if (!a)
    return 0;
  uint8_t rank = gj_graph_node(graph, a)->type.rank, moved = 0;
  for (uint8_t i = 0; i < rank; i++)
    moved += axes[i] != i;
  gj_attrs_set(&attrs, GJ_ATTR_axes, axes, rank);
  return moved ? gj_graph_append(graph, GJ_OP_transpose, &a, 1, &attrs) : a;
}

gj_ref gj__w_iota(gj_graph *graph, gj_dtype dtype, const gj_type *shape, int64_t axis) {
  int64_t value = dtype;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &value, 1);
  gj_attrs_set(&attrs, GJ_ATTR_shape, shape->shape, shape->rank);
  gj_attrs_set(&attrs, GJ_ATTR_axis, &axis, 1);
  return gj_graph_append(graph, GJ_OP_iota, NULL, 0, &attrs);
}
