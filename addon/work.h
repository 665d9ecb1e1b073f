// Work on a thread of the libuv pool that settles a promise: the wrapped kind "run".
//
// What is to be done has a gjn_work as its first member, from calloc, and hands over four functions
// that say what is special about it. All else, from the count of runs to the moment at which it is
// freed, is the same for all work and in work.c.
#ifndef GJN_WORK_H
#define GJN_WORK_H

#include "helpers.h"

typedef struct gjn_work gjn_work;

typedef struct gjn_work_type {
  const char *name; // for tools that look at asynchronous resources
  const char *what; // the call that began it, for messages
  // On a thread of the pool, which touches nothing of JavaScript. A failure goes to work->err.
  void (*execute)(gjn_work *work);
  // What the promise resolves to. It is rejected where work->err says why, or by the exception that
  // is pending afterwards, and stays as it is where NULL comes back and nothing is said, since then
  // the environment ends. Called once it was executed, cancelled before that, or is over already.
  napi_value (*finish)(napi_env env, gjn_work *work);
  // Lets go of what it holds while it is pending. Called once, on the thread of JavaScript.
  void (*let_go)(napi_env env, gjn_work *work);
  // Frees the memory, when neither the work nor the object needs it.
  void (*free)(gjn_work *work);
} gjn_work_type;

struct gjn_work {
  const gjn_work_type *type;
  size_t references; // itself while it is pending, and the object
  napi_async_work pending;
  napi_deferred deferred;
  volatile int32_t cancel; // set by gjn_work_cancel(): compiled code polls it
  gj_error err;            // why it failed; GJ_OK: it did not
};

void gjn_work_init(napi_env env, gjn_work *work, const gjn_work_type *type);
// Queues it and returns the promise. On failure, with an exception pending, it is let go.
napi_value gjn_work_promise(napi_env env, gjn_work *work);
// The same for work that can be cancelled: { promise }, an object for gjn_work_cancel(). With
// `over` there is nothing to execute, and it is finished at once.
napi_value gjn_work_start(napi_env env, gjn_work *work, bool over);
// Ends work that was not started.
void gjn_work_abandon(napi_env env, gjn_work *work);

napi_value gjn_work_cancel(napi_env env, napi_callback_info info); // (what a start returned)

#endif
