// Bytes of bool that are neither 0 nor 1, such as those of a Uint8Array from elsewhere.
//
// Everywhere any byte but 0 means true, and results hold 0 and 1 only. Each graph runs on foreign
// bytes through the reference evaluator, the Loop IR interpreter and compiled code, scalar and
// vector, and must give the bytes that clean inputs give.
#include "check.h"

#include "jit/program/program.h"
#include "lower/pipeline.h"

enum { N = 100, BYTES = 8 * N, BUFFERS = 4 };

// Inputs: p and q are bool[n], x is f64[n]; one output.
#define GRAPH(body, result)                                                                        \
  "graph \"g\" {\n  %1 = param \"p\" : bool[n]\n  %2 = param \"q\" : bool[n]\n"                    \
  "  %3 = param \"x\" : f64[n]\n" body "  output \"z\" = " result "\n}\n"

static const char *const graphs[] = {
    GRAPH("", "%1"),
    GRAPH("  %4 = not %1\n", "%4"),
    GRAPH("  %4 = and %1, %2\n", "%4"),
    GRAPH("  %4 = or %1, %2\n", "%4"),
    GRAPH("  %4 = xor %1, %2\n", "%4"),
    GRAPH("  %4 = eq %1, %2\n", "%4"),
    GRAPH("  %4 = ne %1, %2\n", "%4"),
    GRAPH("  %4 = lt %1, %2\n", "%4"),
    GRAPH("  %4 = max %1, %2\n", "%4"),
    GRAPH("  %4 = min %1, %2\n", "%4"),
    GRAPH("  %4 = neg %3\n  %5 = select %1, %3, %4\n", "%5"),
    GRAPH("  %4 = select %1, %2, %1\n", "%4"),
    GRAPH("  %4 = convert %1 {dtype=i32}\n", "%4"),
    GRAPH("  %4 = convert %1 {dtype=u8}\n", "%4"),
    GRAPH("  %4 = convert %1 {dtype=f64}\n  %5 = mul %4, %3\n", "%5"),
    GRAPH("  %4 = reverse %1 {axes=[0]}\n", "%4"),
    GRAPH("  %4 = reverse %1 {axes=[0]}\n  %5 = xor %4, %2\n", "%5"),
    GRAPH("  %4 = slice %1 {start=[0], shape=[50], stride=[2]}\n  %5 = not %4\n", "%5"),
    GRAPH("  %4 = slice %1 {start=[0], shape=[50], stride=[2]}\n", "%4"),
    GRAPH("  %4 = concat %1, %2 {axis=0}\n  %5 = slice %4 {start=[1], shape=[n], stride=[1]}\n",
          "%5"),
    GRAPH("  %4 = reshape %1 {shape=[4, 25]}\n  %5 = transpose %4 {axes=[1, 0]}\n", "%5"),
    GRAPH("  %4 = convert %1 {dtype=i64}\n  %5 = reduce_sum %4 {axes=[0]}\n", "%5"),
    GRAPH("  %4 = reduce_max %1 {axes=[0]}\n", "%4"),
    GRAPH("  %4 = reduce_min %1 {axes=[0]}\n", "%4"),
};

typedef struct memory {
  _Alignas(64) unsigned char bytes[BUFFERS][BYTES];
} memory;

static void fill(memory *m, bool clean) {
  memset(m, 0, sizeof *m);
  for (int i = 0; i < N; i++) {
    double x = i - 30.5;
    unsigned char p = (unsigned char)(i * 37), q = (unsigned char)(i % 3 == 0 ? 0 : 254 - i);
    m->bytes[0][i] = clean ? p != 0 : p;
    m->bytes[1][i] = clean ? q != 0 : q;
    memcpy(m->bytes[2] + 8 * i, &x, sizeof x);
  }
}

static int64_t symbols[1] = {N};

static void run_reference(const gj_graph *g, memory *m) {
  gj_error err = {0};
  const void *inputs[3] = {m->bytes[0], m->bytes[1], m->bytes[2]};
  void *outputs[1] = {m->bytes[3]};
  CHECK_OK(gj_graph_eval(g, symbols, inputs, outputs, &err), &err);
}

static void run_loops(const gj_graph *g, memory *m, unsigned vector_bytes) {
  gj_error err = {0};
  gj_pipeline p;
  gj_pipeline_options options = {.machine = {.vector_bytes = vector_bytes}};
  void *buffers[BUFFERS];
  size_t sizes[BUFFERS];
  int32_t status = 0;
  for (int i = 0; i < BUFFERS; i++) {
    buffers[i] = m->bytes[i];
    sizes[i] = BYTES;
  }
  gj_status made = gj_pipeline_run(g, &options, &p, &err);
  CHECK_OK(made, &err);
  CHECK_OR_RETURN(made == GJ_OK);
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = BUFFERS,
                   .dims = symbols,
                   .dim_count = 1,
                   .scratch = calloc(1, 1 << 16),
                   .scratch_size = 1 << 16};
  CHECK_OK(gj_lmodule_eval(p.lowered.module, &args, &status, &err), &err);
  free(args.scratch);
  gj_pipeline_fini(&p);
}

static void run_code(const gj_graph *g, memory *m, unsigned opt_level) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  gj_compile_options options = {.opt_level = opt_level, .threads = 1};
  const int64_t *shapes[3] = {symbols, symbols, symbols};
  void *buffers[BUFFERS];
  for (int i = 0; i < BUFFERS; i++)
    buffers[i] = m->bytes[i];
  gj_status status = gj_program_compile(g, &options, &program, &err);
  if (status == GJ_OK)
    status = gj_program_bind(program, shapes, &binding, &err);
  if (status == GJ_OK)
    status = gj_program_run(program, binding, buffers, NULL, NULL, &err);
  CHECK_OK(status, &err);
  gj_binding_free(binding);
  gj_program_free(program);
}

static gj_graph *parse(const char *text) {
  gj_graph *g = NULL;
  gj_error err = {0};
  CHECK_OK(gj_graph_parse(text, strlen(text), &g, &err), &err);
  return g;
}

static void check_output(const memory *got, const memory *want, const char *who, const char *text) {
  if (!CHECK(memcmp(got->bytes[3], want->bytes[3], BYTES) == 0))
    printf("%s differs at\n%s", who, text);
}

static void check_graph(const gj_graph *g, const char *text) {
  static memory clean, foreign;
  fill(&clean, true);
  run_reference(g, &clean);
  fill(&foreign, false);
  run_reference(g, &foreign);
  check_output(&foreign, &clean, "reference", text);
  fill(&foreign, false);
  run_loops(g, &foreign, 0);
  check_output(&foreign, &clean, "loops", text);
  fill(&foreign, false);
  run_loops(g, &foreign, 16);
  check_output(&foreign, &clean, "vectorised loops", text);
  for (unsigned opt_level = 0; opt_level <= 3; opt_level++) {
    fill(&foreign, false);
    run_code(g, &foreign, opt_level);
    check_output(&foreign, &clean, "code", text);
  }
}

static void any_byte_but_zero_is_true_everywhere(void) {
  for (size_t i = 0; i < sizeof graphs / sizeof graphs[0]; i++) {
    gj_graph *g = parse(graphs[i]);
    if (g)
      check_graph(g, graphs[i]);
    gj_graph_free(g);
  }
}

// wasm code cannot run here; its loads must test bytes as native ones do.
static void wasm_code_tests_bytes_against_zero(void) {
  gj_target target;
  gj_error err = {0};
  gj_pipeline p;
  unsigned char *text = NULL;
  size_t size = 0;
  gj_graph *g = parse(GRAPH("  %4 = and %1, %2\n", "%4"));
  CHECK_OK(gj_target_wasm(GJ_WASM_SIMD, false, &target, &err), &err);
  gj_pipeline_options front = {.machine = gj_target_loops(&target)};
  CHECK_OK(gj_pipeline_run(g, &front, &p, &err), &err);
  gj_codegen_options back = {.opt_level = 3, .for_size = true, .entry_symbol = "run"};
  gj_status status = gj_codegen(p.lowered.module, &target, &back, GJ_EMIT_LLVM_OPTIMIZED, &text,
                                &size, NULL, &err);
  CHECK_OK(status, &err);
  if (text) {
    CHECK_CONTAINS((const char *)text, "icmp ne <16 x i8>");
    CHECK_CONTAINS((const char *)text, "icmp ne i8");
    CHECK(!strstr((const char *)text, "trunc <16 x i8>"));
  }
  free(text);
  gj_pipeline_fini(&p);
  gj_graph_free(g);
}

int main(void) {
  CHECK_RUN(any_byte_but_zero_is_true_everywhere);
  CHECK_RUN(wasm_code_tests_bytes_against_zero);
  return check_report();
}
