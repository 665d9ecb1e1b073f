// What each kernel of a program takes: its times on given arrays, and what it moves and computes.
//
// A profile runs a variant of the program whose entry runs one kernel per call, so that programs
// that are not profiled pay nothing. The variant is compiled by the first profile and freed with
// the program. Outputs are written as by a run.
#ifndef GJ_JIT_OBSERVE_PROFILE_H
#define GJ_JIT_OBSERVE_PROFILE_H

#include "jit/program/program.h"
#include "passes/traffic.h"

typedef struct gj_profile_options {
  uint32_t runs;  // to measure, ≥ 1, as far as the time allows
  double seconds; // after which no further run is begun
} gj_profile_options;

typedef struct gj_timing { // nanoseconds
  double best, median;
} gj_timing;

typedef struct gj_profile {
  uint32_t runs; // measured
  gj_timing run; // of the program as it is run otherwise
  size_t kernel_count;
  gj_timing *kernels;
  gj_traffic *traffic; // per kernel
} gj_profile;

// Arguments as for gj_program_run().
gj_status gj_program_profile(const gj_program *program, const gj_binding *binding,
                             void *const *buffers, const gj_profile_options *options,
                             gj_profile **out_profile, gj_error *err);
void gj_profile_free(gj_profile *profile); // NULL is fine

typedef struct gj_profiler gj_profiler;        // the variant
void gj__profiler_free(gj_profiler *profiler); // for gj_program_free(); NULL is fine

#endif
