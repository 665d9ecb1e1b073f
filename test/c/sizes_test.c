// Tests of src/lower/sizes: the plan function refuses what binding refuses, interpreted and
// compiled, and says the sizes that binding finds.

#include "check.h"
#include "random_graph.h"

#include "codegen/codegen.h"
#include "jit/code/orc.h"
#include "lower/pipeline.h"

enum { MOST_SIZES = 200, MOST_SYMBOLS = RG_MAX_SYMBOLS, UNTOUCHED = -77 };

typedef int32_t plan_fn(const int64_t *dims, int64_t *sizes);

// What a graph's sizes are for dims, as binding finds them; false when it refuses them. Dims that
// no input has as a size count as bound.
static bool bound_sizes(const gj_graph *graph, gj_dim scratch, const int64_t *dims, int64_t *out) {
  enum { MOST_INPUTS = 16 };
  const gj_dims *table = gj_graph_dims(graph);
  int64_t shapes[MOST_INPUTS][GJ_MAX_RANK], values[MOST_SYMBOLS], *at = out + 1;
  const int64_t *list[MOST_INPUTS] = {0};
  size_t inputs = gj_graph_input_count(graph);
  for (size_t i = 0; i < inputs; i++) {
    const gj_type *type = &gj_graph_node(graph, gj_graph_input(graph, i))->type;
    list[i] = shapes[i];
    for (uint8_t axis = 0; axis < type->rank; axis++, at++) {
      if (!gj_dim_eval(table, type->shape[axis], dims, at))
        return false;
      shapes[i][axis] = *at;
    }
  }
  gj_error err;
  if (gj_graph_bind(graph, list, values, &err) != GJ_OK)
    return false;
  int64_t found[MOST_SYMBOLS], least;
  memcpy(found, dims, sizeof found);
  for (size_t k = 0; k < gj_dims_symbol_count(table); k++) { // brought into their bounds
    const char *name = gj_dims_symbol_name(table, k);
    gj_dim symbol = gj_dim_symbol(gj_graph_dims(graph), name, strlen(name));
    if (gj_dim_is_computed(table, symbol))
      found[k] = found[k] < 0 ? 0 : found[k] > values[k] ? values[k] : found[k];
  }
  bool computes = gj_graph_computes_sizes(graph);
  for (int round = 0; round < (computes ? 2 : 1); round++)
    for (size_t i = 0; i < gj_graph_output_count(graph); i++) {
      const gj_type *type = &gj_graph_node(graph, gj_graph_output(graph, i)->ref)->type;
      for (uint8_t axis = 0; axis < type->rank; axis++, at++)
        if (round == 0 ? !gj_dim_range(table, type->shape[axis], values, &least, at)
                       : !gj_dim_eval(table, type->shape[axis], found, at))
          return false;
    }
  return gj_dim_eval(table, scratch, dims, out) && *out <= GJ_DIM_MAX;
}

typedef struct trial {
  const gj_graph *graph;
  gj_pipeline p;
  gj_jit_code *code;
  plan_fn *plan; // compiled
} trial;

static bool trial_init(trial *t, const gj_graph *graph) {
  gj_error err = {0};
  const gj_target *host;
  unsigned char *object = NULL;
  size_t size = 0;
  gj_entry *entry = NULL;
  gj_pipeline_options front = {.plan = true};
  gj_codegen_options back = {.entry_symbol = "sizes", .plan_symbol = "sizes_plan"};
  *t = (trial){.graph = graph};
  CHECK_OK(gj_target_host_shared(&host, &err), &err);
  CHECK_OK(gj_pipeline_run(graph, &front, &t->p, &err), &err);
  if (!t->p.lowered.module)
    return false;
  CHECK_OK(gj_codegen(t->p.lowered.module, host, &back, GJ_EMIT_OBJECT, &object, &size, NULL, &err),
           &err);
  CHECK_OK(gj_jit_load(object, size, "sizes_plan", &t->code, &entry, &err), &err);
  free(object);
  t->plan = (plan_fn *)(void (*)(void))entry;
  return entry != NULL;
}

static void trial_fini(trial *t) {
  gj_jit_unload(t->code);
  gj_pipeline_fini(&t->p);
}

// Runs both ways; returns what they return, or -1 when they disagree.
static int32_t run_plan(const trial *t, const int64_t *dims, int64_t sizes[MOST_SIZES]) {
  gj_error err = {0};
  int32_t interpreted = -1;
  int64_t other[MOST_SIZES];
  for (int i = 0; i < MOST_SIZES; i++)
    sizes[i] = other[i] = UNTOUCHED;
  void *buffers[2] = {(void *)(uintptr_t)dims, other};
  size_t bytes[2] = {MOST_SYMBOLS * sizeof *dims, sizeof other};
  gj_leval args = {
      .buffers = buffers, .buffer_sizes = bytes, .buffer_count = 2, .function = "plan"};
  CHECK_OK(gj_lmodule_eval(t->p.lowered.module, &args, &interpreted, &err), &err);
  int32_t status = t->plan(dims, sizes);
  return status == interpreted && memcmp(sizes, other, sizeof other) == 0 ? status : -1;
}

static bool agrees(const trial *t, const int64_t *dims) {
  int64_t sizes[MOST_SIZES], expected[MOST_SIZES];
  for (int i = 0; i < MOST_SIZES; i++)
    expected[i] = UNTOUCHED;
  // The dims of the simplified graph go on where those of the graph end.
  gj_dim scratch = t->p.scratch_bytes;
  int64_t bytes;
  bool fits = gj_dim_eval(gj_graph_dims(t->p.graph), scratch, dims, &bytes) && bytes <= GJ_DIM_MAX;
  bool ok = bound_sizes(t->graph, 0, dims, expected) && fits;
  expected[0] = bytes;
  int32_t status = run_plan(t, dims, sizes);
  if (ok && status == 0 && memcmp(sizes, expected, sizeof sizes) == 0)
    return true;
  if (!ok && status > 0 && (uint32_t)status <= t->p.lowered.check_count && sizes[0] == UNTOUCHED)
    return true;
  gj_strbuf text = {0};
  gj_graph_print(t->graph, &text);
  printf("plan returns %d, binding %s for %lld, %lld\n%s\n", status, ok ? "agrees" : "refuses",
         (long long)dims[0], (long long)dims[1], gj_strbuf_peek(&text));
  gj_strbuf_fini(&text);
  return false;
}

static int64_t hostile(rg_stream *s) {
  static const int64_t list[] = {INT64_MIN,
                                 INT64_MIN + 1,
                                 -GJ_DIM_MAX,
                                 -3,
                                 -1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 7,
                                 12,
                                 1000,
                                 GJ_DIM_MAX,
                                 INT64_MAX,
                                 GJ_DIM_MAX + 1,
                                 1LL << 44,
                                 (1LL << 44) + 1,
                                 1LL << 31,
                                 1LL << 23,
                                 (1LL << 32) + 5,
                                 1LL << 62,
                                 INT64_MAX - 1,
                                 46341};
  uint32_t kind = rg_below(s, 4);
  if (kind == 0)
    return (int64_t)rg_next(s);
  if (kind == 1)
    return rg_below(s, 40);
  uint64_t near = (uint64_t)list[rg_below(s, sizeof list / sizeof *list)];
  return (int64_t)(near + (kind == 2 ? rg_below(s, 3) : 0)); // behind the largest come the least
}

static bool agrees_for_many(const gj_graph *graph, rg_stream *s, int count) {
  trial t;
  bool ok = trial_init(&t, graph);
  for (int i = 0; ok && i < count; i++) {
    int64_t dims[MOST_SYMBOLS];
    for (int k = 0; k < MOST_SYMBOLS; k++)
      dims[k] = hostile(s);
    ok = !check_takes((uint64_t)i) || agrees(&t, dims);
  }
  trial_fini(&t);
  return ok;
}

static void random_graphs_are_refused_as_by_binding(void) {
  int failures = 0;
  uint64_t count = check_is_quick() ? 5 : 120;
  for (uint64_t seed = 1; seed <= count && failures < 3; seed++) {
    rg_stream s = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1, .computes = seed % 4 == 0};
    gj_graph *graph = rg_graph(&s);
    gj_error err;
    bool possible =
        graph && (!gj_graph_computes_sizes(graph) || gj_graph_verify(graph, &err) == GJ_OK);
    if (possible && gj_graph_input_count(graph) < 16)
      failures += !agrees_for_many(graph, &s, 60);
    gj_graph_free(graph);
  }
  CHECK_INT_EQ(failures, 0);
}

static gj_graph *parse(const char *text) {
  gj_error err = {0};
  gj_graph *graph = NULL;
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  return graph;
}

// Every kind of condition, and sizes that overflow in every kind of expression.
static const char *const texts[] = {
    "graph \"a\" { %1 = param \"x\" : f64[n, m]\n %2 = param \"y\" : f64[2*n + 1, n*m]\n"
    "%3 = neg %1\n output \"z\" = %3 }",
    "graph \"b\" { %1 = param \"x\" : u8[n, m]\n %2 = reshape %1 {shape=[m, 7]}\n"
    "output \"z\" = %2 }",
    "graph \"c\" { %1 = param \"x\" : i32[n, m]\n"
    "%2 = slice %1 {start=[1, m - 2], shape=[n - 3, (m + 1)/2], stride=[1, -2]}\n"
    "output \"z\" = %2 }",
    "graph \"d\" { %1 = param \"x\" : f32[n]\n %2 = slice %1 {start=[n - 10], shape=[5],"
    " stride=[2]}\n output \"z\" = %2 }",
    "graph \"e\" { %1 = param \"x\" : f32[n]\n %2 = param \"y\" : f32[m]\n"
    "%3 = reshape %1 {shape=[n, 1]}\n %4 = mul %3, %2\n %5 = exp %4\n"
    "%6 = reduce_sum %5 {axes=[0]}\n output \"z\" = %6\n output \"e\" = %5 }",
    "graph \"f\" { %1 = param \"x\" : f32[n]\n %2 = param \"k\" : i64[]\n"
    "%3 = dynamic_slice %1, %2 {shape=[m]}\n %4 = param \"y\" : f32[m, n*n*n*m]\n"
    "output \"z\" = %3 }",
    "graph \"g\" { %1 = param \"x\" : u8[n*m - n - m]\n %2 = param \"y\" : u8[max(n, 3*m - 5)]\n"
    "%3 = param \"v\" : u8[n/3 + m/7]\n %4 = concat %1, %2, %3 {axis=0}\n output \"z\" = %4\n"
    "%5 = param \"w\" : u8[n, m] }",
    "graph \"h\" { %1 = param \"x\" : u8[n, m]\n %2 = slice %1 {start=[n - 4, 0], shape=[2, m],"
    " stride=[9223372036854775807, 1]}\n output \"z\" = %2 }",
    "graph \"j\" { %1 = param \"x\" : u8[n]\n %2 = param \"y\" : u8[m]\n"
    "%3 = slice %1 {start=[9], shape=[m], stride=[3]}\n %4 = add %3, %2\n output \"z\" = %4 }",
    "graph \"k\" { %1 = param \"x\" : i16[n]\n %2 = window_max %1 {window=[m - 3], stride=[2], "
    "lo=[-2],"
    " hi=[1], base_dilation=[3], dilation=[2]}\n output \"z\" = %2\n"
    "%3 = param \"y\" : u8[m, n]\n %4 = window_sum %3 {window=[2, n - 4], stride=[1, 1], lo=[0, 9],"
    " hi=[1, 0], base_dilation=[1, 1], dilation=[5, 1]}\n output \"w\" = %4 }",
    "graph \"l\" { %1 = param \"x\" : i8[n, m]\n %2 = dot_general %1, %1 {lhs_batch=[],"
    " rhs_batch=[], lhs_contract=[1], rhs_contract=[0]}\n output \"z\" = %2\n"
    "%3 = param \"i\" : i64[n, m]\n %4 = top_k %1, %3 {axis=0, descending=1, count=[n - m + 2]}\n"
    "output \"t\" = %4\n %5 = param \"j\" : u8[m, 1]\n %6 = gather %1, %5 {offset_axes=[1],"
    " collapsed_axes=[1], operand_batch=[], indices_batch=[], index_map=[1], window=[3, 1]}\n"
    "output \"g\" = %6 }",
    "graph \"m\" { func @0 \"body\" { %1 = param \"i\" : i64[]\n %2 = param \"s\" : u8[n]\n"
    "%3 = slice %2 {start=[2], shape=[n - 2], stride=[1]}\n %4 = param \"t\" : u8[m]\n"
    "output \"s\" = %2\n output \"v\" = %3 }\n %1 = param \"x\" : u8[n]\n %2 = param \"y\" : "
    "u8[m]\n"
    "%3 = for %1, %2 {count=[m - 3], descending=0, carried=1, stacked=0, functions=[@0]}\n"
    "%4 = result %3 {index=1}\n output \"z\" = %4\n output \"w\" = %3 }",
    "graph \"n\" { %1 = param \"m\" : bool[n]\n %2 = param \"x\" : f64[n, m]\n"
    "%3 = compress %1, %2 {count=[k]}\n %4 = reshape %3 {shape=[k*m]}\n output \"z\" = %4\n"
    "%5 = iota {dtype=i64, shape=[n + m - 2 - k, m*n - k], axis=0}\n output \"i\" = %5\n"
    "%6 = slice %1 {start=[0], shape=[k], stride=[1]}\n output \"s\" = %6 }",
    "graph \"i\" { %1 = param \"x\" : f64[3, 4]\n output \"z\" = %1 }",
};

static void every_condition_is_refused_as_by_binding(void) {
  rg_stream s = {.state = 12345};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gj_graph *graph = parse(texts[i]);
    CHECK_OR_RETURN(graph != NULL);
    CHECK(agrees_for_many(graph, &s, check_is_quick() ? 50 : 3000));
    gj_graph_free(graph);
  }
}

static void one_symbol_is_one_condition(void) {
  gj_graph *graph = parse("graph \"a\" { %1 = param \"x\" : f64[n]\n %2 = param \"y\" : f32[n, 3]\n"
                          "%3 = neg %1\n output \"z\" = %3\n output \"w\" = %2 }");
  trial t;
  int64_t sizes[MOST_SIZES], dims[MOST_SYMBOLS] = {5};
  CHECK_OR_RETURN(graph != NULL);
  CHECK_OR_RETURN(trial_init(&t, graph));
  CHECK_INT_EQ(t.p.lowered.check_count, 1);
  CHECK_STR_EQ(t.p.lowered.checks[0],
               "input \"x\": the size of axis 0, n, is not in [0, 11728124029610]");
  CHECK_INT_EQ(run_plan(&t, dims, sizes), 0);
  static const int64_t expected[] = {0, 5, 5, 3, 5, 5, 3, UNTOUCHED};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK_INT_EQ(sizes[i], expected[i]);
  trial_fini(&t);
  gj_graph_free(graph);
}

static void conditions_have_texts(void) {
  static const char *const expected[] = {
      "input \"x\": the size of axis 0, n, is not in [0, 35184372088832]",
      "input \"x\": the size of axis 1, m, is not in [0, 35184372088832]",
      "param: %1 of shape [n, m] has a negative size or more than 2^47 bytes",
      "slice: %2 of shape [n - 3, (m + 1)/2] has a negative size or more than 2^47 bytes",
      "slice: start m - 2, stride -2 and (m + 1)/2 elements (%2) leave axis 1 of size m"};
  gj_graph *graph = parse(texts[2]);
  trial t;
  CHECK_OR_RETURN(graph != NULL);
  CHECK_OR_RETURN(trial_init(&t, graph));
  CHECK_INT_EQ(t.p.lowered.check_count, sizeof expected / sizeof *expected);
  for (uint32_t i = 0; i < t.p.lowered.check_count && i < sizeof expected / sizeof *expected; i++)
    CHECK_STR_EQ(t.p.lowered.checks[i], expected[i]);
  trial_fini(&t);
  gj_graph_free(graph);
}

int main(void) {
  CHECK_RUN(one_symbol_is_one_condition);
  CHECK_RUN(conditions_have_texts);
  CHECK_RUN(every_condition_is_refused_as_by_binding);
  CHECK_RUN(random_graphs_are_refused_as_by_binding);
  return check_report();
}
