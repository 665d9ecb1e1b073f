// Loops in tiles as machine code: whatever the numbers of rows and columns, they give the bits of
// the scalar loops, and the vectorised Loop IR says the same to its interpreter.
//
// Each kernel runs on every instruction set of this machine. Fetches go beyond the pages that may
// be touched and must do no harm.
#include "loop_trial.h"
#include "loops_text.h"

enum { BUFFERS = 3 };

typedef struct kernel {
  const char *name;
  const char *types[BUFFERS]; // of z, x, y
  const char *body;           // of both loops; a is r·k + c, b is c·n + r, n rows and k columns
  bool tiled;
} kernel;

#define SAME(t)                                                                                    \
  { t, t, t }
#define A "add(mul(r, k), c)"
#define B "add(mul(c, n), r)"

static const kernel kernels[] = {
    {"copy f64", SAME("f64"), "z[" A "] = x[" B "]", true},
    {"copy f32", SAME("f32"), "z[" A "] = x[" B "]", true},
    {"copy i16", SAME("i16"), "z[" A "] = x[" B "]", true},
    {"copy u8", SAME("u8"), "z[" A "] = x[" B "]", true},
    {"copy bool", SAME("bool"), "z[" A "] = x[" B "]", true},
    {"add f64", SAME("f64"), "z[" A "] = add(x[" B "], y[" A "])", true},
    {"add f32", SAME("f32"), "let v: f32 = x[" B "] z[" A "] = add(mul(v, v), y[" A "])", true},
    {"two transposed", SAME("i32"), "z[" A "] = sub(x[" B "], y[" B "])", true},
    {"mixed",
     {"f32", "f64", "u8"},
     "z[" A "] = convert<f32>(add(x[" B "], convert<f64>(y[" B "])))",
     true},
    {"by row and by column", SAME("f32"), "z[" A "] = add(x[" B "], mul(y[r], y[c]))", true},
    {"heavy", SAME("f32"), "z[" A "] = add(sin(x[" B "]), exp(y[" A "]))", true},
    {"reversed rows", SAME("f64"), "z[" A "] = x[add(mul(sub(sub(k, 1), c), n), r)]", true},
    {"reversed columns", SAME("f64"), "z[" A "] = x[add(mul(c, n), sub(sub(n, 1), r))]", false},
    {"diagonal", SAME("f64"), "z[" A "] = x[rem(mul(c, r), mul(n, k))]", false},
};

// --- modules ---

// A kernel with both loops marked, or neither; with constant bounds when `n` is not negative.
static gj_lmodule *make(const kernel *k, bool marked, int64_t n, int64_t columns) {
  char text[2048], rows_to[32] = "n", columns_to[32] = "k";
  const char *const *t = k->types;
  if (n >= 0) {
    snprintf(rows_to, sizeof rows_to, "%d", (int)n);
    snprintf(columns_to, sizeof columns_to, "%d", (int)columns);
  }
  snprintf(
      text, sizeof text,
      "module \"t\" { func f(z: %s* noalias, x: %s* readonly, y: %s* readonly, n: i64, k: i64) "
      "-> i32 { for r = 0 to %s step 1 %s { if (cancelled) { return 1:i32 } "
      "for c = 0 to %s step 1 %s { %s } } return 0:i32 } entry func main() -> i32 { return "
      "call f(buffer<0, %s>, buffer<1, %s>, buffer<2, %s>, dim<0>, dim<1>) } }",
      t[0], t[1], t[2], rows_to, marked ? "tile" : "", columns_to, marked ? "vector" : "", k->body,
      t[0], t[1], t[2]);
  return parse(text);
}

// --- running ---

static gj_entry *load(gj_lmodule *m, const gj_target *target, bool *out_tiled,
                      gj_jit_code **out_code) {
  gj_strbuf report = {0};
  gj_entry *entry = load_vectorised(m, target, &report, out_code);
  *out_tiled = strstr(gj_strbuf_peek(&report), "in tiles of") != NULL;
  gj_strbuf_fini(&report);
  return entry;
}

static bool run_size(const kernel *k, const gj_lmodule *vector, gj_entry *entry, gj_entry *scalar,
                     int64_t *dims, bool at_end) {
  trial t = {.dims = dims, .dim_count = 2, .exact = strstr(k->name, "heavy") == NULL};
  for (int b = 0; b < BUFFERS; b++)
    add_array(&t, k->types[b], dims[0] * dims[1], at_end);
  return try_loops(&t, vector, entry, scalar);
}

static void run_kernel(const kernel *k, const gj_target *target, int64_t fixed_rows,
                       int64_t fixed_columns) {
  gj_lmodule *vector = make(k, true, fixed_rows, fixed_columns);
  gj_lmodule *loops = make(k, false, fixed_rows, fixed_columns);
  gj_jit_code *code = NULL, *scalar_code = NULL;
  bool tiled = false, never = true;
  gj_entry *entry = load(vector, target, &tiled, &code);
  gj_entry *scalar = load(loops, target, &never, &scalar_code);
  CHECK_OR_RETURN(entry && scalar);
  CHECK(!never);
  if (fixed_rows < 0)
    CHECK_INT_EQ(tiled, k->tiled);
  static const int64_t sides[][2] = {{0, 5},  {5, 0},   {1, 40},  {3, 3},   {4, 4},   {5, 7},
                                     {8, 8},  {9, 16},  {16, 16}, {17, 33}, {40, 15}, {15, 40},
                                     {33, 8}, {40, 40}, {32, 31}, {2, 39}};
  size_t count = fixed_rows < 0 ? sizeof sides / sizeof *sides : 1;
  for (size_t i = 0; i < count; i++) {
    int64_t dims[2] = {fixed_rows < 0 ? sides[i][0] : fixed_rows,
                       fixed_rows < 0 ? sides[i][1] : fixed_columns};
    bool same = run_size(k, vector, entry, scalar, dims, true) &&
                run_size(k, vector, entry, scalar, dims, false);
    CHECK(same);
    if (!same)
      printf("%s, %d × %d, %s\n", k->name, (int)dims[0], (int)dims[1], target->cpu);
  }
  gj_jit_unload(code);
  gj_jit_unload(scalar_code);
  gj_lmodule_free(vector);
  gj_lmodule_free(loops);
}

static gj_target targets[MOST_TARGETS];
static size_t target_count;

static void every_size_gives_the_bits_of_the_scalar_loops(void) {
  for (size_t t = 0; t < target_count; t++)
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
      run_kernel(&kernels[i], &targets[t], -1, -1);
}

static void constant_sizes_do_so_too(void) {
  static const int64_t sides[][2] = {{3, 40}, {4, 5}, {8, 8}, {16, 32}, {17, 9}, {40, 40}};
  for (size_t t = 0; t < target_count; t++)
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
      run_kernel(&kernels[1], &targets[t], sides[i][0], sides[i][1]);
      run_kernel(&kernels[5], &targets[t], sides[i][0], sides[i][1]);
    }
}

int main(void) {
  target_count = find_targets(targets);
  make_arenas();
  CHECK_RUN(every_size_gives_the_bits_of_the_scalar_loops);
  CHECK_RUN(constant_sizes_do_so_too);
  return check_report();
}
