// Math.exp. See exp.h.
#include "math/js/exp.h"

double gjs_exp_f64(double x) { return gjs_exp(x); }

double gjs_exp_f64_main(double x) {
  double k = gjs_exp_whole_power(x), hi = x - k * GJS_LN2_HI, lo = k * GJS_LN2_LO, r = hi - lo;
  double c = gjs_exp_series(r), y = 1 - ((lo - (r * c) / (2 - c)) - hi);
  y = gjm_pick(gjm_abs(x) < 0x1p-28, 1 + x, y * gjs_pow2_of_whole(k));
  return gjm_pick(x == 1, 0x1.5bf0a8b145769p1, y);
}

int gjs_exp_f64_rare(double x) { return !(gjm_abs(x) < 708); }
