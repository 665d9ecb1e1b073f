// Math.atan. See atan.h.
#include "math/js/atan.h"

double gjs_atan_f64(double x) { return gjs_atan(x); }

// The part of gjs_atan_reduce by choices; near 0 it is 0 and the argument itself, divided by 1.
double gjs_atan_f64_main(double x) {
  double a = gjm_abs(x), top = -1, bottom = a, hi = 0x1.921fb54442d18p0, lo = 0x1.1a62633145c07p-54;
  int next = a < 2.4375;
  top = gjm_pick(next, a - 1.5, top), bottom = gjm_pick(next, 1 + 1.5 * a, bottom);
  hi = gjm_pick(next, 0x1.f730bd281f69bp-1, hi), lo = gjm_pick(next, 0x1.007887af0cbbdp-56, lo);
  next = a < 1.1875;
  top = gjm_pick(next, a - 1, top), bottom = gjm_pick(next, a + 1, bottom);
  hi = gjm_pick(next, 0x1.921fb54442d18p-1, hi), lo = gjm_pick(next, 0x1.1a62633145c07p-55, lo);
  next = a < 0.6875;
  top = gjm_pick(next, 2 * a - 1, top), bottom = gjm_pick(next, 2 + a, bottom);
  hi = gjm_pick(next, 0x1.dac670561bb4fp-2, hi), lo = gjm_pick(next, 0x1.a2b7f222f65e2p-56, lo);
  next = a < 0.4375;
  top = gjm_pick(next, a, top), bottom = gjm_pick(next, 1, bottom);
  hi = gjm_pick(next, 0, hi), lo = gjm_pick(next, 0, lo);
  double y = top / bottom, z = hi - ((y * gjs_atan_series(y * y) - lo) - y);
  return gjm_copysign(gjm_pick(a < 0x1p-27, a, z), x);
}

int gjs_atan_f64_rare(double x) {
  (void)x;
  return 0;
}
