// Fast sine. See trig_fast.h.
#include "math/fast/trig_fast.h"

double gjm_sin_f64(double x) {
  gjm_int n = gjm_nearest_muladd(x, 0x1.45f306dc9c883p-2);
  return gjm_sine_fast(x, n.value, n.bits);
}

int gjm_sin_f64_rare(double x) { return !(gjm_abs(x) <= GJM_FAST_LIMIT); }

float gjm_sin_f32(float x) {
  gjm_intf n = gjm_nearest_muladdf(x, 0x1.45f306p-2f);
  return gjm_sine_fastf(x, n.value, n.bits);
}

int gjm_sin_f32_rare(float x) { return !(gjm_absf(x) <= GJM_FAST_LIMITF); }
