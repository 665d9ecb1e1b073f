// Runs on the calling thread.
//
// Two ways, for two prices. callProgram() takes arrays, checks the bytes of each of them and runs:
// some 18 ns per array. programBind() checks once and keeps pointers and sizes, so that a call is a
// call of the compiled code and little else. Such a call trusts that its arrays are alive, in place
// and of their length: lib/graph/program.js holds them and has lib/graph/inline-cache.js look
// whether each is still there before every call.

#include "program.h"

#include "base/size.h"

#include <stdlib.h>

// --- sizes ---

// Keeps the sizes of the next runs for these shapes of the inputs.
napi_value gjn_program_fit(napi_env env, napi_callback_info info) {
  napi_value argv[2], result = NULL;
  gjn_program *own = gjn_get_args(env, info, 2, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  gjn_shapes shapes = {0};
  gjn_binding *fresh = calloc(1, sizeof *fresh);
  gj_error err;
  if (!fresh)
    gjn_fail(env, GJ_E_MEMORY, "no memory for the sizes of a run");
  else if (gjn_shapes_init(env, argv[1], &own->ports, &shapes)) {
    if (gj_program_bind(own->program, shapes.rows, &fresh->binding, &err) != GJ_OK)
      gjn_throw(env, &err);
    else
      result = gjn_new_output_shapes(env, &own->ports, fresh->binding->output_shapes);
  }
  gjn_shapes_fini(&shapes);
  if (!result) {
    free(fresh);
    return NULL;
  }
  fresh->references = 1;
  gjn_binding_release(own->latest);
  own->latest = fresh;
  return result;
}

static bool is_fitted(napi_env env, const gjn_program *own) {
  if (!own->latest)
    gjn_fail(env, GJ_E_INTERNAL, "run before the sizes of the program are known");
  return own->latest != NULL;
}

// The number that was written for this call; it is good for one, so that what is not alive any more
// is never called.
static uint32_t take_number(gjn_instance *instance) {
  uint32_t number = (uint32_t)*instance->called;
  *instance->called = -1;
  return number;
}

// --- run ---

napi_value gjn_new_run_result(napi_env env, const gjn_program *own, const int64_t *symbols) {
  gj_error err;
  size_t outputs = own->ports.count - own->ports.input_count;
  int64_t *shapes = calloc(outputs * GJ_MAX_RANK + 1, sizeof *shapes);
  napi_value result = NULL;
  if (!shapes)
    gjn_fail(env, GJ_E_MEMORY, "run: no memory for the shapes of %zu outputs", outputs);
  else if (gj_program_output_shapes(own->program, symbols, shapes, &err) != GJ_OK)
    gjn_throw(env, &err);
  else
    result = gjn_new_output_shapes(env, &own->ports, shapes);
  free(shapes);
  return result;
}

// A run that computes sizes.
static napi_value run_sizes(napi_env env, const gjn_program *own, const gj_binding *binding,
                            void *const *buffers, void *scratch) {
  gj_error err;
  int64_t *symbols = calloc(binding->symbol_count + 1, sizeof *symbols);
  napi_value result = NULL;
  if (!symbols)
    gjn_fail(env, GJ_E_MEMORY, "run: no memory for %zu sizes", binding->symbol_count);
  else if (gj_program_run_sizes(own->program, binding, buffers, scratch, NULL, symbols, &err) !=
           GJ_OK)
    gjn_throw(env, &err);
  else
    result = gjn_new_run_result(env, own, symbols);
  free(symbols);
  return result;
}

enum { FEW = 8 };

static napi_value run(napi_env env, gjn_program *own, const napi_value *arrays, void **buffers) {
  const gj_binding *binding = own->latest->binding;
  gj_error err;
  if (!gjn_get_known_buffers(env, arrays, &own->ports, binding->buffer_bytes, "run", buffers))
    return NULL;
  if (own->computes)
    return run_sizes(env, own, binding, buffers, NULL);
  if (gj_program_run(own->program, binding, buffers, NULL, NULL, &err) != GJ_OK)
    gjn_throw(env, &err);
  return NULL;
}

// More arrays than are read at first.
static napi_value run_many(napi_env env, napi_callback_info info, gjn_program *own) {
  size_t count = own->ports.count;
  napi_value *argv = calloc(count, sizeof *argv);
  void **buffers = calloc(count, sizeof *buffers);
  napi_value result = NULL;
  if (!argv || !buffers)
    gjn_fail(env, GJ_E_MEMORY, "run: no memory for %zu arrays", count);
  else if (gjn_get_args(env, info, count, argv))
    result = run(env, own, argv, buffers);
  free(argv);
  free(buffers);
  return result;
}

// Runs the program whose number was written.
static napi_value call_program(napi_env env, napi_callback_info info) {
  napi_value argv[FEW];
  void *buffers[FEW];
  size_t count = FEW;
  gjn_instance *instance;
  GJN_TRY(env, napi_get_cb_info(env, info, &count, argv, NULL, (void **)&instance));
  gjn_program *own = gjn_number_find(&instance->programs_by_number, take_number(instance));
  if (!own || own->disposed)
    return gjn_fail(env, GJ_E_STATE, "program is disposed");
  if (!is_fitted(env, own))
    return NULL;
  if (own->ports.count > FEW)
    return run_many(env, info, own);
  return run(env, own, argv, buffers);
}

// --- bind ---

// What a bound function calls with.
typedef struct call {
  uint32_t number;
  gjn_program *own;
  gjn_binding *sizes;
  void *scratch;   // memory of its own, or NULL: then runs take what their thread keeps
  void *buffers[]; // per port
} call;

static void free_call(napi_env env, call *bound) {
  gjn_binding_release(bound->sizes);
  gjn_program_release(env, bound->own);
  free(bound->scratch);
  free(bound);
}

static void drop_call(napi_env env, void *data) {
  call *bound = data;
  gjn_number_give(&gjn_get_instance(env)->bound_by_number, bound->number);
  free_call(env, bound);
}

// Calls what was bound under the number that was written.
static napi_value call_bound(napi_env env, napi_callback_info info) {
  gjn_instance *instance;
  gj_error err;
  GJN_TRY(env, napi_get_cb_info(env, info, NULL, NULL, NULL, (void **)&instance));
  const call *bound = gjn_number_find(&instance->bound_by_number, take_number(instance));
  if (!bound || bound->own->disposed)
    return gjn_fail(env, GJ_E_STATE, "program is disposed");
  if (bound->own->computes)
    return run_sizes(env, bound->own, bound->sizes->binding, bound->buffers, bound->scratch);
  if (gj_program_run(bound->own->program, bound->sizes->binding, bound->buffers, bound->scratch,
                     NULL, &err) != GJ_OK)
    return gjn_throw(env, &err);
  return NULL;
}

static call *new_call(napi_env env, gjn_program *own, bool keeps_scratch) {
  size_t scratch_bytes = keeps_scratch ? own->latest->binding->scratch_bytes : 0, aligned = 0;
  call *bound = calloc(1, sizeof *bound + own->ports.count * sizeof *bound->buffers);
  void *scratch = NULL;
  if (bound && scratch_bytes > 0 && gj_align_size(scratch_bytes, 64, &aligned))
    scratch = aligned_alloc(64, aligned);
  if (!bound || (scratch_bytes > 0 && !scratch)) {
    free(bound);
    gjn_fail(env, GJ_E_MEMORY, "bind: no memory for %zu bytes of intermediate values",
             scratch_bytes);
    return NULL;
  }
  own->references++;
  bound->own = own;
  bound->sizes = gjn_binding_hold(own->latest);
  bound->scratch = scratch;
  return bound;
}

napi_value gjn_program_bind(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  bool keeps_scratch;
  gjn_program *own = gjn_get_args(env, info, 3, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own || !gjn_get_bool(env, argv[2], "keepsScratch", &keeps_scratch) || !is_fitted(env, own))
    return NULL;
  call *bound = new_call(env, own, keeps_scratch);
  if (!bound)
    return NULL;
  if (!gjn_get_listed_buffers(env, argv[1], &own->ports, bound->sizes->binding->buffer_bytes,
                              "bind", bound->buffers)) {
    free_call(env, bound);
    return NULL;
  }
  gjn_numbers *numbers = &gjn_get_instance(env)->bound_by_number;
  if (!gjn_number_take(numbers, bound, &bound->number)) {
    free_call(env, bound);
    return gjn_fail(env, GJ_E_MEMORY, "bind: no memory for a bound call");
  }
  napi_value object = gjn_wrap(env, GJN_BOUND, bound, drop_call);
  if (!object)
    drop_call(env, bound);
  else if (!gjn_set_number(env, object, "number", bound->number))
    return NULL;
  return object;
}

// --- calls by number ---

static bool add_call(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  GJN_TRY(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, gjn_get_instance(env),
                                    &function));
  return gjn_set(env, exports, name, function);
}

bool gjn_program_add_calls(napi_env env, napi_value exports) {
  gjn_instance *instance = gjn_get_instance(env);
  napi_value buffer, array;
  void *memory;
  GJN_TRY(env, napi_create_arraybuffer(env, sizeof *instance->called, &memory, &buffer));
  GJN_TRY(env, napi_create_typedarray(env, napi_int32_array, 1, buffer, 0, &array));
  GJN_TRY(env, napi_create_reference(env, array, 1, &instance->called_array));
  instance->called = memory;
  *instance->called = -1;
  return gjn_set(env, exports, "called", array) &&
         add_call(env, exports, "callProgram", call_program) &&
         add_call(env, exports, "callBound", call_bound);
}
