// What a graph or a function was compiled to: machine code and what is known about it. Private to
// jit/.
//
// Immutable and counted: programs of equal graphs share one while any of them lives, as do equal
// functions. Thread-safe.
#ifndef GJ_JIT_CODE_COMPILED_H
#define GJ_JIT_CODE_COMPILED_H

#include "base/digest.h"
#include "jit/code/constants.h"
#include "jit/code/parts.h"
#include "jit/program/program.h"
#include "lower/pipeline.h"

typedef struct gj_compiled gj_compiled;
struct gj_compiled {
  char *scratch;          // of a graph: bytes of the arena of a run, the text of a size; else ""
  char *remarks;          // of a function: what its loops became, see function.h; else ""
  size_t nodes;           // of the simplified graph
  size_t kernels;         // of the plan
  size_t code_bytes;      // object files
  gj_constants constants; // of the graph: code reads them where they lie
  gj_jit_code *code;
  gj_entry *entry;
  // of compiled.c, under its lock:
  gj_digest key;
  size_t references;
  bool shared;       // in the table
  gj_compiled *next; // in its chain
};

#define GJ__ENTRY_SYMBOL "graphjit_main"

// How code comes into being where there is none yet.
typedef struct gj__maker {
  const void *source;
  const gj_graph *graph; // that it is the code of, or NULL
  // Fills figures and texts of `c` and makes the object files, which are the caller's.
  gj_status (*make)(const void *source, gj_compiled *c, gj_parts *out_parts,
                    gj_program_stats *stats, gj_error *err);
  // Tells `perf` what is what in code that has been loaded; may be NULL.
  void (*name)(const void *source, const gj_compiled *c, const gj_object *object);
} gj__maker;

// Whether code may be kept at all, as far as options and environment say.
bool gj__compiled_may_keep(bool cache);

// Finds the code of `key` in this process or on disk, else makes it and keeps it there; nothing is
// kept where `key` is NULL. Fills the times, sizes and source of `stats`.
gj_status gj__compiled_find(const gj_digest *key, const gj__maker *maker,
                            gj_compiled **out_compiled, gj_program_stats *stats, gj_error *err);
// The same, but NULL where it would have to be made.
gj_compiled *gj__compiled_known(const gj_digest *key, const gj_graph *graph,
                                gj_program_stats *stats);
void gj__compiled_release(gj_compiled *compiled); // NULL is fine
size_t gj__compiled_bytes(void);                  // code_bytes of all that live

// --- make.c: graphs ---

// The code of a graph, found or compiled as far as the options allow.
gj_status gj__compiled_get(const gj_graph *graph, const gj_compile_options *options,
                           const gj_target *target, gj_compiled **out_compiled,
                           gj_program_stats *stats, gj_error *err);
// How the two halves of the compiler are set for a program, whether it is compiled or shown.
// What is worth a thread's attention; 0 for programs that run on one. Code does not otherwise
// depend on the number of threads.
unsigned gj__piece_ns(const gj_compile_options *options);
gj_pipeline_options gj__front_options(const gj_target *target, const gj_compile_options *options);
gj_codegen_options gj__back_options(const gj_compile_options *options);

// --- compiled_file.c: as the content of a file ---

// Figures, texts and objects. False when out of memory.
bool gj__compiled_write(const gj_compiled *c, const gj_parts *parts, gj_strbuf *out);
// The reverse; objects point into `bytes`. False when that is not how it was written.
bool gj__compiled_read(const unsigned char *bytes, size_t size, gj_compiled *c,
                       gj_parts *out_parts);

#endif
