// asinh: log1p(w) with w = |x| + x^2 / (1 + sqrt(1 + x^2)) in two parts. Above 2^28 (2^13 for
// float) 1 + x^2 is x^2 and the result is log(2 |x|).
#include "math/log_core.h"

double gjm_asinh_f64(double x) {
  double m = gjm_abs(x), square = m * m;
  int big = m > 0x1p28;
  gjm_dd w = gjm_fast_two_sum(m, square / (1.0 + __builtin_sqrt(1.0 + square)));
  gjm_dd u = gjm_two_sum(1.0, w.hi);
  gjm_log_arg r = gjm_log_reduce(gjm_pick(big, m, u.hi));
  int small = r.k == 0;
  double lost = (u.lo + w.lo) * gjm_log_unscale(r.biased);
  double f = gjm_pick(small, w.hi, r.f), lo = gjm_pick(small, w.lo, gjm_pick(big, 0, lost));
  double y = gjm_log_sum(r.k + gjm_pick(big, 1, 0), f, lo);
  y = gjm_pick(m < GJM_INF, y, m);
  return gjm_copysign(y, x);
}

float gjm_asinh_f32(float x) {
  float m = gjm_absf(x), square = m * m;
  int big = m > 0x1p13f;
  gjm_ff w = gjm_fast_two_sumf(m, square / (1.0f + __builtin_sqrtf(1.0f + square)));
  gjm_ff u = gjm_two_sumf(1.0f, w.hi);
  gjm_log_argf r = gjm_log_reducef(gjm_pickf(big, m, u.hi));
  int small = r.k == 0;
  float lost = (u.lo + w.lo) * gjm_log_unscalef(r.biased);
  float f = gjm_pickf(small, w.hi, r.f), lo = gjm_pickf(small, w.lo, gjm_pickf(big, 0, lost));
  float y = gjm_log_sumf(r.k + gjm_pickf(big, 1, 0), f, lo);
  y = gjm_pickf(m < GJM_INFF, y, m);
  return gjm_copysignf(y, x);
}
