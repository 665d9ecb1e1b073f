// Sine and cosine by tables, with fused multiply-add.
//
// Reduced by steps of pi/8 (pi/16 for float) instead of pi/2: a = k pi/8 + hi + lo with |hi| <=
// pi/16, and by the addition theorem
//   sin a = +-(S + (C sin r + S (cos r - 1)))    S = sin(k pi/8), C = cos(k pi/8)
// with the upper sign where k >> 3 is even.
// The remainder is so small that both polynomials together are shorter than those of one quadrant's
// sine and cosine, and nothing is chosen but S and C, which vector registers look up by a
// permutation (codegen/mathlib/lookup.c).
//
// S is kept in two parts, C is not. The sum of the second summand has at most half the size of S:
// its rounding and that of C cost a quarter of an ulp each, or more where S and it cancel, but then
// the last addition is exact. For k = 0 (mod 8) S is 0 and C is 1, so that sin a = hi + (lo + ...)
// is rounded once and the error is relative, also next to multiples of pi. The cosine is the same
// with C for S and -S for C. Polynomials: least maximum of the error, relative for the sine
// (2^-57.5, float 2^-36), absolute for the cosine (2^-67, 2^-33).
#ifndef GJ_MATH_TRIG_TABLE_H
#define GJ_MATH_TRIG_TABLE_H

#include "math/trig_core.h"

static const double gjm_sine_of[8] = {
    0, 0x1.87de2a6aea963p-2, 0x1.6a09e667f3bcdp-1, 0x1.d906bcf328d46p-1,
    1, 0x1.d906bcf328d46p-1, 0x1.6a09e667f3bcdp-1, 0x1.87de2a6aea963p-2};
static const double gjm_sine_low[8] = {
    0, -0x1.72cedd3d5a61p-57, -0x1.bdd3413b26456p-55, 0x1.457e610231ac2p-56,
    0, 0x1.457e610231ac2p-56, -0x1.bdd3413b26456p-55, -0x1.72cedd3d5a61p-57};
static const double gjm_cosine_of[8] = {
    1, 0x1.d906bcf328d46p-1,  0x1.6a09e667f3bcdp-1,  0x1.87de2a6aea963p-2,
    0, -0x1.87de2a6aea963p-2, -0x1.6a09e667f3bcdp-1, -0x1.d906bcf328d46p-1};
static const double gjm_cosine_low[8] = {
    0, 0x1.457e610231ac2p-56, -0x1.bdd3413b26456p-55, -0x1.72cedd3d5a61p-57,
    0, 0x1.72cedd3d5a61p-57,  0x1.bdd3413b26456p-55,  -0x1.457e610231ac2p-56};

static const float gjm_sine_off[16] = {0,
                                       0x1.8f8b84p-3f,
                                       0x1.87de2ap-2f,
                                       0x1.1c73b4p-1f,
                                       0x1.6a09e6p-1f,
                                       0x1.a9b662p-1f,
                                       0x1.d906bcp-1f,
                                       0x1.f6297cp-1f,
                                       1,
                                       0x1.f6297cp-1f,
                                       0x1.d906bcp-1f,
                                       0x1.a9b662p-1f,
                                       0x1.6a09e6p-1f,
                                       0x1.1c73b4p-1f,
                                       0x1.87de2ap-2f,
                                       0x1.8f8b84p-3f};
static const float gjm_sine_lowf[16] = {0,
                                        -0x1.cb2cfap-30f,
                                        0x1.abaa58p-28f,
                                        -0x1.9465cep-27f,
                                        0x1.9fcef4p-27f,
                                        0x1.21d434p-26f,
                                        0x1.e651a8p-26f,
                                        0x1.feeb96p-26f,
                                        0,
                                        0x1.feeb96p-26f,
                                        0x1.e651a8p-26f,
                                        0x1.21d434p-26f,
                                        0x1.9fcef4p-27f,
                                        -0x1.9465cep-27f,
                                        0x1.abaa58p-28f,
                                        -0x1.cb2cfap-30f};
static const float gjm_cosine_off[16] = {1,
                                         0x1.f6297cp-1f,
                                         0x1.d906bcp-1f,
                                         0x1.a9b662p-1f,
                                         0x1.6a09e6p-1f,
                                         0x1.1c73b4p-1f,
                                         0x1.87de2ap-2f,
                                         0x1.8f8b84p-3f,
                                         0,
                                         -0x1.8f8b84p-3f,
                                         -0x1.87de2ap-2f,
                                         -0x1.1c73b4p-1f,
                                         -0x1.6a09e6p-1f,
                                         -0x1.a9b662p-1f,
                                         -0x1.d906bcp-1f,
                                         -0x1.f6297cp-1f};
static const float gjm_cosine_lowf[16] = {0,
                                          0x1.feeb96p-26f,
                                          0x1.e651a8p-26f,
                                          0x1.21d434p-26f,
                                          0x1.9fcef4p-27f,
                                          -0x1.9465cep-27f,
                                          0x1.abaa58p-28f,
                                          -0x1.cb2cfap-30f,
                                          0,
                                          0x1.cb2cfap-30f,
                                          -0x1.abaa58p-28f,
                                          0x1.9465cep-27f,
                                          -0x1.9fcef4p-27f,
                                          -0x1.21d434p-26f,
                                          -0x1.e651a8p-26f,
                                          -0x1.feeb96p-26f};

// As gjm_trig_reduce, for a in [0, limit]; `quadrant` counts steps of pi/8. The first part has 53
// bits and the difference is exact; the second has 31, so that where its product is the larger one
// the second difference is a multiple of 2^-86 below 2^-34, and exact too.
static inline gjm_trig gjm_table_reduce(double a) {
  gjm_int k = gjm_nearest_muladd(a, 0x1.45f306dc9c883p1);
  double first = GJM_MULADD(k.value, -0x1.921fb54442d18p-2, a);
  double hi = GJM_MULADD(k.value, -0x1.1a626330p-56, first);
  double error = GJM_MULADD(k.value, -0x1.1a626330p-56, first - hi);
  return (gjm_trig){hi, GJM_MULADD(k.value, -0x1.45c06e0e68948p-88, error), k.bits};
}

// Three parts of 24 bits. The first difference is exact and a multiple of 2^-27, hence of the last
// place of the product with the second part, which is below 2^-8. So the fast sum is exact
// whichever is larger, and one more operation brings in what the product lost.
static inline gjm_trigf gjm_table_reducef(float a) {
  gjm_intf k = gjm_nearest_muladdf(a, 0x1.45f306p2f);
  float first = GJM_MULADDF(k.value, -0x1.921fb6p-3f, a);
  float hi = first + k.value * 0x1.777a5cp-28f;
  float rest = GJM_MULADDF(k.value, 0x1.777a5cp-28f, first - hi);
  return (gjm_trigf){hi, GJM_MULADDF(k.value, 0x1.ee59dap-53f, rest), k.bits};
}

// base + low + slope sin(r) + base (cos(r) - 1), with the sign of the half turn.
static inline double gjm_table_sum(gjm_trig t, double base, double low, double slope) {
  double r = t.hi, z = r * r;
  double sine = gjm_p1(z, -0x1.a019f72552243p-13, 0x1.718d5c1b2423fp-19);
  sine = GJM_MULADD(z, GJM_MULADD(z, sine, 0x1.111111108804cp-7), -0x1.55555555554cap-3);
  double cosine = gjm_p1(z, 0x1.a019f8ad82b0bp-16, -0x1.27a90362601dap-22);
  cosine = GJM_MULADD(z, GJM_MULADD(z, cosine, -0x1.6c16c16b8857dp-10), 0x1.55555555554f4p-5);
  double sum = GJM_MULADD(base * z, GJM_MULADD(z, cosine, -0.5), low);
  sum = GJM_MULADD(slope, GJM_MULADD(r * z, sine, t.lo), sum);
  sum = base + GJM_MULADD(slope, r, sum);
  return gjm_double(gjm_bits(sum) ^ ((t.quadrant & 8) << 60));
}
static inline float gjm_table_sumf(gjm_trigf t, float base, float low, float slope) {
  float r = t.hi, z = r * r;
  float sine = gjm_p1f(z, -0x1.555554p-3f, 0x1.10f822p-7f);
  float cosine = gjm_p1f(z, -0x1.fffffcp-2f, 0x1.552be8p-5f);
  float sum = GJM_MULADDF(base * z, cosine, low);
  sum = GJM_MULADDF(slope, GJM_MULADDF(r * z, sine, t.lo), sum);
  sum = base + GJM_MULADDF(slope, r, sum);
  return gjm_float(gjm_bitsf(sum) ^ ((t.quadrant & 16) << 27));
}

static inline double gjm_table_sine(double a) {
  gjm_trig t = gjm_table_reduce(a);
  uint64_t i = t.quadrant & 7;
  return gjm_table_sum(t, gjm_sine_of[i], gjm_sine_low[i], gjm_cosine_of[i]);
}
static inline float gjm_table_sinef(float a) {
  gjm_trigf t = gjm_table_reducef(a);
  uint32_t i = t.quadrant & 15;
  return gjm_table_sumf(t, gjm_sine_off[i], gjm_sine_lowf[i], gjm_cosine_off[i]);
}

static inline double gjm_table_cosine(double a) {
  gjm_trig t = gjm_table_reduce(a);
  uint64_t i = t.quadrant & 7;
  return gjm_table_sum(t, gjm_cosine_of[i], gjm_cosine_low[i], -gjm_sine_of[i]);
}
static inline float gjm_table_cosinef(float a) {
  gjm_trigf t = gjm_table_reducef(a);
  uint32_t i = t.quadrant & 15;
  return gjm_table_sumf(t, gjm_cosine_off[i], gjm_cosine_lowf[i], -gjm_sine_off[i]);
}

#endif
