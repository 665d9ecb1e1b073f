// log10: k log10(2) + log(1 + f) / ln10, both products in two parts: powers of ten come out exact.
#include "math/log_core.h"

double gjm_log10_f64(double x) {
  gjm_log_arg r = gjm_log_reduce(x);
  gjm_dd l = gjm_log_split(r.f);
  gjm_dd s = gjm_fast_two_sum(r.k * 0x1.34413509f78p-2, l.hi * 0x1.bcb7b1p-2);
  double rest = GJM_MULADD(l.lo, 0x1.bcb7b1526e50ep-2, l.hi * 0x1.49b9438ca9aaep-28);
  rest = GJM_MULADD(r.k, 0x1.fef311f12b358p-46, rest);
  return gjm_log_special(x, s.hi + (s.lo + rest));
}

float gjm_log10_f32(float x) {
  gjm_log_argf r = gjm_log_reducef(x);
  gjm_ff l = gjm_log_splitf(r.f);
  gjm_ff s = gjm_fast_two_sumf(r.k * 0x1.344p-2f, l.hi * 0x1.bcap-2f);
  float rest = GJM_MULADDF(l.lo, 0x1.bcb7b2p-2f, l.hi * 0x1.7b1526p-14f);
  rest = GJM_MULADDF(r.k, 0x1.3509f8p-18f, rest);
  return gjm_log_specialf(x, s.hi + (s.lo + rest));
}
