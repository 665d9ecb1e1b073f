// Waiting for a program's machine code: a promise, settled by a thread of the libuv pool that
// compiles it or waits for whoever does (work.h).
//
// The pending work counts as a run (see program.h): a program disposed of meanwhile is freed when
// the work is done.
#include "program.h"
#include "work.h"

#include <stdlib.h>

typedef struct wait {
  gjn_work work; // first
  gjn_program *own;
} wait;

static void execute(gjn_work *work) { gj_program_finish(((wait *)work)->own->program, &work->err); }

static napi_value finish(napi_env env, gjn_work *work) {
  (void)work;
  napi_value value;
  return napi_get_undefined(env, &value) == napi_ok ? value : NULL;
}

static void let_go(napi_env env, gjn_work *work) {
  gjn_program *own = ((wait *)work)->own;
  own->pending--;
  gjn_program_settle(env, own);
  gjn_program_release(env, own);
}

static void free_wait(gjn_work *work) { free(work); }

static const gjn_work_type wait_type = {.name = "graphjit.ready",
                                        .what = "ready",
                                        .execute = execute,
                                        .finish = finish,
                                        .let_go = let_go,
                                        .free = free_wait};

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
  gjn_work_init(env, &w->work, &wait_type);
  return gjn_work_promise(env, &w->work);
}
