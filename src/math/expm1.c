// expm1: e^x - 1 = 2^k ((1 - 2^-k) + (e^r - 1)), summed exactly enough that the cancellation at k =
// 0 and 1 costs nothing.
//
// 2^-k is dropped where it no longer counts. Near zero k is 0 and the result is r + (tail). The
// sign is copied because 0 + -0 is +0.
#include "math/exp_core.h"

double gjm_expm1_f64(double x) {
  gjm_exp_arg r = gjm_exp_reduce(gjm_clamp(x, -40, 710));
  double one = gjm_pick(r.kd > 100, 0, gjm_pow2(0 - r.k)), c = 1.0 - one;
  r.lo += (1.0 - c) - one;
  gjm_dd e = gjm_expm1_kernel(r, one);
  return gjm_copysign((e.hi + e.lo) * 2 * gjm_pow2(r.k - 1), x);
}

float gjm_expm1_f32(float x) {
  gjm_exp_argf r = gjm_exp_reducef(gjm_clampf(x, -19, 89));
  float one = gjm_pickf(r.kd > 50, 0, gjm_pow2f(0 - r.k)), c = 1.0f - one;
  r.lo += (1.0f - c) - one;
  gjm_ff e = gjm_expm1_kernelf(r, one);
  return gjm_copysignf((e.hi + e.lo) * 2 * gjm_pow2f(r.k - 1), x);
}
