// The reference evaluator from JavaScript: slow, and sharing no code with the compiler.

#include "arrays.h"
#include "graph.h"

#include "base/size.h"

#include <stdlib.h>

// A graph fitted to the shapes of its inputs; zeroed it is empty.
typedef struct fitted {
  gjn_ports ports;
  gjn_shapes shapes;
  int64_t *symbols;
  size_t *bytes;         // per port
  int64_t *output_sizes; // GJ_MAX_RANK per output
} fitted;

static void fini(fitted *fit) {
  gjn_ports_fini(&fit->ports);
  gjn_shapes_fini(&fit->shapes);
  free(fit->symbols);
  free(fit->bytes);
  free(fit->output_sizes);
}

static bool list_ports(napi_env env, const gj_graph *graph, gjn_ports *ports) {
  size_t inputs = gj_graph_input_count(graph), outputs = gj_graph_output_count(graph);
  if (!gjn_ports_init(env, inputs, outputs, ports))
    return false;
  for (size_t i = 0; i < inputs; i++) {
    const gj_node *node = gj_graph_node(graph, gj_graph_input(graph, i));
    ports->list[i] = (gj_port){node->name, node->type, node->type};
  }
  for (size_t i = 0; i < outputs; i++) {
    const gj_output *output = gj_graph_output(graph, i);
    const gj_type *type = &gj_graph_node(graph, output->ref)->type;
    ports->list[inputs + i] = (gj_port){output->name, *type, *type};
  }
  return true;
}

// gj_graph_bind() has checked every size, so neither evaluation nor product overflows here. Sizes
// that the run computes count at their most.
static size_t count_bytes(const gj_dims *dims, const gj_type *type, const int64_t *symbols,
                          int64_t *sizes) {
  size_t bytes = gj_dtype_bytes(type->dtype);
  for (size_t axis = 0; axis < type->rank; axis++) {
    int64_t least, size = 0;
    gj_dim_range(dims, type->shape[axis], symbols, &least, &size);
    gj_mul_size(bytes, (size_t)size, &bytes);
    sizes[axis] = size;
  }
  return bytes;
}

static bool fit(napi_env env, const gj_graph *graph, napi_value shapes, fitted *out) {
  const gj_dims *dims = gj_graph_dims(graph);
  if (!list_ports(env, graph, &out->ports) ||
      !gjn_shapes_init(env, shapes, &out->ports, &out->shapes))
    return false;
  size_t count = out->ports.count, inputs = out->ports.input_count;
  out->symbols = calloc(gj_dims_symbol_count(dims) + 1, sizeof *out->symbols);
  out->bytes = calloc(count + 1, sizeof *out->bytes);
  out->output_sizes = calloc((count + 1) * GJ_MAX_RANK, sizeof *out->output_sizes);
  gj_error err;
  if (!out->symbols || !out->bytes || !out->output_sizes) {
    gjn_fail(env, GJ_E_MEMORY, "no memory for %zu inputs and outputs", count);
    return false;
  }
  if ((gj_graph_computes_sizes(graph) && gj_graph_verify(graph, &err) != GJ_OK) ||
      gj_graph_bind(graph, out->shapes.rows, out->symbols, &err) != GJ_OK) {
    gjn_throw(env, &err);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    int64_t ignored[GJ_MAX_RANK];
    int64_t *sizes = i < inputs ? ignored : out->output_sizes + (i - inputs) * GJ_MAX_RANK;
    out->bytes[i] = count_bytes(dims, &out->ports.list[i].type, out->symbols, sizes);
  }
  return true;
}

napi_value gjn_graph_fit(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  gj_graph *graph = gjn_get_args(env, info, 2, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  fitted own = {0};
  if (graph && fit(env, graph, argv[1], &own))
    result = gjn_new_output_shapes(env, &own.ports, own.output_sizes);
  fini(&own);
  return result;
}

// The shapes of the outputs, with the sizes that the run has computed.
static napi_value final_shapes(napi_env env, const gj_graph *graph, const fitted *own) {
  size_t inputs = own->ports.input_count;
  for (size_t i = inputs; i < own->ports.count; i++) {
    const gj_type *type = &own->ports.list[i].type;
    for (size_t axis = 0; axis < type->rank; axis++)
      gj_dim_eval(gj_graph_dims(graph), type->shape[axis], own->symbols,
                  &own->output_sizes[(i - inputs) * GJ_MAX_RANK + axis]);
  }
  return gjn_new_output_shapes(env, &own->ports, own->output_sizes);
}

napi_value gjn_graph_eval(napi_env env, napi_callback_info info) {
  napi_value argv[3], result = NULL;
  gj_graph *graph = gjn_get_args(env, info, 3, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  fitted own = {0};
  void **buffers = NULL;
  if (graph && fit(env, graph, argv[1], &own)) {
    size_t count = own.ports.count;
    buffers = calloc(count + 1, sizeof *buffers);
    gj_error err;
    if (!buffers)
      gjn_fail(env, GJ_E_MEMORY, "no memory for %zu inputs and outputs", count);
    else if (gjn_get_listed_buffers(env, argv[2], &own.ports, own.bytes, "eval", buffers) &&
             gj_graph_eval(graph, own.symbols, (const void *const *)buffers,
                           buffers + own.ports.input_count, &err) != GJ_OK)
      gjn_throw(env, &err);
    else if (gj_graph_computes_sizes(graph))
      result = final_shapes(env, graph, &own);
  }
  free(buffers);
  fini(&own);
  return result;
}
