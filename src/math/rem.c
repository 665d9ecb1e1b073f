// Remainder of x / y with the sign of x and truncated quotient (fmod of C); exact.
//
// Main: the quotient q is the division rounded to an integer, so it is right or one too large. q *
// y is computed exactly in two parts, and so is x - q * y, which is a multiple of the last place of
// y not above y in size. If it is negative q was too large. Rare are quotients from 2^51 on (2^28
// for f32), f64 arguments near overflow, zero divisors, infinities and NaN.
#include "math/gjm.h"

// x - q * y for an integer q <= 2^51. Below the 26 digits of its head q has at most 26 more, so all
// four partial products are exact, as is every sum by cancellation or by having a common last
// place.
static inline double rem_residue(double x, double q, double y) {
  double p = q * y;
#ifdef GJ_MATH_FMA
  double rest = __builtin_fma(q, y, -p);
#else
  double qh = gjm_head(q), yh = gjm_head(y), ql = q - qh, yl = y - yh;
  double rest = ((qh * yh - p) + qh * yl + ql * yh) + ql * yl;
#endif
  return (x - p) - rest;
}

double gjm_rem_f64(double x, double y) {
  // An infinite y may be any y above x.
  double ax = gjm_abs(x), ay = gjm_abs(y);
  ay = gjm_pick(ay > 0x1p1023, 0x1p1023, ay);
  double q = gjm_round(ax / ay);
  double r = rem_residue(ax, q, ay);
  r = gjm_pick(r < 0.0, r + ay, r);
  return gjm_copysign(r, x);
}

int gjm_rem_f64_rare(double x, double y) {
  double ax = gjm_abs(x), ay = gjm_abs(y);
  double limit = ay * 0x1p51;
  limit = gjm_pick(limit > 0x1p1022, 0x1p1022, limit);
  return !(ax < limit);
}

// Long division in base 2^11, on the significands as integers.
double gjm_rem_f64_slow(double x, double y) {
  uint64_t a = gjm_bits(x) & ~GJM_SIGN, b = gjm_bits(y) & ~GJM_SIGN;
  const uint64_t infinity = 0x7ff0000000000000u, hidden = 0x10000000000000u;
  if (a >= infinity || b > infinity || b == 0)
    return GJM_NAN;
  if (a < b)
    return x;
  // a = high * 2^(exponent of a), counting from the last place of subnormals.
  uint64_t a_exponent = a < hidden ? 1 : a >> 52, b_exponent = b < hidden ? 1 : b >> 52;
  uint64_t high = a < hidden ? a : (a & (hidden - 1)) | hidden;
  uint64_t divisor = b < hidden ? b : (b & (hidden - 1)) | hidden;
  uint64_t shift = a_exponent - b_exponent;
  high %= divisor;
  for (; shift > 11; shift -= 11)
    high = (high << 11) % divisor;
  high = (high << shift) % divisor;
  uint64_t exponent = b_exponent;
  if (high != 0)
    for (; high < hidden && exponent > 1; exponent--)
      high <<= 1;
  uint64_t bits = high < hidden ? high : (high & (hidden - 1)) | exponent << 52;
  return gjm_double(bits | (gjm_bits(x) & GJM_SIGN));
}

// In f64 every product q * y with q < 2^29 is exact by itself.
float gjm_rem_f32(float x, float y) {
  double ax = gjm_abs((double)x), ay = gjm_abs((double)y);
  ay = gjm_pick(ay > 0x1p200, 0x1p200, ay);
  double q = gjm_round(ax / ay);
  double r = ax - q * ay;
  r = gjm_pick(r < 0.0, r + ay, r);
  return gjm_copysignf((float)r, x);
}

int gjm_rem_f32_rare(float x, float y) { return !(gjm_absf(x) < gjm_absf(y) * 0x1p28f); }

float gjm_rem_f32_slow(float x, float y) { return (float)gjm_rem_f64_slow(x, y); }
