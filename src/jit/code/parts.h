// Machine code of a Loop IR module as several objects, compiled at the same time. Private to jit/.
#ifndef GJ_JIT_CODE_PARTS_H
#define GJ_JIT_CODE_PARTS_H

#include "codegen/codegen.h"
#include "jit/code/orc.h"

enum { GJ__MOST_PARTS = 16 };

typedef struct gj_parts {
  size_t count;
  gj_object objects[GJ__MOST_PARTS]; // bytes by malloc
} gj_parts;

// Compiles on at most `threads` threads. As many parts as there is work for, one when that is
// little: each costs a millisecond before its first instruction. Their functions call each other,
// so they are loaded together. `times` are sums over the parts.
gj_status gj__parts_compile(const gj_lmodule *module, const gj_target *target,
                            const gj_codegen_options *options, unsigned threads,
                            gj_parts *out_parts, gj_codegen_times *times, gj_error *err);
void gj__parts_fini(gj_parts *parts);

#endif
