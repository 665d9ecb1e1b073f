// Tests of profiles: what kernels move and compute, counted by hand, and that measuring runs what a
// run runs and frees what it compiled.
#include "check.h"
#include "graphjit.h"
#include "jit/code/orc.h"
#include "passes/traffic.h"

#include <math.h>

enum { MOST_KERNELS = 8 };

// Formulas say the same as counting with the values of the symbols, where each is at least 1.
static void check_formulas(const gj_plan *plan, const int64_t *symbols, const gj_traffic *counted) {
  static const int64_t no_symbols;
  gj_dims *dims = gj_graph_dims(plan->graph);
  gj_error err = {0};
  gj_traffic_formulas formulas[MOST_KERNELS];
  for (size_t s = 0; s < gj_dims_symbol_count(dims); s++)
    if (symbols[s] < 1)
      return;
  CHECK_OK(gj_plan_traffic_formulas(plan, formulas, &err), &err);
  for (uint32_t k = 0; k < plan->kernel_count; k++) {
    const gj_dim dim[] = {formulas[k].bytes_read, formulas[k].bytes_written, formulas[k].ops};
    const double number[] = {counted[k].bytes_read, counted[k].bytes_written,
                             counted[k].narrow_ops + counted[k].wide_ops};
    for (size_t i = 0; i < 3; i++) {
      int64_t value = -1;
      CHECK(gj_dim_eval(dims, dim[i], symbols ? symbols : &no_symbols, &value));
      CHECK_DOUBLE_EQ((double)value, number[i]);
    }
  }
}

// Counts the kernels of a graph as it is planned, without simplification; returns how many.
static size_t count(const char *text, const int64_t *symbols, gj_traffic *out) {
  gj_error err = {0};
  gj_graph *graph = NULL;
  gj_plan *plan = NULL;
  size_t kernels = 0;
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  if (graph)
    CHECK_OK(gj_plan_new(graph, &plan, &err), &err);
  if (plan && CHECK(plan->kernel_count <= MOST_KERNELS)) {
    CHECK_OK(gj_plan_traffic(plan, symbols, out, &err), &err);
    check_formulas(plan, symbols, out);
    kernels = plan->kernel_count;
  }
  gj_plan_free(plan);
  gj_graph_free(graph);
  return kernels;
}

static void check_traffic(const gj_traffic *t, double bytes_read, double bytes_written,
                          double narrow_ops, double wide_ops) {
  CHECK_DOUBLE_EQ(t->bytes_read, bytes_read);
  CHECK_DOUBLE_EQ(t->bytes_written, bytes_written);
  CHECK_DOUBLE_EQ(t->narrow_ops, narrow_ops);
  CHECK_DOUBLE_EQ(t->wide_ops, wide_ops);
}

static void elements_count_once_however_often_they_are_used(void) {
  gj_traffic t[MOST_KERNELS];
  const int64_t symbols[1] = {10};
  size_t kernels = count("graph \"g\" {\n"
                         "  %1 = param \"x\" : f64[n]\n"
                         "  %2 = mul %1, %1\n"
                         "  %3 = add %2, %1\n"
                         "  %4 = fma %2, %3, %3\n"
                         "  output \"z\" = %4\n}\n",
                         symbols, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 80, 80, 0, 10 * (1 + 1 + 2));
}

static void broadcast_operands_are_as_small_as_they_are(void) {
  gj_traffic t[MOST_KERNELS];
  const int64_t symbols[2] = {10, 7};
  size_t kernels = count("graph \"g\" {\n"
                         "  %1 = param \"x\" : f32[n, m]\n"
                         "  %2 = param \"y\" : f32[m]\n"
                         "  %3 = param \"c\" : f32[]\n"
                         "  %4 = neg %2\n"
                         "  %5 = mul %1, %4\n"
                         "  %6 = add %5, %3\n"
                         "  output \"z\" = %6\n}\n",
                         symbols, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 4 * (70 + 7 + 1), 4 * 70, 7 + 70 + 70, 0);
}

static void of_a_slice_only_what_is_taken_counts(void) {
  gj_traffic t[MOST_KERNELS];
  size_t kernels = count("graph \"g\" {\n"
                         "  %1 = param \"x\" : f64[100]\n"
                         "  %2 = slice %1 {start=[0], shape=[10], stride=[1]}\n"
                         "  %3 = slice %1 {start=[50], shape=[10], stride=[2]}\n"
                         "  %4 = sub %2, %3\n"
                         "  output \"z\" = %4\n}\n",
                         NULL, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 160, 80, 0, 10);
  kernels = count("graph \"g\" {\n"
                  "  %1 = param \"x\" : f64[100]\n"
                  "  %2 = slice %1 {start=[0], shape=[99], stride=[1]}\n"
                  "  %3 = slice %1 {start=[1], shape=[99], stride=[1]}\n"
                  "  %4 = sub %3, %2\n"
                  "  output \"z\" = %4\n}\n",
                  NULL, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 800, 792, 0, 99); // no more than there is
}

static void reductions_and_shared_values_count_per_kernel(void) {
  gj_traffic t[MOST_KERNELS];
  const int64_t symbols[1] = {1000};
  size_t kernels = count("graph \"g\" {\n"
                         "  %1 = param \"x\" : f32[n]\n"
                         "  %2 = exp %1\n"
                         "  %3 = reduce_sum %2 {axes=[0]}\n"
                         "  %4 = div %2, %3\n"
                         "  output \"z\" = %4\n}\n",
                         symbols, t);
  CHECK_OR_RETURN(kernels == 3);
  check_traffic(&t[0], 4000, 4000, 1000 * gj_op_get(GJ_OP_exp)->narrow_flops, 0);
  CHECK(gj_op_get(GJ_OP_exp)->narrow_flops > 10);
  check_traffic(&t[1], 4000, 4, 1000, 0);
  check_traffic(&t[2], 4004, 4000, 1000, 0);
  kernels = count("graph \"g\" {\n"
                  "  %1 = param \"x\" : f32[n]\n"
                  "  %2 = const 1 : f64[n]\n"
                  "  %3 = reduce_sum %2 {axes=[0]}\n"
                  "  output \"z\" = %3\n}\n",
                  symbols, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 0, 8, 0, 0); // a count, known from the size
}

static void an_empty_run_moves_nothing(void) {
  gj_traffic t[MOST_KERNELS];
  const int64_t symbols[1] = {0};
  size_t kernels = count("graph \"g\" {\n"
                         "  %1 = param \"x\" : f64[n]\n"
                         "  %2 = exp %1\n"
                         "  output \"z\" = %2\n}\n",
                         symbols, t);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 0, 0, 0, 0);
}

// Every link doubles the paths to the first value.
static void chains_of_shared_values_take_no_longer_than_they_are(void) {
  gj_traffic t[MOST_KERNELS];
  gj_strbuf text = {0};
  gj_strbuf_text(&text, "graph \"g\" {\n  %0 = param \"x\" : f64[8]\n");
  for (int i = 1; i <= 60; i++)
    gj_strbuf_printf(&text, "  %%%d = add %%%d, %%%d\n", i, i - 1, i - 1);
  gj_strbuf_text(&text, "  output \"z\" = %60\n}\n");
  size_t kernels = count(gj_strbuf_peek(&text), NULL, t);
  gj_strbuf_fini(&text);
  CHECK_OR_RETURN(kernels == 1);
  check_traffic(&t[0], 64, 64, 0, 60 * 8);
}

// --- measuring ---

static const char *const chain = "graph \"chain\" {\n"
                                 "  %1 = param \"x\" : f64[n]\n"
                                 "  %2 = exp %1\n"
                                 "  %3 = reduce_sum %2 {axes=[0]}\n"
                                 "  %4 = mul %2, %3\n"
                                 "  %5 = sqrt %4\n"
                                 "  %6 = reverse %5 {axes=[0]}\n"
                                 "  %7 = reduce_max %5 {axes=[0]}\n"
                                 "  %8 = div %6, %7\n"
                                 "  output \"z\" = %8\n}\n";

static gj_program *compile(const char *text) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_graph *graph = NULL;
  gj_compile_options options = {.opt_level = 3, .threads = 1};
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  if (graph)
    CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
  gj_graph_free(graph);
  return program;
}

// Profiles `program` on x and checks that z is what `expected` says, as the last thing that a
// profile runs is the kernels one by one.
static gj_profile *profile(const gj_program *program, const gj_binding *binding, double *x,
                           const double *expected, size_t n, gj_profile_options options) {
  gj_error err = {0};
  gj_profile *out = NULL;
  double *z = calloc(n + 1, sizeof *z);
  z[n] = 12345;
  void *buffers[2] = {x, z};
  CHECK_OK(gj_program_profile(program, binding, buffers, &options, &out, &err), &err);
  for (size_t i = 0; i < n; i++)
    CHECK_DOUBLE_EQ(z[i], expected[i]);
  CHECK_DOUBLE_EQ(z[n], 12345);
  free(z);
  return out;
}

static void check_profile(const gj_profile *p, const gj_program *program) {
  const gj_report *report = NULL;
  gj_error err = {0};
  CHECK_OK(gj_program_report(program, &report, &err), &err);
  CHECK_OR_RETURN(p && report);
  CHECK_INT_EQ(p->kernel_count, report->kernel_count);
  CHECK(p->run.best > 0 && p->run.best <= p->run.median);
  for (size_t k = 0; k < p->kernel_count; k++) {
    CHECK(p->kernels[k].best >= 0 && p->kernels[k].best <= p->kernels[k].median);
    CHECK(p->traffic[k].bytes_written > 0);
  }
}

static void kernels_run_one_by_one_as_in_a_run(void) {
  enum { N = 1000 };
  size_t objects, bytes, again;
  gj_error err = {0};
  gj_program *program = compile(chain);
  const int64_t shape[1] = {N}, *shapes[1] = {shape};
  gj_binding *binding = NULL;
  CHECK_OR_RETURN(program != NULL);
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  double x[N], z[N];
  for (int i = 0; i < N; i++)
    x[i] = i / 500.0;
  void *buffers[2] = {x, z};
  CHECK_OK(gj_program_run(program, binding, buffers, NULL, NULL, &err), &err);
  gj_jit_usage(&objects, &bytes);
  for (int i = 0; i < 2; i++) {
    gj_profile *p = profile(program, binding, x, z, N, (gj_profile_options){5, 60});
    check_profile(p, program);
    CHECK(p && p->runs == 5);
    gj_profile_free(p);
    gj_jit_usage(&again, &bytes);
    CHECK_INT_EQ(again, objects + 1); // the variant, compiled once
  }
  gj_binding_free(binding);
  gj_program_free(program);
  gj_jit_usage(&again, &bytes);
  CHECK_INT_EQ(again, objects - 1);
}

static void the_time_bounds_the_runs(void) {
  gj_error err = {0};
  gj_program *program = compile(chain);
  const int64_t shape[1] = {3}, *shapes[1] = {shape};
  gj_binding *binding = NULL;
  CHECK_OR_RETURN(program != NULL);
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  double x[3] = {1, 2, 3}, z[3];
  void *buffers[2] = {x, z};
  CHECK_OK(gj_program_run(program, binding, buffers, NULL, NULL, &err), &err);
  gj_profile *p = profile(program, binding, x, z, 3, (gj_profile_options){UINT32_MAX, 1e-9});
  CHECK(p && p->runs == 1);
  gj_profile_free(p);
  gj_profile_options none = {0, 1};
  CHECK_INT_EQ(gj_program_profile(program, binding, buffers, &none, &p, &err), GJ_E_ARGUMENT);
  CHECK_STR_EQ(err.message, "profile: expected at least 1 run, got 0");
  gj_binding_free(binding);
  gj_program_free(program);
}

static void the_roof_is_measured_once(void) {
  const gj_roof *roof = NULL, *again = NULL;
  gj_error err = {0};
  if (check_is_quick())
    return;
  CHECK_OK(gj_machine_roof(1, &roof, &err), &err);
  CHECK_OK(gj_machine_roof(0, &again, &err), &err);
  CHECK_OR_RETURN(roof && roof == again);
  CHECK(roof->threads == 1 && isfinite(roof->wide) && roof->wide > 0 && roof->narrow > 0);
  for (int i = 0; i < GJ_ROOF_LEVELS; i++) {
    CHECK(isfinite(roof->levels[i].read) && roof->levels[i].read > 0);
    CHECK(isfinite(roof->levels[i].copy) && roof->levels[i].copy > 0);
    CHECK(i == 0 || roof->levels[i].bytes > roof->levels[i - 1].bytes);
  }
  CHECK(roof->levels[GJ_ROOF_LEVELS - 1].bytes == SIZE_MAX);
  CHECK_OK(gj_machine_roof(1000000, &again, &err), &err);
  CHECK(again && again->threads >= 1 && again->threads <= 256);
}

int main(void) {
  CHECK_RUN(elements_count_once_however_often_they_are_used);
  CHECK_RUN(broadcast_operands_are_as_small_as_they_are);
  CHECK_RUN(of_a_slice_only_what_is_taken_counts);
  CHECK_RUN(reductions_and_shared_values_count_per_kernel);
  CHECK_RUN(an_empty_run_moves_nothing);
  CHECK_RUN(chains_of_shared_values_take_no_longer_than_they_are);
  CHECK_RUN(kernels_run_one_by_one_as_in_a_run);
  CHECK_RUN(the_time_bounds_the_runs);
  CHECK_RUN(the_roof_is_measured_once);
  return check_report();
}
