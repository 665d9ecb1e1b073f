// log1p: the log of the rounded 1 + x, corrected for the rounding; near 0 the reduction is skipped.
// The sign is copied because 0 + -0 is +0.
#include "math/log_core.h"

double gjm_log1p_f64(double x) {
  gjm_dd u = gjm_two_sum(1.0, x);
  gjm_log_arg r = gjm_log_reduce(u.hi);
  int small = r.k == 0;
  double lost = u.lo * gjm_log_unscale(r.biased);
  double y = gjm_log_sum(r.k, gjm_pick(small, x, r.f), gjm_pick(small, 0, lost));
  y = gjm_copysign(y, x);
  y = gjm_pick(x == GJM_INF, GJM_INF, y);
  y = gjm_pick(x == -1, -GJM_INF, y);
  return gjm_pick(x >= -1, y, GJM_NAN);
}

float gjm_log1p_f32(float x) {
  gjm_ff u = gjm_two_sumf(1.0f, x);
  gjm_log_argf r = gjm_log_reducef(u.hi);
  int small = r.k == 0;
  float lost = u.lo * gjm_log_unscalef(r.biased);
  float y = gjm_log_sumf(r.k, gjm_pickf(small, x, r.f), gjm_pickf(small, 0, lost));
  y = gjm_copysignf(y, x);
  y = gjm_pickf(x == GJM_INFF, GJM_INFF, y);
  y = gjm_pickf(x == -1, -GJM_INFF, y);
  return gjm_pickf(x >= -1, y, GJM_NANF);
}
