// The roof of this machine, measured: how fast it can compute, and move data at each level of
// memory.
//
// Measured once per process and number of threads, when first asked for: 0.1 to 0.3 s. What
// measures is our own compiled code, so it holds for any architecture that programs are compiled
// for.
#ifndef GJ_JIT_OBSERVE_ROOF_H
#define GJ_JIT_OBSERVE_ROOF_H

#include "codegen/targets/target.h"

#include <stddef.h>

enum { GJ_ROOF_LEVELS = 4 };

typedef struct gj_roof_level {
  const char *name; // "L1", "L2", "L3", "memory"
  size_t bytes;     // that fit into it, over all threads; SIZE_MAX for memory
  double read;      // GB/s
  double copy;      // GB/s, bytes read and written together
} gj_roof_level;

typedef struct gj_roof {
  unsigned threads;
  double narrow, wide; // 10⁹ f32 and f64 operations a second, a fused multiply-add being two
  gj_roof_level levels[GJ_ROOF_LEVELS];
} gj_roof;

// `threads` is cut to the cores of the process. *out_roof lives as long as the process.
gj_status gj_machine_roof(unsigned threads, const gj_roof **out_roof, gj_error *err);

#endif
