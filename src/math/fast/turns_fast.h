// The fast sine of a part of a turn, sin(2 pi a) for |a| <= 1/4, which the sine and the cosine of
// whole turns share: a times a polynomial in its square.
//
// An argument in turns is reduced by subtracting the nearest integer, which is exact however large
// it is. So there are no parts of pi, no rare arguments, and no errors near roots. Polynomials
// fitted at Chebyshev nodes: relative error 2^-61, for float 2^-27.
#ifndef GJ_MATH_TURNS_FAST_H
#define GJ_MATH_TURNS_FAST_H

#include "math/gjm.h"

double gjm_sin2pi_f64(double x), gjm_cos2pi_f64(double x);
float gjm_sin2pi_f32(float x), gjm_cos2pi_f32(float x);

static inline double gjm_turn_sine(double a) {
  double z = a * a, z2 = z * z, z4 = z2 * z2;
  double low = gjm_p3(z, z2, 0x1.921fb54442d18p+2, -0x1.4abbce625be52p+5, 0x1.466bc6775aa7dp+6,
                      -0x1.32d2cce627c86p+6);
  double high = gjm_p3(z, z2, 0x1.5078348551854p+5, -0x1.e3074dfaf87afp+3, 0x1.e8f3675ee37ddp+1,
                       -0x1.6f7acdb8f658p-1);
  return a * GJM_MULADD(z4, GJM_MULADD(z4, 0x1.9d462020fcc78p-4, high), low);
}

static inline float gjm_turn_sinef(float a) {
  float z = a * a, z2 = z * z;
  float low = gjm_p1f(z, 0x1.921fb6p+2f, -0x1.4abbc4p+5f);
  float high = gjm_p2f(z, z2, 0x1.4668fp+6f, -0x1.32531ep+6f, 0x1.3e142p+5f);
  return a * GJM_MULADDF(z2, high, low);
}

#endif
