// The arc tangent, for atan and atan2: of x near 0 by a polynomial, else by atan(c) and
// atan((x - c) / (1 + c x)) for c one of 1/2, 1, 3/2 and infinity. fdlibm: s_atan.c.
#ifndef GJ_MATH_JS_ATAN_H
#define GJ_MATH_JS_ATAN_H

#include "math/js/js.h"

typedef struct gjs_atan_part {
  double hi, lo; // of atan(c)
  double x;      // the argument that remains
} gjs_atan_part;

// For |x| from 7/16 on.
GJS_INLINE gjs_atan_part gjs_atan_reduce(double a, int32_t high) {
  if (high < 0x3ff30000) { // 19/16
    if (high < 0x3fe60000) // 11/16
      return (gjs_atan_part){0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56, (2 * a - 1) / (2 + a)};
    return (gjs_atan_part){0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55, (a - 1) / (a + 1)};
  }
  if (high < 0x40038000) // 39/16
    return (gjs_atan_part){0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56, (a - 1.5) / (1 + 1.5 * a)};
  return (gjs_atan_part){0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -1 / a};
}

// atan(x) is x - x times this of x^2, in two chains.
GJS_INLINE double gjs_atan_series(double z) {
  double w = z * z;
  double even = z * (0x1.555555555550dp-2 +
                     w * (0x1.24924920083ffp-3 +
                          w * (0x1.745cdc54c206ep-4 +
                               w * (0x1.10d66a0d03d51p-4 +
                                    w * (0x1.97b4b24760debp-5 + w * 0x1.0ad3ae322da11p-6)))));
  double odd =
      w *
      (-0x1.999999998ebc4p-3 +
       w * (-0x1.c71c6fe231671p-4 +
            w * (-0x1.3b0f2af749a6dp-4 + w * (-0x1.dde2d52defd9ap-5 + w * -0x1.2b4442c6a6c2fp-5))));
  return even + odd;
}

GJS_INLINE double gjs_atan(double x) {
  double a = gjm_abs(x);
  int32_t high = gjs_high(a);
  if (high < 0x3fdc0000) // 7/16
    return high < 0x3e400000 ? x : x - x * gjs_atan_series(x * x);
  if (high >= 0x44100000) // 2^66
    return x != x ? x : gjm_copysign(0x1.921fb54442d18p0 + 0x1.1a62633145c07p-54, x);
  gjs_atan_part p = gjs_atan_reduce(a, high);
  return gjm_copysign(p.hi - ((p.x * gjs_atan_series(p.x * p.x) - p.lo) - p.x), x);
}

// --- for vectors ---

// The part of gjs_atan_reduce by choices; near 0 it is 0 and the argument itself, divided by 1.
GJS_INLINE double gjs_atan_usual(double x) {
  double a = gjm_abs(x), top = -1, bottom = a, hi = 0x1.921fb54442d18p0, lo = 0x1.1a62633145c07p-54;
  int next = a < 2.4375;
  top = gjm_pick(next, a - 1.5, top), bottom = gjm_pick(next, 1 + 1.5 * a, bottom);
  hi = gjm_pick(next, 0x1.f730bd281f69bp-1, hi), lo = gjm_pick(next, 0x1.007887af0cbbdp-56, lo);
  next = a < 1.1875;
  top = gjm_pick(next, a - 1, top), bottom = gjm_pick(next, a + 1, bottom);
  hi = gjm_pick(next, 0x1.921fb54442d18p-1, hi), lo = gjm_pick(next, 0x1.1a62633145c07p-55, lo);
  next = a < 0.6875;
  top = gjm_pick(next, 2 * a - 1, top), bottom = gjm_pick(next, 2 + a, bottom);
  hi = gjm_pick(next, 0x1.dac670561bb4fp-2, hi), lo = gjm_pick(next, 0x1.a2b7f222f65e2p-56, lo);
  next = a < 0.4375;
  top = gjm_pick(next, a, top), bottom = gjm_pick(next, 1, bottom);
  hi = gjm_pick(next, 0, hi), lo = gjm_pick(next, 0, lo);
  double y = top / bottom, z = hi - ((y * gjs_atan_series(y * y) - lo) - y);
  return gjm_copysign(gjm_pick(a < 0x1p-27, a, z), x);
}

#endif
