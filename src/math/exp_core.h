// The reductions and polynomials shared by exp, exp2, expm1, sinh, cosh, tanh and pow.
//
// Cody and Waite's reduction: x = k ln2 + r with |r| <= ln2/2, where ln2 is split so that k times
// its head is exact. r is kept as hi + lo; the lo part is what brings the results from about 0.9 to
// about 0.55 ulp. The coefficients come from Sollya's fpminimax (Brisebarre and Chevillard 2007);
// each comment gives the interval and the error.
#ifndef GJ_MATH_EXP_CORE_H
#define GJ_MATH_EXP_CORE_H

#include "math/gjm.h"

// ln2 in two parts.
#define GJM_LN2 0x1.62e42fefa39efp-1
#define GJM_LN2_REST 0x1.abc9e3b39803fp-56
#define GJM_LN2F 0x1.62e43p-1f
#define GJM_LN2_RESTF -0x1.05c61p-29f

// x = k ln2 + hi + lo; kd is k as a double, k holds it in its low bits.
typedef struct {
  double hi, lo, kd;
  uint64_t k;
} gjm_exp_arg;
typedef struct {
  float hi, lo, kd;
  uint32_t k;
} gjm_exp_argf;

// For |x| < 1100. Fused, the head of ln2 has all its bits, as the difference is exact: a multiple
// of 2^-54 below 1/2.
static inline gjm_exp_arg gjm_exp_reduce(double x) {
  gjm_int k = gjm_nearest_muladd(x, 0x1.71547652b82fep0);
#ifdef GJ_MATH_FMA
  double head = GJM_MULADD(k.value, -GJM_LN2, x);
  double hi = GJM_MULADD(k.value, -GJM_LN2_REST, head);
  double lo = GJM_MULADD(k.value, -GJM_LN2_REST, head - hi);
  return (gjm_exp_arg){hi, lo, k.value, k.bits};
#else
  double head = x - k.value * 0x1.62e42fefa3800p-1, tail = k.value * 0x1.ef35793c76730p-45;
  double hi = head - tail;
  return (gjm_exp_arg){hi, (head - hi) - tail, k.value, k.bits};
#endif
}

// For |x| < 170.
static inline gjm_exp_argf gjm_exp_reducef(float x) {
  gjm_intf k = gjm_nearest_muladdf(x, 0x1.715476p0f);
#ifdef GJ_MATH_FMA
  float head = GJM_MULADDF(k.value, -GJM_LN2F, x);
  float hi = GJM_MULADDF(k.value, -GJM_LN2_RESTF, head);
  float lo = GJM_MULADDF(k.value, -GJM_LN2_RESTF, head - hi);
  return (gjm_exp_argf){hi, lo, k.value, k.bits};
#else
  float head = x - k.value * 0x1.62e4p-1f, tail = k.value * 0x1.7f7d1cp-20f;
  float hi = head - tail;
  return (gjm_exp_argf){hi, (head - hi) - tail, k.value, k.bits};
#endif
}

// (e^r - 1 - r - r^2/2) / r^3 for |r| <= 0.34661, degree 9, such that the error of e^r is below
// 2^-61 |r|.
static inline double gjm_exp_poly(double r) {
  return gjm_p9(r, 0x1.5555555555559p-3, 0x1.5555555555558p-5, 0x1.111111110f651p-7,
                0x1.6c16c16c14f56p-10, 0x1.a01a01b0057f3p-13, 0x1.a01a01adddf49p-16,
                0x1.71ddf80a5aaddp-19, 0x1.27e4cafe11fe1p-22, 0x1.af5f341cb7526p-26,
                0x1.1f8ddaee13283p-29);
}

// The same for float: degree 4, error below 2^-31 |r|.
static inline float gjm_exp_polyf(float r) {
  float r2 = r * r;
  float low = gjm_p1f(r, 0x1.555556p-3f, 0x1.5554fp-5f);
  float high = gjm_p2f(r, r2, 0x1.110fdep-7f, 0x1.6d436ep-10f, 0x1.a29878p-13f);
  return GJM_MULADDF(high, r2, low);
}

// e^r - 1 - r.
static inline double gjm_exp_tail(double r) { return r * r * GJM_MULADD(r, gjm_exp_poly(r), 0.5); }
static inline float gjm_exp_tailf(float r) {
  return r * r * GJM_MULADDF(r, gjm_exp_polyf(r), 0.5f);
}

// (2^r - 1 - r ln2) / r^2, degree 9.
static inline double gjm_exp2_poly(double r) {
  return gjm_p9(r, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c9p-5, 0x1.3b2ab6fba1ebdp-7,
                0x1.5d87fe78a3077p-10, 0x1.430913094669p-13, 0x1.ffcbfc7381581p-17,
                0x1.62bfd4d760c73p-20, 0x1.b524ddd435f06p-24, 0x1.e605a5fd32b75p-28,
                0x1.ea030ff90f3a4p-32);
}

// 2^(hi + lo) with |hi| <= 0.50005 and lo tiny, so without its power of two. 2^r = 1 + r ln2 + r^2
// q(r): the second term is computed in two parts, q has degree 9 and costs 2^-57.
static inline double gjm_exp2_kernel(double hi, double lo) {
  double head = gjm_head(hi), rest = (hi - head) + lo, r = hi + lo;
  double u = head * 0x1.62e42f8p-1, v = rest * 0x1.62e42fefa39efp-1 + head * 0x1.be8e7bcd5e4f2p-27;
  gjm_dd s = gjm_fast_two_sum(1.0, u);
  return s.hi + (s.lo + GJM_MULADD(r * r, gjm_exp2_poly(r), v));
}

// 2^r alone for |r| <= 1/2, from the same polynomial.
static inline double gjm_exp2_unit(double r) {
#ifdef GJ_MATH_FMA
  double u = r * GJM_LN2;
  double rest = GJM_MULADD(r, GJM_LN2_REST, __builtin_fma(r, GJM_LN2, -u));
  gjm_dd s = gjm_fast_two_sum(1.0, u);
  return s.hi + GJM_MULADD(r * r, gjm_exp2_poly(r), s.lo + rest);
#else
  return gjm_exp2_kernel(r, 0);
#endif
}

// 2^r for a float |r| <= 0.5: q has degree 4 and costs 2^-27.6.
static inline float gjm_exp2_unitf(float r) {
  float r2 = r * r;
#ifdef GJ_MATH_FMA
  float u = r * GJM_LN2F, v = GJM_MULADDF(r, GJM_LN2_RESTF, __builtin_fmaf(r, GJM_LN2F, -u));
#else
  float head = gjm_headf(r), rest = r - head;
  float u = head * 0x1.62ep-1f, v = rest * GJM_LN2F + head * 0x1.0bfbe8p-15f;
#endif
  float low = gjm_p1f(r, 0x1.ebfbep-3f, 0x1.c6afbp-5f);
  float high = gjm_p2f(r, r2, 0x1.3b2a44p-7f, 0x1.5eed36p-10f, 0x1.4429aep-13f);
  gjm_ff s = gjm_fast_two_sumf(1.0f, u);
  return s.hi + GJM_MULADDF(r2, GJM_MULADDF(high, r2, low), s.lo + v);
}

// (e^x - 1) / 2^k = (1 - 2^-k) + r + r^2/2 + ..., as an unnormalised hi + lo; `one` is 2^-k. At k =
// 1 the sum may cancel to 0.2, so all of its large terms are exact: 1 - 2^-k (what its rounding
// drops is the caller's to add), r, and the square of r or, strict, of its head.
static inline gjm_dd gjm_expm1_kernel(gjm_exp_arg x, double one) {
  double r = x.hi, cubic = gjm_exp_poly(r);
  gjm_dd s = gjm_fast_two_sum(1.0 - one, r);
#ifdef GJ_MATH_FMA
  double z = r * r, rest = GJM_MULADD(0.5, __builtin_fma(r, r, -z), s.lo + x.lo);
  return (gjm_dd){s.hi, GJM_MULADD(z, GJM_MULADD(r, cubic, 0.5), rest)};
#else
  double head = gjm_head(r), square = 0.5 * head * head;
  gjm_dd t = gjm_fast_two_sum(s.hi, square);
  cubic = GJM_MULADD(r * r * r, cubic, 0.5 * (r - head) * (r + head));
  return (gjm_dd){t.hi, t.lo + (s.lo + (x.lo + cubic))};
#endif
}
static inline gjm_ff gjm_expm1_kernelf(gjm_exp_argf x, float one) {
  float r = x.hi, cubic = gjm_exp_polyf(r);
  gjm_ff s = gjm_fast_two_sumf(1.0f - one, r);
#ifdef GJ_MATH_FMA
  float z = r * r, rest = GJM_MULADDF(0.5f, __builtin_fmaf(r, r, -z), s.lo + x.lo);
  return (gjm_ff){s.hi, GJM_MULADDF(z, GJM_MULADDF(r, cubic, 0.5f), rest)};
#else
  float head = gjm_headf(r), square = 0.5f * head * head;
  gjm_ff t = gjm_fast_two_sumf(s.hi, square);
  cubic = GJM_MULADDF(r * r * r, cubic, 0.5f * (r - head) * (r + head));
  return (gjm_ff){t.hi, t.lo + (s.lo + (x.lo + cubic))};
#endif
}

// What sinh and cosh are made of. With a = 2^(k-2) and b = 2^(-k-2):
//   sinh(x) / 2 = (a - b) (1 + c) + (a + b) (r + s)    s = sinh(r) - r
//   cosh(x) / 2 = (a + b) (1 + c) + (a - b) (r + s)    c = cosh(r) - 1
// The halves keep a finite where the results still are. b is dropped where it no longer counts.
typedef struct {
  double a, b, r, s, c;
} gjm_hyp;
typedef struct {
  float a, b, r, s, c;
} gjm_hypf;

// For x in [0, 710.6]. Errors of s and c: 2^-62 |r| and 2^-57.9.
static inline gjm_hyp gjm_hyp_parts(double x) {
  gjm_exp_arg arg = gjm_exp_reduce(x);
  double r = arg.hi, z = r * r, z2 = z * z;
  double s = GJM_MULADD(0x1.af5f53005cedap-26, z2 * z2,
                        gjm_p3(z, z2, 0x1.5555555555559p-3, 0x1.111111110f64bp-7,
                               0x1.a01a01b009b34p-13, 0x1.71ddf7fbf27f9p-19));
  double c = GJM_MULADD(0x1.28b10d2c86b23p-22, z2 * z2,
                        gjm_p3(z, z2, 0x1.000000000000cp-1, 0x1.555555554fdf5p-5,
                               0x1.6c16c1860d184p-10, 0x1.a01995a5e5d91p-16));
  gjm_hyp h = {gjm_pow2(arg.k - 2), gjm_pick(arg.kd > 100, 0, gjm_pow2(0 - arg.k - 2)), r, 0, 0};
  // lo belongs to r: sinh(r + lo) = sinh(r) + lo cosh(r), and cosh(r + lo) - cosh(r) = lo sinh(r).
  h.s = GJM_MULADD(r * z, s, arg.lo);
  h.c = GJM_MULADD(z, c, r * arg.lo);
  return h;
}

// For x in [0, 89.6]. Errors of s and c: 2^-34 |r| and 2^-33.
static inline gjm_hypf gjm_hyp_partsf(float x) {
  gjm_exp_argf arg = gjm_exp_reducef(x);
  float r = arg.hi, z = r * r;
  float s = gjm_p2f(z, z * z, 0x1.555556p-3f, 0x1.110fe2p-7f, 0x1.a28f34p-13f);
  float c = gjm_p2f(z, z * z, 0x1p-1f, 0x1.5554e4p-5f, 0x1.6d515ap-10f);
  gjm_hypf h = {gjm_pow2f(arg.k - 2), gjm_pickf(arg.kd > 50, 0, gjm_pow2f(0 - arg.k - 2)), r, 0, 0};
  h.s = GJM_MULADDF(r * z, s, arg.lo);
  h.c = GJM_MULADDF(z, c, r * arg.lo);
  return h;
}

#endif
