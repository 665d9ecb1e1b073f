// Constants of programs by the method of Levenberg and Marquardt, all programs at a time.
//
// Each round is one run over the rows, in which every program adds up its squares, its gradient and
// the normal matrix J'WJ at the constants it tries (Marquardt, An algorithm for least-squares
// estimation of nonlinear parameters, 1963; the damping multiplies the diagonal). A step that makes
// the squares less is kept. Programs that are done take no part in later rounds. Like losses, sums
// are those of chunks, so the result is the same on any number of threads.
#include "population/derive.h"
#include "population/internal.h"
#include "population/sums.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONSTANTS = 64 }; // of a program; those with more stay as they are

#define FIRST_DAMPING 1e-3
#define LEAST_DAMPING 1e-12
#define MOST_DAMPING 1e12
#define ENOUGH 1e-14 // relative decrease of the squares

typedef struct curve {
  uint32_t first, count; // among the parameters and derivatives
  size_t sums;           // where its sums begin in those of a chunk
  bool done;
  double damping, squares;
} curve;

typedef struct fit {
  gj_population *population;
  const gj_population_data *data;
  curve *curves;        // [count]
  uint32_t *parameters; // positions of constants, curve by curve
  uint32_t *values;     // nodes of derivatives, alike
  size_t parameter_count, parameter_capacity, value_capacity;
  double *tried;    // constants of this round
  double *sums;     // [chunks, sum_count]: squares, gradient, lower half of the matrix
  double *accepted; // [sum_count], of the constants that are kept
  size_t sum_count, chunks;
  double ones[GJ__BLOCK_ROWS];
  uint32_t *programs, *starts, *taken; // of the sinks
  size_t alive;
} fit;

static size_t sums_of(size_t k) { return 1 + k + k * (k + 1) / 2; }

// --- rows ---

static void add_rows(void *context, uint32_t sink, const gj__rows *rows, const double *frame,
                     const uint32_t *inputs) {
  const fit *f = context;
  gj_dtype dtype = f->population->options.dtype;
  const curve *c = &f->curves[f->programs[sink]];
  const double *y = f->data->targets + rows->begin;
  const double *w = f->data->weights ? f->data->weights + rows->begin : f->ones;
  double *sums = f->sums + rows->chunk * f->sum_count + c->sums, weighted[GJ__BLOCK_ROWS];
  size_t k = c->count, n = rows->count;
  const void *value = frame + inputs[0];
  sums[0] += gj__sum_squares(dtype, value, y, w, n);
  for (size_t i = 0; i < n; i++)
    weighted[i] = w[i] * (gj__element(dtype, value, i) - y[i]);
  for (size_t a = 0; a < k; a++)
    sums[1 + a] += gj__sum(dtype, frame + inputs[1 + a], weighted, n);
  for (size_t a = 0, at = 1 + k; a < k; a++) {
    for (size_t i = 0; i < n; i++)
      weighted[i] = w[i] * gj__element(dtype, frame + inputs[1 + a], i);
    for (size_t b = 0; b <= a; b++)
      sums[at++] += gj__sum(dtype, frame + inputs[1 + b], weighted, n);
  }
}

static void choose_sinks(fit *f) {
  uint32_t at = 0;
  f->alive = 0;
  for (size_t i = 0; i < f->population->count; i++) {
    const curve *c = &f->curves[i];
    if (c->done)
      continue;
    f->programs[f->alive] = (uint32_t)i;
    f->starts[f->alive++] = at;
    f->taken[at++] = f->population->roots[i];
    for (uint32_t k = 0; k < c->count; k++)
      f->taken[at++] = f->values[c->first + k];
  }
  f->starts[f->alive] = at;
}

static gj_status run_round(fit *f, const gj__view *view, unsigned threads, gj_error *err) {
  choose_sinks(f);
  gj__sinks sinks = {f->alive, f->starts, f->taken};
  memset(f->sums, 0, f->chunks * f->sum_count * sizeof *f->sums);
  gj__run run = gj__run_of(f->population, view, &sinks, threads);
  run.parameters = f->tried;
  run.take = add_rows;
  run.context = f;
  gj_status status = gj__run_sinks(&run, err);
  for (size_t chunk = 1; chunk < f->chunks; chunk++)
    for (size_t i = 0; i < f->sum_count; i++)
      f->sums[i] += f->sums[chunk * f->sum_count + i];
  return status;
}

// --- steps ---

// Solves A x = b for a symmetric matrix whose lower half lies row by row, in place of both, by
// Cholesky factors. False where it is not positive definite.
static bool solve(double *a, double *b, size_t k) {
#define A(i, j) a[(i) * ((i) + 1) / 2 + (j)]
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = A(i, j);
      for (size_t l = 0; l < j; l++)
        sum -= A(i, l) * A(j, l);
      if (i == j && !(sum > 0))
        return false;
      A(i, j) = i == j ? sqrt(sum) : sum / A(j, j);
    }
  for (size_t i = 0; i < k; i++) {
    for (size_t l = 0; l < i; l++)
      b[i] -= A(i, l) * b[l];
    b[i] /= A(i, i);
  }
  for (size_t i = k; i-- > 0;) {
    for (size_t l = i + 1; l < k; l++)
      b[i] -= A(l, i) * b[l];
    b[i] /= A(i, i);
  }
#undef A
  return true;
}

// Puts the constants of the next step in `tried`; false where there is none.
static bool step(fit *f, const curve *c) {
  double matrix[MOST_CONSTANTS * (MOST_CONSTANTS + 1) / 2], change[MOST_CONSTANTS];
  const double *sums = f->accepted + c->sums;
  size_t k = c->count;
  memcpy(matrix, sums + 1 + k, k * (k + 1) / 2 * sizeof *matrix);
  for (size_t i = 0; i < k; i++) {
    double *diagonal = &matrix[i * (i + 1) / 2 + i];
    *diagonal += c->damping * (*diagonal > 0 ? *diagonal : 1);
    change[i] = -sums[1 + i];
  }
  if (!solve(matrix, change, k))
    return false;
  for (size_t i = 0; i < k; i++) {
    uint32_t at = f->parameters[c->first + i];
    f->tried[at] = f->population->constants[at] + change[i];
    if (!isfinite(f->tried[at]))
      return false;
  }
  return true;
}

static void keep(fit *f, curve *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t at = f->parameters[c->first + i];
    f->population->constants[at] = f->tried[at];
  }
  memcpy(f->accepted + c->sums, f->sums + c->sums, sums_of(c->count) * sizeof *f->sums);
  c->squares = f->sums[c->sums];
}

// What the round has shown, and the next step.
static void advance(fit *f, curve *c, bool first) {
  double squares = f->sums[c->sums], before = c->squares;
  if (first || squares < before) {
    keep(f, c);
    c->damping = first ? FIRST_DAMPING : fmax(c->damping / 5, LEAST_DAMPING);
    c->done = !isfinite(squares) || (!first && before - squares <= ENOUGH * before);
  } else {
    c->damping *= 4;
  }
  while (!c->done && !step(f, c)) {
    c->damping *= 10;
    c->done = !(c->damping < MOST_DAMPING);
  }
  c->done = c->done || !(c->damping < MOST_DAMPING) || c->count == 0;
}

// --- the whole ---

static bool append(uint32_t **list, size_t *capacity, size_t count, uint32_t value) {
  uint32_t *grown = gj_array_grow(*list, capacity, count + 1, sizeof *grown);
  if (!grown)
    return false;
  *list = grown;
  grown[count] = value;
  return true;
}

static gj_status derive_all(fit *f, gj_error *err) {
  gj_population *p = f->population;
  gj__deriver *deriver = gj__deriver_new(&p->nodes);
  gj__derivatives found = {0};
  gj_status status = deriver ? GJ_OK : gj_fail(err, GJ_E_MEMORY, "population: out of memory");
  for (size_t i = 0; i < p->count && status == GJ_OK; i++) {
    status = gj__derive(deriver, p->roots[i], &found, err);
    size_t count = found.count <= MOST_CONSTANTS ? found.count : 0;
    f->curves[i] =
        (curve){(uint32_t)f->parameter_count, (uint32_t)count, f->sum_count, false, 0, 0};
    f->sum_count += sums_of(count);
    for (size_t k = 0; k < count && status == GJ_OK; k++) {
      uint32_t position = p->nodes.list[found.parameters[k]].args[0];
      size_t at = f->parameter_count;
      if (!append(&f->parameters, &f->parameter_capacity, at, position) ||
          !append(&f->values, &f->value_capacity, at, found.values[k]))
        status = gj_fail(err, GJ_E_MEMORY, "population: no memory for derivatives");
      f->parameter_count++;
    }
  }
  gj__derivatives_fini(&found);
  gj__deriver_free(deriver);
  return status;
}

static bool allocate(fit *f) {
  size_t count = f->population->count + 1, constants = f->population->constant_count + 1;
  f->chunks = gj__chunk_count(f->data->rows);
  f->tried = malloc(constants * sizeof *f->tried);
  f->sums = calloc((f->chunks + 1) * f->sum_count + 1, sizeof *f->sums);
  f->accepted = calloc(f->sum_count + 1, sizeof *f->accepted);
  f->programs = malloc(count * sizeof *f->programs);
  f->starts = malloc(count * sizeof *f->starts);
  f->taken = malloc((count + f->parameter_count) * sizeof *f->taken);
  if (!f->tried || !f->sums || !f->accepted || !f->programs || !f->starts || !f->taken)
    return false;
  memcpy(f->tried, f->population->constants, (constants - 1) * sizeof *f->tried);
  for (size_t i = 0; i < GJ__BLOCK_ROWS; i++)
    f->ones[i] = 1;
  return true;
}

static gj_status run_rounds(fit *f, const gj__view *view, unsigned threads, unsigned rounds,
                            gj_error *err) {
  size_t left = f->population->count;
  for (unsigned round = 0; round <= rounds && left; round++) {
    GJ_TRY(run_round(f, view, threads, err));
    left = 0;
    for (size_t i = 0; i < f->population->count; i++) {
      if (!f->curves[i].done)
        advance(f, &f->curves[i], round == 0);
      left += !f->curves[i].done;
    }
  }
  return GJ_OK;
}

gj_status gj_population_fit(gj_population *population, const gj_population_data *data,
                            unsigned threads, unsigned rounds, double *constants, double *losses,
                            gj_error *err) {
  fit f = {.population = population, .data = data};
  gj__view view = {0};
  double weight = 0;
  for (size_t i = 0; i < data->rows; i++)
    weight += data->weights ? data->weights[i] : 1;
  f.curves = calloc(population->count + 1, sizeof *f.curves);
  gj_status status = f.curves ? GJ_OK : gj_fail(err, GJ_E_MEMORY, "population: out of memory");
  if (status == GJ_OK)
    status = gj__view_make(population, data, &view, err);
  if (status == GJ_OK)
    status = derive_all(&f, err);
  if (status == GJ_OK && !allocate(&f))
    status = gj_fail(err, GJ_E_MEMORY, "population: no memory for fitting its constants");
  if (status == GJ_OK)
    status = run_rounds(&f, &view, threads, rounds, err);
  for (size_t i = 0; status == GJ_OK && i < population->count; i++)
    losses[i] = f.curves[i].squares / weight;
  if (status == GJ_OK && population->constant_count)
    memcpy(constants, population->constants, population->constant_count * sizeof *constants);
  gj__view_fini(&view);
  free(f.curves);
  free(f.parameters);
  free(f.values);
  free(f.tried);
  free(f.sums);
  free(f.accepted);
  free(f.programs);
  free(f.starts);
  free(f.taken);
  return status;
}
