// Math.sinh: (E + E/(E+1)) / 2 with E = expm1|x|, exp|x| / 2 from 22 on. fdlibm: e_sinh.c.
#include "math/js/exp.h"

#define LOG_MAX 0x1.62e42p9    // about log of the largest double
#define MOST 710.4758600739439 // above, sinh is infinite

double gjs_sinh_f64(double x) {
  double a = gjm_abs(x), half = gjm_copysign(0.5, x);
  if (a < 22) {
    if (a < 0x1p-28)
      return x;
    double t = gjs_expm1(a);
    return a < 1 ? half * (2 * t - t * t / (t + 1)) : half * (t + t / (t + 1));
  }
  if (!(a <= MOST))
    return x * 1e307;
  double e = gjs_exp(a < LOG_MAX ? a : 0.5 * a);
  return a < LOG_MAX ? half * e : half * e * e;
}

double gjs_sinh_f64_main(double x) {
  double a = gjm_abs(x), t = gjs_expm1_usual(a);
  int low = a < 1;
  double q = gjm_pick(low, t * t, t) / (t + 1);
  double y = gjm_copysign(0.5, x) * gjm_pick(low, 2 * t - q, t + q);
  return gjm_pick(a < 0x1p-28, x, y);
}

int gjs_sinh_f64_rare(double x) { return !(gjm_abs(x) < 22); }
