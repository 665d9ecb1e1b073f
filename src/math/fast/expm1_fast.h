// e^x - 1 for the fast expm1, tanh and sinh: 2^k e^r - 1 = 2^k (e^r - 1) + (2^k - 1), where the
// second term is exact for small k and the first keeps its relative error near zero.
// Polynomials fitted at Chebyshev nodes: error 2^-55.6 |r|, for float 2^-26 |r|.
#ifndef GJ_MATH_EXPM1_FAST_H
#define GJ_MATH_EXPM1_FAST_H

#include "math/gjm.h"

// For |x| < 700 (80 for float), so that 2^k is a normal number.
static inline double gjm_expm1_fast(double x) {
  const double magic = 0x1.8p52 + 1023;
  double sum = GJM_MULADD(x, 0x1.71547652b82fep0, magic), k = sum - magic;
  double r = GJM_MULADD(k, -0x1.abc9e3b39803fp-56, GJM_MULADD(k, -0x1.62e42fefa39efp-1, x));
  double q = gjm_p9(r, 0x1.0000000000005p-1, 0x1.5555555555559p-3, 0x1.55555555520edp-5,
                    0x1.111111110f64dp-7, 0x1.6c16c17f3a3cep-10, 0x1.a01a01b0082ddp-13,
                    0x1.a019a67b237c9p-16, 0x1.71ddf80170b59p-19, 0x1.28a2b7fb6d5afp-22,
                    0x1.af5f46cad80d7p-26);
  double power = gjm_double(gjm_bits(sum) << 52);
  return GJM_MULADD(power, GJM_MULADD(r * r, q, r), power - 1.0);
}

static inline float gjm_expm1_fastf(float x) {
  const float magic = 0x1.8p23f + 127;
  float sum = GJM_MULADDF(x, 0x1.715476p0f, magic), k = sum - magic;
  float r = GJM_MULADDF(k, 0x1.05c61p-29f, GJM_MULADDF(k, -0x1.62e43p-1f, x));
  float r2 = r * r;
  float q = GJM_MULADDF(r2, gjm_p2f(r, r2, 0x1.5554fp-5f, 0x1.122a04p-7f, 0x1.6d4374p-10f),
                        gjm_p1f(r, 0x1p-1f, 0x1.5554acp-3f));
  float power = gjm_float(gjm_bitsf(sum) << 23);
  return GJM_MULADDF(power, GJM_MULADDF(r2, q, r), power - 1.0f);
}

#endif
