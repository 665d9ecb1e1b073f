// Reference evaluator: gather and the scatters. One element after the other, each with an index
// vector of its own.

#include "ir/eval/eval.h"

#include <string.h>

enum { OPERAND, INDICES, UPDATES };

static bool has(const gj_attr_list *list, int64_t axis) {
  for (size_t i = 0; i < list->count; i++)
    if (list->values[i] == axis)
      return true;
  return false;
}

// Takes the index of an element of the result (or the updates) apart: its place in the indices,
// whose last axis is left open, and its place in the window, per axis of the operand.
static void take_apart(const gj__step *step, const int64_t *index, size_t rank, int64_t *out_batch,
                       int64_t *out_window) {
  const gj_attr_list *offset = gj__step_list(step, GJ_ATTR_offset_axes);
  size_t batch = 0, operand = 0;
  memset(out_window, 0, GJ_MAX_RANK * sizeof *out_window);
  for (size_t axis = 0; axis < rank; axis++) {
    if (!has(offset, (int64_t)axis)) {
      out_batch[batch++] = index[axis];
      continue;
    }
    while (has(gj__step_list(step, GJ_ATTR_collapsed_axes), (int64_t)operand) ||
           has(gj__step_list(step, GJ_ATTR_operand_batch), (int64_t)operand))
      operand++;
    out_window[operand++] = index[axis];
  }
}

// The start of the window along an axis of the operand. False, with *out 0 or the largest number,
// when it is below 0 or beyond any size.
static bool start_of(const gj__step *step, int64_t *batch, size_t axis, int64_t *out) {
  const gj__tensor *indices = step->args[INDICES];
  const gj_attr_list *own = gj__step_list(step, GJ_ATTR_operand_batch);
  const gj_attr_list *map = gj__step_list(step, GJ_ATTR_index_map);
  *out = 0;
  for (size_t k = 0; k < own->count; k++)
    if (own->values[k] == (int64_t)axis)
      *out = batch[gj__step_list(step, GJ_ATTR_indices_batch)->values[k]];
  for (size_t k = 0; k < map->count; k++) {
    if (map->values[k] != (int64_t)axis)
      continue;
    batch[indices->rank - 1] = (int64_t)k;
    gj_scalar start = gj_scalar_load(indices->dtype, gj__element(indices, batch));
    bool is_signed = gj_dtype_get(indices->dtype)->kind == GJ_KIND_INT;
    bool below = is_signed && start.v.i < 0, beyond = !is_signed && start.v.u > INT64_MAX;
    *out = below ? 0 : beyond ? INT64_MAX : start.v.i;
    return !below && !beyond;
  }
  return true;
}

void gj__eval_gather(const gj__step *step) {
  const gj__tensor *from = step->args[OPERAND];
  int64_t index[GJ_MAX_RANK], batch[GJ_MAX_RANK], window[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    take_apart(step, index, step->out->rank, batch, window);
    for (size_t axis = 0; axis < from->rank; axis++) {
      int64_t size = 1, start, last;
      gj_dim_eval(gj_graph_dims(step->graph), gj__step_list(step, GJ_ATTR_window)->values[axis],
                  step->symbol_values, &size);
      last = from->shape[axis] - size;
      start_of(step, batch, axis, &start);
      window[axis] += start < last ? start : last;
    }
    memcpy(step->out->data + (size_t)i * step->out->width, gj__element(from, window),
           step->out->width);
  }
}

// The size of a window of the updates along an axis of the operand.
static int64_t window_size(const gj__step *step, size_t axis) {
  const gj_attr_list *offset = gj__step_list(step, GJ_ATTR_offset_axes);
  size_t at = 0;
  for (size_t i = 0; i <= axis; i++) {
    bool gone = has(gj__step_list(step, GJ_ATTR_collapsed_axes), (int64_t)i) ||
                has(gj__step_list(step, GJ_ATTR_operand_batch), (int64_t)i);
    if (i == axis)
      return gone ? 1 : step->args[UPDATES]->shape[offset->values[at]];
    at += !gone;
  }
  return 1;
}

void gj__eval_scatter(const gj__step *step) {
  const gj__tensor *updates = step->args[UPDATES], *out = step->out;
  gj_op combine = (gj_op)gj_op_get((gj_op)step->node->op)->combine;
  int64_t index[GJ_MAX_RANK], batch[GJ_MAX_RANK], window[GJ_MAX_RANK];
  gj__eval_reshape(step); // the operand, unchanged
  for (int64_t i = 0; i < updates->count; i++) {
    bool inside = true;
    gj__unravel(updates, i, index);
    take_apart(step, index, updates->rank, batch, window);
    for (size_t axis = 0; axis < out->rank; axis++) {
      int64_t start;
      bool exists = start_of(step, batch, axis, &start);
      inside = inside && exists && start <= out->shape[axis] - window_size(step, axis);
      window[axis] += inside ? start : 0;
    }
    if (!inside)
      continue;
    unsigned char *to = gj__element(out, window);
    const unsigned char *from = updates->data + (size_t)i * updates->width;
    if (combine == GJ_OP_none) {
      memcpy(to, from, updates->width);
      continue;
    }
    gj_scalar pair[2] = {gj_scalar_load(out->dtype, to), gj_scalar_load(out->dtype, from)};
    gj_scalar_store(gj_scalar_eval(combine, pair, out->dtype), to);
  }
}
