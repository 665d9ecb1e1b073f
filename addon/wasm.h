// A graph as a WebAssembly module.
#ifndef GJN_WASM_H
#define GJN_WASM_H

#include "helpers.h"

// (graph, numerics, opt level, variant, whether weights are separate, whether there are threads) =>
// { bytes, weights }; the variant is a gj_wasm_variant, weights may be null
napi_value gjn_wasm_compile(napi_env env, napi_callback_info info);

// (text of Loop IR, numerics, opt level, variant, whether it recurses, name of the exported
// function or '', description) => Uint8Array
napi_value gjn_wasm_function(napi_env env, napi_callback_info info);

#endif
