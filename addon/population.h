// What lib/evolve sees of populations (src/population).
//
// A list of programs is [offsets: Uint32Array, tokens: Int32Array, constants: Float64Array], a data
// set [rows, columns, targets | null, weights | null, term | null]: columns of the population's
// dtype, the rest f64, a term a list of one program.
#ifndef GJN_POPULATION_H
#define GJN_POPULATION_H

#include "helpers.h"

// (programs, prefix, operators, arity: Uint8Array, dtype, variables, strict, parameters) => handle,
// whose `nodes` is how many there are
napi_value gjn_population_new(napi_env env, napi_callback_info info);
napi_value gjn_population_dispose(napi_env env, napi_callback_info info); // (handle)
// (handle, data, threads, out)
napi_value gjn_population_predict(napi_env env, napi_callback_info info);
// (handle, data, threads, loss, scale, bound, losses, intercepts, slopes)
napi_value gjn_population_fitness(napi_env env, napi_callback_info info);
// (handle with parameters, data, threads, rounds, constants, losses)
napi_value gjn_population_fit(napi_env env, napi_callback_info info);

#endif
