// Math.expm1. See exp.h.
#include "math/js/exp.h"

double gjs_expm1_f64(double x) { return gjs_expm1(x); }

double gjs_expm1_f64_main(double x) { return gjs_expm1_usual(x); }

int gjs_expm1_f64_rare(double x) { return !(gjm_abs(x) < 709); }
