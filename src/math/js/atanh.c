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
