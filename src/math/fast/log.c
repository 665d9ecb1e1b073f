// Fast log, at most 1.5 ulp. See log_fast.h.
#include "math/fast/log_fast.h"

// The logarithms of the reciprocals of gjm_log_inverse, negated.
static const double log_table[16] = {-0x1.877923c423d3ap-2,
                                     -0x1.599d63116b995p-2,
                                     -0x1.2db8ec8e8a67cp-2,
                                     -0x1.03a25dcb05094p-2,
                                     -0x1.b66a7745e6789p-3,
                                     -0x1.68a266e2f7507p-3,
                                     -0x1.1db2fe6229aecp-3,
                                     -0x1.aad19489c6be4p-4,
                                     -0x1.1f2b355e8f77dp-4,
                                     -0x1.303f467128554p-5,
                                     0,
                                     0x1.9fed48a0a9c41p-5,
                                     0x1.bc5632de898cbp-4,
                                     0x1.4de7b857bcc6ep-3,
                                     0x1.b7dc1d0462b52p-3,
                                     0x1.0e4cfbea84ee6p-2};

static const float log_tablef[16] = {-0x1.877926p-2f,
                                     -0x1.599d62p-2f,
                                     -0x1.2db8ecp-2f,
                                     -0x1.03a25cp-2f,
                                     -0x1.b66a78p-3f,
                                     -0x1.68a26ap-3f,
                                     -0x1.1db304p-3f,
                                     -0x1.aad18ep-4f,
                                     -0x1.1f2b44p-4f,
                                     -0x1.303f54p-5f,
                                     0,
                                     0x1.9fed4p-5f,
                                     0x1.bc563cp-4f,
                                     0x1.4de7b8p-3f,
                                     0x1.b7dc1cp-3f,
                                     0x1.0e4cfcp-2f};

double gjm_log_f64(double x) {
  gjm_log_part p = gjm_log_split_fast(x);
  double r = p.r;
  double rest = gjm_p7(r, -0x1.fffffffffffa7p-2, 0x1.55555555554d6p-2, -0x1.00000000e5357p-2,
                       0x1.9999999bba0cap-3, -0x1.55553e4cdcc64p-3, 0x1.249230e1c4952p-3,
                       -0x1.0074f721d8826p-3, 0x1.c7fee69b4facbp-4);
  double y = GJM_MULADD(r * r, rest, r);
  return gjm_log_special_fast(x, GJM_MULADD(p.k, 0x1.62e42fefa39efp-1, log_table[p.index]) + y);
}

float gjm_log_f32(float x) {
  gjm_log_partf p = gjm_log_split_fastf(x);
  float r = p.r;
  float y =
      GJM_MULADDF(r * r, gjm_p2f(r, r * r, -0x1.fffffep-2f, 0x1.557d34p-2f, -0x1.002d2ap-2f), r);
  return gjm_log_special_fastf(x, GJM_MULADDF(p.k, 0x1.62e43p-1f, log_tablef[p.index]) + y);
}
