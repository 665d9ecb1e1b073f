// pow: 2^(y log2|x|), then the sign and the special cases of C99 Annex F.9.4.4.
//
// f64: log2|x| has to be right to about 2^-65, because y log2|x| may be 1024. As in FreeBSD's
// e_pow.c (Sun, 1993) |x| is 2^k m with m in [sqrt(3)/2, sqrt(3)), c is 1 or 1.5, whichever is
// nearer to m, and
//   log2(m / c) = 2/ln2 atanh(s) = 2/(3 ln2) s (3 + s^2 + ...),   s = (m - c) / (m + c),  |s| <
//   0.102.
// Every quantity that counts is split into a head of 26 bits and a tail, so that products of heads
// are exact without FMA. f32 computes in double, with short polynomials; it is within 0.51 ulp.
#include "math/exp_core.h"
#include "math/log_core.h"

#define LOG2_1_5_HI 0x1.2b80340000000p-1
#define LOG2_1_5_LO 0x1.cfdeb43cfd006p-27
#define CP 0x1.ec709dc3a03fdp-1 // 2 / (3 ln2)
#define CP_HI 0x1.ec709d8000000p-1
#define CP_LO 0x1.0e80ff5d27f05p-27

// log2 of a positive finite x: hi has 26 bits, hi + lo is right to 2^-66.
static inline gjm_dd log2_accurate(double x) {
  int tiny = x < 0x1p-1022;
  uint64_t u =
      gjm_bits(gjm_pick(tiny, x * 0x1p54, x)) + (0x3ff0000000000000u - 0x3febb67ae8584caau);
  double k =
      gjm_double(u >> 52 | 0x4330000000000000u) - gjm_pick(tiny, 0x1p52 + 1077, 0x1p52 + 1023);
  double m = gjm_double((u & 0xfffffffffffffu) + 0x3febb67ae8584caau);
  int near_one = m < 0x1.3988e1409212ep0; // sqrt(3/2)
  double c = gjm_pick(near_one, 1, 1.5);
  double d = m + c, inv = 1.0 / d, n = m - c, s = n * inv;
  double sh = gjm_head(s), dh = gjm_head(d), dl = m - (dh - c);
  double sl = inv * ((n - sh * dh) - sh * dl);
  // 3 + s^2 + 3/5 s^4 + ..., the polynomial by Sollya's fpminimax: error 2^-69.7 for s^2 in [0,
  // 0.0103].
  double z = s * s, z2 = z * z;
  double w = gjm_p3(z, z2, 0x1.3333333333303p-1, 0x1.b6db6db6fa981p-2, 0x1.55555519308a6p-2,
                    0x1.17460a655352dp-2);
  w = GJM_MULADD(gjm_p1(z, 0x1.d864c712ec4f6p-3, 0x1.a7deb96bbbe09p-3), z2 * z2, w);
  double square = sh * sh, rest = GJM_MULADD(z2, w, sl * (sh + s));
  double th = gjm_head(3.0 + square + rest), tl = rest - ((th - 3.0) - square);
  // p = s times that, then times 2 / (3 ln2), then + log2(c) + k.
  double uh = sh * th, v = sl * th + tl * s, ph = gjm_head(uh + v), pl = v - (ph - uh);
  double zh = CP_HI * ph, zl = CP_LO * ph + pl * CP + gjm_pick(near_one, 0, LOG2_1_5_LO);
  double base = gjm_pick(near_one, 0, LOG2_1_5_HI);
  double hi = gjm_head(((zh + zl) + base) + k);
  return (gjm_dd){hi, zl - (((hi - k) - base) - zh)};
}

// 2^(y l) for |y| <= 2^80. Beyond 2^+-1200 the result is infinite or zero whatever the tail says.
static inline double exp2_product(double y, gjm_dd l) {
  double yh = gjm_head(y), hi = yh * l.hi, lo = (y - yh) * l.hi + y * l.lo;
  lo = gjm_pick(gjm_abs(hi) > 1200, 0, lo);
  hi = gjm_clamp(hi, -1200, 1200);
  gjm_int k = gjm_nearest(hi + lo);
  return gjm_scale(gjm_exp2_kernel(hi - k.value, lo), k.value);
}

// Clamping y changes nothing, since |log2 x| > 2^-53 unless x is 1, but keeps products with it
// finite.
static inline double limit(double y) { return gjm_clamp(y, -0x1p80, 0x1p80); }

// `z` is |x|^y for positive finite |x| and any y; here the zeros, infinities, NaNs and negative
// numbers. Integers are told by the magic addition, which rounds below 2^52; all doubles above are
// integers, and even from 2^53 on.
static inline double special(double x, double y, double z) {
  double ax = gjm_abs(x), ay = gjm_abs(y), half = 0.5 * ay;
  int whole = (ay >= 0x1p52) | ((ay + 0x1p52) - 0x1p52 == ay);
  int odd = whole & (ay < 0x1p53) & ((half + 0x1p52) - 0x1p52 != half);
  z = gjm_pick((ax == 0) | (ax == GJM_INF), gjm_pick((ax == 0) ^ (y < 0), 0, GJM_INF), z);
  z = gjm_pick((x < 0) & (x > -GJM_INF) & !whole, GJM_NAN, z);
  z = gjm_pick(odd, gjm_mulsign(z, x), z);
  z = gjm_pick((x != x) | (y != y), GJM_NAN, z);
  return gjm_pick((x == 1) | (y == 0), 1, z);
}

double gjm_pow_f64(double x, double y) {
  return special(x, y, exp2_product(limit(y), log2_accurate(gjm_abs(x))));
}

// log2: polynomial in s^2 of degree 4, error 2^-37.8; exp2: degree 6, error 2^-29.
float gjm_pow_f32(float xf, float yf) {
  double x = xf, y = yf;
  gjm_log_arg r = gjm_log_reduce(gjm_abs(x));
  double s = r.f / (2.0 + r.f), z = s * s, z2 = z * z;
  double p = gjm_p3(z, z2, 0x1.71547652bee2ap1, 0x1.ec709d128570bp-1, 0x1.277780239696cp-1,
                    0x1.a58d6b7fe563bp-2);
  p = GJM_MULADD(0x1.5cea8d2527da2p-2, z2 * z2, p);
  double l = gjm_clamp(limit(y) * GJM_MULADD(s, p, r.k), -200, 200);
  gjm_int k = gjm_nearest(l);
  double f = l - k.value, f2 = f * f;
  double low = gjm_p3(f, f2, 0x1.0000000261695p0, 0x1.62e430c7efbe5p-1, 0x1.ebfbdadc896b3p-3,
                      0x1.c6aed4b052bfcp-5);
  double high = gjm_p2(f, f2, 0x1.3b2dbbd02dfd5p-7, 0x1.5f456f18549cp-10, 0x1.41d330aa68dbep-13);
  return (float)special(x, y, GJM_MULADD(high, f2 * f2, low) * gjm_pow2(k.bits));
}
