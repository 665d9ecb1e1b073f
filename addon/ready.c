// Waiting for a program's machine code: a promise, settled by a thread of the libuv pool that
// compiles it or waits for whoever does.
//
// The pending work counts as a run (see program.h): a program disposed of meanwhile is freed when
// the work is done. When the environment ends first, Node still completes the work.

#include "program.h"

#include <stdlib.h>

typedef struct wait {
  gjn_program *own;
  napi_async_work work;
  napi_deferred deferred;
  gj_status status;
  gj_error err;
} wait;

static void execute(napi_env env, void *data) {
  (void)env;
  wait *w = data;
  w->status = gj_program_finish(w->own->program, &w->err);
}

static void let_go(napi_env env, wait *w) {
  if (w->work)
    napi_delete_async_work(env, w->work);
  w->own->pending--;
  gjn_program_settle(env, w->own);
  gjn_program_release(env, w->own);
  gjn_get_instance(env)->runs--;
  free(w);
}

static void settle(napi_env env, const wait *w) {
  napi_value value = NULL;
  if (w->status != GJ_OK) {
    value = gjn_new_error(env, &w->err);
    if (value)
      napi_reject_deferred(env, w->deferred, value);
  } else if (napi_get_undefined(env, &value) == napi_ok) {
    napi_resolve_deferred(env, w->deferred, value);
  }
}

static void complete(napi_env env, napi_status status, void *data) {
  wait *w = data;
  napi_handle_scope scope;
  if (status == napi_cancelled)
    w->status = gj_fail(&w->err, GJ_E_CANCELLED, "ready: cancelled");
  if (napi_open_handle_scope(env, &scope) == napi_ok) {
    settle(env, w);
    napi_close_handle_scope(env, scope);
  }
  let_go(env, w);
}

static napi_value start(napi_env env, wait *w) {
  napi_value name = gjn_new_text(env, "graphjit.ready"), promise;
  if (!name)
    return NULL;
  GJN_TRY(env, napi_create_async_work(env, NULL, name, execute, complete, w, &w->work));
  GJN_TRY(env, napi_create_promise(env, &w->deferred, &promise));
  GJN_TRY(env, napi_queue_async_work(env, w->work));
  return promise;
}

napi_value gjn_program_ready(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  gjn_program *own = gjn_get_args(env, info, 1, argv) ? gjn_get_program(env, argv[0]) : NULL;
  if (!own)
    return NULL;
  wait *w = calloc(1, sizeof *w);
  if (!w)
    return gjn_fail(env, GJ_E_MEMORY, "ready: out of memory");
  w->own = own;
  own->references++;
  own->pending++;
  gjn_get_instance(env)->runs++;
  napi_value promise = start(env, w);
  if (!promise)
    let_go(env, w);
  return promise;
}
