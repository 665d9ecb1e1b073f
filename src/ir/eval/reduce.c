// Reference evaluator: reductions, one result element at a time over all elements that belong to
// it, and running reductions, one line at a time.
//
// Sums and products of floats run in a wider type and round once, so they are closer to the exact
// value than any order of rounded additions: comparing against them measures the error of compiled
// code alone.

#include "ir/eval/eval.h"

#include <math.h>

// The elements that one result element is made of: the operand's axes, split in two.
typedef struct group {
  const gj__tensor *from;
  bool reduced[GJ_MAX_RANK];
  int64_t count; // elements per result
} group;

static group group_of(const gj__step *step) {
  const gj_attr_list *axes = gj__step_list(step, GJ_ATTR_axes);
  group g = {.from = step->args[0], .count = 1};
  for (size_t i = 0; i < axes->count; i++) {
    g.reduced[axes->values[i]] = true;
    g.count *= g.from->shape[axes->values[i]];
  }
  return g;
}

// The operand index of member number `member` of the group of the result element at `kept`.
static void member_index(const group *g, const int64_t *kept, size_t kept_rank, int64_t member,
                         int64_t *out_index) {
  for (size_t axis = g->from->rank; axis-- > 0;) {
    if (g->reduced[axis]) {
      out_index[axis] = member % g->from->shape[axis];
      member /= g->from->shape[axis];
    } else {
      out_index[axis] = kept[--kept_rank];
    }
  }
}

static gj_scalar member_value(const gj__step *step, const group *g, const int64_t *kept,
                              int64_t member, size_t operand) {
  int64_t index[GJ_MAX_RANK];
  member_index(g, kept, step->out->rank, member, index);
  return gj_scalar_load(step->args[operand]->dtype, gj__element(step->args[operand], index));
}

// f32 in double, f64 in long double.
static gj_scalar reduce_wide(const gj__step *step, const group *g, const int64_t *kept,
                             bool is_sum) {
  long double wide = is_sum ? 0 : 1;
  double narrow = is_sum ? 0 : 1;
  for (int64_t m = 0; m < g->count; m++) {
    double x = member_value(step, g, kept, m, 0).v.f;
    wide = is_sum ? wide + x : wide * x;
    narrow = is_sum ? narrow + x : narrow * x;
  }
  bool is_f32 = step->out->dtype == GJ_DTYPE_f32;
  double value = is_f32 ? (double)(float)narrow : (double)wide;
  return (gj_scalar){.dtype = step->out->dtype, .v.f = value};
}

static gj_scalar reduce_exact(const gj__step *step, const group *g, const int64_t *kept) {
  const gj_op_info *info = gj_op_get((gj_op)step->node->op);
  gj_scalar pair[2] = {gj_scalar_start((gj_start)info->start, step->out->dtype)};
  for (int64_t m = 0; m < g->count; m++) {
    pair[1] = member_value(step, g, kept, m, 0);
    pair[0] = gj_scalar_eval((gj_op)info->combine, pair, step->out->dtype);
  }
  return pair[0];
}

static bool is_nan(gj_scalar s) { return gj_dtype_is_float(s.dtype) && isnan(s.v.f); }

// (value, index) stands before (best, best_index): NaN before numbers, then the op's own order,
// then the lower index.
static bool is_better(gj_op compare, gj_scalar value, gj_scalar index, gj_scalar best,
                      gj_scalar best_index) {
  if (is_nan(value) != is_nan(best))
    return is_nan(value);
  gj_scalar forth[2] = {value, best}, back[2] = {best, value};
  if (gj_scalar_eval(compare, forth, GJ_DTYPE_bool).v.u)
    return true;
  if (gj_scalar_eval(compare, back, GJ_DTYPE_bool).v.u)
    return false;
  return index.v.u < best_index.v.u;
}

static void reduce_arg(const gj__step *step, const group *g, const int64_t *kept, int64_t i) {
  const gj_op_info *info = gj_op_get((gj_op)step->node->op);
  gj_scalar best = gj_scalar_start((gj_start)info->start, step->out[0].dtype);
  gj_scalar best_index = gj_scalar_start(GJ_START_ONES, step->out[1].dtype);
  for (int64_t m = 0; m < g->count; m++) {
    gj_scalar value = member_value(step, g, kept, m, 0);
    gj_scalar index = member_value(step, g, kept, m, 1);
    if (m == 0 || is_better((gj_op)info->combine, value, index, best, best_index)) {
      best = value;
      best_index = index;
    }
  }
  gj_scalar_store(best, step->out[0].data + (size_t)i * step->out[0].width);
  gj_scalar_store(best_index, step->out[1].data + (size_t)i * step->out[1].width);
}

// Two passes in long double: the mean, then the squares of what elements are away from it.
static void reduce_moments(const gj__step *step, const group *g, const int64_t *kept, int64_t i) {
  long double sum = 0, squares = 0, distances = 0;
  for (int64_t m = 0; m < g->count; m++)
    sum += member_value(step, g, kept, m, 0).v.f;
  long double mean = sum / (long double)g->count;
  for (int64_t m = 0; m < g->count; m++) {
    long double distance = member_value(step, g, kept, m, 0).v.f - mean;
    squares += distance * distance;
    distances += distance;
  }
  if (isfinite(distances))
    mean += distances / (long double)g->count;
  double results[2] = {(double)(squares * (g->count ? 1 : NAN)), (double)mean};
  for (int r = 0; r < 2; r++) {
    if (step->out[r].dtype == GJ_DTYPE_f32)
      results[r] = (double)(float)results[r];
    gj_scalar value = {.dtype = step->out[r].dtype, .v.f = results[r]};
    gj_scalar_store(value, step->out[r].data + (size_t)i * step->out[r].width);
  }
}

void gj__eval_reduce(const gj__step *step) {
  group g = group_of(step);
  const gj_op_info *info = gj_op_get((gj_op)step->node->op);
  gj_op combine = (gj_op)info->combine;
  bool wide = gj_dtype_is_float(step->out->dtype) && (combine == GJ_OP_add || combine == GJ_OP_mul);
  int64_t kept[GJ_MAX_RANK];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, kept);
    if (step->node->arg_count == 2) {
      reduce_arg(step, &g, kept, i);
      continue;
    }
    if (info->flags & GJ_OP_TWO) {
      reduce_moments(step, &g, kept, i);
      continue;
    }
    gj_scalar value =
        wide ? reduce_wide(step, &g, kept, combine == GJ_OP_add) : reduce_exact(step, &g, kept);
    gj_scalar_store(value, step->out->data + (size_t)i * step->out->width);
  }
}

// --- running reductions ---

// The running value: wide for sums and products of floats, as for whole reductions, else exact.
typedef struct running {
  gj_op combine;
  gj_scalar exact;
  long double wide; // long double for f64, rounded to double after each step for f32
} running;

static gj_scalar advance(running *r, gj_scalar x) {
  bool adds = r->combine == GJ_OP_add;
  if (!gj_dtype_is_float(x.dtype) || (!adds && r->combine != GJ_OP_mul)) {
    gj_scalar pair[2] = {r->exact, x};
    return r->exact = gj_scalar_eval(r->combine, pair, x.dtype);
  }
  r->wide = adds ? r->wide + x.v.f : r->wide * x.v.f;
  if (x.dtype == GJ_DTYPE_f32)
    r->wide = (double)r->wide;
  double value = x.dtype == GJ_DTYPE_f32 ? (double)(float)r->wide : (double)r->wide;
  return (gj_scalar){.dtype = x.dtype, .v.f = value};
}

// Every line along the axis: lines begin at the elements whose index there is 0, and their elements
// are `stride` apart.
void gj__eval_cumulate(const gj__step *step) {
  const gj_op_info *info = gj_op_get((gj_op)step->node->op);
  const gj__tensor *from = step->args[0];
  size_t axis = (size_t)gj__step_list(step, GJ_ATTR_axis)->values[0];
  int64_t size = from->shape[axis], stride = 1;
  for (size_t i = axis + 1; i < from->rank; i++)
    stride *= from->shape[i];
  for (int64_t first = 0; first < from->count; first++) {
    if (first / stride % size != 0)
      continue;
    running r = {.combine = (gj_op)info->combine,
                 .exact = gj_scalar_start((gj_start)info->start, from->dtype),
                 .wide = info->combine == GJ_OP_add ? 0 : 1};
    for (int64_t i = 0; i < size; i++) {
      size_t at = (size_t)(first + i * stride) * from->width;
      gj_scalar_store(advance(&r, gj_scalar_load(from->dtype, from->data + at)),
                      step->out->data + at);
    }
  }
}
