// Work that one thread of the process does when nothing hurries: compiling better code for what
// runs already. Private to jit/.
//
// A job is the first member of what it is for. That is counted by who needs it: its owner, and the
// queue while the job waits or runs. So freeing an owner never waits.
#ifndef GJ_JIT_TIER_BACKGROUND_H
#define GJ_JIT_TIER_BACKGROUND_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef enum gj__job_state {
  GJ__JOB_IDLE,
  GJ__JOB_QUEUED,
  GJ__JOB_RUNNING,
  GJ__JOB_DONE
} gj__job_state;

typedef struct gj__job gj__job;
struct gj__job {
  void (*run)(gj__job *job);     // on whatever thread, at most once
  void (*destroy)(gj__job *job); // nobody needs it any more
  atomic_uint references;
  // of background.c, under its lock:
  gj__job_state state;
  gj__job *next;
};

void gj__job_init(gj__job *job, void (*run)(gj__job *), void (*destroy)(gj__job *));

// What has to be there before a job runs; once it is, this is no more called.
typedef gj_status gj__job_prepare(const void *owner, gj_error *err);

// Queues a job that was not queued yet. `prepare` may be NULL.
void gj__job_queue(gj__job *job, gj__job_prepare *prepare, const void *owner);
// Runs the job unless it has run, or waits until it has. Fails only if it cannot be prepared.
gj_status gj__job_finish(gj__job *job, gj__job_prepare *prepare, const void *owner, gj_error *err);
bool gj__job_is_done(gj__job *job);
// The owner's reference. A job that waits is given up; one that runs ends by itself.
void gj__job_release(gj__job *job);

#endif
