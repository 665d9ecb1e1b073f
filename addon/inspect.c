// Reading a graph from JavaScript: its text, its nodes one by one, and arithmetic on its sizes.

#include "graph.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

// Elements of a constant that a listing shows.
enum { SHOWN_ELEMENTS = 8 };

// The graph in argv[0]; all functions here start alike.
static gj_graph *get_graph(napi_env env, napi_callback_info info, size_t count, napi_value *argv) {
  return gjn_get_args(env, info, count, argv) ? gjn_get_graph(env, argv[0]) : NULL;
}

napi_value gjn_graph_print(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gj_graph *graph = get_graph(env, info, 1, argv);
  if (!graph)
    return NULL;
  gj_strbuf text = {0};
  gj_graph_print(graph, &text);
  return gjn_take_text(env, &text);
}

napi_value gjn_graph_name(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gj_graph *graph = get_graph(env, info, 1, argv);
  return graph ? gjn_new_text(env, gj_graph_name(graph)) : NULL;
}

napi_value gjn_graph_count(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gj_graph *graph = get_graph(env, info, 1, argv);
  return graph ? gjn_new_number(env, (double)gj_graph_node_count(graph)) : NULL;
}

// --- nodes ---

static const gj_node *get_node(napi_env env, const gj_graph *graph, napi_value value,
                               gj_ref *out_ref) {
  if (!gjn_get_u32(env, value, "value", out_ref))
    return NULL;
  if (*out_ref == 0 || *out_ref > gj_graph_node_count(graph)) {
    gjn_fail(env, GJ_E_ARGUMENT, "%%%u is not a value of graph \"%s\"", *out_ref,
             gj_graph_name(graph));
    return NULL;
  }
  return gj_graph_node(graph, *out_ref);
}

napi_value gjn_graph_type(napi_env env, napi_callback_info info) {
  napi_value argv[2], result, dims;
  gj_ref ref;
  gj_graph *graph = get_graph(env, info, 2, argv);
  const gj_node *node = graph ? get_node(env, graph, argv[1], &ref) : NULL;
  if (!node)
    return NULL;
  GJN_TRY(env, napi_create_object(env, &result));
  GJN_TRY(env, napi_create_array_with_length(env, node->type.rank, &dims));
  for (size_t axis = 0; axis < node->type.rank; axis++)
    if (!gjn_set_index(env, dims, axis, gjn_new_number(env, (double)node->type.shape[axis])))
      return NULL;
  bool ok = gjn_set_text(env, result, "dtype", gj_dtype_name(node->type.dtype)) &&
            gjn_set(env, result, "dims", dims);
  return ok ? result : NULL;
}

static napi_value new_args(napi_env env, const gj_node *node) {
  napi_value args;
  GJN_TRY(env, napi_create_array_with_length(env, node->arg_count, &args));
  for (uint32_t i = 0; i < node->arg_count; i++)
    if (!gjn_set_index(env, args, i, gjn_new_number(env, node->args[i])))
      return NULL;
  return args;
}

static napi_value new_attrs(napi_env env, const gj_dims *dims, const gj_node *node) {
  napi_value attrs;
  GJN_TRY(env, napi_create_object(env, &attrs));
  for (int attr = 0; attr < GJ_ATTR_COUNT; attr++)
    if ((node->attrs->set & (1u << attr)) &&
        !gjn_set(env, attrs, gj_attr_get((gj_attr)attr)->name,
                 gjn_new_attr(env, dims, (gj_attr)attr, &node->attrs->list[attr])))
      return NULL;
  return attrs;
}

static napi_value new_scalar(napi_env env, gj_scalar scalar) {
  napi_value value;
  if (gj_dtype_is_float(scalar.dtype))
    GJN_TRY(env, napi_create_double(env, scalar.v.f, &value));
  else if (scalar.dtype == GJ_DTYPE_bool)
    GJN_TRY(env, napi_get_boolean(env, scalar.v.i != 0, &value));
  else if (scalar.dtype == GJ_DTYPE_u64)
    GJN_TRY(env, napi_create_bigint_uint64(env, scalar.v.u, &value));
  else if (scalar.dtype == GJ_DTYPE_i64)
    GJN_TRY(env, napi_create_bigint_int64(env, scalar.v.i, &value));
  else
    GJN_TRY(env, napi_create_double(env, (double)scalar.v.i, &value));
  return value;
}

// The first elements that a constant holds; a splat holds one.
static napi_value new_data(napi_env env, const gj_node *node) {
  size_t bytes = gj_dtype_bytes(node->type.dtype), held = node->data_size / bytes;
  size_t count = held < SHOWN_ELEMENTS ? held : SHOWN_ELEMENTS;
  napi_value data;
  GJN_TRY(env, napi_create_array_with_length(env, count, &data));
  for (size_t i = 0; i < count; i++) {
    gj_scalar element = gj_scalar_load(node->type.dtype, (const char *)node->data + i * bytes);
    if (!gjn_set_index(env, data, i, new_scalar(env, element)))
      return NULL;
  }
  return data;
}

static napi_value new_node(napi_env env, const gj_graph *graph, gj_ref ref) {
  const gj_node *node = gj_graph_node(graph, ref);
  napi_value result;
  const gj_dims *dims = gj_graph_dims(graph);
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set_number(env, result, "ref", ref) &&
            gjn_set_text(env, result, "op", gj_op_name((gj_op)node->op)) &&
            gjn_set(env, result, "operands", new_args(env, node)) &&
            gjn_set_text(env, result, "dtype", gj_dtype_name(node->type.dtype)) &&
            gjn_set(env, result, "shape", gjn_new_shape(env, dims, &node->type)) &&
            gjn_set(env, result, "attrs", new_attrs(env, dims, node));
  if (ok && node->name)
    ok = gjn_set_text(env, result, "name", node->name);
  if (ok && node->data)
    ok = gjn_set_number(env, result, "bytes", (double)node->data_size) &&
         gjn_set(env, result, "data", new_data(env, node));
  return ok ? result : NULL;
}

napi_value gjn_graph_node(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  gj_ref ref;
  gj_graph *graph = get_graph(env, info, 2, argv);
  return graph && get_node(env, graph, argv[1], &ref) ? new_node(env, graph, ref) : NULL;
}

static bool add_port(napi_env env, napi_value list, size_t index, const char *name, gj_ref ref) {
  napi_value port;
  GJN_TRY(env, napi_create_object(env, &port));
  return gjn_set_text(env, port, "name", name) && gjn_set_number(env, port, "ref", ref) &&
         gjn_set_index(env, list, index, port);
}

napi_value gjn_graph_inputs(napi_env env, napi_callback_info info) {
  napi_value argv[1], list;
  gj_graph *graph = get_graph(env, info, 1, argv);
  if (!graph)
    return NULL;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < gj_graph_input_count(graph); i++) {
    gj_ref ref = gj_graph_input(graph, i);
    if (!add_port(env, list, i, gj_graph_node(graph, ref)->name, ref))
      return NULL;
  }
  return list;
}

static napi_value new_outputs(napi_env env, const gj_graph *graph) {
  napi_value list;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < gj_graph_output_count(graph); i++) {
    const gj_output *output = gj_graph_output(graph, i);
    if (!add_port(env, list, i, output->name, output->ref))
      return NULL;
  }
  return list;
}

napi_value gjn_graph_outputs(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gj_graph *graph = get_graph(env, info, 1, argv);
  return graph ? new_outputs(env, graph) : NULL;
}

static napi_value new_nodes(napi_env env, const gj_graph *graph) {
  napi_value list;
  GJN_TRY(env, napi_create_array_with_length(env, gj_graph_node_count(graph), &list));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    if (!gjn_set_index(env, list, ref - 1, new_node(env, graph, ref)))
      return NULL;
  return list;
}

napi_value gjn_graph_functions(napi_env env, napi_callback_info info) {
  napi_value argv[1], list, own;
  gj_graph *graph = get_graph(env, info, 1, argv);
  if (!graph)
    return NULL;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < gj_graph_function_count(graph); i++) {
    const gj_graph *function = gj_graph_function(graph, i);
    GJN_TRY(env, napi_create_object(env, &own));
    if (!gjn_set_text(env, own, "name", gj_graph_name(function)) ||
        !gjn_set(env, own, "nodes", new_nodes(env, function)) ||
        !gjn_set(env, own, "outputs", new_outputs(env, function)) ||
        !gjn_set_index(env, list, i, own))
      return NULL;
  }
  return list;
}

// --- sizes ---

// A dim as JavaScript holds it, or an overflow thrown.
static napi_value new_dim(napi_env env, gj_dim d) {
  if (d == GJ_DIM_ERROR)
    return gjn_fail(env, GJ_E_OVERFLOW, "a size leaves the integers that a graph can hold");
  return gjn_new_number(env, (double)d);
}

napi_value gjn_graph_dim(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  char *text;
  size_t size;
  gj_graph *graph = get_graph(env, info, 2, argv);
  if (!graph || !gjn_get_text(env, argv[1], "size", &text, &size))
    return NULL;
  gj_error err = {0};
  const char *rest = text, *end = text + size;
  gj_dim d = gj_dim_parse(gj_graph_dims(graph), &rest, end, &err);
  while (rest < end && *rest == ' ')
    rest++;
  if (d == GJ_DIM_ERROR)
    gjn_throw(env, &err);
  else if (rest != end)
    gjn_fail(env, GJ_E_PARSE, "expected the end of the size at byte %zu", (size_t)(rest - text));
  free(text);
  return d != GJ_DIM_ERROR && rest == end ? gjn_new_number(env, (double)d) : NULL;
}

napi_value gjn_graph_dim_text(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  int64_t d;
  gj_graph *graph = get_graph(env, info, 2, argv);
  if (!graph || !gjn_get_i64(env, argv[1], "size", &d))
    return NULL;
  return gjn_new_size(env, gj_graph_dims(graph), d);
}

static gj_dim most_of(gj_dims *dims, gj_dim d, gj_dim unused) {
  (void)unused;
  return gj_dim_most(dims, d);
}

napi_value gjn_graph_dim_op(napi_env env, napi_callback_info info) {
  static const struct {
    const char *name;
    gj_dim (*apply)(gj_dims *, gj_dim, gj_dim);
  } operators[] = {{"+", gj_dim_add},      {"-", gj_dim_sub},   {"*", gj_dim_mul},
                   {"/", gj_dim_floordiv}, {"max", gj_dim_max}, {"min", gj_dim_min},
                   {"most", most_of}};
  napi_value argv[4];
  int64_t a, b;
  char *name;
  size_t size;
  gj_graph *graph = get_graph(env, info, 4, argv);
  if (!graph || !gjn_get_i64(env, argv[2], "size", &a) || !gjn_get_i64(env, argv[3], "size", &b) ||
      !gjn_get_text(env, argv[1], "operator", &name, &size))
    return NULL;
  gj_dims *dims = gj_graph_dims(graph);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (strcmp(name, operators[i].name) == 0) {
      free(name);
      return new_dim(env, operators[i].apply(dims, a, b));
    }
  free(name);
  return gjn_fail(env, GJ_E_ARGUMENT, "expected + - * / max or most");
}
