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

double gjs_tanh_f64_main(double x) {
  double a = gjm_abs(x);
  int low = a < 1;
  double t = gjs_expm1_usual(gjm_pick(low, -2 * a, 2 * gjm_pick(a < 22, a, 1)));
  double q = gjm_pick(low, -t, 2) / (t + 2), z = gjm_pick(low, q, 1 - q);
  z = gjm_pick(a < 0x1p-28, a, gjm_pick(a >= 22, 1, z));
  return gjm_copysign(z, x);
}

int gjs_tanh_f64_rare(double x) { return x != x; }
