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

double gjs_rem_f64(double x, double y) {
  double ax = gjm_abs(x), ay = gjm_abs(y);
  if (!(ax < GJM_INF && ay > 0))
    return GJM_NAN;
  if (ax < ay)
    return x;
  if (ax < 0x1p53) {
    int64_t ix = (int64_t)ax, iy = (int64_t)ay;
    if ((double)ix == ax && (double)iy == ay)
      return gjm_copysign((double)(ix % iy), x);
  }
  parts a = split(gjm_bits(ax)), b = split(gjm_bits(ay));
  int32_t shift = a.exponent - b.exponent;
  uint64_t r = a.significand % b.significand;
  for (; shift > 11; shift -= 11)
    r = (r << 11) % b.significand;
  r = (r << shift) % b.significand;
  return gjm_copysign(join((parts){r, b.exponent}), x);
}
