// tanh in float by tables, with fused multiply-add: no division and no exponential.
//
// 16 intervals, each with a polynomial of its own whose coefficients are looked up, which vector
// registers do by a permutation (codegen/mathlib/lookup.c). One reaches to 1/2 and has a polynomial
// in x^2 for what tanh(x) has beyond x. The others are four to an octave, found by the leading bits
// of x, the last from 6 to where tanh rounds to 1; with c near the middle, tanh(x) = tanh(c) + t
// p(t), t = x - c, where c is such that tanh(c) is almost a float (Gal, 1986): the rest is below
// 2^-35. Fitted to mpmath's tanh at Chebyshev nodes, error 0.3 ulp in the last interval, 0.08
// elsewhere; it ends high enough for the bound of the argument to give 1.
#ifndef GJ_MATH_TANH_TABLE_H
#define GJ_MATH_TANH_TABLE_H

#include "math/gjm.h"

// By bits 21 to 24 of x; entry 7 is the interval around zero.
static const float tanh_middle[16] = {0x1.1ff226p1f,  0x1.600afcp1f,  0x1.a00e1ep1f, 0x1.e0081cp1f,
                                      0x1.2004d2p2f,  0x1.5fe8bep2f,  0x1.d1cb7ep2f, 0,
                                      0x1.1ff3a2p-1f, 0x1.5ffc7cp-1f, 0x1.a004fp-1f, 0x1.dff95ap-1f,
                                      0x1.2008dep0f,  0x1.60064p0f,   0x1.9fff1p0f,  0x1.e00076p0f};
static const float tanh_value[16] = {
    0x1.f4bd6ep-1f, 0x1.fbd5cp-1f,  0x1.fe76dp-1f,  0x1.ff6f2ap-1f,
    0x1.ffdfacp-1f, 0x1.fffb9cp-1f, 0x1.ffffep-1f,  0,
    0x1.04ff48p-1f, 0x1.31559cp-1f, 0x1.578bb6p-1f, 0x1.77d528p-1f,
    0x1.9e62d4p-1f, 0x1.c27b78p-1f, 0x1.d9c6b6p-1f, 0x1.e878b4p-1f};
// Row r holds coefficient r of every interval.
static const float tanh_slope[6][16] = {
    {0x1.645bfp-5f, 0x1.097a72p-6f, 0x1.889908p-8f, 0x1.218308p-9f, 0x1.02983ep-11f, 0x1.18ff4p-14f,
     0x1.00a41cp-19f, 0, 0x1.7af43cp-1f, 0x1.49e972p-1f, 0x1.197c2ap-1f, 0x1.d83dd4p-2f,
     0x1.613c34p-2f, 0x1.ce9366p-3f, 0x1.266032p-3f, 0x1.6fce64p-4f},
    {-0x1.5c85a2p-5f, -0x1.075194p-6f, -0x1.876b8ap-8f, -0x1.213122p-9f, -0x1.02879ep-11f,
     -0x1.18fc68p-14f, -0x1.f96e9cp-20f, -0x1.555554p-2f, -0x1.8259fp-2f, -0x1.897d76p-2f,
     -0x1.79befap-2f, -0x1.5aa5e2p-2f, -0x1.1de3dcp-2f, -0x1.96ff18p-3f, -0x1.10661ep-3f,
     -0x1.5ee76cp-4f},
    {0x1.bc253cp-6f, 0x1.595c2ep-7f, 0x1.035efap-8f, 0x1.80b8c2p-10f, 0x1.584dcep-12f,
     0x1.765e24p-15f, 0x1.49322p-20f, 0x1.11108p-3f, -0x1.bd84bp-5f, 0x1.d70026p-7f, 0x1.07397cp-4f,
     0x1.842b7p-4f, 0x1.c68f2ap-4f, 0x1.97cf2p-4f, 0x1.33e068p-4f, 0x1.a85abp-5f},
    {-0x1.94101ep-7f, -0x1.4e0608p-8f, -0x1.004096p-9f, -0x1.7f06a2p-11f, -0x1.58138cp-13f,
     -0x1.767a0ap-16f, -0x1.71618ap-21f, -0x1.b9d2aep-5f, 0x1.3a581p-3f, 0x1.e98ae6p-4f,
     0x1.470a7ap-4f, 0x1.62864p-5f, 0x1.a9625ap-9f, -0x1.5de8aep-6f, -0x1.9d2a9ap-6f,
     -0x1.55d57p-6f},
    {0x1.04db62p-8f, 0x1.f53d5cp-10f, 0x1.931ed6p-11f, 0x1.324874p-12f, 0x1.1ca86cp-14f,
     0x1.366b1ep-17f, 0x1.59026cp-22f, 0x1.5fc692p-6f, -0x1.643d8ep-5f, -0x1.f8908p-5f,
     -0x1.00bfccp-4f, -0x1.b2c258p-5f, -0x1.064134p-5f, -0x1.36f0b8p-7f, 0x1.70930ep-10f,
     0x1.2dd662p-8f},
    {-0x1.7af854p-11f, -0x1.1dee92p-11f, -0x1.fdcec6p-13f, -0x1.90418p-14f, -0x1.76ce9ap-16f,
     -0x1.99049cp-19f, -0x1.314642p-24f, -0x1.c7033cp-8f, -0x1.3145b8p-5f, -0x1.7c1d38p-7f,
     0x1.dac3c4p-8f, 0x1.1650b8p-6f, 0x1.2f0f5ep-6f, 0x1.6762fp-7f, 0x1.0d5f3ep-8f,
     0x1.5249dp-11f}};

static inline float gjm_tanh_tablef(float x) {
  float a = gjm_pickf(gjm_absf(x) > 9.02f, 9.02f, gjm_absf(x));
  int near = a < 0.5f;
  uint32_t i = gjm_bitsf(gjm_clampf(a, 0.4375f, 6.5f)) >> 21 & 15;
  float t = a - tanh_middle[i], base = gjm_pickf(near, a, tanh_value[i]);
  float p = gjm_p5f(gjm_pickf(near, t * t, t), tanh_slope[0][i], tanh_slope[1][i], tanh_slope[2][i],
                    tanh_slope[3][i], tanh_slope[4][i], tanh_slope[5][i]);
  return gjm_copysignf(GJM_MULADDF(t, p, base), x);
}

#endif
