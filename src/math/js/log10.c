// Math.log10: n log10(2) + log(x / 2^n) / ln10 with n the exponent of x, plus 1 if that is
// negative. fdlibm: e_log10.c.
#include "math/js/log.h"

#define LOG10_2_HI 0x1.34413509f6p-2
#define LOG10_2_LO 0x1.9fef311f12b36p-42

double gjs_log10_f64(double x) {
  int32_t bias;
  if (gjs_log_ends(&x, &bias))
    return gjs_log_of_special(x);
  int32_t high = gjs_high(x), k = (high >> 20) + bias, negative = k < 0;
  x = gjs_with_high(x, (high & 0xfffff) | (0x3ff - negative) << 20);
  double n = gjs_whole(k + negative);
  return (n * LOG10_2_LO + 4.34294481903251816668e-01 * gjs_log(x)) + n * LOG10_2_HI;
}

double gjs_log10_f64_main(double x) {
  uint64_t bits = gjm_bits(x);
  double k = gjm_from_uint(bits >> 52) - 1023, n = gjm_pick(k < 0, k + 1, k);
  uint64_t exponent = gjm_pick_u64(k < 0, 0x3feull << 52, 0x3ffull << 52);
  double y = gjs_log_usual(gjm_double((bits & 0xfffffffffffffu) | exponent));
  return (n * LOG10_2_LO + 4.34294481903251816668e-01 * y) + n * LOG10_2_HI;
}

int gjs_log10_f64_rare(double x) { return gjs_log_is_unusual(x); }
