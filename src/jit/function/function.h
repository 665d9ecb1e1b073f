// A compiled function: machine code in this process, made from the text of a Loop IR module.
//
// This is what front ends that think in scalars and loops compile to (lib/native). Two
// functions of equal text and options share their code, in this process and through the disk; the
// text is not even parsed then. A function is immutable and re-entrant, and keeps nothing of LLVM.
// Elementary functions of f64 have the bits of JavaScript's Math, unless numerics are 'fast'.
//
// With GJ_TIER_AUTO a function starts with code that was made quickly, at level 1. When that has
// run for a while a thread in the background makes the better code, which the next run calls; a
// function that has run for longer than compiling takes waits for it. Both compute the same bits,
// so not with numerics 'fast', which promise none. Better code that is kept already is taken at
// once.
//
// It does not keep the text either: who wants to see what became of it passes it again.
//
// The entry of the module takes buffers[0], slots of 8 bytes for scalars in and out, then an array
// per array parameter, with its length in dims; lib/native/tir/index.js says it in full.
#ifndef GJ_JIT_FUNCTION_FUNCTION_H
#define GJ_JIT_FUNCTION_FUNCTION_H

#include "jit/program/program.h"
#include "runtime/heap.h"

typedef struct gj_function_options {
  gj_numerics numerics;
  unsigned opt_level; // 0 … 3
  bool cache;         // code may be shared, and is looked for and kept on disk
  gj_tier tier;       // GJ_TIER_AUTO: may start with quickly made code
} gj_function_options;

typedef struct gj_function gj_function;

// Parses, verifies and compiles. The text needs an entry function; a bad one is GJ_E_PARSE or
// GJ_E_VERIFY.
gj_status gj_function_compile(const char *text, size_t size, const gj_function_options *options,
                              gj_function **out_function, gj_error *err);
// Makes the better code unless it is there, or waits until it is; from any thread. If that fails,
// which only a lack of memory explains, runs go on as before.
void gj_function_finish(const gj_function *function);
// Which code the next run calls: GJ_TIER_AUTO stands for what was made quickly.
gj_tier gj_function_tier(const gj_function *function);
void gj_function_free(gj_function *function); // NULL is fine; no run may be in progress

// Runs it on at most `threads` threads. Returns what the entry does: a gj_run_status, or
// GJ_RUN_THREW and more. Arrays that it makes are in `heap`, which the caller has initialised and
// frees when it has read the results. `cancel` may be NULL.
int32_t gj_function_run(const gj_function *function, unsigned threads, void *const *buffers,
                        int64_t *dims, const volatile int32_t *cancel, gj_run_heap *heap);
// The same as a part of a run of this process: with its threads, and stopped with it.
int32_t gj_function_run_within(const gj_function *function, void *const *buffers, int64_t *dims,
                               const gj_exec *exec, gj_run_heap *heap);

// Of the figures those of the cache, of code and of its times, for what the next run calls;
// lower_ms is what Loop IR took.
void gj_function_get_stats(const gj_function *function, gj_program_stats *out_stats);
// What became of the loops that the text gives a position, a line for each, in the better code.
const char *gj_function_remarks(const gj_function *function);

// LLVM IR or assembly of a module's text, and its Loop IR as it goes to LLVM.
gj_status gj_function_print(const char *text, size_t size, const gj_function_options *options,
                            gj_emit what, gj_strbuf *out, gj_error *err);
gj_status gj_function_print_loops(const char *text, size_t size, gj_strbuf *out, gj_error *err);

// Live functions of the process, for leak tests. Their code is counted by gj_program_usage().
size_t gj_function_usage(void);

#endif
