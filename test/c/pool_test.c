// The thread pool: ranges, statuses, many callers, who runs when, fork and exit.
#include "check.h"

#include "runtime/cores.h"
#include "runtime/pool.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, MOST_SLOTS = 16 };

// --- ranges ---

typedef struct cover {
  int64_t lo, hi, grain;
  unsigned threads;
  atomic_int visits[MOST]; // by number in the range
  atomic_int busy[MOST_SLOTS];
  atomic_int pieces, short_pieces, slot_clashes, bad_execs;
  int32_t scratch;
} cover;

static int32_t visit(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  cover *c = context;
  atomic_fetch_add(&c->pieces, 1);
  if (exec->parallel || exec->scratch != &c->scratch || exec->slot < 0 ||
      exec->slot >= (int64_t)c->threads) {
    atomic_fetch_add(&c->bad_execs, 1);
    return 0;
  }
  atomic_fetch_add(&c->slot_clashes, atomic_fetch_add(&c->busy[exec->slot], 1) != 0);
  atomic_fetch_add(&c->short_pieces, end - begin < c->grain / 4 && end - begin < c->hi - c->lo);
  for (int64_t i = begin; i < end; i++)
    atomic_fetch_add(&c->visits[i - c->lo], 1);
  sched_yield();
  atomic_fetch_sub(&c->busy[exec->slot], 1);
  return 0;
}

static void check_cover(gj_pool *pool, unsigned threads, int64_t lo, int64_t span, int64_t grain) {
  static cover c;
  memset(&c, 0, sizeof c);
  c.lo = lo;
  c.hi = lo + span;
  c.grain = grain;
  c.threads = threads;
  gj_exec exec = {.scratch = &c.scratch};
  CHECK_INT_EQ(gj_pool_run(pool, threads, &exec, visit, &c, lo, c.hi, grain), 0);
  int wrong = 0;
  for (int64_t i = 0; i < span; i++)
    wrong += atomic_load(&c.visits[i]) != 1;
  CHECK_INT_EQ(wrong, 0);
  CHECK_INT_EQ(c.short_pieces, 0);
  CHECK_INT_EQ(c.slot_clashes, 0);
  CHECK_INT_EQ(c.bad_execs, 0);
  CHECK(c.pieces <= 1 || span >= 2 * grain);
}

static void every_element_is_in_one_piece_that_is_not_too_short(void) {
  for (unsigned cores = 1; cores <= 8; cores += cores < 3 ? 1 : 5) {
    gj_pool *pool = gj_pool_new(cores);
    CHECK_OR_RETURN(pool);
    for (unsigned threads = 1; threads <= 12; threads += 3)
      for (int64_t span = 0; span <= MOST; span = span * 3 + 1)
        for (int64_t grain = 1; grain <= 2 * MOST; grain *= 7)
          check_cover(pool, threads, span % 5 * 1000 - 2000, span, grain);
    check_cover(pool, 3, INT64_MAX - 1000, 1000, 1);
    check_cover(pool, 3, INT64_MIN, 1000, 1);
    gj_pool_free(pool);
  }
  check_cover(NULL, 4, 0, 100, 1);
  check_cover(gj_pool_shared(), 4, 0, MOST, 1);
}

static int32_t count_range(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)exec;
  atomic_ullong *sum = context;
  atomic_fetch_add(sum, (unsigned long long)end - (unsigned long long)begin);
  return 0;
}

static void odd_ranges_and_grains_work(void) {
  gj_pool *pool = gj_pool_new(2);
  atomic_ullong sum = 0;
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, count_range, &sum, 5, 5, 1), 0);
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, count_range, &sum, INT64_MAX, INT64_MIN, 1), 0);
  CHECK_INT_EQ(sum, 0);
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, count_range, &sum, 0, 100, -7), 0);
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, count_range, &sum, 0, 100, INT64_MAX), 0);
  CHECK_INT_EQ(sum, 200);
  sum = 0;
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, count_range, &sum, INT64_MIN, INT64_MAX, 1), 0);
  CHECK(sum == UINT64_MAX);
  sum = 0;
  CHECK_INT_EQ(gj_pool_run(pool, 1000, NULL, count_range, &sum, 0, INT64_MAX, INT64_MAX / 100), 0);
  CHECK(sum == INT64_MAX);
  gj_pool_free(pool);
}

// --- statuses ---

typedef struct stops {
  int64_t at; // the piece that holds it fails
  int32_t cancel;
  atomic_int pieces;
} stops;

static int32_t fail_at(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  stops *s = context;
  (void)exec;
  atomic_fetch_add(&s->pieces, 1);
  return begin <= s->at && s->at < end ? 40 : 0;
}

static int32_t cancel_at(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  stops *s = context;
  (void)exec;
  atomic_fetch_add(&s->pieces, 1);
  if (begin <= s->at && s->at < end)
    __atomic_store_n(&s->cancel, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static void a_status_stops_the_rest_and_comes_back(void) {
  gj_pool *pool = gj_pool_new(3);
  for (int64_t at = 0; at < 100000; at = at * 5 + 1) {
    stops s = {.at = at};
    CHECK_INT_EQ(gj_pool_run(pool, 3, NULL, fail_at, &s, 0, 100000, 10), 40);
    stops first = {0};
    CHECK_INT_EQ(gj_pool_run(pool, 3, NULL, fail_at, &first, 0, 100000, 1), 40);
    CHECK(first.pieces <= 3); // those that had begun
  }
  gj_pool_free(pool);
}

static void a_cancelled_job_stops_between_pieces(void) {
  for (unsigned cores = 1; cores <= 3; cores++) {
    gj_pool *pool = gj_pool_new(cores);
    stops s = {.cancel = 1};
    gj_exec exec = {.cancel = &s.cancel};
    CHECK_INT_EQ(gj_pool_run(pool, 3, &exec, cancel_at, &s, 0, 1000, 1), GJ_RUN_CANCELLED);
    CHECK_INT_EQ(s.pieces, 0);
    gj_pool_free(pool);
  }
  gj_pool *pool = gj_pool_new(2);
  stops s = {.at = 0};
  gj_exec exec = {.cancel = &s.cancel};
  CHECK_INT_EQ(gj_pool_run(pool, 2, &exec, cancel_at, &s, 0, 100000, 1), GJ_RUN_CANCELLED);
  CHECK(s.pieces <= 3);
  gj_pool_free(pool);
}

// --- nesting ---

typedef struct nested {
  gj_pool *pool;
  atomic_int inner_pieces, tasks;
} nested;

static int32_t count_piece(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  nested *n = context;
  (void)begin, (void)end, (void)exec;
  atomic_fetch_add(&n->inner_pieces, 1);
  return 0;
}

static int32_t run_inner(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  nested *n = context;
  (void)begin, (void)end;
  atomic_fetch_add(&n->tasks, 1);
  return gj_pool_run(n->pool, 4, exec, count_piece, n, 0, 1000, 1);
}

static void a_job_inside_a_job_is_one_call(void) {
  nested n = {.pool = gj_pool_new(4)};
  CHECK_INT_EQ(gj_pool_run(n.pool, 4, NULL, run_inner, &n, 0, 50, 1), 0);
  CHECK_INT_EQ(n.inner_pieces, n.tasks);
  gj_pool_free(n.pool);
}

// --- who runs ---

enum { CALLERS = 4, ROUNDS = 200 };

typedef struct caller {
  gj_pool *pool;
  int wrong;
} caller;

static void *call_often(void *data) {
  caller *c = data;
  for (int i = 0; i < ROUNDS; i++) {
    atomic_ullong sum = 0;
    int64_t span = 1000 + i * 37;
    int32_t status = gj_pool_run(c->pool, 3, NULL, count_range, &sum, 0, span, 1 + i % 9);
    c->wrong += status != 0 || sum != (unsigned long long)span;
  }
  return NULL;
}

static void many_callers_get_their_own_results(void) {
  for (unsigned cores = 1; cores <= 7; cores += 2) {
    gj_pool *pool = gj_pool_new(cores);
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
      callers[i] = (caller){.pool = pool};
      CHECK_INT_EQ(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
      pthread_join(threads[i], NULL);
      CHECK_INT_EQ(callers[i].wrong, 0);
    }
    gj_pool_free(pool);
  }
}

// Two callers on four cores. The first gets three workers; when the second comes, one is too many
// and leaves at the end of its piece.
typedef struct crowd {
  gj_pool *pool;
  atomic_int callers;       // that have begun
  atomic_int first_workers; // inside before the second caller
  atomic_int running, most; // pieces that began with both callers inside
} crowd;

static int32_t count_running(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  crowd *c = context;
  (void)begin, (void)end;
  if (atomic_load(&c->callers) < 2) {
    atomic_fetch_add(&c->first_workers, exec->slot > 0);
    while (atomic_load(&c->callers) < 2)
      sched_yield();
    return 0;
  }
  int running = atomic_fetch_add(&c->running, 1) + 1, most = atomic_load(&c->most);
  while (running > most && !atomic_compare_exchange_weak(&c->most, &most, running))
    continue;
  for (int i = 0; i < 20; i++)
    sched_yield();
  atomic_fetch_sub(&c->running, 1);
  return 0;
}

static int32_t second_caller_runs(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  crowd *c = context;
  atomic_store(&c->callers, 2);
  return count_running(c, begin, end, exec);
}

static void *call_second(void *data) {
  crowd *c = data;
  while (atomic_load(&c->first_workers) < 3)
    sched_yield();
  gj_pool_run(c->pool, 4, NULL, second_caller_runs, c, 0, 1000, 1);
  return NULL;
}

static void callers_and_workers_are_never_more_than_the_cores(void) {
  crowd c = {.pool = gj_pool_new(4), .callers = 1};
  pthread_t second;
  CHECK_INT_EQ(pthread_create(&second, NULL, call_second, &c), 0);
  CHECK_INT_EQ(gj_pool_run(c.pool, 4, NULL, count_running, &c, 0, 1000, 1), 0);
  pthread_join(second, NULL);
  CHECK_INT_EQ(c.first_workers, 3);
  CHECK(c.most >= 2 && c.most <= 4);
  gj_pool_free(c.pool);
}

static int32_t count_slots(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  atomic_int *most = context;
  (void)begin, (void)end;
  if (exec->slot > atomic_load(most))
    atomic_store(most, (int)exec->slot);
  sched_yield();
  return 0;
}

static void a_job_takes_no_more_threads_than_it_may(void) {
  gj_pool *pool = gj_pool_new(6);
  atomic_int most = 0;
  for (int i = 0; i < 50; i++)
    gj_pool_run(pool, 2, NULL, count_slots, &most, 0, 500, 1);
  CHECK(most <= 1);
  for (int i = 0; i < 50; i++) // three grains are work for three threads
    gj_pool_run(pool, 6, NULL, count_slots, &most, 0, 399, 100);
  CHECK(most <= 2);
  gj_pool_free(pool);
}

// Threads of this process that are neither the calling one nor asleep.
static int count_awake(void) {
  int awake = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;) {
    char path[300], text[128] = "";
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == (int)getpid())
      continue;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof text, file)) {
      const char *state = strrchr(text, ')');
      awake += state && state[2] == 'R';
    }
    if (file)
      fclose(file);
  }
  if (tasks)
    closedir(tasks);
  return awake;
}

static int32_t meet(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)exec;
  atomic_llong *arrived = context;
  atomic_fetch_add(arrived, end - begin);
  for (int i = 0; i < 50000 && atomic_load(arrived) < 2; i++)
    usleep(100);
  return end - begin == 1 && atomic_load(arrived) == 2 ? 0 : 1;
}

static void every_element_may_be_worth_a_thread(void) {
  gj_pool *pool = gj_pool_new(2);
  atomic_llong arrived = 0;
  CHECK_OR_RETURN(pool);
  CHECK_INT_EQ(gj_pool_run(pool, 2, NULL, meet, &arrived, 0, 2, GJ_POOL_EACH), 0);
  gj_pool_free(pool);
}

static void idle_workers_sleep(void) {
  gj_pool *pool = gj_pool_new(4);
  atomic_int most = 0;
  gj_pool_run(pool, 4, NULL, count_slots, &most, 0, 2000, 1);
  int awake = 1;
  for (int i = 0; i < 1000 && awake; i++) { // until they have come to rest
    usleep(2000);
    awake = count_awake();
  }
  CHECK_INT_EQ(awake, 0);
  gj_pool_free(pool);
}

static int64_t process_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void run_some(gj_pool *pool) {
  atomic_ullong sum = 0;
  CHECK_INT_EQ(gj_pool_run(pool, 4, NULL, count_range, &sum, 0, 1000, 1), 0);
  CHECK(sum == 1000);
}

static void workers_wait_awake_only_while_jobs_come_often(void) {
  gj_pool *pool = gj_pool_new(4);
  for (int i = 0; i < 20; i++) {
    run_some(pool);
    usleep(1000);
  }
  CHECK_INT_EQ(gj__pool_waits(pool), 0);
  for (int i = 0; i < 1000000 && gj__pool_waits(pool) < 10; i++)
    run_some(pool);
  CHECK(gj__pool_waits(pool) >= 10);
  int64_t before = process_ns();
  usleep(300 * 1000);
  CHECK(process_ns() - before < 100 * 1000 * 1000); // three that spin would take nine times that
  usleep(1000);
  for (int i = 0; i < 4; i++) { // until no recent job came soon after another
    run_some(pool);
    usleep(1000);
  }
  unsigned waits = gj__pool_waits(pool);
  for (int i = 0; i < 10; i++) {
    run_some(pool);
    usleep(1000);
  }
  CHECK_INT_EQ(gj__pool_waits(pool), waits);
  gj_pool_free(pool);
}

static void a_pool_may_go_while_its_workers_wait_awake(void) {
  for (int round = 0; round < 50; round++) {
    gj_pool *pool = gj_pool_new(3);
    for (int i = 0; i < 20; i++)
      run_some(pool);
    gj_pool_free(pool);
  }
}

// --- processes ---

static bool shared_pool_works(void) {
  atomic_ullong sum = 0;
  return gj_pool_run(gj_pool_shared(), 8, NULL, count_range, &sum, 0, 5000, 1) == 0 && sum == 5000;
}

static void a_forked_child_has_a_pool_of_its_own(void) {
  CHECK(shared_pool_works());
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit(shared_pool_works() && shared_pool_works() ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(shared_pool_works());
}

static int32_t signal_and_wait(void *context, int64_t begin, int64_t end, gj_exec *exec) {
  (void)begin, (void)end, (void)exec;
  atomic_store((atomic_int *)context, 1);
  while (pause() == -1)
    continue;
  return 0;
}

static void *run_for_ever(void *data) {
  gj_pool_run(gj_pool_shared(), 8, NULL, signal_and_wait, data, 0, 100, 1);
  return NULL;
}

static void a_process_may_end_while_a_job_runs(void) {
  static atomic_int begun;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_for_ever, &begun) != 0)
      _exit(1);
    while (!atomic_load(&begun))
      sched_yield();
    exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// --- cores ---

static void quotas_become_whole_cores(void) {
  CHECK_INT_EQ(gj__quota_cores("max 100000\n", NULL), 0);
  CHECK_INT_EQ(gj__quota_cores("200000 100000\n", NULL), 2);
  CHECK_INT_EQ(gj__quota_cores("350000 100000\n", NULL), 3);
  CHECK_INT_EQ(gj__quota_cores("50000 100000\n", NULL), 1);
  CHECK_INT_EQ(gj__quota_cores("-1\n", "100000\n"), 0);
  CHECK_INT_EQ(gj__quota_cores("400000\n", "100000\n"), 4);
  CHECK_INT_EQ(gj__quota_cores("400000\n", "0\n"), 0);
  CHECK_INT_EQ(gj__quota_cores("", ""), 0);
  CHECK_INT_EQ(gj__quota_cores("100000", NULL), 0);
  CHECK(gj_cores() >= 1 && gj_cores() == gj_cores());
}

static void write_text(const char *root, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL;
       *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0700);
  }
  FILE *file = fopen(path, "w");
  CHECK_OR_RETURN(file);
  fputs(text, file);
  fclose(file);
}

static unsigned cores_of(const char *root, const char *text) {
  char list[512];
  snprintf(list, sizeof list, "%s", text);
  return gj__cgroup_cores(root, list);
}

static void the_smallest_quota_of_the_groups_counts(void) {
  char root[] = "/tmp/graphjit-cores-XXXXXX", command[64];
  CHECK_OR_RETURN(mkdtemp(root));
  write_text(root, "cpu.max", "max 100000\n");
  write_text(root, "box/cpu.max", "300000 100000\n");
  write_text(root, "box/inner/cpu.max", "800000 100000\n");
  write_text(root, "free/cpu.max", "max 100000\n");
  write_text(root, "cpu/old/cpu.cfs_quota_us", "500000\n");
  write_text(root, "cpu/old/cpu.cfs_period_us", "100000\n");
  write_text(root, "cpu,cpuacct/both/cpu.cfs_quota_us", "120000\n");
  write_text(root, "cpu,cpuacct/both/cpu.cfs_period_us", "50000\n");
  CHECK_INT_EQ(cores_of(root, "0::/box/inner\n"), 3);
  CHECK_INT_EQ(cores_of(root, "0::/box\n"), 3);
  CHECK_INT_EQ(cores_of(root, "0::/free\n"), 0);
  CHECK_INT_EQ(cores_of(root, "0::/\n"), 0);
  CHECK_INT_EQ(cores_of(root, "0::/gone/deeper\n"), 0);
  CHECK_INT_EQ(cores_of(root, "9:cpuset:/old\n4:cpu:/old\n1:name=systemd:/\n"), 5);
  CHECK_INT_EQ(cores_of(root, "4:cpuset,cpuacct:/old\n"), 0);
  CHECK_INT_EQ(cores_of(root, "4:cpuacct,cpu:/both\n0::/box\n"), 2);
  CHECK_INT_EQ(cores_of(root, "\n:\n::\n0::\n4:cpu\nnonsense"), 0);
  snprintf(command, sizeof command, "rm -r '%s'", root);
  CHECK_INT_EQ(system(command), 0);
}

int main(void) {
  CHECK_RUN(every_element_is_in_one_piece_that_is_not_too_short);
  CHECK_RUN(odd_ranges_and_grains_work);
  CHECK_RUN(a_status_stops_the_rest_and_comes_back);
  CHECK_RUN(a_cancelled_job_stops_between_pieces);
  CHECK_RUN(a_job_inside_a_job_is_one_call);
  CHECK_RUN(many_callers_get_their_own_results);
  CHECK_RUN(callers_and_workers_are_never_more_than_the_cores);
  CHECK_RUN(a_job_takes_no_more_threads_than_it_may);
  CHECK_RUN(every_element_may_be_worth_a_thread);
  CHECK_RUN(idle_workers_sleep);
  CHECK_RUN(workers_wait_awake_only_while_jobs_come_often);
  CHECK_RUN(a_pool_may_go_while_its_workers_wait_awake);
  CHECK_RUN(a_forked_child_has_a_pool_of_its_own);
  CHECK_RUN(a_process_may_end_while_a_job_runs);
  CHECK_RUN(quotas_become_whole_cores);
  CHECK_RUN(the_smallest_quota_of_the_groups_counts);
  return check_report();
}
