// The wrapped kind "program": compiled code, runs of it, and what can be seen of it.
//
// A program lives as long as anything uses it: its JavaScript object, functions made by bind, runs
// on other threads. dispose() marks it, and the code goes as soon as no run is under way. Counts
// are touched on the environment's own thread only, so they need no atomics.
#ifndef GJN_PROGRAM_H
#define GJN_PROGRAM_H

#include "arrays.h"

// Sizes of one kind of run, shared by the program (the latest), bound functions and pending runs.
typedef struct gjn_binding {
  size_t references;
  gj_binding *binding;
} gjn_binding;

typedef struct gjn_program {
  size_t references; // the object, bound functions, pending runs
  size_t pending;    // runs on other threads
  uint32_t number;   // by which it is run, as long as there is this object
  bool disposed;
  bool computes;       // whether runs compute sizes
  gj_program *program; // NULL once disposed and idle
  gjn_ports ports;
  gjn_binding *latest; // of the last fit, or NULL
  int64_t reported;    // bytes the engine was told about
} gjn_program;

// NULL with an exception pending when the program is disposed or the value is something else.
gjn_program *gjn_get_program(napi_env env, napi_value value);
void gjn_program_release(napi_env env, gjn_program *own);
// Frees the code of a disposed program once no run is pending.
void gjn_program_settle(napi_env env, gjn_program *own);

static inline gjn_binding *gjn_binding_hold(gjn_binding *binding) {
  binding->references++;
  return binding;
}
void gjn_binding_release(gjn_binding *binding); // NULL is fine

// program.c: in parentheses what JavaScript passes after the program, if there is one already.
// (graph, numerics, opt level, threads, cache, tier) => program
napi_value gjn_program_compile(napi_env env, napi_callback_info info);
napi_value gjn_program_dispose(napi_env env, napi_callback_info info); // ()
napi_value gjn_program_ports(napi_env env, napi_callback_info info);   // () => { inputs, outputs }
napi_value gjn_program_graph(napi_env env,
                             napi_callback_info info); // () => graph, as it was written
// (what, most bytes of a constant or 0) => text
napi_value gjn_program_text(napi_env env, napi_callback_info info);

// stats.c
napi_value gjn_program_stats(napi_env env, napi_callback_info info); // () => figures and kernels

// memory.c
napi_value gjn_program_memory(napi_env env, napi_callback_info info); // (names?, values) => plan
// For others: with `symbols` NULL sizes are numbers or formulas, otherwise their values.
napi_value gjn_new_amount(napi_env env, const gj_report *report, const gj_amount *amount,
                          const int64_t *symbols);
napi_value gjn_new_places(napi_env env, const gj_report *report, const int64_t *symbols);

// profile.c
napi_value gjn_machine(napi_env env, napi_callback_info info); // (threads) => the measured roof
napi_value gjn_vector_bytes(napi_env env,
                            napi_callback_info info); // () => of this machine's vectors
// (arrays, runs, seconds) => times, bytes and operations per kernel
napi_value gjn_program_profile(napi_env env, napi_callback_info info);

// ready.c: () => promise of machine code
napi_value gjn_program_ready(napi_env env, napi_callback_info info);

// What a run of a program gives to JavaScript: the shapes of all outputs when it computes sizes,
// for what it says of the symbols; else undefined.
napi_value gjn_new_run_result(napi_env env, const gjn_program *own, const int64_t *symbols);

// call.c
napi_value gjn_program_fit(napi_env env, napi_callback_info info); // (shapes) => output shapes
// (arrays, keeps scratch memory of its own) => what calls by its `number`
napi_value gjn_program_bind(napi_env env, napi_callback_info info);
// Adds what JavaScript calls programs and bound calls by: `called`, whose element is the number of
// the one that is meant, callProgram(...arrays) and callBound(). Both return the shapes of the
// outputs where the run computes sizes.
bool gjn_program_add_calls(napi_env env, napi_value exports);

// run.c
napi_value gjn_run_start(napi_env env, napi_callback_info info); // (arrays) => { promise }

#endif
