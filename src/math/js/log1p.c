// Math.log1p. See log.h.
#include "math/js/log.h"

double gjs_log1p_f64(double x) { return gjs_log1p(x); }

double gjs_log1p_f64_main(double x) { return gjs_log1p_usual(x); }

int gjs_log1p_f64_rare(double x) { return !(x > -1 && x < GJM_INF); }
