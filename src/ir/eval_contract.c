// Reference evaluator: contractions, one result element at a time over all products that it is the
// sum of.
//
// As in whole sums, floats run in a wider type and are rounded once: comparing with it measures the
// error of compiled code alone. Integers wrap after each step.

#include "ir/contract.h"
#include "ir/eval.h"

// Where the factors of the products of one result element are.
typedef struct factors {
  const gj_contraction *c;
  const gj__tensor *arg[2];
  int64_t index[2][GJ_MAX_RANK];
} factors;

// The index of product number `number` in both operands: the contracted axes in row-major order.
static void move_to(factors *f, int64_t number) {
  for (uint8_t i = f->c->contract_count; i-- > 0;) {
    int64_t size = f->arg[0]->shape[f->c->side[0].contract[i]];
    for (int s = 0; s < 2; s++)
      f->index[s][f->c->side[s].contract[i]] = number % size;
    number /= size;
  }
}

static gj_scalar factor(const factors *f, int s) {
  return gj_scalar_load(f->arg[s]->dtype, gj__element(f->arg[s], f->index[s]));
}

static gj_scalar sum_wide(factors *f, gj_dtype dtype, int64_t count) {
  bool narrow = gj_dtype_bytes(dtype) <= 4;
  long double wide = 0;
  for (int64_t k = 0; k < count; k++) {
    move_to(f, k);
    wide += (long double)factor(f, 0).v.f * (long double)factor(f, 1).v.f;
    wide = narrow ? (long double)(double)wide : wide;
  }
  double value = dtype == GJ_DTYPE_f32 ? (double)(float)wide : (double)wide;
  return (gj_scalar){.dtype = dtype, .v.f = value};
}

static gj_scalar sum_exact(factors *f, gj_dtype dtype, int64_t count) {
  gj_scalar pair[2] = {gj_scalar_start(GJ_START_ZERO, dtype)};
  for (int64_t k = 0; k < count; k++) {
    move_to(f, k);
    gj_scalar both[2] = {factor(f, 0), factor(f, 1)};
    pair[1] = gj_scalar_eval(GJ_OP_mul, both, dtype);
    pair[0] = gj_scalar_eval(GJ_OP_add, pair, dtype);
  }
  return pair[0];
}

void gj__eval_dot(const gj__step *step) {
  gj_contraction c = gj_contraction_of(step->graph, step->node);
  factors f = {.c = &c, .arg = {step->args[0], step->args[1]}};
  int64_t count = 1, at[GJ_MAX_RANK];
  for (uint8_t i = 0; i < c.contract_count; i++)
    count *= f.arg[0]->shape[c.side[0].contract[i]];
  for (int64_t i = 0; i < step->out->count; i++) {
    gj__unravel(step->out, i, at);
    for (uint8_t b = 0; b < c.batch_count; b++)
      for (int s = 0; s < 2; s++)
        f.index[s][c.side[s].batch[b]] = at[b];
    for (uint8_t a = 0; a < c.side[0].free_count; a++)
      f.index[0][c.side[0].free[a]] = at[c.batch_count + a];
    for (uint8_t a = 0; a < c.side[1].free_count; a++)
      f.index[1][c.side[1].free[a]] = at[c.batch_count + c.side[0].free_count + a];
    gj_dtype dtype = step->out->dtype;
    gj_scalar value =
        gj_dtype_is_float(dtype) ? sum_wide(&f, dtype, count) : sum_exact(&f, dtype, count);
    gj_scalar_store(value, step->out->data + (size_t)i * step->out->width);
  }
}
