// Math.tan, after fdlibm's s_tan.c. See trig.h.
#include "math/js/trig.h"

double gjs_tan_f64(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  gjs_angle a = {gjm_abs(x), 0, 0};
  if (high >= GJS_NOT_FINITE)
    return GJM_NAN;
  if (high > GJS_QUARTER_PI)
    a = gjs_reduce(x);
  return gjm_mulsign(gjs_tangent(a.hi, a.lo, a.quadrant & 1), x);
}

double gjs_tan_f64_main(double x) { return gjm_mulsign(gjs_tangent_usual(gjs_reduce_usual(x)), x); }

int gjs_tan_f64_rare(double x) { return gjs_angle_is_rare(x); }
