// Angle of the point (x, y), at most 2 ulp (1.6 measured). See atan_core.h.
//
// With `above` the smaller and `below` the larger of |x| and |y|, the angle is a number of quarter
// turns plus or minus atan(above/below), by octant. Signs are read as bits, so that zeros of either
// sign choose the quadrant as IEEE 754 wants. The rounding of the quotient is not corrected.
#include "math/atan_core.h"

double gjm_atan2_f64(double y, double x) {
  double ax = gjm_abs(x), ay = gjm_abs(y);
  int steep = ay > ax, left = gjm_bits(x) >> 63 != 0, equal = ax == ay;
  double above = gjm_pick(steep, ax, ay), below = gjm_pick(steep, ay, ax);
  // Equal lengths, infinities and zeros among them, become 1/1 or 0/1. Halving keeps the sum of two
  // huge lengths finite; a smaller length that loses a bit by it does not count next to 2^1022.
  above = gjm_pick(equal, gjm_pick(above > 0.0, 1.0, 0.0), above);
  below = gjm_pick(equal, 1.0, below);
  double scale = gjm_pick(below > 0x1p1022, 0.5, 1.0);
  above *= scale;
  below *= scale;
  int turned = above + above > below;
  double t = gjm_pick(turned, above - below, above) / gjm_pick(turned, above + below, below);
  double small = t * gjm_atan_bend(t);
  // The angle decreases with t in every second octant; turns counts in right angles.
  uint64_t flip = (uint64_t)(steep != left) << 63;
  t = gjm_double(gjm_bits(t) ^ flip);
  small = gjm_double(gjm_bits(small) ^ flip);
  double turns = gjm_pick(steep, 1.0, gjm_pick(left, 2.0, 0.0));
  double part = gjm_pick(turned, 0.5, 0.0);
  turns += gjm_double(gjm_bits(part) ^ flip);
  gjm_dd top = gjm_fast_two_sum(turns * GJM_HALF_PI_HI, t);
  double angle = top.hi + (top.lo + GJM_MULADD(turns, GJM_HALF_PI_LO, small));
  return gjm_copysign(angle, y);
}

float gjm_atan2_f32(float y, float x) {
  float ax = gjm_absf(x), ay = gjm_absf(y);
  int steep = ay > ax, left = gjm_bitsf(x) >> 31 != 0, equal = ax == ay;
  float above = gjm_pickf(steep, ax, ay), below = gjm_pickf(steep, ay, ax);
  above = gjm_pickf(equal, gjm_pickf(above > 0.0f, 1.0f, 0.0f), above);
  below = gjm_pickf(equal, 1.0f, below);
  float scale = gjm_pickf(below > 0x1p126f, 0.5f, 1.0f);
  above *= scale;
  below *= scale;
  int turned = above + above > below;
  float t = gjm_pickf(turned, above - below, above) / gjm_pickf(turned, above + below, below);
  float small = t * gjm_atan_bendf(t);
  uint32_t flip = (uint32_t)(steep != left) << 31;
  t = gjm_float(gjm_bitsf(t) ^ flip);
  small = gjm_float(gjm_bitsf(small) ^ flip);
  float turns = gjm_pickf(steep, 1.0f, gjm_pickf(left, 2.0f, 0.0f));
  float part = gjm_pickf(turned, 0.5f, 0.0f);
  turns += gjm_float(gjm_bitsf(part) ^ flip);
  gjm_ff top = gjm_fast_two_sumf(turns * GJM_HALF_PI_HIF, t);
  float angle = top.hi + (top.lo + GJM_MULADDF(turns, GJM_HALF_PI_LOF, small));
  return gjm_copysignf(angle, y);
}
