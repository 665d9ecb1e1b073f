// Reductions: running values, and how a new one joins them.
//
// Float sums. Adding n numbers one by one loses up to n/2 ulp. So the running sum is emptied every
// CHUNK elements into a pair (hi, lo) by Knuth's TwoSum (The Art of Computer Programming, vol. 2,
// section 4.2.2, theorem B): hi + lo carries twice the digits, at the cost of six operations per
// chunk and lane.
#include "lower/reduce.h"

static const gj_lexpr *constant(gj__lower *l, gj_scalar value) { return gj_lx_const(l->m, value); }

gj__cell gj__cell_new(gj__lower *l, gj_lblock *block, const char *name, gj_scalar start,
                      bool array) {
  gj__cell c = {start.dtype, 0, array};
  if (!array) {
    c.local = gj_ls_let(l->m, l->f, block, name, constant(l, start));
    return c;
  }
  c.local = gj_ls_array(l->m, l->f, block, name, start.dtype, GJ__LANES);
  gj_lstmt *fill =
      gj_ls_for(l->m, l->f, block, "l", gj__i64(l, 0), gj__i64(l, GJ__LANES), 1, GJ_LOOP_VECTOR, 1);
  gj_ls_store(l->m, l->f, &fill->body, gj__local(l, c.local), gj__local(l, fill->local),
              constant(l, start));
  return c;
}

const gj_lexpr *gj__cell_get(gj__lower *l, gj__cell c, const gj_lexpr *lane) {
  const gj_lexpr *local = gj__local(l, c.local);
  return c.array ? gj_lx_load(l->m, local, lane, 1) : local;
}

void gj__cell_set(gj__lower *l, gj__cell c, const gj_lexpr *lane, const gj_lexpr *value) {
  if (c.array)
    gj_ls_store(l->m, l->f, l->block, gj__local(l, c.local), lane, value);
  else
    gj_ls_set(l->m, l->f, l->block, c.local, value);
}

static const gj_lexpr *as_unsigned(gj__lower *l, const gj_lexpr *a) {
  gj_dtype wide = gj_dtype_bytes((gj_dtype)a->type.dtype) == 8 ? GJ_DTYPE_u64 : GJ_DTYPE_u32;
  return a->type.dtype == wide ? a : gj_lx_op(l->m, GJ_OP_bitcast, &a, 1, wide);
}

static const gj_lexpr *both(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_and, a, b);
}

static const gj_lexpr *either(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, GJ_OP_or, a, b);
}

// argmin and argmax: is (v, i) better than (best, at)? A strictly better value is, a NaN is better
// than a number, and of equals the lower index, compared as unsigned so that the start index -1
// loses to all.
static const gj_lexpr *is_better(gj__lower *l, gj_op better, const gj_lexpr *v, const gj_lexpr *i,
                                 const gj_lexpr *best, const gj_lexpr *at) {
  const gj_lexpr *yes = gj_lx_binary(l->m, better, v, best);
  const gj_lexpr *tie = gj_lx_binary(l->m, GJ_OP_eq, v, best);
  if (gj_dtype_is_float((gj_dtype)v->type.dtype)) {
    const gj_lexpr *v_nan = gj_lx_unary(l->m, GJ_OP_is_nan, v);
    const gj_lexpr *best_nan = gj_lx_unary(l->m, GJ_OP_is_nan, best);
    yes = either(l, yes, both(l, v_nan, gj_lx_unary(l->m, GJ_OP_not, best_nan)));
    tie = either(l, tie, both(l, v_nan, best_nan));
  }
  const gj_lexpr *lower = gj_lx_binary(l->m, GJ_OP_lt, as_unsigned(l, i), as_unsigned(l, at));
  return either(l, yes, both(l, tie, lower));
}

// Joins (v, i) to the cells at `lane`.
void gj__join(gj__reducer *r, gj__cell value, gj__cell index, const gj_lexpr *lane,
              const gj_lexpr *v, const gj_lexpr *i) {
  gj__lower *l = r->l;
  gj_op combine = (gj_op)gj_op_get(r->op)->combine;
  if (!r->index) {
    gj__cell_set(l, value, lane, gj_lx_binary(l->m, combine, gj__cell_get(l, value, lane), v));
    return;
  }
  const gj_lexpr *best = gj__let(l, "best", gj__cell_get(l, value, lane));
  const gj_lexpr *at = gj__let(l, "at", gj__cell_get(l, index, lane));
  const gj_lexpr *better = gj__let(l, "better", is_better(l, combine, v, i, best, at));
  gj__cell_set(l, value, lane, gj_lx_select(l->m, better, v, best));
  gj__cell_set(l, index, lane, gj_lx_select(l->m, better, i, at));
}

// (hi, lo) += value, exactly but for the last digits of lo; then value starts again from zero.
void gj__empty_into(gj__reducer *r, gj__cell from, const gj_lexpr *lane) {
  gj__lower *l = r->l;
  const gj_lexpr *v = gj__let(l, "v", gj__cell_get(l, from, lane));
  const gj_lexpr *hi = gj__let(l, "hi", gj__cell_get(l, r->p.hi, lane));
  const gj_lexpr *sum = gj__let(l, "sum", gj__add(l, hi, v));
  const gj_lexpr *moved = gj__let(l, "moved", gj__sub(l, sum, hi));
  const gj_lexpr *lost = gj__add(l, gj__sub(l, hi, gj__sub(l, sum, moved)), gj__sub(l, v, moved));
  gj__cell_set(l, r->p.hi, lane, sum);
  gj__cell_set(l, r->p.lo, lane, gj__add(l, gj__cell_get(l, r->p.lo, lane), lost));
  gj__cell_set(l, from, lane, constant(l, r->start));
}

// hi + lo, or hi alone where the sum has left the finite numbers (lo is NaN then).
const gj_lexpr *gj__rounded_sum(gj__reducer *r, const gj_lexpr *lane) {
  gj__lower *l = r->l;
  const gj_lexpr *hi = gj__let(l, "hi", gj__cell_get(l, r->p.hi, lane));
  const gj_lexpr *sum = gj__add(l, hi, gj__cell_get(l, r->p.lo, lane));
  return gj_lx_select(l->m, gj_lx_unary(l->m, GJ_OP_is_finite, hi), sum, hi);
}

const gj_lexpr *gj__lanes_loop(gj__lower *l, gj_lblock *into, int64_t lanes) {
  gj_lstmt *loop =
      gj_ls_for(l->m, l->f, into, "l", gj__i64(l, 0), gj__i64(l, lanes), 1, GJ_LOOP_VECTOR, 1);
  gj__enter(l, &loop->body);
  return gj__local(l, loop->local);
}
