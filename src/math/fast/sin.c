// Fast sine. See trig_fast.h.
#include "math/fast/trig_fast.h"
#include "math/fast/turns_fast.h"

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

// The sine of x turns, sin(2 pi x). Beyond a quarter turn it is that of what is left to a half; at
// whole turns it is the zero that x has the sign of.
double gjm_sin2pi_f64(double x) {
  double t = x - __builtin_roundeven(x), a = gjm_abs(t), rest = 0.5 - a;
  return gjm_copysign(gjm_turn_sine(gjm_pick(rest < a, rest, a)), gjm_pick(t == 0, x, t));
}

float gjm_sin2pi_f32(float x) {
  float t = x - __builtin_roundevenf(x), a = gjm_absf(t), rest = 0.5f - a;
  return gjm_copysignf(gjm_turn_sinef(gjm_pickf(rest < a, rest, a)), gjm_pickf(t == 0, x, t));
}
