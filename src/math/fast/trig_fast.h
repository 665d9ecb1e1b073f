// Reduction and polynomial of the fast sine and cosine.
//
// Reduced by half turns instead of quarters, so that one polynomial serves and nothing is chosen: x
// = n pi + r with |r| <= pi/2 and sin x = (-1)^n sin r; for the cosine n is a half more than an
// integer. Three parts of pi, each a full float: with fused multiply-add the first difference is
// exact, as both x and n pi_1 are multiples of a number 2^53 (2^24) times smaller than r, and the
// others are rounded relative to themselves; so the error stays small next to multiples of pi as
// well. All parts are positive, which keeps -0. Polynomials fitted at Chebyshev nodes: relative
// error 2^-61, for float 2^-27.
#ifndef GJ_MATH_TRIG_FAST_H
#define GJ_MATH_TRIG_FAST_H

#include "math/gjm.h"

// Beyond, the slow function of the accurate variant takes over. 1/pi as a float errs by 2^-7 of a
// half turn at the limit, for which the polynomial allows.
#define GJM_FAST_LIMIT 0x1p19
#define GJM_FAST_LIMITF 0x1p19f

static inline double gjm_sine_fast(double x, double n, uint64_t sign) {
  double r = GJM_MULADD(n, -0x1.921fb54442d18p1, x);
  r = GJM_MULADD(n, -0x1.1a62633145c06p-53, r);
  r = GJM_MULADD(n, -0x1.c1cd129024e08p-106, r);
  double z = r * r, z2 = z * z;
  double low = gjm_p3(z, z2, -0x1.5555555555555p-3, 0x1.11111111110cap-7, -0x1.a01a01a014fefp-13,
                      0x1.71de3a52b3d5p-19);
  double high = gjm_p3(z, z2, -0x1.ae6454dd98f96p-26, 0x1.6123cf5b9c41bp-33, -0x1.ae441f90339dfp-41,
                       0x1.8842dc8d5d5a6p-49);
  double ratio = GJM_MULADD(z, GJM_MULADD(z2 * z2, high, low), 1.0);
  return gjm_double(gjm_bits(r * ratio) ^ (sign << 63));
}

static inline float gjm_sine_fastf(float x, float n, uint32_t sign) {
  float r = GJM_MULADDF(n, -0x1.921fb4p1f, x);
  r = GJM_MULADDF(n, -0x1.4442dp-23f, r);
  r = GJM_MULADDF(n, -0x1.846988p-47f, r);
  float z = r * r, z2 = z * z;
  float low = gjm_p1f(z, -0x1.55554ap-3f, 0x1.110e8ap-7f);
  float high = gjm_p1f(z, -0x1.9f6244p-13f, 0x1.5cf754p-19f);
  float ratio = GJM_MULADDF(z, GJM_MULADDF(z2, high, low), 1.0f);
  return gjm_float(gjm_bitsf(r * ratio) ^ (sign << 31));
}

#endif
