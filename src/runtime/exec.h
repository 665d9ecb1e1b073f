// What a run hands to compiled code: the third argument of every compiled function.
//
// The layout is part of the C ABI (pointers have the size of the target: 4 bytes in wasm32), so it
// only ever grows at its end.
#ifndef GJ_RUNTIME_EXEC_H
#define GJ_RUNTIME_EXEC_H

#include <stdint.h>

typedef struct gj_exec {
  void *scratch; // arena of the run, 64-byte aligned; may be NULL when none is needed
  const volatile int32_t *cancel; // non-zero asks the run to stop; may be NULL
} gj_exec;

// The one signature of compiled code. buffers: inputs, then outputs; dims: values of the graph's
// symbols. Returns a gj_run_status and never traps on user data.
typedef int32_t gj_entry(void *const *buffers, const int64_t *dims, gj_exec *exec);

typedef enum gj_run_status { GJ_RUN_OK = 0, GJ_RUN_CANCELLED = 1 } gj_run_status;

#endif
