// Math.atan2(y, x): atan|y / x|, taken from pi where x is negative. fdlibm: e_atan2.c.
#include "math/js/atan.h"

#define PI 0x1.921fb54442d18p1
#define PI_LO 0x1.1a62633145c07p-53

double gjs_atan2_f64(double y, double x) {
  if (x != x || y != y)
    return GJM_NAN;
  double ax = gjm_abs(x), ay = gjm_abs(y), z;
  int negative = gjs_high(x) < 0;
  if (ay == 0 || (ax == GJM_INF && ay < GJM_INF)) // on the axis of x
    return gjm_copysign(negative ? PI : 0, y);
  if (ax == 0 || (ay == GJM_INF && ax < GJM_INF)) // on the axis of y
    return gjm_copysign(0.5 * PI, y);
  if (ax == GJM_INF)
    return gjm_copysign(negative ? 0.75 * PI : 0.25 * PI, y);
  int32_t k = (gjs_high(ay) - gjs_high(ax)) >> 20; // about log2|y / x|
  if (k > 60)
    return gjm_copysign(0.5 * PI, y);
  z = negative && k < -60 ? 0 : gjs_atan(ay / ax);
  if (negative)
    z = PI - (z - PI_LO);
  return gjm_copysign(z, y);
}

double gjs_atan2_f64_main(double y, double x) {
  double z = gjs_atan_usual(gjm_abs(y) / gjm_abs(x));
  return gjm_copysign(gjm_pick(x < 0, PI - (z - PI_LO), z), y);
}

int gjs_atan2_f64_rare(double y, double x) {
  double quotient = gjm_abs(y) / gjm_abs(x);
  return !(quotient > 0x1p-59 && quotient < 0x1p59);
}
