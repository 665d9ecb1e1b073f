// log and log1p, for the functions that are them and those made of them.
//
// x = 2^k (1 + f) with 1 + f in about [sqrt(1/2), sqrt(2)), and with s = f / (2 + f) the logarithm
// of 1 + f is f - s (f - R) or, with less error for a large f, f - (f^2/2 - s (f^2/2 + R)), where R
// is a polynomial in s^2. fdlibm: e_log.c, s_log1p.c.
#ifndef GJ_MATH_JS_LOG_H
#define GJ_MATH_JS_LOG_H

#include "math/js/js.h"

#define GJS_LN2_HI 0x1.62e42feep-1
#define GJS_LN2_LO 0x1.a39ef35793c76p-33
#define GJS_LN2 0x1.62e42fefa39efp-1

#define GJS_LG1 0x1.5555555555593p-1
#define GJS_LG2 0x1.999999997fa04p-2
#define GJS_LG3 0x1.2492494229359p-2
#define GJS_LG4 0x1.c71c51d8e78afp-3
#define GJS_LG5 0x1.7466496cb03dep-3
#define GJS_LG6 0x1.39a09d078c69fp-3
#define GJS_LG7 0x1.2f112df3e5244p-3

// R of z = s^2, in two chains.
GJS_INLINE double gjs_log_series(double z) {
  double w = z * z, odd = w * (GJS_LG2 + w * (GJS_LG4 + w * GJS_LG6));
  double even = z * (GJS_LG1 + w * (GJS_LG3 + w * (GJS_LG5 + w * GJS_LG7)));
  return even + odd;
}

// Whether x is 0, negative or not finite. Otherwise makes it normal and writes what its exponent
// has to be added to.
GJS_INLINE int gjs_log_ends(double *x, int32_t *out_bias) {
  *out_bias = -1023;
  if ((uint32_t)gjs_high(*x) - 0x100000 < 0x7fe00000) // normal and above 0
    return 0;
  if (!(*x > 0 && *x < GJM_INF))
    return 1;
  *x *= 0x1p54;
  *out_bias -= 54;
  return 0;
}

// The logarithm of what gjs_log_ends says is no number above 0.
GJS_INLINE double gjs_log_of_special(double x) {
  return x == 0 ? -GJM_INF : x == GJM_INF ? x : GJM_NAN;
}

typedef struct gjs_log_parts {
  double m, k;  // m is 1 + f
  int32_t high; // the fraction in the high word of x
} gjs_log_parts;

// Of 2^(bias + 1023) x, for a normal x > 0.
GJS_INLINE gjs_log_parts gjs_log_split(double x, int32_t bias) {
  int32_t high = gjs_high(x) & 0xfffff;
  int32_t above = (high + 0x95f64) & 0x100000; // from about sqrt(2) on
  return (gjs_log_parts){gjs_with_high(x, high | (above ^ 0x3ff00000)),
                         gjs_whole((gjs_high(x) >> 20) + bias + (above >> 20)), high};
}

GJS_INLINE double gjs_log(double x) {
  int32_t bias;
  if (gjs_log_ends(&x, &bias))
    return gjs_log_of_special(x);
  gjs_log_parts p = gjs_log_split(x, bias);
  double f = p.m - 1, k = p.k, tail = k * GJS_LN2_LO, rest;
  if (((2 + p.high) & 0xfffff) < 3) { // |f| < 2^-20
    rest = f * f * (0.5 - 0.33333333333333333 * f) - tail;
  } else {
    double s = f / (2 + f), r = gjs_log_series(s * s), square = 0.5 * f * f;
    if (((p.high - 0x6147a) | (0x6b851 - p.high)) > 0) // f in about [0.38, 0.42]
      rest = square - (s * (square + r) + tail);
    else
      rest = s * (f - r) - tail;
  }
  return k * GJS_LN2_HI - (rest - f);
}

// log of u + c, where u is 1 + x rounded and x at least 2^53 or beyond about sqrt(2) - 1 in size.
typedef struct gjs_log1p_parts {
  double f, c, k;
  int32_t high; // 0 where f is below 2^-20
} gjs_log1p_parts;

GJS_INLINE gjs_log1p_parts gjs_log1p_split(double x) {
  double u = x, c = 0;
  if (x < 0x1p53) {
    u = 1 + x;
    c = (gjs_high(u) >= 0x40000000 ? 1 - (u - x) : x - (u - 1)) / u;
  }
  int32_t k = (gjs_high(u) >> 20) - 1023, high = gjs_high(u) & 0xfffff;
  if (high < 0x6a09e) // below about sqrt(2)
    return (gjs_log1p_parts){gjs_with_high(u, high | 0x3ff00000) - 1, c, gjs_whole(k), high};
  u = gjs_with_high(u, high | 0x3fe00000);
  return (gjs_log1p_parts){u - 1, c, gjs_whole(k + 1), (0x100000 - high) >> 2};
}

// R of z = s^2, in one chain.
GJS_INLINE double gjs_log1p_series(double z) {
  return z * (GJS_LG1 +
              z * (GJS_LG2 +
                   z * (GJS_LG3 + z * (GJS_LG4 + z * (GJS_LG5 + z * (GJS_LG6 + z * GJS_LG7))))));
}

GJS_INLINE double gjs_log1p(double x) {
  int32_t high = gjs_high(x), size = high & GJS_SIZE;
  if (high >= 0x7ff00000 || (uint32_t)high >= 0xbff00000) // not finite, or from -1 on
    return x == -1 ? -GJM_INF : x == GJM_INF ? x : GJM_NAN;
  if (size < 0x3e200000)                            // 2^-29
    return size < 0x3c900000 ? x : x - x * x * 0.5; // 2^-54
  // Between about sqrt(1/2) - 1 and sqrt(2) - 1 there is nothing to split.
  int near = high < 0x3fda827a && (high >= 0 || (uint32_t)high <= 0xbfd2bec4);
  gjs_log1p_parts p = near ? (gjs_log1p_parts){x, 0, 0, 1} : gjs_log1p_split(x);
  double square = 0.5 * p.f * p.f, tail = p.k * GJS_LN2_LO + p.c;
  if (p.high == 0)
    return p.k * GJS_LN2_HI - ((square * (1 - 0.66666666666666666 * p.f) - tail) - p.f);
  double s = p.f / (2 + p.f), r = gjs_log1p_series(s * s);
  if (near)
    return x - (square - s * (square + r));
  return p.k * GJS_LN2_HI - ((square - (s * (square + r) + tail)) - p.f);
}

// --- for vectors ---

GJS_INLINE int gjs_log_is_unusual(double x) { return !(x >= 0x1p-1022 && x < GJM_INF); }

typedef struct gjs_wide_log_parts {
  double m, k;
  uint64_t high;
} gjs_wide_log_parts;

GJS_INLINE gjs_wide_log_parts gjs_log_split_usual(double x) {
  uint64_t bits = gjm_bits(x), high = bits >> 32 & 0xfffff, above = (high + 0x95f64) & 0x100000;
  return (gjs_wide_log_parts){gjm_double((bits & 0xfffffffffffffu) | (above ^ 0x3ff00000) << 32),
                              gjm_from_uint((bits >> 52) + (above >> 20)) - 1023, high};
}

// All formulas of gjs_log at once.
GJS_INLINE double gjs_log_usual(double x) {
  gjs_wide_log_parts p = gjs_log_split_usual(x);
  double f = p.m - 1, tail = p.k * GJS_LN2_LO;
  double s = f / (2 + f), r = gjs_log_series(s * s), square = 0.5 * f * f;
  double rest = s * (f - r) - tail;
  rest = gjm_pick(p.high - 0x6147a <= 0x6b851 - 0x6147a, square - (s * (square + r) + tail), rest);
  double small = f * f * (0.5 - 0.33333333333333333 * f) - tail;
  rest = gjm_pick(((2 + p.high) & 0xfffff) < 3, small, rest);
  return p.k * GJS_LN2_HI - (rest - f);
}

// The same of gjs_log1p, for a finite x > -1.
GJS_INLINE double gjs_log1p_usual(double x) {
  double a = gjm_abs(x), u = gjm_pick(x < 0x1p53, 1 + x, x);
  uint64_t bits = gjm_bits(u), high = bits >> 32 & 0xfffff;
  int near = (x < 0x1.a827ap-2) & (-x < 0x1.2bec5p-2), low = high < 0x6a09e;
  double c = gjm_pick(u >= 2, 1 - (u - x), x - (u - 1)) / u;
  double m =
      gjm_double((bits & 0xfffffffffffffu) | gjm_pick_u64(low, 0x3ffull << 52, 0x3feull << 52));
  double k = gjm_from_uint(bits >> 52) - gjm_pick(low, 1023, 1022);
  int close = !near & (gjm_pick_u64(low, high, (0x100000 - high) >> 2) == 0);
  c = gjm_pick(near | (x >= 0x1p53), 0, c);
  k = gjm_pick(near, 0, k);
  double f = gjm_pick(near, x, m - 1), square = 0.5 * f * f, tail = k * GJS_LN2_LO + c;
  double s = f / (2 + f), r = gjs_log1p_series(s * s);
  double rest = gjm_pick(close, square * (1 - 0.66666666666666666 * f) - tail,
                         square - (s * (square + r) + tail));
  double y = gjm_pick(a < 0x1p-29, x - x * x * 0.5, k * GJS_LN2_HI - (rest - f));
  return gjm_pick(a < 0x1p-54, x, y);
}

#endif
