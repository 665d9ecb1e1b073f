// The addon's entry: state of one environment, and the table of what lib/ can call.
//
// Node calls init() once per environment (the main thread and each worker), so nothing here is
// global; what LLVM needs once per process is set up by the core when it is first used.

#include "cache.h"
#include "custom.h"
#include "function.h"
#include "graph.h"
#include "object.h"
#include "population.h"
#include "program.h"
#include "table.h"
#include "tables.h"
#include "wasm.h"
#include "work.h"

#include "base/pages.h"

#include <stdatomic.h>
#include <stdlib.h>

// Hands over the function that makes GraphErrors: (code, message) => Error.
static napi_value set_errors(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gjn_instance *instance = gjn_get_instance(env);
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  if (instance->create_error)
    napi_delete_reference(env, instance->create_error);
  instance->create_error = NULL;
  GJN_TRY(env, napi_create_reference(env, argv[0], 1, &instance->create_error));
  return NULL;
}

// Says whether `**` is the C library's pow in this engine.
static napi_value set_platform_pow(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  bool use;
  if (gjn_get_args(env, info, 1, argv) && gjn_get_bool(env, argv[0], "use", &use))
    gj_host_math_use_platform_pow(use);
  return NULL;
}

// Live objects: of this environment, and of the process where the core counts.
static napi_value usage(napi_env env, napi_callback_info info) {
  (void)info;
  const gjn_instance *instance = gjn_get_instance(env);
  size_t programs, code_bytes;
  gj_program_usage(&programs, &code_bytes);
  napi_value result;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok = gjn_set_number(env, result, "graphs", (double)instance->graphs) &&
            gjn_set_number(env, result, "programs", (double)instance->programs) &&
            gjn_set_number(env, result, "functions", (double)instance->functions) &&
            gjn_set_number(env, result, "runs", (double)instance->runs) &&
            gjn_set_number(env, result, "processPrograms", (double)programs) &&
            gjn_set_number(env, result, "processFunctions", (double)gj_function_usage()) &&
            gjn_set_number(env, result, "processCodeBytes", (double)code_bytes) &&
            gjn_set_number(env, result, "processConstantBytes", (double)gj_storage_usage());
  return ok ? result : NULL;
}

static atomic_uint instances;

// Large pages for a fresh typed array.
static napi_value advise(napi_env env, napi_callback_info info) {
  napi_value argv[1], buffer;
  void *data;
  size_t bytes;
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  GJN_TRY(env, napi_get_typedarray_info(env, argv[0], NULL, NULL, NULL, &buffer, NULL));
  GJN_TRY(env, napi_get_arraybuffer_info(env, buffer, &data, &bytes));
  gj_pages_advise(data, bytes);
  return NULL;
}

// The process is about to end, on the main thread.
static napi_value stop(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  gj_tiers_stop(true);
  return NULL;
}

static void finalize_instance(napi_env env, void *data, void *hint) {
  (void)hint;
  gjn_instance *instance = data;
  if (atomic_fetch_sub(&instances, 1) == 1) // after the last worker the process may end, too
    gj_tiers_stop(false);
  if (instance->create_error)
    napi_delete_reference(env, instance->create_error);
  if (instance->called_array)
    napi_delete_reference(env, instance->called_array);
  free(instance->programs_by_number.list);
  free(instance->bound_by_number.list);
  free(instance);
}

#define EXPORT(name, function)                                                                     \
  { name, NULL, function, NULL, NULL, NULL, napi_enumerable, NULL }

static const napi_property_descriptor exports_table[] = {
    EXPORT("setErrors", set_errors),
    EXPORT("setPlatformPow", set_platform_pow),
    EXPORT("usage", usage),
    EXPORT("advise", advise),
    EXPORT("stop", stop),
    EXPORT("ops", gjn_ops),
    EXPORT("dtypes", gjn_dtypes),
    EXPORT("statuses", gjn_statuses),
    EXPORT("machine", gjn_machine),
    EXPORT("vectorBytes", gjn_vector_bytes),
    EXPORT("customRegister", gjn_custom_register),
    EXPORT("cacheUsage", gjn_cache_usage),
    EXPORT("cachePrune", gjn_cache_prune),
    EXPORT("noteRead", gjn_note_read),
    EXPORT("noteWrite", gjn_note_write),
    EXPORT("storageNew", gjn_storage_new),
    EXPORT("graphNew", gjn_graph_new),
    EXPORT("graphParse", gjn_graph_parse),
    EXPORT("graphDispose", gjn_graph_dispose),
    EXPORT("graphFunction", gjn_graph_function),
    EXPORT("graphFunctionAdd", gjn_graph_function_add),
    EXPORT("graphParam", gjn_graph_param),
    EXPORT("graphConst", gjn_graph_const),
    EXPORT("graphConstShared", gjn_graph_const_shared),
    EXPORT("graphOp", gjn_graph_op),
    EXPORT("graphVjp", gjn_graph_vjp),
    EXPORT("graphJvp", gjn_graph_jvp),
    EXPORT("graphBatch", gjn_graph_batch),
    EXPORT("graphOutput", gjn_graph_output),
    EXPORT("graphPrint", gjn_graph_print),
    EXPORT("graphName", gjn_graph_name),
    EXPORT("graphType", gjn_graph_type),
    EXPORT("graphCount", gjn_graph_count),
    EXPORT("graphNode", gjn_graph_node),
    EXPORT("graphInputs", gjn_graph_inputs),
    EXPORT("graphOutputs", gjn_graph_outputs),
    EXPORT("graphFunctions", gjn_graph_functions),
    EXPORT("graphDim", gjn_graph_dim),
    EXPORT("graphDimText", gjn_graph_dim_text),
    EXPORT("graphDimOp", gjn_graph_dim_op),
    EXPORT("graphFit", gjn_graph_fit),
    EXPORT("graphEval", gjn_graph_eval),
    EXPORT("graphSimplify", gjn_graph_simplify),
    EXPORT("programCompile", gjn_program_compile),
    EXPORT("programDispose", gjn_program_dispose),
    EXPORT("programReady", gjn_program_ready),
    EXPORT("programPorts", gjn_program_ports),
    EXPORT("programStats", gjn_program_stats),
    EXPORT("programMemory", gjn_program_memory),
    EXPORT("programProfile", gjn_program_profile),
    EXPORT("programText", gjn_program_text),
    EXPORT("programGraph", gjn_program_graph),
    EXPORT("programFit", gjn_program_fit),
    EXPORT("programBind", gjn_program_bind),
    EXPORT("functionCompile", gjn_function_compile),
    EXPORT("functionOp", gjn_function_op),
    EXPORT("functionDispose", gjn_function_dispose),
    EXPORT("functionStats", gjn_function_stats),
    EXPORT("functionRemarks", gjn_function_remarks),
    EXPORT("functionText", gjn_function_text),
    EXPORT("functionCaller", gjn_function_caller),
    EXPORT("functionStart", gjn_function_start),
    EXPORT("populationNew", gjn_population_new),
    EXPORT("populationDispose", gjn_population_dispose),
    EXPORT("populationPredict", gjn_population_predict),
    EXPORT("populationFitness", gjn_population_fitness),
    EXPORT("populationFit", gjn_population_fit),
    EXPORT("tableRun", gjn_table_run),
    EXPORT("tableStart", gjn_table_start),
    EXPORT("runStart", gjn_run_start),
    EXPORT("workCancel", gjn_work_cancel),
    EXPORT("wasmCompile", gjn_wasm_compile),
    EXPORT("objectCompile", gjn_object_compile),
    EXPORT("objectHeader", gjn_object_header),
    EXPORT("wasmFunction", gjn_wasm_function),
    EXPORT("objectFunction", gjn_object_function),
    EXPORT("objectWords", gjn_object_words),
    EXPORT("targets", gjn_targets),
};

static napi_value init(napi_env env, napi_value exports) {
  gjn_instance *instance = calloc(1, sizeof *instance);
  if (!instance) {
    napi_throw_error(env, gj_status_name(GJ_E_MEMORY), "no memory for the addon's state");
    return NULL;
  }
  if (napi_set_instance_data(env, instance, finalize_instance, NULL) != napi_ok) {
    free(instance);
    gjn_throw_last(env);
    return NULL;
  }
  atomic_fetch_add(&instances, 1);
  size_t count = sizeof exports_table / sizeof *exports_table;
  GJN_TRY(env, napi_define_properties(env, exports, count, exports_table));
  napi_value version = gjn_new_text(env, GJ_VERSION);
  return gjn_set(env, exports, "version", version) && gjn_program_add_calls(env, exports) ? exports
                                                                                          : NULL;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, init)
