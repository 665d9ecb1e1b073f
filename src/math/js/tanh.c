// Math.tanh: -E / (E + 2) with E = expm1(-2|x|) below 1, 1 - 2 / (E + 2) with E = expm1(2|x|) from
// 1 on. fdlibm: s_tanh.c.
#include "math/js/exp.h"

double gjs_tanh_f64(double x) {
  double a = gjm_abs(x), z = 1;
  if (x != x || a < 0x1p-28)
    return x;
  if (a < 22) {
    double t = gjs_expm1(a < 1 ? -2 * a : 2 * a);
    z = a < 1 ? -t / (t + 2) : 1 - 2 / (t + 2);
  }
  return gjm_copysign(z, x);
}
