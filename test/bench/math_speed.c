// Times the elementary functions as compiled into loops, beside glibc's vector library.
//
//   math_speed [--rounds N] [op | op_f64 | op_f32 ...]
//
// For every op and dtype: a loop over a block in the first cache, compiled for each instruction set
// that this machine can run and for each numerics mode. All of them take turns for N rounds (60)
// and the least time of each counts, so that a busy machine delays but hardly falsifies. What is
// printed is nanoseconds per element; "libmvec" is the function that gcc -Ofast calls in such a
// loop, with the widest vectors the machine has. math_accuracy says how accurate the same functions
// are.
#include "codegen/codegen.h"
#include "jit/code/orc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1024, REPEAT = 8, MAX_COLUMNS = 12, COMPILATIONS = 3 };

// Arguments are drawn evenly from an interval in which the function has ordinary results.
typedef struct interval {
  double lo, hi;
} interval;

typedef struct row {
  gj_op op;
  const char *libm; // name in C
  interval x, y, z;
} row;

static const row rows[] = {
    {GJ_OP_cbrt, "cbrt", {-100, 100}, {0, 0}, {0, 0}},
    {GJ_OP_exp, "exp", {-10, 10}, {0, 0}, {0, 0}},
    {GJ_OP_exp2, "exp2", {-10, 10}, {0, 0}, {0, 0}},
    {GJ_OP_expm1, "expm1", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_log, "log", {0.01, 100}, {0, 0}, {0, 0}},
    {GJ_OP_log2, "log2", {0.01, 100}, {0, 0}, {0, 0}},
    {GJ_OP_log10, "log10", {0.01, 100}, {0, 0}, {0, 0}},
    {GJ_OP_log1p, "log1p", {-0.9, 10}, {0, 0}, {0, 0}},
    {GJ_OP_sin, "sin", {-10, 10}, {0, 0}, {0, 0}},
    {GJ_OP_cos, "cos", {-10, 10}, {0, 0}, {0, 0}},
    {GJ_OP_tan, "tan", {-10, 10}, {0, 0}, {0, 0}},
    {GJ_OP_asin, "asin", {-1, 1}, {0, 0}, {0, 0}},
    {GJ_OP_acos, "acos", {-1, 1}, {0, 0}, {0, 0}},
    {GJ_OP_atan, "atan", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_sinh, "sinh", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_cosh, "cosh", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_tanh, "tanh", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_asinh, "asinh", {-5, 5}, {0, 0}, {0, 0}},
    {GJ_OP_acosh, "acosh", {1, 10}, {0, 0}, {0, 0}},
    {GJ_OP_atanh, "atanh", {-0.99, 0.99}, {0, 0}, {0, 0}},
    {GJ_OP_erf, "erf", {-3, 3}, {0, 0}, {0, 0}},
    {GJ_OP_erfc, "erfc", {-3, 5}, {0, 0}, {0, 0}},
    {GJ_OP_lgamma, "lgamma", {0.5, 10}, {0, 0}, {0, 0}},
    {GJ_OP_pow, "pow", {0.1, 10}, {-5, 5}, {0, 0}},
    {GJ_OP_atan2, "atan2", {-5, 5}, {-5, 5}, {0, 0}},
    {GJ_OP_hypot, "hypot", {-5, 5}, {-5, 5}, {0, 0}},
    {GJ_OP_rem, "fmod", {-100, 100}, {1, 10}, {0, 0}},
    {GJ_OP_fma, "fma", {-5, 5}, {-5, 5}, {-5, 5}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static _Alignas(64) unsigned char operands[3][COUNT * 8], result[COUNT * 8];

// One way to compute the block, and the best time so far.
typedef struct column {
  char name[48];
  gj_jit_code *code;
  gj_entry *entry;
  void (*loop)(unsigned arity, void (*f)(void)); // or this over libmvec's function
  void (*libmvec)(void);
  double ns, compile_ms;
} column;

typedef struct table {
  column columns[MAX_COLUMNS];
  size_t count;
  unsigned arity;
} table;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// --- operands ------------------------------------------------------------------------------------

static uint64_t random_state = 1;

static double random_in(interval range) { // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return range.lo + (range.hi - range.lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static void fill(const row *r, gj_dtype dtype) {
  const interval ranges[3] = {r->x, r->y, r->z};
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < COUNT; i++) {
      double value = random_in(ranges[k]);
      float narrow = (float)value;
      if (dtype == GJ_DTYPE_f64)
        memcpy(operands[k] + i * 8, &value, 8);
      else
        memcpy(operands[k] + i * 4, &narrow, 4);
    }
}

// --- compiled loops ------------------------------------------------------------------------------

// for i = 0 to COUNT step lanes { z[i] = op(x[i], …) }
static gj_lmodule *build(gj_op op, unsigned arity, gj_dtype dtype, unsigned lanes) {
  gj_lmodule *m = gj_lmodule_new("math");
  gj_lfunc *entry = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop =
      gj_ls_for(m, entry, &entry->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, COUNT), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, entry, loop->local), *args[3];
  for (unsigned k = 0; k < arity; k++)
    args[k] = gj_lx_load(m, gj_lx_buffer(m, k, dtype), i, lanes);
  gj_ls_store(m, entry, &loop->body, gj_lx_buffer(m, 3, dtype), i,
              gj_lx_op(m, op, args, arity, dtype));
  gj_ls_return(m, entry, &entry->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

// Compiles a few times and keeps the last object and the least time in milliseconds.
static gj_status compile(const gj_lmodule *m, const gj_target *target,
                         const gj_codegen_options *options, unsigned char **object, size_t *size,
                         double *ms, gj_error *err) {
  for (int i = 0; i < COMPILATIONS; i++) {
    double start = now();
    free(*object);
    *object = NULL;
    GJ_TRY(gj_codegen(m, target, options, GJ_EMIT_OBJECT, object, size, NULL, err));
    double taken = (now() - start) * 1e-6;
    *ms = i == 0 || taken < *ms ? taken : *ms;
  }
  return GJ_OK;
}

static void add_compiled(table *t, gj_op op, gj_dtype dtype, const gj_target *target,
                         const char *name, gj_numerics numerics) {
  static const char *const modes[] = {"default", "strict", "fast"};
  gj_codegen_options options = {
      .numerics = numerics, .opt_level = 3, .entry_symbol = "entry", .host_math = true};
  column *c = &t->columns[t->count];
  unsigned char *object = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m =
      build(op, t->arity, dtype, target->vector_bytes / (unsigned)gj_dtype_bytes(dtype));
  gj_status status = compile(m, target, &options, &object, &size, &c->compile_ms, &err);
  if (status == GJ_OK)
    status = gj_jit_load(object, size, "entry", &c->code, &c->entry, &err);
  if (status != GJ_OK)
    fprintf(stderr, "%s: %s\n", name, err.message);
  gj_lmodule_free(m);
  free(object);
  snprintf(c->name, sizeof c->name, "%s-%s", name, modes[numerics]);
  if (status == GJ_OK)
    t->count++;
}

// --- libmvec -------------------------------------------------------------------------------------

#if defined __x86_64__
typedef double vec8d __attribute__((vector_size(64)));
typedef float vec16f __attribute__((vector_size(64)));
typedef double vec4d __attribute__((vector_size(32)));
typedef float vec8f __attribute__((vector_size(32)));

// A loop over the block for vectors of one type; the names are those of the vector function ABI.
#define LIBMVEC_LOOP(vector, element, isa)                                                         \
  __attribute__((target(isa))) static void loop_##vector(unsigned arity, void (*f)(void)) {        \
    enum { LANES = sizeof(vector) / sizeof(element) };                                             \
    const vector *x = (const vector *)operands[0], *y = (const vector *)operands[1];               \
    vector *z = (vector *)result;                                                                  \
    for (size_t i = 0; i < COUNT / LANES; i++)                                                     \
      z[i] =                                                                                       \
          arity == 1 ? ((vector(*)(vector))f)(x[i]) : ((vector(*)(vector, vector))f)(x[i], y[i]);  \
  }
LIBMVEC_LOOP(vec8d, double, "avx512f")
LIBMVEC_LOOP(vec16f, float, "avx512f")
LIBMVEC_LOOP(vec4d, double, "avx2")
LIBMVEC_LOOP(vec8f, float, "avx2")

// "_ZGVeN8v_sin": e is AVX-512, d is AVX2; v is one vector argument.
static void add_libmvec(table *t, void *library, const row *r, bool wide, bool single) {
  char name[48];
  snprintf(name, sizeof name, "_ZGV%cN%u%s_%s%s", wide ? 'e' : 'd', (wide ? 8u : 4u) << single,
           t->arity == 1 ? "v" : "vv", r->libm, single ? "f" : "");
  column *c = &t->columns[t->count];
  void *symbol = library && t->arity < 3 ? dlsym(library, name) : NULL;
  if (!symbol)
    return;
  memcpy(&c->libmvec, &symbol, sizeof symbol);
  c->loop = wide ? (single ? loop_vec16f : loop_vec8d) : (single ? loop_vec8f : loop_vec4d);
  snprintf(c->name, sizeof c->name, "libmvec");
  t->count++;
}
#endif

// --- measuring -----------------------------------------------------------------------------------

static void run_column(const table *t, const column *c) {
  void *buffers[4] = {operands[0], operands[1], operands[2], result};
  gj_exec exec = {0};
  for (int i = 0; i < REPEAT; i++)
    if (c->loop)
      c->loop(t->arity, c->libmvec);
    else
      c->entry(buffers, NULL, &exec);
}

static void measure(table *t, int rounds) {
  for (int round = 0; round < rounds; round++)
    for (size_t i = 0; i < t->count; i++) {
      column *c = &t->columns[i];
      double start = now();
      run_column(t, c);
      double ns = (now() - start) / (REPEAT * COUNT);
      c->ns = round == 0 || ns < c->ns ? ns : c->ns;
    }
}

// The length of a cycle in ns, from a chain of additions that take one each.
static double cycle(void) {
  double best = 1e9;
  for (int round = 0; round < 50; round++) {
    double start = now();
    uint64_t x = 0;
    for (int i = 0; i < 1000; i++) {
#define STEP                                                                                       \
  __asm__ volatile("" : "+r"(x));                                                                  \
  x += (uint64_t)i;
      STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#undef STEP
    }
    double ns = (now() - start) / 10000;
    best = ns < best ? ns : best;
  }
  return best;
}

// --- the table -----------------------------------------------------------------------------------

static gj_target host, middle, small;
static bool has_middle, has_small;

static void add_target(table *t, gj_op op, gj_dtype dtype, const gj_target *target,
                       const char *name) {
  add_compiled(t, op, dtype, target, name, GJ_NUMERICS_STRICT);
  add_compiled(t, op, dtype, target, name, GJ_NUMERICS_DEFAULT);
  add_compiled(t, op, dtype, target, name, GJ_NUMERICS_FAST);
}

static void show(const row *r, gj_dtype dtype, void *library, int rounds) {
  table t = {.arity = gj_op_get(r->op)->arity};
  fill(r, dtype);
  add_target(&t, r->op, dtype, &host, "host");
  if (has_middle)
    add_target(&t, r->op, dtype, &middle, "x86-64-v3");
  if (has_small)
    add_target(&t, r->op, dtype, &small, "x86-64-v2");
#if defined __x86_64__
  if (host.vector_bytes > 16)
    add_libmvec(&t, library, r, host.vector_bytes == 64, dtype == GJ_DTYPE_f32);
#endif
  measure(&t, rounds);
  for (size_t i = 0; i < t.count; i++) {
    const column *c = &t.columns[i];
    printf("%s %s %s %.4f %.3f\n", gj_op_name(r->op), gj_dtype_name(dtype), c->name, c->ns,
           c->compile_ms);
    if (c->code)
      gj_jit_unload(c->code);
  }
  fflush(stdout);
}

static bool is_selected(gj_op op, const char *dtype, char **names, int count) {
  char full[40];
  snprintf(full, sizeof full, "%s_%s", gj_op_name(op), dtype);
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], gj_op_name(op)) == 0 || strcmp(names[i], full) == 0)
      return true;
  return count == 0;
}

static bool find_targets(void) {
  gj_error err = {0};
  const char *triple = "x86_64-unknown-linux-gnu";
  if (gj_target_host(&host, &err) != GJ_OK) {
    fprintf(stderr, "%s\n", err.message);
    return false;
  }
  bool x86 = strncmp(host.triple, "x86_64", 6) == 0;
  has_middle = x86 && host.vector_bytes == 64 &&
               gj_target_named(triple, "x86-64-v3", NULL, &middle, &err) == GJ_OK;
  has_small = x86 && gj_target_named(triple, "x86-64-v2", NULL, &small, &err) == GJ_OK;
  return true;
}

int main(int argc, char **argv) {
  int rounds = 60, first = 1;
  if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
    rounds = (int)strtol(argv[2], NULL, 10);
    first = 3;
  }
  if (!find_targets())
    return 1;
  void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  printf("host %s %s\ncycle %.4f\n", host.cpu, host.triple, cycle());
  for (size_t i = 0; i < ROWS; i++)
    for (int single = 0; single < 2; single++) {
      gj_dtype dtype = single ? GJ_DTYPE_f32 : GJ_DTYPE_f64;
      if (is_selected(rows[i].op, gj_dtype_name(dtype), argv + first, argc - first))
        show(&rows[i], dtype, library, rounds);
    }
  return 0;
}
