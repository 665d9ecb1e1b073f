// Fast cosine: the sine a quarter turn further on. See trig_fast.h.
#include "math/fast/trig_fast.h"
#include "math/fast/turns_fast.h"

double gjm_cos_f64(double x) {
  gjm_int n = gjm_nearest(GJM_MULADD(gjm_abs(x), 0x1.45f306dc9c883p-2, -0.5));
  return gjm_sine_fast(gjm_abs(x), n.value + 0.5, n.bits + 1);
}

int gjm_cos_f64_rare(double x) { return !(gjm_abs(x) <= GJM_FAST_LIMIT); }

float gjm_cos_f32(float x) {
  gjm_intf n = gjm_nearestf(GJM_MULADDF(gjm_absf(x), 0x1.45f306p-2f, -0.5f));
  return gjm_sine_fastf(gjm_absf(x), n.value + 0.5f, n.bits + 1);
}

int gjm_cos_f32_rare(float x) { return !(gjm_absf(x) <= GJM_FAST_LIMITF); }

// The cosine of x turns, cos(2 pi x): of a distance from the nearest whole turn it is the sine of
// what that lacks to a quarter.
double gjm_cos2pi_f64(double x) {
  return gjm_turn_sine(0.25 - gjm_abs(x - __builtin_roundeven(x)));
}

float gjm_cos2pi_f32(float x) {
  return gjm_turn_sinef(0.25f - gjm_absf(x - __builtin_roundevenf(x)));
}
