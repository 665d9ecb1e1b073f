// Inverse sine, at most 2 ulp (1.2 measured); NaN beyond [-1, 1]. See asin_core.h.
#include "math/asin_core.h"

double gjm_asin_f64(double x) {
  gjm_asin f = gjm_asin_fold(gjm_abs(x));
  double bent = f.base * f.bend;
  // pi/2 - 2 base is added up first, so that only small terms are rounded before the last sum.
  gjm_dd top = gjm_fast_two_sum(GJM_HALF_PI_HI, -2.0 * f.base);
  double far = top.hi + (top.lo - (2.0 * bent - GJM_HALF_PI_LO));
  return gjm_copysign(gjm_pick(f.folded, far, f.base + bent), x);
}

float gjm_asin_f32(float x) {
  gjm_asinf f = gjm_asin_foldf(gjm_absf(x));
  float bent = f.base * f.bend;
  gjm_ff top = gjm_fast_two_sumf(GJM_HALF_PI_HIF, -2.0f * f.base);
  float far = top.hi + (top.lo - (2.0f * bent - GJM_HALF_PI_LOF));
  return gjm_copysignf(gjm_pickf(f.folded, far, f.base + bent), x);
}
