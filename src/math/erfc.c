// Complementary error function, at most 2 ulp (1.4 measured), subnormal results included.
//
// Beyond 3/4, erfc(x) = exp(-x^2) p(t) / (1 + 2x) with t = (x - 3)/(x + 3), a form of Shepherd and
// Laframboise (Math. Comp. 36, 1981) in which p stays between 1.1 and 1.3. x^2 is kept in two parts
// since its error is that of the result times x^2. Nearer to zero it is 1 - erf(x), where 1 - x in
// two parts makes up for the cancellation; on the far negative side 2 - erfc(-x). p: weighted
// minimax fits, weight 1/p (Remez with mpmath).
#include "math/erf_core.h"

// erfc(a) for a in [3/4, 27.5]; p has 21 terms, relative error 2^-56.7.
static inline double erfc_far(double a) {
  // One division serves t and the quotient of p; the latter is then corrected by its remainder.
  gjm_dd width = gjm_fast_two_sum(2.0 * a, 1.0);
  double inverse = 1.0 / ((a + 3.0) * width.hi);
  double t = (a - 3.0) * width.hi * inverse, t2 = t * t, t4 = t2 * t2;
  double f = gjm_p3(t, t2, -0x1.5d0bec9431a69p-21, -0x1.200c9481ed09bp-24, 0x1.d081a9f63c9bfp-24,
                    -0x1.7a04768047a01p-27);
  double e = gjm_p3(t, t2, -0x1.51752e5a622a5p-16, -0x1.7f8663588baa0p-21, 0x1.d62092bd0ddc8p-19,
                    0x1.4b5c322036d03p-22);
  double d = gjm_p3(t, t2, -0x1.98db6319fec31p-11, -0x1.b91208f1785a8p-14, 0x1.065c0f4e09a8cp-13,
                    0x1.4beaff3008119p-18);
  double c = gjm_p3(t, t2, 0x1.17ca2877c8cdep-4, -0x1.8574c40bb0e77p-6, 0x1.4b884eab7d7f6p-9,
                    0x1.ef1bdce25faa8p-10);
  double b = gjm_p3(t, t2, -0x1.15c084bb9e8ffp-3, -0x1.85a15c58aa602p-5, 0x1.098366a5b4de7p-3,
                    -0x1.e88b803a48fc5p-4);
  double p = GJM_MULADD(t4, GJM_MULADD(t4, GJM_MULADD(t4, GJM_MULADD(t4, f, e), d), c), b);
  gjm_dd above = gjm_fast_two_sum(0x1.40c522d7e4987p+0, t * p);
  above.lo += 0x1.a05acba943475p-55;
  double inverse_width = (a + 3.0) * inverse, q = above.hi * inverse_width;
  gjm_dd product = gjm_two_prod(q, width.hi);
  double missing = ((above.hi - product.hi) - product.lo) + (above.lo - q * width.lo);
  double q_lo = missing * inverse_width;

  gjm_dd square = gjm_two_prod(a, a);
  gjm_exp_arg arg = gjm_exp_reduce(-square.hi);
  double tail = gjm_exp_tail(arg.hi);
  gjm_dd power = gjm_fast_two_sum(1.0, arg.hi);
  double power_lo = power.lo + GJM_MULADD(arg.lo - square.lo, power.hi + tail, tail);
  double result = GJM_MULADD(power.hi, q, GJM_MULADD(power_lo, q, power.hi * q_lo));
  return gjm_scale(result, arg.kd);
}

double gjm_erfc_f64(double x) {
  double a = gjm_abs(x);
  gjm_dd top = gjm_fast_two_sum(1.0, -x);
  double near = top.hi + (top.lo - x * gjm_erf_bend(x * x));
  double far = erfc_far(gjm_clamp(a, GJM_ERF_NEAR, 27.5));
  return gjm_pick(a <= GJM_ERF_NEAR, near, gjm_pick(x < 0.0, 2.0 - far, far));
}

// In f64, since three factors with rounding errors meet here. The form of erfc_far holds from 0 on:
// p has 11 terms, relative error 2^-29; exp has degree 6, error 2^-27.8.
float gjm_erfc_f32(float x) {
  double a = gjm_clamp(gjm_abs((double)x), 0.0, 10.5);
  double width = GJM_MULADD(a, 2.0, 1.0), sum = a + 3.0, inverse = 1.0 / (sum * width);
  double t = (a - 3.0) * width * inverse, t2 = t * t;
  double c = gjm_p2(t, t2, 0x1.0661c43733e4ap-9, -0x1.97ad1930dd39dp-11, -0x1.1926d56adcba2p-12);
  double b = gjm_p3(t, t2, -0x1.e888ae9be3e4bp-4, 0x1.17bd4d79bee1dp-4, -0x1.85e6150fa400bp-6,
                    0x1.5082df2d67f13p-9);
  double p = gjm_p3(t, t2, 0x1.40c522db8e077p+0, -0x1.15c0892f4917ap-3, -0x1.85a194c24cb34p-5,
                    0x1.09840f3197148p-3);
  p = GJM_MULADD(t2 * t2, GJM_MULADD(t2 * t2, c, b), p);

  double square = a * a; // exact
  gjm_int k = gjm_nearest(square * -0x1.71547652b82fep0);
  double r = GJM_MULADD(k.value, -0x1.62e42fefa39efp-1, -square), r2 = r * r;
  double low = gjm_p1(r, 1.0, 0x1.0000006834c32p-1);
  double high = gjm_p3(r, r2, 0x1.55548b0303aa7p-3, 0x1.555442bfc6771p-5, 0x1.123d98a1f1ffbp-7,
                       0x1.6dc417c0e9c4p-10);
  double power = GJM_MULADD(r, GJM_MULADD(r2, high, low), 1.0);
  double far = power * gjm_pow2(k.bits) * (p * (sum * inverse));
  return (float)gjm_pick(x < 0.0f, 2.0 - far, far);
}
