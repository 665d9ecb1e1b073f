// The polynomial near zero that erf and erfc share.
//
// erf(x) = x + x * bend for |x| <= 3/4: the factor 2/sqrt(pi) is 1 + 0.128, and taking the 1 apart
// leaves all rounding errors to the small term.
#ifndef GJ_MATH_ERF_CORE_H
#define GJ_MATH_ERF_CORE_H

#include "math/exp_core.h"

#define GJM_ERF_NEAR 0.75

// (erf(x) - x) / x in z = x^2, z <= 9/16: fpminimax, 11 terms, relative error of erf 2^-56. The two
// leading terms come last, each with one rounding; the others are too small to matter.
static inline double gjm_erf_bend(double z) {
  double z2 = z * z, z4 = z2 * z2;
  double b = gjm_p3(z, z2, 0x1.f9a27c1442a92p-14, -0x1.f4c23533b9665p-17, 0x1.b8e5deeaa7347p-20,
                    -0x1.554ef1c624619p-23);
  double a = gjm_p3(z, z2, 0x1.ce2f21a041468p-4, -0x1.b82ce312126a9p-6, 0x1.565bccf94bb86p-8,
                    -0x1.c02daf561083ap-11);
  double high = GJM_MULADD(z4, GJM_MULADD(z4, 0x1.84cd802d80391p-27, b), a);
  return GJM_MULADD(z, GJM_MULADD(z, high, -0x1.812746b0379c3p-2), 0x1.06eba8214db68p-3);
}

#endif
