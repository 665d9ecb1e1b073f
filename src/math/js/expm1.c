// Math.expm1. See exp.h.
#include "math/js/exp.h"

double gjs_expm1_f64(double x) { return gjs_expm1(x); }
