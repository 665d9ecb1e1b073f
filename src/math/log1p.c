// log1p: the log of the rounded 1 + x, corrected for the rounding; near 0 the reduction is skipped.
// The sign is copied because 0 + -0 is +0.
#include "math/log_core.h"

double gjm_log1p_f64(double x) {
  double y = gjm_copysign(gjm_log1p_sum(x, 0), x);
  y = gjm_pick(x == GJM_INF, GJM_INF, y);
  y = gjm_pick(x == -1, -GJM_INF, y);
  return gjm_pick(x >= -1, y, GJM_NAN);
}

float gjm_log1p_f32(float x) {
  float y = gjm_copysignf(gjm_log1p_sumf(x, 0), x);
  y = gjm_pickf(x == GJM_INFF, GJM_INFF, y);
  y = gjm_pickf(x == -1, -GJM_INFF, y);
  return gjm_pickf(x >= -1, y, GJM_NANF);
}
