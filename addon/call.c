// Runs on the calling thread.
//
// Two ways, for two prices. program_runner() makes a function that takes arrays, checks the bytes
// of each of them and runs: some 18 ns per array. program_bind() checks once and makes a function
// that keeps pointers and sizes, so that a call of it is a call of the compiled code and little
// else. Such a function trusts that its arrays are alive, in place and of their length:
// lib/program.js holds them and has lib/quick.js look whether each is still there before every
// call.

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
                            void **buffers, void *scratch) {
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

enum { FEW = 32 };

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

// More arrays than fit on the stack.
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

// The function that gjn_program_runner() makes.
static napi_value invoke_run(napi_env env, napi_callback_info info) {
  napi_value argv[FEW];
  void *buffers[FEW];
  size_t count = FEW;
  gjn_program *own;
  GJN_TRY(env, napi_get_cb_info(env, info, &count, argv, NULL, (void **)&own));
  if (own->disposed)
    return gjn_fail(env, GJ_E_STATE, "program is disposed");
  if (!is_fitted(env, own))
    return NULL;
  if (own->ports.count > FEW)
    return run_many(env, info, own);
  return run(env, own, argv, buffers);
}

static void drop_run(napi_env env, void *data) { gjn_program_release(env, data); }

// A function carries its program with it, which spares a run the 130 ns of unwrapping an object.
napi_value gjn_program_runner(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gjn_program *own = gjn_get_args(env, info, 1, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  own->references++;
  napi_value function = gjn_new_function(env, "run", invoke_run, own, drop_run);
  if (!function)
    gjn_program_release(env, own);
  return function;
}

// --- bind ---

// What a bound function calls with.
typedef struct call {
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

static void drop_call(napi_env env, void *data) { free_call(env, data); }

static napi_value invoke(napi_env env, napi_callback_info info) {
  call *bound;
  gj_error err;
  GJN_TRY(env, napi_get_cb_info(env, info, NULL, NULL, NULL, (void **)&bound));
  if (bound->own->disposed)
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
  napi_value function = gjn_new_function(env, "call", invoke, bound, drop_call);
  if (!function)
    free_call(env, bound);
  return function;
}
