// Math.asin: beyond 0.5 by pi/2 - 2 asin(sqrt((1 - |x|) / 2)). See arc.h.
#include "math/js/arc.h"

double gjs_asin_f64(double x) {
  double a = gjm_abs(x);
  int32_t high = gjs_high(a);
  if (!(a < 1))
    return a == 1 ? x * GJS_HALF_PI_HI + x * GJS_HALF_PI_LO : GJM_NAN;
  if (high < 0x3fe00000) // 0.5
    return high < 0x3e400000 ? x : x + x * gjs_arc_series(x * x);
  double z = (1 - a) * 0.5, r = gjs_arc_series(z), s = __builtin_sqrt(z), y;
  if (high >= 0x3fef3333) { // 0.975
    y = GJS_HALF_PI_HI - (2 * (s + s * r) - GJS_HALF_PI_LO);
  } else {
    double p = 2 * s * r - (GJS_HALF_PI_LO - 2 * gjs_root_rest(z, s));
    double quarter = 0.5 * GJS_HALF_PI_HI, q = quarter - 2 * gjs_head(s);
    y = quarter - (p - q);
  }
  return gjm_copysign(y, x);
}

double gjs_asin_f64_main(double x) {
  double a = gjm_abs(x), quarter = 0.5 * GJS_HALF_PI_HI;
  int low = a < 0.5;
  double z = gjm_pick(low, a * a, (1 - a) * 0.5), r = gjs_arc_series(z), s = __builtin_sqrt(z);
  double p = 2 * s * r - (GJS_HALF_PI_LO - 2 * gjs_root_rest(z, s));
  double y = quarter - (p - (quarter - 2 * gjs_head(s)));
  y = gjm_pick(a >= 0x1.f3333p-1, GJS_HALF_PI_HI - (2 * (s + s * r) - GJS_HALF_PI_LO), y);
  y = gjm_pick(low, a + a * r, y);
  return gjm_copysign(gjm_pick(a < 0x1p-27, a, y), x);
}

int gjs_asin_f64_rare(double x) {
  (void)x;
  return 0;
}
