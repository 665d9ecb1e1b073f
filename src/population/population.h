// Populations: many programs, trees of operators over columns, evaluated together.
//
// The trees of all programs become one graph in which equal subtrees are computed once, and a
// block interpreter over prebuilt vector kernels (interp/blocks.h) walks it for a few hundred rows
// at a time, which stay in the nearest cache. So a population that lives for one generation costs
// no compilation. Values are those of each op, rounded one by one: trees of equal meaning have
// equal bits whatever else is in the population and on how many threads it runs.
#ifndef GJ_POPULATION_POPULATION_H
#define GJ_POPULATION_POPULATION_H

#include "population/language.h"

typedef struct gj_population gj_population;

typedef struct gj_population_options {
  gj_dtype dtype; // f64 or f32
  size_t variable_count;
  bool strict;     // elementary functions without fused multiply-add: the same bits everywhere
  bool parameters; // constants can be set afterwards, and have derivatives
} gj_population_options;

// Copies what it needs of programs and operators, whose arrays have `token_count` and `body_count`
// elements; constants of programs are narrowed to the dtype. The code of functions must stay as
// long as the population does.
gj_status gj_population_new(const gj_programs *programs, size_t token_count,
                            const gj_operators *operators, size_t body_count,
                            const gj_population_options *options, gj_population **out,
                            gj_error *err);
void gj_population_free(gj_population *population);

// Nodes of the graph, and bytes that it holds.
size_t gj_population_node_count(const gj_population *population);
size_t gj_population_bytes(const gj_population *population);

// columns[variable_count], each of [rows] elements of the dtype.
typedef struct gj_population_data {
  size_t rows;
  const void *const *columns;
  const double *targets; // [rows]; may be NULL where nothing is compared
  const double *weights; // [rows], not negative; NULL: all are 1
  // One body over two operands, the value of a program and the target: what a row adds to the loss.
  // NULL: the value itself, or the square of the difference.
  const gj_programs *term;
  // In place of a term a function of both; NULL: there is none. Its code must stay as long as the
  // population does.
  const gj_population_function *function;
} gj_population_data;

// out[count, rows], of the dtype: the values, or the terms of each row.
gj_status gj_population_predict(gj_population *population, const gj_population_data *data,
                                unsigned threads, void *out, gj_error *err);

typedef enum gj_loss {
  GJ_LOSS_MEAN,       // weighted mean of the terms
  GJ_LOSS_ROOT,       // its square root
  GJ_LOSS_R2,         // 1 - sum of terms / sum of squares of target - mean
  GJ_LOSS_CORRELATION // Pearson's, of value and target
} gj_loss;

typedef struct gj_fitness {
  gj_loss loss;
  // intercept + slope value is compared with the target, by weighted least squares; not with a
  // term.
  bool scale;
  // Programs whose loss is greater get Infinity, most without all rows being looked at; for means
  // and roots of terms that are not negative. Infinity: none.
  double bound;
  double *losses;     // [count]
  double *intercepts; // [count] with `scale`, else unused
  double *slopes;
} gj_fitness;

// NaN where the values of a program make it so.
gj_status gj_population_fitness(gj_population *population, const gj_population_data *data,
                                unsigned threads, const gj_fitness *fitness, gj_error *err);

// Changes constants of a population with `parameters` so that the weighted mean of squares becomes
// less, in at most `rounds` steps of Levenberg and Marquardt, from where they are. The term is not
// looked at. constants[token_count]: what they are then; losses[count]: the means of squares. A
// program with more than 64 constants stays as it is, and so does one whose squares are not finite.
gj_status gj_population_fit(gj_population *population, const gj_population_data *data,
                            unsigned threads, unsigned rounds, double *constants, double *losses,
                            gj_error *err);

#endif
