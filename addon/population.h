// What lib/evolve sees of populations (src/population).
//
// A list of programs is [offsets: Uint32Array, tokens: Int32Array, constants: Float64Array], a data
// set [rows, columns, targets | null, weights | null, term | null, function | null]: columns of the
// population's dtype, the rest f64, a term a list of one program. A function is a compiled program
// of 1 to 3 inputs and an output, all [n] of the dtype. Bodies call those of the population by
// GJ_TOKEN_FUNCTION and their number.
#ifndef GJN_POPULATION_H
#define GJN_POPULATION_H

#include "helpers.h"

// (programs, prefix, operators, arity: Uint8Array, dtype, variables, strict, parameters, functions,
// derivatives: Uint32Array) => handle, whose `nodes` is how many there are. Derivatives are, for
// each operand of each function, of which there are 3, the number of a function + 1, or 0.
napi_value gjn_population_new(napi_env env, napi_callback_info info);
napi_value gjn_population_dispose(napi_env env, napi_callback_info info); // (handle)
// (handle, data, threads, out)
napi_value gjn_population_predict(napi_env env, napi_callback_info info);
// (handle, data, threads, loss, scale, bound, losses, intercepts, slopes)
napi_value gjn_population_fitness(napi_env env, napi_callback_info info);
// (handle with parameters, data, threads, rounds, constants, losses)
napi_value gjn_population_fit(napi_env env, napi_callback_info info);

#endif
