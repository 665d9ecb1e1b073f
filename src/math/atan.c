// Inverse tangent, at most 1 ulp (0.8 measured). See atan_core.h.
//
// |x| up to 1/2 is used as it is, up to 2 it is turned about 1, beyond it is inverted. The quotient
// that this takes is rounded; the error is computed and added with the small terms.
#include "math/atan_core.h"

double gjm_atan_f64(double x) {
  // Beyond 2^60 the result no longer changes; the limit keeps infinities out of the products.
  double a = gjm_abs(x);
  a = gjm_pick(a > 0x1p60, 0x1p60, a);
  int far = a > 2.0, middle = a >= 0.5;
  double above = gjm_pick(far, -1.0, gjm_pick(middle, a - 1.0, a));
  gjm_dd below = gjm_fast_two_sum(1.0, gjm_pick(middle, a, 0.0));
  below.hi = gjm_pick(far, a, below.hi);
  below.lo = gjm_pick(far, 0.0, below.lo);
  double inverse = 1.0 / below.hi, t = above * inverse;
  gjm_dd product = gjm_two_prod(t, below.hi);
  double missing = (above - product.hi) - product.lo - t * below.lo;
  double turns = gjm_pick(far, 1.0, gjm_pick(middle, 0.5, 0.0));
  double small = GJM_MULADD(t, gjm_atan_bend(t), missing * inverse);
  gjm_dd top = gjm_fast_two_sum(turns * GJM_HALF_PI_HI, t);
  double angle = top.hi + (top.lo + GJM_MULADD(turns, GJM_HALF_PI_LO, small));
  return gjm_copysign(angle, x);
}

float gjm_atan_f32(float x) {
  float a = gjm_absf(x);
  a = gjm_pickf(a > 0x1p30f, 0x1p30f, a);
  int far = a > 2.0f, middle = a >= 0.5f;
  float above = gjm_pickf(far, -1.0f, gjm_pickf(middle, a - 1.0f, a));
  gjm_ff below = gjm_fast_two_sumf(1.0f, gjm_pickf(middle, a, 0.0f));
  below.hi = gjm_pickf(far, a, below.hi);
  below.lo = gjm_pickf(far, 0.0f, below.lo);
  float inverse = 1.0f / below.hi, t = above * inverse;
  gjm_ff product = gjm_two_prodf(t, below.hi);
  float missing = (above - product.hi) - product.lo - t * below.lo;
  float turns = gjm_pickf(far, 1.0f, gjm_pickf(middle, 0.5f, 0.0f));
  float small = GJM_MULADDF(t, gjm_atan_bendf(t), missing * inverse);
  gjm_ff top = gjm_fast_two_sumf(turns * GJM_HALF_PI_HIF, t);
  float angle = top.hi + (top.lo + GJM_MULADDF(turns, GJM_HALF_PI_LOF, small));
  return gjm_copysignf(angle, x);
}
