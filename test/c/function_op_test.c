// Tests of compiled functions as what custom_call calls: graphs that call one, by the reference and
// as machine code; descriptions and nodes that are refused.
#include "check.h"
#include "graphjit.h"

#include "ir/custom.h"
#include "jit/function/op.h"

#include <pthread.h>
#include <stdlib.h>

// Gives an array of twice the elements of x, and writes to x; fails at site 0 when k is 9.
static const char text[] = "module \"twice\" {\n"
                           "  entry func main() -> i32 {\n"
                           "    let slots: f64* = buffer<0, f64>\n"
                           "    let words: i64* = buffer<0, i64>\n"
                           "    let x: f64* = buffer<1, f64>\n"
                           "    if (eq(slots[0], 9:f64)) {\n"
                           "      return 16:i32\n"
                           "    }\n"
                           "    let z: f64* = alloc<f64>(dim<0>)\n"
                           "    for i = 0 to dim<0> step 1 {\n"
                           "      x[i] = mul(x[i], slots[0])\n"
                           "      z[i] = x[i]\n"
                           "    }\n"
                           "    words[1] = address(z)\n"
                           "    words[2] = dim<0>\n"
                           "    words[3] = 1\n"
                           "    return 0:i32\n"
                           "  }\n"
                           "}\n";

#define HEAD "twice\nf64/1 f64/0 -> f64/1\n"
static const char description[] = HEAD "s1 w0\na 1\n4\ntwice threw \1 times";

static gj_status add(const char *name, const char *given, gj_error *err) {
  gj_function_options options = {.opt_level = 2};
  return gj_function_op_register(name, text, sizeof text - 1, &options, given, err);
}

static gj_graph *graph_of(const char *operands, const char *result) {
  char source[512];
  gj_error err = {0};
  gj_graph *graph = NULL;
  snprintf(
      source, sizeof source,
      "graph \"g\" {\n  %%1 = param \"x\" : f64[n]\n  %%2 = param \"k\" : f64[]\n"
      "  %%3 = custom_call \"twice\" %s {dtype=f64, shape=%s} : f64%s\n  output \"z\" = %%3\n}\n",
      operands, result, result);
  CHECK_OK(gj_graph_parse(source, strlen(source), &graph, &err), &err);
  return graph;
}

// Both ways; the status of the compiled one, whose message is left in *err.
static gj_status run_both(const gj_graph *graph, double factor, double *z, gj_error *err) {
  double x[] = {1, 2, 4};
  int64_t three = 3;
  const int64_t *shapes[] = {&three, &three};
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  gj_compile_options options = {.threads = 1, .opt_level = 2};
  gj_status status = gj_program_compile(graph, &options, &program, err);
  if (status == GJ_OK)
    status = gj_program_bind(program, shapes, &binding, err);
  if (status == GJ_OK)
    status = gj_program_run(program, binding, (void *[]){x, &factor, z}, NULL, NULL, err);
  gj_binding_free(binding);
  gj_program_free(program);
  double again[3] = {0};
  gj_error unseen = {0};
  gj_status other =
      gj_graph_eval(graph, &three, (const void *[]){x, &factor}, (void *[]){again}, &unseen);
  CHECK_INT_EQ(other, status);
  CHECK(status != GJ_OK || memcmp(again, z, sizeof again) == 0);
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 4);
  return status;
}

static void a_graph_calls_a_function(void) {
  gj_error err = {0};
  CHECK_OK(add("twice", description, &err), &err);
  CHECK_OK(add("twice", description, &err), &err);
  CHECK_INT_EQ(gj_function_usage(), 1);
  gj_graph *graph = graph_of("%1, %2", "[n]");
  CHECK_OR_RETURN(graph);
  double z[3] = {0};
  CHECK_OK(run_both(graph, 2, z, &err), &err);
  CHECK(z[0] == 2 && z[1] == 4 && z[2] == 8);
  CHECK_INT_EQ(run_both(graph, 9, z, &err), GJ_E_CALL);
  CHECK_STR_EQ(err.message, "run: twice threw 9 times");
  gj_graph_free(graph);
}

// Writes twice the elements of x to the result.
static const char filler[] = "module \"filled\" {\n"
                             "  entry func main() -> i32 {\n"
                             "    let slots: i64* = buffer<0, i64>\n"
                             "    let x: f64* = buffer<1, f64>\n"
                             "    let z: f64* = buffer<2, f64>\n"
                             "    if (ne(dim<1>, mul(slots[0], 3))) {\n"
                             "      return 16:i32\n"
                             "    }\n"
                             "    for i = 0 to dim<1> step 1 {\n"
                             "      z[i] = add(x[i], x[i])\n"
                             "    }\n"
                             "    return 0:i32\n"
                             "  }\n"
                             "}\n";

static void a_function_writes_the_result_itself(void) {
  static const char given[] = "filled\nf64/2 -> f64/2\na0 d0.0 o\no\n1\nsizes";
  static const char source[] = "graph \"g\" {\n  %1 = param \"x\" : f64[n, 3]\n"
                               "  %2 = custom_call \"filled\" %1 {dtype=f64, shape=[n, 3]}\n"
                               "  output \"z\" = %2\n}\n";
  gj_function_options options = {.opt_level = 2};
  gj_error err = {0};
  gj_graph *graph = NULL;
  CHECK_OK(gj_function_op_register("filled", filler, sizeof filler - 1, &options, given, &err),
           &err);
  CHECK_OK(gj_graph_parse(source, strlen(source), &graph, &err), &err);
  for (int64_t n = 0; n <= 2; n++) {
    double x[] = {1, 2, 4, 8, 16, 32}, z[6] = {0};
    CHECK_OK(gj_graph_eval(graph, &n, (const void *[]){x}, (void *[]){z}, &err), &err);
    for (int64_t i = 0; i < 6; i++)
      CHECK(z[i] == (i < 3 * n ? 2 * x[i] : 0));
  }
  gj_graph_free(graph);
}

static void no_text_calls_what_is_the_librarys_own(void) {
  static const char source[] = "graph \"g\" {\n  %1 = param \"x\" : f64[n]\n"
                               "  %2 = custom_call \"gj__f\" %1 {dtype=f64, shape=[n]}\n"
                               "  output \"z\" = %2\n}\n";
  gj_error err = {0};
  gj_graph *graph = NULL;
  CHECK_INT_EQ(gj_graph_parse(source, strlen(source), &graph, &err), GJ_E_UNSUPPORTED);
  CHECK_STR_EQ(err.message,
               "line 3, column 3: custom_call: no text may call what begins with \"gj__\"");
}

static void check_refused(const char *operands, const char *result, gj_status status,
                          const char *message) {
  gj_graph *graph = graph_of(operands, result);
  gj_error err = {0};
  double z[3];
  CHECK_OR_RETURN(graph);
  CHECK_INT_EQ(run_both(graph, 2, z, &err), status);
  CHECK_STR_EQ(err.message, message);
  gj_graph_free(graph);
}

static void other_operands_and_results_are_refused(void) {
  static const char *const wrong[][2] = {{"%1", "[n]"},
                                         {"%2, %1", "[n]"},
                                         {"%1, %2, %2", "[n]"},
                                         {"%1, %2", "[]"},
                                         {"%1, %2", "[n, 1]"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    check_refused(
        wrong[i][0], wrong[i][1], GJ_E_ARGUMENT,
        "custom_call: \"twice\" is a native function of other operands, or another result");
  check_refused("%1, %2", "[2]", GJ_E_CALL,
                "run: twice: returned 3 elements where its shape has 2");
}

static void bad_descriptions_are_refused(void) {
  static const char *const wrong[] = {
      "",
      "twice",
      "twice\nf64/1 -> f64\na0\na 0\n3",
      "twice\nf64/1 -> f63/1\na0\na 0\n3",
      "twice\nf64/9 -> f64/1\na0\na 0\n3",
      "twice\nf64 -> f64/1\na0\na 0\n3",
      "twice\nf64/1\na0\na 0\n3",
      HEAD "a2\na 0\n3",
      HEAD "s0\na 0\n3",
      HEAD "d1.0\na 0\n3",
      HEAD "d0\na 0\n3",
      HEAD "x0\na 0\n3",
      HEAD "o0\na 0\n3",
      HEAD "a0x\na 0\n3",
      HEAD "a0\na 1\n3",
      HEAD "a0\na 4294967295\n3",
      HEAD "a0\na 0\n1024",
      HEAD "a0\na\n3",
      HEAD "a0\n\n3",
      HEAD "a0\nr 0\n3",
      HEAD "a0\n= 0\n3",
      HEAD "a0\nn 0\n3",
      HEAD "a0\nn 3:f64\n3",
      HEAD "a0\nn 0:f64:3\n3",
      HEAD "a0\nn 0:f63\n3",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gj_error err = {0};
    CHECK_INT_EQ(add("wrong", wrong[i], &err), GJ_E_INTERNAL);
    CHECK(!gj_custom_find("wrong"));
  }
}

static void *add_one(void *name) {
  gj_error err = {0};
  return add(name, description, &err) == GJ_OK ? name : NULL;
}

static void threads_may_register_one_at_the_same_time(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  char name[] = "raced";
  size_t before = gj_function_usage();
  for (int i = 0; i < THREADS; i++)
    CHECK_INT_EQ(pthread_create(&threads[i], NULL, add_one, name), 0);
  for (int i = 0; i < THREADS; i++) {
    void *answer = NULL;
    pthread_join(threads[i], &answer);
    CHECK(answer == name);
  }
  CHECK_INT_EQ(gj_function_usage(), before + 1);
}

static int32_t nothing(void *const *buffers, const int64_t *sizes) {
  (void)buffers, (void)sizes;
  return 0;
}

static void a_name_is_of_one_function(void) {
  gj_error err = {0};
  CHECK_OK(gj_custom_register("nothing", nothing, &err), &err);
  CHECK_INT_EQ(add("nothing", description, &err), GJ_E_STATE);
  CHECK(gj_custom_is_c(gj_custom_find("nothing")));
  CHECK_OK(add("own", description, &err), &err);
  CHECK_INT_EQ(gj_custom_register("own", nothing, &err), GJ_E_STATE);
  CHECK_INT_EQ(add("a b", description, &err), GJ_E_ARGUMENT);
}

int main(void) {
  CHECK_RUN(a_graph_calls_a_function);
  CHECK_RUN(a_function_writes_the_result_itself);
  CHECK_RUN(no_text_calls_what_is_the_librarys_own);
  CHECK_RUN(other_operands_and_results_are_refused);
  CHECK_RUN(bad_descriptions_are_refused);
  CHECK_RUN(threads_may_register_one_at_the_same_time);
  CHECK_RUN(a_name_is_of_one_function);
  return check_report();
}
