// Fast exp: 2^k times a polynomial in x - k ln2.
//
// The polynomial is twice the power of the remainder, so that one factor 2^(k-1) scales up to the
// largest finite result and beyond to infinity. Results below 2^-1021 (2^-125 for float) may flush
// to zero. The magic numbers carry the bias of the exponent. Polynomials fitted at Chebyshev nodes:
// relative error 2^-57, for float 2^-23.2.
#include "math/gjm.h"

#define MAGIC (0x1.8p52 + 1022)
#define MAGICF (0x1.8p23f + 126)

double gjm_exp_f64(double x) {
  x = gjm_clamp(x, -708.39, 709.9);
  double sum = GJM_MULADD(x, 0x1.71547652b82fep0, MAGIC), k = sum - MAGIC;
  double r = GJM_MULADD(k, -0x1.abc9e3b39803fp-56, GJM_MULADD(k, -0x1.62e42fefa39efp-1, x));
  double p = gjm_p11(r, 0x1.0000000000000p+1, 0x1.0000000000000p+1, 0x1.000000000000bp+0,
                     0x1.555555555550fp-2, 0x1.5555555550296p-4, 0x1.1111111122b53p-6,
                     0x1.6c16c1852f8a7p-9, 0x1.a01a0144981c0p-12, 0x1.a01997ba239d1p-15,
                     0x1.71deec576e286p-18, 0x1.28af4fcdac36bp-21, 0x1.add7a1e7d1f92p-25);
  return p * gjm_double(gjm_bits(sum) << 52);
}

float gjm_exp_f32(float x) {
  x = gjm_clampf(x, -87.33f, 89.0f);
  float sum = GJM_MULADDF(x, 0x1.715476p0f, MAGICF), k = sum - MAGICF;
  float r = GJM_MULADDF(k, 0x1.05c61p-29f, GJM_MULADDF(k, -0x1.62e43p-1f, x));
  float p = gjm_p5f(r, 0x1p+1f, 0x1.fffffp+0f, 0x1.fffdbep-1f, 0x1.555d06p-2f, 0x1.573c9p-4f,
                    0x1.0eae96p-6f);
  return p * gjm_float(gjm_bitsf(sum) << 23);
}
