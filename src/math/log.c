// log: k ln2 + log(1 + f), the leading terms summed exactly.
//
// Float with FMA takes 1 + f apart once more, by a table (log_table.h): log x = k ln2 - log c +
// log(1 + r), |r| < 0.03, which leaves no division and a short polynomial (fitted at Chebyshev
// nodes, error 2^-31). Around 1 the first two terms are 0 and r is exact.
#include "math/log_core.h"

double gjm_log_f64(double x) {
  gjm_log_arg r = gjm_log_reduce(x);
  return gjm_log_special(x, gjm_log_sum(r.k, r.f, 0));
}

#ifdef GJ_MATH_FMA
#include "math/log_table.h"

float gjm_log_f32(float x) {
  int tiny = x < 0x1p-126f;
  uint32_t bits = gjm_bitsf(gjm_pickf(tiny, x * 0x1p25f, x));
  uint32_t u = bits - 0x3f2aaaabu, i = (u >> 19) & 15; // the bits of 2/3
  float k = (float)((int32_t)u >> 23) - gjm_pickf(tiny, 25, 0);
  float m = gjm_float(bits - (u & 0xff800000u));
  float r = GJM_MULADDF(m, gjm_log_inversef[i], -1.0f), r2 = r * r;
  gjm_ff s = gjm_fast_two_sumf(GJM_MULADDF(k, GJM_LN2_HIF, gjm_log_headf[i]), r);
  float rest = s.lo + GJM_MULADDF(k, GJM_LN2_LOF, gjm_log_tailf[i]);
  float p = gjm_p3f(r, r2, -0x1.fffffep-2f, 0x1.555552p-2f, -0x1.002d2ap-2f, 0x1.99f7cp-3f);
  return gjm_log_specialf(x, s.hi + GJM_MULADDF(r2, p, rest));
}
#else
float gjm_log_f32(float x) {
  gjm_log_argf r = gjm_log_reducef(x);
  return gjm_log_specialf(x, gjm_log_sumf(r.k, r.f, 0));
}
#endif
