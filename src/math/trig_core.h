// Argument reduction and kernels of sin, cos and tan.
//
// Arguments up to gjm_trig_limit are reduced by Cody and Waite's method (Software Manual for the
// Elementary Functions, 1980) with pi/2 cut into parts so short that their products with the
// quadrant number are exact. Larger ones take trig_huge.h. Both give the remainder r in
// [-pi/4, pi/4] as an unevaluated sum, because near multiples of pi/2 all leading digits cancel.
//
// The callers work on |x| and put the sign back by bits, which keeps -0. Polynomials: Sollya's
// fpminimax on [0, pi/4 + 2^-10]; the error bounds are those of the rounded coefficients.
#ifndef GJ_MATH_TRIG_CORE_H
#define GJ_MATH_TRIG_CORE_H

#include "math/gjm.h"
#include "math/half_pi.h"

#define GJM_TWO_OVER_PI 0x1.45f306dc9c883p-1

// Quadrant numbers stay below 2^19 (f64) and 2^22 (f32). With FMA the reduction of sin and cos is
// in float (trig_table.h), and 16/pi as a float errs by 2^-5 of a step at 2^17.
#define GJM_TRIG_LIMIT 0x1p19
#ifdef GJ_MATH_FMA
#define GJM_TRIG_LIMITF 0x1p17f
#else
#define GJM_TRIG_LIMITF 0x1p22f
#endif
#define GJM_TRIG_LIMIT_TANF 0x1p22f

// x = quadrant * pi/2 + hi + lo; only the low bits of the quadrant count.
typedef struct {
  double hi, lo;
  uint64_t quadrant;
} gjm_trig;
typedef struct {
  float hi, lo;
  uint32_t quadrant;
} gjm_trigf;

// a in [0, limit].
//
// Strict: the first three parts of pi/2 have 34 bits each, so their products with a quadrant number
// of 19 bits are exact; the sum of all four is right to 2^-157. The first difference is exact too,
// as a multiple of 2^-53 below 1.
//
// Fused: the first part has 53 bits, and the difference is exact for the same reason. The second
// has 33: its products are exact, and where they are larger than the first difference the second
// difference is exact, as a multiple of 2^-86 below 2^-33. Either way its error is what the fast
// sum gives (Boldo, Daumas and Li, Formally verified argument reduction with a fused multiply-add,
// 2009).
static inline gjm_trig gjm_trig_reduce(double a) {
#ifdef GJ_MATH_FMA
  gjm_int k = gjm_nearest_muladd(a, GJM_TWO_OVER_PI);
  double first = GJM_MULADD(k.value, -0x1.921fb54442d18p0, a);
  double hi = GJM_MULADD(k.value, -0x1.1a626331p-54, first);
  double error = GJM_MULADD(k.value, -0x1.1a626331p-54, first - hi);
  return (gjm_trig){hi, GJM_MULADD(k.value, -0x1.1701b839a252p-88, error), k.bits};
#else
  gjm_int k = gjm_nearest(a * GJM_TWO_OVER_PI);
  double first = GJM_MULADD(k.value, -0x1.921fb544p0, a);
  gjm_dd second = gjm_two_sum(first, k.value * -0x1.0b4611a6p-34);
  gjm_dd third = gjm_two_sum(second.hi, k.value * -0x1.3198a2ep-69);
  double tail = GJM_MULADD(k.value, -0x1.b839a252049c1p-104, second.lo + third.lo);
  gjm_dd r = gjm_fast_two_sum(third.hi, tail);
  return (gjm_trig){r.hi, r.lo, k.bits};
#endif
}

// The f32 reduction runs in f64, where two parts are enough and cheaper than five parts of float.
// The nearest any float in range comes to a multiple of pi/2 is about 2^-30, the error is 2^-58.
static inline double gjm_trig_reduce_wide(float a, uint32_t *quadrant) {
  double x = a;
  gjm_int k = gjm_nearest(x * GJM_TWO_OVER_PI);
  *quadrant = (uint32_t)k.bits;
  double first = GJM_MULADD(k.value, -0x1.921fb54p0, x);
  return GJM_MULADD(k.value, -0x1.10b4611a62633p-30, first);
}

static inline gjm_trigf gjm_trig_splitf(double r, uint32_t quadrant) {
  float hi = (float)r;
  return (gjm_trigf){hi, (float)(r - hi), quadrant};
}

// By way of f64. With FMA see trig_table.h.
static inline gjm_trigf gjm_trig_reducef(float a) {
  uint32_t quadrant;
  double r = gjm_trig_reduce_wide(a, &quadrant);
  return gjm_trig_splitf(r, quadrant);
}

// (sin(r) - r) / r^3 as a polynomial in z = r^2, z2 = z^2, degree 5, relative error of the sine
// 2^-57.8. The leading coefficient comes last: its sum is the only rounding of full size.
static inline double gjm_sin_poly(double z, double z2) {
  double high = gjm_p1(z, -0x1.ae5e4ffa614d4p-26, 0x1.5d8cc678424f6p-33);
  double low = gjm_p1(z, -0x1.a01a019bed941p-13, 0x1.71de355a118f7p-19);
  double rest = GJM_MULADD(z, GJM_MULADD(z2, high, low), 0x1.111111110f746p-7);
  return GJM_MULADD(z, rest, -0x1.5555555555548p-3);
}

// (cos(r) - 1 + r^2/2) / r^4 in z, degree 5, absolute error of the cosine 2^-64.
static inline double gjm_cos_poly(double z, double z2) {
  double high = gjm_p1(z, 0x1.1ee9ef42895c9p-29, -0x1.8faff1bdbae04p-37);
  double low = gjm_p1(z, 0x1.a01a019cbce9ap-16, -0x1.27e4f81041929p-22);
  return GJM_MULADD(z2, GJM_MULADD(z2, high, low),
                    gjm_p1(z, 0x1.555555555554cp-5, -0x1.6c16c16c15211p-10));
}

// 1 - z/2 in two parts.
static inline gjm_dd gjm_cos_top(double z) {
  double hi = GJM_MULADD(-0.5, z, 1.0);
  return (gjm_dd){hi, GJM_MULADD(-0.5, z, 1.0 - hi)};
}

// What sin(hi + lo) has beyond hi; `slope` is the derivative, 1 - z/2, to a few digits.
static inline double gjm_sin_rest(gjm_trig t, double z, double z2, double slope) {
  return GJM_MULADD(z * t.hi, gjm_sin_poly(z, z2), t.lo * slope);
}

// What cos(hi + lo) has beyond the head of 1 - z/2, whose tail is `tail`.
static inline double gjm_cos_rest(gjm_trig t, double z, double z2, double tail) {
  return GJM_MULADD(z2, gjm_cos_poly(z, z2), GJM_MULADD(-t.hi, t.lo, tail));
}

// The sine of the angle after `shift` quadrants more; shift 1 gives the cosine.
static inline double gjm_trig_sine(gjm_trig t, uint64_t shift) {
  double z = t.hi * t.hi, z2 = z * z;
  gjm_dd top = gjm_cos_top(z);
  double s = t.hi + gjm_sin_rest(t, z, z2, top.hi);
  double c = top.hi + gjm_cos_rest(t, z, z2, top.lo);
  uint64_t quadrant = t.quadrant + shift;
  double value = gjm_pick((quadrant & 1) != 0, c, s);
  return gjm_double(gjm_bits(value) ^ ((quadrant & 2) << 62));
}

// The same in float. Sine degree 3 in z, relative error 2^-32; cosine degree 2, absolute 2^-33.
static inline float gjm_trig_sinef(gjm_trigf t, uint32_t shift) {
  float z = t.hi * t.hi, z2 = z * z;
  gjm_ff top;
  top.hi = GJM_MULADDF(-0.5f, z, 1.0f);
  top.lo = GJM_MULADDF(-0.5f, z, 1.0f - top.hi);
  float sp = gjm_p2f(z, z2, 0x1.11115cp-7f, -0x1.a0403p-13f, 0x1.75d746p-19f);
  float cp = gjm_p2f(z, z2, 0x1.55554ap-5f, -0x1.6c0c2ep-10f, 0x1.99eaaap-16f);
  sp = GJM_MULADDF(z, sp, -0x1.555556p-3f);
  float s = t.hi + GJM_MULADDF(z * t.hi, sp, t.lo * top.hi);
  float c = top.hi + GJM_MULADDF(z2, cp, GJM_MULADDF(-t.hi, t.lo, top.lo));
  uint32_t quadrant = t.quadrant + shift;
  float value = gjm_pickf((quadrant & 1) != 0, c, s);
  return gjm_float(gjm_bitsf(value) ^ ((quadrant & 2) << 30));
}

// sin/cos with both in double-double and one division; odd quadrants give -cos/sin.
static inline double gjm_trig_tangent(gjm_trig t) {
  gjm_dd square = gjm_two_prod(t.hi, t.hi);
  double z = square.hi, z2 = z * z;
  gjm_dd top = gjm_cos_top(z);
  gjm_dd s = gjm_fast_two_sum(t.hi, gjm_sin_rest(t, z, z2, top.hi));
  gjm_dd c = gjm_fast_two_sum(top.hi, gjm_cos_rest(t, z, z2, GJM_MULADD(-0.5, square.lo, top.lo)));
  int odd = (t.quadrant & 1) != 0;
  gjm_dd above = {gjm_pick(odd, c.hi, s.hi), gjm_pick(odd, c.lo, s.lo)};
  gjm_dd below = {gjm_pick(odd, s.hi, c.hi), gjm_pick(odd, s.lo, c.lo)};
  gjm_dd quotient = gjm_dd_div(above, below);
  return gjm_double(gjm_bits(quotient.hi) ^ (t.quadrant << 63));
}

// The float tangent in f64: sine degree 3 in z, relative error 2^-36; cosine 2^-33.
static inline float gjm_trig_tangentf(double r, uint32_t quadrant) {
  double z = r * r, z2 = z * z;
  double sp = gjm_p3(z, z2, -0x1.55555547ea361p-3, 0x1.1111060b623cbp-7, -0x1.a00dfef635bcfp-13,
                     0x1.6c862885500e9p-19);
  double cp = gjm_p2(z, z2, 0x1.55554a9fb84d6p-5, -0x1.6c0c7ec2f06e6p-10, 0x1.99fe7f31a006cp-16);
  double s = GJM_MULADD(z * r, sp, r);
  double c = GJM_MULADD(z2, cp, GJM_MULADD(z, -0.5, 1.0));
  int odd = (quadrant & 1) != 0;
  float quotient = (float)(gjm_pick(odd, c, s) / gjm_pick(odd, s, c));
  return gjm_float(gjm_bitsf(quotient) ^ (quadrant << 31));
}

#endif
