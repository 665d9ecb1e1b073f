// What every file of the addon shares: errors, typed getters, values to return, wrapped objects.
//
// Conventions. A function returning bool or napi_value returns false or NULL exactly when a
// JavaScript exception is pending, so a caller passes the failure on by returning NULL at once.
// Arguments are checked for their kind only, enough to keep the process alive: defaults, ranges and
// messages for people are the business of lib/, which is the only caller.
#ifndef GJN_HELPERS_H
#define GJN_HELPERS_H

#include "graphjit.h"
#include "numbers.h"

#include <node_api.h>
#include <stdbool.h>

typedef struct gjn_owner gjn_owner;

// State of the addon in one environment (the main thread or a worker): instance data.
typedef struct gjn_instance {
  napi_ref create_error; // (code, message) => GraphError, handed over by lib/base/binding.js
  int64_t graphs, programs, functions, runs; // live objects, for leak tests
  gjn_owner *owners; // a ring, of wrap.c: the one to be looked at next, or NULL
  gjn_numbers programs_by_number, bound_by_number;
  int32_t *called;       // the number of what JavaScript calls, in memory that it writes to
  napi_ref called_array; // that memory
} gjn_instance;

gjn_instance *gjn_get_instance(napi_env env);

// --- errors ---

// Returns 0 (false or NULL) with an exception pending unless a Node-API call succeeds.
#define GJN_TRY(env, call)                                                                         \
  do {                                                                                             \
    if ((call) != napi_ok) {                                                                       \
      gjn_throw_last(env);                                                                         \
      return 0;                                                                                    \
    }                                                                                              \
  } while (0)

// Throws the GraphError for a status of the core, unless an exception is pending already. The one
// place where native errors become JavaScript's. Returns NULL for `return gjn_throw(…)`.
napi_value gjn_throw(napi_env env, const gj_error *err);
// The same for a message of the addon itself.
napi_value gjn_fail(napi_env env, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);
// Throws for the Node-API call that just failed, unless it left an exception itself.
void gjn_throw_last(napi_env env);
// Makes the GraphError without throwing it; NULL with an exception pending when that fails.
napi_value gjn_new_error(napi_env env, const gj_error *err);

// --- reading arguments ---

// Fills argv[count]; arguments that were not passed are undefined.
bool gjn_get_args(napi_env env, napi_callback_info info, size_t count, napi_value *argv);
// `name` is what an error calls the argument.
bool gjn_get_u32(napi_env env, napi_value value, const char *name, uint32_t *out);
// An integer that a double holds exactly.
bool gjn_get_i64(napi_env env, napi_value value, const char *name, int64_t *out);
bool gjn_get_bool(napi_env env, napi_value value, const char *name, bool *out);
// NUL-terminated UTF-8, malloc: the caller frees *out. A text with a NUL inside is refused.
bool gjn_get_text(napi_env env, napi_value value, const char *name, char **out, size_t *out_size);
// At most `capacity` integers of an array.
bool gjn_get_integers(napi_env env, napi_value value, const char *name, int64_t *out,
                      size_t capacity, size_t *out_count);
bool gjn_get_length(napi_env env, napi_value value, const char *name, uint32_t *out);
bool gjn_get_dtype(napi_env env, napi_value value, gj_dtype *out);
bool gjn_is_undefined(napi_env env, napi_value value);

// --- making values ---

napi_value gjn_new_number(napi_env env, double value);
napi_value gjn_new_text(napi_env env, const char *text);
// Empties the buffer in any case.
napi_value gjn_take_text(napi_env env, gj_strbuf *buffer);
// A size as lib/ shows it: a number, or the text of an expression.
napi_value gjn_new_size(napi_env env, const gj_dims *dims, gj_dim d);
napi_value gjn_new_shape(napi_env env, const gj_dims *dims, const gj_type *type);
// Each is false when `value` is NULL, so that a maker can stand in the argument.
bool gjn_set(napi_env env, napi_value object, const char *key, napi_value value);
bool gjn_set_index(napi_env env, napi_value array, size_t index, napi_value value);
bool gjn_set_number(napi_env env, napi_value object, const char *key, double value);
bool gjn_set_text(napi_env env, napi_value object, const char *key, const char *text);

// --- wrapped objects: wrap.c ---

typedef enum gjn_kind {
  GJN_GRAPH,
  GJN_PROGRAM,
  GJN_FUNCTION,
  GJN_BOUND,
  GJN_WORK,
  GJN_STORAGE,
  GJN_POPULATION,
  GJN_KIND_COUNT
} gjn_kind;

// Frees what an object owned that was collected. It makes no values and calls no JavaScript.
typedef void gjn_free(napi_env env, void *data);

// A fresh object that owns `data`, tagged so that nothing else (an object of another kind, of
// another copy of this addon, of anybody else) is taken for it. On failure `data` stays the
// caller's.
napi_value gjn_wrap(napi_env env, gjn_kind kind, void *data, gjn_free *free_data);
// NULL with an exception pending for any other value.
void *gjn_unwrap(napi_env env, napi_value value, gjn_kind kind);

// A function that owns `data`, which its calls get. On failure `data` stays the caller's.
napi_value gjn_new_function(napi_env env, const char *name, napi_callback callback, void *data,
                            gjn_free *free_data);

// Tells the engine about memory outside its heap, so that it collects in time; negative gives back.
void gjn_report_memory(napi_env env, int64_t bytes);

#endif
