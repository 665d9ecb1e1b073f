// Math.atan. See atan.h.
#include "math/js/atan.h"

double gjs_atan_f64(double x) { return gjs_atan(x); }

double gjs_atan_f64_main(double x) { return gjs_atan_usual(x); }

int gjs_atan_f64_rare(double x) {
  (void)x;
  return 0;
}
