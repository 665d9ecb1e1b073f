// cbrt: x = 2^(3q) m with m in [1, 8). A polynomial gives the root to 16 bits, rounded to 17 (8 for
// float), so that its cube t^3 is exact; then cbrt(m) = t (1 + u)^(1/3) with u = (m - t^3) / t^3,
// three terms of the binomial series. Within 0.51 ulp.
#include "math/gjm.h"

// The polynomial for the cube root on [1, 2) is Sollya's fpminimax, degree 4, relative error
// 2^-16.7.
double gjm_cbrt_f64(double x) {
  double ax = gjm_abs(x);
  int tiny = ax < 0x1p-1022;
  uint64_t bits = gjm_bits(gjm_pick(tiny, ax * 0x1p54, ax));
  double e = gjm_from_uint(bits >> 52); // x = 2^(e-1023) (1 + ...)
  gjm_int q = gjm_nearest(e * 0x1.5555555555555p-2 - 0x1.5555555555555p-2);
  double r = e - 3 * q.value; // 0, 1 or 2, and 1023 is a multiple of 3
  double m = gjm_double((bits & 0xfffffffffffffu) | 0x3ff0000000000000u), m2 = m * m;
  double y = gjm_p3(m, m2, 0x1.0392ccec6ddp-1, 0x1.6fb1dfe02669fp-1, -0x1.33d38506d8622p-2,
                    0x1.60a153724efcdp-4);
  y = GJM_MULADD(-0x1.5b77f08bb9e71p-7, m2 * m2, y);
  y *= gjm_pick(r == 0, 1, gjm_pick(r == 1, 0x1.428a2f98d728bp0, 0x1.965fea53d6e3dp0));
  m *= gjm_pick(r == 0, 1, gjm_pick(r == 1, 2, 4));
  double t = gjm_double(gjm_bits(y) & 0xfffffff000000000u), cube = t * t * t, u = (m - cube) / cube;
  double series =
      u * gjm_p2(u, u * u, 0x1.5555555555555p-2, -0x1.c71c71c71c71cp-4, 0x1.f9add3c0ca458p-5);
  uint64_t power = q.bits - gjm_pick_u64(tiny, 341 + 18, 341);
  y = GJM_MULADD(t, series, t) * gjm_pow2(power);
  y = gjm_pick((ax < GJM_INF) & (ax > 0), y, ax);
  return gjm_copysign(y, x);
}

// Degree 2, relative error 2^-10.6.
float gjm_cbrt_f32(float x) {
  float ax = gjm_absf(x);
  int tiny = ax < 0x1p-126f;
  uint32_t bits = gjm_bitsf(gjm_pickf(tiny, ax * 0x1p24f, ax));
  float e = gjm_from_uintf((bits >> 23) + 2); // 129 = 127 + 2 is a multiple of 3
  gjm_intf q = gjm_nearestf(e * 0x1.555556p-2f - 0x1.555556p-2f);
  float r = e - 3 * q.value;
  float m = gjm_float((bits & 0x7fffffu) | 0x3f800000u);
  float y = gjm_p2f(m, m * m, 0x1.3e3708p-1f, 0x1.c1fd0ap-2f, -0x1.ee22fp-5f);
  y *= gjm_pickf(r == 0, 1, gjm_pickf(r == 1, 0x1.428a3p0f, 0x1.965feap0f));
  m *= gjm_pickf(r == 0, 1, gjm_pickf(r == 1, 2, 4));
  float t = (y + 0x1.8p16f) - 0x1.8p16f, cube = t * t * t, u = (m - cube) / cube;
  float series = u * gjm_p2f(u, u * u, 0x1.555556p-2f, -0x1.c71c72p-4f, 0x1.f9addp-5f);
  uint32_t power = q.bits - gjm_pick_u32(tiny, 43 + 8, 43);
  y = GJM_MULADDF(t, series, t) * gjm_pow2f(power);
  y = gjm_pickf((ax < GJM_INFF) & (ax > 0), y, ax);
  return gjm_copysignf(y, x);
}
