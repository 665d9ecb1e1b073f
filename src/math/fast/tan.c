// Fast tangent: sine over cosine of what is left after whole quarter turns, or minus the inverse of
// it for odd ones.
//
// The reduction is that of trig_fast.h with pi/2 in place of pi, the polynomials are those of
// trig_core.h.
#include "math/fast/trig_fast.h"

double gjm_tan_f64(double x) {
  gjm_int n = gjm_nearest_muladd(x, 0x1.45f306dc9c883p-1);
  double r = GJM_MULADD(n.value, -0x1.921fb54442d18p0, x);
  r = GJM_MULADD(n.value, -0x1.1a62633145c06p-54, r);
  r = GJM_MULADD(n.value, -0x1.c1cd129024e08p-107, r);
  double z = r * r, z2 = z * z;
  double sh = gjm_p1(z, -0x1.ae5e4ffa614d4p-26, 0x1.5d8cc678424f6p-33);
  double sl = gjm_p3(z, z2, -0x1.5555555555548p-3, 0x1.111111110f746p-7, -0x1.a01a019bed941p-13,
                     0x1.71de355a118f7p-19);
  double sine = r * GJM_MULADD(z, GJM_MULADD(z2 * z2, sh, sl), 1.0);
  double ch = gjm_p2(z, z2, -0x1.27e4f81041929p-22, 0x1.1ee9ef42895c9p-29, -0x1.8faff1bdbae04p-37);
  double cl =
      gjm_p3(z, z2, -0.5, 0x1.555555555554cp-5, -0x1.6c16c16c15211p-10, 0x1.a01a019cbce9ap-16);
  double cosine = GJM_MULADD(z, GJM_MULADD(z2 * z2, ch, cl), 1.0);
  int odd = (n.bits & 1) != 0;
  double quotient = gjm_pick(odd, cosine, sine) / gjm_pick(odd, sine, cosine);
  return gjm_double(gjm_bits(quotient) ^ (n.bits << 63));
}

int gjm_tan_f64_rare(double x) { return !(gjm_abs(x) <= GJM_FAST_LIMIT); }

float gjm_tan_f32(float x) {
  gjm_intf n = gjm_nearest_muladdf(x, 0x1.45f306p-1f);
  float r = GJM_MULADDF(n.value, -0x1.921fb4p0f, x);
  r = GJM_MULADDF(n.value, -0x1.4442dp-24f, r);
  r = GJM_MULADDF(n.value, -0x1.846988p-48f, r);
  float z = r * r, z2 = z * z;
  float s = gjm_p3f(z, z2, -0x1.555556p-3f, 0x1.11115cp-7f, -0x1.a0403p-13f, 0x1.75d746p-19f);
  float c = gjm_p3f(z, z2, -0.5f, 0x1.55554ap-5f, -0x1.6c0c2ep-10f, 0x1.99eaaap-16f);
  float sine = r * GJM_MULADDF(z, s, 1.0f), cosine = GJM_MULADDF(z, c, 1.0f);
  int odd = (n.bits & 1) != 0;
  float quotient = gjm_pickf(odd, cosine, sine) / gjm_pickf(odd, sine, cosine);
  return gjm_float(gjm_bitsf(quotient) ^ (n.bits << 31));
}

int gjm_tan_f32_rare(float x) { return !(gjm_absf(x) <= GJM_FAST_LIMITF); }
