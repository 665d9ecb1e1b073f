// Registering C functions for custom_call from shared libraries.
//
// A library stays loaded, since compiled code keeps addresses in it.
#include "custom.h"

#include "ops/custom.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// What dlerror() says, on one line.
static napi_value fail_dl(napi_env env, const char *what, const char *name) {
  const char *why = dlerror();
  return gjn_fail(env, GJ_E_ARGUMENT, "registerCustomCall: cannot %s \"%s\": %s", what, name,
                  why ? why : "no reason given");
}

static napi_value add(napi_env env, const char *name, const char *library, const char *symbol) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail_dl(env, "load", library);
  dlerror();
  void *address = dlsym(handle, symbol);
  if (!address) {
    fail_dl(env, "find", symbol);
    dlclose(handle);
    return NULL;
  }
  gj_custom_fn *function;
  memcpy(&function, &address, sizeof function); // POSIX: they have one representation
  gj_error err;
  return gj_custom_register(name, function, &err) == GJ_OK ? NULL : gjn_throw(env, &err);
}

napi_value gjn_custom_register(napi_env env, napi_callback_info info) {
  napi_value argv[3];
  char *texts[3] = {NULL, NULL, NULL};
  static const char *const names[3] = {"name", "library", "symbol"};
  bool ok = gjn_get_args(env, info, 3, argv);
  for (int i = 0; ok && i < 3; i++) {
    size_t size;
    ok = gjn_get_text(env, argv[i], names[i], &texts[i], &size);
  }
  if (ok)
    add(env, texts[0], texts[1], texts[2]);
  for (int i = 0; i < 3; i++)
    free(texts[i]);
  return NULL;
}
