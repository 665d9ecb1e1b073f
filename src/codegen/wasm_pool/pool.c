// The pool of a WebAssembly module with threads: what runtime/pool.c is to a process.
//
// It is compiled to bitcode while the project is built, and joins a module that has parallel calls
// (codegen/emit/wasm_pool.c). Every thread has an instance of the module on the same memory, where
// all that follows lies. One thread calls `run`; the others call `work`, which returns when `stop`
// was called.
//
// There is one job at a time, so it needs no list and no lock, but a gate: a worker enters while
// the gate is open, the caller closes it behind the last piece and waits until nobody is inside.
// Pieces are claimed as in runtime/pool.c. A worker without a job looks out for the next for a
// moment, then sleeps in memory.atomic.wait32.
//
// A page's own thread may not sleep, so there the caller waits awake, for as long as a piece may
// take. WebAssembly knows neither time nor cores nor a pause: moments are counted in looks, and as
// many threads run as the loader has started.
#include "base/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  CUTS = 4,       // least pieces of a grain
  WAKING = 4,     // grains: less is worth a thread that is awake, but not waking one
  OWED = 16,      // grains of such jobs: then one is woken all the same, as there may be more soon
  LOOKS = 1 << 14 // of whoever waits, before sleeping: some 10 µs
};

// The gate: open, the caller sleeps until nobody is inside, and how many are inside.
enum { OPEN = 1, AWAITED = 2, INSIDE = 4 };

// What exec->parallel says here, where the pool is at hand and need not be pointed to.
enum { MAY_SLEEP = 2 };

static struct {
  _Alignas(64) atomic_uint news; // grows with each job, and to stop; workers sleep on it
  atomic_uint workers;           // that have come
  atomic_uint sleeping;
  atomic_bool stopping;
  // the job
  _Alignas(64) atomic_uint gate;
  atomic_int status;   // the first that is not zero
  atomic_uint threads; // most, the caller counted
  gj_task *task;
  void *context;
  gj_exec exec; // what threads get a copy of
  long long hi, least;
  long long owed;               // grains that nobody was woken for
  _Alignas(64) atomic_llong at; // where the next piece begins
} pool;

// --- sleeping ---

#ifdef __wasm__
static void sleep_on(atomic_uint *word, unsigned seen) {
  __builtin_wasm_memory_atomic_wait32((int *)word, (int)seen, -1);
}

static void wake(atomic_uint *word, unsigned count) {
  __builtin_wasm_memory_atomic_notify((int *)word, count);
}
#else
// For test/c/wasm_pool_test.c, which has them of the system.
static void sleep_on(atomic_uint *word, unsigned seen);
static void wake(atomic_uint *word, unsigned count);
#endif

// --- pieces ---

static bool claim(long long *out_begin, long long *out_end) {
  long long at = atomic_load(&pool.at), end, threads = atomic_load(&pool.threads);
  do {
    if (at >= pool.hi)
      return false;
    long long left = pool.hi - at, size = left / (2 * threads);
    if (size < pool.least)
      size = pool.least;
    end = left - size < pool.least ? pool.hi : at + size;
  } while (!atomic_compare_exchange_weak(&pool.at, &at, end));
  *out_begin = at;
  *out_end = end;
  return true;
}

static void end_job(int status) {
  int none = GJ_RUN_OK;
  atomic_compare_exchange_strong(&pool.status, &none, status);
  atomic_store(&pool.at, pool.hi);
}

static void run_pieces(int64_t slot) {
  gj_exec exec = pool.exec;
  long long begin, end;
  exec.slot = slot;
  exec.heap = 0; // it is the caller's
  while (claim(&begin, &end)) {
    int32_t status = pool.task(pool.context, begin, end, &exec);
    if (status != GJ_RUN_OK)
      end_job(status);
  }
}

// --- workers ---

// Enters the job if it is open and wants another thread.
static bool enter(void) {
  unsigned gate = atomic_load(&pool.gate);
  do {
    if (!(gate & OPEN) || gate / INSIDE + 1 >= atomic_load(&pool.threads))
      return false;
  } while (!atomic_compare_exchange_weak(&pool.gate, &gate, gate + INSIDE));
  return true;
}

static void leave_gate(void) {
  if (atomic_fetch_sub(&pool.gate, INSIDE) == (INSIDE | AWAITED))
    wake(&pool.gate, 1);
}

static void await_news(unsigned seen) {
  for (int i = 0; i < LOOKS; i++)
    if (atomic_load(&pool.news) != seen)
      return;
  atomic_fetch_add(&pool.sleeping, 1);
  sleep_on(&pool.news, seen);
  atomic_fetch_sub(&pool.sleeping, 1);
}

// What every thread but the caller does, from its start to its end.
void work(void) {
  int64_t slot = 1 + (int64_t)atomic_fetch_add(&pool.workers, 1);
  for (;;) {
    unsigned seen = atomic_load(&pool.news);
    if (atomic_load(&pool.stopping))
      return;
    if (enter()) {
      run_pieces(slot);
      leave_gate();
    }
    await_news(seen);
  }
}

// Sends the workers home; those inside a job finish it.
void stop(void) {
  atomic_store(&pool.stopping, true);
  atomic_fetch_add(&pool.news, 1);
  wake(&pool.news, atomic_load(&pool.workers));
}

// --- the caller ---

// Lets nobody in any more and waits for those inside.
static void close_gate(bool may_sleep) {
  unsigned gate = atomic_fetch_and(&pool.gate, ~(unsigned)OPEN) & ~(unsigned)OPEN;
  for (int i = 0; gate >= INSIDE && (!may_sleep || i < LOOKS); i++)
    gate = atomic_load(&pool.gate);
  while (gate >= INSIDE) {
    gate = atomic_fetch_or(&pool.gate, AWAITED) | AWAITED;
    if (gate >= INSIDE)
      sleep_on(&pool.gate, gate);
    gate = atomic_load(&pool.gate);
  }
}

// A thread threw out of its task: the engine ran out of stack, say. The job ends with a status, and
// whoever waits for this thread must not wait for ever. The caller says so as well, since memory
// that others still write to is not free for the next run.
void fail(bool is_worker) {
  end_job(GJ_RUN_TRAPPED);
  if (is_worker)
    leave_gate();
  else
    close_gate(false);
}

// A worker that is woken stays awake while jobs follow each other.
static bool is_worth_waking(long long grains) {
  if (atomic_load(&pool.sleeping) == 0)
    return false;
  pool.owed += grains;
  if (grains < WAKING && pool.owed < OWED)
    return false;
  pool.owed = 0;
  return true;
}

int32_t gj_wasm_parallel(gj_exec *exec, gj_task *task, void *context, int64_t lo, int64_t hi,
                         int64_t grain) {
  unsigned threads = atomic_load(&pool.workers) + 1;
  long long grains = (hi - lo) / (grain < 1 ? 1 : grain);
  if (grains < threads)
    threads = (unsigned)grains;
  gj_exec own = *exec;
  own.parallel = NULL;
  if (threads < 2)
    return task(context, lo, hi, &own);
  atomic_store(&pool.threads, threads);
  pool.task = task;
  pool.context = context;
  pool.exec = own;
  pool.hi = hi;
  pool.least = grain < CUTS ? 1 : grain / CUTS;
  atomic_store(&pool.at, lo);
  atomic_store(&pool.status, GJ_RUN_OK);
  atomic_store(&pool.gate, OPEN);
  atomic_fetch_add(&pool.news, 1);
  if (is_worth_waking(grains))
    wake(&pool.news, threads - 1);
  run_pieces(0);
  close_gate((uintptr_t)exec->parallel == MAY_SLEEP);
  return atomic_load(&pool.status);
}
