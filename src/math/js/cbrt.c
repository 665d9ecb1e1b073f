// Math.cbrt: five bits by dividing the exponent by 3, 23 by a polynomial, the rest by a step of
// Newton's. After FreeBSD's s_cbrt.c.
#include "math/js/js.h"

// From five bits of the root, t.
GJS_INLINE double refine(double x, double t) {
  double r = (t * t) * (t / x);
  t = t * ((0x1.e03e60f61e692p0 + r * (-0x1.e28e092f0242p0 + r * 0x1.9f1604a49d6c2p0)) +
           ((r * r) * r) * (-0x1.844cbbee751d9p-1 + r * 0x1.2b000d4e4edd7p-3));
  t = gjm_double((gjm_bits(t) + 0x80000000u) & 0xffffffffc0000000u); // away from 0, to 23 bits
  r = x / (t * t);
  return t + t * ((r - t) / (t + t + r));
}

double gjs_cbrt_f64(double x) {
  uint32_t high = (uint32_t)gjs_high(x), sign = high & ~(uint32_t)GJS_SIZE, third = 715094163;
  high ^= sign;
  if (high - 0x100000 >= 0x7fe00000) { // 0, subnormal or not finite
    if (high >= 0x7ff00000 || x == 0)
      return x;
    high = (uint32_t)gjs_high(x * 0x1p54) & GJS_SIZE;
    third = 696219795;
  }
  return refine(x, gjs_words((int32_t)(sign | (high / 3 + third)), 0));
}

double gjs_cbrt_f64_main(double x) {
  uint64_t high = gjm_bits(x) >> 32, size = high & GJS_SIZE, third = size * 0xaaaaaaabu >> 33;
  return refine(x, gjm_double(((high ^ size) | (third + 715094163)) << 32));
}

int gjs_cbrt_f64_rare(double x) {
  double a = gjm_abs(x);
  return !(a >= 0x1p-1022 && a < GJM_INF);
}
