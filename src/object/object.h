// A graph as an object file for C, for any target that is linked in.
//
// The same pipeline as a program's. The object exports two functions and needs no library:
//
//   int32_t SYMBOL(void *const *buffers, int64_t *dims, gj_exec *exec);   see base/exec.h
//   int32_t SYMBOL_plan(const int64_t *dims, int64_t *sizes);             see lower/sizes.c
//
// `exec` may be NULL where a run needs no scratch memory. With `threads`, work is divided through
// exec->parallel where there is one, and exec->cancel is polled; otherwise neither is looked at.
// Constants are read-only data, and code is position-independent.
#ifndef GJ_OBJECT_OBJECT_H
#define GJ_OBJECT_OBJECT_H

#include "codegen/codegen.h"
#include "ir/graph.h"

enum { GJ_SYMBOL_CAPACITY = 128 }; // bytes of a symbol, with its end

typedef struct gj_object_options {
  const char *symbol; // a C identifier; NULL: the name of the graph made into one
  gj_numerics numerics;
  unsigned opt_level; // 0 … 3
  bool threads;
} gj_object_options;

// On success *out_bytes is malloc'ed, and text is NUL-terminated beyond *out_size.
gj_status gj_object_compile(const gj_graph *graph, const gj_target *target,
                            const gj_object_options *options, gj_emit emit,
                            unsigned char **out_bytes, size_t *out_size, gj_error *err);

// The C header of that object.
gj_status gj_object_header(const gj_graph *graph, const gj_object_options *options, gj_strbuf *out,
                           gj_error *err);

// How every header begins: its guard, and what a run is (base/exec.h).
void gj_object_opening(const char *symbol, gj_strbuf *out);

// The symbol that the options ask for: GJ_E_ARGUMENT when it is no C identifier or too long.
gj_status gj_object_symbol(const gj_graph *graph, const gj_object_options *options,
                           char out_symbol[GJ_SYMBOL_CAPACITY], gj_error *err);

#endif
