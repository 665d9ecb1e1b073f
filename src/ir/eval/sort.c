// Reference evaluator: sort and top_k, line by line: positions are sorted by halves that are
// merged, the left one first among equals, so that these keep their order.

#include "ir/eval/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The elements of a line are `stride` apart in every operand; the first of them is at `first`.
typedef struct line {
  const gj__step *step;
  size_t keys;
  bool descending;
  int64_t first, stride;
} line;

static gj_scalar key_of(const line *l, size_t key, int64_t position) {
  const gj__tensor *from = l->step->args[key];
  size_t at = (size_t)(l->first + position * l->stride);
  return gj_scalar_load(from->dtype, from->data + at * from->width);
}

static bool is_less(gj_scalar x, gj_scalar y) {
  bool floats = gj_dtype_is_float(x.dtype);
  if (floats && (isnan(x.v.f) || isnan(y.v.f)))
    return !isnan(x.v.f) && isnan(y.v.f);
  gj_scalar pair[2] = {x, y};
  return gj_scalar_eval(GJ_OP_lt, pair, GJ_DTYPE_bool).v.u != 0;
}

// Whether the element at x must stand before the one at y.
static bool stands_before(const line *l, int64_t x, int64_t y) {
  for (size_t k = 0; k < l->keys; k++) {
    gj_scalar a = key_of(l, k, x), b = key_of(l, k, y);
    if (is_less(a, b))
      return !l->descending;
    if (is_less(b, a))
      return l->descending;
  }
  return false;
}

static void merge(const line *l, int64_t *positions, int64_t *room, int64_t half, int64_t count) {
  int64_t i = 0, j = half;
  for (int64_t o = 0; o < count; o++) {
    bool right = i == half || (j < count && stands_before(l, positions[j], positions[i]));
    room[o] = right ? positions[j++] : positions[i++];
  }
  memcpy(positions, room, (size_t)count * sizeof *positions);
}

static void sort_positions(const line *l, int64_t *positions, int64_t *room, int64_t count) {
  if (count < 2)
    return;
  int64_t half = count / 2;
  sort_positions(l, positions, room, half);
  sort_positions(l, positions + half, room, count - half);
  merge(l, positions, room, half, count);
}

// Every line along the axis, of which the first `count` elements are kept.
static void sort_lines(const gj__step *step, size_t keys, int64_t count) {
  const gj__tensor *from = step->args[0];
  size_t axis = (size_t)gj_node_int(step->node, GJ_ATTR_axis);
  int64_t size = from->shape[axis], stride = 1;
  for (size_t i = axis + 1; i < from->rank; i++)
    stride *= from->shape[i];
  line l = {step, keys, gj_node_int(step->node, GJ_ATTR_descending) != 0, 0, stride};
  int64_t *positions = malloc(2 * (size_t)size * sizeof *positions + 1);
  if (!positions) {
    *step->status =
        gj_fail(step->caller->err, GJ_E_MEMORY, "eval: out of memory for a line to sort");
    return;
  }
  for (int64_t number = 0; size > 0 && number < from->count / size; number++) {
    int64_t to = number / stride * stride * count + number % stride;
    l.first = number / stride * stride * size + number % stride;
    for (int64_t i = 0; i < size; i++)
      positions[i] = i;
    sort_positions(&l, positions, positions + size, size);
    for (size_t r = 0; r < gj_node_result_count(step->node); r++) {
      size_t width = step->out[r].width;
      for (int64_t i = 0; i < count; i++)
        memcpy(step->out[r].data + (size_t)(to + i * stride) * width,
               step->args[r]->data + (size_t)(l.first + positions[i] * stride) * width, width);
    }
  }
  free(positions);
}

void gj__eval_sort(const gj__step *step) {
  int64_t axis = gj_node_int(step->node, GJ_ATTR_axis);
  sort_lines(step, (size_t)gj_node_int(step->node, GJ_ATTR_keys), step->out->shape[axis]);
}

void gj__eval_top_k(const gj__step *step) {
  sort_lines(step, 1, step->out->shape[gj_node_int(step->node, GJ_ATTR_axis)]);
}
