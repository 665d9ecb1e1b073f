// Vector loops as machine code at every length: whatever is done about the rest of a loop gives the
// bits of the scalar loop and touches nothing outside of its arrays.
//
// Each kernel runs on every instruction set of this machine, for all lengths up to three vectors
// and one. Arrays end where a page begins that may not be touched, or begin where one ends, so that
// a stray load stops the test; what lies around results is compared.
#include "check.h"

#include "codegen/codegen.h"
#include "jit/orc.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { BUFFERS = 4, PAGE = 4096, ROOM = 4 * PAGE, MAX_LENGTH = 3 * 64 + 1 };

// An arena between two pages that may not be touched.
static unsigned char *guarded[BUFFERS];

typedef struct kernel {
  const char *name;
  const char *types[BUFFERS]; // of z, x, y, q
  unsigned reach;             // x holds n times as many elements
  const char *flags;          // of z
  const char *body;           // of the loop
  const char *stream;         // condition, NULL: none
} kernel;

#define SAME(t)                                                                                    \
  { t, t, t, "i64" }

static const kernel kernels[] = {
    {"add f64", SAME("f64"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add f32", SAME("f32"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add i16", SAME("i16"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add u8", SAME("u8"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"divide i32", SAME("i32"), 1, "noalias", "z[i] = div(x[i], y[i])", NULL},
    {"in place", SAME("f32"), 1, "", "z[i] = add(mul(z[i], x[i]), 1:f32)", NULL},
    {"in place, bytes", SAME("u8"), 1, "", "z[i] = add(z[i], x[i])", NULL},
    {"compare",
     {"bool", "f64", "f32", "i64"},
     1,
     "noalias",
     "z[i] = lt(x[i], convert<f64>(y[i]))",
     NULL},
    {"constant bytes",
     {"bool", "f32", "f64", "i64"},
     1,
     "noalias",
     "z[i] = is_nan(convert<f64>(eq(rem(x[i], x[i]), convert<f32>(y[i]))))",
     NULL},
    {"streamed f64", SAME("f64"), 1, "noalias", "z[i] = add(x[i], y[i])", "gt(n, 9)"},
    {"streamed long f32", SAME("f32"), 1, "noalias",
     "let a: f32 = mul(x[i], y[i]) let b: f32 = mul(add(a, x[i]), sub(a, y[i])) "
     "let c: f32 = mul(max(a, b), min(a, y[i])) z[i] = sub(mul(c, b), add(a, c))",
     "gt(n, 9)"},
    {"streamed u8", SAME("u8"), 1, "noalias", "z[i] = add(x[i], y[i])", "true"},
    {"streamed narrow",
     {"f32", "f64", "f64", "i64"},
     1,
     "noalias",
     "z[i] = convert<f32>(add(x[i], y[i]))",
     "true"},
    {"streamed in place", SAME("f32"), 1, "", "z[i] = add(z[i], y[i])", "true"},
    {"reverse", SAME("f64"), 1, "noalias", "z[i] = sub(x[sub(sub(n, 1), i)], y[i])", NULL},
    {"reverse bytes", SAME("i8"), 1, "noalias", "z[i] = x[sub(sub(n, 1), i)]", NULL},
    {"gather", SAME("f32"), 1, "noalias", "z[i] = x[q[i]]", NULL},
    {"gather shorts", SAME("i16"), 1, "noalias", "z[i] = x[q[i]]", NULL},
    {"rows", SAME("f64"), 3, "noalias", "z[i] = x[add(mul(i, 3), 1)]", NULL},
    {"every second f64", SAME("f64"), 2, "noalias", "z[i] = add(x[mul(i, 2)], y[i])", NULL},
    {"every second f32", SAME("f32"), 2, "noalias", "z[i] = x[add(mul(i, 2), 1)]", NULL},
    {"every third i32", SAME("i32"), 3, "noalias", "z[i] = sub(x[add(mul(i, 3), 2)], x[mul(i, 3)])",
     NULL},
    {"records of three", SAME("f32"), 3, "noalias",
     "z[i] = add(x[mul(i, 3)], mul(x[add(mul(i, 3), 1)], x[add(mul(i, 3), 2)]))", NULL},
    {"two of three", SAME("f64"), 3, "noalias", "z[i] = sub(x[add(mul(i, 3), 1)], x[mul(3, i)])",
     NULL},
    {"the first and third of four bytes", SAME("u8"), 4, "noalias",
     "z[i] = sub(x[add(mul(i, 4), 2)], x[mul(i, 4)])", NULL},
    {"records of bytes", SAME("u8"), 3, "noalias",
     "z[i] = sub(add(x[mul(i, 3)], x[add(mul(i, 3), 1)]), x[add(mul(i, 3), 2)])", NULL},
    {"two records", SAME("f32"), 4, "noalias",
     "let k: i64 = mul(i, 2) z[i] = sub(add(x[add(k, 1)], x[add(k, 2)]), x[add(k, 3)])", NULL},
    {"records backwards", SAME("f32"), 3, "noalias",
     "let k: i64 = sub(sub(mul(n, 3), 1), mul(i, 3)) z[i] = sub(x[k], x[sub(k, 2)])", NULL},
    {"a record in a branch", SAME("f32"), 2, "noalias",
     "z[i] = x[mul(i, 2)] if (gt(n, 20)) { z[i] = x[add(mul(i, 2), 1)] }", NULL},
    {"a record that moves", SAME("f32"), 3, "noalias",
     "let k: i64 = 0 let a: f32 = x[add(mul(i, 3), k)] k = 2 z[i] = sub(a, x[add(mul(i, 3), k)])",
     NULL},
    {"heavy records", SAME("f32"), 3, "noalias",
     "z[i] = add(sin(x[mul(i, 3)]), exp(x[add(mul(i, 3), 1)]))", NULL},
    {"every third byte", SAME("u8"), 3, "noalias", "z[i] = x[mul(i, 3)]", NULL},
    {"every fourth bool",
     {"f32", "bool", "f32", "i64"},
     4,
     "noalias",
     "z[i] = select(x[add(mul(i, 4), 3)], y[i], 0:f32)",
     NULL},
    {"every fourth i16", SAME("i16"), 4, "noalias", "z[i] = x[add(mul(i, 4), 1)]", NULL},
    {"backwards by two", SAME("f64"), 2, "noalias", "z[i] = x[sub(sub(mul(n, 2), 1), mul(i, 2))]",
     NULL},
    {"backwards by three", SAME("i8"), 3, "noalias", "z[i] = x[sub(sub(mul(n, 3), 2), mul(i, 3))]",
     NULL},
    {"heavy", SAME("f64"), 1, "noalias", "z[i] = mul(sin(x[i]), exp(y[i]))", NULL},
    {"heavy in place", SAME("f32"), 1, "", "z[i] = tanh(add(z[i], x[i]))", NULL},
    {"columns", SAME("f32"), 3, "noalias",
     "let s: f32 = 0:f32 for j = 0 to 3 step 1 { s = add(s, x[add(mul(j, n), i)]) } z[i] = s",
     NULL},
};

static gj_lmodule *make(const kernel *k, const char *bounds) {
  char text[2048];
  const char *const *t = k->types;
  snprintf(text, sizeof text,
           "module \"t\" { func k(z: %s* %s, x: %s* readonly, y: %s* readonly, q: i64* readonly, "
           "n: i64) -> i32 { for i = %s step 1 vector %s%s%s { %s } fence return 0:i32 } "
           "entry func main() -> i32 { return call k(buffer<0, %s>, buffer<1, %s>, "
           "buffer<2, %s>, buffer<3, i64>, dim<0>) } }",
           t[0], k->flags, t[1], t[2], bounds, k->stream ? "stream(" : "",
           k->stream ? k->stream : "", k->stream ? ")" : "", k->body, t[0], t[1], t[2]);
  gj_lmodule *m = NULL;
  gj_error err = {0};
  CHECK_OK(gj_lmodule_parse(text, strlen(text), &m, &err), &err);
  return m;
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

static size_t bytes_of(const char *type) {
  return gj_dtype_bytes(gj_dtype_parse(type, strlen(type)));
}

// Small numbers of every dtype, and indices below n in q.
static void fill(const kernel *k, unsigned char *const *at, int64_t n) {
  for (int b = 0; b < BUFFERS; b++) {
    gj_dtype dtype = gj_dtype_parse(k->types[b], strlen(k->types[b]));
    memset(guarded[b], 0x5a, ROOM);
    for (int64_t i = 0; i < n * (b == 1 ? k->reach : 1); i++) {
      gj_scalar s;
      double value = dtype == GJ_DTYPE_bool ? (double)(i & 1) : (double)((i * 37 + b) % 101);
      gj_scalar_from_double(dtype, b == 3 ? (double)(i * 7 % n) : value, &s);
      gj_scalar_store(s, at[b] + i * (int64_t)gj_dtype_bytes(dtype));
    }
  }
}

// The arrays of n elements at the end of their arenas, or at the beginning.
static void place(const kernel *k, int64_t n, bool at_end, unsigned char **at) {
  for (int b = 0; b < BUFFERS; b++) {
    size_t size = bytes_of(k->types[b]) * (size_t)n * (b == 1 ? k->reach : 1);
    at[b] = guarded[b] + (at_end ? ROOM - size : 0);
  }
}

// --- running ---

static gj_entry *load(gj_lmodule *m, const gj_target *target, gj_jit_code **out_code) {
  gj_codegen_options options = {.opt_level = 3, .entry_symbol = "strip_entry"};
  gj_loops_machine machine = gj_target_loops(target);
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_entry *entry = NULL;
  gj_status status = gj_loops_vectorise(m, &machine, NULL, &err);
  if (status == GJ_OK)
    status = gj_lmodule_verify(m, &err);
  if (status == GJ_OK)
    status = gj_codegen(m, target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, "strip_entry", out_code, &entry, &err);
  CHECK_OK(status, &err);
  free(object);
  return entry;
}

static bool run_length(const kernel *k, const gj_lmodule *plain, gj_entry *entry, gj_entry *scalar,
                       int64_t n, bool at_end) {
  static unsigned char expected[ROOM];
  unsigned char *at[BUFFERS];
  size_t sizes[BUFFERS];
  place(k, n, at_end, at);
  fill(k, at, n);
  for (int b = 0; b < BUFFERS; b++)
    sizes[b] = bytes_of(k->types[b]) * (size_t)n * (b == 1 ? k->reach : 1);
  gj_exec exec = {0};
  void *buffers[BUFFERS] = {at[0], at[1], at[2], at[3]};
  CHECK_INT_EQ(scalar(buffers, &n, &exec), 0);
  memcpy(expected, guarded[0], ROOM);
  fill(k, at, n);
  CHECK_INT_EQ(entry(buffers, &n, &exec), 0);
  bool same = memcmp(expected, guarded[0], ROOM) == 0;
  // The interpreter knows where arrays end, too.
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = sizes,
                   .buffer_count = BUFFERS,
                   .dims = &n,
                   .dim_count = 1};
  int32_t status = 0;
  gj_error err = {0};
  fill(k, at, n);
  CHECK_OK(gj_lmodule_eval(plain, &args, &status, &err), &err);
  return same;
}

// Leaves the loop of the kernel scalar.
static void unmark(gj_lmodule *m) {
  gj_lstmt *loop = m->funcs[0]->body.stmts[0];
  loop->marks = 0;
  loop->d = NULL;
}

static void run_kernel(const kernel *k, const gj_target *target) {
  gj_lmodule *plain = make(k, "0 to n"), *vector = gj_lmodule_clone(plain);
  gj_target smallest = *target;
  gj_jit_code *code = NULL, *scalar_code = NULL;
  smallest.vector_bytes = 16;
  gj_entry *entry = load(vector, target, &code);
  gj_lmodule *loops = make(k, "0 to n");
  unmark(loops);
  gj_entry *scalar = load(loops, &smallest, &scalar_code);
  CHECK_OR_RETURN(entry && scalar);
  for (int64_t n = 0; n <= MAX_LENGTH; n++) {
    bool same = run_length(k, vector, entry, scalar, n, true) &&
                run_length(k, vector, entry, scalar, n, false);
    CHECK(same);
    if (!same)
      printf("%s, n = %d, %s\n", k->name, (int)n, target->cpu);
  }
  gj_jit_unload(code);
  gj_jit_unload(scalar_code);
  gj_lmodule_free(plain);
  gj_lmodule_free(vector);
  gj_lmodule_free(loops);
}

static gj_target targets[3];
static size_t target_count;

static void every_length_gives_the_bits_of_the_scalar_loop(void) {
  for (size_t t = 0; t < target_count; t++)
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
      run_kernel(&kernels[i], &targets[t]);
}

static void constant_lengths_do_so_too(void) {
  const kernel *k = &kernels[1];
  for (int64_t n = 1; n < 40; n++) {
    char bounds[32];
    snprintf(bounds, sizeof bounds, "0 to %d", (int)n);
    gj_lmodule *vector = make(k, bounds), *loops = make(k, bounds);
    unmark(loops);
    gj_jit_code *code = NULL, *scalar_code = NULL;
    gj_entry *entry = load(vector, &targets[0], &code);
    gj_entry *scalar = load(loops, &targets[0], &scalar_code);
    CHECK_OR_RETURN(entry && scalar);
    CHECK(run_length(k, vector, entry, scalar, n, true));
    gj_jit_unload(code);
    gj_jit_unload(scalar_code);
    gj_lmodule_free(vector);
    gj_lmodule_free(loops);
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
  CHECK_RUN(every_length_gives_the_bits_of_the_scalar_loop);
  CHECK_RUN(constant_lengths_do_so_too);
  return check_report();
}
