// sinh from the sinh and cosh of the reduced argument, without a division (see gjm_hyp). The
// leading terms (a - b) + a r are summed exactly; below 2^-28 (2^-12 for float) sinh(x) is x.
#include "math/exp_core.h"

double gjm_sinh_f64(double x) {
  double m = gjm_abs(x);
  gjm_hyp h = gjm_hyp_parts(gjm_clamp(m, 0, 710.6));
  double diff = h.a - h.b, lost = (h.a - diff) - h.b, sum = h.a + h.b;
  gjm_dd lead = gjm_fast_two_sum(diff, h.a * h.r);
  double rest = GJM_MULADD(h.b, h.r, GJM_MULADD(diff, h.c, sum * h.s));
  double y = 2 * (lead.hi + (lead.lo + (lost + rest)));
  return gjm_copysign(gjm_pick(m < 0x1p-28, m, y), x);
}

float gjm_sinh_f32(float x) {
  float m = gjm_absf(x);
  gjm_hypf h = gjm_hyp_partsf(gjm_clampf(m, 0, 89.6f));
  float diff = h.a - h.b, lost = (h.a - diff) - h.b, sum = h.a + h.b;
  gjm_ff lead = gjm_fast_two_sumf(diff, h.a * h.r);
  float rest = GJM_MULADDF(h.b, h.r, GJM_MULADDF(diff, h.c, sum * h.s));
  float y = 2 * (lead.hi + (lead.lo + (lost + rest)));
  return gjm_copysignf(gjm_pickf(m < 0x1p-13f, m, y), x);
}
