// Control ops: every way of computing agrees on nested functions, loops of no rounds and symbolic
// sizes; an endless loop can be stopped; what cannot be built says why.
#include "check.h"
#include "passes/pass.h"
#include "random_graph.h"

#include <pthread.h>
#include <unistd.h>

// Functions that most texts here use. `step` keeps its types, `rows` works on one row.
#define FUNCTIONS                                                                                  \
  "  func @step \"step\" {\n"                                                                      \
  "    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"                               \
  "    %one = const 1 : i64[]\n    %three = const 3 : i32[]\n"                                     \
  "    %next = add %i, %one\n    %y = mul %x, %three\n    %z = reverse %y {axes=[0]}\n"            \
  "    output \"i\" = %next\n    output \"x\" = %z\n  }\n"                                         \
  "  func @less \"less\" {\n"                                                                      \
  "    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"                               \
  "    %five = const 5 : i64[]\n    %go = lt %i, %five\n    output \"go\" = %go\n  }\n"            \
  "  func @rows \"rows\" {\n"                                                                      \
  "    %r = param \"r\" : i64[]\n    %sum = param \"sum\" : i32[m]\n"                              \
  "    %row = param \"row\" : i32[m]\n"                                                            \
  "    %k = convert %r {dtype=i32}\n    %a = mul %row, %k\n    %s = add %sum, %a\n"                \
  "    %total = reduce_sum %s {axes=[0]}\n"                                                        \
  "    output \"sum\" = %s\n    output \"total\" = %total\n    output \"row\" = %a\n  }\n"

#define INPUTS                                                                                     \
  "  %x = param \"x\" : i32[n, m]\n  %p = param \"p\" : bool[]\n  %k = param \"k\" : i32[]\n"

static const char *const texts[] = {
    "graph \"while\" {\n" FUNCTIONS INPUTS "  %zero = const 0 : i64[]\n"
    "  %w = while %zero, %x {carried=2, functions=[@less, @step]}\n"
    "  %r = result %w {index=1}\n"
    "  output \"i\" = %w\n  output \"x\" = %r\n  output \"again\" = %r\n}\n",
    "graph \"no rounds\" {\n" FUNCTIONS INPUTS "  %zero = const 9 : i64[]\n"
    "  %w = while %zero, %x {carried=2, functions=[@less, @step]}\n"
    "  %r = result %w {index=1}\n"
    "  output \"i\" = %w\n  output \"x\" = %r\n}\n",
    "graph \"for\" {\n" FUNCTIONS INPUTS "  %zero = const 0 : i32[m]\n"
    "  %f = for %zero, %x {carried=1, count=[n], descending=0, functions=[@rows], stacked=1}\n"
    "  %t = result %f {index=1}\n  %r = result %f {index=2}\n"
    "  output \"sum\" = %f\n  output \"totals\" = %t\n  output \"rows\" = %r\n}\n",
    "graph \"backwards, some results unused\" {\n" FUNCTIONS INPUTS "  %zero = const 0 : i32[m]\n"
    "  %f = for %zero, %x {carried=1, count=[n], descending=1, functions=[@rows], stacked=1}\n"
    "  %r = result %f {index=2}\n"
    "  output \"rows\" = %r\n}\n",
    "graph \"choices\" {\n" FUNCTIONS "  func @both \"both\" {\n"
    "    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %w = while %i, %x {carried=2, functions=[@less, @step]}\n"
    "    %r = result %w {index=1}\n    %s = call %w, %r {functions=[@step]}\n"
    "    %t = result %s {index=1}\n"
    "    output \"i\" = %s\n    output \"x\" = %t\n  }\n" INPUTS "  %two = const 2 : i64[]\n"
    "  %c = cond %p, %two, %x {functions=[@both, @step]}\n  %d = result %c {index=1}\n"
    "  %s = switch %k, %c, %d {functions=[@step, @both, @step]}\n  %t = result %s {index=1}\n"
    "  output \"i\" = %c\n  output \"j\" = %s\n  output \"x\" = %t\n  output \"y\" = %d\n}\n",
    "graph \"loops in loops\" {\n" FUNCTIONS "  func @inner \"inner\" {\n"
    "    %r = param \"r\" : i64[]\n    %x = param \"x\" : i32[n, m]\n    %p = param \"p\" : "
    "bool[]\n"
    "    %zero = const 0 : i32[m]\n"
    "    %f = for %zero, %x {carried=1, count=[n], descending=0, functions=[@rows], stacked=1}\n"
    "    %rows = result %f {index=2}\n"
    "    %c = cond %p, %r, %rows {functions=[@step, @step]}\n    %y = result %c {index=1}\n"
    "    output \"x\" = %y\n    output \"sum\" = %f\n  }\n" INPUTS
    "  %f = for %x, %p {carried=1, count=[3], descending=1, functions=[@inner], stacked=0}\n"
    "  %sums = result %f {index=1}\n"
    "  output \"x\" = %f\n  output \"sums\" = %sums\n}\n",
    // Numbers only: values that change places, choices and loops in loops, elements of arrays.
    "graph \"registers\" {\n"
    "  func @near \"near\" {\n    %a = param \"a\" : i32[]\n    %b = param \"b\" : i32[]\n"
    "    %x = param \"x\" : i32[n, m]\n    %at = dynamic_slice %x, %a, %b {shape=[1, 1]}\n"
    "    %e = reshape %at {shape=[]}\n    %s = add %a, %e\n"
    "    output \"a\" = %s\n    output \"b\" = %a\n  }\n"
    "  func @swap \"swap\" {\n    %a = param \"a\" : i32[]\n    %b = param \"b\" : i32[]\n"
    "    %x = param \"x\" : i32[n, m]\n"
    "    output \"a\" = %b\n    output \"b\" = %a\n  }\n"
    "  func @few \"few\" {\n    %r = param \"r\" : i64[]\n    %a = param \"a\" : i32[]\n"
    "    %b = param \"b\" : i32[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %c = switch %a, %a, %b, %x {functions=[@swap, @near, @swap, @near]}\n"
    "    %d = result %c {index=1}\n"
    "    output \"a\" = %d\n    output \"b\" = %c\n  }\n"
    "  func @go \"go\" {\n    %i = param \"i\" : i32[]\n    %a = param \"a\" : i32[]\n"
    "    %b = param \"b\" : i32[]\n    %p = param \"p\" : bool[]\n"
    "    %x = param \"x\" : i32[n, m]\n    %five = const 5 : i32[]\n    %g = lt %i, %five\n"
    "    output \"go\" = %g\n  }\n"
    "  func @step \"step\" {\n    %i = param \"i\" : i32[]\n    %a = param \"a\" : i32[]\n"
    "    %b = param \"b\" : i32[]\n    %p = param \"p\" : bool[]\n"
    "    %x = param \"x\" : i32[n, m]\n    %one = const 1 : i32[]\n    %n = add %i, %one\n"
    "    %c = cond %p, %b, %a, %x {functions=[@near, @swap]}\n    %d = result %c {index=1}\n"
    "    %f = for %c, %d, %x {carried=2, count=[m], descending=1, functions=[@few], stacked=0}\n"
    "    %e = result %f {index=1}\n    %q = lt %e, %f\n"
    "    output \"i\" = %n\n    output \"a\" = %e\n    output \"b\" = %f\n    output \"p\" = %q\n"
    "  }\n"
    "  func @line \"line\" {\n    %r = param \"r\" : i64[]\n    %s = param \"s\" : i32[]\n"
    "    %e = param \"e\" : i32[1]\n    %f = reshape %e {shape=[]}\n    %t = add %s, %f\n"
    "    %q = convert %r {dtype=i32}\n    %u = mul %q, %s\n"
    "    output \"s\" = %t\n    output \"old\" = %s\n    output \"u\" = %u\n  }\n"
    "  func @each \"each\" {\n    %r = param \"r\" : i64[]\n    %e = param \"e\" : i32[1]\n"
    "    %q = convert %r {dtype=i32}\n    %u = mul %q, %e\n    output \"u\" = %u\n  }\n" INPUTS
    "  %zero = const 0 : i32[]\n"
    "  %w = while %zero, %k, %zero, %p, %x {carried=4, functions=[@go, @step]}\n"
    "  %a = result %w {index=1}\n  %b = result %w {index=2}\n"
    "  %y = slice %x {start=[0, 0], stride=[1, 1], shape=[n, 1]}\n"
    "  %f = for %k, %y {carried=1, count=[n], descending=1, functions=[@line], stacked=1}\n"
    "  %g = result %f {index=1}\n  %h = result %f {index=2}\n"
    "  %e = for %y {carried=0, count=[n], descending=1, functions=[@each], stacked=1}\n"
    "  output \"a\" = %a\n  output \"b\" = %b\n  output \"s\" = %f\n  output \"old\" = %g\n"
    "  output \"u\" = %h\n  output \"each\" = %e\n}\n",
    // Arrays that are changed where they lie: through choices and inner loops, read before and
    // after, carried twice, changing places.
    "graph \"in place\" {\n"
    "  func @set \"set\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %r = dynamic_slice %x, %i, %i {shape=[1, m]}\n    %s = add %r, %r\n"
    "    %zero = const 0 : i64[]\n    %one = const 1 : i64[]\n    %k = add %i, %one\n"
    "    %y = update_slice %x, %s, %k, %zero\n    %z = update_slice %y, %r, %zero, %k\n"
    "    output \"x\" = %z\n  }\n"
    "  func @keep \"keep\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    output \"x\" = %x\n  }\n"
    "  func @other \"other\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %y = reverse %x {axes=[0]}\n    output \"x\" = %y\n  }\n"
    "  func @body \"body\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %y = param \"y\" : i32[n, m]\n    %sum = param \"sum\" : i32[]\n"
    "    %two = const 2 : i64[]\n    %odd = rem %i, %two\n    %p = convert %odd {dtype=bool}\n"
    "    %c = cond %p, %i, %x {functions=[@set, @keep]}\n"
    "    %q = convert %i {dtype=i32}\n    %d = switch %q, %i, %y {functions=[@set, @other, "
    "@keep]}\n"
    "    %t = reduce_sum %x {axes=[0, 1]}\n    %u = add %t, %sum\n"
    "    output \"x\" = %c\n    output \"y\" = %d\n    output \"sum\" = %u\n  }\n"
    "  func @swap \"swap\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %y = param \"y\" : i32[n, m]\n    %s = call %i, %y {functions=[@set]}\n"
    "    output \"x\" = %s\n    output \"y\" = %x\n  }\n"
    "  func @outer \"outer\" {\n    %i = param \"i\" : i64[]\n    %x = param \"x\" : i32[n, m]\n"
    "    %f = for %x {carried=1, count=[m], descending=0, functions=[@set], stacked=0}\n"
    "    output \"x\" = %f\n  }\n" INPUTS "  %zero = const 0 : i32[]\n"
    "  %f = for %x, %x, %zero {carried=3, count=[4], descending=1, functions=[@body], stacked=0}\n"
    "  %y = result %f {index=1}\n  %sum = result %f {index=2}\n"
    "  %g = for %f, %y {carried=2, count=[3], descending=0, functions=[@swap], stacked=0}\n"
    "  %h = result %g {index=1}\n"
    "  %o = for %h {carried=1, count=[2], descending=0, functions=[@outer], stacked=0}\n"
    "  output \"x\" = %f\n  output \"sum\" = %sum\n  output \"a\" = %g\n  output \"b\" = %h\n"
    "  output \"o\" = %o\n}\n",
};

static void every_way_of_computing_agrees(void) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (uint64_t seed = 1; seed <= (check_is_quick() ? 1u : 5u); seed++) {
      gj_error err = {0};
      gj_graph *graph = NULL;
      rg_stream stream = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1};
      CHECK_OK(gj_graph_parse(texts[i], strlen(texts[i]), &graph, &err), &err);
      if (graph && !CHECK(rg_check_graph(graph, &stream)))
        printf("text %zu, seed %" PRIu64 "\n", i, seed);
    }
}

// --- stopping ---

static const char *const endless =
    "graph \"endless\" {\n"
    "  func @go \"go\" {\n    %i = param \"i\" : i64[]\n    %yes = const true : bool[]\n"
    "    output \"go\" = %yes\n  }\n"
    "  func @more \"more\" {\n    %i = param \"i\" : i64[]\n    %one = const 1 : i64[]\n"
    "    %n = add %i, %one\n    output \"i\" = %n\n  }\n"
    "  %i = param \"i\" : i64[]\n"
    "  %w = while %i {carried=1, functions=[@go, @more]}\n"
    "  output \"i\" = %w\n}\n";

static void *cancel_soon(void *flag) {
  usleep(20000);
  *(volatile int32_t *)flag = 1;
  return NULL;
}

static void an_endless_loop_can_be_cancelled(void) {
  gj_error err = {0};
  for (int tier = 0; tier < 2; tier++) {
    gj_graph *graph = NULL;
    gj_program *program = NULL;
    gj_binding *binding = NULL;
    const int64_t *shapes[1] = {(const int64_t[]){0}};
    int64_t i = 0, out = 0;
    void *buffers[2] = {&i, &out};
    volatile int32_t flag = 0;
    pthread_t thread;
    gj_compile_options options = {
        .opt_level = 3, .threads = 1, .tier = tier ? GJ_TIER_AUTO : GJ_TIER_LLVM};
    CHECK_OK(gj_graph_parse(endless, strlen(endless), &graph, &err), &err);
    CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
    CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
    CHECK_OR_RETURN(pthread_create(&thread, NULL, cancel_soon, (void *)&flag) == 0);
    gj_status status = gj_program_run(program, binding, buffers, NULL, &flag, &err);
    CHECK_INT_EQ(status, GJ_E_CANCELLED);
    pthread_join(thread, NULL);
    gj_binding_free(binding);
    gj_program_free(program);
    gj_graph_free(graph);
  }
}

static void the_reference_gives_up_after_so_many_values(void) {
  gj_error err = {0};
  gj_graph *graph = NULL;
  int64_t i = 0, out = 0, no_symbols = 0;
  const void *inputs[1] = {&i};
  void *outputs[1] = {&out};
  CHECK_OK(gj_graph_parse(endless, strlen(endless), &graph, &err), &err);
  CHECK_INT_EQ(gj_graph_eval_steps(graph, &no_symbols, inputs, outputs, 1000, &err),
               GJ_E_UNSUPPORTED);
  gj_graph_free(graph);
}

// --- building ---

static gj_graph *identity(gj_graph *g, const gj_type *type) {
  gj_graph *f = gj_graph_function_new(g, "identity");
  gj_graph_set_output(f, "y", gj_graph_param(f, "x", type));
  return f;
}

static void functions_stay_as_they_were_added(void) {
  gj_error err = {0};
  gj_type scalar = {.dtype = GJ_DTYPE_f32};
  gj_graph *g = gj_graph_new("g"), *f = identity(g, &scalar);
  CHECK_INT_EQ(gj_graph_function_add(f), 0);
  CHECK_INT_EQ(gj_graph_param(f, "late", &scalar), 0);
  CHECK_INT_EQ(gj_graph_take_error(f, &err), GJ_E_STATE);
  CHECK(!gj_graph_set_output(f, "late", 1));
  CHECK_INT_EQ(gj_graph_take_error(f, &err), GJ_E_STATE);
  CHECK_INT_EQ(gj_graph_function_add(f), -1);
  CHECK_INT_EQ(gj_graph_take_error(g, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_graph_function_add(g), -1);
  CHECK_INT_EQ(gj_graph_take_error(g, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(gj_graph_function_count(g), 1);
  gj_graph_function_new(g, "never added");
  gj_graph_free(g);
}

// Each function calls the one before; one too many is refused.
static void functions_nest_only_so_deep(void) {
  gj_error err = {0};
  gj_type scalar = {.dtype = GJ_DTYPE_f32};
  gj_graph *g = gj_graph_new("g");
  int64_t number = gj_graph_function_add(identity(g, &scalar));
  for (int depth = 1; depth < GJ_MAX_FUNCTION_DEPTH; depth++) {
    gj_graph *f = gj_graph_function_new(g, "f");
    gj_ref x = gj_graph_param(f, "x", &scalar);
    gj_attrs attrs = {0};
    gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
    gj_graph_set_output(f, "y", gj_graph_append(f, GJ_OP_call, &x, 1, &attrs));
    number = gj_graph_function_add(f);
    CHECK_INT_EQ(number, depth);
  }
  gj_graph *f = gj_graph_function_new(g, "f");
  gj_ref x = gj_graph_param(f, "x", &scalar);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_graph_set_output(f, "y", gj_graph_append(f, GJ_OP_call, &x, 1, &attrs));
  CHECK_INT_EQ(gj_graph_function_add(f), -1);
  CHECK_INT_EQ(gj_graph_take_error(g, &err), GJ_E_OVERFLOW);
  gj_graph_free(g);
}

static void copies_and_texts_have_the_same_functions(void) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gj_error err = {0};
    gj_graph *graph = NULL, *copy = NULL, *simple = NULL;
    gj_strbuf one = {0}, two = {0};
    CHECK_OK(gj_graph_parse(texts[i], strlen(texts[i]), &graph, &err), &err);
    CHECK_OK(gj_graph_copy(graph, &copy, &err), &err);
    CHECK_OK(gj_graph_verify(copy, &err), &err);
    CHECK_OK(gj_passes_run(graph, NULL, NULL, &simple, &err), &err);
    CHECK_OK(gj_graph_verify(simple, &err), &err);
    gj_graph_print(graph, &one);
    gj_graph_print(copy, &two);
    CHECK_STR_EQ(gj_strbuf_peek(&one), gj_strbuf_peek(&two));
    gj_strbuf_fini(&one);
    gj_strbuf_fini(&two);
    gj_graph_free(simple);
    gj_graph_free(copy);
    gj_graph_free(graph);
  }
}

// --- sizes ---

static gj_status bind(const char *text, int64_t n, gj_error *err) {
  gj_graph *graph = NULL;
  int64_t symbols[2];
  const int64_t shape[1] = {n}, *shapes[1] = {shape};
  gj_status status = gj_graph_parse(text, strlen(text), &graph, err);
  if (status == GJ_OK)
    status = gj_graph_bind(graph, shapes, symbols, err);
  gj_graph_free(graph);
  return status;
}

static void sizes_in_functions_are_checked_before_a_run(void) {
  static const char *const slices =
      "graph \"g\" {\n"
      "  func @f \"f\" {\n    %x = param \"x\" : f32[n]\n"
      "    %y = slice %x {start=[0], stride=[1], shape=[4]}\n    output \"y\" = %y\n  }\n"
      "  %x = param \"x\" : f32[n]\n  %y = call %x {functions=[@f]}\n  output \"y\" = %y\n}\n";
  static const char *const rounds =
      "graph \"g\" {\n"
      "  func @f \"f\" {\n    %r = param \"r\" : i64[]\n    %z = param \"z\" : i64[]\n"
      "    output \"y\" = %r\n  }\n"
      "  %x = param \"x\" : f32[n]\n  %z = const 0 : i64[]\n"
      "  %y = for %z {carried=1, count=[n - 3], descending=0, functions=[@f], stacked=0}\n"
      "  output \"y\" = %y\n}\n";
  gj_error err = {0};
  CHECK_OK(bind(slices, 4, &err), &err);
  CHECK_INT_EQ(bind(slices, 3, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "function @0: slice: start 0, stride 1 and 4 elements (%2: 4) leave "
                            "axis 0 of size 3");
  CHECK_OK(bind(rounds, 3, &err), &err);
  CHECK_INT_EQ(bind(rounds, 2, &err), GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "for: the count of %3 is -1, not in [0, 2^47]: n - 3 for n = 2");
}

int main(void) {
  CHECK_RUN(every_way_of_computing_agrees);
  CHECK_RUN(an_endless_loop_can_be_cancelled);
  CHECK_RUN(the_reference_gives_up_after_so_many_values);
  CHECK_RUN(functions_stay_as_they_were_added);
  CHECK_RUN(functions_nest_only_so_deep);
  CHECK_RUN(copies_and_texts_have_the_same_functions);
  CHECK_RUN(sizes_in_functions_are_checked_before_a_run);
  return check_report();
}
