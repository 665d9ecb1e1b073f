// Math.exp. See exp.h.
#include "math/js/exp.h"

double gjs_exp_f64(double x) { return gjs_exp(x); }

double gjs_exp_f64_main(double x) { return gjs_exp_usual(x); }

int gjs_exp_f64_rare(double x) { return !(gjm_abs(x) < 708); }
