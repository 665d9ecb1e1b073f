// Runs on the libuv pool: the wrapped kind "run".
//
// A run holds its program, its sizes and references to its arrays. The pool thread touches nothing
// of JavaScript. Completion settles the promise once, whatever happened: done, cancelled before or
// while running, or arrays found detached, since their memory then belonged to somebody else.
// Cancelling sets a flag that the compiled code polls, and takes the run out of the pool's queue if
// it still waits there.
//
// When the environment ends first, Node still completes the work, but no JavaScript can run any
// more: then every call below that makes or settles something fails, and everything is freed all
// the same.

#include "program.h"

#include <stdlib.h>

typedef struct gjn_run {
  size_t references; // the object, and the work while it is pending
  gjn_program *own;
  gjn_binding *sizes;
  napi_ref arrays; // a JavaScript array that keeps the typed arrays alive
  napi_async_work work;
  napi_deferred deferred;
  int64_t *symbols; // of this run when it computes sizes, else NULL
  volatile int32_t cancel;
  gj_status status;
  gj_error err;
  void *buffers[]; // per port
} gjn_run;

static void release(gjn_run *run) {
  if (--run->references > 0)
    return;
  free(run->symbols);
  free(run);
}

static void drop(napi_env env, void *data) {
  (void)env;
  release(data);
}

// Lets go of what a pending run holds; `own` and `work` are NULL afterwards.
static void let_go(napi_env env, gjn_run *run) {
  if (run->arrays)
    napi_delete_reference(env, run->arrays);
  if (run->work)
    napi_delete_async_work(env, run->work);
  gjn_binding_release(run->sizes);
  run->own->pending--;
  gjn_program_settle(env, run->own);
  gjn_program_release(env, run->own);
  run->arrays = NULL;
  run->work = NULL;
  run->own = NULL;
  run->sizes = NULL;
  gjn_get_instance(env)->runs--;
}

static void execute(napi_env env, void *data) {
  (void)env;
  gjn_run *run = data;
  if (run->cancel)
    run->status = gj_fail(&run->err, GJ_E_CANCELLED, "runAsync: cancelled");
  else
    run->status = gj_program_run_sizes(run->own->program, run->sizes->binding, run->buffers, NULL,
                                       &run->cancel, run->symbols, &run->err);
}

// Whether every array still has the memory that the run used; else run->err says which one has not.
static bool are_arrays_in_place(napi_env env, gjn_run *run) {
  const gjn_ports *ports = &run->own->ports;
  napi_value list, array;
  if (napi_get_reference_value(env, run->arrays, &list) != napi_ok)
    return false;
  for (size_t i = 0; i < ports->count; i++) {
    void *data = NULL;
    size_t length = 0, bytes = run->sizes->binding->buffer_bytes[i];
    if (napi_get_element(env, list, (uint32_t)i, &array) != napi_ok ||
        napi_get_typedarray_info(env, array, NULL, &length, &data, NULL, NULL) != napi_ok)
      return false;
    if (bytes > 0 && (data != run->buffers[i] || length == 0)) {
      run->status = gj_fail(&run->err, GJ_E_STATE,
                            "runAsync: the array of %s '%s' was detached during the run",
                            i < ports->input_count ? "input" : "output", ports->list[i].name);
      return true;
    }
  }
  return true;
}

static void settle(napi_env env, gjn_run *run) {
  napi_value value;
  bool ok = run->status == GJ_OK;
  if (ok && run->symbols)
    value = gjn_new_run_result(env, run->own, run->symbols);
  else if (ok)
    ok = napi_get_undefined(env, &value) == napi_ok;
  else
    value = gjn_new_error(env, &run->err);
  if (!value)
    return;
  if (ok)
    napi_resolve_deferred(env, run->deferred, value);
  else
    napi_reject_deferred(env, run->deferred, value);
}

static void complete(napi_env env, napi_status status, void *data) {
  gjn_run *run = data;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) == napi_ok) {
    if (status == napi_cancelled)
      run->status = gj_fail(&run->err, GJ_E_CANCELLED, "runAsync: cancelled");
    if (are_arrays_in_place(env, run))
      settle(env, run);
    napi_close_handle_scope(env, scope);
  }
  let_go(env, run);
  release(run);
}

// --- from JavaScript ---

static gjn_run *new_run(napi_env env, gjn_program *own) {
  gjn_run *run = calloc(1, sizeof *run + own->ports.count * sizeof *run->buffers);
  if (!run) {
    gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for %zu arrays", own->ports.count);
    return NULL;
  }
  size_t symbols = own->latest->binding->symbol_count;
  if (own->computes && !(run->symbols = calloc(symbols + 1, sizeof *run->symbols))) {
    gjn_fail(env, GJ_E_MEMORY, "runAsync: no memory for %zu sizes", symbols);
    free(run);
    return NULL;
  }
  own->references++;
  own->pending++;
  gjn_get_instance(env)->runs++;
  run->references = 1;
  run->own = own;
  run->sizes = gjn_binding_hold(own->latest);
  return run;
}

static bool hold_arrays(napi_env env, gjn_run *run, napi_value arrays) {
  if (!gjn_get_listed_buffers(env, arrays, &run->own->ports, run->sizes->binding->buffer_bytes,
                              "runAsync", run->buffers))
    return false;
  GJN_TRY(env, napi_create_reference(env, arrays, 1, &run->arrays));
  return true;
}

// Makes work and promise; the work is queued last, when nothing can go wrong any more.
static napi_value start(napi_env env, gjn_run *run) {
  napi_value name = gjn_new_text(env, "graphjit.run"), promise;
  if (!name)
    return NULL;
  GJN_TRY(env, napi_create_async_work(env, NULL, name, execute, complete, run, &run->work));
  napi_value object = gjn_wrap(env, GJN_RUN, run, drop);
  if (!object)
    return NULL;
  run->references++; // from here on the object has its own
  GJN_TRY(env, napi_create_promise(env, &run->deferred, &promise));
  if (!gjn_set(env, object, "promise", promise))
    return NULL;
  GJN_TRY(env, napi_queue_async_work(env, run->work));
  return object;
}

napi_value gjn_run_start(napi_env env, napi_callback_info info) {
  napi_value argv[2], object = NULL;
  gjn_program *own = gjn_get_args(env, info, 2, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  if (!own->latest)
    return gjn_fail(env, GJ_E_INTERNAL, "runAsync before the sizes of the program are known");
  gjn_run *run = new_run(env, own);
  if (!run)
    return NULL;
  if (hold_arrays(env, run, argv[1]))
    object = start(env, run);
  if (!object) {
    let_go(env, run);
    release(run);
  }
  return object;
}

napi_value gjn_run_cancel(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_run *run = gjn_unwrap(env, argv[0], GJN_RUN);
  if (!run)
    return NULL;
  run->cancel = 1;
  if (run->work)
    napi_cancel_async_work(env, run->work); // refused once it runs: then the flag stops it
  return NULL;
}
