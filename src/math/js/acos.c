// Math.acos: pi/2 - asin(x), beyond 0.5 by 2 asin(sqrt((1 - |x|) / 2)). See arc.h.
#include "math/js/arc.h"

double gjs_acos_f64(double x) {
  double a = gjm_abs(x), pi = 2 * GJS_HALF_PI_HI;
  int32_t high = gjs_high(a);
  if (!(a < 1))
    return x == 1 ? 0 : x == -1 ? pi + 2 * GJS_HALF_PI_LO : GJM_NAN;
  if (high < 0x3fe00000) {  // 0.5
    if (high <= 0x3c600000) // 2^-57
      return GJS_HALF_PI_HI + GJS_HALF_PI_LO;
    return GJS_HALF_PI_HI - (x - (GJS_HALF_PI_LO - x * gjs_arc_series(x * x)));
  }
  double z = (1 - a) * 0.5, s = __builtin_sqrt(z), r = gjs_arc_series(z);
  if (x < 0)
    return pi - 2 * (s + (r * s - GJS_HALF_PI_LO));
  return 2 * (gjs_head(s) + (r * s + gjs_root_rest(z, s)));
}

double gjs_acos_f64_main(double x) {
  double a = gjm_abs(x), pi = 2 * GJS_HALF_PI_HI;
  int low = a < 0.5;
  double z = gjm_pick(low, x * x, (1 - a) * 0.5), r = gjs_arc_series(z), s = __builtin_sqrt(z);
  double y = 2 * (gjs_head(s) + (r * s + gjs_root_rest(z, s)));
  y = gjm_pick(x < 0, pi - 2 * (s + (r * s - GJS_HALF_PI_LO)), y);
  y = gjm_pick(low, GJS_HALF_PI_HI - (x - (GJS_HALF_PI_LO - x * r)), y);
  return gjm_pick(x == 1, 0, y);
}

int gjs_acos_f64_rare(double x) {
  (void)x;
  return 0;
}
