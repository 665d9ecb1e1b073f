// Fast exp2: 2^k times a polynomial in x - k.
//
// The polynomial is twice the power of the remainder, so that one factor 2^(k-1) scales up to the
// largest finite result and beyond to infinity. Results below 2^-1021 (2^-125 for float) may flush
// to zero. The magic numbers carry the bias of the exponent. Polynomials fitted at Chebyshev nodes:
// relative error 2^-57, for float 2^-23.2.
#include "math/gjm.h"

#define MAGIC (0x1.8p52 + 1022)
#define MAGICF (0x1.8p23f + 126)

double gjm_exp2_f64(double x) {
  x = gjm_clamp(x, -1022.0, 1024.0);
  double sum = x + MAGIC, r = x - (sum - MAGIC);
  double p = gjm_p11(r, 0x1.0000000000000p+1, 0x1.62e42fefa39efp+0, 0x1.ebfbdff82c5a5p-2,
                     0x1.c6b08d704a122p-4, 0x1.3b2ab6fb9ffb3p-6, 0x1.5d87fe78a111cp-9,
                     0x1.4309130f139cbp-12, 0x1.ffcbfc595bcf6p-16, 0x1.62bfc71ea7788p-19,
                     0x1.b5253f6036401p-23, 0x1.e61c1058a1947p-27, 0x1.e9471cf938076p-31);
  return p * gjm_double(gjm_bits(sum) << 52);
}

float gjm_exp2_f32(float x) {
  x = gjm_clampf(x, -126.0f, 128.0f);
  float sum = x + MAGICF, r = x - (sum - MAGICF);
  float p = gjm_p5f(r, 0x1p+1f, 0x1.62e426p+0f, 0x1.ebf9b6p-2f, 0x1.c6b9e8p-4f, 0x1.3cec1ap-6f,
                    0x1.5ac9b2p-9f);
  return p * gjm_float(gjm_bitsf(sum) << 23);
}
