// Math.hypot of two arguments: the larger times the root of the sum of squares of both, divided by
// it. Infinity wins over NaN (ECMAScript, 21.3.2.18).
//
// V8 adds the squares with Kahan's compensation, which with two terms is never used.
#include "math/js/js.h"

double gjs_hypot_f64(double x, double y) {
  double a = gjm_abs(x), b = gjm_abs(y);
  double most = a > b ? a : b, least = a > b ? b : a;
  if (!(most < GJM_INF && least >= 0))
    return a == GJM_INF || b == GJM_INF ? GJM_INF : GJM_NAN;
  if (most == 0)
    return 0;
  double part = least / most;
  return __builtin_sqrt(1 + part * part) * most;
}

double gjs_hypot_f64_main(double x, double y) {
  double a = gjm_abs(x), b = gjm_abs(y);
  double most = gjm_pick(a > b, a, b), least = gjm_pick(a > b, b, a), part = least / most;
  double z = gjm_pick((most == 0) & (least == 0), 0, __builtin_sqrt(1 + part * part) * most);
  return gjm_pick((a == GJM_INF) | (b == GJM_INF), GJM_INF, z);
}

int gjs_hypot_f64_rare(double x, double y) {
  (void)x, (void)y;
  return 0;
}
