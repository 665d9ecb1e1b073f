// exp and expm1, for the functions that are them and those made of them.
//
// x = k ln2 + r with |r| <= ln2 / 2, and r (exp(r) + 1) / (exp(r) - 1) is a polynomial in r^2.
// fdlibm: e_exp.c, s_expm1.c.
#ifndef GJ_MATH_JS_EXP_H
#define GJ_MATH_JS_EXP_H

#include "math/js/js.h"

#define GJS_EXP_MOST 0x1.62e42fefa39efp9   // above, exp is infinite
#define GJS_EXP_LEAST -0x1.74910d52d3051p9 // below, it is 0
#define GJS_HALF_LN2 0x3fd62e42            // the high word of ln2 / 2
#define GJS_LN2_HI 0x1.62e42feep-1
#define GJS_LN2_LO 0x1.a39ef35793c76p-33
#define GJS_INV_LN2 0x1.71547652b82fep0

// k of an x beyond ln2 / 2 that is not huge.
GJS_INLINE int32_t gjs_exp_power(double x) {
  return (int32_t)(GJS_INV_LN2 * x + gjm_copysign(0.5, x));
}

// r (exp(r) + 1) / (exp(r) - 1) for |r| <= ln2 / 2, less what it is not.
GJS_INLINE double gjs_exp_series(double r) {
  double t = r * r;
  return r - t * (0x1.555555555553ep-3 +
                  t * (-0x1.6c16c16bebd93p-9 +
                       t * (0x1.1566aaf25de2cp-14 +
                            t * (-0x1.bbd41c5d26bf1p-20 + t * 0x1.6376972bea4dp-25))));
}

// V8 gives Math.E for 1, where fdlibm is off by one in the last place.
GJS_INLINE double gjs_exp(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high >= 0x40862e42) {
    if (x > GJS_EXP_MOST || x != x)
      return x + GJM_INF;
    if (x < GJS_EXP_LEAST)
      return 0;
  }
  if (high < 0x3e300000) // 2^-28
    return 1 + x;
  if (x == 1)
    return 0x1.5bf0a8b145769p1;
  int32_t k = high > GJS_HALF_LN2 ? gjs_exp_power(x) : 0;
  double n = gjs_whole(k), hi = x - n * GJS_LN2_HI, lo = n * GJS_LN2_LO, r = hi - lo;
  double c = gjs_exp_series(r);
  double y = 1 - ((lo - (r * c) / (2 - c)) - hi);
  if (k < -1021)
    return y * gjs_pow2(k + 1000) * 0x1p-1000;
  return k == 1024 ? y * 2 * 0x1p1023 : y * gjs_pow2(k);
}

// 2^k (1 + x - e) - 1 for the k of expm1 that are not 0.
GJS_INLINE double gjs_expm1_scaled(double x, double e, int32_t k) {
  if (k == -1)
    return 0.5 * (x - e) - 0.5;
  if (k == 1)
    return x < -0.25 ? -2 * (e - (x + 0.5)) : 1 + 2 * (x - e);
  if (k <= -2 || k > 56) {
    double y = 1 - (e - x);
    // Sun's factor is 2^1023; the decimal number in its place in V8 is 23 units of the last place
    // larger.
    return (k == 1024 ? y * 2 * 8.98846567431158e+307 : y * gjs_pow2(k)) - 1;
  }
  if (k < 20)
    return ((1 - gjs_pow2(-k)) - (e - x)) * gjs_pow2(k);
  return ((x - (e + gjs_pow2(-k))) + 1) * gjs_pow2(k);
}

// R1 of z = r^2 / 2.
GJS_INLINE double gjs_expm1_series(double z) {
  return 1 + z * (-0x1.11111111110f4p-5 +
                  z * (0x1.a01a019fe5585p-10 +
                       z * (-0x1.4ce199eaadbb7p-14 +
                            z * (0x1.0cfca86e65239p-18 + z * -0x1.afdb76e09c32dp-23))));
}

GJS_INLINE double gjs_expm1(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high >= 0x4043687a) { // 56 ln2
    if (x > GJS_EXP_MOST || x != x)
      return x + GJM_INF;
    if (x < 0)
      return -1;
  }
  if (high < 0x3c900000) // 2^-54
    return x;
  double r = x, c = 0;
  int32_t k = 0;
  if (high > GJS_HALF_LN2) {
    k = gjs_exp_power(x);
    double n = gjs_whole(k), hi = x - n * GJS_LN2_HI, lo = n * GJS_LN2_LO;
    r = hi - lo;
    c = (hi - r) - lo;
  }
  double half = 0.5 * r, z = r * half;
  double p = gjs_expm1_series(z);
  double t = 3 - p * half, e = z * ((p - t) / (6 - r * t));
  if (k == 0)
    return r - (r * e - z);
  return gjs_expm1_scaled(r, (r * (e - c) - c) - z, k);
}

// --- for vectors ---

// The k of gjs_exp_power, 0 for a small x, as a double.
GJS_INLINE double gjs_exp_whole_power(double x) {
  double k = __builtin_trunc(GJS_INV_LN2 * x + gjm_copysign(0.5, x));
  return gjm_pick(gjm_abs(x) >= 0x1.62e43p-2, k, 0); // the high word above GJS_HALF_LN2
}

GJS_INLINE double gjs_pow2_of_whole(double k) {
  return gjm_double(gjm_bits(k + (0x1.8p52 + 1023)) << 52);
}

// expm1(x) for |x| < 709.
GJS_INLINE double gjs_expm1_usual(double x) {
  double k = gjs_exp_whole_power(x), hi = x - k * GJS_LN2_HI, lo = k * GJS_LN2_LO, r = hi - lo;
  double c = (hi - r) - lo, half = 0.5 * r, z = r * half, p = gjs_expm1_series(z);
  double t = 3 - p * half, e = z * ((p - t) / (6 - r * t));
  e = (r * (e - c) - c) - z;
  double power = gjs_pow2_of_whole(k), inverse = gjs_pow2_of_whole(-k);
  double y = gjm_pick(k < 20, ((1 - inverse) - (e - r)) * power, ((r - (e + inverse)) + 1) * power);
  y = gjm_pick((k <= -2) | (k > 56), (1 - (e - r)) * power - 1, y);
  y = gjm_pick(k == 1, gjm_pick(r < -0.25, -2 * (e - (r + 0.5)), 1 + 2 * (r - e)), y);
  y = gjm_pick(k == -1, 0.5 * (r - e) - 0.5, y);
  return gjm_pick(gjm_abs(x) < 0x1p-54, x, gjm_pick(k == 0, r - e, y));
}

// exp(x) for |x| < 708.
GJS_INLINE double gjs_exp_usual(double x) {
  double k = gjs_exp_whole_power(x), hi = x - k * GJS_LN2_HI, lo = k * GJS_LN2_LO, r = hi - lo;
  double c = gjs_exp_series(r), y = 1 - ((lo - (r * c) / (2 - c)) - hi);
  y = gjm_pick(gjm_abs(x) < 0x1p-28, 1 + x, y * gjs_pow2_of_whole(k));
  return gjm_pick(x == 1, 0x1.5bf0a8b145769p1, y);
}

#endif
