// What asin and acos share: asin(x) = x + x R(x^2) for |x| up to 0.5. fdlibm: e_asin.c, e_acos.c.
#ifndef GJ_MATH_JS_ARC_H
#define GJ_MATH_JS_ARC_H

#include "math/js/js.h"

#define GJS_HALF_PI_HI 0x1.921fb54442d18p0
#define GJS_HALF_PI_LO 0x1.1a62633145c07p-54

GJS_INLINE double gjs_arc_series(double z) {
  double p = z * (0x1.5555555555555p-3 +
                  z * (-0x1.4d61203eb6f7dp-2 +
                       z * (0x1.9c1550e884455p-3 +
                            z * (-0x1.48228b5688f3bp-5 +
                                 z * (0x1.9efe07501b288p-11 + z * 0x1.23de10dfdf709p-15)))));
  double q =
      1 + z * (-0x1.33a271c8a2d4bp1 +
               z * (0x1.02ae59c598ac8p1 + z * (-0x1.6066c1b8d0159p-1 + z * 0x1.3b8c5b12e9282p-4)));
  return p / q;
}

// What s = sqrt(z) lacks behind its head.
GJS_INLINE double gjs_root_rest(double z, double s) {
  double head = gjs_head(s);
  return (z - head * head) / (s + head);
}

#endif
