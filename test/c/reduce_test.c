// Reductions over every set of axes, of sizes around those where the code changes its way.
//
// Each case is computed by the reference evaluator, by the interpreter of loops at two vector
// widths and by machine code in both modes: for sizes known when it is compiled and for symbols,
// for operands that are runs of memory and for those that are not, alone and beside others. All
// but the reference must agree in every bit, since sizes alone decide the order; the reference adds
// in a wider type, and the others may differ from it by the bound in docs/numerics.md.
//
//   reduce_test [first case] [number of cases]
#include "check.h"

#include "jit/program/program.h"
#include "lower/pipeline.h"

#include <float.h>
#include <math.h>

enum { RANK = 4, INPUTS = 4, OUTPUTS = 14, PORTS = INPUTS + OUTPUTS, MOST = 80000, TEXT = 8192 };

static uint64_t first_case = 1, case_count = 12;

// --- cases ---

typedef struct trial {
  int64_t sizes[RANK];
  int64_t symbols[RANK]; // sizes but 1
  unsigned axes;
  int64_t elements, results;
  unsigned char *memory[PORTS]; // x, y, i, p, then results of the reference
  size_t bytes[PORTS];
} trial;

static const char *const types[INPUTS] = {"f64", "f32", "i32", "bool"};

// The body: what is reduced, for an operand `%s` of each type.
static const char *const reductions[OUTPUTS] = {
    "reduce_sum x", "reduce_max x", "reduce_sum y",     "reduce_min y",     "reduce_prod y",
    "reduce_sum i", "reduce_max i", "reduce_or p",      "reduce_and p",     "argmax x",
    "argmin y",     "argmin i",     "reduce_moments x", "reduce_moments y",
};
static const gj_dtype result_types[OUTPUTS] = {
    GJ_DTYPE_f64, GJ_DTYPE_f64, GJ_DTYPE_f32,  GJ_DTYPE_f32,  GJ_DTYPE_f32,
    GJ_DTYPE_i32, GJ_DTYPE_i32, GJ_DTYPE_bool, GJ_DTYPE_bool, GJ_DTYPE_i64,
    GJ_DTYPE_i64, GJ_DTYPE_i64, GJ_DTYPE_f64,  GJ_DTYPE_f32,
};

static uint64_t state;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint64_t below(uint64_t n) { return (next() >> 32) % n; }

static int append(char *text, int at, const char *format, ...) GJ_PRINTF(3, 4);

static int append(char *text, int at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(text + at, (size_t)(TEXT - at), format, arguments);
  va_end(arguments);
  return at + count;
}

static int append_shape(char *text, int at, const trial *t, bool symbolic, unsigned skip) {
  at = append(text, at, "[");
  const char *comma = "";
  for (int i = 0; i < RANK; i++) {
    if (skip & (1u << i))
      continue;
    if (symbolic &&
        t->sizes[i] != 1) // a symbol is an axis with a loop, whatever it turns out to be
      at = append(text, at, "%s%c", comma, "abcd"[i]);
    else
      at = append(text, at, "%s%" PRId64, comma, t->sizes[i]);
    comma = ", ";
  }
  return append(text, at, "]");
}

// The number of the operand called `name`: a param, or (with `indirect`) the param with zeros of
// the shape of its last axis added, which keeps its bits but is no run of memory.
static int operand(char name, bool indirect) {
  const char *names = "xyip";
  return (int)(strchr(names, name) - names) + (indirect ? 2 * INPUTS + 1 : 1);
}

// A graph of the reductions in the set `which`.
static void write_graph(const trial *t, char *text, bool symbolic, bool indirect, unsigned which) {
  static const char *const zeros[INPUTS] = {"add", "add", "or", "or"};
  int at = append(text, 0, "graph \"g\" {\n"), ref = 1;
  for (int i = 0; i < INPUTS; i++, ref++) {
    at = append(text, at, "%%%d = param \"%c\" : %s", ref, "xyip"[i], types[i]);
    at = append_shape(text, at, t, symbolic, 0);
    at = append(text, at, "\n");
  }
  for (int i = 0; i < INPUTS; i++, ref++) {
    at = append(text, at, "%%%d = param \"%c0\" : %s", ref, "xyip"[i], types[i]);
    at = append_shape(text, at, t, symbolic, 7);
    at = append(text, at, "\n");
  }
  for (int i = 0; i < INPUTS; i++, ref++)
    at = append(text, at, "%%%d = %s %%%d, %%%d\n", ref, zeros[i], i + 1, i + 1 + INPUTS);
  int axis = 0; // of the indices of argmin and argmax
  while (!(t->axes & (1u << axis)))
    axis++;
  at = append(text, at, "%%%d = iota {dtype=i64, shape=", ref);
  at = append_shape(text, at, t, symbolic, 0);
  at = append(text, at, ", axis=%d}\n", axis);
  int iota = ref++;
  for (int k = 0; k < OUTPUTS; k++) {
    if (!(which & (1u << k)))
      continue;
    const char *space = strchr(reductions[k], ' ');
    bool indexed = reductions[k][0] == 'a';
    at = append(text, at, "%%%d = %.*s %%%d", ref++, (int)(space - reductions[k]), reductions[k],
                operand(space[1], indirect));
    if (indexed)
      at = append(text, at, ", %%%d", iota);
    at = append(text, at, " {axes=[");
    const char *comma = "";
    for (int i = 0; i < RANK; i++)
      if (t->axes & (1u << i)) {
        at = append(text, at, "%s%d", comma, i);
        comma = ", ";
      }
    at = append(text, at, "]}\n");
    if (indexed || k == 13) // the index, the mean
      at = append(text, at, "%%%d = result %%%d {index=1}\n", ref, ref - 1), ref++;
    at = append(text, at, "output \"o%d\" = %%%d\n", k, ref - 1);
  }
  append(text, at, "}\n");
}

static gj_graph *make_graph(const trial *t, bool symbolic, bool indirect, unsigned which) {
  static char text[TEXT];
  gj_error err = {0};
  gj_graph *g = NULL;
  write_graph(t, text, symbolic, indirect, which);
  gj_status status = gj_graph_parse(text, strlen(text), &g, &err);
  CHECK_OK(status, &err);
  return status == GJ_OK ? g : NULL;
}

// --- memory ---

static double pick(void) {
  double x = (double)(int64_t)next() * 0x1p-63;
  return below(64) ? x : ldexp(x, (int)below(40) - 20);
}

static void fill(trial *t) {
  bool odd = below(4) == 0; // with NaN, infinities and zeros of both signs
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
  for (int64_t k = 0; k < t->elements; k++) {
    double x = pick();
    if (odd && below(50) == 0)
      x = specials[below(5)];
    float y = (float)x;
    int32_t i = (int32_t)below(9) - 4;
    memcpy(t->memory[0] + 8 * k, &x, 8);
    memcpy(t->memory[1] + 4 * k, &y, 4);
    memcpy(t->memory[2] + 4 * k, &i, 4);
    t->memory[3][k] = below(30) == 0;
  }
}

static bool start(trial *t, uint64_t number) {
  static const int64_t sizes[] = {0, 1, 1, 2, 3, 15, 16, 31, 32, 33, 63, 64, 65, 130, 1000, 67000};
  state = number * UINT64_C(0x9E3779B97F4A7C15) | 1;
  next();
  do {
    t->elements = 1;
    for (int i = 0; i < RANK; i++) {
      t->sizes[i] = sizes[below(16)];
      t->elements *= t->sizes[i];
    }
  } while (t->elements > MOST);
  for (int i = 0, k = 0; i < RANK; i++)
    if (t->sizes[i] != 1)
      t->symbols[k++] = t->sizes[i];
  t->axes = 1 + (unsigned)below((1u << RANK) - 1);
  t->results = 1;
  for (int i = 0; i < RANK; i++)
    t->results *= t->axes & (1u << i) ? 1 : t->sizes[i];
  bool ok = true;
  for (int i = 0; i < PORTS; i++) {
    static const size_t widths[INPUTS] = {8, 4, 4, 1};
    t->bytes[i] = i < INPUTS ? (size_t)t->elements * widths[i]
                             : (size_t)t->results * gj_dtype_bytes(result_types[i - INPUTS]);
    t->memory[i] = calloc(1, t->bytes[i] + 64);
    ok = ok && t->memory[i];
  }
  if (ok)
    fill(t);
  return CHECK(ok);
}

static void finish(trial *t) {
  for (int i = 0; i < PORTS; i++)
    free(t->memory[i]);
}

// --- running ---

// Zeros to add: -0 for floats keeps every bit.
static unsigned char *zero_rows(const trial *t, int input) {
  unsigned char *zeros = calloc((size_t)t->sizes[RANK - 1] + 1, 8);
  for (int64_t k = 0; zeros && k < t->sizes[RANK - 1]; k++) {
    double x = -0.0;
    float y = -0.0f;
    if (input == 0)
      memcpy(zeros + 8 * k, &x, 8);
    if (input == 1)
      memcpy(zeros + 4 * k, &y, 4);
  }
  return zeros;
}

typedef struct run {
  void *buffers[2 * INPUTS + OUTPUTS];
  size_t sizes[2 * INPUTS + OUTPUTS];
  const int64_t *shapes[2 * INPUTS];
  unsigned char *results[OUTPUTS];
  size_t count; // of buffers
} run;

static void run_start(run *r, const trial *t, unsigned which) {
  static const size_t widths[INPUTS] = {8, 4, 4, 1};
  *r = (run){.count = 2 * INPUTS};
  for (int i = 0; i < INPUTS; i++) {
    r->buffers[i] = t->memory[i];
    r->sizes[i] = t->bytes[i];
    r->shapes[i] = t->sizes;
    r->buffers[INPUTS + i] = zero_rows(t, i);
    r->sizes[INPUTS + i] = (size_t)t->sizes[RANK - 1] * widths[i];
    r->shapes[INPUTS + i] = t->sizes + RANK - 1;
  }
  for (int k = 0; k < OUTPUTS; k++) {
    if (!(which & (1u << k)))
      continue;
    r->results[k] = calloc(1, t->bytes[INPUTS + k] + 64);
    r->sizes[r->count] = t->bytes[INPUTS + k];
    r->buffers[r->count++] = r->results[k];
  }
}

static void run_finish(run *r) {
  for (int i = 0; i < INPUTS; i++)
    free(r->buffers[INPUTS + i]);
  for (int k = 0; k < OUTPUTS; k++)
    free(r->results[k]);
}

static void run_reference(const trial *t, const gj_graph *g, run *r) {
  gj_error err = {0};
  int64_t symbols[RANK];
  memcpy(symbols, t->symbols, sizeof symbols);
  CHECK_OK(
      gj_graph_eval(g, symbols, (const void *const *)r->buffers, r->buffers + 2 * INPUTS, &err),
      &err);
}

static void run_loops(const trial *t, const gj_graph *g, run *r, unsigned vector_bytes) {
  gj_error err = {0};
  gj_pipeline p;
  gj_pipeline_options options = {.machine = {.vector_bytes = vector_bytes, .stream_bytes = 1},
                                 .piece_ns = 1};
  gj_status made = gj_pipeline_run(g, &options, &p, &err);
  CHECK_OK(made, &err);
  CHECK_OR_RETURN(made == GJ_OK);
  int64_t scratch = 0;
  int32_t status = 0;
  gj_dim_eval(gj_graph_dims(p.graph), p.scratch_bytes, t->symbols, &scratch);
  int64_t symbols[RANK];
  memcpy(symbols, t->symbols, sizeof symbols);
  gj_leval args = {.buffers = r->buffers,
                   .buffer_sizes = r->sizes,
                   .buffer_count = r->count,
                   .dims = symbols,
                   .dim_count = gj_dims_symbol_count(gj_graph_dims(p.graph)),
                   .scratch = aligned_alloc(64, (size_t)scratch + 64),
                   .scratch_size = (size_t)scratch,
                   .slots = 2};
  CHECK_OK(gj_lmodule_eval(p.lowered.module, &args, &status, &err), &err);
  free(args.scratch);
  gj_pipeline_fini(&p);
}

static void run_code(const gj_graph *g, run *r, gj_numerics numerics) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  bool divided = numerics == GJ_NUMERICS_STRICT; // among threads, as finely as can be
  gj_compile_options options = {
      .numerics = numerics, .opt_level = 2, .threads = divided ? 2 : 1, .piece_ns = divided};
  gj_status status = gj_program_compile(g, &options, &program, &err);
  if (status == GJ_OK)
    status = gj_program_bind(program, r->shapes, &binding, &err);
  if (status == GJ_OK)
    status = gj_program_run(program, binding, r->buffers, NULL, NULL, &err);
  CHECK_OK(status, &err);
  gj_binding_free(binding);
  gj_program_free(program);
}

// --- comparing ---

static const char *which_trial(const trial *t) {
  static char text[160];
  snprintf(text, sizeof text, "[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "] axes %x",
           t->sizes[0], t->sizes[1], t->sizes[2], t->sizes[3], t->axes);
  return text;
}

static bool same(const trial *t, const run *a, const run *b, const char *who) {
  for (int k = 0; k < OUTPUTS; k++) {
    if (!a->results[k] || !b->results[k])
      continue;
    size_t width = gj_dtype_bytes(result_types[k]);
    for (int64_t i = 0; i < t->results; i++) {
      gj_scalar want = gj_scalar_load(result_types[k], a->results[k] + (size_t)i * width);
      gj_scalar got = gj_scalar_load(result_types[k], b->results[k] + (size_t)i * width);
      if (gj_scalar_same_bits(want, got))
        continue;
      bool is_float = gj_dtype_is_float(result_types[k]);
      printf("%s: %s[%" PRId64 "] of %s: %.17g vs %.17g\n", who, reductions[k], i, which_trial(t),
             is_float ? want.v.f : (double)want.v.i, is_float ? got.v.f : (double)got.v.i);
      return CHECK(false);
    }
  }
  return true;
}

// Σ|x| of result `result`, for the bound of sums.
static double size_of_sum(const trial *t, int64_t result) {
  int64_t at[RANK], kept = result;
  double total = 0;
  for (int i = RANK; i-- > 0;) {
    at[i] = 0;
    if (!(t->axes & (1u << i))) {
      at[i] = kept % t->sizes[i];
      kept /= t->sizes[i];
    }
  }
  for (;;) {
    int64_t place = 0;
    double x;
    for (int i = 0; i < RANK; i++)
      place = place * t->sizes[i] + at[i];
    memcpy(&x, t->memory[0] + 8 * place, 8);
    total += fabs(x);
    int i = RANK;
    while (i-- > 0) {
      if (t->axes & (1u << i)) {
        if (++at[i] < t->sizes[i])
          break;
        at[i] = 0;
      }
    }
    if (i < 0)
      return total;
  }
}

static double allowed(const trial *t, int k, int64_t i, double want) {
  if (k == 0) // three roundings of Σ|x|, and what the high part is rounded to at the end
    return t->elements ? 3 * 0x1p-53 * size_of_sum(t, i) + 0x1p-53 * fabs(want) : 0;
  if (k == 2 || k == 4) // one rounding, almost: the reference has rounded twice, too
    return 0x1p-23 * fabs(want) + 0x1p-149;
  if (k == 12) // few of these elements lie far from the mean of the first
    return 1e-12 * fabs(want);
  if (k == 13)
    return 0x1p-23 * fabs(want) + 0x1p-30;
  return 0;
}

static void close(const trial *t, const run *reference, const run *b) {
  for (int k = 0; k < OUTPUTS; k++) {
    size_t width = gj_dtype_bytes(result_types[k]);
    for (int64_t i = 0; i < t->results; i++) {
      gj_scalar want = gj_scalar_load(result_types[k], reference->results[k] + (size_t)i * width);
      gj_scalar got = gj_scalar_load(result_types[k], b->results[k] + (size_t)i * width);
      if (gj_scalar_same_bits(want, got))
        continue;
      bool is_float = gj_dtype_is_float(result_types[k]);
      if (is_float && fabs(want.v.f - got.v.f) <= allowed(t, k, i, want.v.f))
        continue;
      printf("reference: %s[%" PRId64 "] of %s: %.17g vs %.17g\n", reductions[k], i, which_trial(t),
             is_float ? want.v.f : (double)want.v.i, is_float ? got.v.f : (double)got.v.i);
      CHECK(false);
      return;
    }
  }
}

// --- tests ---

// argmin and argmax over several axes see equal indices; only one axis is a search.
static unsigned all_of(void) { return (1u << OUTPUTS) - 1; }

typedef struct way {
  const char *name;
  bool symbolic, indirect;
  unsigned vector_bytes; // of the interpreter, 0: scalar; MACHINE, STRICT: code
} way;

enum { MACHINE = 1, STRICT = 2 };

static const way ways[] = {
    {"code for symbols", true, false, MACHINE},
    {"strict code on two threads", false, false, STRICT},
    {"code for operands that are not flat", true, true, MACHINE},
    {"pieces, vectors of 16 bytes", false, false, 16},
    {"pieces, vectors of 64 bytes", true, true, 64},
};

static void run_way(const trial *t, const way *w, run *r, unsigned which) {
  gj_graph *g = make_graph(t, w->symbolic, w->indirect, which);
  CHECK_OR_RETURN(g);
  if (w->vector_bytes == MACHINE || w->vector_bytes == STRICT)
    run_code(g, r, w->vector_bytes == STRICT ? GJ_NUMERICS_STRICT : GJ_NUMERICS_DEFAULT);
  else
    run_loops(t, g, r, w->vector_bytes);
  gj_graph_free(g);
}

static void check_trial(const trial *t) {
  gj_graph *g = make_graph(t, true, false, all_of());
  CHECK_OR_RETURN(g);
  run reference, first;
  run_start(&reference, t, all_of());
  run_reference(t, g, &reference);
  gj_graph_free(g);
  run_start(&first, t, all_of());
  run_way(t, &ways[0], &first, all_of());
  close(t, &reference, &first);
  for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
    if (ways[i].vector_bytes > STRICT && t->elements > 5000)
      continue; // the interpreter is slow
    run other;
    run_start(&other, t, all_of());
    run_way(t, &ways[i], &other, all_of());
    same(t, &first, &other, ways[i].name);
    run_finish(&other);
  }
  run alone; // one reduction by itself
  unsigned which = 1u << below(OUTPUTS);
  run_start(&alone, t, which);
  run_way(t, &ways[0], &alone, which);
  same(t, &first, &alone, "alone");
  run_finish(&alone);
  run_finish(&first);
  run_finish(&reference);
}

static void sizes_alone_decide_what_a_reduction_gives(void) {
  uint64_t count = check_is_quick() ? 2 : case_count;
  for (uint64_t number = first_case; number < first_case + count; number++) {
    if (!check_takes(number))
      continue;
    trial t = {0};
    int before = check_state.failures;
    if (start(&t, number))
      check_trial(&t);
    if (check_state.failures > before)
      printf("case %" PRIu64 "\n", number);
    finish(&t);
    if (check_state.failures > 5)
      return;
  }
}

static void one_number_is_reduced_over_no_axes(void) {
  static const char text[] = "graph \"g\" {\n  %1 = param \"x\" : f64[]\n"
                             "  %2 = reduce_sum %1 {axes=[]}\n  output \"z\" = %2\n}\n";
  gj_error err = {0};
  gj_graph *g = NULL;
  double x = 3, z = 0;
  run r = {.buffers = {&x, &z}, .shapes = {NULL}};
  CHECK_OK(gj_graph_parse(text, strlen(text), &g, &err), &err);
  CHECK_OR_RETURN(g);
  run_code(g, &r, GJ_NUMERICS_STRICT);
  CHECK_DOUBLE_EQ(z, 3);
  gj_graph_free(g);
}

static const char sum[] = "  %2 = reduce_sum %1 {axes=[0]}\n  output \"z\" = %2\n";
static const char scaled[] =
    "  %2 = reduce_sum %1 {axes=[1]}\n  %3 = reshape %2 {shape=[1000, 1]}\n"
    "  %4 = div %1, %3\n  output \"z\" = %4\n";

// Whether the loops for x of `shape` contain `fetch`. stream_bytes 0: a target without caches.
static bool fetches(const char *shape, const char *rest, int64_t stream_bytes, const char *fetch) {
  char text[512];
  gj_error err = {0};
  gj_graph *g = NULL;
  gj_pipeline p;
  gj_pipeline_options options = {.machine = {.vector_bytes = 64, .stream_bytes = stream_bytes}};
  snprintf(text, sizeof text, "graph \"g\" {\n  %%1 = param \"x\" : f32[%s]\n%s}\n", shape, rest);
  CHECK_OK(gj_graph_parse(text, strlen(text), &g, &err), &err);
  gj_status made = gj_pipeline_run(g, &options, &p, &err);
  CHECK_OK(made, &err);
  if (made != GJ_OK)
    return false;
  gj_strbuf loops = {0};
  gj_lmodule_print(p.lowered.module, &loops);
  bool found = strstr(gj_strbuf_peek(&loops), fetch) != NULL;
  gj_strbuf_fini(&loops);
  gj_pipeline_fini(&p);
  gj_graph_free(g);
  return found;
}

static void rows_beyond_the_caches_are_fetched_ahead(void) {
  CHECK(fetches("2000000", sum, 1 << 25, "fetch offset(x, add(next, 3072))"));
  CHECK(fetches("n", sum, 1 << 25, "if (gt(n, 1048576))"));
  CHECK(fetches("n", sum, 1 << 25, "fetch offset(x, next)"));
  CHECK(!fetches("1000000", sum, 1 << 25, "fetch"));
  CHECK(!fetches("n", sum, 0, "fetch"));
  CHECK(fetches("1000, 1000", scaled, 1 << 25, "fetch offset(x, next)"));
  CHECK(!fetches("1000, 1000", scaled, 1 << 25, "fetch offset(z"));
  CHECK(!fetches("1000, 100", scaled, 1 << 25, "fetch"));
}

int main(int argc, char **argv) {
  if (argc > 1)
    first_case = strtoull(argv[1], NULL, 10);
  if (argc > 2)
    case_count = strtoull(argv[2], NULL, 10);
  CHECK_RUN(one_number_is_reduced_over_no_axes);
  CHECK_RUN(rows_beyond_the_caches_are_fetched_ahead);
  CHECK_RUN(sizes_alone_decide_what_a_reduction_gives);
  return check_report();
}
