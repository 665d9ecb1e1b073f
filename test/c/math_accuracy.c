// Measures the elementary functions of src/math against MPFR and checks their special values.
//
//   math_accuracy [--samples N] [--exhaustive] [op | op_f64 | op_f32 ...]
//
// For every op and dtype it draws N samples (default 300,000): random bit patterns, uniform in the
// interesting range, close to edges (zeros, borders of argument reduction, overflow and underflow),
// and prints the worst error in ulp and where it is. --exhaustive adds all 2^32 inputs of the f32
// functions of one argument (minutes each). Exit status 1 when a bound of math.def or a special
// value is missed. Built with GJ_MATH_FMA (and linked to sources built so) it measures the fused
// variant; the two variants are two programs because they define the same symbols.
#include "math_reference.h"

#include "math/scalar.h"
#ifdef FAST
#include "math/fast/turns_fast.h"
#endif

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined FAST
#define VARIANT "fast"
#elif defined GJ_MATH_FMA
#define VARIANT "fma"
#else
#define VARIANT "strict"
#endif

#define OP_FUNCTIONS_1(name) gj_math_##name##_f64, 0, gj_math_##name##_f32, 0
#define OP_FUNCTIONS_2(name) 0, gj_math_##name##_f64, 0, gj_math_##name##_f32
#define OP_FUNCTIONS_3(name) 0, 0, 0, 0
#define GJM_OP(name, arity, ulp_f64, ulp_f32)                                                      \
  {#name, arity, {ulp_f64, ulp_f32}, OP_FUNCTIONS_##arity(name)},
static const math_op ops[] = {
#include "math/math.def"
#ifdef FAST
    {"sin2pi", 1, {1, 1}, gjm_sin2pi_f64, 0, gjm_sin2pi_f32, 0},
    {"cos2pi", 1, {1, 1}, gjm_cos2pi_f64, 0, gjm_cos2pi_f32, 0},
#endif
};

typedef struct {
  const math_op *op;
  const math_reference *ref;
  bool f32;
  double worst, x, y; // largest error so far, in ulp, and where
  mpfr_t arg1, arg2, exact, diff;
} measurement;

// ---- random numbers -----------------------------------------------------------------------------

static uint64_t random_state;

static uint64_t random_u64(void) { // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double random_uniform(double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_u64() >> 11) * 0x1p-53);
}

static double random_pattern(bool f32) {
  uint64_t u = random_u64();
  double x;
  float f;
  memcpy(&x, &u, sizeof x);
  memcpy(&f, &u, sizeof f);
  return f32 ? (double)f : x;
}

// x moved by a few ulps, or by up to 2^20 of them.
static double nudge(double x, bool f32) {
  int64_t by = (int64_t)(random_u64() >> 32 & ((2u << (random_u64() % 20)) - 1));
  if (random_u64() & 1)
    by = -by;
  if (f32) {
    float f = (float)x;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    u += (uint32_t)by;
    memcpy(&f, &u, sizeof f);
    return f;
  }
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  u += (uint64_t)by;
  memcpy(&x, &u, sizeof x);
  return x;
}

// Where functions change their mind in general; the borders of one function come from its range and
// step.
static double random_edge(const math_reference *ref, bool f32) {
  static const double common[] = {0,
                                  1,
                                  2,
                                  0.5,
                                  0x1p-27,
                                  0x1p-53,
                                  0x1p-12,
                                  0x1p-1022,
                                  0x1p-126,
                                  0x1p28,
                                  0x1p52,
                                  0x1p24,
                                  0x1p31,
                                  0x1p63,
                                  DBL_MAX,
                                  FLT_MAX,
                                  709.782712893384,
                                  -708.3964185322641,
                                  -745.1332191019412,
                                  88.72283905206835,
                                  -87.33654475055310,
                                  -103.9720770839918,
                                  0x1.5d931880567aap99,
                                  6381956970095103.0 * 0x1p797};
  double lo = f32 ? ref->lo32 : ref->lo, hi = f32 ? ref->hi32 : ref->hi, x = 0;
  switch (random_u64() % 4) {
  case 0:
    x = common[random_u64() % (sizeof common / sizeof *common)];
    break;
  case 1:
    x = random_u64() & 1 ? lo : hi;
    break;
  case 2: // multiples of the step inside the range
    x = ref->step * rint(random_uniform(lo, hi) / ref->step);
    break;
  default: // and far outside of it
    x = ref->step * (double)(random_u64() >> (random_u64() % 63));
  }
  x = nudge(x, f32);
  return random_u64() % 3 ? x : -x;
}

static double random_argument(const math_reference *ref, bool f32, unsigned kind) {
  double x;
  switch (kind % 4) {
  case 0:
    x = random_pattern(f32);
    break;
  case 1:
    x = random_edge(ref, f32);
    break;
  case 2: // any magnitude from 2^-60 to 2^20
    x = ldexp(random_uniform(-2, 2), (int)(random_u64() % 80) - 60);
    break;
  default:
    x = random_uniform(f32 ? ref->lo32 : ref->lo, f32 ? ref->hi32 : ref->hi);
  }
  return f32 ? (double)(float)x : x;
}

// The second argument of pow, atan2, hypot, rem: often tied to the first so that the pair is an
// interesting one.
static double random_partner(const math_reference *ref, double x, bool f32, unsigned kind) {
  double y = random_argument(ref, f32, kind / 4);
  if (kind & 1) {
    if (strcmp(ref->name, "pow") == 0) // x^y anywhere from underflow to overflow
      y = random_uniform(f32 ? -152 : -1080, f32 ? 130 : 1030) / log2(fabs(x));
    else // same size; a multiple, for rem
      y = x * (kind & 2 ? random_uniform(-2, 2) : 1 / (1 + (double)(random_u64() % 1000)));
    if (kind & 4)
      y = nudge(y, f32);
    if (kind & 8 && fabs(y) < 1e15)
      y = rint(y);
  }
  return f32 ? (double)(float)y : y;
}

// ---- errors -------------------------------------------------------------------------------------

static double call(const measurement *m, double x, double y) {
  if (m->op->arity == 2)
    return m->f32 ? (double)m->op->f32_2((float)x, (float)y) : m->op->f64_2(x, y);
  return m->f32 ? (double)m->op->f32_1((float)x) : m->op->f64_1(x);
}

static int result_digits(const measurement *m) { return m->f32 ? FLT_MANT_DIG : DBL_MANT_DIG; }

// The exponent e of one ulp, 2^e, at a value with this frexp exponent.
static int ulp_exponent(const measurement *m, long exponent) {
  int least = m->f32 ? FLT_MIN_EXP - FLT_MANT_DIG : DBL_MIN_EXP - DBL_MANT_DIG;
  int e = (int)exponent - result_digits(m);
  return e < least ? least : e;
}

// The power of two that infinity stands for when a finite exact value overflows.
static int overflow_exponent(const measurement *m) { return m->f32 ? FLT_MAX_EXP : DBL_MAX_EXP; }

// Fast functions may take subnormal arguments for zeros, and give zero for results below twice the
// least normal number.
static bool may_flush(const measurement *m, double x, double y, double got) {
#ifdef FAST
  double least = m->f32 ? 0x1p-126 : 0x1p-1022;
  bool tiny = fabs(x) < least || (m->op->arity == 2 && fabs(y) < least);
  return tiny || (got == 0 && mpfr_cmpabs_ui(m->exact, 0) > 0 &&
                  mpfr_get_exp(m->exact) <= (m->f32 ? -124 : -1020));
#else
  (void)m, (void)x, (void)y, (void)got;
  return false;
#endif
}

// Error of `got` in ulp, by MPFR.
static double exact_error(measurement *m, double x, double y, double got) {
  mpfr_set_d(m->arg1, x, MPFR_RNDN);
  mpfr_set_d(m->arg2, y, MPFR_RNDN);
  if (m->op->arity == 2)
    m->ref->mpfr2(m->exact, m->arg1, m->arg2, MPFR_RNDN);
  else
    m->ref->mpfr1(m->exact, m->arg1, MPFR_RNDN);
  if (may_flush(m, x, y, got))
    return 0;
  if (mpfr_nan_p(m->exact) || isnan(got))
    return mpfr_nan_p(m->exact) && isnan(got) ? 0 : INFINITY;
  // Beyond the largest finite number infinity is right, and is as far from it as the next power of
  // two.
  mpfr_set_si_2exp(m->diff, mpfr_sgn(m->exact) < 0 ? -1 : 1, overflow_exponent(m), MPFR_RNDN);
  if (mpfr_cmpabs(m->exact, m->diff) > 0)
    mpfr_set(m->exact, m->diff, MPFR_RNDN);
  if (isinf(got)) {
    if (mpfr_sgn(m->exact) != (got < 0 ? -1 : 1))
      return INFINITY;
    mpfr_sub(m->diff, m->diff, m->exact, MPFR_RNDN);
  } else {
    mpfr_set_d(m->diff, got, MPFR_RNDN);
    mpfr_sub(m->diff, m->diff, m->exact, MPFR_RNDN);
  }
  long exponent = mpfr_zero_p(m->exact) ? -100000 : mpfr_get_exp(m->exact);
  double least = reference_floor(m->op->name, x);
  int least_exponent;
  frexp(least, &least_exponent);
  if (least > 0 && least_exponent > exponent)
    exponent = least_exponent;
  mpfr_mul_2si(m->diff, m->diff, -ulp_exponent(m, exponent), MPFR_RNDN);
  return fabs(mpfr_get_d(m->diff, MPFR_RNDN));
}

static double bound_of(const math_op *op, bool f32) {
#ifdef FAST
  if (op->bound[f32] >= 1)
    return 4;
#endif
  return op->bound[f32];
}

// The same from a reference value in a wider format; -1 where that cannot tell.
static double wide_error(const measurement *m, long double exact, double x, double got) {
  if (isnan(exact) || isinf(exact) || isnan(got) || isinf(got) || exact == 0)
    return -1;
  int exponent, least_exponent;
  frexpl(exact, &exponent);
  double least = reference_floor(m->op->name, x);
  frexp(least, &least_exponent);
  if (least > 0 && least_exponent > exponent)
    exponent = least_exponent;
  if (exponent > overflow_exponent(m))
    return -1;
  return (double)fabsl(ldexpl(got - exact, -ulp_exponent(m, exponent)));
}

static double quick_error(const measurement *m, double x, double y, double got) {
  bool two = m->op->arity == 2;
  if (m->f32)
    return wide_error(m, two ? m->ref->mid2(x, y) : m->ref->mid1(x), x, got);
#if LDBL_MANT_DIG >= 64
  return wide_error(m, two ? m->ref->wide2(x, y) : m->ref->wide1(x), x, got);
#else
  return -1;
#endif
}

static void record(measurement *m, double x, double y, double error) {
  if (error > m->worst) {
    m->worst = error;
    m->x = x;
    m->y = y;
  }
}

static void measure(measurement *m, double x, double y, bool always_exact) {
  double got = call(m, x, y);
  double quick = always_exact ? -1 : quick_error(m, x, y, got);
  if (quick >= 0 && quick <= m->worst)
    return;
  record(m, x, y, exact_error(m, x, y, got));
}

static void measure_samples(measurement *m, long samples) {
  random_state = 1;
  for (long i = 0; i < samples; i++) {
    unsigned kind = (unsigned)(random_u64() >> 16);
    double x = random_argument(m->ref, m->f32, kind);
    double y = m->op->arity == 2 ? random_partner(m->ref, x, m->f32, kind >> 8) : 0;
    measure(m, x, y, i % 64 == 0);
  }
}

// Error of an f32 result in ulp from a double reference, as quick_error but without library calls:
// the exhaustive run lives on it. Infinite where it cannot tell.
static double float_error(double exact, double got) {
  uint64_t bits;
  memcpy(&bits, &exact, sizeof bits);
  uint64_t exponent = bits >> 52 & 0x7ff;
  if (exponent >= 1023 + FLT_MAX_EXP) {
    bool right = isnan(exact) ? isnan(got) : isinf(got) && (got < 0) == (exact < 0);
    return right ? 0 : INFINITY;
  }
  uint64_t least = 1023 + FLT_MIN_EXP - 1;
  uint64_t scale = (2046 + FLT_MANT_DIG - 1 - (exponent < least ? least : exponent)) << 52;
  double inverse_ulp;
  memcpy(&inverse_ulp, &scale, sizeof inverse_ulp);
  double error = fabs(got - exact) * inverse_ulp;
  return isnan(error) ? INFINITY : error;
}

static void measure_every_float(measurement *m) {
  for (uint64_t i = 0; i < (uint64_t)1 << 32; i++) {
    uint32_t u = (uint32_t)i;
    float x;
    memcpy(&x, &u, sizeof x);
    if (float_error(m->ref->mid1(x), m->op->f32_1(x)) > m->worst)
      measure(m, (double)x, 0, false);
  }
}

// ---- tests --------------------------------------------------------------------------------------

static int passed, failed;

static void count(bool ok) {
  if (ok)
    passed++;
  else
    failed++;
}

static const math_reference *find_reference(const char *name) {
  for (size_t i = 0; i < sizeof math_references / sizeof *math_references; i++)
    if (strcmp(math_references[i].name, name) == 0)
      return &math_references[i];
  return NULL;
}

static void test_accuracy(const math_op *op, bool f32, long samples, bool exhaustive) {
  measurement m = {.op = op, .ref = find_reference(op->name), .f32 = f32};
  const char *dtype = f32 ? "f32" : "f64";
  if (!m.ref) {
    printf("%-7s has no reference function\n", op->name);
    count(false);
    return;
  }
  mpfr_inits2(160, m.arg1, m.arg2, m.exact, m.diff, (mpfr_ptr)0);
  measure_samples(&m, samples);
  if (exhaustive && f32 && op->arity == 1)
    measure_every_float(&m);
  bool ok = m.worst <= bound_of(op, f32);
  printf("%-7s %s %-6s %.4f at %a", op->name, dtype, VARIANT, m.worst, m.x);
  if (op->arity == 2)
    printf(", %a", m.y);
  printf(ok ? "\n" : " exceeds %g\n", bound_of(op, f32));
  count(ok);
  mpfr_clears(m.arg1, m.arg2, m.exact, m.diff, (mpfr_ptr)0);
}

static bool same_value(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && !signbit(a) == !signbit(b);
}

static bool is_float(double x) { return isnan(x) || (double)(float)x == x; }

#ifdef FAST
static bool is_tiny(double x, bool f32) {
  return x != 0 && fabs(x) < (f32 ? (double)FLT_MIN : DBL_MIN);
}
#endif

static void test_special(const math_op *op, bool f32, double x, double y, double expected) {
  if (f32 && !(is_float(x) && is_float(y)))
    return;
  measurement m = {.op = op, .f32 = f32};
  double got = call(&m, x, y), want = f32 ? (double)(float)expected : expected;
  bool ok = same_value(got, want);
#ifdef FAST // only the accuracy test judges ordinary results
  ok = ok || (isfinite(want) && want != 0) || is_tiny(x, f32);
#endif
  if (!ok && op->arity == 2)
    printf("%s_%s(%a, %a) is %a, not %a\n", op->name, f32 ? "f32" : "f64", x, y, got, want);
  else if (!ok)
    printf("%s_%s(%a) is %a, not %a\n", op->name, f32 ? "f32" : "f64", x, got, want);
  count(ok);
}

static void test_specials(const math_op *op, bool f32) {
  static const struct {
    const char *op;
    double x, y, expected;
  } cases[] = {
#define CASE1(op, x, expected) {#op, x, 0, expected},
#define CASE2(op, x, y, expected) {#op, x, y, expected},
#include "math_special.def"
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].op, op->name) == 0)
      test_special(op, f32, cases[i].x, cases[i].y, cases[i].expected);
}

// fma, the one op of three arguments, is compared bit for bit elsewhere.
static bool is_selected(const math_op *op, bool f32, char **names, int count_of_names) {
  char full[32];
  if (op->arity > 2)
    return false;
  snprintf(full, sizeof full, "%s_%s", op->name, f32 ? "f32" : "f64");
  for (int i = 0; i < count_of_names; i++)
    if (strcmp(names[i], op->name) == 0 || strcmp(names[i], full) == 0)
      return true;
  return count_of_names == 0;
}

int main(int argc, char **argv) {
  long samples = 300000;
  bool exhaustive = false;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "--exhaustive") == 0)
      exhaustive = true;
    else if (strcmp(argv[first], "--samples") == 0 && first + 1 < argc)
      samples = strtol(argv[++first], NULL, 10);
    else {
      fprintf(stderr, "unknown option %s; known: --samples N, --exhaustive\n", argv[first]);
      return 2;
    }
  }
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    for (int f32 = 0; f32 < 2; f32++)
      if (is_selected(&ops[i], f32, argv + first, argc - first)) {
        test_specials(&ops[i], f32);
        test_accuracy(&ops[i], f32, samples, exhaustive);
        fflush(stdout);
      }
  mpfr_free_cache();
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
