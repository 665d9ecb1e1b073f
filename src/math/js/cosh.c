// Math.cosh: 1 + E^2 / (2 (1 + E)) with E = expm1|x| near 0, (exp|x| + 1/exp|x|) / 2, from 22 on
// exp|x| / 2. fdlibm: e_cosh.c.
#include "math/js/exp.h"

#define MOST 710.4758600739439 // above, cosh is infinite

double gjs_cosh_f64(double x) {
  double a = gjm_abs(x);
  int32_t high = gjs_high(a);
  if (high < GJS_HALF_LN2 + 1) {
    double t = gjs_expm1(a), w = 1 + t;
    return high < 0x3c800000 ? w : 1 + (t * t) / (w + w); // 2^-55
  }
  if (!(a <= MOST))
    return a + GJM_INF;
  int halved = high >= 0x40862e42; // about log of the largest double
  double t = gjs_exp(halved ? 0.5 * a : a), half = 0.5 * t;
  if (high < 0x40360000) // 22
    return half + 0.5 / t;
  return halved ? half * t : half;
}

double gjs_cosh_f64_main(double x) {
  double a = gjm_abs(x), t = gjs_expm1_usual(a), w = 1 + t, e = gjs_exp_usual(a);
  return gjm_pick(a < 0x1.62e43p-2, 1 + (t * t) / (w + w), 0.5 * e + 0.5 / e);
}

int gjs_cosh_f64_rare(double x) { return !(gjm_abs(x) < 22); }
