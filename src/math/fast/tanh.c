// Fast tanh: t / (t + 2) with t = e^(2|x|) - 1. Beyond the clamp the result is 1 to working
// precision.
#include "math/fast/expm1_fast.h"

double gjm_tanh_f64(double x) {
  double a = gjm_abs(x);
  double t = gjm_expm1_fast(2.0 * gjm_pick(a > 20.0, 20.0, a));
  return gjm_copysign(t / (t + 2.0), x);
}

float gjm_tanh_f32(float x) {
  float a = gjm_absf(x);
  float t = gjm_expm1_fastf(2.0f * gjm_pickf(a > 10.0f, 10.0f, a));
  return gjm_copysignf(t / (t + 2.0f), x);
}
