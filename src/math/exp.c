// exp: e^x = 2^k e^r, with e^r = 1 + r + (tail) summed from a compensated 1 + r. Measured worst:
// see the accuracy test.
//
// The clamp makes overflow and underflow the work of the scaling; NaN passes through the clamp and
// makes every value NaN.
#include "math/exp_core.h"

double gjm_exp_f64(double x) {
  gjm_exp_arg r = gjm_exp_reduce(gjm_clamp(x, -746, 710));
  gjm_dd s = gjm_fast_two_sum(1.0, r.hi);
  double half = GJM_MULADD(r.hi, gjm_exp_poly(r.hi), 0.5);
  return gjm_scale(s.hi + GJM_MULADD(r.hi * r.hi, half, s.lo + r.lo), r.kd);
}

float gjm_exp_f32(float x) {
  gjm_exp_argf r = gjm_exp_reducef(gjm_clampf(x, -104.5f, 89));
  gjm_ff s = gjm_fast_two_sumf(1.0f, r.hi);
  float half = GJM_MULADDF(r.hi, gjm_exp_polyf(r.hi), 0.5f);
  return gjm_scalef(s.hi + GJM_MULADDF(r.hi * r.hi, half, s.lo + r.lo), r.kd);
}
