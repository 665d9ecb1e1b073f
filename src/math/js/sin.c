// Math.sin, after fdlibm's s_sin.c. See trig.h.
#include "math/js/trig.h"

double gjs_sin_f64(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high <= GJS_QUARTER_PI)
    return gjs_sine(x, 0, 0);
  if (high >= GJS_NOT_FINITE)
    return GJM_NAN;
  return gjm_mulsign(gjs_turned(gjs_reduce(x), 0), x);
}

double gjs_sin_f64_main(double x) {
  return gjm_mulsign(gjs_turned_usual(gjs_reduce_usual(x), 0), x);
}

int gjs_sin_f64_rare(double x) { return gjs_angle_is_rare(x); }
