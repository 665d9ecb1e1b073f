// Fuzzes the text form of graphs: whatever the bytes, the parser answers; what it accepts prints to
// text that parses to the same text, and binds and evaluates without touching memory that is not
// its own. Only graphs of small values are evaluated, since a short text may ask for gigabytes.

#include "ir/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_VALUE = 3, MAX_ELEMENTS = 4096, MAX_NODES = 64, MAX_STEPS = 1000 };

static void expect(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void check_round_trip(const gj_graph *graph) {
  gj_strbuf once = {0}, twice = {0};
  gj_error err = {0};
  gj_graph *again = NULL;
  gj_graph_print(graph, &once);
  expect(gj_graph_parse(gj_strbuf_peek(&once), once.size, &again, &err) == GJ_OK, err.message);
  gj_graph_print(again, &twice);
  expect(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0,
         "the text changes when it is parsed and printed");
  gj_graph_free(again);
  gj_strbuf_fini(&once);
  gj_strbuf_fini(&twice);
}

static bool is_small(const gj_graph *graph, const int64_t *symbols) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_type *type = &gj_graph_node(graph, ref)->type;
    int64_t count = 1, size;
    for (size_t axis = 0; axis < type->rank; axis++) {
      if (!gj_dim_eval(gj_graph_dims(graph), type->shape[axis], symbols, &size) || size < 0 ||
          size > MAX_ELEMENTS)
        return false;
      count *= size;
      if (count > MAX_ELEMENTS)
        return false;
    }
  }
  return gj_graph_node_count(graph) <= MAX_NODES;
}

static bool all_small(const gj_graph *graph, const int64_t *symbols) {
  for (size_t i = 0; i < gj_graph_function_count(graph); i++)
    if (!is_small(gj_graph_function(graph, i), symbols))
      return false;
  return is_small(graph, symbols);
}

static void evaluate(const gj_graph *graph, int64_t *symbols, const int64_t *const *shapes,
                     const void **inputs, void **outputs) {
  gj_error err = {0};
  if (gj_graph_bind(graph, shapes, symbols, &err) != GJ_OK || !all_small(graph, symbols))
    return;
  for (size_t i = 0; i < gj_graph_input_count(graph); i++)
    inputs[i] = calloc(MAX_ELEMENTS, 8);
  for (size_t i = 0; i < gj_graph_output_count(graph); i++)
    outputs[i] = calloc(MAX_ELEMENTS, 8);
  gj_status status = gj_graph_eval_steps(graph, symbols, inputs, outputs, MAX_STEPS, &err);
  expect(status == GJ_OK || status == GJ_E_UNSUPPORTED, err.message); // a loop may have no end
  for (size_t i = 0; i < gj_graph_input_count(graph); i++)
    free((void *)inputs[i]);
  for (size_t i = 0; i < gj_graph_output_count(graph); i++)
    free(outputs[i]);
}

// Every symbol is SYMBOL_VALUE; inputs have the shapes that follow.
static void check_evaluation(const gj_graph *graph) {
  gj_dims *dims = gj_graph_dims(graph);
  size_t count = gj_graph_input_count(graph), symbol_count = gj_dims_symbol_count(dims);
  int64_t *symbols = calloc(symbol_count + 1, sizeof *symbols);
  int64_t(*shapes)[GJ_MAX_RANK] = calloc(count + 1, sizeof *shapes);
  const int64_t **pointers = calloc(count + 1, sizeof *pointers);
  const void **inputs = calloc(count + 1, sizeof *inputs);
  void **outputs = calloc(gj_graph_output_count(graph) + 1, sizeof *outputs);
  for (size_t i = 0; i < symbol_count; i++)
    symbols[i] = SYMBOL_VALUE;
  for (size_t i = 0; i < count; i++) {
    const gj_type *type = &gj_graph_node(graph, gj_graph_input(graph, i))->type;
    for (size_t axis = 0; axis < type->rank; axis++)
      gj_dim_eval(dims, type->shape[axis], symbols, &shapes[i][axis]);
    pointers[i] = shapes[i];
  }
  evaluate(graph, symbols, pointers, inputs, outputs);
  free(symbols);
  free(shapes);
  free(pointers);
  free(inputs);
  free(outputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gj_graph *graph = NULL;
  gj_error err = {0};
  if (gj_graph_parse((const char *)data, size, &graph, &err) != GJ_OK) {
    expect(graph == NULL && strncmp(err.message, "line ", 5) == 0, err.message);
    return 0;
  }
  check_round_trip(graph);
  if (gj_graph_verify(graph, &err) == GJ_OK)
    check_evaluation(graph);
  gj_graph_free(graph);
  return 0;
}
