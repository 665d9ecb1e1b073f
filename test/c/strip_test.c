// Vector loops as machine code at every length: whatever is done about the rest of a loop gives the
// bits of the scalar loop and touches nothing outside of its arrays.
//
// Each kernel runs on every instruction set of this machine, for all lengths up to three vectors
// and one.
#include "loop_trial.h"
#include "loops_text.h"

enum { BUFFERS = 5, MAX_LENGTH = 3 * 64 + 1 };

typedef struct kernel {
  const char *name;
  const char *types[BUFFERS]; // of z, x, y, q, w
  unsigned reach;             // x holds n times as many elements
  const char *flags;          // of z
  const char *body;           // of the loop
  const char *stream;         // condition, NULL: none
} kernel;

#define SAME(t)                                                                                    \
  { t, t, t, "i64", "f32" }

#define AND(z, w, x, y)                                                                            \
  { z, x, y, "i64", w }

#define OF(z, x, y)                                                                                \
  { z, x, y, "i64", "f32" }

static const kernel kernels[] = {
    {"add f64", SAME("f64"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add f32", SAME("f32"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add i16", SAME("i16"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"add u8", SAME("u8"), 1, "noalias", "z[i] = add(x[i], y[i])", NULL},
    {"divide i32", SAME("i32"), 1, "noalias", "z[i] = div(x[i], y[i])", NULL},
    {"in place", SAME("f32"), 1, "", "z[i] = add(mul(z[i], x[i]), 1:f32)", NULL},
    {"in place, bytes", SAME("u8"), 1, "", "z[i] = add(z[i], x[i])", NULL},
    {"compare", OF("bool", "f64", "f32"), 1, "noalias", "z[i] = lt(x[i], convert<f64>(y[i]))",
     NULL},
    {"constant bytes", OF("bool", "f32", "f64"), 1, "noalias",
     "z[i] = is_nan(convert<f64>(eq(rem(x[i], x[i]), convert<f32>(y[i]))))", NULL},
    {"streamed f64", SAME("f64"), 1, "noalias", "z[i] = add(x[i], y[i])", "gt(n, 9)"},
    {"streamed long f32", SAME("f32"), 1, "noalias",
     "let a: f32 = mul(x[i], y[i]) let b: f32 = mul(add(a, x[i]), sub(a, y[i])) "
     "let c: f32 = mul(max(a, b), min(a, y[i])) z[i] = sub(mul(c, b), add(a, c))",
     "gt(n, 9)"},
    {"streamed u8", SAME("u8"), 1, "noalias", "z[i] = add(x[i], y[i])", "true"},
    {"streamed narrow", OF("f32", "f64", "f64"), 1, "noalias",
     "z[i] = convert<f32>(add(x[i], y[i]))", "true"},
    {"streamed in place", SAME("f32"), 1, "", "z[i] = add(z[i], y[i])", "true"},
    {"narrowed", OF("u16", "u32", "u32"), 1, "noalias", "z[i] = convert<u16>(x[i])", NULL},
    {"narrowed to bytes", OF("i8", "i64", "i64"), 1, "noalias", "z[i] = convert<i8>(x[i])", NULL},
    {"halved", OF("f16", "f32", "f32"), 1, "noalias", "z[i] = convert<f16>(x[i])", NULL},
    {"added halves", OF("bf16", "bf16", "bf16"), 1, "noalias",
     "z[i] = convert<bf16>(add(convert<f32>(x[i]), convert<f32>(y[i])))", NULL},
    {"in pairs, with a loop", SAME("f32"), 1, "noalias",
     "let a: f32 = x[i] for k = 0 to 3 step 1 { a = add(mul(a, y[i]), x[i]) } z[i] = a", NULL},
    {"in pairs, heavy", SAME("f64"), 1, "noalias", "z[i] = sqrt(div(x[i], add(y[i], 1:f64)))",
     NULL},
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
    {"every fourth bool", OF("f32", "bool", "f32"), 4, "noalias",
     "z[i] = select(x[add(mul(i, 4), 3)], y[i], 0:f32)", NULL},
    {"every fourth i16", SAME("i16"), 4, "noalias", "z[i] = x[add(mul(i, 4), 1)]", NULL},
    {"backwards by two", SAME("f64"), 2, "noalias", "z[i] = x[sub(sub(mul(n, 2), 1), mul(i, 2))]",
     NULL},
    {"backwards by three", SAME("i8"), 3, "noalias", "z[i] = x[sub(sub(mul(n, 3), 2), mul(i, 3))]",
     NULL},
    {"heavy", SAME("f64"), 1, "noalias", "z[i] = mul(sin(x[i]), exp(y[i]))", NULL},
    {"heavy in place", SAME("f32"), 1, "", "z[i] = tanh(add(z[i], x[i]))", NULL},
    {"heavy and mixed", AND("f64", "bool", "f32", "f64"), 1, "noalias",
     "let a: f32 = exp(x[i]) z[i] = sin(mul(convert<f64>(a), y[i])) "
     "w[i] = lt(convert<f64>(a), y[i])",
     NULL},
    {"heavy, halves and bytes", AND("f16", "u8", "f16", "u8"), 1, "noalias",
     "let a: f32 = tanh(convert<f32>(x[i])) z[i] = convert<f16>(add(a, convert<f32>(y[i]))) "
     "w[i] = convert<u8>(mul(exp(a), 10:f32))",
     NULL},
    {"heavy, all loads but contiguous", AND("f32", "f32", "f32", "f32"), 2, "noalias",
     "z[i] = exp(add(x[mul(i, 2)], y[q[i]])) w[i] = sin(add(x[sub(sub(n, 1), i)], y[0]))", NULL},
    {"heavy in a branch, two results", AND("f32", "i32", "f32", "f32"), 1, "noalias",
     "let a: f32 = exp(x[i]) if (gt(n, 20)) { a = tanh(sub(a, y[i])) w[i] = convert<i32>(y[i]) } "
     "z[i] = a",
     NULL},
    {"heavy with a loop", AND("f32", "f64", "f32", "f32"), 3, "noalias",
     "let s: f32 = 0:f32 for j = 0 to 3 step 1 { s = add(s, exp(x[add(mul(j, n), i)])) } z[i] = s "
     "w[i] = convert<f64>(mul(s, y[i]))",
     NULL},
    {"heavy, would stream", AND("f64", "f64", "f64", "f64"), 1, "noalias",
     "let a: f64 = tanh(x[i]) z[i] = mul(a, y[i]) w[i] = exp(a)", "gt(n, 9)"},
    {"columns", SAME("f32"), 3, "noalias",
     "let s: f32 = 0:f32 for j = 0 to 3 step 1 { s = add(s, x[add(mul(j, n), i)]) } z[i] = s",
     NULL},
};

static gj_lmodule *make(const kernel *k, const char *bounds) {
  char text[2048];
  const char *const *t = k->types;
  snprintf(text, sizeof text,
           "module \"t\" { func k(z: %s* %s, x: %s* readonly, y: %s* readonly, q: i64* readonly, "
           "w: %s* noalias, n: i64) -> i32 { for i = %s step 1 vector(%d) %s%s%s { %s } fence "
           "return 0:i32 } "
           "entry func main() -> i32 { return call k(buffer<0, %s>, buffer<1, %s>, "
           "buffer<2, %s>, buffer<3, i64>, buffer<4, %s>, dim<0>) } }",
           t[0], k->flags, t[1], t[2], t[4], bounds, strncmp(k->name, "in pairs", 8) == 0 ? 2 : 1,
           k->stream ? "stream(" : "", k->stream ? k->stream : "", k->stream ? ")" : "", k->body,
           t[0], t[1], t[2], t[4]);
  return parse(text);
}

// --- running ---

static bool run_length(const kernel *k, const gj_lmodule *vector, gj_entry *entry, gj_entry *scalar,
                       int64_t n, bool at_end) {
  trial t = {.dims = &n, .dim_count = 1, .exact = strstr(k->name, "heavy") == NULL};
  for (int b = 0; b < BUFFERS; b++)
    add_array(&t, k->types[b], n * (b == 1 ? k->reach : 1), at_end);
  int64_t *indices = (int64_t *)t.at[3];
  for (int64_t i = 0; i < n; i++)
    indices[i] = i * 7 % n;
  return try_loops(&t, vector, entry, scalar);
}

// Leaves the loop of the kernel scalar.
static void unmark(gj_lmodule *m) {
  gj_lstmt *loop = m->funcs[0]->body.stmts[0];
  loop->marks = 0;
  loop->d = NULL;
}

static void run_kernel(const kernel *k, const gj_target *target) {
  gj_lmodule *vector = make(k, "0 to n");
  gj_target smallest = *target;
  gj_jit_code *code = NULL, *scalar_code = NULL;
  smallest.vector_bytes = 16;
  gj_entry *entry = load_vectorised(vector, target, NULL, &code);
  gj_lmodule *loops = make(k, "0 to n");
  unmark(loops);
  gj_entry *scalar = load_vectorised(loops, &smallest, NULL, &scalar_code);
  CHECK_OR_RETURN(entry && scalar);
  for (int64_t n = 0; n <= MAX_LENGTH; n++) {
    if (!check_takes((uint64_t)n))
      continue;
    bool same = run_length(k, vector, entry, scalar, n, true) &&
                run_length(k, vector, entry, scalar, n, false);
    CHECK(same);
    if (!same)
      printf("%s, n = %d, %s\n", k->name, (int)n, target->cpu);
  }
  gj_jit_unload(code);
  gj_jit_unload(scalar_code);
  gj_lmodule_free(vector);
  gj_lmodule_free(loops);
}

static gj_target targets[MOST_TARGETS];
static size_t target_count;

static void every_length_gives_the_bits_of_the_scalar_loop(void) {
  for (size_t t = 0; t < target_count; t++)
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
      run_kernel(&kernels[i], &targets[t]);
}

static void run_constant(const kernel *k, int64_t n) {
  char bounds[32];
  snprintf(bounds, sizeof bounds, "0 to %d", (int)n);
  gj_lmodule *vector = make(k, bounds), *loops = make(k, bounds);
  unmark(loops);
  gj_jit_code *code = NULL, *scalar_code = NULL;
  gj_entry *entry = load_vectorised(vector, &targets[0], NULL, &code);
  gj_entry *scalar = load_vectorised(loops, &targets[0], NULL, &scalar_code);
  CHECK_OR_RETURN(entry && scalar);
  CHECK(run_length(k, vector, entry, scalar, n, true));
  CHECK(run_length(k, vector, entry, scalar, n, false));
  gj_jit_unload(code);
  gj_jit_unload(scalar_code);
  gj_lmodule_free(vector);
  gj_lmodule_free(loops);
}

static void constant_lengths_do_so_too(void) {
  for (int64_t n = 1; n < 40; n++)
    if (check_takes((uint64_t)n))
      run_constant(&kernels[1], n);
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    for (int64_t n = 64; kernels[i].stream && n <= 65; n++)
      run_constant(&kernels[i], n);
}

int main(void) {
  target_count = find_targets(targets);
  make_arenas();
  CHECK_RUN(every_length_gives_the_bits_of_the_scalar_loop);
  CHECK_RUN(constant_lengths_do_so_too);
  return check_report();
}
