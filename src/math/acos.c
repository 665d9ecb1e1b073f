// Inverse cosine, at most 2 ulp (1.2 measured); NaN beyond [-1, 1]. See asin_core.h.
//
// With s = asin of the folded argument the result is start - signed multiple of s: pi/2 - asin(x)
// for |x| <= 1/2, 2 s for x > 1/2, pi - 2 s for x < -1/2.
#include "math/asin_core.h"

double gjm_acos_f64(double x) {
  gjm_asin f = gjm_asin_fold(gjm_abs(x));
  double start = gjm_pick(f.folded, gjm_pick(x < 0.0, 2.0, 0.0), 1.0);
  double factor = gjm_pick(f.folded, -2.0, 1.0);
  double base = gjm_mulsign(factor * f.base, x);
  gjm_dd top = gjm_fast_two_sum(start * GJM_HALF_PI_HI, -base);
  return top.hi + (top.lo - (base * f.bend - start * GJM_HALF_PI_LO));
}

float gjm_acos_f32(float x) {
  gjm_asinf f = gjm_asin_foldf(gjm_absf(x));
  float start = gjm_pickf(f.folded, gjm_pickf(x < 0.0f, 2.0f, 0.0f), 1.0f);
  float factor = gjm_pickf(f.folded, -2.0f, 1.0f);
  float base = gjm_mulsignf(factor * f.base, x);
  gjm_ff top = gjm_fast_two_sumf(start * GJM_HALF_PI_HIF, -base);
  return top.hi + (top.lo - (base * f.bend - start * GJM_HALF_PI_LOF));
}
