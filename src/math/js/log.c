// Math.log. See log.h.
#include "math/js/log.h"

double gjs_log_f64(double x) { return gjs_log(x); }

// All formulas of gjs_log at once.
double gjs_log_f64_main(double x) {
  uint64_t bits = gjm_bits(x), high = bits >> 32 & 0xfffff, above = (high + 0x95f64) & 0x100000;
  double m = gjm_double((bits & 0xfffffffffffffu) | (above ^ 0x3ff00000) << 32);
  double k = gjm_from_uint((bits >> 52) + (above >> 20)) - 1023, f = m - 1, tail = k * GJS_LN2_LO;
  double s = f / (2 + f), r = gjs_log_series(s * s), square = 0.5 * f * f;
  double rest = s * (f - r) - tail;
  rest = gjm_pick(high - 0x6147a <= 0x6b851 - 0x6147a, square - (s * (square + r) + tail), rest);
  double small = f * f * (0.5 - 0.33333333333333333 * f) - tail;
  rest = gjm_pick(((2 + high) & 0xfffff) < 3, small, rest);
  return k * GJS_LN2_HI - (rest - f);
}

int gjs_log_f64_rare(double x) { return !(x >= 0x1p-1022 && x < GJM_INF); }
