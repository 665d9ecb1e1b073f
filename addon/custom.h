// C functions from shared libraries for custom_call.
#ifndef GJN_CUSTOM_H
#define GJN_CUSTOM_H

#include "helpers.h"

// customRegister(name, path of a library, symbol in it)
napi_value gjn_custom_register(napi_env env, napi_callback_info info);

#endif
