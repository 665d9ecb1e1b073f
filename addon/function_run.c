// Runs of compiled functions on the libuv pool (work.h).
//
// A run has a frame of its own and holds its code and its arrays. It resolves to what a caller
// would have answered, null and the state too, or rejects where an array was detached meanwhile.
#include "function.h"
#include "work.h"

#include <stdlib.h>

typedef struct gjn_call {
  gjn_work work; // first
  gjn_signature signature;
  gjn_frame frame;
  napi_ref values; // a JavaScript array: the state, then the arguments
  bool fits;       // the arguments are of the signature; else there is nothing to run
  bool done;       // the run returned 0
} gjn_call;

static void free_call(gjn_work *work) { free(work); }

static void count_pending(gjn_function *own, int by) {
  if (own)
    own->pending += (size_t)by;
}

static void let_go(napi_env env, gjn_work *work) {
  gjn_call *call = (gjn_call *)work;
  if (call->values)
    napi_delete_reference(env, call->values);
  gjn_function *own[] = {call->signature.code, call->signature.apart};
  for (size_t i = 0; i < 2; i++) {
    count_pending(own[i], -1);
    if (own[i])
      gjn_function_settle(env, own[i]);
  }
  gjn_frame_fini(&call->frame);
  gjn_signature_fini(env, &call->signature);
}

static void execute(gjn_work *work) {
  gjn_call *call = (gjn_call *)work;
  call->done = gjn_frame_run(&call->signature, &call->frame, &work->cancel);
}

// Whether every array still has the memory that the run used.
static bool are_arrays_in_place(napi_env env, const gjn_call *call) {
  napi_value list, value;
  uint32_t array = 0;
  if (napi_get_reference_value(env, call->values, &list) != napi_ok)
    return false;
  for (uint32_t i = 0; i < call->signature.param_count; i++) {
    void *data = NULL;
    size_t length = 0;
    if (!call->signature.ports[i].is_array)
      continue;
    if (napi_get_element(env, list, 1 + i, &value) != napi_ok ||
        napi_get_typedarray_info(env, value, NULL, &length, &data, NULL, NULL) != napi_ok ||
        (int64_t)length < call->frame.dims[array] ||
        (length > 0 && data != call->frame.buffers[1 + array]))
      return false;
    array++;
  }
  return true;
}

static napi_value new_answer(napi_env env, gjn_call *call) {
  napi_value value = NULL;
  if (call->done)
    value = gjn_frame_result(env, &call->signature, &call->frame);
  else if (napi_get_null(env, &value) != napi_ok)
    return NULL;
  bool threw = false;
  if (!value && (napi_is_exception_pending(env, &threw) != napi_ok || threw))
    return NULL;
  if (!value)
    napi_get_undefined(env, &value);
  return value;
}

static napi_value finish(napi_env env, gjn_work *work) {
  gjn_call *call = (gjn_call *)work;
  if (work->err.code == GJ_OK && call->fits && !are_arrays_in_place(env, call))
    gj_fail(&work->err, GJ_E_STATE, "runAsync: an array was detached during the run");
  return work->err.code == GJ_OK ? new_answer(env, call) : NULL;
}

static const gjn_work_type call_type = {.name = "graphjit.call",
                                        .what = "runAsync",
                                        .execute = execute,
                                        .finish = finish,
                                        .let_go = let_go,
                                        .free = free_call};

// --- from JavaScript ---

// All values come before the first pointer: getting one may run JavaScript.
static bool read_values(napi_env env, gjn_call *call, napi_value state, napi_value args) {
  size_t count = call->signature.param_count;
  napi_value list, *values = calloc(count + 1, sizeof *values);
  bool ok = values && napi_create_array_with_length(env, count + 1, &list) == napi_ok &&
            gjn_set_index(env, list, 0, state);
  if (!values)
    gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for %zu values", count);
  for (uint32_t i = 0; ok && i < count; i++)
    ok = napi_get_element(env, args, i, &values[i]) == napi_ok &&
         gjn_set_index(env, list, 1 + i, values[i]);
  if (ok && napi_create_reference(env, list, 1, &call->values) != napi_ok)
    ok = false;
  if (!ok)
    gjn_throw_last(env);
  else
    call->fits = gjn_frame_read(env, &call->signature, values, &call->frame);
  free(values);
  return ok;
}

// A run whose arguments do not fit is over at once.
napi_value gjn_function_start(napi_env env, napi_callback_info info) {
  napi_value argv[6];
  if (!gjn_get_args(env, info, 6, argv))
    return NULL;
  gjn_call *call = calloc(1, sizeof *call);
  if (!call)
    return gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for a run");
  gjn_work_init(env, &call->work, &call_type);
  bool ok = gjn_signature_init(env, argv, &call->signature) &&
            gjn_frame_init(env, &call->signature, argv[4], &call->frame) &&
            read_values(env, call, argv[4], argv[5]);
  count_pending(call->signature.code, 1);
  count_pending(call->signature.apart, 1);
  if (ok)
    return gjn_work_start(env, &call->work, !call->fits);
  gjn_work_abandon(env, &call->work);
  return NULL;
}
