// Programs with tier 'auto': the same bits before, during and after the swap, from many threads,
// and nothing left when they are freed at any moment.
#include "check.h"
#include "graphjit.h"
#include "jit/code/orc.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3000, THREADS = 4 };

static const char *const text = "graph \"g\" {\n"
                                "  %1 = param \"x\" : f64[n]\n"
                                "  %2 = param \"y\" : f64[n]\n"
                                "  %3 = sin %1\n"
                                "  %4 = mul %3, %2\n"
                                "  %5 = exp %4\n"
                                "  %6 = reduce_sum %5 {axes=[0]}\n"
                                "  %7 = add %5, %6\n"
                                "  output \"z\" = %7\n"
                                "}\n";

static double x[N], y[N];

static gj_program *compile(const char *graph_text, gj_tier tier, gj_numerics numerics) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_graph *graph = NULL;
  gj_compile_options options = {.numerics = numerics, .opt_level = 3, .threads = 1, .tier = tier};
  CHECK_OK(gj_graph_parse(graph_text, strlen(graph_text), &graph, &err), &err);
  if (graph)
    CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
  gj_graph_free(graph);
  return program;
}

static gj_binding *bind(const gj_program *program) {
  static const int64_t size[] = {N};
  const int64_t *shapes[] = {size, size};
  gj_error err = {0};
  gj_binding *binding = NULL;
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  return binding;
}

static bool run(const gj_program *program, const gj_binding *binding, double *z) {
  gj_error err = {0};
  void *buffers[] = {x, y, z};
  gj_status status = gj_program_run(program, binding, buffers, NULL, NULL, &err);
  CHECK_OK(status, &err);
  return status == GJ_OK;
}

static gj_tier tier_of(const gj_program *program) {
  gj_error err;
  gj_tier tier = gj_program_tier(program, &err);
  CHECK_INT_EQ(err.code, GJ_OK);
  return tier;
}

static void results_keep_their_bits_at_the_swap(void) {
  static double want[N], before[N], after[N];
  for (int strict = 0; strict < 2; strict++) {
    gj_numerics numerics = strict ? GJ_NUMERICS_STRICT : GJ_NUMERICS_DEFAULT;
    gj_program *llvm = compile(text, GJ_TIER_LLVM, numerics);
    gj_program *tiered = compile(text, GJ_TIER_AUTO, numerics);
    gj_binding *a = bind(llvm), *b = bind(tiered);
    gj_error err = {0};
    CHECK_INT_EQ(tier_of(llvm), GJ_TIER_LLVM);
    CHECK_INT_EQ(tier_of(tiered), GJ_TIER_AUTO);
    CHECK(gj_program_entry(tiered) == NULL);
    run(llvm, a, want);
    run(tiered, b, before);
    CHECK_OK(gj_program_finish(tiered, &err), &err);
    CHECK_OK(gj_program_finish(tiered, &err), &err);
    CHECK_INT_EQ(tier_of(tiered), GJ_TIER_LLVM);
    CHECK(gj_program_entry(tiered) != NULL);
    run(tiered, b, after);
    CHECK(memcmp(want, before, sizeof want) == 0);
    CHECK(memcmp(want, after, sizeof want) == 0);
    gj_binding_free(a);
    gj_binding_free(b);
    gj_program_free(llvm);
    gj_program_free(tiered);
  }
}

static void a_hot_program_gets_compiled_by_itself(void) {
  static double first[N], z[N];
  gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_DEFAULT);
  gj_binding *binding = bind(program);
  bool same = run(program, binding, first);
  for (long i = 0; i < 2000000 && same && tier_of(program) == GJ_TIER_AUTO; i++)
    same = run(program, binding, z) && memcmp(first, z, sizeof z) == 0;
  CHECK(same);
  CHECK_INT_EQ(tier_of(program), GJ_TIER_LLVM);
  gj_binding_free(binding);
  gj_program_free(program);
}

static void fast_programs_are_compiled_at_once(void) {
  gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_FAST);
  CHECK_INT_EQ(tier_of(program), GJ_TIER_LLVM);
  gj_program_free(program);
}

// --- many threads ---

typedef struct load {
  const gj_program *program;
  const gj_binding *binding;
  const double *want;
  atomic_bool *stop;
  bool finishes;
  bool failed;
} load;

static void *run_until_stopped(void *data) {
  load *own = data;
  double *z = malloc(N * sizeof *z);
  gj_error err;
  if (own->finishes)
    own->failed = gj_program_finish(own->program, &err) != GJ_OK;
  while (z && !own->failed && !atomic_load(own->stop)) {
    void *buffers[] = {x, y, z};
    own->failed = gj_program_run(own->program, own->binding, buffers, NULL, NULL, &err) != GJ_OK ||
                  memcmp(z, own->want, N * sizeof *z) != 0;
  }
  free(z);
  return NULL;
}

static void threads_see_the_same_results_across_the_swap(void) {
  static double want[N];
  for (int round = 0; round < (check_is_quick() ? 2 : 10); round++) {
    gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_DEFAULT);
    gj_binding *binding = bind(program);
    atomic_bool stop = false;
    load loads[THREADS];
    pthread_t threads[THREADS];
    run(program, binding, want);
    for (int i = 0; i < THREADS; i++) {
      loads[i] = (load){program, binding, want, &stop, round % 2 == 1 && i < 2, false};
      CHECK_INT_EQ(pthread_create(&threads[i], NULL, run_until_stopped, &loads[i]), 0);
    }
    for (int i = 0; i < 20000 && tier_of(program) == GJ_TIER_AUTO; i++)
      usleep(1000);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) {
      pthread_join(threads[i], NULL);
      CHECK(!loads[i].failed);
    }
    CHECK_INT_EQ(tier_of(program), GJ_TIER_LLVM);
    gj_binding_free(binding);
    gj_program_free(program);
  }
}

// --- freeing ---

static void programs_may_be_freed_at_any_moment(void) {
  static double z[N];
  for (int i = 0; i < (check_is_quick() ? 10 : 60); i++) {
    gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_DEFAULT);
    gj_binding *binding = bind(program);
    int runs = i % 6 == 0 ? 0 : 60; // enough to be queued
    for (int k = 0; k < runs; k++)
      run(program, binding, z);
    if (i % 3 == 0)
      usleep((useconds_t)(i * 200)); // while it waits, is compiled, or is done
    gj_binding_free(binding);
    gj_program_free(program);
  }
  size_t programs, code_bytes, objects, bytes;
  for (int i = 0; i < 20000; i++) { // jobs under way end by themselves
    gj_program_usage(&programs, &code_bytes);
    if (code_bytes == 0)
      break;
    usleep(1000);
  }
  gj_jit_usage(&objects, &bytes);
  CHECK_INT_EQ(programs, 0);
  CHECK_INT_EQ(code_bytes, 0);
  CHECK_INT_EQ(objects, 0);
}

// --- the rest of the process ---

static atomic_int handled;

static void note_signal(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void signals_are_left_to_other_threads(void) {
  gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_STRICT);
  gj_binding *binding = bind(program);
  static double z[N];
  sigset_t mine, before;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  for (int i = 0; i < 60; i++) // the thread is there afterwards
    run(program, binding, z);
  signal(SIGUSR1, note_signal);
  pthread_sigmask(SIG_BLOCK, &mine, &before);
  kill(getpid(), SIGUSR1);
  usleep(20000);
  CHECK_INT_EQ(atomic_load(&handled), 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  CHECK_INT_EQ(atomic_load(&handled), 1);
  signal(SIGUSR1, SIG_DFL);
  gj_binding_free(binding);
  gj_program_free(program);
}

// Waits some time for a child and ends it if that was not enough. True when it ended well itself.
static bool ends_well(pid_t child) {
  int status = -1;
  for (int i = 0; i < 20000; i++) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

static void a_forked_child_runs_and_ends_while_its_parent_compiles(void) {
  static double want[N], z[N];
  for (int round = 0; round < 4; round++) {
    gj_program *program = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_DEFAULT);
    gj_binding *binding = bind(program);
    for (int i = 0; i < 60; i++)
      run(program, binding, want);
    usleep((useconds_t)(round * 700)); // queued, or being compiled
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      bool same = true;
      for (int i = 0; i < 60 && same; i++)
        same = run(program, binding, z) && memcmp(want, z, sizeof z) == 0;
      gj_tiers_stop(true); // as exit() does
      if (same) // ends well without a look for leaks: the stacks of the parent's threads are lost
        execlp("true", "true", (char *)NULL);
      _exit(1);
    }
    CHECK(ends_well(child));
    gj_binding_free(binding);
    gj_program_free(program);
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    x[i] = i * 0.37 - 500;
    y[i] = 1.0 / (i + 1);
  }
  CHECK_RUN(results_keep_their_bits_at_the_swap);
  CHECK_RUN(a_hot_program_gets_compiled_by_itself);
  CHECK_RUN(fast_programs_are_compiled_at_once);
  CHECK_RUN(threads_see_the_same_results_across_the_swap);
  CHECK_RUN(programs_may_be_freed_at_any_moment);
  CHECK_RUN(signals_are_left_to_other_threads);
  CHECK_RUN(a_forked_child_runs_and_ends_while_its_parent_compiles);
  gj_program *last = compile(text, GJ_TIER_AUTO, GJ_NUMERICS_DEFAULT); // the process ends while it
  gj_binding *binding = bind(last);                                    // is compiled
  static double z[N];
  for (int i = 0; i < 60; i++)
    run(last, binding, z);
  gj_binding_free(binding);
  gj_program_free(last);
  return check_report();
}
