// Error function, at most 1 ulp (0.8 measured).
//
// Strict: near zero a polynomial (erf_core.h); beyond 3/4, erf(x) = 1 - exp(-g(x)) with g(x) =
// -log(erfc(x)), which is close to a parabola and has a short polynomial. Whatever error exp(-g)
// has counts only as much as erfc(x) is smaller than 1, at most 0.29. The polynomials of g are
// weighted minimax fits with weight erfc (Remez with mpmath) up to where erf rounds to 1.
//
// Fused: 16 intervals, each with a polynomial of its own whose coefficients are looked up, which
// AVX-512 does in registers (codegen/mathlib/lookup.c). The first interval reaches to 5/2 widths
// and has a polynomial in x^2 for what x lacks of erf(x); each of the others is around its middle
// c, with erf(x) = erf(c) + t p(t), t = x - c, and the second term below 0.1. Middles are such that
// erf(c) is almost a float, so its rounding does not count (Gal, 1986).
#ifdef GJ_MATH_FMA
#include "math/erf_table.h"
#include "math/gjm.h"

double gjm_erf_f64(double x) {
  const double width = 0x1.6p-2;
  double a = gjm_clamp(gjm_abs(x), 0, 6);
  int near = a < 2.5 * width;
  uint64_t i = gjm_bits(GJM_MULADD(gjm_pick(near, 2 * width, a), 1 / width, GJM_MAGIC - 2)) & 15;
  double t = a - erf_middle[i], base = gjm_pick(near, a, erf_value[i]);
  double p =
      gjm_p11(gjm_pick(near, t * t, t), erf_slope[0][i], erf_slope[1][i], erf_slope[2][i],
              erf_slope[3][i], erf_slope[4][i], erf_slope[5][i], erf_slope[6][i], erf_slope[7][i],
              erf_slope[8][i], erf_slope[9][i], erf_slope[10][i], erf_slope[11][i]);
  return gjm_copysign(GJM_MULADD(t, p, base), x);
}

float gjm_erf_f32(float x) {
  const float width = 0x1.ep-3f;
  float a = gjm_clampf(gjm_absf(x), 0, 4);
  int near = a < 2.5f * width;
  float nearest = GJM_MULADDF(gjm_pickf(near, 2 * width, a), 1 / width, GJM_MAGICF - 2);
  uint32_t i = gjm_bitsf(nearest) & 15;
  float t = a - erf_middlef[i], base = gjm_pickf(near, a, erf_valuef[i]);
  float p = gjm_p5f(gjm_pickf(near, t * t, t), erf_slopef[0][i], erf_slopef[1][i], erf_slopef[2][i],
                    erf_slopef[3][i], erf_slopef[4][i], erf_slopef[5][i]);
  return gjm_copysignf(GJM_MULADDF(t, p, base), x);
}

#else
#include "math/erf_core.h"

// 1 - erfc(a) for a in [3/4, 5.9375]; g has 19 terms, absolute error 2^-56.8 of the result.
static inline double erf_far(double a) {
  double t = a - 0.75, t2 = t * t, t4 = t2 * t2;
  double d = GJM_MULADD(t4, -0x1.011f9568319abp-39,
                        gjm_p3(t, t2, -0x1.4be5206771497p-25, 0x1.c26ec927d62fap-28,
                               -0x1.a390a078ffb11p-31, 0x1.e1e2dccc7c3b7p-35));
  double c = gjm_p3(t, t2, 0x1.820030f09abdfp-20, 0x1.79de219e8aa43p-21, -0x1.fa7442e60cd28p-22,
                    0x1.5cef72ea8583dp-23);
  double b = gjm_p3(t, t2, -0x1.0fd1e0ee27bb0p-13, -0x1.bc3062999aeefp-14, 0x1.c7a6342943002p-15,
                    -0x1.e1b85e6ff6f91p-17);
  double g = gjm_p3(t, t2, 0x1.9d9eb7a123734p-1, 0x1.b15b51a48d7a0p-5, -0x1.a056821a99dbdp-7,
                    0x1.299786d4479ccp-9);
  g = GJM_MULADD(t4, GJM_MULADD(t4, GJM_MULADD(t4, d, c), b), g);
  g = GJM_MULADD(t, g, 0x1.1ce96da88095bp+1);
  gjm_dd sum = gjm_fast_two_sum(0x1.3deb034696c3ep+0, t * g);
  gjm_exp_arg arg = gjm_exp_reduce(-sum.hi);
  arg.lo -= sum.lo + 0x1.a76a57c1c96a4p-54;
  gjm_dd power = gjm_fast_two_sum(1.0, arg.hi);
  double scale = gjm_pow2(arg.k);
  gjm_dd top = gjm_fast_two_sum(1.0, -scale * power.hi);
  return top.hi + (top.lo - scale * (power.lo + (arg.lo + gjm_exp_tail(arg.hi))));
}

double gjm_erf_f64(double x) {
  double a = gjm_abs(x);
  double near = GJM_MULADD(x, gjm_erf_bend(x * x), x);
  double far = erf_far(gjm_clamp(a, GJM_ERF_NEAR, 5.9375));
  return gjm_pick(a <= GJM_ERF_NEAR, near, gjm_copysign(far, x));
}

// The same in float for a in [3/4, 3.9375]; g has 8 terms, absolute error 2^-31.6 of the result.
static inline float erf_farf(float a) {
  float t = a - 0.75f, t2 = t * t;
  float b = gjm_p1f(t, -0x1.3f8754p-12f, 0x1.2c0a68p-16f);
  float g = gjm_p3f(t, t2, 0x1.9d9e5ap-1f, 0x1.b18796p-5f, -0x1.a2d6e4p-7f, 0x1.3d6202p-9f);
  g = GJM_MULADDF(t, GJM_MULADDF(t2 * t2, b, g), 0x1.1ce96ep+1f);
  gjm_ff sum = gjm_fast_two_sumf(0x1.3deb04p+0f, t * g);
  gjm_exp_argf arg = gjm_exp_reducef(-sum.hi);
  arg.lo -= sum.lo - 0x1.7b9592p-25f;
  gjm_ff power = gjm_fast_two_sumf(1.0f, arg.hi);
  float scale = gjm_pow2f(arg.k);
  gjm_ff top = gjm_fast_two_sumf(1.0f, -scale * power.hi);
  return top.hi + (top.lo - scale * (power.lo + (arg.lo + gjm_exp_tailf(arg.hi))));
}

// Near zero 7 terms, relative error 2^-30.
float gjm_erf_f32(float x) {
  float a = gjm_absf(x), z = x * x, z2 = z * z;
  float low = gjm_p3f(z, z2, 0x1.ce2e8ap-4f, -0x1.b81ceap-6f, 0x1.55730ep-8f, -0x1.b1653p-11f);
  float high = GJM_MULADDF(z2 * z2, 0x1.7933b6p-14f, low);
  float bend = GJM_MULADDF(z, GJM_MULADDF(z, high, -0x1.812744p-2f), 0x1.06eba8p-3f);
  float near = GJM_MULADDF(x, bend, x);
  float far = erf_farf(gjm_clampf(a, 0.75f, 3.9375f));
  return gjm_pickf(a <= 0.75f, near, gjm_copysignf(far, x));
}

#endif
