// Graphs from JavaScript: made, extended, freed. Reading one is in inspect.c.
//
// The core's builders keep their first error; each function here asks for it after its one call and
// throws, so a failed call leaves the graph as it was and usable.

#include "graph.h"

#include "tables.h"

#include "passes/pass.h"

#include <stdlib.h>

// Bytes that a graph takes before it has nodes, the first blocks of its arenas, and then for each
// node, roughly: only the collector is told.
enum { GRAPH_BYTES = 36 * 1024, NODE_BYTES = 192 };

// A graph lives until all handles to it and to its functions are gone.
typedef struct gjn_owner {
  gj_graph *root;
  size_t handles;
} gjn_owner;

typedef struct gjn_graph {
  gj_graph *graph; // or function of one; NULL once disposed
  gjn_owner *owner;
  int64_t reported; // bytes the engine was told about
} gjn_graph;

static void dispose(napi_env env, gjn_graph *own) {
  if (!own->graph)
    return;
  if (--own->owner->handles == 0) {
    gj_graph_free(own->owner->root);
    free(own->owner);
  }
  own->graph = NULL;
  gjn_report_memory(env, -own->reported);
  gjn_get_instance(env)->graphs--;
}

static void drop(napi_env env, void *data) {
  dispose(env, data);
  free(data);
}

static void report(napi_env env, gjn_graph *own, size_t bytes) {
  own->reported += (int64_t)bytes;
  gjn_report_memory(env, (int64_t)bytes);
}

// A handle to a graph of `owner`, which it counts; NULL with an exception, and then it is not
// counted.
static napi_value new_handle(napi_env env, gj_graph *graph, gjn_owner *owner) {
  gjn_graph *own = calloc(1, sizeof *own);
  if (!own)
    return gjn_fail(env, GJ_E_MEMORY, "no memory for a graph");
  own->graph = graph;
  own->owner = owner;
  owner->handles++;
  gjn_get_instance(env)->graphs++;
  napi_value object = gjn_wrap(env, GJN_GRAPH, own, drop);
  if (!object) {
    dispose(env, own);
    free(own);
    return NULL;
  }
  report(env, own, GRAPH_BYTES + gj_graph_node_count(graph) * NODE_BYTES);
  return object;
}

napi_value gjn_new_graph(napi_env env, gj_graph *graph) {
  gjn_owner *owner = graph ? calloc(1, sizeof *owner) : NULL;
  if (!owner) {
    gj_graph_free(graph);
    return gjn_fail(env, GJ_E_MEMORY, "no memory for a graph");
  }
  *owner = (gjn_owner){graph, 1};
  napi_value object = new_handle(env, graph, owner);
  if (--owner->handles == 0) { // there was no memory for the handle
    gj_graph_free(graph);
    free(owner);
  }
  return object;
}

static gjn_graph *get_own(napi_env env, napi_value value) {
  gjn_graph *own = gjn_unwrap(env, value, GJN_GRAPH);
  if (own && !own->graph) {
    gjn_fail(env, GJ_E_STATE, "graph is disposed");
    return NULL;
  }
  return own;
}

gj_graph *gjn_get_graph(napi_env env, napi_value value) {
  gjn_graph *own = get_own(env, value);
  return own ? own->graph : NULL;
}

// --- making ---

napi_value gjn_graph_new(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  char *name = NULL;
  size_t size;
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  if (!gjn_is_undefined(env, argv[0]) && !gjn_get_text(env, argv[0], "name", &name, &size))
    return NULL;
  gj_graph *graph = gj_graph_new(name);
  free(name);
  if (graph) {
    gj_error err;
    if (gj_graph_take_error(graph, &err) != GJ_OK) {
      gj_graph_free(graph);
      return gjn_throw(env, &err);
    }
  }
  return gjn_new_graph(env, graph);
}

// graphFunction(graph, name): a function of the graph, not yet added to it
napi_value gjn_graph_function(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  char *name;
  size_t size;
  if (!gjn_get_args(env, info, 2, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own || !gjn_get_text(env, argv[1], "name", &name, &size))
    return NULL;
  gj_error err;
  gj_graph *function = gj_graph_function_new(own->graph, name);
  free(name);
  if (gj_graph_take_error(own->graph, &err) != GJ_OK ||
      gj_graph_take_error(function, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return new_handle(env, function, own->owner);
}

// graphFunctionAdd(function): its number
napi_value gjn_graph_function_add(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own)
    return NULL;
  gj_error err;
  int64_t number = gj_graph_function_add(own->graph);
  if (gj_graph_take_error(own->owner->root, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return gjn_new_number(env, (double)number);
}

napi_value gjn_graph_parse(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  char *text;
  size_t size;
  if (!gjn_get_args(env, info, 1, argv) || !gjn_get_text(env, argv[0], "text", &text, &size))
    return NULL;
  gj_error err;
  gj_graph *graph = NULL;
  gj_status status = gj_graph_parse(text, size, &graph, &err);
  free(text);
  return status == GJ_OK ? gjn_new_graph(env, graph) : gjn_throw(env, &err);
}

napi_value gjn_graph_dispose(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_graph *own = gjn_unwrap(env, argv[0], GJN_GRAPH);
  if (own)
    dispose(env, own);
  return NULL;
}

// --- appending ---

// Reads dtype and dims into `type`.
static bool get_type(napi_env env, napi_value dtype, napi_value dims, gj_type *type) {
  size_t rank = 0;
  *type = (gj_type){0};
  if (!gjn_get_dtype(env, dtype, &type->dtype) ||
      !gjn_get_integers(env, dims, "shape", type->shape, GJ_MAX_RANK, &rank))
    return false;
  type->rank = (uint8_t)rank;
  return true;
}

// The appended ref, or the graph's error thrown.
static napi_value finish(napi_env env, gjn_graph *own, gj_ref ref, size_t bytes) {
  gj_error err;
  if (gj_graph_take_error(own->graph, &err) != GJ_OK)
    return gjn_throw(env, &err);
  report(env, own, bytes + NODE_BYTES);
  return gjn_new_number(env, ref);
}

napi_value gjn_graph_param(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  gj_type type;
  char *name;
  size_t size;
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own || !get_type(env, argv[2], argv[3], &type) ||
      !gjn_get_text(env, argv[1], "name", &name, &size))
    return NULL;
  gj_ref ref = gj_graph_param(own->graph, name, &type);
  free(name);
  return finish(env, own, ref, 0);
}

napi_value gjn_graph_const(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  gj_type type;
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own || !get_type(env, argv[1], argv[2], &type))
    return NULL;
  napi_typedarray_type array_type;
  size_t length;
  void *data;
  GJN_TRY(env, napi_get_typedarray_info(env, argv[3], &array_type, &length, &data, NULL, NULL));
  // The element size comes from the array itself, so its bytes can be read whatever the dtype is.
  static const uint8_t element_bytes[] = {
      [napi_int8_array] = 1,     [napi_uint8_array] = 1,    [napi_uint8_clamped_array] = 1,
      [napi_int16_array] = 2,    [napi_uint16_array] = 2,   [napi_int32_array] = 4,
      [napi_uint32_array] = 4,   [napi_float32_array] = 4,  [napi_float64_array] = 8,
      [napi_bigint64_array] = 8, [napi_biguint64_array] = 8};
  size_t known = sizeof element_bytes;
  size_t bytes = length * ((size_t)array_type < known ? element_bytes[array_type] : 0);
  gj_ref ref = gj_graph_const(own->graph, &type, data, bytes);
  return finish(env, own, ref, bytes);
}

napi_value gjn_graph_const_shared(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  gj_type type;
  if (!gjn_get_args(env, info, 4, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  gj_storage *storage = own ? gjn_get_storage(env, argv[3]) : NULL;
  if (!storage || !get_type(env, argv[1], argv[2], &type))
    return NULL;
  gj_ref ref = gj_graph_const_shared(own->graph, &type, storage);
  return finish(env, own, ref, gj_storage_size(storage));
}

// Attributes of one node as lib/ passes them, with room for their values.
typedef struct attr_values {
  gj_attrs attrs;
  int64_t values[GJ_ATTR_COUNT][GJ_MAX_LIST];
} attr_values;

static bool get_attrs(napi_env env, napi_value object, gj_op op, attr_values *out) {
  out->attrs = (gj_attrs){0};
  if (gjn_is_undefined(env, object))
    return true;
  for (int attr = 0; attr < GJ_ATTR_COUNT; attr++) {
    napi_value value;
    size_t count;
    if (!(gj_op_get(op)->attrs & (1u << attr)))
      continue;
    GJN_TRY(env, napi_get_named_property(env, object, gj_attr_get((gj_attr)attr)->name, &value));
    if (!gjn_get_attr(env, value, (gj_attr)attr, out->values[attr], &count))
      return false;
    gj_attrs_set(&out->attrs, (gj_attr)attr, out->values[attr], count);
  }
  return true;
}

bool gjn_get_refs(napi_env env, napi_value array, gj_ref *refs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    napi_value element;
    GJN_TRY(env, napi_get_element(env, array, i, &element));
    if (!gjn_get_u32(env, element, "operand", &refs[i]))
      return false;
  }
  return true;
}

// A node of a function that is known by its name, or its text.
static napi_value add_named(napi_env env, gjn_graph *own, gj_op op, napi_value name,
                            const gj_ref *refs, uint32_t count, const gj_attrs *attrs) {
  char *text;
  size_t size;
  if (!gjn_get_text(env, name, "name", &text, &size))
    return NULL;
  gj_ref ref = op == GJ_OP_apply ? gj_graph_apply(own->graph, text, refs, count, attrs)
                                 : gj_graph_custom_call(own->graph, text, refs, count, attrs);
  napi_value result = finish(env, own, ref, 0);
  free(text);
  return result;
}

// graphOp(graph, code, operands, attrs, name of the function of a custom_call or text of an apply)
napi_value gjn_graph_op(napi_env env, napi_callback_info info) {
  napi_value argv[5];
  uint32_t op, count;
  if (!gjn_get_args(env, info, 5, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own || !gjn_get_u32(env, argv[1], "op", &op) ||
      !gjn_get_length(env, argv[2], "operands", &count))
    return NULL;
  if (op == GJ_OP_none || op >= GJ_OP_COUNT || count > GJ_MAX_NODES)
    return gjn_fail(env, GJ_E_ARGUMENT, "no op has the code %u with %u operands", op, count);
  attr_values attrs;
  gj_ref few[8];
  gj_ref *refs = count <= 8 ? few : malloc(count * sizeof *refs);
  if (!refs)
    return gjn_fail(env, GJ_E_MEMORY, "no memory for %u operands", count);
  napi_value result = NULL;
  if (gjn_get_refs(env, argv[2], refs, count) && get_attrs(env, argv[3], (gj_op)op, &attrs)) {
    if (op == GJ_OP_custom_call || op == GJ_OP_apply)
      result = add_named(env, own, (gj_op)op, argv[4], refs, count, &attrs.attrs);
    else
      result = finish(env, own, gj_graph_op(own->graph, (gj_op)op, refs, count, &attrs.attrs), 0);
  }
  if (refs != few)
    free(refs);
  return result;
}

napi_value gjn_graph_output(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  uint32_t ref;
  char *name;
  size_t size;
  if (!gjn_get_args(env, info, 3, argv))
    return NULL;
  gjn_graph *own = get_own(env, argv[0]);
  if (!own || !gjn_get_u32(env, argv[2], "value", &ref) ||
      !gjn_get_text(env, argv[1], "name", &name, &size))
    return NULL;
  gj_graph_set_output(own->graph, name, ref);
  free(name);
  gj_error err;
  return gj_graph_take_error(own->graph, &err) == GJ_OK ? NULL : gjn_throw(env, &err);
}

static napi_value new_simplified(napi_env env, gj_graph *simple, const gj_ref *map, size_t count) {
  napi_value result, became, graph = gjn_new_graph(env, simple);
  if (!graph)
    return NULL;
  GJN_TRY(env, napi_create_object(env, &result));
  GJN_TRY(env, napi_create_array_with_length(env, count, &became));
  for (size_t ref = 0; ref < count; ref++)
    if (!gjn_set_index(env, became, ref, gjn_new_number(env, map[ref])))
      return NULL;
  bool ok = gjn_set(env, result, "graph", graph) && gjn_set(env, result, "became", became);
  return ok ? result : NULL;
}

napi_value gjn_graph_simplify(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gj_graph *graph = gjn_get_args(env, info, 1, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  if (!graph)
    return NULL;
  gj_error err;
  gj_graph *simple = NULL;
  size_t count = gj_graph_node_count(graph) + 1;
  gj_ref *map = calloc(count, sizeof *map);
  gj_status status = map ? gj_graph_verify(graph, &err)
                         : gj_fail(&err, GJ_E_MEMORY, "simplify: no memory for %zu nodes", count);
  if (status == GJ_OK)
    status = gj_passes_map(graph, NULL, NULL, map, &simple, &err);
  napi_value result =
      status == GJ_OK ? new_simplified(env, simple, map, count) : gjn_throw(env, &err);
  free(map);
  return result;
}
