// Math.exp. See exp.h.
#include "math/js/exp.h"

double gjs_exp_f64(double x) { return gjs_exp(x); }
