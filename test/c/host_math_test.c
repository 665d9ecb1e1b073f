// The elementary functions compiled with the core against the same functions compiled at run time.
//
// A program uses both in one loop: vectors by code generation, the rest by calls into the core. So
// for every function, dtype and variant all three ways must give the same bits on the same inputs:
// vectors, scalars compiled at run time, and scalars called.
#include "loop_code.h"

#include "jit/code/host_math.h"

#include <math.h>

enum { COUNT = 1 << 15, MAX_ARITY = 3 };

typedef struct function {
  gj_op op;
  unsigned arity;
} function;

#define GJM_OP(name, arity, ulp_f64, ulp_f32) {GJ_OP_##name, arity},
static const function functions[] = {
#include "math/math.def"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// Operands, then the results of vectors, compiled scalars and called scalars.
static _Alignas(64) unsigned char operands[MAX_ARITY][COUNT * 8], results[3][COUNT * 8];

static uint64_t random_state = 1;

static uint64_t random_u64(void) { // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Any bits, sizes around 1, what exponentials take, and round numbers.
static double random_operand(void) {
  uint64_t bits = random_u64();
  double any, part = (double)(int64_t)random_u64() * 0x1p-63;
  memcpy(&any, &bits, sizeof any);
  switch (random_u64() % 5) {
  case 0:
    return any;
  case 1:
    return 800 * part;
  case 2:
    return ldexp(part, (int)(bits % 140) - 70);
  case 3:
    return (double)((int64_t)(bits % 65) - 32) / 8;
  default:
    return 2 * part;
  }
}

static void fill(gj_dtype dtype) {
  for (unsigned k = 0; k < MAX_ARITY; k++)
    for (size_t i = 0; i < COUNT; i++) {
      double value = random_operand();
      uint32_t bits = (uint32_t)random_u64();
      float narrow = (float)value;
      if (i % 5 == 0)
        memcpy(&narrow, &bits, sizeof narrow);
      if (dtype == GJ_DTYPE_f64)
        memcpy(operands[k] + i * 8, &value, 8);
      else
        memcpy(operands[k] + i * 4, &narrow, 4);
    }
}

// for i = 0 to COUNT step lanes { z[i] = op(x[i], …) }
static gj_lmodule *build(const function *f, gj_dtype dtype, unsigned lanes) {
  gj_lmodule *m = gj_lmodule_new("math");
  gj_lfunc *entry = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop =
      gj_ls_for(m, entry, &entry->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, COUNT), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, entry, loop->local), *args[MAX_ARITY];
  for (unsigned k = 0; k < f->arity; k++)
    args[k] = gj_lx_load(m, gj_lx_buffer(m, k, dtype), i, lanes);
  gj_ls_store(m, entry, &loop->body, gj_lx_buffer(m, MAX_ARITY, dtype), i,
              gj_lx_op(m, f->op, args, f->arity, dtype));
  gj_ls_return(m, entry, &entry->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static void run(const function *f, gj_dtype dtype, unsigned lanes, const gj_target *target,
                gj_numerics numerics, bool host_math, unsigned char *out) {
  gj_codegen_options options = {.numerics = numerics, .opt_level = 2, .host_math = host_math};
  gj_jit_code *code;
  gj_lmodule *m = build(f, dtype, lanes);
  gj_entry *entry = load_code(m, target, options, &code);
  gj_lmodule_free(m);
  CHECK_OR_RETURN(entry);
  void *buffers[MAX_ARITY + 1] = {operands[0], operands[1], operands[2], out};
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  gj_jit_unload(code);
}

static void compare(const function *f, gj_dtype dtype, const gj_target *target,
                    gj_numerics numerics) {
  size_t bytes = gj_dtype_bytes(dtype);
  int wrong = 0;
  memset(results, 0xa5, sizeof results);
  run(f, dtype, target->vector_bytes / (unsigned)bytes, target, numerics, true, results[0]);
  run(f, dtype, 1, target, numerics, false, results[1]);
  run(f, dtype, 1, target, numerics, true, results[2]);
  for (size_t i = 0; i < COUNT && wrong < 3; i++) {
    gj_scalar value[3];
    for (int k = 0; k < 3; k++)
      value[k] = gj_scalar_load(dtype, results[k] + i * bytes);
    if (gj_scalar_same_bits(value[0], value[1]) && gj_scalar_same_bits(value[1], value[2]))
      continue;
    printf("%s %s on %s, numerics %d, of %a %a: vector %a, compiled %a, called %a\n",
           gj_op_name(f->op), gj_dtype_name(dtype), target->cpu, (int)numerics,
           gj_scalar_load(dtype, operands[0] + i * bytes).v.f,
           gj_scalar_load(dtype, operands[1] + i * bytes).v.f, value[0].v.f, value[1].v.f,
           value[2].v.f);
    wrong++;
  }
  CHECK_INT_EQ(wrong, 0);
}

static void compare_all(const gj_target *target, gj_numerics numerics) {
  for (size_t f = 0; f < FUNCTIONS; f++) {
    if (!check_takes(f))
      continue;
    fill(GJ_DTYPE_f64);
    compare(&functions[f], GJ_DTYPE_f64, target, numerics);
    fill(GJ_DTYPE_f32);
    compare(&functions[f], GJ_DTYPE_f32, target, numerics);
  }
}

static gj_target host;

static void called_functions_have_the_bits_of_compiled_ones_with_fma(void) {
  compare_all(&host, GJ_NUMERICS_DEFAULT);
}

static void called_functions_have_the_bits_of_compiled_ones_without_fma(void) {
  compare_all(&host, GJ_NUMERICS_STRICT);
}

static void called_functions_have_the_bits_of_compiled_ones_on_smaller_cpus(void) {
  gj_target small;
  gj_error err = {0};
  if (strncmp(host.triple, "x86_64", 6) != 0)
    return;
  CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", "x86-64-v2", NULL, &small, &err), &err);
  compare_all(&small, GJ_NUMERICS_DEFAULT);
}

// --- fast functions ---

// Whether b is right for a fast function whose accurate one gives a: 4 ulp, and flushed subnormals.
static bool is_near(gj_dtype dtype, double x, double y, double a, double b) {
  double least = dtype == GJ_DTYPE_f64 ? 0x1p-1022 : 0x1p-126;
  double ulp = dtype == GJ_DTYPE_f64 ? 0x1p-52 : 0x1p-23;
  bool tiny = (x != 0 && fabs(x) < least) || (y != 0 && fabs(y) < least);
  if (tiny || isnan(a) || isnan(b))
    return tiny || (isnan(a) && isnan(b));
  return a == b || fabs(a - b) <= 5 * ulp * fabs(a) || (b == 0 && fabs(a) < 4 * least);
}

static void compare_fast(const function *f, gj_dtype dtype, const gj_target *target,
                         unsigned lanes) {
  size_t bytes = gj_dtype_bytes(dtype);
  int wrong = 0;
  run(f, dtype, lanes, target, GJ_NUMERICS_FAST, true, results[0]);
  for (size_t i = 0; i < COUNT && wrong < 3; i++) {
    double value[4];
    for (int k = 0; k < 2; k++) {
      value[k] = gj_scalar_load(dtype, results[1 - k] + i * bytes).v.f;
      value[2 + k] = gj_scalar_load(dtype, operands[k] + i * bytes).v.f;
    }
    if (f->arity < 2)
      value[3] = 0;
    if (is_near(dtype, value[2], value[3], value[0], value[1]))
      continue;
    printf("%s %s on %s at %u lanes, of %a %a: accurate %a, fast %a\n", gj_op_name(f->op),
           gj_dtype_name(dtype), target->cpu, lanes, value[2], value[3], value[0], value[1]);
    wrong++;
  }
  CHECK_INT_EQ(wrong, 0);
}

static void compare_all_fast(const gj_target *target) {
  for (size_t f = 0; f < FUNCTIONS; f++)
    for (int single = 0; single < 2 && check_takes(f); single++) {
      gj_dtype dtype = single ? GJ_DTYPE_f32 : GJ_DTYPE_f64;
      unsigned lanes = target->vector_bytes / (unsigned)gj_dtype_bytes(dtype);
      fill(dtype);
      run(&functions[f], dtype, lanes, target, GJ_NUMERICS_DEFAULT, true, results[1]);
      compare_fast(&functions[f], dtype, target, lanes);
      compare_fast(&functions[f], dtype, target, lanes / 2);
      compare_fast(&functions[f], dtype, target, 2 * lanes);
      compare_fast(&functions[f], dtype, target, 4 * lanes);
    }
}

static void fast_functions_stay_near_the_accurate_ones(void) { compare_all_fast(&host); }

static void fast_functions_stay_near_the_accurate_ones_on_smaller_cpus(void) {
  gj_target small;
  gj_error err = {0};
  if (strncmp(host.triple, "x86_64", 6) != 0 || host.vector_bytes < 32 || !host.fma)
    return;
  CHECK_OK(gj_target_named("x86_64-unknown-linux-gnu", "x86-64-v3", NULL, &small, &err), &err);
  compare_all_fast(&small);
}

// --- what is called ---

static char *print_sine(unsigned lanes, bool host_math, gj_numerics numerics) {
  static const function sine = {GJ_OP_sin, 1};
  gj_codegen_options options = {
      .numerics = numerics, .opt_level = 2, .entry_symbol = "entry", .host_math = host_math};
  unsigned char *text = NULL;
  size_t size = 0;
  gj_error err = {0};
  gj_lmodule *m = build(&sine, GJ_DTYPE_f64, lanes);
  CHECK_OK(gj_codegen(m, &host, &options, GJ_EMIT_LLVM_OPTIMIZED, &text, &size, NULL, &err), &err);
  gj_lmodule_free(m);
  return text ? (char *)text : strdup("");
}

static void check_sine(unsigned lanes, bool host_math, gj_numerics numerics, const char *present,
                       const char *absent) {
  char *text = print_sine(lanes, host_math, numerics);
  CHECK_CONTAINS(text, present);
  CHECK(!strstr(text, absent));
  free(text);
}

static void only_code_for_this_process_calls_into_the_core(void) {
  const char *fused = host.fma ? "@gjm_sin_f64.fused(double" : "@gjm_sin_f64.strict(double";
  const char *slow = host.fma ? "@gjm_sin_f64_slow.fused" : "@gjm_sin_f64_slow.strict";
  check_sine(1, true, GJ_NUMERICS_DEFAULT, fused, "trig_reduce");
  check_sine(4, true, GJ_NUMERICS_DEFAULT, slow, "trig_reduce");
  check_sine(1, true, GJ_NUMERICS_STRICT, "@gjm_sin_f64.strict(double", ".fused");
  check_sine(1, false, GJ_NUMERICS_DEFAULT, "define", "declare double @gjm");
  check_sine(4, false, GJ_NUMERICS_STRICT, "define", "declare double @gjm");
}

static void names_outside_the_tables_have_no_function(void) {
  static const char *const unknown[] = {"",
                                        "sin",
                                        "gjm_sin_f64",
                                        "gjm_sin_f64.",
                                        ".fused",
                                        "gjm_sin_f64.other",
                                        ".strict",
                                        "sin.strict",
                                        "gjm_sin_f64_rare.fused",
                                        "gjm_sin_f6.strict",
                                        "gjm_sin_f64_slo.fused",
                                        "gjm_exp_f64_slow.fused",
                                        "gjm_sin_f64.fused.fused",
                                        "system",
                                        "malloc",
                                        "gjm_sin_f64 .fused"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    if (gj_host_math_find(unknown[i]))
      CHECK_STR_EQ(unknown[i], NULL);
  CHECK(gj_host_math_find("gjm_sin_f64.fused"));
  CHECK(gj_host_math_find("gjm_sin_f32_slow.strict"));
  CHECK(gj_host_math_find("gjm_sin_f64.fused") != gj_host_math_find("gjm_sin_f64.strict"));
}

int main(void) {
  gj_error err = {0};
  CHECK_OK(gj_target_host(&host, &err), &err);
  CHECK_RUN(called_functions_have_the_bits_of_compiled_ones_with_fma);
  CHECK_RUN(called_functions_have_the_bits_of_compiled_ones_without_fma);
  CHECK_RUN(called_functions_have_the_bits_of_compiled_ones_on_smaller_cpus);
  CHECK_RUN(fast_functions_stay_near_the_accurate_ones);
  CHECK_RUN(fast_functions_stay_near_the_accurate_ones_on_smaller_cpus);
  CHECK_RUN(only_code_for_this_process_calls_into_the_core);
  CHECK_RUN(names_outside_the_tables_have_no_function);
  return check_report();
}
