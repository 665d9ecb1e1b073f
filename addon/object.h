// A graph as an object file for C, and what it can be made for.
#ifndef GJN_OBJECT_H
#define GJN_OBJECT_H

#include "helpers.h"

// (graph, target, cpu, features, symbol, numerics, opt level, threads, emit) => Uint8Array, or a
// string for text; an empty string stands for a default, emit is a gj_emit
napi_value gjn_object_compile(napi_env env, napi_callback_info info);
// (graph, symbol, numerics, threads) => text of the C header
napi_value gjn_object_header(napi_env env, napi_callback_info info);
// (text of Loop IR, target, cpu, features, symbol, numerics, opt level, emit, whether its exported
// function takes a gj_exec), with the same result
napi_value gjn_object_function(napi_env env, napi_callback_info info);
// (name, symbol or '', names as lines) => { symbol, opening of the header, identifiers as lines }
napi_value gjn_object_words(napi_env env, napi_callback_info info);
// () => [{ arch, triple, cpus, features }]
napi_value gjn_targets(napi_env env, napi_callback_info info);

#endif
