// Fast log10. See log_fast.h.
#include "math/fast/log_fast.h"

// The logarithms of the reciprocals of gjm_log_inverse, negated.
static const double log10_table[16] = {-0x1.54078064c7494p-3,
                                       -0x1.2c327b5c9174bp-3,
                                       -0x1.06129d3b2a6p-3,
                                       -0x1.c307e7940599dp-4,
                                       -0x1.7ccd9e52a3175p-4,
                                       -0x1.393e382accdfp-4,
                                       -0x1.f04f720ad8cb7p-5,
                                       -0x1.72bae08a3cf86p-5,
                                       -0x1.f2dcff5c7ee92p-6,
                                       -0x1.08440712a9f5ep-6,
                                       0,
                                       0x1.6944fe5746de9p-6,
                                       0x1.81f22acf7ff2fp-5,
                                       0x1.2206bdd2d658dp-4,
                                       0x1.7e0eb0ac95b8cp-4,
                                       0x1.d58f792d1682dp-4};

static const float log10_tablef[16] = {-0x1.540782p-3f,
                                       -0x1.2c327ap-3f,
                                       -0x1.06129cp-3f,
                                       -0x1.c307e2p-4f,
                                       -0x1.7ccdap-4f,
                                       -0x1.393e3ap-4f,
                                       -0x1.f04f7ap-5f,
                                       -0x1.72badcp-5f,
                                       -0x1.f2dd18p-6f,
                                       -0x1.084412p-6f,
                                       0,
                                       0x1.6944f8p-6f,
                                       0x1.81f232p-5f,
                                       0x1.2206bep-4f,
                                       0x1.7e0ebp-4f,
                                       0x1.d58f78p-4f};

double gjm_log10_f64(double x) {
  gjm_log_part p = gjm_log_split_fast(x);
  double rest = gjm_p7(p.r, -0x1.bcb7b1526e4e8p-3, 0x1.287a7636f59b1p-3, -0x1.bcb7b1537eb27p-4,
                       0x1.63c6274b02cd5p-4, -0x1.287a65d1aeb29p-4, 0x1.fc41731148e51p-5,
                       -0x1.bd72d64b7aa96p-5, 0x1.8853eec89f3b9p-5);
  double y = p.r * GJM_MULADD(p.r, rest, 0x1.bcb7b1526e50ep-2);
  return gjm_log_special_fast(x, GJM_MULADD(p.k, 0x1.34413509f79ffp-2, log10_table[p.index]) + y);
}

float gjm_log10_f32(float x) {
  gjm_log_partf p = gjm_log_split_fastf(x);
  float r = p.r;
  float y = r * gjm_p3f(r, r * r, 0x1.bcb7bp-2f, -0x1.bcb7aep-3f, 0x1.28ac32p-3f, -0x1.bd1672p-4f);
  return gjm_log_special_fastf(x, GJM_MULADDF(p.k, 0x1.344136p-2f, log10_tablef[p.index]) + y);
}
