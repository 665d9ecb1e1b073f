// The queue of jobs and the thread that does them.
//
// The thread is started with the first job, runs at low priority and lives as long as the process.
// Before exit the queue is dropped and the job under way is waited for: LLVM's own state goes away
// then, and must not be in use. What a compilation makes for the first time goes before what was
// registered with atexit earlier, so that alone would come too late for the first one: who can
// should call gj_tiers_stop, as the addon does. Waiting for a job does it on the caller's thread
// unless it is being done already, so waiters do not queue behind each other.
//
// A child of fork() has the queue but not the thread. It starts one of its own, unless something
// was being compiled: locks of LLVM may then be held for ever, and the child goes without.
#include "jit/tier/background.h"

#include "jit/program/program.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  MAX_QUEUED = 256, // further ones ask again later
  NICE = 5
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed; // a job was queued or is done, or all shall stop
  gj__job *first, *last;
  size_t length;
  bool prepared, running, stopping, busy;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

void gj__job_init(gj__job *job, void (*run)(gj__job *), void (*destroy)(gj__job *)) {
  *job = (gj__job){.run = run, .destroy = destroy};
  atomic_init(&job->references, 1);
}

static void drop(gj__job *job) {
  if (atomic_fetch_sub(&job->references, 1) == 1)
    job->destroy(job);
}

// --- the queue: all of this under its lock ---

static void append(gj__job *job) {
  job->state = GJ__JOB_QUEUED;
  job->next = NULL;
  if (queue.last)
    queue.last->next = job;
  else
    queue.first = job;
  queue.last = job;
  queue.length++;
}

// Takes a job out of the queue; it must be in it.
static void take_out(gj__job *job) {
  gj__job **at = &queue.first, *before = NULL;
  while (*at != job) {
    before = *at;
    at = &before->next;
  }
  *at = job->next;
  if (queue.last == job)
    queue.last = before;
  queue.length--;
}

// Outside of the lock, which it has before and after.
static void run(gj__job *job) {
  job->state = GJ__JOB_RUNNING;
  pthread_mutex_unlock(&queue.lock);
  job->run(job);
  pthread_mutex_lock(&queue.lock);
  job->state = GJ__JOB_DONE;
  pthread_cond_broadcast(&queue.changed);
}

// --- the thread ---

void gj_tiers_stop(bool forever) {
  pthread_mutex_lock(&queue.lock);
  queue.stopping = queue.stopping || forever;
  pthread_cond_broadcast(&queue.changed);
  while (queue.first) {
    gj__job *job = queue.first;
    take_out(job);
    job->state = GJ__JOB_IDLE;
    pthread_mutex_unlock(&queue.lock);
    drop(job);
    pthread_mutex_lock(&queue.lock);
  }
  while (queue.busy)
    pthread_cond_wait(&queue.changed, &queue.lock);
  pthread_mutex_unlock(&queue.lock);
}

static void stop_at_exit(void) { gj_tiers_stop(true); }

static void *work(void *unused) {
  bool first = true;
  (void)unused;
  setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
  pthread_mutex_lock(&queue.lock);
  while (!queue.stopping) {
    gj__job *job = queue.first;
    if (!job) {
      pthread_cond_wait(&queue.changed, &queue.lock);
      continue;
    }
    take_out(job);
    queue.busy = true;
    run(job);
    // What the first compilation left for the end of the process is undone in the opposite order
    // of its making, so a stop that was registered after it comes before it.
    if (first && !queue.stopping)
      atexit(stop_at_exit);
    first = false;
    pthread_mutex_unlock(&queue.lock);
    drop(job);
    pthread_mutex_lock(&queue.lock);
    queue.busy = false;
    pthread_cond_broadcast(&queue.changed);
  }
  pthread_mutex_unlock(&queue.lock);
  return NULL;
}

static void before_fork(void) { pthread_mutex_lock(&queue.lock); }
static void after_fork(void) { pthread_mutex_unlock(&queue.lock); }

static void in_child(void) {
  pthread_mutex_init(&queue.lock, NULL);
  pthread_cond_init(&queue.changed, NULL);
  queue.stopping = queue.stopping || queue.busy;
  queue.running = queue.busy = false;
}

// What the thread needs to be there before it starts, once.
static bool prepare_thread(void) {
  queue.prepared = queue.prepared || (atexit(stop_at_exit) == 0 &&
                                      pthread_atfork(before_fork, after_fork, in_child) == 0);
  return queue.prepared;
}

// Every signal is for the threads that the application knows.
static bool start_masked(const pthread_attr_t *attributes) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool started = pthread_create(&thread, attributes, work, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static bool start_thread(void) {
  if (queue.running || queue.stopping)
    return queue.running && !queue.stopping;
  pthread_attr_t attributes;
  if (!prepare_thread() || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  queue.running = start_masked(&attributes);
  pthread_attr_destroy(&attributes);
  return queue.running;
}

// --- jobs ---

void gj__job_queue(gj__job *job, gj__job_prepare *prepare, const void *owner) {
  gj_error ignored;
  pthread_mutex_lock(&queue.lock);
  if (job->state == GJ__JOB_IDLE && queue.length < MAX_QUEUED && start_thread() &&
      (!prepare || prepare(owner, &ignored) == GJ_OK)) {
    atomic_fetch_add(&job->references, 1);
    append(job);
    pthread_cond_broadcast(&queue.changed);
  }
  pthread_mutex_unlock(&queue.lock);
}

gj_status gj__job_finish(gj__job *job, gj__job_prepare *prepare, const void *owner, gj_error *err) {
  pthread_mutex_lock(&queue.lock);
  while (job->state == GJ__JOB_RUNNING)
    pthread_cond_wait(&queue.changed, &queue.lock);
  gj_status status = GJ_OK;
  if (job->state != GJ__JOB_DONE && prepare)
    status = prepare(owner, err);
  if (job->state != GJ__JOB_DONE && status == GJ_OK) {
    bool queued = job->state == GJ__JOB_QUEUED;
    if (queued)
      take_out(job);
    run(job);
    if (queued) // the queue's
      atomic_fetch_sub(&job->references, 1);
  }
  pthread_mutex_unlock(&queue.lock);
  return status;
}

bool gj__job_is_done(gj__job *job) {
  pthread_mutex_lock(&queue.lock);
  bool done = job->state == GJ__JOB_DONE;
  pthread_mutex_unlock(&queue.lock);
  return done;
}

void gj__job_release(gj__job *job) {
  pthread_mutex_lock(&queue.lock);
  bool queued = job->state == GJ__JOB_QUEUED;
  if (queued) {
    take_out(job);
    job->state = GJ__JOB_IDLE;
  }
  pthread_mutex_unlock(&queue.lock);
  if (queued)
    drop(job);
  drop(job);
}
