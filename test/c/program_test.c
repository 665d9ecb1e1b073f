// Tests of compiled programs: that their code is freed, that any thread may compile and run them,
// that a run can be stopped, and what is refused.
//
//   program_test [programs]    how many programs the leak test compiles
#include "check.h"
#include "graphjit.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#endif

enum { THREADS = 4 };

#ifdef HAS_ASAN // which keeps freed memory, so there is no size to watch
static long program_count = 300;
#else
static long program_count = 1200;
#endif

static gj_graph *parse(const char *text) {
  gj_error err = {0};
  gj_graph *graph = NULL;
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  return graph;
}

static gj_program *compile(const char *text, unsigned opt_level) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_graph *graph = parse(text);
  gj_compile_options options = {.opt_level = opt_level, .threads = 1};
  if (graph)
    CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
  gj_graph_free(graph); // the program keeps nothing of it
  return program;
}

static gj_binding *bind(const gj_program *program, const int64_t *const *shapes) {
  gj_error err = {0};
  gj_binding *binding = NULL;
  if (program)
    CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  return binding;
}

// --- memory ---

// Resident bytes of this process.
static long resident(void) {
  long pages = 0, ignored;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  if (fscanf(file, "%ld %ld", &ignored, &pages) != 2)
    pages = 0;
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

// Program number i, unlike all others: its constants and the length of its chain differ.
static bool compile_and_run(long i) {
  static const char *const ops[] = {"add", "mul", "sub", "div", "min", "max"};
  gj_strbuf text = {0};
  gj_strbuf_printf(&text, "graph \"p%ld\" {\n  %%0 = param \"x\" : f64[n]\n", i);
  long length = 1 + i % 7;
  for (long k = 1; k <= length; k++)
    gj_strbuf_printf(&text, "  %%c%ld = const %ld.5 : f64[]\n  %%%ld = %s %%%ld, %%c%ld\n", k,
                     i + k, k, ops[(i / 7 + k) % 6], k - 1, k);
  gj_strbuf_printf(&text, "  %%s = reduce_sum %%%ld {axes=[0]}\n", length);
  gj_strbuf_printf(&text, "  output \"z\" = %%%s\n}\n", i % 3 ? "1" : "s");
  gj_program *program = compile(gj_strbuf_peek(&text), (unsigned)(i % 4));
  int64_t shape[1] = {3};
  const int64_t *shapes[1] = {shape};
  gj_binding *binding = bind(program, shapes);
  double x[3] = {1, 2, 3}, z[3];
  void *buffers[2] = {x, z};
  gj_error err = {0};
  bool ok = binding && gj_program_run(program, binding, buffers, NULL, NULL, &err) == GJ_OK;
  gj_binding_free(binding);
  gj_program_free(program);
  gj_strbuf_fini(&text);
  return ok;
}

static void resident_size_stays_flat_over_many_programs(void) {
  enum { WARM = 200 };
  long count = check_is_quick() ? 4 : program_count, before = 0;
  size_t programs, bytes, others; // functions that other tests have made ops of live on
  gj_program_usage(&programs, &others);
  for (long i = 0; i < count; i++) {
    if (!CHECK(compile_and_run(i)))
      return;
    if (i + 1 == WARM)
      before = resident();
  }
  gj_program_usage(&programs, &bytes);
  CHECK_INT_EQ(programs, 0);
  CHECK_INT_EQ(bytes, others);
  if (check_is_quick() || count <= WARM)
    return;
  long after = resident();
  printf("%ld programs: resident size %.1f MB after %d, %.1f MB at the end\n", count,
         (double)before / 1e6, WARM, (double)after / 1e6);
#ifndef HAS_ASAN
  CHECK(after - before < 4 << 20);
#endif
}

static void usage_counts_what_is_alive(void) {
  size_t programs, bytes, none, others;
  gj_program_usage(&programs, &others);
  gj_program *a = compile("graph \"a\" { %1 = param \"x\" : f64[] output \"z\" = %1 }", 3);
  gj_program *b = compile("graph \"b\" { %1 = param \"x\" : f64[] output \"z\" = %1 }", 3);
  gj_program_usage(&programs, &bytes);
  CHECK_INT_EQ(programs, 2);
  CHECK(bytes > others);
  gj_program_free(a);
  gj_program_free(b);
  gj_program_free(NULL);
  gj_program_usage(&programs, &none);
  CHECK_INT_EQ(programs, 0);
  CHECK_INT_EQ(none, others);
}

// --- threads ---

static const char *const softmax = "graph \"softmax\" {\n"
                                   "  %1 = param \"x\" : f64[n, m]\n"
                                   "  %2 = reduce_max %1 {axes=[1]}\n"
                                   "  %3 = reshape %2 {shape=[n, 1]}\n"
                                   "  %4 = sub %1, %3\n"
                                   "  %5 = exp %4\n"
                                   "  %6 = reduce_sum %5 {axes=[1]}\n"
                                   "  %7 = reshape %6 {shape=[n, 1]}\n"
                                   "  %8 = div %5, %7\n"
                                   "  output \"z\" = %8\n}\n";

typedef struct worker {
  pthread_t thread;
  const gj_program *program;
  int64_t n, m;
  int rounds;
  int different; // results that were not those of the first run
  bool ok;
} worker;

static void *run_often(void *context) {
  worker *w = context;
  size_t count = (size_t)(w->n * w->m);
  double *x = calloc(count, sizeof *x), *z = calloc(count, sizeof *z), *first = NULL;
  int64_t shape[2] = {w->n, w->m};
  const int64_t *shapes[1] = {shape};
  gj_error err = {0};
  gj_binding *binding = NULL;
  void *buffers[2] = {x, z};
  for (size_t i = 0; i < count; i++)
    x[i] = (double)(i * 7919 % 1000) / 100;
  w->ok = gj_program_bind(w->program, shapes, &binding, &err) == GJ_OK;
  for (int round = 0; w->ok && round < w->rounds; round++) {
    w->ok = gj_program_run(w->program, binding, buffers, NULL, NULL, &err) == GJ_OK;
    if (!first) {
      first = malloc(count * sizeof *first);
      memcpy(first, z, count * sizeof *first);
    }
    w->different += memcmp(first, z, count * sizeof *first) != 0;
    memset(z, 0, count * sizeof *z);
  }
  double sum = 0; // of a softmax, 1 per row
  for (size_t i = 0; first && i < count; i++)
    sum += first[i];
  w->ok = w->ok && sum > (double)w->n - 1e-9 && sum < (double)w->n + 1e-9;
  gj_binding_free(binding);
  free(first);
  free(x);
  free(z);
  return NULL;
}

// Each thread has sizes of its own, so that arenas of several sizes are in use at once.
static void threads_run_one_program_at_once(void) {
  worker workers[THREADS];
  gj_program *program = compile(softmax, 3);
  CHECK_OR_RETURN(program != NULL);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.program = program, .n = 3 + i, .m = 40 + 17 * i, .rounds = 200};
    if (check_is_quick())
      workers[i].rounds = 5;
    CHECK_INT_EQ(pthread_create(&workers[i].thread, NULL, run_often, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK(workers[i].ok);
    CHECK_INT_EQ(workers[i].different, 0);
  }
  gj_program_free(program);
}

static void *compile_often(void *context) {
  worker *w = context;
  w->ok = true;
  for (long i = 0; i < w->rounds; i++)
    w->ok = compile_and_run(w->n + 4 * i) && w->ok;
  return NULL;
}

static void threads_compile_at_once(void) {
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.n = i, .rounds = check_is_quick() ? 1 : 25};
    CHECK_INT_EQ(pthread_create(&workers[i].thread, NULL, compile_often, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    CHECK(workers[i].ok);
  }
}

// --- cancelling ---

// Some 10^12 steps: nobody waits for the end.
static const char *const endless = "graph \"endless\" {\n"
                                   "  %1 = param \"x\" : i64[n]\n"
                                   "  %2 = iota {dtype=i64, shape=[1000000, n, n], axis=0}\n"
                                   "  %3 = mul %2, %1\n"
                                   "  %4 = reduce_sum %3 {axes=[0, 1, 2]}\n"
                                   "  output \"z\" = %4\n}\n";

static void *cancel_soon(void *context) {
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
  *(volatile int32_t *)context = 1;
  return NULL;
}

static void a_run_stops_when_asked(void) {
  int64_t shape[1] = {1000};
  const int64_t *shapes[1] = {shape};
  gj_program *program = compile(endless, 3);
  gj_binding *binding = bind(program, shapes);
  CHECK_OR_RETURN(binding != NULL);
  int64_t *x = calloc(1000, sizeof *x), z;
  void *buffers[2] = {x, &z};
  volatile int32_t cancel = 0;
  gj_error err = {0};
  pthread_t thread;
  CHECK_INT_EQ(pthread_create(&thread, NULL, cancel_soon, (void *)&cancel), 0);
  CHECK_INT_EQ(gj_program_run(program, binding, buffers, NULL, &cancel, &err), GJ_E_CANCELLED);
  CHECK_STR_EQ(err.message, "run: cancelled");
  pthread_join(thread, NULL);
  CHECK_INT_EQ(gj_program_run(program, binding, buffers, NULL, &cancel, &err), GJ_E_CANCELLED);
  free(x);
  gj_binding_free(binding);
  gj_program_free(program);
}

static void every_kind_of_kernel_stops_when_asked(void) {
  static const char *const texts[] = {
      "graph \"flat\" { %1 = param \"x\" : f64[n] %2 = neg %1 output \"z\" = %2 }",
      "graph \"nest\" { %1 = param \"x\" : f64[n] %2 = broadcast %1 {shape=[2, n], axes=[1]}"
      " output \"z\" = %2 }",
      "graph \"rows\" { %1 = param \"x\" : f64[n] %2 = reduce_sum %1 {axes=[0]} output \"z\" = %2 "
      "}",
      "graph \"short rows\" { %1 = param \"x\" : f64[n] %2 = broadcast %1 {shape=[n, 8], axes=[0]}"
      " %3 = reduce_sum %2 {axes=[0, 1]} output \"z\" = %3 }",
      "graph \"concat\" { %1 = param \"x\" : f64[n] %2 = concat %1, %1 {axis=0} output \"z\" = %2 "
      "}",
      "graph \"pad\" { %1 = param \"x\" : f64[n] %2 = const 0.0 : f64[]"
      " %3 = pad %1, %2 {lo=[1], hi=[1], interior=[0]} output \"z\" = %3 }",
  };
  enum { N = 200000 };
  int64_t shape[1] = {N};
  const int64_t *shapes[1] = {shape};
  double *x = calloc(N, sizeof *x), *z = calloc(2 * N + 2, sizeof *z);
  void *buffers[2] = {x, z};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    volatile int32_t cancel = 1;
    gj_error err = {0};
    gj_program *program = compile(texts[i], 3);
    gj_binding *binding = bind(program, shapes);
    if (binding) {
      if (!CHECK_INT_EQ(gj_program_run(program, binding, buffers, NULL, &cancel, &err),
                        GJ_E_CANCELLED))
        printf("%s\n", texts[i]);
      cancel = 0;
      CHECK_OK(gj_program_run(program, binding, buffers, NULL, &cancel, &err), &err);
    }
    gj_binding_free(binding);
    gj_program_free(program);
  }
  free(x);
  free(z);
}

// --- scratch ---

static const char *const reversed = "graph \"reversed\" {\n"
                                    "  %1 = param \"x\" : f64[n]\n"
                                    "  %2 = mul %1, %1\n"
                                    "  %3 = reverse %2 {axes=[0]}\n"
                                    "  %4 = sub %3, %2\n"
                                    "  output \"z\" = %4\n}\n";

// From the caller, from the thread's cache, and beyond the size that is kept.
static void scratch_comes_from_the_caller_or_from_a_cache(void) {
  static const int64_t sizes[] = {0, 5, 1000, 9 << 20};
  gj_program *program = compile(reversed, 3);
  CHECK_OR_RETURN(program != NULL);
  for (size_t k = 0; k < (check_is_quick() ? 3 : sizeof sizes / sizeof *sizes); k++) {
    size_t n = (size_t)sizes[k];
    const int64_t *shapes[1] = {&sizes[k]};
    gj_binding *binding = bind(program, shapes);
    CHECK_OR_RETURN(binding != NULL);
    CHECK_INT_EQ(binding->scratch_bytes, (n * 8 + 63) / 64 * 64);
    double *x = malloc((n + 1) * 8), *z = malloc((n + 1) * 8);
    unsigned char *scratch = aligned_alloc(64, binding->scratch_bytes + 64);
    void *buffers[2] = {x, z};
    gj_error err = {0};
    for (size_t i = 0; i < n; i++)
      x[i] = (double)i;
    for (int own = 0; own < 2; own++) {
      memset(z, 0xA5, (n + 1) * 8);
      memset(scratch + binding->scratch_bytes, 0xA5, 64);
      CHECK_OK(gj_program_run(program, binding, buffers, own ? scratch : NULL, NULL, &err), &err);
      for (size_t i = 0; i < n; i += 1 + n / 100) {
        double a = (double)(n - 1 - i), b = (double)i;
        CHECK_DOUBLE_EQ(z[i], a * a - b * b);
      }
      for (size_t i = 0; i < 64; i++)
        CHECK(scratch[binding->scratch_bytes + i] == 0xA5);
      CHECK(((unsigned char *)(z + n))[0] == 0xA5);
    }
    free(x);
    free(z);
    free(scratch);
    gj_binding_free(binding);
  }
  gj_program_free(program);
}

// --- what is refused ---

static void bad_options_are_refused(void) {
  gj_graph *graph = parse("graph \"g\" { %1 = param \"x\" : f64[] output \"z\" = %1 }");
  gj_graph *empty = parse("graph \"g\" { %1 = param \"x\" : f64[] }");
  gj_error err = {0};
  gj_program *program = NULL;
  gj_compile_options level = {.opt_level = 4, .threads = 1}, threads = {.opt_level = 3};
  gj_compile_options fine = {.opt_level = 3, .threads = 1};
  CHECK_INT_EQ(gj_program_compile(graph, &level, &program, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "0 to 3, got 4");
  CHECK_INT_EQ(gj_program_compile(graph, &threads, &program, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "at least 1 thread, got 0");
  CHECK_INT_EQ(gj_program_compile(empty, &fine, &program, &err), GJ_E_ARGUMENT);
  CHECK_CONTAINS(err.message, "output");
  CHECK(program == NULL);
  gj_graph_free(graph);
  gj_graph_free(empty);
}

static void check_bind_fails(const gj_program *program, const int64_t *const *shapes,
                             gj_status status, const char *part) {
  gj_error err = {0};
  gj_binding *binding = NULL;
  CHECK_INT_EQ(gj_program_bind(program, shapes, &binding, &err), status);
  CHECK_CONTAINS(err.message, part);
  CHECK(binding == NULL);
}

static void bindings_name_what_disagrees(void) {
  gj_program *program =
      compile("graph \"bind\" {\n"
              "  %1 = param \"x\" : f64[n, 3]\n"
              "  %2 = param \"y\" : f64[n - 2]\n"
              "  %3 = param \"w\" : f64[m]\n"
              "  %4 = reshape %3 {shape=[2, n]}\n"
              "  output \"z\" = %4\n  output \"y2\" = %2\n  output \"x2\" = %1\n}\n",
              3);
  CHECK_OR_RETURN(program != NULL);
  int64_t x[2] = {5, 3}, y[1] = {3}, w[1] = {10};
  const int64_t *shapes[3] = {x, y, w};
  gj_binding *binding = bind(program, shapes);
  if (binding) {
    CHECK_INT_EQ(binding->output_shapes[0], 2);
    CHECK_INT_EQ(binding->output_shapes[1], 5);
    CHECK_INT_EQ(binding->buffer_bytes[0], 120);
    CHECK_INT_EQ(binding->buffer_bytes[3], 80);
  }
  gj_binding_free(binding);
  x[1] = 4;
  check_bind_fails(program, shapes, GJ_E_SHAPE, "input \"x\": axis 1 has size 4");
  x[1] = 3;
  y[0] = 4;
  check_bind_fails(program, shapes, GJ_E_SHAPE, "input \"y\": axis 0 has size 4");
  y[0] = 3;
  w[0] = 11;
  check_bind_fails(program, shapes, GJ_E_SHAPE, "reshape");
  w[0] = -1;
  check_bind_fails(program, shapes, GJ_E_SHAPE, "input \"w\"");
  w[0] = 10;
  x[0] = INT64_MAX;
  check_bind_fails(program, shapes, GJ_E_SHAPE, "has size 9223372036854775807, not in [0, 2^47]");
  gj_program_free(program);
}

// Sizes that fit one by one but not together, and values of a run that nobody has memory for.
static void sizes_beyond_memory_are_refused(void) {
  gj_program *program = compile("graph \"outer\" {\n"
                                "  %1 = param \"x\" : u8[n, 1]\n"
                                "  %2 = param \"y\" : u8[m]\n"
                                "  %3 = add %1, %2\n"
                                "  %4 = convert %3 {dtype=f64}\n"
                                "  %5 = exp %4\n"
                                "  %6 = reverse %5 {axes=[0]}\n"
                                "  %7 = add %5, %6\n"
                                "  %8 = reduce_sum %7 {axes=[0, 1]}\n"
                                "  output \"z\" = %8\n}\n",
                                3);
  CHECK_OR_RETURN(program != NULL);
  int64_t x[2] = {1 << 24, 1}, y[1] = {1 << 24};
  const int64_t *shapes[2] = {x, y};
  check_bind_fails(program, shapes, GJ_E_OVERFLOW, "2^47 bytes");
  y[0] = 100000;
  gj_binding *binding = bind(program, shapes);
  CHECK_OR_RETURN(binding != NULL);
  CHECK_INT_EQ(binding->scratch_bytes, (INT64_C(100000) << 24) * 8);
  gj_binding_free(binding);
  gj_program_free(program);
}

// n^34 has more factors than a dim may have, so only the loops can tell how many elements there
// are.
static void products_too_long_for_a_dim_are_multiplied_in_the_run(void) {
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"long\" {\n  %1 = param \"x\" : f64[n]\n  %2 = param \"y\" : f64[");
  for (unsigned i = 0; i < 34; i++)
    gj_strbuf_text(&text, i == 0 ? "n" : i == 17 ? ", n" : "*n");
  gj_strbuf_text(&text, "]\n  %3 = neg %2\n  %4 = reduce_sum %2 {axes=[0, 1]}\n"
                        "  output \"z\" = %3\n  output \"sum\" = %4\n}\n");
  gj_program *program = compile(gj_strbuf_peek(&text), 1);
  const int64_t shape[2] = {1, 1}, *shapes[2] = {shape, shape};
  gj_binding *binding = bind(program, shapes);
  double x = 0, y = 3, z = 0, sum = 0;
  void *buffers[4] = {&x, &y, &z, &sum};
  gj_error err = {0};
  if (binding)
    CHECK_OK(gj_program_run(program, binding, buffers, NULL, NULL, &err), &err);
  CHECK(z == -3);
  CHECK(sum == 3);
  gj_binding_free(binding);
  gj_program_free(program);
  gj_strbuf_fini(&text);
}

// Expressions have a limited depth, and each link makes the index of the first one deeper.
static void movement_chains_of_any_length_compile(void) {
  enum { LINKS = 600 };
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"chain\" {\n  %1 = param \"x\" : f64[n, m]\n");
  for (unsigned i = 1; i <= LINKS; i++)
    gj_strbuf_printf(&text, "  %%%u = %s %%%u {axes=%s}\n", i + 1, i % 2 ? "reverse" : "transpose",
                     i, i % 2 ? "[0]" : "[1, 0]");
  gj_strbuf_printf(&text, "  output \"z\" = %%%u\n}\n", LINKS + 1);
  gj_program *program = compile(gj_strbuf_peek(&text), 1);
  const int64_t shape[2] = {2, 3}, *shapes[1] = {shape};
  gj_binding *binding = bind(program, shapes);
  double x[6] = {1, 2, 3, 4, 5, 6}, z[6] = {0};
  void *buffers[2] = {x, z};
  gj_error err = {0};
  if (binding) // a quarter turn, a multiple of four times
    CHECK_OK(gj_program_run(program, binding, buffers, NULL, NULL, &err), &err);
  CHECK(memcmp(x, z, sizeof x) == 0);
  gj_binding_free(binding);
  gj_program_free(program);
  gj_strbuf_fini(&text);
}

static void programs_explain_themselves(void) {
  gj_program *program = compile(softmax, 3);
  CHECK_OR_RETURN(program != NULL);
  gj_error err = {0};
  gj_strbuf out = {0};
  gj_program_stats stats;
  gj_program_get_stats(program, &stats);
  const gj_report *report = NULL, *second = NULL;
  CHECK_OK(gj_program_report(program, &report, &err), &err);
  CHECK_OK(gj_program_report(program, &second, &err), &err);
  CHECK(report && report == second);
  CHECK_INT_EQ(stats.kernels, report->kernel_count);
  CHECK(stats.code_bytes > 0 && stats.total_ms > 0 && stats.nodes_before == 8);
  CHECK_STR_EQ(report->kernels[0].kind, "rows");
  CHECK_STR_EQ(report->kernels[0].shape, "[n, m]");
  CHECK_STR_EQ(report->kernels[0].reads[0], "x");
  CHECK_STR_EQ(gj_program_input(program, 0)->name, "x");
  CHECK_STR_EQ(gj_program_output(program, 0)->name, "z");
  CHECK_OK(gj_program_print_graph(program, &out, &err), &err);
  CHECK_OK(gj_program_print_loops(program, 0, &out, &err), &err);
  CHECK_OK(gj_program_print_code(program, GJ_EMIT_LLVM_OPTIMIZED, 0, &out, &err), &err);
  CHECK_OK(gj_program_print_code(program, GJ_EMIT_ASSEMBLY, 0, &out, &err), &err);
  CHECK_CONTAINS(gj_strbuf_peek(&out), "graph \"softmax\"");
  CHECK_CONTAINS(gj_strbuf_peek(&out), "module \"softmax\"");
  CHECK_CONTAINS(gj_strbuf_peek(&out), "@graphjit_main");
  gj_strbuf_fini(&out);
  gj_program_free(program);
}

int main(int argc, char **argv) {
  if (argc > 1)
    program_count = strtol(argv[1], NULL, 10);
  CHECK_RUN(usage_counts_what_is_alive);
  CHECK_RUN(resident_size_stays_flat_over_many_programs);
  CHECK_RUN(threads_run_one_program_at_once);
  CHECK_RUN(threads_compile_at_once);
  CHECK_RUN(a_run_stops_when_asked);
  CHECK_RUN(every_kind_of_kernel_stops_when_asked);
  CHECK_RUN(scratch_comes_from_the_caller_or_from_a_cache);
  CHECK_RUN(bad_options_are_refused);
  CHECK_RUN(bindings_name_what_disagrees);
  CHECK_RUN(sizes_beyond_memory_are_refused);
  CHECK_RUN(products_too_long_for_a_dim_are_multiplied_in_the_run);
  CHECK_RUN(movement_chains_of_any_length_compile);
  CHECK_RUN(programs_explain_themselves);
  return check_report();
}
