// Batches of functions from JavaScript: what passes/batch/ appends.

#include "graph.h"

#include "passes/batch/batch.h"

#include <stdlib.h>

static bool get_inputs(napi_env env, napi_value refs, napi_value flags, gj_batched *out,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    napi_value ref, flag;
    GJN_TRY(env, napi_get_element(env, refs, i, &ref));
    GJN_TRY(env, napi_get_element(env, flags, i, &flag));
    if (!gjn_get_u32(env, ref, "input", &out[i].ref) ||
        !gjn_get_bool(env, flag, "flag", &out[i].batched))
      return false;
  }
  return true;
}

static napi_value new_outputs(napi_env env, const gj_batched *outputs, size_t count) {
  napi_value result, refs, flags, flag;
  GJN_TRY(env, napi_create_object(env, &result));
  GJN_TRY(env, napi_create_array_with_length(env, count, &refs));
  GJN_TRY(env, napi_create_array_with_length(env, count, &flags));
  for (size_t k = 0; k < count; k++) {
    GJN_TRY(env, napi_get_boolean(env, outputs[k].batched, &flag));
    if (!gjn_set_index(env, refs, k, gjn_new_number(env, outputs[k].ref)) ||
        !gjn_set_index(env, flags, k, flag))
      return NULL;
  }
  return gjn_set(env, result, "refs", refs) && gjn_set(env, result, "flags", flags) ? result : NULL;
}

static napi_value batch(napi_env env, gj_graph *graph, const gj_graph *function,
                        const napi_value *argv, gj_dim size) {
  uint32_t count;
  if (!gjn_get_length(env, argv[2], "inputs", &count))
    return NULL;
  size_t wanted = gj_graph_input_count(function), outs = gj_graph_output_count(function);
  if (count != wanted)
    return gjn_fail(env, GJ_E_ARGUMENT, "batch: %u values for %zu inputs", count, wanted);
  gj_batched *values = calloc(count + outs + 1, sizeof *values);
  if (!values)
    return gjn_fail(env, GJ_E_MEMORY, "no memory for %u values", count);
  napi_value result = NULL;
  if (get_inputs(env, argv[2], argv[3], values, count)) {
    gj_error err;
    gj_status status = gj_graph_batch(graph, function, values, size, values + count, &err);
    result = status == GJ_OK ? new_outputs(env, values + count, outs) : gjn_throw(env, &err);
  }
  free(values);
  return result;
}

napi_value gjn_graph_batch(napi_env env, napi_callback_info info) {
  napi_value argv[5];
  int64_t size;
  gj_graph *graph = gjn_get_args(env, info, 5, argv) ? gjn_get_graph(env, argv[0]) : NULL;
  gj_graph *function = graph ? gjn_get_graph(env, argv[1]) : NULL;
  return function && gjn_get_i64(env, argv[4], "size", &size)
             ? batch(env, graph, function, argv, size)
             : NULL;
}
