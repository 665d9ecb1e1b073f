// The front half of every compilation: a graph becomes vectorised Loop IR for a vector width.
//
// Programs, wasm modules and objects share this; what differs behind it is the target.
#ifndef GJ_LOWER_PIPELINE_H
#define GJ_LOWER_PIPELINE_H

#include "lower/lower.h"

typedef struct gj_pipeline_options {
  gj_loops_machine machine;  // vector_bytes 0: scalar code
  bool poll, by_kernel;      // see gj_lower_options
  unsigned piece_ns, narrow; // the same
  bool fma, reassociate;     // the same
  bool plan;                 // adds the plan function
  gj_pass_id until;          // the last pass, for somebody to look; GJ_PASS_NONE: all of them
} gj_pipeline_options;

typedef struct gj_pipeline {
  gj_graph *graph;    // simplified
  gj_plan *plan;      // of that graph
  gj_lowered lowered; // its module vectorised; none if `until` stands before
  gj_dim scratch_bytes;
  gj_strbuf report; // of the vectoriser, a line per loop
  double simplify_ms, fuse_ms, lower_ms;
} gj_pipeline;

// Verifies `graph` and takes it through the rows of passes.def.
gj_status gj_pipeline_run(const gj_graph *graph, const gj_pipeline_options *options,
                          gj_pipeline *out_pipeline, gj_error *err);
void gj_pipeline_fini(gj_pipeline *pipeline);

#endif
