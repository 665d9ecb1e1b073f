// cosh from the sinh and cosh of the reduced argument, without a division (see gjm_hyp). The
// leading terms (a + b) + a r are summed exactly.
#include "math/exp_core.h"

double gjm_cosh_f64(double x) {
  gjm_hyp h = gjm_hyp_parts(gjm_clamp(gjm_abs(x), 0, 710.6));
  double diff = h.a - h.b, sum = h.a + h.b, lost = (h.a - sum) + h.b;
  gjm_dd lead = gjm_fast_two_sum(sum, h.a * h.r);
  double rest = GJM_MULADD(diff, h.s, sum * h.c) - h.b * h.r;
  return 2 * (lead.hi + (lead.lo + (lost + rest)));
}

float gjm_cosh_f32(float x) {
  gjm_hypf h = gjm_hyp_partsf(gjm_clampf(gjm_absf(x), 0, 89.6f));
  float diff = h.a - h.b, sum = h.a + h.b, lost = (h.a - sum) + h.b;
  gjm_ff lead = gjm_fast_two_sumf(sum, h.a * h.r);
  float rest = GJM_MULADDF(diff, h.s, sum * h.c) - h.b * h.r;
  return 2 * (lead.hi + (lead.lo + (lost + rest)));
}
