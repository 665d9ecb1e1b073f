// Math.log2: log(1 + f) as hi + lo, times 1/ln2 in two parts, plus k. After FreeBSD's e_log2.c.
#include "math/js/log.h"

#define INV_LN2_HI 0x1.71547652p0
#define INV_LN2_LO 0x1.705fc2eefa2p-33

// k + log2(1 + f)
GJS_INLINE double combine(double f, double k) {
  double square = 0.5 * f * f, s = f / (2 + f);
  double r = s * (square + gjs_log_series(s * s));
  double hi = gjs_head(f - square), lo = (f - hi) - square + r;
  double product = hi * INV_LN2_HI, rest = (lo + hi) * INV_LN2_LO + lo * INV_LN2_HI;
  double sum = k + product;
  return (rest + ((k - sum) + product)) + sum;
}

double gjs_log2_f64(double x) {
  int32_t bias;
  if (gjs_log_ends(&x, &bias))
    return gjs_log_of_special(x);
  gjs_log_parts p = gjs_log_split(x, bias);
  return combine(p.m - 1, p.k);
}

double gjs_log2_f64_main(double x) {
  gjs_wide_log_parts p = gjs_log_split_usual(x);
  return combine(p.m - 1, p.k);
}

int gjs_log2_f64_rare(double x) { return gjs_log_is_unusual(x); }
