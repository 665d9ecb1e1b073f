// Math.atanh: log1p(2|x| / (1 - |x|)) / 2, below 0.5 as log1p(2|x| + 2|x| |x| / (1 - |x|)) / 2.
// fdlibm: e_atanh.c.
#include "math/js/log.h"

double gjs_atanh_f64(double x) {
  double a = gjm_abs(x), t = a + a;
  if (!(a < 1))
    return a == 1 ? gjm_copysign(GJM_INF, x) : GJM_NAN;
  if (a < 0x1p-28)
    return x;
  return gjm_copysign(0.5 * gjs_log1p(a < 0.5 ? t + t * a / (1 - a) : t / (1 - a)), x);
}

double gjs_atanh_f64_main(double x) {
  double a = gjm_abs(x), t = a + a;
  int low = a < 0.5;
  double q = gjm_pick(low, t * a, t) / (1 - a), y = 0.5 * gjs_log1p_usual(gjm_pick(low, t + q, q));
  return gjm_copysign(gjm_pick(a < 0x1p-28, a, y), x);
}

int gjs_atanh_f64_rare(double x) { return !(gjm_abs(x) < 1); }
