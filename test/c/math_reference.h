// What math_accuracy.c measures against: for each op of math.def its MPFR function, its libm
// functions and the places where implementations go wrong.
//
// MPFR decides. libm in a wider format (long double for f64, double for f32) only sorts out the
// millions of samples that are clearly right; whatever looks like a new worst case is measured
// again with MPFR.
#ifndef GJ_TEST_MATH_REFERENCE_H
#define GJ_TEST_MATH_REFERENCE_H

#include <math.h>
#include <mpfr.h>

typedef struct {
  const char *name;
  int arity;
  double bound[2]; // largest error allowed, in ulp: f64, f32
  double (*f64_1)(double);
  double (*f64_2)(double, double);
  float (*f32_1)(float);
  float (*f32_2)(float, float);
} math_op;

typedef struct {
  const char *name;
  int (*mpfr1)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  int (*mpfr2)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  long double (*wide1)(long double);
  long double (*wide2)(long double, long double);
  double (*mid1)(double);
  double (*mid2)(double, double);
  double lo, hi;     // f64 range where the function is interesting, sampled uniformly
  double lo32, hi32; // the same for f32
  double step;       // integer multiples of this are edges (zeros, borders of argument reduction)
} math_reference;

static int mpfr_lgamma_abs(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  int sign;
  return mpfr_lgamma(out, &sign, x, round);
}

// Of x turns; the wider formats take whole turns off first, as they have no such functions.
static int mpfr_sin2pi(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  return mpfr_sinu(out, x, 1, round);
}
static int mpfr_cos2pi(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t round) {
  return mpfr_cosu(out, x, 1, round);
}
#define TWO_PI 6.28318530717958647692528676655900577L
static long double sin2pil(long double x) { return sinl(TWO_PI * remainderl(x, 1)); }
static long double cos2pil(long double x) { return cosl(TWO_PI * remainderl(x, 1)); }
static double sin2pi(double x) { return sin((double)TWO_PI * remainder(x, 1)); }
static double cos2pi(double x) { return cos((double)TWO_PI * remainder(x, 1)); }

#define LN2 0.693147180559945309417232
#define HALF_PI 1.57079632679489661923132

#define REFERENCE_1(op, ...)                                                                       \
  { #op, mpfr_##op, 0, op##l, 0, op, 0, __VA_ARGS__ }
#define REFERENCE_2(op, mp, libm, ...)                                                             \
  { #op, 0, mp, 0, libm##l, 0, libm, __VA_ARGS__ }

static const math_reference math_references[] = {
    REFERENCE_1(cbrt, -10, 10, -10, 10, 0.5),
    REFERENCE_1(exp, -746, 710.5, -104.5, 89, LN2 / 2),
    REFERENCE_1(exp2, -1076, 1024.5, -150.5, 128.5, 0.5),
    REFERENCE_1(expm1, -40, 710.5, -20, 89, LN2 / 2),
    REFERENCE_1(log, 0, 4, 0, 4, 0.70710678118654752),
    REFERENCE_1(log2, 0, 4, 0, 4, 0.70710678118654752),
    REFERENCE_1(log10, 0, 4, 0, 4, 0.70710678118654752),
    REFERENCE_1(log1p, -1, 3, -1, 3, 0.70710678118654752 / 2),
    REFERENCE_1(sin, -10, 10, -10, 10, HALF_PI / 2),
    REFERENCE_1(cos, -10, 10, -10, 10, HALF_PI / 2),
    REFERENCE_1(sin2pi, -4, 4, -4, 4, 0.125),
    REFERENCE_1(cos2pi, -4, 4, -4, 4, 0.125),
    REFERENCE_1(tan, -10, 10, -10, 10, HALF_PI / 2),
    REFERENCE_1(asin, -1, 1, -1, 1, 0.125),
    REFERENCE_1(acos, -1, 1, -1, 1, 0.125),
    REFERENCE_1(atan, -4, 4, -4, 4, 0.0625),
    REFERENCE_1(sinh, -711, 711, -90, 90, LN2 / 2),
    REFERENCE_1(cosh, -711, 711, -90, 90, LN2 / 2),
    REFERENCE_1(tanh, -22, 22, -10, 10, LN2 / 4),
    REFERENCE_1(asinh, -4, 4, -4, 4, 0.125),
    REFERENCE_1(acosh, 1, 4, 1, 4, 0.125),
    REFERENCE_1(atanh, -1, 1, -1, 1, 0.0625),
    REFERENCE_1(erf, -7, 7, -5, 5, 0.125),
    REFERENCE_1(erfc, -7, 28, -5, 11, 0.125),
    {"lgamma", mpfr_lgamma_abs, 0, lgammal, 0, lgamma, 0, -30, 30, -30, 30, 0.5},
    REFERENCE_2(pow, mpfr_pow, pow, 0, 4, 0, 4, 0.5),
    REFERENCE_2(atan2, mpfr_atan2, atan2, -4, 4, -4, 4, 0.0625),
    REFERENCE_2(hypot, mpfr_hypot, hypot, -4, 4, -4, 4, 0.5),
    REFERENCE_2(rem, mpfr_fmod, fmod, -100, 100, -100, 100, 0.5),
};

// Errors are measured in ulps of the larger of |exact| and this. Only lgamma at negative x needs
// it: near its roots there no double-precision method keeps a relative error, and its two parts of
// opposite sign have the size given here.
static double reference_floor(const char *name, double x) {
  if (name[0] == 'l' && name[1] == 'g' && x < -2)
    return lgamma(-x) + 2;
  return 0;
}

#endif
