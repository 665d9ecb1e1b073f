// The key of compiled code: everything that decides what code a graph or a function becomes.
// Private to jit/.
#ifndef GJ_JIT_CODE_KEY_H
#define GJ_JIT_CODE_KEY_H

#include "base/digest.h"
#include "jit/function/function.h"
#include "jit/program/program.h"

// A hash over the graph (structure, constants, names), the options, the target and this build of
// the compiler. Equal keys mean equal code. False when the build cannot be told from others; then
// nothing may be kept.
bool gj__code_key(const gj_graph *graph, const gj_compile_options *options, const gj_target *target,
                  gj_digest *out_key);

// The same of a Loop IR module by its text.
bool gj__text_key(const char *text, size_t size, const gj_function_options *options,
                  const gj_target *target, gj_digest *out_key);

// The key of a note (note.h), which depends on this build and on whose powers the engine has.
bool gj__note_key(const char *name, size_t size, gj_digest *out_key);

#endif
