// The pool: a lock, a list of open jobs, workers that wait, awake for a moment or on a condition.
//
// Pieces of a job are claimed with one atomic instruction and no lock. They are large first and
// smaller towards the end, so that claims are few and threads finish together. The lock is taken to
// open and close a job, and by workers to join and leave one.
//
// A caller wakes one worker and that worker the next one, as waking takes microseconds of whoever
// does it. When a job is exhausted its caller spins for a moment, and then sleeps until the workers
// inside have left. A worker that was woken too late finds no open job.
//
// Waking takes longer than many a job. So while jobs come often, a worker without one stays awake
// for as long as the next should take to come, looking at a counter, and nobody has to wake it. It
// does so only where no caller could want its core, and sleeps at once when another thread of the
// machine does: it offers the core every microsecond, and sees by the clock whether it was taken.
#include "runtime/pool.h"

#include "runtime/cores.h"
#include "runtime/heap.h"
#include "runtime/stack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CUTS = 4,         // least pieces of a grain: once a thread is there, one more costs little
  MOST = 128,       // least pieces in one: how long a worker may take to notice it should leave
  SPIN_NS = 20000,  // of a caller that waits for the last pieces: less than waking it would take
  WAKING = 4,       // grains: less is worth a thread that is awake, but not waking one
  AWAIT_NS = 50000, // of a worker that waits for a job; what follows another so soon comes often
  TAKEN_NS = 10000, // for offering the core: somebody has run meanwhile
  PAUSES = 8,       // between two looks at the clock
  LOOKS = 64        // between two offers of the core
};

typedef struct job job;
struct job {
  gj_task *task;
  void *context;
  gj_exec exec;                 // what threads get a copy of
  int64_t hi, least;            // end of the range; size of the smallest pieces
  unsigned threads;             // most, the caller counted
  bool small;                   // not worth waking anybody for
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
  atomic_uint active;  // threads inside jobs: callers and workers
  atomic_uint waiting; // workers that wait awake; written under the lock
  // under the lock
  unsigned workers, idle; // started; asleep
  bool stopping;
  job *jobs;                     // open ones
  int64_t closed_ns;             // when the last one was closed
  unsigned history;              // a bit per job, the last one lowest: whether it came soon
  unsigned waits;                // how often a worker began to wait awake
  pthread_t *threads;            // of the workers
  _Alignas(64) atomic_uint news; // grows with each job, and to stop; written under the lock
};

// Set while a thread runs a task: what it would divide then is one call.
static _Thread_local bool inside;

// --- moments ---

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

// The lock is held for moments: sleeping until it is free would take longer.
static void take(gj_pool *pool) {
  for (int i = 0; i < LOOKS; i++) {
    if (pthread_mutex_trylock(&pool->lock) == 0)
      return;
    pause_core();
  }
  pthread_mutex_lock(&pool->lock);
}

// --- pieces ---

// The next piece of the job; false when nothing is left.
static bool claim(job *j, int64_t *out_begin, int64_t *out_end) {
  long long at = atomic_load_explicit(&j->at, memory_order_relaxed);
  int64_t end;
  do {
    if (at >= j->hi)
      return false;
    int64_t left = j->hi - at, size = left / (2 * (int64_t)j->threads);
    if (size / MOST >= j->least)
      size = j->least * MOST;
    if (size < j->least)
      size = j->least;
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
  gj_heap *heap = exec->heap;
  int64_t mark = heap ? heap->mark(heap) : 0;
  int32_t status = j->task(j->context, begin, end, exec);
  if (heap)
    heap->release(heap, mark);
  if (status != 0)
    stop(j, status);
  return true;
}

static bool is_exhausted(job *j) { return atomic_load(&j->at) >= j->hi; }

// --- workers ---

// Two of the last four jobs came soon.
static bool comes_often(unsigned history) { return __builtin_popcount(history & 15) >= 2; }

// The open job with the fewest helpers that wants one more; NULL when none does or all cores are
// busy. A small job does while jobs come often: who is woken for it stays for the next. Under the
// lock, like all that follows and takes a pool.
static job *find_job(gj_pool *pool) {
  job *best = NULL;
  bool often = comes_often(pool->history);
  if (atomic_load(&pool->active) >= pool->cores)
    return NULL;
  for (job *j = pool->jobs; j; j = j->next) {
    unsigned helpers = atomic_load(&j->helpers);
    if (helpers + 1 < j->threads && (often || !j->small) && !is_exhausted(j) &&
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

// Gives the lock back and gets one more worker going when a job wants it and none is awake. A
// sleeping one is woken behind the lock, which it would otherwise wait for at once.
static void unlock_and_recruit(gj_pool *pool) {
  bool wanted = find_job(pool) != NULL && atomic_load(&pool->waiting) == 0;
  bool wake = wanted && pool->idle > 0;
  if (wanted && !wake && pool->workers + 1 < pool->cores)
    start_worker(pool);
  pthread_mutex_unlock(&pool->lock);
  if (wake)
    pthread_cond_signal(&pool->work);
}

// Pieces of the job until it is exhausted or this thread is one too many.
static void help(gj_pool *pool, job *j) {
  gj_exec exec;
  gj_run_heap heap;
  bool counted = true;
  join(pool, j, &exec);
  unlock_and_recruit(pool);
  gj_heap_init(&heap);
  exec.heap = exec.heap ? &heap.face : NULL;
  exec.stack_limit = exec.stack_limit ? gj_stack_limit() : 0;
  while (counted && run_piece(j, &exec))
    counted = !is_one_too_many(pool);
  gj_heap_fini(&heap);
  take(pool);
  leave(pool, j, exec.slot, counted);
}

// Whether as many threads wait awake as there are cores for, when callers have theirs: one at
// least, where the next job comes from.
static bool is_crowded(gj_pool *pool, unsigned waiting) {
  unsigned active = atomic_load_explicit(&pool->active, memory_order_relaxed);
  return (active ? active : 1) + waiting > pool->cores;
}

// Looks for news for a moment; false when there was none or the core is wanted.
static bool see_news(gj_pool *pool, unsigned seen) {
  int64_t now = clock_ns(), until = now + AWAIT_NS;
  while (now < until && !is_crowded(pool, atomic_load(&pool->waiting))) {
    for (int i = 0; i < LOOKS; i++, pause_core())
      if (atomic_load_explicit(&pool->news, memory_order_relaxed) != seen)
        return true;
    int64_t before = clock_ns();
    sched_yield();
    now = clock_ns();
    if (now - before > TAKEN_NS)
      return false;
  }
  return false;
}

// Waits awake for the next job, if that should come soon; false when it did not.
static bool await_job(gj_pool *pool) {
  unsigned waiting = atomic_load(&pool->waiting) + 1;
  if (!comes_often(pool->history) || is_crowded(pool, waiting))
    return false;
  unsigned seen = atomic_load(&pool->news);
  atomic_store(&pool->waiting, waiting);
  pool->waits++;
  pthread_mutex_unlock(&pool->lock);
  bool news = see_news(pool, seen);
  take(pool);
  atomic_fetch_sub(&pool->waiting, 1);
  return news || atomic_load(&pool->news) != seen;
}

unsigned gj__pool_waits(gj_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  unsigned waits = pool->waits;
  pthread_mutex_unlock(&pool->lock);
  return waits;
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
    if (await_job(pool))
      continue;
    pool->idle++;
    pthread_cond_wait(&pool->work, &pool->lock);
    pool->idle--;
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// --- callers ---

static void open_job(gj_pool *pool, job *j) {
  int64_t now = clock_ns();
  take(pool);
  pool->history = pool->history << 1 | (now - pool->closed_ns < AWAIT_NS);
  atomic_fetch_add(&pool->active, 1);
  j->next = pool->jobs;
  pool->jobs = j;
  atomic_fetch_add(&pool->news, 1);
  unlock_and_recruit(pool);
}

// Waits for the end of the last pieces, but not for long; returns the time.
static int64_t spin(job *j) {
  int64_t now = clock_ns(), until = now + SPIN_NS;
  while (atomic_load(&j->helpers) > 0 && now < until) {
    for (int i = 0; i < PAUSES && atomic_load(&j->helpers) > 0; i++)
      pause_core();
    now = clock_ns();
  }
  return now;
}

// Waits for the helpers, then leaves room for others.
static void close_job(gj_pool *pool, job *j) {
  int64_t now = spin(j);
  take(pool);
  job **link = &pool->jobs;
  while (*link != j)
    link = &(*link)->next;
  *link = j->next;
  if (atomic_load(&j->helpers) > 0) {
    j->waiting = true;
    while (atomic_load(&j->helpers) > 0)
      pthread_cond_wait(&pool->done, &pool->lock);
    now = clock_ns();
  }
  pool->closed_ns = now;
  atomic_fetch_sub(&pool->active, 1);
  unlock_and_recruit(pool);
}

// The whole range on this thread.
static int32_t run_here(const gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi) {
  gj_exec own = exec ? *exec : (gj_exec){0};
  own.parallel = NULL;
  if (is_cancelled(&own))
    return GJ_RUN_CANCELLED;
  int64_t mark = own.heap ? own.heap->mark(own.heap) : 0;
  int32_t status = task(context, lo, hi, &own);
  if (own.heap)
    own.heap->release(own.heap, mark);
  return status;
}

int32_t gj_pool_run(gj_pool *pool, unsigned threads, const gj_exec *exec, gj_task *task,
                    void *context, int64_t lo, int64_t hi, int64_t grain) {
  int64_t span;
  bool each = grain == GJ_POOL_EACH;
  if (lo >= hi)
    return 0;
  grain = grain < 1 ? 1 : grain;
  threads = threads > GJ_POOL_MAX_THREADS ? GJ_POOL_MAX_THREADS : threads;
  if (!pool || pool->cores < 2 || threads < 2 || inside || __builtin_sub_overflow(hi, lo, &span) ||
      span / 2 < grain)
    return run_here(exec, task, context, lo, hi);
  job j = {.task = task, .context = context, .hi = hi, .threads = threads};
  int64_t grains = span / grain;
  if (grains < threads)
    j.threads = (unsigned)grains;
  j.least = grain < CUTS ? 1 : grain / CUTS;
  j.small = grains < WAKING && !each;
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
  return (gj_pool_exec){.exec = {.scratch = scratch, .cancel = cancel, .parallel = parallel},
                        .threads = threads};
}

gj_pool_exec gj_pool_exec_copy(const gj_exec *exec) {
  return exec->parallel ? *(const gj_pool_exec *)exec : (gj_pool_exec){.exec = *exec};
}

// --- pools ---

static bool start_empty(gj_pool *pool) {
  pool->workers = pool->idle = 0;
  pool->history = 0;
  pool->jobs = NULL;
  atomic_init(&pool->active, 0);
  atomic_init(&pool->waiting, 0);
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
  gj_pool *pool = aligned_alloc(_Alignof(gj_pool), sizeof *pool);
  if (!pool)
    return NULL;
  memset(pool, 0, sizeof *pool);
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
  atomic_fetch_add(&pool->news, 1);
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

// --- the pool of the process ---

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
