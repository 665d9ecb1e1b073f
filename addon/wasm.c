// Graphs and functions as WebAssembly modules.

#include "wasm.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

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

static napi_value new_result(napi_env env, const gj_wasm_module *module) {
  napi_value result;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set(env, result, "bytes", new_bytes(env, module->bytes, module->size)) &&
            gjn_set(env, result, "weights", new_bytes(env, module->weights, module->weight_bytes));
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
  napi_value result = new_result(env, &module);
  gj_wasm_module_fini(&module);
  return result;
}

enum { CODE, NAME, DESCRIPTION, TEXTS };

static napi_value compile_function(napi_env env, char *const texts[TEXTS], size_t size,
                                   gj_wasm_function_options *options) {
  unsigned char *bytes = NULL;
  size_t count = 0;
  gj_error err;
  options->name = *texts[NAME] ? texts[NAME] : NULL;
  options->description = texts[DESCRIPTION];
  if (gj_wasm_function(texts[CODE], size, options, &bytes, &count, &err) != GJ_OK)
    return gjn_throw(env, &err);
  napi_value result = new_bytes(env, bytes, count);
  free(bytes);
  return result;
}

napi_value gjn_wasm_function(napi_env env, napi_callback_info info) {
  napi_value argv[7], result = NULL;
  uint32_t numerics, variant;
  gj_wasm_function_options options = {0};
  if (!gjn_get_args(env, info, 7, argv) || !gjn_get_u32(env, argv[1], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[2], "optLevel", &options.opt_level) ||
      !gjn_get_u32(env, argv[3], "variant", &variant) ||
      !gjn_get_bool(env, argv[4], "recurses", &options.recurses))
    return NULL;
  options.numerics = (gj_numerics)numerics;
  options.variant = (gj_wasm_variant)variant;
  char *texts[TEXTS] = {0};
  size_t size, ignored;
  if (gjn_get_text(env, argv[0], "the text", &texts[CODE], &size) &&
      gjn_get_text(env, argv[5], "name", &texts[NAME], &ignored) &&
      gjn_get_text(env, argv[6], "description", &texts[DESCRIPTION], &ignored))
    result = compile_function(env, texts, size, &options);
  for (int i = 0; i < TEXTS; i++)
    free(texts[i]);
  return result;
}
