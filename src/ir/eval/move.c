// Reference evaluator: movement. Elements are copied as bytes from a computed index.

#include "ir/eval/eval.h"

#include <string.h>

static unsigned char *result_at(const gj__step *step, int64_t i) {
  return step->out->data + (size_t)i * step->out->width;
}

void gj__eval_reshape(const gj__step *step) {
  if (step->out->count > 0)
    memcpy(step->out->data, step->args[0]->data, (size_t)step->out->count * step->out->width);
}

void gj__eval_transpose(const gj__step *step) {
  const gj_attr_list *axes = gj__step_list(step, GJ_ATTR_axes);
  int64_t index[GJ_MAX_RANK], from[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t axis = 0; axis < step->out->rank; axis++)
      from[axes->values[axis]] = index[axis];
    memcpy(result_at(step, i), gj__element(step->args[0], from), step->out->width);
  }
}

void gj__eval_broadcast(const gj__step *step) {
  const gj_attr_list *axes = gj__step_list(step, GJ_ATTR_axes);
  int64_t index[GJ_MAX_RANK], from[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t axis = 0; axis < step->args[0]->rank; axis++)
      from[axis] = index[axes->values[axis]];
    memcpy(result_at(step, i), gj__element(step->args[0], from), step->out->width);
  }
}

void gj__eval_slice(const gj__step *step) {
  const gj_attr_list *start = gj__step_list(step, GJ_ATTR_start);
  const gj_attr_list *stride = gj__step_list(step, GJ_ATTR_stride);
  int64_t index[GJ_MAX_RANK], first[GJ_MAX_RANK] = {0};
  for (size_t axis = 0; axis < step->out->rank; axis++)
    gj_dim_eval(gj_graph_dims(step->graph), start->values[axis], step->symbol_values, &first[axis]);
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t axis = 0; axis < step->out->rank; axis++)
      index[axis] = first[axis] + stride->values[axis] * index[axis];
    memcpy(result_at(step, i), gj__element(step->args[0], index), step->out->width);
  }
}

// The starts given by the operands from `first_arg` on, clamped so that the window fits.
static void window_starts(const gj__step *step, size_t first_arg, const gj__tensor *window,
                          int64_t *out_starts) {
  const gj__tensor *whole = step->args[0];
  for (size_t axis = 0; axis < whole->rank; axis++) {
    const gj__tensor *arg = step->args[first_arg + axis];
    gj_scalar start = gj_scalar_load(arg->dtype, arg->data);
    int64_t last = whole->shape[axis] - window->shape[axis];
    bool is_signed = gj_dtype_get(arg->dtype)->kind == GJ_KIND_INT;
    if (is_signed && start.v.i < 0)
      out_starts[axis] = 0;
    else
      out_starts[axis] = start.v.u > (uint64_t)last ? last : start.v.i;
  }
}

void gj__eval_dynamic_slice(const gj__step *step) {
  int64_t index[GJ_MAX_RANK], starts[GJ_MAX_RANK];
  window_starts(step, 1, step->out, starts);
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t axis = 0; axis < step->out->rank; axis++)
      index[axis] += starts[axis];
    memcpy(result_at(step, i), gj__element(step->args[0], index), step->out->width);
  }
}

void gj__eval_update_slice(const gj__step *step) {
  const gj__tensor *update = step->args[1];
  int64_t index[GJ_MAX_RANK], starts[GJ_MAX_RANK];
  gj__eval_reshape(step); // the operand, unchanged
  window_starts(step, 2, update, starts);
  for (int64_t i = 0; i < update->count; i++) {
    gj__unravel(update, i, index);
    for (size_t axis = 0; axis < update->rank; axis++)
      index[axis] += starts[axis];
    memcpy(gj__element(step->out, index), update->data + (size_t)i * update->width, update->width);
  }
}

void gj__eval_pad(const gj__step *step) {
  const gj__tensor *from = step->args[0];
  const gj_attr_list *lo = gj__step_list(step, GJ_ATTR_lo);
  const gj_attr_list *interior = gj__step_list(step, GJ_ATTR_interior);
  int64_t index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++)
    memcpy(result_at(step, i), step->args[1]->data, step->out->width);
  for (int64_t i = 0; i < from->count; i++) {
    bool inside = true;
    gj__unravel(from, i, index);
    for (size_t axis = 0; axis < from->rank; axis++) {
      index[axis] = lo->values[axis] + index[axis] * (interior->values[axis] + 1);
      inside = inside && index[axis] >= 0 && index[axis] < step->out->shape[axis];
    }
    if (inside)
      memcpy(gj__element(step->out, index), from->data + (size_t)i * from->width, from->width);
  }
}

void gj__eval_concat(const gj__step *step) {
  int64_t axis = gj_node_int(step->node, GJ_ATTR_axis), index[GJ_MAX_RANK], offset = 0;
  for (size_t k = 0; k < step->node->arg_count; k++) {
    const gj__tensor *from = step->args[k];
    for (int64_t i = 0; i < from->count; i++) {
      gj__unravel(from, i, index);
      index[axis] += offset;
      memcpy(gj__element(step->out, index), from->data + (size_t)i * from->width, from->width);
    }
    offset += from->shape[axis];
  }
}

void gj__eval_reverse(const gj__step *step) {
  const gj_attr_list *axes = gj__step_list(step, GJ_ATTR_axes);
  int64_t index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, index);
    for (size_t k = 0; k < axes->count; k++) {
      int64_t axis = axes->values[k];
      index[axis] = step->out->shape[axis] - 1 - index[axis];
    }
    memcpy(result_at(step, i), gj__element(step->args[0], index), step->out->width);
  }
}
