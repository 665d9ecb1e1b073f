// Threads that runs share: work over a range, divided among the caller and idle workers.
//
// A pool has as many workers as fit beside one caller on its cores; they are started when first
// wanted and sleep in the kernel while there is nothing to do. Only while jobs follow each other
// within microseconds do workers wait awake, for some tens of them, since waking takes as long. The
// caller always works too, so a job needs no worker to get done. Callers and workers together are
// never more than the cores: a worker that finds more, because somebody else has come to run,
// leaves its job at the end of a piece. Any number of threads may call at once.
//
// One pool serves the process. Child processes of fork() begin with an empty one. The library must
// not be unloaded once workers run; the addon is linked so that it never is.
#ifndef GJ_RUNTIME_POOL_H
#define GJ_RUNTIME_POOL_H

#include "base/exec.h"

// Most threads of one job, whatever the cores.
#define GJ_POOL_MAX_THREADS 256

typedef struct gj_pool gj_pool;

// A pool of its own, for tests. NULL when out of memory.
gj_pool *gj_pool_new(unsigned cores);
void gj_pool_free(gj_pool *pool); // waits for its workers; no job may be running
// The pool of the process, for gj_cores() cores; NULL when out of memory. Never freed.
gj_pool *gj_pool_shared(void);

enum { GJ_POOL_EACH = 0 };

// Calls task(context, begin, end, exec) over disjoint ranges that cover [lo, hi), on at most
// `threads` threads, and returns when all are done: the first status that is not zero, which stops
// the rest, or zero. `grain` is as much as is worth a thread's attention: there is no more than a
// thread to each, work of less than two is one call, and of few of them wakes nobody unless more of
// the kind follow soon; no range is shorter than a quarter. GJ_POOL_EACH as grain says that every
// element is worth waking a thread for. Inside a task it is one call, too. A set cancel flag stops
// it between ranges with GJ_RUN_CANCELLED. `exec` (NULL: all zero) is what tasks get a copy of,
// with the slot of their thread, below `threads`, and without `parallel`. A NULL pool is one
// without workers.
int32_t gj_pool_run(gj_pool *pool, unsigned threads, const gj_exec *exec, gj_task *task,
                    void *context, int64_t lo, int64_t hi, int64_t grain);

// How often a worker has begun to wait awake; for tests.
unsigned gj__pool_waits(gj_pool *pool);

// The exec of a run with what its parallel calls need.
typedef struct gj_pool_exec {
  gj_exec exec;  // first: compiled code knows nothing else
  gj_pool *pool; // NULL: that of the process
  unsigned threads;
} gj_pool_exec;

// `threads` 1 leaves exec.parallel out.
gj_pool_exec gj_pool_exec_make(unsigned threads, void *scratch, const volatile int32_t *cancel);
// A copy of what a run of this process, or a task of it, has got: `parallel` says which.
gj_pool_exec gj_pool_exec_copy(const gj_exec *exec);

#endif
