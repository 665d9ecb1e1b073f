// The insides of a program, shared by the files that make it, run it and show it. Private to jit/.
#ifndef GJ_JIT_PROGRAM_DATA_H
#define GJ_JIT_PROGRAM_DATA_H

#include "jit/orc.h"
#include "jit/program.h"
#include "jit/report.h"
#include "lower/pipeline.h"

#include <stdatomic.h>

struct gj_program {
  gj_arena arena;    // ports
  gj_graph *graph;   // simplified
  gj_graph *written; // outline of what was compiled; its symbols have the same numbers
  gj_compile_options options;
  gj_target target;
  char symbol[32]; // linker name of the entry
  gj_dim scratch_bytes;
  size_t input_count, output_count;
  gj_port *ports; // inputs, then outputs
  gj_jit_code *code;
  gj_entry *entry;
  gj_program_stats stats;
  _Atomic(gj_report *) report; // NULL until somebody asks
};

// How the two halves of the compiler are set for this program, whether it is compiled or shown.
gj_pipeline_options gj__program_front(const gj_program *program);
gj_codegen_options gj__program_back(const gj_program *program);

#endif
