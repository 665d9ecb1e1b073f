// The insides of a program, shared by the files that make it, run it and show it. Private to jit/.
#ifndef GJ_JIT_PROGRAM_DATA_H
#define GJ_JIT_PROGRAM_DATA_H

#include "jit/code/compiled.h"
#include "jit/observe/profile.h"
#include "jit/observe/report.h"
#include "jit/tier/tier.h"
#include "ops/custom.h"

#include <pthread.h>
#include <stdatomic.h>

struct gj_program {
  gj_arena arena;  // ports
  gj_graph *graph; // a copy of the one that was compiled, as written
  gj_compile_options options;
  unsigned threads; // of a run: those asked for, but no more than there are cores
  gj_dim scratch_bytes;
  bool computes; // sizes, in a run
  size_t input_count, output_count;
  gj_port *ports;             // inputs, then outputs
  gj_compiled *compiled;      // NULL with a first tier
  gj_entry *entry;            // of that
  gj__tier *tier;             // NULL: compiled at once
  pthread_mutex_t graph_lock; // see gj__program_lock_graph
  gj_program_stats stats;
  _Atomic(gj_report *) report;     // NULL until somebody asks
  _Atomic(gj_profiler *) profiler; // likewise
};

// Calls code compiled for this program as a run does, with its threads; NULL calls its first tier.
// Returns a gj_run_status; `refusal`, which may be NULL, tells of GJ_RUN_REFUSED.
int32_t gj__program_call(const gj_program *program, gj_entry *entry, void *const *buffers,
                         int64_t *dims, void *scratch, const volatile int32_t *cancel,
                         gj_refusal *refusal);

// Going through the passes adds sizes to a graph, so who takes `graph` through them holds this
// lock. Runs and bindings only read.
void gj__program_lock_graph(const gj_program *program);
void gj__program_unlock_graph(const gj_program *program);
// The front half of the compiler once more, for those who want to see what it makes.
gj_status gj__program_pipeline(const gj_program *program, const gj_pipeline_options *options,
                               gj_pipeline *out_pipeline, gj_error *err);

#endif
