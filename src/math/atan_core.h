// What atan and atan2 share: the angle of a ratio above/below.
//
// The ratio is turned so that it lies in [-1/2, 1/2], with atan(1) as the pivot:
// atan(a/b) = pi/4 + atan((a - b)/(a + b)) for a/b in [1/2, 2] (Muller,
// Elementary Functions). a - b is exact there. atan(t) = t + t * bend with bend a polynomial in
// t^2, and t * bend stays below 0.037, so that its rounding errors hardly count.
#ifndef GJ_MATH_ATAN_CORE_H
#define GJ_MATH_ATAN_CORE_H

#include "math/gjm.h"
#include "math/half_pi.h"

// (atan(t) - t) / t for |t| <= 1/2: fpminimax, 12 terms, relative error of atan 2^-55.8.
static inline double gjm_atan_bend(double t) {
  double z = t * t;
  return z * gjm_p11(z, -0x1.555555555549ep-2, 0x1.999999998698p-3, -0x1.2492491e9aed7p-3,
                     0x1.c71c6fce76255p-4, -0x1.745ce4cb59d61p-4, 0x1.3b10658649869p-4,
                     -0x1.10eb88953951bp-4, 0x1.df8dce1048d52p-5, -0x1.a228638c064fp-5,
                     0x1.5347f00a25214p-5, -0x1.b6a28b43cbea5p-6, 0x1.3d6dd76c08ep-7);
}

// The same in float: 6 terms, relative error 2^-30.8.
static inline float gjm_atan_bendf(float t) {
  float z = t * t, z2 = z * z;
  float b = gjm_p1f(z, -0x1.43593p-4f, 0x1.33b376p-5f);
  float a = gjm_p3f(z, z2, -0x1.55554ep-2f, 0x1.9995ccp-3f, -0x1.243844p-3f, 0x1.bf120ap-4f);
  return z * GJM_MULADDF(z2 * z2, b, a);
}

#endif
