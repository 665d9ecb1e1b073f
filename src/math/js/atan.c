// Math.atan. See atan.h.
#include "math/js/atan.h"

double gjs_atan_f64(double x) { return gjs_atan(x); }
