// Tests of deduplication: which functions are equal, and that calls find what is left of them.

#include "check.h"

#include "loops/dedupe.h"
#include "lower/pipeline.h"

#include <stdlib.h>

enum { MOST_FUNCS = 16 };

// Removes equal functions of a module, checks that it verifies and parses back, and returns its
// text.
static char *dedupe(const char *text, uint32_t left[MOST_FUNCS]) {
  gj_error err = {0};
  gj_lmodule *m = NULL, *again = NULL;
  gj_strbuf out = {0};
  char *printed = NULL;
  size_t size = 0;
  CHECK_OK(gj_lmodule_parse(text, strlen(text), &m, &err), &err);
  if (!m)
    return strdup("");
  CHECK_OK(gj_loops_dedupe(m, true, left, &err), &err);
  CHECK_OK(gj_lmodule_verify(m, &err), &err);
  gj_lmodule_print(m, &out);
  CHECK_OK(gj_strbuf_take(&out, &printed, &size, &err), &err);
  CHECK_OK(gj_lmodule_parse(printed, size, &again, &err), &err);
  gj_lmodule_free(again);
  gj_lmodule_free(m);
  return printed;
}

static void names_and_notes_do_not_count(void) {
  uint32_t left[MOST_FUNCS];
  char *text =
      dedupe("module \"t\" {"
             "  note \"one\""
             "  func a(z: f64*, n: i64) { for i = 0 to n step 1 vector { z[i] = 1.5:f64 } }"
             "  note \"two\""
             "  func b(y: f64*, m: i64) { for j = 0 to m step 1 vector { y[j] = 1.5:f64 } }"
             "  entry func main() -> i32 {"
             "    do call a(buffer<0, f64>, dim<0>)"
             "    do call b(buffer<1, f64>, dim<1>)"
             "    return 0:i32"
             "  }"
             "}",
             left);
  CHECK_CONTAINS(text, "do call a(buffer<1, f64>, dim<1>)");
  CHECK(strstr(text, "func b") == NULL);
  CHECK_INT_EQ(left[0], 0);
  CHECK_INT_EQ(left[1], 0);
  CHECK_INT_EQ(left[2], 1);
  free(text);
}

// `first` and `second` are the params and body of two functions.
static void expect_both_stay(const char *first, const char *second) {
  char text[1024];
  uint32_t left[MOST_FUNCS];
  snprintf(text, sizeof text, "module \"t\" { func a(%s } func b(%s } }", first, second);
  char *made = dedupe(text, left);
  CHECK_INT_EQ(left[1], 1);
  CHECK_CONTAINS(made, "func b");
  free(made);
}

static void every_difference_counts(void) {
  expect_both_stay("z: f64*) { z[0] = 1.0:f64", "z: f64*) { z[0] = 2.0:f64");
  expect_both_stay("z: f64*) { z[0] = 0.0:f64", "z: f64*) { z[0] = -0.0:f64");
  expect_both_stay("z: f64*) { z[0] = 1.0:f64", "z: f64*) { z[1] = 1.0:f64");
  expect_both_stay("z: f64*) { z[0] = 1.0:f64", "z: f64* noalias) { z[0] = 1.0:f64");
  expect_both_stay("z: f64*) { z[0] = z[1]", "z: f32*) { z[0] = z[1]");
  expect_both_stay("z: f64*) { z[0] = z[1]", "z: f64*, n: i64) { z[0] = z[1]");
  expect_both_stay("z: f64*) { z[0] = neg(z[1])", "z: f64*) { z[0] = abs(z[1])");
  expect_both_stay("z: f64*) { z[0] = z[0:4]", "z: f64*) { z[0] = z[0:2]");
  expect_both_stay("z: f64*, n: i64) { for i = 0 to n step 1 { z[i] = 1.0:f64 }",
                   "z: f64*, n: i64) { for i = 0 to n step 2 { z[i] = 1.0:f64 }");
  expect_both_stay("z: f64*, n: i64) { for i = 0 to n step 1 { z[i] = 1.0:f64 }",
                   "z: f64*, n: i64) { for i = 0 to n step 1 vector { z[i] = 1.0:f64 }");
  expect_both_stay("z: f64*, n: i64) { for i = 0 to n step 1 vector { z[i] = 1.0:f64 }",
                   "z: f64*, n: i64) { for i = 0 to n step 1 vector(2) { z[i] = 1.0:f64 }");
  expect_both_stay("z: f64*) { array t: f64[2] t[0] = z[0]",
                   "z: f64*) { array t: f64[3] t[0] = z[0]");
  expect_both_stay("p: bool, z: f64*) { if (p) { z[0] = 1.0:f64 }",
                   "p: bool, z: f64*) { if (p) { } else { z[0] = 1.0:f64 }");
  expect_both_stay("p: bool, z: f64*) { if (p) { z[0] = 1.0:f64 } z[1] = 1.0:f64",
                   "p: bool, z: f64*) { if (p) { z[0] = 1.0:f64 z[1] = 1.0:f64 }");
}

static void callers_of_equal_functions_are_equal(void) {
  uint32_t left[MOST_FUNCS];
  char *text = dedupe("module \"t\" {"
                      "  func a(z: f64*) -> i32 { z[0] = 1.0:f64 return 0:i32 }"
                      "  func b(z: f64*) -> i32 { z[0] = 1.0:f64 return 0:i32 }"
                      "  func c(z: f64*) -> i32 { z[0] = 2.0:f64 return 0:i32 }"
                      "  func d(z: f64*) -> i32 { return add(call a(z), 1:i32) }"
                      "  func e(z: f64*) -> i32 { return add(call b(z), 1:i32) }"
                      "  func f(z: f64*) -> i32 { return add(call c(z), 1:i32) }"
                      "}",
                      left);
  static const uint32_t expected[] = {0, 0, 1, 2, 2, 3};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK_INT_EQ(left[i], expected[i]);
  CHECK_CONTAINS(text, "return add(call c(z), 1:i32)");
  free(text);
}

// A chain of `links` equal kernels, each over a symbol of its own.
static gj_graph *many_symbols(unsigned links) {
  gj_graph *graph = gj_graph_new("many");
  gj_dims *dims = gj_graph_dims(graph);
  char name[32];
  for (unsigned i = 0; i < links; i++) {
    int length = snprintf(name, sizeof name, "n%u", i);
    gj_type type = {GJ_DTYPE_f64, 1, {gj_dim_symbol(dims, name, (size_t)length)}};
    gj_ref x = gj_graph_param(graph, name, &type);
    gj_ref negated = gj_graph_op(graph, GJ_OP_neg, &x, 1, &(gj_attrs){0});
    snprintf(name, sizeof name, "z%u", i);
    gj_graph_set_output(graph, name, negated);
  }
  gj_error err = {0};
  CHECK_OK(gj_graph_take_error(graph, &err), &err);
  return graph;
}

static void parallel_calls_find_what_is_left(void) {
  uint32_t left[MOST_FUNCS];
  char *text = dedupe("module \"t\" {"
                      "  func a(z: f64*, lo: i64, hi: i64) -> i32 { z[lo] = 1.0:f64 return 0:i32 }"
                      "  func b(z: f64*, lo: i64, hi: i64) -> i32 { z[lo] = 1.0:f64 return 0:i32 }"
                      "  func c(z: f64*, lo: i64, hi: i64) -> i32 { z[hi] = 1.0:f64 return 0:i32 }"
                      "  entry func main() -> i32 {"
                      "    let one: i32 = parallel b(buffer<0, f64>) over 0 to 8 grain 2"
                      "    return parallel c(buffer<0, f64>) over 0 to 8 grain 2"
                      "  }"
                      "}",
                      left);
  CHECK_CONTAINS(text, "parallel a(buffer<0, f64>) over 0 to 8 grain 2");
  CHECK_CONTAINS(text, "parallel c(buffer<0, f64>) over 0 to 8 grain 2");
  CHECK_INT_EQ(left[1], 0);
  CHECK_INT_EQ(left[2], 1);
  free(text);
}

static void data_become_params(void) {
  uint32_t left[MOST_FUNCS];
  char *text = dedupe("module \"t\" {"
                      "  data 0: f64[1] = hex \"000000000000f03f\""
                      "  data 1: f64[1] = hex \"0000000000000040\""
                      "  data 2: f64[1] = hex \"0000000000000840\""
                      "  func a(z: f64*, lo: i64, hi: i64) -> i32 {"
                      "    let t: f64 = mul(data<0>[0], data<2>[0])"
                      "    z[lo] = t return 0:i32"
                      "  }"
                      "  func b(z: f64*, lo: i64, hi: i64) -> i32 {"
                      "    let t: f64 = mul(data<1>[0], data<2>[0])"
                      "    z[lo] = t return 0:i32"
                      "  }"
                      "  func c(z: f64*) { do call a(z, 1, 2) }"
                      "  func d(z: f64*) { do call b(z, 1, 2) }"
                      "  entry func main() -> i32 {"
                      "    do call c(buffer<0, f64>)"
                      "    do call d(buffer<1, f64>)"
                      "    let one: i32 = parallel a(buffer<0, f64>) over 0 to 8 grain 2"
                      "    return parallel b(buffer<1, f64>) over 0 to 8 grain 2"
                      "  }"
                      "}",
                      left);
  CHECK_CONTAINS(text, "func a(constant: f64* noalias readonly, z: f64*, lo: i64, hi: i64) -> i32");
  CHECK_CONTAINS(text, "let t: f64 = mul(constant[0], data<2>[0])"); // both read the same data 2
  CHECK_CONTAINS(text, "do call a(constant, z, 1, 2)");
  CHECK_CONTAINS(text, "do call c(data<0>, buffer<0, f64>)");
  CHECK_CONTAINS(text, "do call c(data<1>, buffer<1, f64>)");
  CHECK_CONTAINS(text, "parallel a(data<0>, buffer<0, f64>) over 0 to 8 grain 2");
  CHECK_CONTAINS(text, "parallel a(data<1>, buffer<1, f64>) over 0 to 8 grain 2");
  static const uint32_t expected[] = {0, 0, 1, 1, 2};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK_INT_EQ(left[i], expected[i]);
  free(text);
}

// Whether functions with these bodies become one, where data 0 to 2 are f64[1] and 3 is f64[2].
static bool become_one(const char *first, const char *second) {
  char text[1024];
  uint32_t left[MOST_FUNCS];
  snprintf(text, sizeof text,
           "module \"t\" {"
           "  data 0: f64[1] = hex \"000000000000f03f\""
           "  data 1: f64[1] = hex \"0000000000000040\""
           "  data 2: f64[1] = hex \"0000000000000840\""
           "  data 3: f64[2] = hex \"000000000000084000000000000008c0\""
           "  func a(z: f64*) { %s } func b(z: f64*) { %s }"
           "}",
           first, second);
  free(dedupe(text, left));
  return left[1] == 0;
}

static void data_are_told_apart_by_where_they_are_read(void) {
  CHECK(become_one("z[0] = data<0>[0] z[1] = data<1>[0]", "z[0] = data<1>[0] z[1] = data<0>[0]"));
  CHECK(become_one("z[0] = data<0>[0] z[1] = data<1>[0]", "z[0] = data<2>[0] z[1] = data<2>[0]"));
  CHECK(!become_one("z[0] = data<0>[0] z[1] = data<0>[0]", "z[0] = data<1>[0] z[1] = data<2>[0]"));
  CHECK(!become_one("z[0] = data<0>[0] z[1] = data<0>[0]", "z[0] = data<0>[0] z[1] = data<1>[0]"));
  CHECK(!become_one("z[0] = data<0>[0]", "z[0] = data<3>[0]"));
}

// Which data functions behind read is not known yet where these are compared.
static void callers_of_functions_behind_keep_their_data(void) {
  uint32_t left[MOST_FUNCS];
  char *text = dedupe("module \"t\" {"
                      "  data 0: f64[1] = hex \"000000000000f03f\""
                      "  data 1: f64[1] = hex \"0000000000000040\""
                      "  func a(z: f64*) { z[0] = data<0>[0] do call c(z) }"
                      "  func b(z: f64*) { z[0] = data<1>[0] do call c(z) }"
                      "  func c(z: f64*) { z[1] = data<0>[0] }"
                      "  func d(z: f64*) { z[1] = data<1>[0] }"
                      "}",
                      left);
  static const uint32_t expected[] = {0, 1, 2, 2};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK_INT_EQ(left[i], expected[i]);
  CHECK_CONTAINS(text, "z[0] = data<1>[0]\n    do call c(data<0>, z)");
  free(text);
}

static void kernels_take_the_symbols_they_need(void) {
  enum { LINKS = 500 };
  gj_graph *graph = many_symbols(LINKS);
  gj_error err = {0};
  gj_pipeline p;
  gj_pipeline_options options = {.machine = {.vector_bytes = 32}};
  CHECK_OK(gj_pipeline_run(graph, &options, &p, &err), &err);
  CHECK_INT_EQ(p.lowered.kernel_count, LINKS);
  CHECK_INT_EQ(p.lowered.module->func_count, 2); // one kernel and the entry
  CHECK_INT_EQ(p.lowered.module->funcs[0]->param_count, 3);
  for (uint32_t i = 0; i < p.lowered.kernel_count; i++)
    CHECK_STR_EQ(p.lowered.kernels[i].name, "k0");
  gj_pipeline_fini(&p);
  gj_graph_free(graph);
}

int main(void) {
  CHECK_RUN(names_and_notes_do_not_count);
  CHECK_RUN(every_difference_counts);
  CHECK_RUN(callers_of_equal_functions_are_equal);
  CHECK_RUN(parallel_calls_find_what_is_left);
  CHECK_RUN(data_become_params);
  CHECK_RUN(data_are_told_apart_by_where_they_are_read);
  CHECK_RUN(callers_of_functions_behind_keep_their_data);
  CHECK_RUN(kernels_take_the_symbols_they_need);
  return check_report();
}
