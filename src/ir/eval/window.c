// Reference evaluator: windows. One result element at a time, over all positions of its window in
// row-major order; positions in padding and gaps hold 0. Reductions, which these leave as they are,
// pass over them: their windows are only numbers, and may be larger than any tensor.
//
// Each product and each step rounds to the dtype by itself (of halves, to f32, and once more at the
// end), which is what 'strict' promises of compiled code.

#include "ir/eval/eval.h"

// How windows lie along the last axes of an operand.
typedef struct slider {
  const gj__tensor *from;
  size_t first, axes; // axes of `from` that have windows
  const int64_t *stride, *lo, *base, *dilation;
  int64_t window[GJ_MAX_RANK];
  int64_t count; // positions in a window
} slider;

static slider slider_of(const gj__step *step, const gj__tensor *from, size_t first) {
  return (slider){.from = from,
                  .first = first,
                  .axes = from->rank - first,
                  .stride = gj__step_list(step, GJ_ATTR_stride)->values,
                  .lo = gj__step_list(step, GJ_ATTR_lo)->values,
                  .base = gj__step_list(step, GJ_ATTR_base_dilation)->values,
                  .dilation = gj__step_list(step, GJ_ATTR_dilation)->values,
                  .count = 1};
}

// Sets the index along the axes with windows to position number `position` of the window at
// `place`; false when no element of the operand lies there.
static bool locate(const slider *s, const int64_t *place, int64_t position, int64_t *index) {
  bool inside = true;
  for (size_t axis = s->axes; axis-- > 0;) {
    int64_t k = position % s->window[axis];
    position /= s->window[axis];
    int64_t at = place[axis] * s->stride[axis] + k * s->dilation[axis] - s->lo[axis];
    inside = inside && at >= 0 && at % s->base[axis] == 0 &&
             at / s->base[axis] < s->from->shape[s->first + axis];
    index[s->first + axis] = at / s->base[axis];
  }
  return inside;
}

static gj_scalar join(gj_op op, gj_scalar a, gj_scalar b) {
  gj_scalar pair[2] = {a, b};
  return gj_scalar_eval(op, pair, a.dtype);
}

void gj__eval_conv(const gj__step *step) {
  const gj__tensor *input = step->args[0], *kernel = step->args[1];
  gj_dtype dtype = gj__running_dtype(step->out->dtype);
  slider s = slider_of(step, input, 2);
  for (size_t axis = 0; axis < s.axes; axis++) {
    s.window[axis] = kernel->shape[axis + 2];
    s.count *= s.window[axis];
  }
  int64_t each = step->out->shape[1] / gj_node_int(step->node, GJ_ATTR_groups);
  int64_t place[GJ_MAX_RANK], index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, place);
    gj_scalar sum = gj_scalar_start(GJ_START_ZERO, dtype);
    for (int64_t term = 0; term < kernel->shape[1] * s.count; term++) {
      int64_t channel = term / s.count;
      index[0] = place[0];
      index[1] = place[1] / each * kernel->shape[1] + channel;
      bool inside = locate(&s, place + 2, term % s.count, index);
      gj_scalar x = gj_scalar_start(GJ_START_ZERO, dtype);
      if (inside)
        x = gj__in_dtype(gj_scalar_load(input->dtype, gj__element(input, index)), dtype);
      int64_t at = (place[1] * kernel->shape[1] + channel) * s.count + term % s.count;
      gj_scalar w = gj_scalar_load(kernel->dtype, kernel->data + (size_t)at * kernel->width);
      sum = join(GJ_OP_add, sum, join(GJ_OP_mul, x, gj__in_dtype(w, dtype)));
    }
    gj_scalar_store(gj__in_dtype(sum, step->out->dtype),
                    step->out->data + (size_t)i * step->out->width);
  }
}

// Where the elements of the operand are that a window may reach along an axis, which holds for
// windows far larger than the operand too: `first` and how many from there.
typedef struct reach {
  int64_t first[GJ_MAX_RANK], size[GJ_MAX_RANK];
  int64_t count; // in all
} reach;

static reach reach_of(const slider *s, const int64_t *place) {
  reach r = {.count = 1};
  for (size_t axis = 0; axis < s->axes; axis++) {
    int64_t begin = place[axis] * s->stride[axis] - s->lo[axis], base = s->base[axis];
    int64_t last = begin + (s->window[axis] - 1) * s->dilation[axis];
    int64_t end = last < 0 ? 0 : last / base + 1;
    r.first[axis] = begin <= 0 ? 0 : (begin - 1) / base + 1;
    end = end < s->from->shape[axis] ? end : s->from->shape[axis];
    r.size[axis] = end > r.first[axis] ? end - r.first[axis] : 0;
    r.count *= r.size[axis];
  }
  return r;
}

// Sets the index to element number `number` of what the window at `place` reaches; false when it
// lies between two positions of the window.
static bool pick(const slider *s, const reach *r, const int64_t *place, int64_t number,
                 int64_t *index) {
  bool taken = true;
  for (size_t axis = s->axes; axis-- > 0;) {
    index[axis] = r->first[axis] + number % r->size[axis];
    number /= r->size[axis];
    int64_t begin = place[axis] * s->stride[axis] - s->lo[axis];
    taken = taken && (index[axis] * s->base[axis] - begin) % s->dilation[axis] == 0;
  }
  return taken;
}

void gj__eval_window(const gj__step *step) {
  const gj_op_info *info = gj_op_get((gj_op)step->node->op);
  const gj__tensor *from = step->args[0];
  gj_dtype dtype = gj__running_dtype(from->dtype);
  slider s = slider_of(step, from, 0);
  for (size_t axis = 0; axis < s.axes; axis++)
    gj_dim_eval(gj_graph_dims(step->graph), gj__step_list(step, GJ_ATTR_window)->values[axis],
                step->symbol_values, &s.window[axis]);
  int64_t place[GJ_MAX_RANK], index[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, place);
    reach r = reach_of(&s, place);
    gj_scalar all = gj_scalar_start((gj_start)info->start, dtype);
    for (int64_t number = 0; number < r.count; number++)
      if (pick(&s, &r, place, number, index))
        all = join((gj_op)info->combine, all,
                   gj__in_dtype(gj_scalar_load(from->dtype, gj__element(from, index)), dtype));
    gj_scalar_store(gj__in_dtype(all, from->dtype), step->out->data + (size_t)i * step->out->width);
  }
}
