// atanh: log((1 + x) / (1 - x)) / 2 without the first quotient. With n = 1 + |x|, d = 1 - |x| and k
// chosen from their exponents such that n / (2^k d) is within [sqrt(1/2), sqrt(2)],
//   atanh|x| = k ln2 / 2 + atanh(s),   s = (n - 2^k d) / (n + 2^k d).
// n, d and the numerator are exact in two parts, and s is a head of 26 (12) bits and a tail: k ln2
// / 2 and s may be of opposite sign and equal size. For k = 0, s is |x| itself.
#include "math/log_core.h"

double gjm_atanh_f64(double x) {
  double m = gjm_abs(x);
  gjm_dd n = gjm_fast_two_sum(1.0, m), d = gjm_fast_two_sum(1.0, -m);
  uint64_t e = gjm_bits(d.hi) >> 52; // d is in [2^(e-1023), 2^(e-1022))
  double scaled = gjm_double((gjm_bits(d.hi) & 0xfffffffffffffu) | 0x3ff0000000000000u);
  int up = n.hi > 0x1.6a09e667f3bcdp0 * scaled, down = 0x1.6a09e667f3bcdp0 * n.hi < scaled;
  double k = (0x1p52 + 1023) - gjm_double(e | 0x4330000000000000u);
  k += gjm_pick(up, 1, gjm_pick(down, -1, 0));
  double power = gjm_double((2046 - e) << 52) * gjm_pick(up, 2, gjm_pick(down, 0.5, 1)); // 2^k
  double num = n.hi - power * d.hi, den = n.hi + power * d.hi, inv = 1.0 / den;
  double s = num * inv, sh = gjm_head(s), dh = gjm_head(den);
  double dl = ((n.hi - dh) + power * d.hi) + (n.lo + power * d.lo);
  double sl = (((num - sh * dh) - sh * dl) + (n.lo - power * d.lo)) * inv;
  int small = k == 0;
  sh = gjm_pick(small, m, sh);
  sl = gjm_pick(small, 0, sl);
  s = sh + sl;
  gjm_dd h = gjm_fast_two_sum(k * (GJM_LN2_HI / 2), sh);
  double tail = GJM_MULADD(s, gjm_atanh_tail(s * s), k * (GJM_LN2_LO / 2));
  double y = h.hi + (h.lo + (sl + tail));
  y = gjm_pick(m == 1, GJM_INF, y);
  return gjm_copysign(gjm_pick(m <= 1, y, GJM_NAN), x);
}

float gjm_atanh_f32(float x) {
  float m = gjm_absf(x);
  gjm_ff n = gjm_fast_two_sumf(1.0f, m), d = gjm_fast_two_sumf(1.0f, -m);
  uint32_t e = gjm_bitsf(d.hi) >> 23;
  float scaled = gjm_float((gjm_bitsf(d.hi) & 0x7fffffu) | 0x3f800000u);
  int up = n.hi > 0x1.6a09e6p0f * scaled, down = 0x1.6a09e6p0f * n.hi < scaled;
  float k = (0x1p23f + 127) - gjm_float(e | 0x4b000000u);
  k += gjm_pickf(up, 1, gjm_pickf(down, -1, 0));
  float power = gjm_float((254 - e) << 23) * gjm_pickf(up, 2, gjm_pickf(down, 0.5f, 1));
  float num = n.hi - power * d.hi, den = n.hi + power * d.hi, inv = 1.0f / den;
  float s = num * inv, sh = gjm_headf(s), dh = gjm_headf(den);
  float dl = ((n.hi - dh) + power * d.hi) + (n.lo + power * d.lo);
  float sl = (((num - sh * dh) - sh * dl) + (n.lo - power * d.lo)) * inv;
  int small = k == 0;
  sh = gjm_pickf(small, m, sh);
  sl = gjm_pickf(small, 0, sl);
  s = sh + sl;
  gjm_ff h = gjm_fast_two_sumf(k * (GJM_LN2_HIF / 2), sh);
  float tail = GJM_MULADDF(s, gjm_atanh_tailf(s * s), k * (GJM_LN2_LOF / 2));
  float y = h.hi + (h.lo + (sl + tail));
  y = gjm_pickf(m == 1, GJM_INFF, y);
  return gjm_copysignf(gjm_pickf(m <= 1, y, GJM_NANF), x);
}
