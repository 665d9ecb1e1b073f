// Math.asinh: log(2|x| + 1 / (sqrt(x^2 + 1) + |x|)), log1p near 0, log|x| + ln2 from 2^28 on.
// fdlibm: s_asinh.c.
#include "math/js/log.h"

double gjs_asinh_f64(double x) {
  double a = gjm_abs(x), w;
  int32_t high = gjs_high(a);
  if (high >= 0x7ff00000 || high < 0x3e300000) // not finite, or below 2^-28
    return x;
  if (high > 0x40000000) { // about 2
    int huge = high > 0x41b00000;
    w = gjs_log(huge ? a : 2 * a + 1 / (__builtin_sqrt(x * x + 1) + a));
    w += huge ? GJS_LN2 : 0;
  } else {
    double t = x * x;
    w = gjs_log1p(a + t / (1 + __builtin_sqrt(1 + t)));
  }
  return gjm_copysign(w, x);
}
