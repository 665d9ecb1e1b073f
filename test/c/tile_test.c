// Loops in tiles as machine code: whatever the numbers of rows and columns, they give the bits of
// the scalar loops, and the vectorised Loop IR says the same to its interpreter.
//
// Each kernel runs on every instruction set of this machine. Arrays end where a page begins that
// may not be touched, or begin where one ends; fetches go beyond that and must do no harm.
#include "check.h"

#include "codegen/codegen.h"
#include "jit/orc.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { BUFFERS = 3, PAGE = 4096, MAX_SIDE = 40, ROOM = 4 * PAGE };

static unsigned char *guarded[BUFFERS];

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
  gj_lmodule *m = NULL;
  gj_error err = {0};
  CHECK_OK(gj_lmodule_parse(text, strlen(text), &m, &err), &err);
  return m;
}

static gj_entry *load(gj_lmodule *m, const gj_target *target, bool *out_tiled,
                      gj_jit_code **out_code) {
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "tile_entry"};
  gj_loops_machine machine = gj_target_loops(target);
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_entry *entry = NULL;
  gj_strbuf report = {0};
  gj_status status = gj_loops_vectorise(m, &machine, &report, &err);
  *out_tiled = strstr(gj_strbuf_peek(&report), "in tiles of") != NULL;
  gj_strbuf_fini(&report);
  if (status == GJ_OK)
    status = gj_lmodule_verify(m, &err);
  if (status == GJ_OK)
    status = gj_codegen(m, target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, "tile_entry", out_code, &entry, &err);
  CHECK_OK(status, &err);
  free(object);
  return entry;
}

// --- memory ---

static void make_arenas(void) {
  for (int b = 0; b < BUFFERS; b++) {
    unsigned char *bytes =
        mmap(NULL, ROOM + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_OR_RETURN(bytes != MAP_FAILED);
    CHECK(mprotect(bytes + PAGE, ROOM, PROT_READ | PROT_WRITE) == 0);
    guarded[b] = bytes + PAGE;
  }
}

static gj_dtype dtype_of(const kernel *k, int b) {
  return gj_dtype_parse(k->types[b], strlen(k->types[b]));
}

static void fill(const kernel *k, unsigned char *const *at, int64_t count) {
  for (int b = 0; b < BUFFERS; b++) {
    gj_dtype dtype = dtype_of(k, b);
    memset(guarded[b], 0x5a, ROOM);
    for (int64_t i = 0; i < count; i++) {
      gj_scalar s;
      double value = dtype == GJ_DTYPE_bool ? (double)(i % 3 == 0) : (double)((i * 37 + b) % 101);
      gj_scalar_from_double(dtype, value, &s);
      gj_scalar_store(s, at[b] + i * (int64_t)gj_dtype_bytes(dtype));
    }
  }
}

// --- running ---

static bool run_size(const kernel *k, const gj_lmodule *vector, gj_entry *entry, gj_entry *scalar,
                     const int64_t *dims, bool at_end) {
  static unsigned char expected[ROOM];
  unsigned char *at[BUFFERS];
  size_t sizes[BUFFERS];
  int64_t count = dims[0] * dims[1];
  for (int b = 0; b < BUFFERS; b++) {
    sizes[b] = (size_t)count * gj_dtype_bytes(dtype_of(k, b));
    at[b] = guarded[b] + (at_end ? ROOM - sizes[b] : 0);
  }
  gj_exec exec = {0};
  void *buffers[BUFFERS] = {at[0], at[1], at[2]};
  fill(k, at, count);
  CHECK_INT_EQ(scalar(buffers, dims, &exec), 0);
  memcpy(expected, guarded[0], ROOM);
  fill(k, at, count);
  CHECK_INT_EQ(entry(buffers, dims, &exec), 0);
  bool same = memcmp(expected, guarded[0], ROOM) == 0;
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = BUFFERS,
                   .dims = dims,
                   .dim_count = 2};
  int32_t status = 0;
  gj_error err = {0};
  fill(k, at, count);
  CHECK_OK(gj_lmodule_eval(vector, &args, &status, &err), &err);
  // Elementary functions of the interpreter may differ from those of machine code in the last bit.
  return same && (strstr(k->name, "heavy") || memcmp(expected, guarded[0], ROOM) == 0);
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

static gj_target targets[3];
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
  static const char *const cpus[] = {"x86-64-v3", "x86-64-v2"};
  gj_error err = {0};
  CHECK_OK(gj_target_host(&targets[target_count++], &err), &err);
  // Smaller instruction sets run on this machine too if it is an x86-64 with AVX2.
  for (size_t i = 0; i < 2 && targets[0].vector_bytes >= 32; i++)
    CHECK_OK(
        gj_target_named("x86_64-unknown-linux-gnu", cpus[i], NULL, &targets[target_count++], &err),
        &err);
  make_arenas();
  CHECK_RUN(every_size_gives_the_bits_of_the_scalar_loops);
  CHECK_RUN(constant_sizes_do_so_too);
  return check_report();
}
