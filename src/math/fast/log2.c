// Fast log2. See log_fast.h.
#include "math/fast/log_fast.h"

// The logarithms of the reciprocals of gjm_log_inverse, negated.
static const double log2_table[16] = {-0x1.1a63629ee479p-1,
                                      -0x1.f29de32ed68ccp-2,
                                      -0x1.b34b191bcf9fcp-2,
                                      -0x1.7692b27924eaep-2,
                                      -0x1.3c400dbed0533p-2,
                                      -0x1.0424892325eefp-2,
                                      -0x1.9c2d4373c86f7p-3,
                                      -0x1.33e27492ecae8p-3,
                                      -0x1.9e4c06d584e04p-4,
                                      -0x1.b6ef95ebb1e73p-5,
                                      0,
                                      0x1.2c071fe497138p-4,
                                      0x1.40856c7d62047p-3,
                                      0x1.e1b92b13a7531p-3,
                                      0x1.3d4ab2ad3708ap-2,
                                      0x1.85f6254e85cffp-2};

static const float log2_tablef[16] = {-0x1.1a6364p-1f,
                                      -0x1.f29dep-2f,
                                      -0x1.b34b18p-2f,
                                      -0x1.7692aep-2f,
                                      -0x1.3c400ep-2f,
                                      -0x1.04248ap-2f,
                                      -0x1.9c2d4ap-3f,
                                      -0x1.33e27p-3f,
                                      -0x1.9e4c1cp-4f,
                                      -0x1.b6efa8p-5f,
                                      0,
                                      0x1.2c071ap-4f,
                                      0x1.408572p-3f,
                                      0x1.e1b92cp-3f,
                                      0x1.3d4ab2p-2f,
                                      0x1.85f624p-2f};

double gjm_log2_f64(double x) {
  gjm_log_part p = gjm_log_split_fast(x);
  double rest = gjm_p7(p.r, -0x1.71547652b82dep-1, 0x1.ec709dc3a1879p-2, -0x1.715476539b948p-2,
                       0x1.2776c4fbf902ap-2, -0x1.ec708276b3537p-3, 0x1.a6182ae3fee34p-3,
                       -0x1.71f008865931fp-3, 0x1.472dd3c544b84p-3);
  double y = p.r * GJM_MULADD(p.r, rest, 0x1.71547652b82fep0);
  return gjm_log_special_fast(x, (p.k + log2_table[p.index]) + y);
}

float gjm_log2_f32(float x) {
  gjm_log_partf p = gjm_log_split_fastf(x);
  float r = p.r;
  float y = r * gjm_p3f(r, r * r, 0x1.715476p0f, -0x1.715474p-1f, 0x1.ecb184p-2f, -0x1.719eacp-2f);
  return gjm_log_special_fastf(x, (p.k + log2_tablef[p.index]) + y);
}
