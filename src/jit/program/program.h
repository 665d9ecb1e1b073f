// A compiled graph: machine code in this process, with what is needed to call and explain it.
//
// A program keeps a copy of its graph, so the graph may be freed first. It is
// immutable and re-entrant: any number of runs at once, from any thread. Freeing it frees its code;
// no run may be in progress then.
#ifndef GJ_JIT_PROGRAM_PROGRAM_H
#define GJ_JIT_PROGRAM_PROGRAM_H

#include "base/exec.h"
#include "codegen/codegen.h"
#include "ir/graph.h"

typedef enum gj_tier {
  GJ_TIER_LLVM = 0,   // compiled before the first run
  GJ_TIER_AUTO,       // interpreted until compiling pays, where that gives the same bits
  GJ_TIER_INTERPRETER // interpreted, where that gives the same bits: for what runs once
} gj_tier;

typedef struct gj_compile_options {
  gj_numerics numerics;
  unsigned opt_level; // 0 … 3
  unsigned threads;   // most threads a run may use, ≥ 1; runs use no more than there are cores
  bool cache;         // code of an equal graph may be shared, and is looked for and kept on disk
  unsigned piece_ns;  // work that is worth dividing, see gj_lower_options; 0: what is usual
  gj_tier tier;
} gj_compile_options;

typedef struct gj_program gj_program;

// A named input or output. Shapes hold gj_dim values of gj_program_dims().
typedef struct gj_port {
  const char *name;
  gj_type type;
  gj_type most; // the same with the most that sizes can be where a run computes them
} gj_port;

// Verifies, simplifies, fuses, lowers and compiles `graph`. Needs at least one output.
gj_status gj_program_compile(const gj_graph *graph, const gj_compile_options *options,
                             gj_program **out_program, gj_error *err);
void gj_program_free(gj_program *program); // NULL is fine

// A copy of the graph that it was compiled from.
gj_status gj_program_copy_graph(const gj_program *program, gj_graph **out_graph, gj_error *err);

size_t gj_program_input_count(const gj_program *program);
const gj_port *gj_program_input(const gj_program *program, size_t index);
size_t gj_program_output_count(const gj_program *program);
const gj_port *gj_program_output(const gj_program *program, size_t index);
gj_dims *gj_program_dims(const gj_program *program);

// --- running ---

// The sizes of one kind of run. Made once for given input shapes, usable for any number of runs at
// once.
typedef struct gj_binding {
  size_t symbol_count;
  int64_t *symbols;       // value per symbol
  size_t scratch_bytes;   // arena a run needs
  size_t *buffer_bytes;   // per input, then per output: bytes that the array must hold
  int64_t *output_shapes; // per output GJ_MAX_RANK sizes, those that a run computes at their most
} gj_binding;

// shapes[i] points to the sizes of input i (as many as its rank; may be NULL when its shape is
// constant). Checks every size that outputs depend on; the message names what disagrees.
gj_status gj_program_bind(const gj_program *program, const int64_t *const *shapes,
                          gj_binding **out_binding, gj_error *err);
// The same for sizes that are given by the names of symbols. Names of no symbol are an error, and
// what is left out is 0.
gj_status gj_program_bind_symbols(const gj_program *program, const char *const *names,
                                  const int64_t *values, size_t count, gj_binding **out_binding,
                                  gj_error *err);
void gj_binding_free(gj_binding *binding);

// buffers: inputs then outputs, each at least binding->buffer_bytes long, none overlapping an
// output. `scratch` is binding->scratch_bytes of 64-byte aligned memory, or NULL to take it from a
// per-thread cache. `cancel` may be NULL. Returns GJ_E_CANCELLED when cancelled; outputs are then
// unspecified.
gj_status gj_program_run(const gj_program *program, const gj_binding *binding, void *const *buffers,
                         void *scratch, const volatile int32_t *cancel, gj_error *err);
// The same; *out_symbols, as many as the binding has, become what symbols were in this run, with
// the sizes that it computed.
gj_status gj_program_run_sizes(const gj_program *program, const gj_binding *binding,
                               void *const *buffers, void *scratch, const volatile int32_t *cancel,
                               int64_t *out_symbols, gj_error *err);
// Whether runs compute sizes; then outputs may have fewer elements than their arrays hold.
bool gj_program_computes_sizes(const gj_program *program);
// Per output GJ_MAX_RANK sizes, for what gj_program_run_sizes() says of the symbols.
gj_status gj_program_output_shapes(const gj_program *program, const int64_t *symbols,
                                   int64_t *out_shapes, gj_error *err);
// The bare entry point, for callers that keep buffers, dims and exec themselves; NULL while the
// program is interpreted.
gj_entry *gj_program_entry(const gj_program *program);
// Compiles a program that is still interpreted, or waits until that is done; from any thread. An
// error of the compilation stays, and runs go on interpreted.
gj_status gj_program_finish(const gj_program *program, gj_error *err);
// Gives up the compilations that wait and waits for the one under way; `forever`: the process is
// about to end, and none will start any more.
void gj_tiers_stop(bool forever);
// In which tier the next run will be: GJ_TIER_AUTO stands for the interpreter. *out_error (code
// GJ_OK: none) is why compiling failed.
gj_tier gj_program_tier(const gj_program *program, gj_error *out_error);

// --- seeing ---

// Where the code of a program came from.
typedef enum gj_cache_source {
  GJ_CACHE_OFF,   // compiled and not kept: switched off
  GJ_CACHE_MISS,  // compiled and kept
  GJ_CACHE_DISK,  // read from the disk
  GJ_CACHE_MEMORY // shared with another program of this process
} gj_cache_source;

typedef struct gj_program_stats {
  gj_cache_source cache;
  double cache_ms; // looking for code and keeping it
  double simplify_ms, fuse_ms, lower_ms, emit_ms, optimize_ms, machine_ms, load_ms, total_ms;
  size_t nodes_before, nodes_after; // graph nodes, before and after simplification
  size_t kernels;
  unsigned threads;      // most that a run uses here
  size_t code_bytes;     // object file
  size_t constant_bytes; // constant tensors held
} gj_program_stats;

void gj_program_get_stats(const gj_program *program, gj_program_stats *out_stats);

gj_status gj_program_print_graph(const gj_program *program, gj_strbuf *out,
                                 gj_error *err); // simplified
// Constants of more than `most_data` bytes are only named; 0: all are written out.
gj_status gj_program_print_loops(const gj_program *program, size_t most_data, gj_strbuf *out,
                                 gj_error *err);
// `what` is GJ_EMIT_LLVM, GJ_EMIT_LLVM_OPTIMIZED or GJ_EMIT_ASSEMBLY.
gj_status gj_program_print_code(const gj_program *program, gj_emit what, size_t most_data,
                                gj_strbuf *out, gj_error *err);

// Live programs and the bytes of machine code they hold, for leak tests.
void gj_program_usage(size_t *out_programs, size_t *out_code_bytes);

#endif
