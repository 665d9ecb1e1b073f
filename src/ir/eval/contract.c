// Reference evaluator: contractions, one result element at a time over all products that it is the
// sum of.
//
// Products are added in the order and in the dtype that are promised of compiled code, each product
// and each sum rounded by itself (of halves, to f32, and once more at the end): so 'strict' has
// these bits, also where something overflows on the way. Integers wrap after each step.

#include "ir/infer/contract.h"
#include "ir/eval/eval.h"

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

static gj_scalar sum_products(factors *f, gj_dtype dtype, int64_t count) {
  gj_dtype running = gj__running_dtype(dtype);
  gj_scalar pair[2] = {gj_scalar_start(GJ_START_ZERO, running)};
  for (int64_t k = 0; k < count; k++) {
    move_to(f, k);
    gj_scalar both[2] = {gj__in_dtype(factor(f, 0), running), gj__in_dtype(factor(f, 1), running)};
    pair[1] = gj_scalar_eval(GJ_OP_mul, both, running);
    pair[0] = gj_scalar_eval(GJ_OP_add, pair, running);
  }
  return gj__in_dtype(pair[0], dtype);
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
    gj_scalar value = sum_products(&f, step->out->dtype, count);
    gj_scalar_store(value, step->out->data + (size_t)i * step->out->width);
  }
}
