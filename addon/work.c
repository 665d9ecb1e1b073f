// The life of off-thread work: made, queued, executed, settled, let go, freed.
//
// Completion settles the promise once, whatever happened. Cancelling sets a flag that the compiled
// code polls, and takes the work out of the pool's queue if it still waits there; such work is
// completed like all other.
//
// When the environment ends first, Node still completes the work, but no JavaScript can run any
// more: then every call below that makes or settles something fails, and everything is freed all
// the same.
#include "work.h"

void gjn_work_init(napi_env env, gjn_work *work, const gjn_work_type *type) {
  work->type = type;
  work->references = 1;
  gjn_get_instance(env)->runs++;
}

static void release(gjn_work *work) {
  if (--work->references == 0)
    work->type->free(work);
}

static void drop(napi_env env, void *data) {
  (void)env;
  release(data);
}

void gjn_work_abandon(napi_env env, gjn_work *work) {
  if (work->pending)
    napi_delete_async_work(env, work->pending);
  work->pending = NULL;
  work->type->let_go(env, work);
  gjn_get_instance(env)->runs--;
  release(work);
}

static void settle(napi_env env, gjn_work *work) {
  napi_value value = work->type->finish(env, work);
  bool threw = false;
  if (work->err.code != GJ_OK) {
    value = gjn_new_error(env, &work->err);
    if (value)
      napi_reject_deferred(env, work->deferred, value);
  } else if (napi_is_exception_pending(env, &threw) == napi_ok && threw) {
    // There was no memory for the result. While an exception is pending no promise is settled.
    if (napi_get_and_clear_last_exception(env, &value) == napi_ok)
      napi_reject_deferred(env, work->deferred, value);
  } else if (value) {
    napi_resolve_deferred(env, work->deferred, value);
  }
}

static void execute(napi_env env, void *data) {
  (void)env;
  gjn_work *work = data;
  if (work->cancel)
    gj_fail(&work->err, GJ_E_CANCELLED, "%s: cancelled", work->type->what);
  else
    work->type->execute(work);
}

static void complete(napi_env env, napi_status status, void *data) {
  gjn_work *work = data;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) == napi_ok) {
    if (status == napi_cancelled)
      gj_fail(&work->err, GJ_E_CANCELLED, "%s: cancelled", work->type->what);
    settle(env, work);
    napi_close_handle_scope(env, scope);
  }
  gjn_work_abandon(env, work);
}

static bool create(napi_env env, gjn_work *work) {
  napi_value name = gjn_new_text(env, work->type->name);
  if (!name)
    return false;
  GJN_TRY(env, napi_create_async_work(env, NULL, name, execute, complete, work, &work->pending));
  return true;
}

// Queues it, last, when nothing else can go wrong any more.
static bool queue(napi_env env, gjn_work *work) {
  GJN_TRY(env, napi_queue_async_work(env, work->pending));
  return true;
}

static napi_value new_promise(napi_env env, gjn_work *work) {
  napi_value promise;
  GJN_TRY(env, napi_create_promise(env, &work->deferred, &promise));
  return promise;
}

napi_value gjn_work_promise(napi_env env, gjn_work *work) {
  napi_value promise = create(env, work) ? new_promise(env, work) : NULL;
  if (promise && queue(env, work))
    return promise;
  gjn_work_abandon(env, work);
  return NULL;
}

napi_value gjn_work_start(napi_env env, gjn_work *work, bool over) {
  napi_value object = create(env, work) ? gjn_wrap(env, GJN_WORK, work, drop) : NULL;
  if (object)
    work->references++; // from here on the object has its own
  bool ok = object && gjn_set(env, object, "promise", new_promise(env, work)) &&
            (over || queue(env, work));
  if (ok && over)
    settle(env, work);
  if (!ok || over)
    gjn_work_abandon(env, work);
  return ok ? object : NULL;
}

napi_value gjn_work_cancel(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  gjn_work *work = gjn_unwrap(env, argv[0], GJN_WORK);
  if (!work)
    return NULL;
  work->cancel = 1;
  if (work->pending)
    napi_cancel_async_work(env, work->pending); // refused once it runs: then the flag stops it
  return NULL;
}
