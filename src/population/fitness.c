// Losses of programs, added up while their values are in the cache.
//
// Each chunk of rows has sums of its own, which are put together in the order of the chunks: the
// result does not depend on threads. With a bound, rows are run in a few stages, and between them
// programs that are beyond it are left out of the plan. As a sum of what is not negative only
// grows, and no line fits some rows worse than the line of all, a program that is left out would
// have been beyond the bound at the end.
#include "population/internal.h"
#include "population/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Deviations that are the rounding of a constant, in units in the last place.
enum { NOISE_ULPS = 4 };

typedef union sums {
  double sum;
  gj__moments moments;
} sums;

typedef struct account {
  gj_population *population;
  const gj_population_data *data;
  const gj_fitness *fitness;
  const uint32_t *nodes;       // what is added up, by program
  bool moments, squares;       // else sums of terms
  double ones[GJ__BLOCK_ROWS]; // weights where there are none
  double weight;               // of all rows
  uint32_t *programs;          // of the sinks
  uint32_t *starts, *taken;    // of the sinks
  size_t alive;
  sums *partial; // [chunks, count]
  size_t chunks;
} account;

// --- rows ---

static void add_rows(void *context, uint32_t sink, const gj__rows *rows, const double *frame,
                     const uint32_t *inputs) {
  const account *a = context;
  gj_dtype dtype = a->population->options.dtype;
  const double *f = frame + *inputs, *y = a->data->targets + rows->begin;
  const double *w = a->data->weights ? a->data->weights + rows->begin : a->ones;
  sums *to = &a->partial[rows->chunk * a->population->count + a->programs[sink]];
  if (a->moments) {
    gj__moments m = gj__moments_of(dtype, f, y, w, rows->count);
    gj__moments_add(&to->moments, &m);
  } else if (a->squares) {
    to->sum += gj__sum_squares(dtype, f, y, w, rows->count);
  } else {
    to->sum += gj__sum(dtype, f, w, rows->count);
  }
}

// --- results ---

// Of the first chunks.
static sums total_of(const account *a, size_t program, size_t chunks) {
  sums total = {0};
  if (a->moments)
    total.moments = (gj__moments){0};
  for (size_t c = 0; c < chunks; c++) {
    const sums *part = &a->partial[c * a->population->count + program];
    if (a->moments)
      gj__moments_add(&total.moments, &part->moments);
    else
      total.sum += part->sum;
  }
  return total;
}

static double slope_of(const gj__moments *m) {
  return m->square_f == 0 ? 0 : m->product / m->square_f;
}

// What is left of the squares behind the best line.
static double rest_of(const gj__moments *m) {
  double rest = m->square_y - m->product * slope_of(m);
  return rest < 0 ? 0 : rest;
}

static double sum_of(const account *a, const sums *total) {
  return a->moments ? rest_of(&total->moments) : total->sum;
}

// A constant that was computed in several ways, such as sin² x + cos² x, differs in its last bits;
// a line through those would fit chance.
static void level(const account *a, gj__moments *m) {
  double epsilon = a->population->options.dtype == GJ_DTYPE_f32 ? FLT_EPSILON : DBL_EPSILON;
  double noise = NOISE_ULPS * epsilon * m->mean_f;
  if (m->square_f <= m->weight * noise * noise)
    m->square_f = m->product = 0;
}

static gj__moments moments_of_targets(const account *a) {
  gj__moments all = {0};
  for (size_t i = 0; i < a->data->rows; i += GJ__BLOCK_ROWS) {
    size_t n = a->data->rows - i < GJ__BLOCK_ROWS ? a->data->rows - i : GJ__BLOCK_ROWS;
    const double *y = a->data->targets + i, *w = a->data->weights ? a->data->weights + i : a->ones;
    gj__moments m = gj__moments_of(GJ_DTYPE_f64, y, y, w, n);
    gj__moments_add(&all, &m);
  }
  return all;
}

static double loss_of(const account *a, const sums *total, double squares) {
  double sum = a->fitness->loss == GJ_LOSS_CORRELATION ? 0 : sum_of(a, total);
  switch (a->fitness->loss) {
  case GJ_LOSS_MEAN:
    return sum / a->weight;
  case GJ_LOSS_ROOT:
    return sqrt(sum / a->weight);
  case GJ_LOSS_R2:
    return 1 - sum / squares;
  case GJ_LOSS_CORRELATION:
    break;
  }
  return total->moments.product / sqrt(total->moments.square_f * total->moments.square_y);
}

static void write_losses(const account *a, const bool *hopeless) {
  const gj_fitness *fitness = a->fitness;
  double squares = fitness->loss == GJ_LOSS_R2 ? moments_of_targets(a).square_y : 0;
  for (size_t i = 0; i < a->population->count; i++) {
    sums total = total_of(a, i, a->chunks);
    if (a->moments)
      level(a, &total.moments);
    double loss = loss_of(a, &total, squares);
    fitness->losses[i] = hopeless[i] || loss > fitness->bound ? INFINITY : loss;
    if (fitness->scale) {
      double slope = hopeless[i] ? NAN : slope_of(&total.moments);
      fitness->slopes[i] = slope;
      fitness->intercepts[i] = total.moments.mean_y - slope * total.moments.mean_f;
    }
  }
}

// --- stages ---

static void choose_sinks(account *a, const bool *hopeless) {
  a->alive = 0;
  for (size_t i = 0; i < a->population->count; i++)
    if (!hopeless[i]) {
      a->programs[a->alive] = (uint32_t)i;
      a->taken[a->alive] = a->nodes[i];
      a->starts[a->alive] = (uint32_t)a->alive;
      a->alive++;
    }
  a->starts[a->alive] = (uint32_t)a->alive;
}

// The rows of some eighths of the chunks.
static gj_status run_stage(account *a, const gj__view *view, unsigned threads, size_t from,
                           size_t to, gj_error *err) {
  gj__sinks sinks = {a->alive, a->starts, a->taken};
  gj__run run = gj__run_of(a->population, view, &sinks, threads);
  run.take = add_rows;
  run.context = a;
  run.first_chunk = from * a->chunks / 8;
  run.last_chunk = to * a->chunks / 8;
  return gj__run_sinks(&run, err);
}

// The sum from which on a program is beyond the bound.
static double most_of(const account *a) {
  double bound = a->fitness->bound;
  return (a->fitness->loss == GJ_LOSS_ROOT ? bound * bound : bound) * a->weight;
}

static void give_up(const account *a, size_t eighths, bool *hopeless) {
  double most = most_of(a) * (1 + 1e-12); // sums of parts round differently
  for (size_t i = 0; i < a->population->count; i++) {
    sums total = total_of(a, i, eighths * a->chunks / 8);
    hopeless[i] = hopeless[i] || sum_of(a, &total) > most;
  }
}

static gj_status run_stages(account *a, const gj__view *view, unsigned threads, bool *hopeless,
                            gj_error *err) {
  static const uint8_t bounded[] = {0, 1, 3, 8}, whole[] = {0, 8};
  bool has_bound = a->fitness->bound < INFINITY;
  const uint8_t *stages = has_bound ? bounded : whole;
  size_t count = has_bound ? 3 : 1;
  for (size_t i = 0; i < count; i++) {
    choose_sinks(a, hopeless);
    GJ_TRY(run_stage(a, view, threads, stages[i], stages[i + 1], err));
    if (has_bound)
      give_up(a, stages[i + 1], hopeless);
  }
  return GJ_OK;
}

static gj_status run_account(account *a, const gj__view *view, unsigned threads, gj_error *err) {
  size_t count = a->population->count + 1;
  bool *hopeless = calloc(count, sizeof *hopeless);
  a->programs = malloc(count * sizeof *a->programs);
  a->starts = malloc(count * sizeof *a->starts);
  a->taken = malloc(count * sizeof *a->taken);
  a->chunks = gj__chunk_count(a->data->rows);
  a->partial = calloc(a->chunks * count, sizeof *a->partial);
  gj_status status = GJ_OK;
  if (!hopeless || !a->programs || !a->starts || !a->taken || !a->partial)
    status = gj_fail(err, GJ_E_MEMORY, "population: out of memory");
  if (status == GJ_OK)
    status = run_stages(a, view, threads, hopeless, err);
  if (status == GJ_OK)
    write_losses(a, hopeless);
  free(hopeless);
  free(a->programs);
  free(a->starts);
  free(a->taken);
  free(a->partial);
  return status;
}

gj_status gj_population_fitness(gj_population *population, const gj_population_data *data,
                                unsigned threads, const gj_fitness *fitness, gj_error *err) {
  uint32_t *nodes = NULL;
  gj__view view;
  account a = {.population = population, .data = data, .fitness = fitness};
  a.moments = fitness->scale || fitness->loss == GJ_LOSS_CORRELATION;
  a.squares = !gj__has_term(data);
  for (size_t i = 0; i < GJ__BLOCK_ROWS; i++)
    a.ones[i] = 1;
  for (size_t i = 0; i < data->rows; i++)
    a.weight += data->weights ? data->weights[i] : 1;
  gj_status status = gj__view_make(population, data, &view, err);
  if (status == GJ_OK)
    status = gj__terms(population, data, &nodes, err);
  a.nodes = nodes;
  if (status == GJ_OK)
    status = run_account(&a, &view, threads, err);
  free(nodes);
  gj__view_fini(&view);
  return status;
}
