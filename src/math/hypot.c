// hypot: sqrt(x^2 + y^2), both first multiplied by a power of two when the larger is so large or so
// small that the squares would overflow or lose bits. The smaller is negligible long before its own
// square is lost.
#include "math/gjm.h"

double gjm_hypot_f64(double x, double y) {
  double ax = gjm_abs(x), ay = gjm_abs(y);
  double most = gjm_pick(ax > ay, ax, ay), least = gjm_pick(ax > ay, ay, ax);
  int big = most > 0x1p510, tiny = most < 0x1p-450;
  double scale = gjm_pick(big, 0x1p-600, gjm_pick(tiny, 0x1p600, 1));
  double back = gjm_pick(big, 0x1p600, gjm_pick(tiny, 0x1p-600, 1));
  most *= scale;
  least *= scale;
  double root = __builtin_sqrt(GJM_MULADD(most, most, least * least)) * back;
  return gjm_pick((ax == GJM_INF) | (ay == GJM_INF), GJM_INF, root);
}

float gjm_hypot_f32(float x, float y) {
  float ax = gjm_absf(x), ay = gjm_absf(y);
  float most = gjm_pickf(ax > ay, ax, ay), least = gjm_pickf(ax > ay, ay, ax);
  int big = most > 0x1p62f, tiny = most < 0x1p-50f;
  float scale = gjm_pickf(big, 0x1p-70f, gjm_pickf(tiny, 0x1p100f, 1));
  float back = gjm_pickf(big, 0x1p70f, gjm_pickf(tiny, 0x1p-100f, 1));
  most *= scale;
  least *= scale;
  float root = __builtin_sqrtf(GJM_MULADDF(most, most, least * least)) * back;
  return gjm_pickf((ax == GJM_INFF) | (ay == GJM_INFF), GJM_INFF, root);
}
