// Runs of compiled functions on the libuv pool: the wrapped kind "call".
//
// A run has a frame of its own and holds its code and its arrays. It goes the way of runs of
// programs (run.c): the pool thread touches nothing of JavaScript, and completion settles the
// promise once. It resolves to what a caller would have answered, null and the state too, or
// rejects where an array was detached meanwhile.

#include "function.h"

#include <stdlib.h>

typedef struct gjn_call {
  size_t references; // the object, and the work while it is pending
  gjn_signature signature;
  gjn_frame frame;
  napi_ref values; // a JavaScript array: the state, then the arguments
  napi_async_work work;
  napi_deferred deferred;
  volatile int32_t cancel;
  bool done; // the run returned 0
} gjn_call;

static void release(gjn_call *call) {
  if (--call->references == 0)
    free(call);
}

static void drop(napi_env env, void *data) {
  (void)env;
  release(data);
}

static void count_pending(gjn_function *own, int by) {
  if (own)
    own->pending += (size_t)by;
}

// Lets go of what a pending run holds.
static void let_go(napi_env env, gjn_call *call) {
  if (call->values)
    napi_delete_reference(env, call->values);
  if (call->work)
    napi_delete_async_work(env, call->work);
  gjn_function *own[] = {call->signature.code, call->signature.apart};
  for (size_t i = 0; i < 2; i++) {
    count_pending(own[i], -1);
    if (own[i])
      gjn_function_settle(env, own[i]);
  }
  gjn_frame_fini(&call->frame);
  gjn_signature_fini(env, &call->signature);
  call->values = NULL;
  call->work = NULL;
  gjn_get_instance(env)->runs--;
}

static void execute(napi_env env, void *data) {
  (void)env;
  gjn_call *call = data;
  call->done = gjn_frame_run(&call->signature, &call->frame, &call->cancel);
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
  if (!value)
    napi_get_undefined(env, &value);
  return value;
}

static void settle(napi_env env, gjn_call *call, bool cancelled) {
  gj_error err = {0};
  if (cancelled)
    gj_fail(&err, GJ_E_CANCELLED, "runAsync: cancelled");
  else if (!are_arrays_in_place(env, call))
    gj_fail(&err, GJ_E_STATE, "runAsync: an array was detached during the run");
  napi_value value = err.code == GJ_OK ? new_answer(env, call) : gjn_new_error(env, &err);
  if (!value)
    return;
  if (err.code == GJ_OK)
    napi_resolve_deferred(env, call->deferred, value);
  else
    napi_reject_deferred(env, call->deferred, value);
}

static void complete(napi_env env, napi_status status, void *data) {
  gjn_call *call = data;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) == napi_ok) {
    settle(env, call, status == napi_cancelled);
    napi_close_handle_scope(env, scope);
  }
  let_go(env, call);
  release(call);
}

// --- from JavaScript ---

// All values come before the first pointer: getting one may run JavaScript.
static bool read_values(napi_env env, gjn_call *call, napi_value state, napi_value args,
                        bool *out_fits) {
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
    *out_fits = gjn_frame_read(env, &call->signature, values, &call->frame);
  free(values);
  return ok;
}

// Makes work and promise; the work is queued last, when nothing can go wrong any more. A run whose
// arguments do not fit is over at once.
static napi_value start(napi_env env, gjn_call *call, bool fits) {
  napi_value name = gjn_new_text(env, "graphjit.call"), promise;
  if (!name)
    return NULL;
  GJN_TRY(env, napi_create_async_work(env, NULL, name, execute, complete, call, &call->work));
  napi_value object = gjn_wrap(env, GJN_CALL, call, drop);
  if (!object)
    return NULL;
  call->references++; // from here on the object has its own
  GJN_TRY(env, napi_create_promise(env, &call->deferred, &promise));
  if (!gjn_set(env, object, "promise", promise))
    return NULL;
  if (fits) {
    GJN_TRY(env, napi_queue_async_work(env, call->work));
    return object;
  }
  napi_value null;
  GJN_TRY(env, napi_get_null(env, &null));
  GJN_TRY(env, napi_resolve_deferred(env, call->deferred, null));
  let_go(env, call);
  release(call);
  return object;
}

napi_value gjn_function_start(napi_env env, napi_callback_info info) {
  napi_value argv[6], object = NULL;
  bool fits = false;
  if (!gjn_get_args(env, info, 6, argv))
    return NULL;
  gjn_call *call = calloc(1, sizeof *call);
  if (!call)
    return gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for a run");
  call->references = 1;
  gjn_get_instance(env)->runs++;
  bool ok = gjn_signature_init(env, argv, &call->signature) &&
            gjn_frame_init(env, &call->signature, argv[4], &call->frame) &&
            read_values(env, call, argv[4], argv[5], &fits);
  count_pending(call->signature.code, 1);
  count_pending(call->signature.apart, 1);
  if (ok)
    object = start(env, call, fits);
  if (!object) {
    let_go(env, call);
    release(call);
  }
  return object;
}

napi_value gjn_function_cancel(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_call *call = gjn_unwrap(env, argv[0], GJN_CALL);
  if (!call)
    return NULL;
  call->cancel = 1;
  if (call->work)
    napi_cancel_async_work(env, call->work); // refused once it runs: then the flag stops it
  return NULL;
}
