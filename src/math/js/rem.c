// JavaScript's x % y: the remainder of the division truncated to an integer, with the sign of x. It
// is exact, so any way to it gives the same bits; this is the one that is quick on scalars.
//
// Whole numbers are divided as integers. Otherwise the significands are, in as many steps of 11
// bits as the quotient has.
#include "math/js/js.h"

#define HIDDEN 0x10000000000000u // the leading one of a significand

typedef struct parts {
  uint64_t significand;
  int32_t exponent; // counted from the last place of subnormals
} parts;

GJS_INLINE parts split(uint64_t bits) {
  if (bits < HIDDEN)
    return (parts){bits, 0};
  return (parts){(bits & (HIDDEN - 1)) | HIDDEN, (int32_t)(bits >> 52) - 1};
}

// significand * 2^exponent for a significand below 2^53; exact.
GJS_INLINE double join(parts p) {
  if (p.significand == 0)
    return 0;
  int32_t shift = __builtin_clzll(p.significand) - 11;
  if (shift > p.exponent)
    shift = p.exponent;
  uint64_t bits = p.significand << shift;
  uint64_t exponent = (uint64_t)(p.exponent - shift);
  // The leading one, where there is one, adds itself to the exponent.
  return gjm_double(bits + (exponent << 52));
}

// Division of 32 bits takes half the time on many machines.
GJS_INLINE double whole_remainder(uint64_t x, uint64_t y) {
  return gjm_from_uint((x | y) >> 32 ? x % y : (uint32_t)x % (uint32_t)y);
}

double gjs_rem_f64(double x, double y) {
  double ax = gjm_abs(x), ay = gjm_abs(y);
  if (!(ax < GJM_INF && ay > 0))
    return GJM_NAN;
  if (ax < ay)
    return x;
  if (ax < 0x1p52) {
    double sx = ax + 0x1p52, sy = ay + 0x1p52; // rounded to integers, which their low bits are
    if (sx - 0x1p52 == ax && sy - 0x1p52 == ay)
      return gjm_copysign(whole_remainder(gjm_bits(sx) & (HIDDEN - 1), gjm_bits(sy) & (HIDDEN - 1)),
                          x);
  }
  parts a = split(gjm_bits(ax)), b = split(gjm_bits(ay));
  int32_t shift = a.exponent - b.exponent;
  uint64_t r = a.significand % b.significand;
  for (; shift > 11; shift -= 11)
    r = (r << 11) % b.significand;
  r = (r << shift) % b.significand;
  return gjm_copysign(join((parts){r, b.exponent}), x);
}
