// What a run hands to compiled code: the third argument of every compiled function.
//
// The layout is part of the C ABI (pointers have the size of the target: 4 bytes in wasm32), so it
// only ever grows at its end. Generated code knows nothing of `refusal`, and so do not programs in
// C that call objects.
#ifndef GJ_BASE_EXEC_H
#define GJ_BASE_EXEC_H

#include <stdint.h>

typedef struct gj_exec gj_exec;

// Part of a run's work: what lies in [begin, end) of a range. `exec` is that of the thread it runs
// on. Returns a gj_run_status.
typedef int32_t gj_task(void *context, int64_t begin, int64_t end, gj_exec *exec);

// Runs the task over disjoint ranges that cover [lo, hi), in any order, on any threads, and returns
// when all are done: the first status that is not zero, which stops the rest, or zero. `grain` is
// how much of the range is worth a thread's attention.
typedef int32_t gj_parallel(gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi,
                            int64_t grain);

// The heap of a thread of a run, as compiled code sees it. alloc gives `count` elements of `bytes`
// bytes each, zeroed and 64-byte aligned, or NULL where there is no memory or count is negative;
// mark says how much is used, and release frees what was allocated since that was so. In wasm32,
// where code allocates by itself, there is one number in place of the functions: the address where
// free memory begins (gj_wasm_heap).
typedef struct gj_heap gj_heap;
struct gj_heap {
  void *(*alloc)(gj_heap *heap, int64_t count, int64_t bytes);
  int64_t (*mark)(gj_heap *heap);
  void (*release)(gj_heap *heap, int64_t mark);
};

typedef struct gj_wasm_heap {
  uint32_t next; // 64 divides it
} gj_wasm_heap;

struct gj_exec {
  void *scratch; // arena of the run, 64-byte aligned; may be NULL when none is needed
  const volatile int32_t *cancel; // non-zero asks the run to stop; may be NULL
  gj_parallel *parallel;          // NULL: work is not divided
  int64_t slot;                   // number of this thread among those of the run, from 0
  uintptr_t stack_limit;          // the lowest address that recursion may reach; 0: there is none
  gj_heap *heap;                  // of this thread; NULL: there is no memory to allocate
#ifndef __wasm__
  struct gj_refusal *refusal; // where functions of custom_call say what went wrong; NULL: nowhere
#endif
};

// The one signature of compiled code. buffers: inputs, then outputs; dims: values of the graph's
// symbols, of which those that the run computes are written (what they are before does not matter).
// Returns a gj_run_status and never traps on user data.
typedef int32_t gj_entry(void *const *buffers, int64_t *dims, gj_exec *exec);

typedef enum gj_run_status {
  GJ_RUN_OK = 0,
  GJ_RUN_CANCELLED = 1,
  GJ_RUN_NO_MEMORY =
      2,               // no room for the first tier's frames, or for an array that a function makes
  GJ_RUN_TRAPPED = 3,  // a thread of a WebAssembly module threw; see codegen/wasm_pool/pool.c
  GJ_RUN_REFUSED = 4,  // a function of custom_call returned something else than 0
  GJ_RUN_TOO_DEEP = 5, // functions called each other until there was no stack
  GJ_RUN_THREW = 16    // and more: what the function threw, by its number
} gj_run_status;

#endif
