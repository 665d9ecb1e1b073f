// What lib/ sees of the cache of compiled code on disk.
#ifndef GJN_CACHE_H
#define GJN_CACHE_H

#include "helpers.h"

// () => { folder?, limit, off, usable, entries, bytes }
napi_value gjn_cache_usage(napi_env env, napi_callback_info info);
napi_value gjn_cache_prune(napi_env env, napi_callback_info info); // (bytes) => what was removed

// What front ends keep on disk, see jit/code/note.h.
napi_value gjn_note_read(napi_env env, napi_callback_info info);  // (name) => text or undefined
napi_value gjn_note_write(napi_env env, napi_callback_info info); // (name, text)

#endif
