// What a compiled program consists of, for people: kernels, their loops, the memory plan.
//
// A report is made when somebody first asks for it, by taking the program's graph through the front
// half of the compiler again, so that compiling pays nothing for it. It belongs to the program.
// Thread-safe, as programs are.
#ifndef GJ_JIT_OBSERVE_REPORT_H
#define GJ_JIT_OBSERVE_REPORT_H

#include "jit/program/program.h"

// A size: a number, or (number < 0) the text of an expression over the symbols; NULL for one that
// is too long to write down.
typedef struct gj_amount {
  int64_t number;
  const char *text;
  gj_dim dim; // of the report's table
} gj_amount;

// What became of one loop that was to be vectorised or unrolled. A loop inside of one that was
// vectorised is told of once for each copy.
typedef struct gj_loop_info {
  const char *name; // its variable in Loop IR
  const char *how; // "8 lanes, masked rest", "8 lanes, unrolled ×2", "scalar: why", "unrolled ×4"
  unsigned lanes;  // 1 for a scalar loop
} gj_loop_info;

typedef struct gj_kernel_info {
  const char *name;       // of its function in loops and llvm text, which equal kernels share
  const char *part;       // of the function with its loops: the same, or one that it calls
  const char *kind;       // "elementwise", "reduce", …
  const char *what;       // the ops it fuses: "mul mul add sqrt -> z"
  const char *shape;      // iteration space: "[n]"
  const char *vectorised; // "8 lanes", "scalar: why", "no loop"
  unsigned lanes;         // of its widest loop
  uint32_t loop_count;
  const gj_loop_info *loops;
  uint32_t read_count, write_count;
  const char *const *reads, *const *writes; // names of buffers: ports, or "%7" as in the graph
  uint32_t node_count;
  const gj_ref *nodes; // of the simplified graph: what it computes, also on the way; rising
  gj_amount bytes_read, bytes_written, flops; // what it moves and computes, see passes/traffic.h
} gj_kernel_info;

// A function of the simplified graph.
typedef struct gj_function_info {
  const char *title; // what the graph calls it
  bool called;       // else its code stands in the kernels of the ops that name it
  size_t kernel_count;
  const gj_kernel_info *kernels; // per round or call; refs are those of the function
} gj_function_info;

// A value with memory of its own.
typedef struct gj_held_info {
  const char *name;  // of the port, or "%7": the value of the simplified graph
  const char *dtype; // "f64"
  uint8_t rank;
  gj_amount shape[GJ_MAX_RANK];
  gj_amount bytes;
} gj_held_info;

// An intermediate value and its place in the arena of a run.
typedef struct gj_place_info {
  gj_held_info value;
  gj_amount offset;
  uint32_t first, last; // kernels between which it is needed, by position
  bool in_place;        // overwrites a value that its first kernel reads
} gj_place_info;

typedef struct gj_report {
  gj_arena arena;
  gj_dims *dims; // a copy of those of the simplified graph
  size_t input_count, output_count;
  const gj_held_info *ports; // inputs, then outputs
  size_t kernel_count;
  const gj_kernel_info *kernels; // in the order in which they run
  size_t function_count;
  const gj_function_info *functions; // by number
  size_t place_count;
  const gj_place_info *places;
  gj_amount scratch; // bytes of the arena
} gj_report;

gj_status gj_program_report(const gj_program *program, const gj_report **out_report, gj_error *err);
// The value of `amount` for these values of the symbols, as gj_binding has them.
gj_status gj_report_evaluate(const gj_report *report, const gj_amount *amount,
                             const int64_t *symbols, int64_t *out_value, gj_error *err);
void gj__report_free(gj_report *report); // for gj_program_free(); NULL is fine

#endif
