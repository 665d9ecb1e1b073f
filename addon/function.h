// The wrapped kind "function": machine code made from Loop IR text, and its callers.
//
// A function is bare code and knows no parameters: what JavaScript passes and gets is described by
// a text that a caller is made with, such as "f64 i64 f64[] u8[]! -> f64 i32[]". In this order the
// entry takes its scalars and arrays and gives its results; `!` marks an array that is written, `?`
// a result behind which stands the slot of an i32: 0 for the value itself, 1 for undefined, 2 for
// null. Scalars are f64 f32 i32 u32 (numbers), i8 u8 i16 u16 (the same, as i32), smi (an i32 that
// is not -0), int (as i64), i64 u64 (bigints) and bool; elements of arrays are the dtypes of typed
// arrays, with u8c for a Uint8ClampedArray.
//
// Callers are called with exactly these values and answer with one, or with null: then the first
// words of their state say why (gjn_outcome), and lib/native/run/callable.js goes on.
#ifndef GJN_FUNCTION_H
#define GJN_FUNCTION_H

#include "helpers.h"

typedef struct gjn_function {
  size_t references; // the object, callers, pending runs
  size_t pending;    // runs on other threads
  bool disposed;
  gj_function *function; // NULL once disposed and idle
  int64_t reported;      // bytes the engine was told about
} gjn_function;

// NULL with an exception pending when the function is disposed or the value is something else.
gjn_function *gjn_get_function(napi_env env, napi_value value);
void gjn_function_release(napi_env env, gjn_function *own); // NULL is fine
// Frees the code of a disposed function once no run is pending.
void gjn_function_settle(napi_env env, gjn_function *own);

// --- ports ---

typedef enum gjn_scalar {
  GJN_F64,
  GJN_F32,
  GJN_I8,
  GJN_U8,
  GJN_I16,
  GJN_U16,
  GJN_I32,
  GJN_U32,
  GJN_SMI,
  GJN_INT,
  GJN_I64,
  GJN_U64,
  GJN_BOOL
} gjn_scalar;

typedef struct gjn_value_port {
  bool is_array, is_written;
  bool is_tagged;            // a result that may be undefined or null
  uint8_t scalar;            // gjn_scalar
  napi_typedarray_type type; // of an array
  uint8_t bytes;             // of an element
} gjn_value_port;

// Why a call answers null: the first word of its state. The second word has more.
typedef enum gjn_outcome {
  GJN_DONE,     // null is the result
  GJN_MISFIT,   // argument number `detail` is not of its kind
  GJN_DETACHED, // the array that argument number `detail` is
  GJN_OVERLAP,  // arrays overlap, and there is no code for that
  GJN_FAILED,   // the code returned `detail`
  GJN_DISPOSED
} gjn_outcome;

enum {
  GJN_MOST_PORTS = 256,
  GJN_STATE_WORDS = 2,
  GJN_ARRAY_SLOTS = 3, // address, length, where it lies
  GJN_ORIGIN = 0xFFFF  // of where it lies, the bits that say which array it is a part of
};

// How a function is called. State: two words of 32 bits, then the slots.
typedef struct gjn_signature {
  gjn_function *code;  // trusts that arrays which are written overlap no other
  gjn_function *apart; // does not; NULL: not compiled yet
  uint32_t threads;
  uint32_t param_count, scalar_count, array_count, result_count;
  uint32_t slot_count;   // of params and results
  bool may_overlap;      // an array is written, and there is another
  bool has_arrays;       // among the results
  gjn_value_port *ports; // params, then results
} gjn_signature;

// From (code, apart or undefined, text, threads). Whatever the result, the caller calls fini.
bool gjn_signature_init(napi_env env, const napi_value *argv, gjn_signature *signature);
void gjn_signature_fini(napi_env env, gjn_signature *signature);

// What one call takes along.
typedef struct gjn_frame {
  void **buffers; // 1 + arrays, the slots first
  int64_t *dims;  // arrays
  uint64_t *slots;
  int32_t *outcome; // GJN_STATE_WORDS
  gj_run_heap heap;
} gjn_frame;

// Memory for a signature; slots and outcome lie in `state`, an ArrayBuffer of JavaScript's that the
// caller keeps alive. False with an exception pending.
bool gjn_frame_init(napi_env env, const gjn_signature *signature, napi_value state,
                    gjn_frame *frame);
void gjn_frame_fini(gjn_frame *frame);

// Reads the arguments; false with the reason in frame->outcome.
bool gjn_frame_read(napi_env env, const gjn_signature *signature, const napi_value *args,
                    gjn_frame *frame);
// Runs the code that the frame needs; false with the reason in frame->outcome.
bool gjn_frame_run(const gjn_signature *signature, gjn_frame *frame,
                   const volatile int32_t *cancel);
// What a run that returned 0 gives to JavaScript, which leaves the heap empty: its one scalar, or
// undefined where results are read from the slots, or an array of the ArrayBuffers that arrays lie
// in. Instead of an address the slot of an array then has an offset in bytes, and instead of 1, for
// memory of the run, -1 - k for the k-th of these.
napi_value gjn_frame_result(napi_env env, const gjn_signature *signature, gjn_frame *frame);

// --- from JavaScript ---

// function.c: (text, numerics, opt level, cache, tier?) => function
napi_value gjn_function_compile(napi_env env, napi_callback_info info);
napi_value gjn_function_dispose(napi_env env, napi_callback_info info); // (function)
napi_value gjn_function_stats(napi_env env, napi_callback_info info);   // (function) => figures
napi_value gjn_function_remarks(napi_env env, napi_callback_info info); // (function) => text
// (text, numerics, opt level, what) => text
napi_value gjn_function_text(napi_env env, napi_callback_info info);

// function.c: (name, text, numerics, opt level, cache, tier, description) makes it known to
// custom_call (jit/function/op.h)
napi_value gjn_function_op(napi_env env, napi_callback_info info);

// --- function_call.c ---

// (code, apart, signature, threads, state) => (...args) => value or null
napi_value gjn_function_caller(napi_env env, napi_callback_info info);

// --- function_run.c ---

// (code, apart, signature, threads, state, args) => { promise } of what a caller returns
napi_value gjn_function_start(napi_env env, napi_callback_info info);

#endif
