// JavaScript's elementary functions (src/math/js) as compiled code has them: called in the core,
// compiled at run time, lane by lane in vectors, and by the reference. All must give the same bits;
// that these are V8's is for test/functions/math.test.js to say, which has V8 at hand.
#include "loop_code.h"

#include "jit/code/host_math.h"
#include "ops/scalar.h"

#include <math.h>

enum { COUNT = 1 << 13, LANES = 4, WAYS = 4 };

typedef struct function {
  gj_op op;
  unsigned arity;
} function;

#define GJS_OP(name, arity) {GJ_OP_##name, arity},
static const function functions[] = {
#include "math/js/js.def"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static _Alignas(64) double operands[2][COUNT], results[WAYS][COUNT];
static uint64_t random_state = 1;

static uint64_t random_u64(void) { // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Any bits, sizes around 1, what exponentials take, huge angles and round numbers.
static double random_operand(void) {
  uint64_t bits = random_u64();
  double any, part = (double)(int64_t)random_u64() * 0x1p-63;
  memcpy(&any, &bits, sizeof any);
  switch (random_u64() % 6) {
  case 0:
    return any;
  case 1:
    return 800 * part;
  case 2:
    return ldexp(part, (int)(bits % 140) - 70);
  case 3:
    return (double)((int64_t)(bits % 65) - 32) / 8;
  case 4:
    return ldexp(part, (int)(bits % 1000));
  default:
    return 2 * part;
  }
}

// for i = 0 to COUNT step lanes { z[i] = op(x[i], …) }
static gj_lmodule *build(const function *f, unsigned lanes) {
  gj_lmodule *m = gj_lmodule_new("math");
  gj_lfunc *entry = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop =
      gj_ls_for(m, entry, &entry->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, COUNT), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, entry, loop->local), *args[2];
  for (unsigned k = 0; k < f->arity; k++)
    args[k] = gj_lx_load(m, gj_lx_buffer(m, k, GJ_DTYPE_f64), i, lanes);
  gj_ls_store(m, entry, &loop->body, gj_lx_buffer(m, 2, GJ_DTYPE_f64), i,
              gj_lx_op(m, f->op, args, f->arity, GJ_DTYPE_f64));
  gj_ls_return(m, entry, &entry->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static void run(const function *f, unsigned lanes, const gj_target *target,
                gj_codegen_options options, double *out) {
  gj_jit_code *code;
  gj_lmodule *m = build(f, lanes);
  gj_entry *entry = load_code(m, target, options, &code);
  gj_lmodule_free(m);
  CHECK_OR_RETURN(entry);
  void *buffers[3] = {operands[0], operands[1], out};
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  gj_jit_unload(code);
}

static void evaluate(const function *f, bool js_math, double *out) {
  void *buffers[3] = {operands[0], operands[1], out};
  size_t sizes[3] = {sizeof *operands, sizeof *operands, sizeof *results};
  gj_leval args = {
      .buffers = buffers, .buffer_sizes = sizes, .buffer_count = 3, .js_math = js_math};
  gj_error err = {0};
  int32_t status = 1;
  gj_lmodule *m = build(f, 1);
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  CHECK_INT_EQ(status, 0);
  gj_lmodule_free(m);
}

static bool same(double a, double b) {
  return gj_scalar_same_bits((gj_scalar){GJ_DTYPE_f64, {.f = a}},
                             (gj_scalar){GJ_DTYPE_f64, {.f = b}});
}

static void compare(const function *f, const gj_target *target, gj_numerics numerics) {
  static const char *const ways[WAYS] = {"called", "compiled", "in vectors", "evaluated"};
  gj_codegen_options options = {.numerics = numerics, .math = GJ_MATH_JS, .opt_level = 2},
                     called = options;
  called.host_math = true;
  memset(results, 0xa5, sizeof results);
  run(f, 1, target, called, results[0]);
  run(f, 1, target, options, results[1]);
  run(f, LANES, target, called, results[2]);
  evaluate(f, true, results[3]);
  int wrong = 0;
  for (size_t i = 0; i < COUNT; i++)
    for (int k = 1; k < WAYS && wrong < 3; k++)
      if (!same(results[0][i], results[k][i])) {
        printf("%s on %s, of %a %a: called %a, %s %a\n", gj_op_name(f->op), target->cpu,
               operands[0][i], operands[1][i], results[0][i], ways[k], results[k][i]);
        wrong++;
      }
  CHECK_INT_EQ(wrong, 0);
}

static gj_target host;

static void all_ways_give_the_same_bits(void) {
  gj_target targets[MOST_TARGETS];
  size_t count = find_targets(targets);
  for (size_t f = 0; f < FUNCTIONS; f++) {
    if (!check_takes(f))
      continue;
    for (size_t k = 0; k < 2; k++)
      for (size_t i = 0; i < COUNT; i++)
        operands[k][i] = random_operand();
    for (size_t t = 0; t < count; t++)
      compare(&functions[f], &targets[t], t ? GJ_NUMERICS_STRICT : GJ_NUMERICS_DEFAULT);
  }
}

static bool differs(size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!same(results[0][i], results[1][i]))
      return true;
  return false;
}

// tan differs between the flavours in a good part of all arguments.
static void fast_numerics_and_other_flavours_have_functions_of_their_own(void) {
  static const function tan_of = {GJ_OP_tan, 1};
  gj_codegen_options js = {.math = GJ_MATH_JS, .opt_level = 2, .host_math = true}, other = js;
  for (size_t i = 0; i < COUNT; i++)
    operands[0][i] = 1.5 * (double)i / COUNT;
  run(&tan_of, 1, &host, js, results[0]);
  other.math = GJ_MATH_OWN;
  run(&tan_of, 1, &host, other, results[1]);
  CHECK(differs(COUNT));
  evaluate(&tan_of, false, results[1]);
  CHECK(differs(COUNT));
  other = js;
  other.numerics = GJ_NUMERICS_FAST;
  run(&tan_of, LANES, &host, other, results[1]);
  CHECK(differs(COUNT));
  js.numerics = GJ_NUMERICS_STRICT;
  run(&tan_of, 1, &host, js, results[1]);
  CHECK(!differs(COUNT));
}

// What is emitted for a loop over an op.
static char *emitted(gj_op op, unsigned arity, bool vectorise) {
  gj_codegen_options options = {.math = GJ_MATH_JS,
                                .opt_level = 2,
                                .entry_symbol = "entry",
                                .platform_pow = true,
                                .vectorise = vectorise,
                                .host_math = true};
  unsigned char *text = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = build(&(function){op, arity}, 1);
  CHECK_OK(gj_codegen(m, &host, &options, GJ_EMIT_LLVM, &text, &size, NULL, &err), &err);
  gj_lmodule_free(m);
  return text ? (char *)text : strdup("");
}

static void llvm_is_told_of_functions_for_vectors(void) {
  char *told = emitted(GJ_OP_sin, 1, true), *plain = emitted(GJ_OP_sin, 1, false),
       *scalar = emitted(GJ_OP_rem, 2, true), *power_of = emitted(GJ_OP_pow, 2, true);
  if (host.vector_bytes > 8)
    CHECK_CONTAINS(told, "(gjs_sin_f64.v");
  CHECK(!strstr(plain, "gjs_sin_f64.v"));
  CHECK(!strstr(scalar, "gjs_rem_f64.v"));
  CHECK(!strstr(power_of, "gjs_pow_f64.v"));
  free(power_of);
  free(told);
  free(plain);
  free(scalar);
}

static void narrow_floats_and_other_ops_have_no_flavour(void) {
  gj_scalar single[2] = {{GJ_DTYPE_f32, {.f = 1}}, {GJ_DTYPE_f32, {.f = 1}}};
  gj_scalar two[2] = {{GJ_DTYPE_f64, {.f = 1}}, {GJ_DTYPE_f64, {.f = INFINITY}}}, out;
  CHECK(!gj_scalar_eval_js(GJ_OP_sin, single, &out));
  CHECK(!gj_scalar_eval_js(GJ_OP_sqrt, two, &out));
  CHECK(gj_scalar_eval_js(GJ_OP_pow, two, &out));
  CHECK(isnan(out.v.f)); // where C and IEEE 754 have 1
}

static void the_core_knows_them_by_name(void) {
  static const char *const unknown[] = {"gjs_sin",          "gjs_sin_f32",
                                        "gjs_sqrt_f64",     "gjs_sin_f64.strict",
                                        "gjs_sin_f64_slow", "js_sin_f64"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    if (gj_host_math_find(unknown[i]))
      CHECK_STR_EQ(unknown[i], NULL);
  CHECK(gj_host_math_find("gjs_sin_f64"));
}

typedef double power(double x, double y);

static void powers_can_be_those_of_the_c_library(void) {
  static const double cases[][3] = {
      {1, INFINITY, NAN},         {-1, -INFINITY, NAN}, {1, NAN, NAN},         {NAN, 0, 1},
      {-INFINITY, 0.5, INFINITY}, {-0.0, 0.5, 0},       {-0.0, -3, -INFINITY}, {-8, 1.0 / 3, NAN},
      {2, -1074, 0x1p-1074},      {-3, 3, -27},         {1e200, 2, INFINITY},  {-0.0, 2, 0}};
  power *own = (power *)gj_host_math_find("gjs_pow_f64");
  gj_host_math_use_platform_pow(true);
  power *platform = (power *)gj_host_math_find("gjs_pow_f64");
  gj_host_math_use_platform_pow(false);
  CHECK(platform != own && (power *)gj_host_math_find("gjs_pow_f64") == own);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!same(platform(cases[i][0], cases[i][1]), cases[i][2]) ||
        !same(own(cases[i][0], cases[i][1]), cases[i][2]))
      CHECK_INT_EQ(i, -1);
  for (int i = 0; i < 1000; i++) {
    double x = 1 + i / 64.0, y = 7 - i / 32.0;
    CHECK(same(platform(x, y), y == 2 ? x * x : pow(x, y)));
  }
}

int main(void) {
  gj_error err = {0};
  CHECK_OK(gj_target_host(&host, &err), &err);
  CHECK_RUN(all_ways_give_the_same_bits);
  CHECK_RUN(fast_numerics_and_other_flavours_have_functions_of_their_own);
  CHECK_RUN(llvm_is_told_of_functions_for_vectors);
  CHECK_RUN(narrow_floats_and_other_ops_have_no_flavour);
  CHECK_RUN(the_core_knows_them_by_name);
  CHECK_RUN(powers_can_be_those_of_the_c_library);
  return check_report();
}
