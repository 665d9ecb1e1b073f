// log2: k + log(1 + f) / ln2, the product in two parts. Powers of two give exact integers, because
// f is then 0.
#include "math/log_core.h"

double gjm_log2_f64(double x) {
  gjm_log_arg r = gjm_log_reduce(x);
  gjm_dd l = gjm_log_split(r.f);
  gjm_dd s = gjm_fast_two_sum(r.k, l.hi * 0x1.715476p0);
  double rest = GJM_MULADD(l.lo, 0x1.71547652b82fep0, l.hi * 0x1.4ae0bf85ddf44p-26);
  return gjm_log_special(x, s.hi + (s.lo + rest));
}

float gjm_log2_f32(float x) {
  gjm_log_argf r = gjm_log_reducef(x);
  gjm_ff l = gjm_log_splitf(r.f);
  gjm_ff s = gjm_fast_two_sumf(r.k, l.hi * 0x1.714p0f);
  float rest = GJM_MULADDF(l.lo, 0x1.715476p0f, l.hi * 0x1.47652cp-12f);
  return gjm_log_specialf(x, s.hi + (s.lo + rest));
}
