// The memory of large constants that JavaScript fills: a storage of the core, and an ArrayBuffer of
// the same bytes for whoever reads a file into it.
//
// Holding a count needs no JavaScript, so graphs and programs that have the constant may be freed
// on any thread. The buffer must not be written to any more when a graph has the constant.

#include "graph.h"

#include "base/storage.h"

static void drop(napi_env env, void *data) {
  (void)env;
  gj_storage_release(data);
}

static void drop_buffer(napi_env env, void *bytes, void *storage) {
  (void)env;
  (void)bytes;
  gj_storage_release(storage);
}

// The buffer is a holder of its own.
static bool set_buffer(napi_env env, napi_value object, gj_storage *storage) {
  napi_value buffer;
  void *bytes = (void *)gj_storage_bytes(storage);
  if (napi_create_external_arraybuffer(env, bytes, gj_storage_size(storage), drop_buffer,
                                       gj_storage_retain(storage), &buffer) != napi_ok) {
    gj_storage_release(storage);
    gjn_throw_last(env);
    return false;
  }
  return gjn_set(env, object, "buffer", buffer);
}

napi_value gjn_storage_new(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  int64_t size;
  if (!gjn_get_args(env, info, 1, argv) || !gjn_get_i64(env, argv[0], "size", &size))
    return NULL;
  gj_storage *storage = size > 0 ? gj_storage_new((size_t)size) : NULL;
  if (!storage)
    return gjn_fail(env, GJ_E_MEMORY, "constant: no memory for %lld bytes", (long long)size);
  napi_value object = gjn_wrap(env, GJN_STORAGE, storage, drop);
  if (!object)
    gj_storage_release(storage);
  else if (!set_buffer(env, object, storage))
    return NULL;
  return object;
}

gj_storage *gjn_get_storage(napi_env env, napi_value value) {
  return gjn_unwrap(env, value, GJN_STORAGE);
}
