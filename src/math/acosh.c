// acosh: log(x + q) with q = sqrt(t^2 + 2 t), t = x - 1. Near 1 it is log1p(t + q), where t is
// exact. Above 2^28 (2^13 for float) x^2 - 1 is x^2 and the result is log(2 x).
#include "math/log_core.h"

double gjm_acosh_f64(double x) {
  int big = x > 0x1p28;
  double t = x - 1.0, q = __builtin_sqrt(GJM_MULADD(t, t, 2 * t));
  gjm_dd w = gjm_fast_two_sum(q, t), u = gjm_fast_two_sum(x, q);
  gjm_log_arg r = gjm_log_reduce(gjm_pick(big, x, u.hi));
  int small = r.k == 0;
  double lost = u.lo * gjm_log_unscale(r.biased);
  double f = gjm_pick(small, w.hi, r.f), lo = gjm_pick(small, w.lo, gjm_pick(big, 0, lost));
  double y = gjm_log_sum(r.k + gjm_pick(big, 1, 0), f, lo);
  y = gjm_pick(x < GJM_INF, y, x);
  return gjm_pick(x >= 1, y, GJM_NAN);
}

float gjm_acosh_f32(float x) {
  int big = x > 0x1p13f;
  float t = x - 1.0f, q = __builtin_sqrtf(GJM_MULADDF(t, t, 2 * t));
  gjm_ff w = gjm_fast_two_sumf(q, t), u = gjm_fast_two_sumf(x, q);
  gjm_log_argf r = gjm_log_reducef(gjm_pickf(big, x, u.hi));
  int small = r.k == 0;
  float lost = u.lo * gjm_log_unscalef(r.biased);
  float f = gjm_pickf(small, w.hi, r.f), lo = gjm_pickf(small, w.lo, gjm_pickf(big, 0, lost));
  float y = gjm_log_sumf(r.k + gjm_pickf(big, 1, 0), f, lo);
  y = gjm_pickf(x < GJM_INFF, y, x);
  return gjm_pickf(x >= 1, y, GJM_NANF);
}
