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

double gjs_asinh_f64_main(double x) {
  double a = gjm_abs(x), t = x * x, root = __builtin_sqrt(t + 1);
  int far = a >= 0x1.00001p1; // the high word above that of 2
  double q = gjm_pick(far, 1, t) / gjm_pick(far, root + a, 1 + root);
  double y = gjm_pick(far, gjs_log_usual(2 * a + q), gjs_log1p_usual(a + q));
  return gjm_copysign(gjm_pick(a < 0x1p-28, a, y), x);
}

int gjs_asinh_f64_rare(double x) { return !(gjm_abs(x) < 0x1p28); }
