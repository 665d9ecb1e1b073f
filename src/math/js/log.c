// Math.log. See log.h.
#include "math/js/log.h"

double gjs_log_f64(double x) { return gjs_log(x); }

double gjs_log_f64_main(double x) { return gjs_log_usual(x); }

int gjs_log_f64_rare(double x) { return gjs_log_is_unusual(x); }
