// Shape rules of gather and the scatters, and the roles that their attributes give to axes.
//
// The rules are those of StableHLO with the index vectors along the last axis of the indices.
// Whether a window fits into an operand whose sizes are symbols is left to gj_graph_bind().

#include "ir/infer/index_axes.h"
#include "ir/infer/infer.h"

#include <string.h>

enum { OPERAND, INDICES, UPDATES };

// --- roles ---

static bool listed(const gj_attr_list *list, int64_t axis) {
  for (uint8_t i = 0; i < list->count; i++)
    if (list->values[i] == axis)
      return true;
  return false;
}

static gj_index_axes roles(const gj_attrs *attrs, uint8_t operand_rank, uint8_t result_rank) {
  const gj_attr_list *offset = &attrs->list[GJ_ATTR_offset_axes];
  const gj_attr_list *batch = &attrs->list[GJ_ATTR_operand_batch];
  const gj_attr_list *map = &attrs->list[GJ_ATTR_index_map];
  gj_index_axes axes = {0};
  for (uint8_t i = 0; i < result_rank; i++)
    if (!listed(offset, i))
      axes.batch[axes.batch_count++] = i;
  for (uint8_t i = 0; i < operand_rank; i++) {
    axes.start[i] = axes.along[i] = GJ_NO_AXIS;
    if (listed(&attrs->list[GJ_ATTR_collapsed_axes], i) || listed(batch, i))
      continue;
    axes.offset[axes.window_count] = (uint8_t)offset->values[axes.window_count];
    axes.operand[axes.window_count++] = i;
  }
  for (uint8_t k = 0; k < batch->count; k++)
    axes.along[batch->values[k]] = (uint8_t)attrs->list[GJ_ATTR_indices_batch].values[k];
  for (uint8_t k = 0; k < map->count; k++)
    axes.start[map->values[k]] = k;
  return axes;
}

gj_index_axes gj_index_axes_of(const gj_graph *graph, const gj_node *node) {
  bool gathers = node->op == GJ_OP_gather;
  uint8_t rank = gathers ? node->type.rank : gj_graph_node(graph, node->args[UPDATES])->type.rank;
  return roles(node->attrs, gj_graph_node(graph, node->args[OPERAND])->type.rank, rank);
}

gj_dim gj_window_size(const gj_graph *graph, const gj_node *node, const gj_index_axes *axes,
                      uint8_t axis) {
  if (node->op == GJ_OP_gather)
    return node->attrs->list[GJ_ATTR_window].values[axis];
  for (uint8_t k = 0; k < axes->window_count; k++)
    if (axes->operand[k] == axis)
      return gj_graph_node(graph, node->args[UPDATES])->type.shape[axes->offset[k]];
  return 1;
}

// --- checks of the attributes ---

static gj_status fail_attr(const gj__infer *in, gj_attr attr, const char *what, int64_t value) {
  return gj_fail(in->err, GJ_E_SHAPE, "%s: %s: %s: %lld", in->name, gj_attr_get(attr)->name, what,
                 (long long)value);
}

// Axes below `rank`, none of them twice; `sorted`: in rising order.
static gj_status check_axes(const gj__infer *in, gj_attr attr, size_t rank, bool sorted) {
  const gj_attr_list *list = gj__list(in, attr);
  bool seen[GJ_MAX_RANK] = {false};
  for (uint8_t i = 0; i < list->count; i++) {
    int64_t axis = list->values[i];
    if (axis < 0 || (uint64_t)axis >= rank)
      return gj_fail(in->err, GJ_E_SHAPE, "%s: %s: axis %lld is not in [0, %zu)", in->name,
                     gj_attr_get(attr)->name, (long long)axis, rank);
    if (seen[axis])
      return fail_attr(in, attr, "an axis is named twice", axis);
    if (sorted && i > 0 && axis < list->values[i - 1])
      return fail_attr(in, attr, "axes must increase, but a smaller one follows", axis);
    seen[axis] = true;
  }
  return GJ_OK;
}

static gj_status check_apart(const gj__infer *in, gj_attr attr, gj_attr other) {
  const gj_attr_list *list = gj__list(in, attr);
  for (uint8_t i = 0; i < list->count; i++)
    if (listed(gj__list(in, other), list->values[i]))
      return gj_fail(in->err, GJ_E_SHAPE, "%s: axis %lld is in %s and in %s", in->name,
                     (long long)list->values[i], gj_attr_get(attr)->name, gj_attr_get(other)->name);
  return GJ_OK;
}

// The axes of operand and indices that go together have one size.
static gj_status check_batch(const gj__infer *in) {
  const gj_type *operand = gj__operand(in, OPERAND), *indices = gj__operand(in, INDICES);
  const gj_attr_list *own = gj__list(in, GJ_ATTR_operand_batch);
  const gj_attr_list *with = gj__list(in, GJ_ATTR_indices_batch);
  if (own->count != with->count)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: operand_batch has %d axes, but indices_batch has %d",
                   in->name, own->count, with->count);
  for (uint8_t k = 0; k < own->count; k++) {
    gj_dim a = operand->shape[own->values[k]], b = indices->shape[with->values[k]];
    if (a != b)
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis %lld of operand %%%u has size %s, but axis %lld of the indices %%%u "
                     "has %s",
                     in->name, (long long)own->values[k], in->args[OPERAND],
                     gj__dim_text(in->dims, a).s, (long long)with->values[k], in->args[INDICES],
                     gj__dim_text(in->dims, b).s);
  }
  return GJ_OK;
}

// Everything that does not depend on the shape of the result or the updates, whose rank is `rank`.
static gj_status check_attrs(const gj__infer *in, size_t rank) {
  const gj_type *operand = gj__operand(in, OPERAND), *indices = gj__operand(in, INDICES);
  const gj_attr_list *map = gj__list(in, GJ_ATTR_index_map);
  GJ_TRY(check_axes(in, GJ_ATTR_offset_axes, rank, true));
  GJ_TRY(check_axes(in, GJ_ATTR_collapsed_axes, operand->rank, true));
  GJ_TRY(check_axes(in, GJ_ATTR_operand_batch, operand->rank, true));
  GJ_TRY(check_axes(in, GJ_ATTR_indices_batch, indices->rank - 1u, false));
  GJ_TRY(check_axes(in, GJ_ATTR_index_map, operand->rank, false));
  GJ_TRY(check_apart(in, GJ_ATTR_collapsed_axes, GJ_ATTR_operand_batch));
  GJ_TRY(check_apart(in, GJ_ATTR_index_map, GJ_ATTR_operand_batch));
  if (indices->shape[indices->rank - 1] != map->count)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: index_map has %d axes, but the last axis of the indices %%%u has size %s",
                   in->name, map->count, in->args[INDICES],
                   gj__dim_text(in->dims, indices->shape[indices->rank - 1]).s);
  size_t window = operand->rank - (size_t)gj__list(in, GJ_ATTR_collapsed_axes)->count -
                  gj__list(in, GJ_ATTR_operand_batch)->count;
  if (gj__list(in, GJ_ATTR_offset_axes)->count != window)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: offset_axes has %d axes, but a window of operand %%%u has %zu", in->name,
                   gj__list(in, GJ_ATTR_offset_axes)->count, in->args[OPERAND], window);
  return check_batch(in);
}

static gj_status check_indices(const gj__infer *in) {
  if (gj__operand(in, INDICES)->rank > 0)
    return GJ_OK;
  return gj_fail(in->err, GJ_E_SHAPE,
                 "%s: the indices %%%u are a scalar, but they hold index vectors along an axis",
                 in->name, in->args[INDICES]);
}

// --- the rules ---

static gj_status check_window_attr(const gj__infer *in) {
  const gj_type *operand = gj__operand(in, OPERAND);
  const gj_attr_list *window = gj__list(in, GJ_ATTR_window);
  if (window->count != operand->rank)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: window has %d values, but operand %%%u has rank %d",
                   in->name, window->count, in->args[OPERAND], operand->rank);
  for (uint8_t i = 0; i < operand->rank; i++) {
    bool gone = listed(gj__list(in, GJ_ATTR_collapsed_axes), i) ||
                listed(gj__list(in, GJ_ATTR_operand_batch), i);
    if (gone && window->values[i] != 1)
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: window has size %s along axis %d, which is dropped, so it must be 1",
                     in->name, gj__dim_text(in->dims, window->values[i]).s, i);
  }
  return GJ_OK;
}

// A result without elements takes nothing, so no window of it need fit.
static gj_status check_window_fits(const gj__infer *in, const gj_type *result) {
  const gj_type *operand = gj__operand(in, OPERAND);
  bool takes = true;
  for (uint8_t i = 0; i < result->rank; i++)
    takes = takes && gj_dim_is_const(result->shape[i]) && result->shape[i] != 0;
  for (uint8_t i = 0; takes && i < operand->rank; i++)
    if (gj__dim_exceeds(gj__list(in, GJ_ATTR_window)->values[i], operand->shape[i]))
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: the window has size %s along axis %d, but operand %%%u has %s", in->name,
                     gj__dim_text(in->dims, gj__list(in, GJ_ATTR_window)->values[i]).s, i,
                     in->args[OPERAND], gj__dim_text(in->dims, operand->shape[i]).s);
  return GJ_OK;
}

gj_status gj_shape_gather(const gj__infer *in, gj_type *out) {
  GJ_TRY(check_indices(in));
  const gj_type *operand = gj__operand(in, OPERAND), *indices = gj__operand(in, INDICES);
  size_t rank = indices->rank - 1u + gj__list(in, GJ_ATTR_offset_axes)->count;
  if (rank > GJ_MAX_RANK)
    return gj_fail(in->err, GJ_E_SHAPE, "%s: the result has rank %zu, the highest is %d", in->name,
                   rank, GJ_MAX_RANK);
  GJ_TRY(check_attrs(in, rank));
  GJ_TRY(check_window_attr(in));
  gj_index_axes axes = roles(in->attrs, operand->rank, (uint8_t)rank);
  out->rank = (uint8_t)rank;
  for (uint8_t k = 0; k < axes.batch_count; k++)
    out->shape[axes.batch[k]] = indices->shape[k];
  for (uint8_t k = 0; k < axes.window_count; k++)
    out->shape[axes.offset[k]] = gj__list(in, GJ_ATTR_window)->values[axes.operand[k]];
  return check_window_fits(in, out);
}

gj_status gj_shape_scatter(const gj__infer *in, gj_type *out) {
  GJ_TRY(check_indices(in));
  const gj_type *operand = gj__operand(in, OPERAND), *indices = gj__operand(in, INDICES);
  const gj_type *updates = gj__operand(in, UPDATES);
  size_t rank = indices->rank - 1u + gj__list(in, GJ_ATTR_offset_axes)->count;
  if (operand->dtype != updates->dtype)
    return gj_fail(in->err, GJ_E_DTYPE,
                   "%s: operands %%%u and %%%u have dtypes %s and %s; convert one", in->name,
                   in->args[OPERAND], in->args[UPDATES], gj_dtype_name(operand->dtype),
                   gj_dtype_name(updates->dtype));
  if (updates->rank != rank)
    return gj_fail(in->err, GJ_E_SHAPE,
                   "%s: the updates %%%u have rank %d, but indices and offset_axes make it %zu",
                   in->name, in->args[UPDATES], updates->rank, rank);
  GJ_TRY(check_attrs(in, rank));
  gj_index_axes axes = roles(in->attrs, operand->rank, (uint8_t)rank);
  for (uint8_t k = 0; k < axes.batch_count; k++)
    if (updates->shape[axes.batch[k]] != indices->shape[k])
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis %d of the updates %%%u has size %s, but axis %d of the indices has "
                     "%s",
                     in->name, axes.batch[k], in->args[UPDATES],
                     gj__dim_text(in->dims, updates->shape[axes.batch[k]]).s, k,
                     gj__dim_text(in->dims, indices->shape[k]).s);
  for (uint8_t k = 0; k < axes.window_count; k++)
    if (gj__dim_exceeds(updates->shape[axes.offset[k]], operand->shape[axes.operand[k]]))
      return gj_fail(in->err, GJ_E_SHAPE,
                     "%s: axis %d of the updates %%%u has size %s, but axis %d of operand %%%u has "
                     "%s",
                     in->name, axes.offset[k], in->args[UPDATES],
                     gj__dim_text(in->dims, updates->shape[axes.offset[k]]).s, axes.operand[k],
                     in->args[OPERAND], gj__dim_text(in->dims, operand->shape[axes.operand[k]]).s);
  out->rank = operand->rank;
  memcpy(out->shape, operand->shape, sizeof operand->shape);
  return GJ_OK;
}
