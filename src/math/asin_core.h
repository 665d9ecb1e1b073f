// What asin and acos share: the polynomial and the half-angle step.
//
// For |x| <= 1/2 the polynomial is used as it is. Beyond, asin(x) = pi/2 - 2 asin(sqrt((1-x)/2)),
// where 1 - x is exact; the argument of the polynomial is again at most 1/2 (Muller,
// Elementary Functions). The rounding of the square root is not corrected: that would
// take a second division and the results stay within 1.2 ulp without it.
#ifndef GJ_MATH_ASIN_CORE_H
#define GJ_MATH_ASIN_CORE_H

#include "math/gjm.h"
#include "math/half_pi.h"

// asin(base) = base + base * bend, where base is |x| or, if `folded`, sqrt((1 - |x|)/2).
typedef struct {
  double base, bend;
  int folded;
} gjm_asin;
typedef struct {
  float base, bend;
  int folded;
} gjm_asinf;

// |x| > 1 gives the square root of a negative number, which makes the result NaN.
static inline gjm_asin gjm_asin_fold(double a) {
  int folded = a > 0.5;
  double z = gjm_pick(folded, GJM_MULADD(a, -0.5, 0.5), a * a);
  double base = gjm_pick(folded, __builtin_sqrt(z), a);
  // (asin(r) - r) / r^3 in z = r^2 on [0, 1/4], fpminimax, relative error of asin 2^-57.6.
  double high = gjm_p11(z, 0x1.333333332557ap-4, 0x1.6db6db7770ff1p-5, 0x1.f1c718d8a55c5p-6,
                        0x1.6e8c0a3ec2397p-6, 0x1.1c472fe103ed3p-6, 0x1.ca5c12936baf9p-7,
                        0x1.73ba557d2364dp-7, 0x1.6aa438ed9ff37p-7, 0x1.6015f4e3e642dp-9,
                        0x1.8a3256903f0cfp-6, -0x1.8bfed024ee43p-6, 0x1.1ad442ca27bbep-5);
  double bend = z * GJM_MULADD(z, high, 0x1.55555555555cdp-3);
  return (gjm_asin){base, bend, folded};
}

static inline gjm_asinf gjm_asin_foldf(float a) {
  int folded = a > 0.5f;
  float z = gjm_pickf(folded, GJM_MULADDF(a, -0.5f, 0.5f), a * a);
  float base = gjm_pickf(folded, __builtin_sqrtf(z), a);
  float z2 = z * z;
  // The same in float, relative error 2^-26.4.
  float high = gjm_p3f(z, z2, 0x1.32ea5ap-4f, 0x1.7676bap-5f, 0x1.7ae7ep-6f, 0x1.66baf4p-5f);
  float bend = z * GJM_MULADDF(z, high, 0x1.555626p-3f);
  return (gjm_asinf){base, bend, folded};
}

#endif
