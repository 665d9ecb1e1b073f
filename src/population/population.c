// See population.h.
#include "population/internal.h"

#include <stdlib.h>
#include <string.h>

static gj_status no_memory(gj_error *err) {
  return gj_fail(err, GJ_E_MEMORY, "population: out of memory");
}

void gj_population_free(gj_population *population) {
  if (!population)
    return;
  gj__kept_fini(&population->kept);
  gj__nodes_fini(&population->nodes);
  free(population->roots);
  free(population->constants);
  free(population);
}

static gj_status fill(gj_population *population, const gj_programs *programs, size_t token_count,
                      const gj_operators *operators, gj_error *err) {
  const gj_population_options *options = &population->options;
  population->set = gj_block_set_choose(options->strict);
  if (!population->set)
    return gj_fail(err, GJ_E_UNSUPPORTED, "population: there are no block kernels for this CPU");
  population->roots = malloc((programs->count + 1) * sizeof *population->roots);
  if (!population->roots)
    return no_memory(err);
  if (options->parameters) {
    population->constants = malloc((token_count + 1) * sizeof *population->constants);
    if (!population->constants)
      return no_memory(err);
    if (token_count)
      memcpy(population->constants, programs->constants, token_count * sizeof(double));
    population->constant_count = token_count;
  }
  for (size_t i = 0; i < operators->function_count; i++)
    if (!gj__nodes_add_function(&population->nodes, &operators->functions[i]))
      return no_memory(err);
  return gj__programs_read(programs, operators, options->variable_count, options->parameters,
                           &population->nodes, population->roots, err);
}

gj_status gj_population_new(const gj_programs *programs, size_t token_count,
                            const gj_operators *operators, size_t body_count,
                            const gj_population_options *options, gj_population **out,
                            gj_error *err) {
  GJ_TRY(gj__programs_check(programs, token_count, err));
  GJ_TRY(gj__operators_check(operators, body_count, err));
  gj_population *population = calloc(1, sizeof *population);
  if (!population)
    return no_memory(err);
  population->options = *options;
  population->count = programs->count;
  gj_status status = fill(population, programs, token_count, operators, err);
  if (status == GJ_OK)
    *out = population;
  else
    gj_population_free(population);
  return status;
}

size_t gj_population_node_count(const gj_population *population) { return population->nodes.count; }

size_t gj_population_bytes(const gj_population *population) {
  const gj__nodes *nodes = &population->nodes;
  return nodes->capacity * sizeof *nodes->list + nodes->slot_count * sizeof *nodes->slots +
         nodes->function_capacity * sizeof *nodes->functions +
         population->count * sizeof *population->roots +
         population->constant_count * sizeof *population->constants;
}

// --- data ---

gj_status gj__view_make(const gj_population *population, const gj_population_data *data,
                        gj__view *view, gj_error *err) {
  size_t count = population->options.variable_count;
  *view = (gj__view){.columns = calloc(count + 1, sizeof *view->columns)};
  if (!view->columns)
    return no_memory(err);
  if (count)
    memcpy(view->columns, data->columns, count * sizeof *view->columns);
  view->columns[count] = data->targets;
  view->table = (gj__table){data->rows, view->columns};
  if (!data->targets || population->options.dtype == GJ_DTYPE_f64)
    return GJ_OK;
  view->narrow = malloc((data->rows + 1) * sizeof *view->narrow);
  if (!view->narrow)
    return no_memory(err);
  for (size_t i = 0; i < data->rows; i++)
    view->narrow[i] = (float)data->targets[i];
  view->columns[count] = view->narrow;
  return GJ_OK;
}

void gj__view_fini(gj__view *view) {
  free(view->columns);
  free(view->narrow);
}

// The function as an op of nodes; 0 without memory. Equal code is one function.
static uint32_t function_op(gj__nodes *nodes, const gj_population_function *function) {
  size_t number = 0;
  while (number < nodes->function_count && nodes->functions[number].entry != function->entry)
    number++;
  if (number == nodes->function_count && !gj__nodes_add_function(nodes, function))
    return 0;
  return GJ_OP_COUNT + (uint32_t)number;
}

static gj_status check_term(const gj_population_data *data, gj_error *err) {
  const uint8_t arity = 2;
  if (data->function && data->function->arity != arity)
    return gj_fail(err, GJ_E_ARGUMENT, "population: a loss is a function of two numbers");
  if (!data->term)
    return GJ_OK;
  gj_operators single = {&arity, *data->term, NULL, 0};
  return gj__operators_check(&single, data->term->starts[1], err);
}

static gj_status apply_term(gj_population *population, const gj_population_data *data,
                            uint32_t *out_nodes, gj_error *err) {
  gj__nodes *nodes = &population->nodes;
  GJ_TRY(check_term(data, err));
  uint32_t op = data->function ? function_op(nodes, data->function) : 0;
  uint32_t target =
      gj__nodes_leaf(nodes, GJ__VARIABLE, (uint32_t)population->options.variable_count, 0);
  if ((data->function && !op) || target == GJ__NO_NODE)
    return no_memory(err);
  for (size_t i = 0; i < population->count; i++) {
    uint32_t operands[] = {population->roots[i], target};
    out_nodes[i] =
        op ? gj__nodes_apply(nodes, op, operands) : gj__body_apply(nodes, data->term, 0, operands);
    if (out_nodes[i] == GJ__NO_NODE)
      return no_memory(err);
  }
  return GJ_OK;
}

gj_status gj__terms(gj_population *population, const gj_population_data *data, uint32_t **out_nodes,
                    gj_error *err) {
  uint32_t *nodes = malloc((population->count + 1) * sizeof *nodes);
  if (!nodes)
    return no_memory(err);
  memcpy(nodes, population->roots, population->count * sizeof *nodes);
  gj_status status = gj__has_term(data) ? apply_term(population, data, nodes, err) : GJ_OK;
  if (status == GJ_OK)
    *out_nodes = nodes;
  else
    free(nodes);
  return status;
}

// --- values ---

gj__run gj__run_of(gj_population *population, const gj__view *view, const gj__sinks *sinks,
                   unsigned threads) {
  return (gj__run){.nodes = &population->nodes,
                   .sinks = sinks,
                   .set = population->set,
                   .dtype = population->options.dtype,
                   .table = &view->table,
                   .kept = &population->kept,
                   .parameters = population->constants,
                   .threads = threads,
                   .last_chunk = gj__chunk_count(view->table.rows)};
}

typedef struct writer {
  char *out;
  size_t rows, bytes;
} writer;

static void write_values(void *context, uint32_t sink, const gj__rows *rows, const double *frame,
                         const uint32_t *inputs) {
  const writer *w = context;
  memcpy(w->out + (sink * w->rows + rows->begin) * w->bytes, frame + *inputs,
         rows->count * w->bytes);
}

static gj_status predict(gj_population *population, const gj__view *view, const uint32_t *nodes,
                         unsigned threads, void *out, gj_error *err) {
  uint32_t *starts = malloc((population->count + 1) * sizeof *starts);
  if (!starts)
    return no_memory(err);
  for (size_t i = 0; i <= population->count; i++)
    starts[i] = (uint32_t)i;
  gj__sinks sinks = {population->count, starts, nodes};
  writer w = {out, view->table.rows, gj_dtype_bytes(population->options.dtype)};
  gj__run run = gj__run_of(population, view, &sinks, threads);
  run.take = write_values;
  run.context = &w;
  gj_status status = gj__run_sinks(&run, err);
  free(starts);
  return status;
}

gj_status gj_population_predict(gj_population *population, const gj_population_data *data,
                                unsigned threads, void *out, gj_error *err) {
  uint32_t *nodes = NULL;
  gj__view view;
  gj_status status = gj__view_make(population, data, &view, err);
  if (status == GJ_OK)
    status = gj__terms(population, data, &nodes, err);
  if (status == GJ_OK)
    status = predict(population, &view, nodes, threads, out, err);
  free(nodes);
  gj__view_fini(&view);
  return status;
}
