// Calls of compiled functions on the calling thread.
//
// A caller is a JavaScript function that carries its signature, so that a call is: read the
// arguments, call the code, make a number. Its slots lie in an ArrayBuffer of JavaScript's, its
// state, where results that are no single number are read from. One is enough: a run calls no
// JavaScript, so no call of a caller begins before another has ended.

#include "function.h"

#include <stdlib.h>

typedef struct caller {
  gjn_signature signature;
  napi_ref state; // keeps the ArrayBuffer
  gjn_frame frame;
  napi_value *args; // as many as there are params
} caller;

static void free_caller(napi_env env, caller *own) {
  if (own->state)
    napi_delete_reference(env, own->state);
  gjn_frame_fini(&own->frame);
  gjn_signature_fini(env, &own->signature);
  free(own->args);
  free(own);
}

static void drop(napi_env env, void *data) { free_caller(env, data); }

static napi_value new_null(napi_env env) {
  napi_value null;
  GJN_TRY(env, napi_get_null(env, &null));
  return null;
}

static napi_value invoke(napi_env env, napi_callback_info info) {
  enum { FEW = 8 };
  napi_value few[FEW];
  void *data;
  size_t count = FEW;
  GJN_TRY(env, napi_get_cb_info(env, info, &count, few, NULL, &data));
  caller *own = data;
  const napi_value *args = few;
  if (own->signature.param_count > FEW) {
    count = own->signature.param_count;
    GJN_TRY(env, napi_get_cb_info(env, info, &count, own->args, NULL, NULL));
    args = own->args;
  }
  if (!gjn_frame_read(env, &own->signature, args, &own->frame) ||
      !gjn_frame_run(&own->signature, &own->frame, NULL))
    return new_null(env);
  return gjn_frame_result(env, &own->signature, &own->frame);
}

napi_value gjn_function_caller(napi_env env, napi_callback_info info) {
  napi_value argv[5], function = NULL;
  if (!gjn_get_args(env, info, 5, argv))
    return NULL;
  caller *own = calloc(1, sizeof *own);
  if (!own)
    return gjn_fail(env, GJ_E_MEMORY, "no memory for a caller");
  if (gjn_signature_init(env, argv, &own->signature) &&
      gjn_frame_init(env, &own->signature, argv[4], &own->frame)) {
    own->args = calloc(own->signature.param_count + 1, sizeof *own->args);
    if (!own->args)
      gjn_fail(env, GJ_E_MEMORY, "no memory for %u arguments", own->signature.param_count);
    else if (napi_create_reference(env, argv[4], 1, &own->state) != napi_ok)
      gjn_throw_last(env);
    else
      function = gjn_new_function(env, "native", invoke, own, drop);
  }
  if (!function)
    free_caller(env, own);
  return function;
}
