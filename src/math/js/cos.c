// Math.cos, after fdlibm's s_cos.c. See trig.h.
#include "math/js/trig.h"

double gjs_cos_f64(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high <= GJS_QUARTER_PI)
    return gjs_cosine(x, 0, 0);
  if (high >= GJS_NOT_FINITE)
    return GJM_NAN;
  gjs_angle a = gjs_reduce(x);
  double y = a.quadrant & 1 ? gjs_sine(a.hi, a.lo, 1) : gjs_cosine(a.hi, a.lo, 1);
  return (a.quadrant + 1) & 2 ? -y : y;
}
