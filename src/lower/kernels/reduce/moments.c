// Moments: the mean, and the sum of squared distances from it, in one pass over memory.
//
// Squares of distances from the mean cannot be added before the mean is known. But with any centre
// c near it, with d = x - c over n elements,
//
//   mean = c + Σd / n        Σ(x - mean)² = Σd² - (Σd)² / n
//
// (shifted data, with the correction term of the two-pass method: Chan, Golub, LeVeque, Algorithms
// for computing the sample variance, The American Statistician 37, 1983). The centre is the mean of
// the first SAMPLE elements of the row, or of as many rows of columns, which stay in cache for the
// pass that follows. Both sums are compensated, so the subtraction loses digits only as far as
// n (mean - c)² exceeds the result, and that is bounded: a sample of k elements that is far from
// the mean is by itself a part of the result of k (mean - c)², so no more than n/k times.
#include "lower/kernels/reduce/reduce.h"

enum { SAMPLE = 4096 };

bool gj__has_moments(const gj__reduction *x) {
  for (uint32_t k = 0; k < x->count; k++)
    if (x->reducers[k].fold == GJ__FOLD_MOMENTS)
      return true;
  return false;
}

gj__reduction gj__sums_for(const gj__reduction *x) {
  gj__lower *l = x->l;
  gj__reduction sums = *x;
  sums.count = 0;
  sums.reducers = gj_arena_array(&l->scratch, x->count, sizeof *sums.reducers);
  if (!sums.reducers) {
    l->out_of_memory = true;
    return sums;
  }
  for (uint32_t k = 0; k < x->count; k++) {
    const gj__reducer *r = &x->reducers[k];
    if (r->fold != GJ__FOLD_MOMENTS)
      continue;
    gj__reducer *sum = &sums.reducers[sums.count++];
    *sum = *r;
    sum->from = gj_graph_node(l->graph, r->arg)->type.dtype;
    sum->fold = sum->from == GJ_DTYPE_f64 ? GJ__FOLD_PAIR : GJ__FOLD_PLAIN;
    sum->dtype = GJ_DTYPE_f64;
  }
  return sums;
}

// 0 where the sum is not finite, for results that are then right by themselves.
const gj_lexpr *gj__centre_of(gj__reducer *sum, gj__state s, const gj_lexpr *at,
                              const gj_lexpr *count) {
  gj__lower *l = sum->l;
  gj__state_result(sum, s, at, count);
  const gj_lexpr *v = gj__let(l, "v", sum->value);
  const gj_lexpr *mean = gj_lx_binary(l->m, GJ_OP_div, v, gj_lx_convert(l->m, count, GJ_DTYPE_f64));
  const gj_lexpr *zero = gj_lx_const(l->m, gj_scalar_start(GJ_START_ZERO, GJ_DTYPE_f64));
  return gj_lx_select(l->m, gj_lx_unary(l->m, GJ_OP_is_finite, v), mean, zero);
}

void gj__find_centres(gj__reduction *x, gj_lblock *into, const gj__index *index,
                      const gj_lexpr *size) {
  gj__lower *l = x->l;
  gj__reduction sums = gj__sums_for(x);
  for (uint32_t k = 0; k < sums.count; k++)
    sums.reducers[k].total = gj__state_new(&sums.reducers[k], into, "sample", 0);
  gj__enter(l, into);
  const gj_lexpr *sample = gj__i64(l, SAMPLE);
  if (size->kind != GJ_LX_CONST)
    sample = gj__let(l, "sample", gj__min(l, size, sample));
  else if (size->value.v.i < SAMPLE)
    sample = size;
  gj__add_segment(&sums, into, index, (gj__range){gj__i64(l, 0), sample});
  gj__enter(l, into);
  uint32_t next = 0;
  for (uint32_t k = 0; k < x->count && next < sums.count; k++) {
    if (x->reducers[k].fold != GJ__FOLD_MOMENTS)
      continue;
    gj__reducer *sum = &sums.reducers[next++];
    x->reducers[k].centre = gj__let(l, "centre", gj__centre_of(sum, sum->total, NULL, sample));
  }
}

// `sums` and `squares` of the distances from r->centre. Rounding may turn squares that cancel into
// less than nothing. Squares that overflow are infinite, whatever is to be taken from them, unless
// a distance is not finite either.
void gj__moments_result(gj__reducer *r, const gj_lexpr *sums, const gj_lexpr *squares,
                        const gj_lexpr *count) {
  gj__lower *l = r->l;
  const gj_lexpr *n = gj_lx_convert(l->m, count, GJ_DTYPE_f64);
  const gj_lexpr *sum = gj__let(l, "sum", sums);
  const gj_lexpr *away = gj__let(l, "away", gj_lx_binary(l->m, GJ_OP_div, sum, n));
  const gj_lexpr *all = gj__let(l, "squares", squares);
  const gj_lexpr *less = gj__sub(l, all, gj__mul(l, sum, away));
  const gj_lexpr *infinite = gj_lx_unary(l->m, GJ_OP_not, gj_lx_unary(l->m, GJ_OP_is_finite, all));
  const gj_lexpr *over =
      gj_lx_binary(l->m, GJ_OP_and, gj_lx_unary(l->m, GJ_OP_is_finite, sum), infinite);
  const gj_lexpr *rest = gj__let(l, "rest", gj_lx_select(l->m, over, all, less));
  const gj_lexpr *zero = gj_lx_const(l->m, gj_scalar_start(GJ_START_ZERO, GJ_DTYPE_f64));
  const gj_lexpr *below = gj_lx_binary(l->m, GJ_OP_lt, rest, zero);
  r->value = gj_lx_convert(l->m, gj_lx_select(l->m, below, zero, rest), r->dtype);
  r->position = gj_lx_convert(l->m, gj__add(l, r->centre, away), r->dtype);
}
