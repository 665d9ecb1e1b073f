// exp: e^x = 2^k e^r, with e^r = 1 + r + (tail) summed from a compensated 1 + r. Measured worst:
// see the accuracy test.
//
// The clamp makes overflow and underflow the work of the scaling; NaN passes through the clamp and
// makes every value NaN.
#include "math/exp_core.h"

double gjm_exp_f64(double x) {
  gjm_exp_arg r = gjm_exp_reduce(gjm_clamp(x, -746, 710));
  gjm_dd s = gjm_fast_two_sum(1.0, r.hi);
  return gjm_scale(s.hi + (s.lo + (r.lo + gjm_exp_tail(r.hi))), r.k);
}

float gjm_exp_f32(float x) {
  gjm_exp_argf r = gjm_exp_reducef(gjm_clampf(x, -104.5f, 89));
  gjm_ff s = gjm_fast_two_sumf(1.0f, r.hi);
  return gjm_scalef(s.hi + (s.lo + (r.lo + gjm_exp_tailf(r.hi))), r.k);
}
