// A graph as a WebAssembly module, and sizes as JavaScript expressions for the loader that lib/
// writes.

#include "wasm.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

static napi_value new_symbols(napi_env env, const gj_graph *graph) {
  const gj_dims *dims = gj_graph_dims(graph);
  napi_value list;
  GJN_TRY(env, napi_create_array(env, &list));
  for (size_t i = 0; i < gj_dims_symbol_count(dims); i++)
    if (!gjn_set_index(env, list, i, gjn_new_text(env, gj_dims_symbol_name(dims, i))))
      return NULL;
  return list;
}

// A Uint8Array over a copy; null for no bytes.
static napi_value new_bytes(napi_env env, const unsigned char *bytes, size_t size) {
  napi_value buffer, array;
  void *data;
  if (!bytes) {
    GJN_TRY(env, napi_get_null(env, &array));
    return array;
  }
  GJN_TRY(env, napi_create_arraybuffer(env, size, &data, &buffer));
  memcpy(data, bytes, size);
  GJN_TRY(env, napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &array));
  return array;
}

static napi_value new_result(napi_env env, const gj_graph *graph, const gj_wasm_module *module) {
  napi_value result;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok =
      gjn_set(env, result, "bytes", new_bytes(env, module->bytes, module->size)) &&
      gjn_set(env, result, "weights", new_bytes(env, module->weights, module->weight_bytes)) &&
      gjn_set_text(env, result, "scratch", gj_strbuf_peek(&module->scratch)) &&
      gjn_set(env, result, "symbols", new_symbols(env, graph));
  return ok ? result : NULL;
}

napi_value gjn_wasm_compile(napi_env env, napi_callback_info info) {
  napi_value argv[6];
  uint32_t numerics, opt_level, variant;
  bool separate, threads;
  if (!gjn_get_args(env, info, 6, argv))
    return NULL;
  gj_graph *graph = gjn_get_graph(env, argv[0]);
  if (!graph || !gjn_get_u32(env, argv[1], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[2], "optLevel", &opt_level) ||
      !gjn_get_u32(env, argv[3], "variant", &variant) ||
      !gjn_get_bool(env, argv[4], "separate", &separate) ||
      !gjn_get_bool(env, argv[5], "threads", &threads))
    return NULL;
  gj_wasm_options options = {.numerics = (gj_numerics)numerics,
                             .opt_level = opt_level,
                             .variant = (gj_wasm_variant)variant,
                             .separate_weights = separate,
                             .threads = threads};
  gj_wasm_module module = {0};
  gj_error err;
  if (gj_wasm_compile(graph, &options, &module, &err) != GJ_OK)
    return gjn_throw(env, &err);
  napi_value result = new_result(env, graph, &module);
  gj_wasm_module_fini(&module);
  return result;
}

napi_value gjn_wasm_size(napi_env env, napi_callback_info info) {
  napi_value argv[2];
  char *text;
  size_t size;
  gj_graph *graph = gjn_get_args(env, info, 2, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  if (!graph || !gjn_get_text(env, argv[1], "size", &text, &size))
    return NULL;
  gj_error err = {0};
  const char *rest = text;
  gj_dims *dims = gj_graph_dims(graph);
  gj_dim d = gj_dim_parse(dims, &rest, text + size, &err);
  free(text);
  if (d == GJ_DIM_ERROR)
    return gjn_throw(env, &err);
  gj_strbuf code = {0};
  gj_wasm_print_dim(dims, d, &code);
  return gjn_take_text(env, &code);
}
