// The pool of WebAssembly modules with threads, compiled natively: pieces, statuses, who is woken,
// threads that do not come back. In an engine it is tested by test/wasm-threads.test.js.
#include "check.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "codegen/wasm_pool/pool.c"

static atomic_int wakes;

// Like memory.atomic.wait32 and notify; the system sleeps and wakes the same way.
static void sleep_on(atomic_uint *word, unsigned seen) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake(atomic_uint *word, unsigned count) {
  atomic_fetch_add(&wakes, 1);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

// --- threads ---

enum { MOST_WORKERS = 3, MOST = 4096, AWAKE = 1 };

static pthread_t workers[MOST_WORKERS];

static void *serve(void *unused) {
  (void)unused;
  work();
  return NULL;
}

static void start_workers(unsigned count) {
  memset(&pool, 0, sizeof pool);
  for (unsigned i = 0; i < count; i++)
    CHECK_INT_EQ(pthread_create(&workers[i], NULL, serve, NULL), 0);
  while (atomic_load(&pool.workers) < count)
    sched_yield();
}

static void stop_workers(unsigned count) {
  stop();
  for (unsigned i = 0; i < count; i++)
    pthread_join(workers[i], NULL);
}

static int32_t run(gj_task *task, void *context, int64_t hi, int64_t grain, unsigned mode) {
  gj_exec exec = {.parallel = (gj_parallel *)(uintptr_t)mode};
  return gj_wasm_parallel(&exec, task, context, 0, hi, grain);
}

// --- pieces ---

typedef struct cover {
  int64_t hi, grain;
  atomic_int visits[MOST];
  atomic_int busy[MOST_WORKERS + 1];
  atomic_int calls, short_pieces, slot_clashes, bad_execs;
} cover;

static int32_t visit(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  cover *c = context;
  atomic_fetch_add(&c->calls, 1);
  if (exec->parallel || exec->slot < 0 || exec->slot > MOST_WORKERS) {
    atomic_fetch_add(&c->bad_execs, 1);
    return 0;
  }
  atomic_fetch_add(&c->slot_clashes, atomic_fetch_add(&c->busy[exec->slot], 1) != 0);
  atomic_fetch_add(&c->short_pieces, end - begin < c->grain / CUTS && end - begin < c->hi);
  for (int64_t i = begin; i < end; i++)
    atomic_fetch_add(&c->visits[i], 1);
  if (begin % 3 == 0)
    sched_yield();
  atomic_fetch_sub(&c->busy[exec->slot], 1);
  return 0;
}

static void check_cover(unsigned mode, int64_t hi, int64_t grain) {
  static cover c;
  memset(&c, 0, sizeof c);
  c.hi = hi;
  c.grain = grain;
  CHECK_INT_EQ(run(visit, &c, hi, grain, mode), 0);
  int wrong = 0;
  for (int64_t i = 0; i < hi; i++)
    wrong += atomic_load(&c.visits[i]) != 1;
  CHECK_INT_EQ(wrong, 0);
  CHECK_INT_EQ(c.short_pieces, 0);
  CHECK_INT_EQ(c.slot_clashes, 0);
  CHECK_INT_EQ(c.bad_execs, 0);
  CHECK(hi >= 2 * grain ? c.calls >= 1 : c.calls == 1);
}

static void every_element_is_in_one_piece(void) {
  const int rounds = check_is_quick() ? 2 : 10;
  for (unsigned count = 0; count <= MOST_WORKERS; count++) {
    start_workers(count);
    for (int round = 0; round < rounds; round++)
      for (int64_t hi = 1; hi <= MOST; hi = hi * 3 + 1)
        for (int64_t grain = 1; grain <= 2 * MOST; grain *= 7)
          check_cover(round % 2 ? AWAKE : MAY_SLEEP, hi, grain);
    stop_workers(count);
  }
}

// --- statuses ---

static int32_t refuse_late(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)exec;
  atomic_fetch_add((atomic_int *)context, (int)(end - begin));
  return begin >= 100 ? 7 : 0;
}

static void a_status_ends_the_job(void) {
  start_workers(2);
  for (int i = 0; i < 100; i++) {
    atomic_int done = 0;
    CHECK_INT_EQ(run(refuse_late, &done, 1 << 20, 4, MAY_SLEEP), 7);
    CHECK(atomic_load(&done) < 1 << 20);
    check_cover(MAY_SLEEP, 1000, 1);
  }
  stop_workers(2);
}

// A worker goes away inside the job, as after a trap; the caller waits until it has come.
static int32_t trap_worker(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)begin, (void)end;
  atomic_bool *came = context;
  if (exec->slot == 0) {
    while (!atomic_load(came))
      sched_yield();
    return 0;
  }
  atomic_store(came, true);
  fail(true);
  pthread_exit(NULL);
}

static void a_worker_that_traps_is_not_waited_for(void) {
  start_workers(1);
  atomic_bool came = false;
  CHECK_INT_EQ(run(trap_worker, &came, 1000, 1, AWAKE), GJ_RUN_TRAPPED);
  check_cover(AWAKE, 1000, 1);
  stop_workers(1);
}

static jmp_buf thrown;

static int32_t trap_caller(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)begin, (void)end;
  atomic_int *inside = context;
  if (exec->slot == 0)
    longjmp(thrown, 1);
  atomic_fetch_add(inside, 1);
  sched_yield();
  atomic_fetch_sub(inside, 1);
  return 0;
}

static void nobody_is_inside_after_the_caller_threw(void) {
  static atomic_int inside;
  start_workers(2);
  for (volatile int i = 0; i < 200; i++) {
    if (setjmp(thrown) == 0)
      run(trap_caller, &inside, 100000, 1, MAY_SLEEP);
    fail(false);
    CHECK_INT_EQ(atomic_load(&inside), 0);
    check_cover(MAY_SLEEP, 1000, 1);
  }
  stop_workers(2);
}

// --- waking ---

static void sleep_until_all_sleep(unsigned count) {
  while (atomic_load(&pool.sleeping) < count)
    sched_yield();
}

static void little_work_wakes_nobody(void) {
  start_workers(2);
  sleep_until_all_sleep(2);
  atomic_store(&wakes, 0);
  check_cover(MAY_SLEEP, 100, 60); // one call
  check_cover(MAY_SLEEP, 100, 50); // two grains
  CHECK_INT_EQ(atomic_load(&wakes), 0);
  for (int i = 0; i < OWED / 2 - 2; i++)
    check_cover(MAY_SLEEP, 100, 50);
  CHECK_INT_EQ(atomic_load(&wakes), 0);
  check_cover(MAY_SLEEP, 100, 50); // but much of it does
  CHECK(atomic_load(&wakes) >= 1);
  sleep_until_all_sleep(2);
  atomic_store(&wakes, 0);
  check_cover(MAY_SLEEP, 4000, 10);
  CHECK(atomic_load(&wakes) >= 1);
  stop_workers(2);
}

int main(void) {
  CHECK_RUN(every_element_is_in_one_piece);
  CHECK_RUN(a_status_ends_the_job);
  CHECK_RUN(a_worker_that_traps_is_not_waited_for);
  CHECK_RUN(nobody_is_inside_after_the_caller_threw);
  CHECK_RUN(little_work_wakes_nobody);
  return check_report();
}
