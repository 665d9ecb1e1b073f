// The pool: a lock, a list of open jobs, workers that wait on a condition.
//
// Pieces of a job are claimed with one atomic instruction and no lock. They are large first and
// smaller towards the end, so that claims are few and threads finish together. The lock is taken to
// open and close a job, and by workers to join and leave one.
//
// A caller wakes one worker and that worker the next one, as waking takes microseconds of whoever
// does it. When a job is exhausted its caller closes it, spins for a moment, and then sleeps until
// the workers inside have left. A worker that was woken too late finds no open job and sleeps
// again.
#include "runtime/pool.h"

#include "runtime/cores.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum {
  MOST_GRAINS = 64, // in one piece: how long a worker may take to notice that it should leave
  SPIN_NS = 20000,  // of a caller that waits for the last pieces: less than waking it would take
  PAUSES = 8        // between two looks at the clock
};

typedef struct job job;
struct job {
  gj_task *task;
  void *context;
  gj_exec exec; // what threads get a copy of
  int64_t hi, grain;
  unsigned threads;             // most, the caller counted
  _Alignas(64) atomic_llong at; // where the next piece begins
  atomic_int status;            // the first that is not zero
  atomic_uint helpers;          // workers inside; written under the lock
  // under the lock
  bool waiting; // the caller sleeps until there is no helper
  job *next;
  unsigned slots;    // given out so far
  unsigned returned; // of these, given back by workers that left
  uint16_t free_slots[GJ_POOL_MAX_THREADS];
};

struct gj_pool {
  pthread_mutex_t lock;
  pthread_cond_t work; // workers sleep here
  pthread_cond_t done; // callers sleep here
  unsigned cores;
  atomic_uint active; // threads inside jobs: callers and workers
  // under the lock
  unsigned workers, idle; // started; asleep
  bool stopping;
  job *jobs;          // open ones
  pthread_t *threads; // of the workers
};

// Set while a thread runs a task: what it would divide then is one call.
static _Thread_local bool inside;

// --- pieces
// --------------------------------------------------------------------------------------

// The next piece of the job; false when nothing is left.
static bool claim(job *j, int64_t *out_begin, int64_t *out_end) {
  long long at = atomic_load_explicit(&j->at, memory_order_relaxed);
  int64_t end;
  do {
    if (at >= j->hi)
      return false;
    int64_t left = j->hi - at, size = left / (4 * (int64_t)j->threads);
    if (size / MOST_GRAINS >= j->grain)
      size = j->grain * MOST_GRAINS;
    if (size < j->grain)
      size = j->grain;
    int64_t pieces = left / size; // as even as can be
    end = pieces < 2 ? j->hi : at + (left / pieces + (left % pieces != 0));
  } while (!atomic_compare_exchange_weak_explicit(&j->at, &at, end, memory_order_relaxed,
                                                  memory_order_relaxed));
  *out_begin = at;
  *out_end = end;
  return true;
}

static void stop(job *j, int32_t status) {
  int none = 0;
  atomic_compare_exchange_strong(&j->status, &none, status);
  atomic_store(&j->at, j->hi);
}

static bool is_cancelled(const gj_exec *exec) {
  return exec->cancel && __atomic_load_n(exec->cancel, __ATOMIC_RELAXED) != 0;
}

// Runs one piece; false when there was none.
static bool run_piece(job *j, gj_exec *exec) {
  int64_t begin, end;
  if (!claim(j, &begin, &end))
    return false;
  if (is_cancelled(exec)) {
    stop(j, GJ_RUN_CANCELLED);
    return false;
  }
  int32_t status = j->task(j->context, begin, end, exec);
  if (status != 0)
    stop(j, status);
  return true;
}

static bool is_exhausted(job *j) { return atomic_load(&j->at) >= j->hi; }

// --- workers
// -------------------------------------------------------------------------------------

// The open job with the fewest helpers that wants one more; NULL when none does or all cores are
// busy. Under the lock, like all that follows and takes a pool.
static job *find_job(gj_pool *pool) {
  job *best = NULL;
  if (atomic_load(&pool->active) >= pool->cores)
    return NULL;
  for (job *j = pool->jobs; j; j = j->next) {
    unsigned helpers = atomic_load(&j->helpers);
    if (helpers + 1 < j->threads && !is_exhausted(j) &&
        (!best || helpers < atomic_load(&best->helpers)))
      best = j;
  }
  return best;
}

static void join(gj_pool *pool, job *j, gj_exec *out_exec) {
  atomic_fetch_add(&pool->active, 1);
  atomic_fetch_add(&j->helpers, 1);
  *out_exec = j->exec;
  out_exec->slot = j->returned ? j->free_slots[--j->returned] : ++j->slots;
}

// `counted` is false when the thread has taken itself out of `active`. The job is gone once its
// caller sees no helper, so it is not looked at after that.
static void leave(gj_pool *pool, job *j, int64_t slot, bool counted) {
  j->free_slots[j->returned++] = (uint16_t)slot;
  bool waiting = j->waiting;
  if (atomic_fetch_sub(&j->helpers, 1) == 1 && waiting)
    pthread_cond_broadcast(&pool->done);
  if (counted)
    atomic_fetch_sub(&pool->active, 1);
}

// Takes this worker out of `active` if there are more threads than cores. Of several workers that
// find so only as many leave as are too many.
static bool is_one_too_many(gj_pool *pool) {
  unsigned active = atomic_load_explicit(&pool->active, memory_order_relaxed);
  while (active > pool->cores)
    if (atomic_compare_exchange_weak(&pool->active, &active, active - 1))
      return true;
  return false;
}

static void *work(void *data);

// Every signal is for the threads that the application knows.
static bool start_worker(gj_pool *pool) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return false;
  bool started = pthread_create(&pool->threads[pool->workers], NULL, work, pool) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pool->workers += started;
  return started;
}

// Gives the lock back and gets one more worker going when a job wants it. A sleeping one is woken
// behind the lock, which it would otherwise wait for at once.
static void unlock_and_recruit(gj_pool *pool) {
  bool wanted = find_job(pool) != NULL, wake = wanted && pool->idle > 0;
  if (wanted && !wake && pool->workers + 1 < pool->cores)
    start_worker(pool);
  pthread_mutex_unlock(&pool->lock);
  if (wake)
    pthread_cond_signal(&pool->work);
}

// Pieces of the job until it is exhausted or this thread is one too many.
static void help(gj_pool *pool, job *j) {
  gj_exec exec;
  bool counted = true;
  join(pool, j, &exec);
  unlock_and_recruit(pool);
  while (counted && run_piece(j, &exec))
    counted = !is_one_too_many(pool);
  pthread_mutex_lock(&pool->lock);
  leave(pool, j, exec.slot, counted);
}

static void *work(void *data) {
  gj_pool *pool = data;
  inside = true;
#ifdef __linux__
  pthread_setname_np(pthread_self(), "graphjit");
#endif
  pthread_mutex_lock(&pool->lock);
  while (!pool->stopping) {
    job *j = find_job(pool);
    if (j) {
      help(pool, j);
      continue;
    }
    pool->idle++;
    pthread_cond_wait(&pool->work, &pool->lock);
    pool->idle--;
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// --- callers
// -------------------------------------------------------------------------------------

static void open_job(gj_pool *pool, job *j) {
  pthread_mutex_lock(&pool->lock);
  atomic_fetch_add(&pool->active, 1);
  j->next = pool->jobs;
  pool->jobs = j;
  unlock_and_recruit(pool);
}

static void pause_core(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__riscv)
  atomic_signal_fence(memory_order_seq_cst);
#endif
}

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Waits for the end of the last pieces, but not for long.
static void spin(job *j) {
  int64_t until = clock_ns() + SPIN_NS;
  do {
    for (int i = 0; i < PAUSES && atomic_load(&j->helpers) > 0; i++)
      pause_core();
  } while (atomic_load(&j->helpers) > 0 && clock_ns() < until);
}

// Waits for the helpers, then leaves room for others.
static void close_job(gj_pool *pool, job *j) {
  pthread_mutex_lock(&pool->lock);
  job **link = &pool->jobs;
  while (*link != j)
    link = &(*link)->next;
  *link = j->next;
  if (atomic_load(&j->helpers) > 0) {
    pthread_mutex_unlock(&pool->lock);
    spin(j);
    pthread_mutex_lock(&pool->lock);
  }
  j->waiting = true;
  while (atomic_load(&j->helpers) > 0)
    pthread_cond_wait(&pool->done, &pool->lock);
  atomic_fetch_sub(&pool->active, 1);
  unlock_and_recruit(pool);
}

// The whole range on this thread.
static int32_t run_here(const gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi) {
  gj_exec own = exec ? *exec : (gj_exec){0};
  own.parallel = NULL;
  if (is_cancelled(&own))
    return GJ_RUN_CANCELLED;
  return task(context, lo, hi, &own);
}

int32_t gj_pool_run(gj_pool *pool, unsigned threads, const gj_exec *exec, gj_task *task,
                    void *context, int64_t lo, int64_t hi, int64_t grain) {
  int64_t span;
  if (lo >= hi)
    return 0;
  grain = grain < 1 ? 1 : grain;
  threads = threads > GJ_POOL_MAX_THREADS ? GJ_POOL_MAX_THREADS : threads;
  if (!pool || pool->cores < 2 || threads < 2 || inside || __builtin_sub_overflow(hi, lo, &span) ||
      span / 2 < grain)
    return run_here(exec, task, context, lo, hi);
  job j = {.task = task, .context = context, .hi = hi, .grain = grain, .threads = threads};
  atomic_init(&j.at, lo);
  if (exec)
    j.exec = *exec;
  j.exec.parallel = NULL;
  j.exec.slot = 0;
  gj_exec own = j.exec;
  open_job(pool, &j);
  inside = true;
  while (run_piece(&j, &own))
    continue;
  inside = false;
  close_job(pool, &j);
  return atomic_load(&j.status);
}

static int32_t run_parallel(gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi,
                            int64_t grain) {
  gj_pool_exec *run = (gj_pool_exec *)exec;
  gj_pool *pool = run->pool ? run->pool : gj_pool_shared();
  return gj_pool_run(pool, run->threads, exec, task, context, lo, hi, grain);
}

gj_pool_exec gj_pool_exec_make(unsigned threads, void *scratch, const volatile int32_t *cancel) {
  gj_parallel *parallel = threads > 1 ? run_parallel : NULL;
  return (gj_pool_exec){.exec = {scratch, cancel, parallel, 0}, .threads = threads};
}

// --- pools
// ---------------------------------------------------------------------------------------

static bool start_empty(gj_pool *pool) {
  pool->workers = pool->idle = 0;
  pool->jobs = NULL;
  atomic_init(&pool->active, 0);
  if (pthread_mutex_init(&pool->lock, NULL) != 0)
    return false;
  if (pthread_cond_init(&pool->work, NULL) == 0) {
    if (pthread_cond_init(&pool->done, NULL) == 0)
      return true;
    pthread_cond_destroy(&pool->work);
  }
  pthread_mutex_destroy(&pool->lock);
  return false;
}

gj_pool *gj_pool_new(unsigned cores) {
  gj_pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  pool->cores = cores < 1 ? 1 : cores > GJ_POOL_MAX_THREADS ? GJ_POOL_MAX_THREADS : cores;
  pool->threads = calloc(pool->cores, sizeof *pool->threads);
  if (pool->threads && start_empty(pool))
    return pool;
  free(pool->threads);
  free(pool);
  return NULL;
}

void gj_pool_free(gj_pool *pool) {
  if (!pool)
    return;
  pthread_mutex_lock(&pool->lock);
  pool->stopping = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->workers; i++)
    pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  free(pool->threads);
  free(pool);
}

// --- the pool of the process
// ---------------------------------------------------------------------

static gj_pool *shared;
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;

static void before_fork(void) { pthread_mutex_lock(&shared->lock); }
static void after_fork(void) { pthread_mutex_unlock(&shared->lock); }

// The child has none of the threads that its memory speaks of.
static void in_child(void) {
  inside = false;
  if (!start_empty(shared))
    shared->cores = 1;
}

static void start_shared(void) {
  shared = gj_pool_new(gj_cores());
  if (shared && pthread_atfork(before_fork, after_fork, in_child) != 0)
    shared->cores = 1; // rather no workers than a child that waits for ever
}

gj_pool *gj_pool_shared(void) {
  pthread_once(&shared_once, start_shared);
  return shared;
}
