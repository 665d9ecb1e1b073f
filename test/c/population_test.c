// Populations: token soup is refused or evaluated, and what is evaluated is the same in both
// orders, on any number of threads, and as computed node by node.
#include "check.h"

#include "ops/op.h"
#include "population/population.h"

#include <math.h>

enum { OPERATORS = 7, FUNCTIONS = 3, VARIABLES = 3, ROWS = 700, MOST_TOKENS = 4000, PROGRAMS = 24 };

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static double unit(void) { return (double)(next() >> 11) * 0x1p-53; }

// What compiled code would be: of two operands a and b, a * b + 0.5, and its derivatives.
static int32_t twist(void *const *buffers, int64_t *dims, gj_exec *exec) {
  const double *a = buffers[0], *b = buffers[1];
  double *restrict out = buffers[2];
  CHECK(exec && a != out && b != out && *dims <= 512);
  for (int64_t i = 0; i < *dims; i++)
    out[i] = a[i] * b[i] + 0.5;
  return 0;
}
static int32_t first(void *const *buffers, int64_t *dims, gj_exec *exec) {
  (void)exec;
  memcpy(buffers[2], buffers[0], (size_t)*dims * sizeof(double));
  return 0;
}
static int32_t second(void *const *buffers, int64_t *dims, gj_exec *exec) {
  (void)exec;
  memcpy(buffers[2], buffers[1], (size_t)*dims * sizeof(double));
  return 0;
}
static const gj_population_function functions[FUNCTIONS] = {
    {twist, 2, {3, 2}}, {first, 2, {0}}, {second, 2, {0}}};

// add, sub, mul, neg, protected div, a choice, twist.
static const uint8_t arity[OPERATORS] = {2, 2, 2, 1, 2, 3, 2};
static const uint32_t starts[OPERATORS + 1] = {0, 3, 6, 9, 11, 20, 26, 29};
// clang-format off
static const int32_t bodies[] = {
    -2, -3, GJ_OP_add,
    -2, -3, GJ_OP_sub,
    -2, -3, GJ_OP_mul,
    -2, GJ_OP_neg,
    -3, GJ_OP_abs, -1, GJ_OP_gt, -2, -3, GJ_OP_div, -1, GJ_OP_select,
    -2, -1, GJ_OP_gt, -3, -4, GJ_OP_select,
    -2, -3, GJ_TOKEN_FUNCTION};
// clang-format on
static const double body_constants[] = {[13] = 0.001, [18] = 1, [28] = 0};
static const gj_operators operators = {
    arity, {OPERATORS, starts, bodies, body_constants, false}, functions, FUNCTIONS};

static double apply(int32_t operator_number, const double *x) {
  switch (operator_number) {
  case 0:
    return x[0] + x[1];
  case 1:
    return x[0] - x[1];
  case 2:
    return x[0] * x[1];
  case 3:
    return -x[0];
  case 4:
    return fabs(x[1]) > 0.001 ? x[0] / x[1] : 1;
  case 5:
    return x[0] > 0 ? x[1] : x[2];
  default:
    return x[0] * x[1] + 0.5;
  }
}

typedef struct soup {
  int32_t tokens[MOST_TOKENS];
  double constants[MOST_TOKENS];
  uint32_t offsets[PROGRAMS + 1];
  uint32_t count; // of tokens
} soup;

// A program in postfix order whose every token finds its operands.
static void grow(soup *s, uint32_t size) {
  uint32_t depth = 0, begin = s->count;
  while (s->count - begin < size || depth != 1) {
    int32_t op = (int32_t)(next() % OPERATORS);
    bool leaf = depth < arity[op] || (depth < 3 && s->count - begin < size && next() % 2);
    if (leaf && s->count - begin >= size) {
      op = depth > 2 ? 5 : 0;
      leaf = false;
    }
    s->constants[s->count] = unit() * 4 - 2;
    s->tokens[s->count++] = !leaf ? op : next() % 4 ? -2 - (int32_t)(next() % VARIABLES) : -1;
    depth = leaf ? depth + 1 : depth + 1 - arity[op];
  }
}

static double value_of(const soup *s, size_t program, double *const *columns, size_t row) {
  double stack[MOST_TOKENS];
  size_t depth = 0;
  for (uint32_t i = s->offsets[program]; i < s->offsets[program + 1]; i++) {
    int32_t t = s->tokens[i];
    if (t >= 0) {
      depth -= arity[t];
      double value = apply(t, &stack[depth]);
      stack[depth++] = value;
    } else {
      stack[depth++] = t == -1 ? s->constants[i] : columns[-2 - t][row];
    }
  }
  return stack[0];
}

static double *columns[VARIABLES], targets[ROWS];

static void fill_columns(void) {
  for (size_t c = 0; c < VARIABLES; c++) {
    columns[c] = malloc(ROWS * sizeof **columns);
    for (size_t i = 0; i < ROWS; i++)
      columns[c][i] = next() % 50 ? unit() * 4 - 2 : next() % 2 ? NAN : INFINITY;
  }
  for (size_t i = 0; i < ROWS; i++)
    targets[i] = unit();
}

static gj_population_data data_of(size_t rows) {
  return (gj_population_data){
      .rows = rows, .columns = (const void *const *)columns, .targets = targets};
}

static void programs_have_the_values_of_their_nodes(void) {
  static soup s;
  static double values[2][PROGRAMS * ROWS];
  gj_error err;
  for (size_t round = 0; round < (check_is_quick() ? 3 : 20); round++) {
    size_t rows = next() % ROWS;
    gj_population *population;
    s.count = 0;
    for (size_t p = 0; p < PROGRAMS; p++) {
      s.offsets[p] = s.count;
      grow(&s, 1 + (uint32_t)(next() % 60));
    }
    s.offsets[PROGRAMS] = s.count;
    gj_programs programs = {PROGRAMS, s.offsets, s.tokens, s.constants, false};
    gj_population_options options = {GJ_DTYPE_f64, VARIABLES, next() % 2, next() % 2};
    CHECK_OR_RETURN(gj_population_new(&programs, s.count, &operators, starts[OPERATORS], &options,
                                      &population, &err) == GJ_OK);
    gj_population_data data = data_of(rows);
    for (unsigned threads = 1; threads <= 2; threads++)
      CHECK(gj_population_predict(population, &data, threads, values[threads - 1], &err) == GJ_OK);
    for (size_t p = 0; p < PROGRAMS; p++)
      for (size_t i = 0; i < rows; i++) {
        double got = values[0][p * rows + i], wanted = value_of(&s, p, columns, i);
        CHECK(got == wanted || (isnan(got) && isnan(wanted)));
        CHECK(memcmp(&got, &values[1][p * rows + i], sizeof got) == 0);
      }
    gj_population_free(population);
  }
}

// The first of two operands.
static const uint32_t value_alone_starts[] = {0, 1};
static const int32_t value_alone_tokens[] = {-2};
static const double value_alone_constants[] = {0};
static const gj_programs value_alone = {1, value_alone_starts, value_alone_tokens,
                                        value_alone_constants, false};

// Everything that can be asked of a population, on whatever was accepted.
static void ask_all(gj_population *population, size_t tokens, bool parameters) {
  double *out = malloc((PROGRAMS * ROWS + 1) * sizeof *out);
  double *constants = malloc((tokens + 1) * sizeof *constants);
  double losses[PROGRAMS] = {0}, intercepts[PROGRAMS], slopes[PROGRAMS];
  gj_population_data data = data_of(ROWS);
  gj_error err;
  CHECK(gj_population_predict(population, &data, 2, out, &err) == GJ_OK);
  for (int loss = GJ_LOSS_MEAN; loss <= GJ_LOSS_CORRELATION; loss++) {
    gj_fitness fitness = {(gj_loss)loss,
                          loss < GJ_LOSS_CORRELATION && next() % 2,
                          loss <= GJ_LOSS_ROOT ? unit() : INFINITY,
                          losses,
                          intercepts,
                          slopes};
    CHECK(gj_population_fitness(population, &data, 2, &fitness, &err) == GJ_OK);
  }
  if (parameters)
    CHECK(gj_population_fit(population, &data, 2, 5, constants, losses, &err) == GJ_OK);
  gj_fitness fitness = {GJ_LOSS_MEAN, false, INFINITY, losses, intercepts, slopes};
  double before[PROGRAMS];
  for (int round = 0; round < 2; round++) { // a function may be asked for again
    data.function = &functions[1];
    CHECK(gj_population_fitness(population, &data, 2, &fitness, &err) == GJ_OK);
    memcpy(before, losses, sizeof losses);
    data.function = NULL;
    data.term = &value_alone;
    CHECK(gj_population_fitness(population, &data, 1, &fitness, &err) == GJ_OK);
    data.term = NULL;
    for (size_t i = 0; i < PROGRAMS; i++)
      CHECK(before[i] == losses[i] || (isnan(before[i]) && isnan(losses[i])));
  }
  free(out);
  free(constants);
}

static void token_soup_is_refused_or_evaluated(void) {
  static soup s;
  gj_error err;
  size_t accepted = 0;
  for (size_t round = 0; round < (check_is_quick() ? 200 : 3000); round++) {
    size_t count = next() % PROGRAMS;
    bool parameters = next() % 2;
    s.count = 0;
    for (size_t p = 0; p < count; p++) {
      s.offsets[p] = s.count;
      grow(&s, 1 + (uint32_t)(next() % 12));
    }
    s.offsets[count] = s.count;
    for (size_t bad = next() % 3; bad > 0 && s.count > 0; bad--) {
      size_t at = next() % s.count;
      s.tokens[at] = next() % 8 ? (int32_t)(next() % 12) - 6 : (int32_t)next();
      s.constants[at] = next() % 2 ? NAN : 1e308;
    }
    if (next() % 8 == 0)
      s.offsets[next() % (count + 1)] = (uint32_t)(next() % 200);
    // Arrays of just the size, so that a sanitizer sees what lies behind.
    int32_t *tokens = malloc(s.count * sizeof *tokens + 1);
    double *constants = malloc(s.count * sizeof *constants + 1);
    memcpy(tokens, s.tokens, s.count * sizeof *tokens);
    memcpy(constants, s.constants, s.count * sizeof *constants);
    gj_programs programs = {count, s.offsets, tokens, constants, next() % 2};
    gj_population_options options = {GJ_DTYPE_f64, VARIABLES, false, parameters};
    gj_population *population = NULL;
    gj_status status = gj_population_new(&programs, s.count, &operators, starts[OPERATORS],
                                         &options, &population, &err);
    free(tokens);
    free(constants);
    if (status == GJ_OK) {
      accepted++;
      ask_all(population, s.count, parameters);
      gj_population_free(population);
    }
  }
  CHECK(accepted > 10);
}

static void bodies_are_checked(void) {
  static const struct {
    int32_t tokens[4];
    uint32_t count, arity;
  } wrong[] = {
      {{0}, 0, 1},                             // nothing
      {{-2, -3}, 2, 2},                        // two values
      {{-3}, 1, 1},                            // an operand that is not there
      {{GJ_OP_add}, 1, 2},                     // no operands
      {{-2, -2, GJ_OP_gt}, 3, 1},              // a bool
      {{-2, -2, -2, GJ_OP_select}, 4, 1},      // a number as a condition
      {{-2, GJ_OP_not}, 2, 1},                 // the same
      {{-2, GJ_OP_convert}, 2, 1},             // no op of floats alone
      {{-2, GJ_OP_popcount}, 2, 1},            // of integers
      {{-2, GJ_OP_COUNT}, 2, 1},               // none
      {{-2, GJ_TOKEN_FUNCTION}, 2, 1},         // no operand for a function
      {{-2, -2, GJ_TOKEN_FUNCTION + 3}, 3, 1}, // none of the functions
      {{-2, -2, GJ_TOKEN_FUNCTION - 1}, 3, 1}, // the same
      {{-2147483647 - 1}, 1, 8},               // far away
  };
  static const uint32_t none[] = {0};
  static const double constants[4];
  gj_population_options options = {GJ_DTYPE_f64, 1, false, false};
  gj_programs programs = {0, none, NULL, NULL, false};
  gj_population *population;
  gj_error err;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint32_t body_starts[] = {0, wrong[i].count};
    uint8_t own = (uint8_t)wrong[i].arity;
    gj_operators single = {
        &own, {1, body_starts, wrong[i].tokens, constants, false}, functions, FUNCTIONS};
    CHECK(gj_population_new(&programs, 0, &single, wrong[i].count, &options, &population, &err) ==
          GJ_E_ARGUMENT);
  }
}

static void functions_are_checked(void) {
  static const gj_population_function wrong[] = {
      {twist, 0, {0}}, {twist, 4, {0}}, {twist, 2, {2}}, {twist, 2, {UINT32_MAX}}};
  static const uint32_t none[] = {0};
  gj_population_options options = {GJ_DTYPE_f64, 1, false, false};
  gj_programs programs = {0, none, NULL, NULL, false};
  gj_population *population;
  gj_error err;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gj_operators single = {NULL, {0, none, NULL, NULL, false}, &wrong[i], 1};
    CHECK(gj_population_new(&programs, 0, &single, 0, &options, &population, &err) ==
          GJ_E_ARGUMENT);
  }
}

int main(void) {
  fill_columns();
  CHECK_RUN(programs_have_the_values_of_their_nodes);
  CHECK_RUN(token_soup_is_refused_or_evaluated);
  CHECK_RUN(bodies_are_checked);
  CHECK_RUN(functions_are_checked);
  for (size_t c = 0; c < VARIABLES; c++)
    free(columns[c]);
  return check_report();
}
