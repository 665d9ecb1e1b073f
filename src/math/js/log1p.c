// Math.log1p. See log.h.
#include "math/js/log.h"

double gjs_log1p_f64(double x) { return gjs_log1p(x); }
