// Math.acosh: log(2x - 1 / (x + sqrt(x^2 - 1))), log1p near 1, log x + ln2 from 2^28 on.
// fdlibm: e_acosh.c.
#include "math/js/log.h"

double gjs_acosh_f64(double x) {
  int32_t high = gjs_high(x);
  if (!(x >= 1))
    return GJM_NAN;
  if (high > 0x40000000) { // about 2
    if (x == GJM_INF)
      return x;
    int huge = high >= 0x41b00000;
    double w = gjs_log(huge ? x : 2 * x - 1 / (x + __builtin_sqrt(x * x - 1)));
    return w + (huge ? GJS_LN2 : 0);
  }
  double t = x - 1;
  return gjs_log1p(t + __builtin_sqrt(2 * t + t * t));
}

double gjs_acosh_f64_main(double x) {
  double t = x - 1, far = gjs_log_usual(2 * x - 1 / (x + __builtin_sqrt(x * x - 1)));
  double near = gjs_log1p_usual(t + __builtin_sqrt(2 * t + t * t));
  return gjm_pick(x >= 0x1.00001p1, far, near); // the high word above that of 2
}

int gjs_acosh_f64_rare(double x) { return !(x >= 1 && x < 0x1p28); }
