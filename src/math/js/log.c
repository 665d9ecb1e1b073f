// Math.log. See log.h.
#include "math/js/log.h"

double gjs_log_f64(double x) { return gjs_log(x); }
