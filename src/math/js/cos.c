// Math.cos, after fdlibm's s_cos.c. See trig.h.
#include "math/js/trig.h"

double gjs_cos_f64(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high <= GJS_QUARTER_PI)
    return high < 0x3e400000 ? 1 : gjs_cosine(x, 0, 0); // 2^-27
  if (high >= GJS_NOT_FINITE)
    return GJM_NAN;
  return gjs_turned(gjs_reduce(x), 1);
}

double gjs_cos_f64_main(double x) { return gjs_turned_usual(gjs_reduce_usual(x), 1); }

int gjs_cos_f64_rare(double x) { return gjs_angle_is_rare(x); }
