// Programs from JavaScript: compiled, looked at, freed. Running them is in call.c and run.c.

#include "program.h"

#include "graph.h"

#include <stdlib.h>
#include <string.h>

// What a program takes besides code and constants, measured: pages of its own, tables of the
// linker, the graphs and loops kept for inspection. The collector is told, since it would otherwise
// see an object of some bytes and let thousands of dropped programs lie.
enum { PROGRAM_BYTES = 96 * 1024 };

// --- lifetime ---

void gjn_binding_release(gjn_binding *binding) {
  if (!binding || --binding->references > 0)
    return;
  gj_binding_free(binding->binding);
  free(binding);
}

void gjn_program_settle(napi_env env, gjn_program *own) {
  if (!own->program || own->pending > 0 || !own->disposed)
    return;
  gj_program_free(own->program);
  own->program = NULL;
  gjn_ports_fini(&own->ports);
  gjn_binding_release(own->latest);
  own->latest = NULL;
  gjn_report_memory(env, -own->reported);
  gjn_get_instance(env)->programs--;
}

void gjn_program_release(napi_env env, gjn_program *own) {
  if (--own->references > 0)
    return;
  own->disposed = true;
  gjn_program_settle(env, own);
  gjn_number_give(&gjn_get_instance(env)->programs_by_number, own->number);
  free(own);
}

static void drop(napi_env env, void *data) { gjn_program_release(env, data); }

gjn_program *gjn_get_program(napi_env env, napi_value value) {
  gjn_program *own = gjn_unwrap(env, value, GJN_PROGRAM);
  if (own && own->disposed) {
    gjn_fail(env, GJ_E_STATE, "program is disposed");
    return NULL;
  }
  return own;
}

static bool list_ports(napi_env env, const gj_program *program, gjn_ports *ports) {
  size_t inputs = gj_program_input_count(program), outputs = gj_program_output_count(program);
  if (!gjn_ports_init(env, inputs, outputs, ports))
    return false;
  for (size_t i = 0; i < inputs; i++)
    ports->list[i] = *gj_program_input(program, i);
  for (size_t i = 0; i < outputs; i++)
    ports->list[inputs + i] = *gj_program_output(program, i);
  return true;
}

// Takes `program` over, also on failure.
static napi_value new_program(napi_env env, gj_program *program) {
  gjn_program *own = calloc(1, sizeof *own);
  if (!own || !gjn_number_take(&gjn_get_instance(env)->programs_by_number, own, &own->number)) {
    free(own);
    gj_program_free(program);
    return gjn_fail(env, GJ_E_MEMORY, "compile: no memory for a program");
  }
  gj_program_stats stats;
  gj_program_get_stats(program, &stats);
  own->references = 1;
  own->program = program;
  own->computes = gj_program_computes_sizes(program);
  own->reported = PROGRAM_BYTES + (int64_t)(stats.code_bytes + stats.constant_bytes);
  gjn_report_memory(env, own->reported);
  gjn_get_instance(env)->programs++;
  napi_value object = NULL;
  if (list_ports(env, program, &own->ports))
    object = gjn_wrap(env, GJN_PROGRAM, own, drop);
  if (!object)
    gjn_program_release(env, own);
  else if (!gjn_set_number(env, object, "number", own->number))
    return NULL;
  return object;
}

napi_value gjn_program_compile(napi_env env, napi_callback_info info) {
  napi_value argv[6];
  uint32_t numerics, opt_level, threads, tier;
  bool cache;
  if (!gjn_get_args(env, info, 6, argv))
    return NULL;
  gj_graph *graph = gjn_get_graph(env, argv[0]);
  if (!graph || !gjn_get_u32(env, argv[1], "numerics", &numerics) ||
      !gjn_get_u32(env, argv[2], "optLevel", &opt_level) ||
      !gjn_get_u32(env, argv[3], "threads", &threads) ||
      !gjn_get_bool(env, argv[4], "cache", &cache) || !gjn_get_u32(env, argv[5], "tier", &tier))
    return NULL;
  gj_compile_options options = {.numerics = (gj_numerics)numerics,
                                .opt_level = opt_level,
                                .threads = threads,
                                .cache = cache,
                                .tier = (gj_tier)tier};
  gj_program *program;
  gj_error err;
  if (gj_program_compile(graph, &options, &program, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return new_program(env, program);
}

napi_value gjn_program_dispose(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_program *own = gjn_unwrap(env, argv[0], GJN_PROGRAM);
  if (own) {
    own->disposed = true;
    gjn_program_settle(env, own);
  }
  return NULL;
}

// --- looking ---

static napi_value new_ports(napi_env env, const gj_program *program, const gj_port *ports,
                            size_t count) {
  const gj_dims *dims = gj_program_dims(program);
  napi_value list, port;
  GJN_TRY(env, napi_create_array_with_length(env, count, &list));
  for (size_t i = 0; i < count; i++) {
    GJN_TRY(env, napi_create_object(env, &port));
    if (!gjn_set_text(env, port, "name", ports[i].name) ||
        !gjn_set_text(env, port, "dtype", gj_dtype_name(ports[i].type.dtype)) ||
        !gjn_set(env, port, "shape", gjn_new_shape(env, dims, &ports[i].type)) ||
        !gjn_set(env, port, "most", gjn_new_shape(env, dims, &ports[i].most)) ||
        !gjn_set_index(env, list, i, port))
      return NULL;
  }
  return list;
}

napi_value gjn_program_ports(napi_env env, napi_callback_info info) {
  napi_value argv[1], result;
  gjn_program *own = gjn_get_args(env, info, 1, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  size_t inputs = own->ports.input_count;
  GJN_TRY(env, napi_create_object(env, &result));
  bool ok =
      gjn_set(env, result, "inputs", new_ports(env, own->program, own->ports.list, inputs)) &&
      gjn_set(env, result, "outputs",
              new_ports(env, own->program, own->ports.list + inputs, own->ports.count - inputs));
  return ok ? result : NULL;
}

static gj_status print(const gj_program *program, const char *what, size_t most_data,
                       gj_strbuf *out, gj_error *err) {
  static const struct {
    const char *name;
    gj_emit emit;
  } forms[] = {
      {"llvm", GJ_EMIT_LLVM}, {"optimized", GJ_EMIT_LLVM_OPTIMIZED}, {"asm", GJ_EMIT_ASSEMBLY}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(what, forms[i].name) == 0)
      return gj_program_print_code(program, forms[i].emit, most_data, out, err);
  if (strcmp(what, "loops") == 0)
    return gj_program_print_loops(program, most_data, out, err);
  if (strcmp(what, "graph") == 0)
    return gj_program_print_graph(program, out, err);
  return gj_fail(err, GJ_E_ARGUMENT, "expected llvm, optimized, asm, loops or graph");
}

napi_value gjn_program_text(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  uint32_t most_data;
  char *what;
  size_t size;
  gjn_program *own = gjn_get_args(env, info, 3, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own || !gjn_get_u32(env, argv[2], "constant bytes", &most_data) ||
      !gjn_get_text(env, argv[1], "what", &what, &size))
    return NULL;
  gj_strbuf text = {0};
  gj_error err;
  gj_status status = print(own->program, what, most_data, &text, &err);
  free(what);
  if (status == GJ_OK)
    return gjn_take_text(env, &text);
  gj_strbuf_fini(&text);
  return gjn_throw(env, &err);
}

napi_value gjn_program_graph(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gjn_program *own = gjn_get_args(env, info, 1, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  gj_graph *graph;
  gj_error err;
  if (gj_program_copy_graph(own->program, &graph, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return gjn_new_graph(env, graph);
}
