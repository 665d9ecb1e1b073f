// Math.pow and **: 2^(y log2|x|) with log2|x| as hi + lo, then the sign.
//
// fdlibm's e_pow.c, with ECMAScript's special cases (6.1.6.1.3): 1 and -1 to the power of an
// infinity are NaN. V8 divides by (t - 2) - (w + z w) where Sun subtracts w + z w from the
// quotient.
#include "math/js/js.h"

typedef struct parts {
  double hi, lo;
} parts;

#define TWICE_HI 0x1.ec709ep-1          // 2 / (3 ln2): 24 bits
#define TWICE_LO -0x1.e2fe0145b01f5p-28 // and the rest
#define TWICE 0x1.ec709dc3a03fdp-1
#define LOG_HI 0x1.2b8034p-1 // log2(1.5)
#define LOG_LO 0x1.cfdeb43cfd006p-27
#define INV_LN2 0x1.71547652b82fep0
#define INV_LN2_HI 0x1.715476p0
#define INV_LN2_LO 0x1.4ae0bf85ddf44p-26
#define LN2 0x1.62e42fefa39efp-1
#define LN2_HI 0x1.62e43p-1
#define LN2_LO -0x1.05c610ca86c39p-29
#define OVERFLOW_REST 8.0085662595372944372e-17 // below 1024 by which a power still overflows

// Whether y, not 0 and finite, is an even (2), an odd (1) or no integer (0).
GJS_INLINE int parity(double y) {
  double a = gjm_abs(y);
  if (a >= 0x1p53)
    return 2;
  int64_t n = (int64_t)a;
  return (double)n != a ? 0 : n & 1 ? 1 : 2;
}

// |x|^y where |y| is infinite.
GJS_INLINE double power_of_infinity(double ax, double y) {
  if (ax == 1)
    return GJM_NAN;
  return (ax > 1) == (y > 0) ? GJM_INF : 0;
}

// log2(x) for |x - 1| <= 2^-20, by four terms of the series.
GJS_INLINE parts log2_near_one(double x) {
  double t = x - 1, w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25));
  double u = INV_LN2_HI * t, v = t * INV_LN2_LO - w * INV_LN2, hi = gjs_head(u + v);
  return (parts){hi, v - (hi - u)};
}

// log2(2^(n + 1023) x) of a normal x > 0: x is 2^n m, c is 1 or 1.5, s = (m - c) / (m + c), and
// log2(m / c) is 2 / (3 ln2) s (3 + s^2 + ...). What ends in h has 21 bits.
GJS_INLINE parts log2_normal(double x, int32_t n) {
  int32_t high = gjs_high(x);
  n += high >> 20;
  high &= 0xfffff;
  int32_t two = high >= 0xbb67a,
          half = !two && high > 0x3988e; // from sqrt(3) on, from sqrt(3/2) on
  n += two;
  high |= two ? 0x3fe00000 : 0x3ff00000;
  double m = gjs_with_high(x, high), c = half ? 1.5 : 1, u = m - c, v = 1 / (m + c), s = u * v;
  double sh = gjs_head(s), dh = gjs_words(((high >> 1) | 0x20000000) + 0x80000 + (half << 18), 0);
  double sl = v * ((u - sh * dh) - sh * (m - (dh - c))), z = s * s;
  double r = z * z *
             (0x1.3333333333303p-1 +
              z * (0x1.b6db6db6fabffp-2 +
                   z * (0x1.55555518f264dp-2 +
                        z * (0x1.17460a91d4101p-2 +
                             z * (0x1.d864a93c9db65p-3 + z * 0x1.a7e284a454eefp-3)))));
  r += sl * (sh + s);
  double square = sh * sh, th = gjs_head(3.0 + square + r), tl = r - ((th - 3.0) - square);
  double p = sh * th, q = sl * th + tl * s, ph = gjs_head(p + q), pl = q - (ph - p);
  double zh = TWICE_HI * ph, zl = TWICE_LO * ph + pl * TWICE + (half ? LOG_LO : 0);
  double base = half ? LOG_HI : 0, whole = gjs_whole(n), hi = gjs_head(((zh + zl) + base) + whole);
  return (parts){hi, zl - (((hi - whole) - base) - zh)};
}

GJS_INLINE parts log2_accurate(double x) {
  return x < 0x1p-1022 ? log2_normal(x * 0x1p53, -1023 - 53) : log2_normal(x, -1023);
}

// y l as hi + lo, and rounded.
typedef struct product {
  double hi, lo, sum;
} product;

GJS_INLINE product times(double y, parts l) {
  double head = gjs_head(y), lo = (y - head) * l.hi + y * l.lo, hi = head * l.hi;
  return (product){hi, lo, lo + hi};
}

// 2^(hi + lo) for a sum near 0.
GJS_INLINE double exp2_kernel(double hi, double lo) {
  double t = gjs_head(lo + hi), u = t * LN2_HI, v = (lo - (t - hi)) * LN2 + t * LN2_LO;
  double y = u + v, w = v - (y - u);
  t = y * y;
  double p = y - t * (0x1.555555555553ep-3 +
                      t * (-0x1.6c16c16bebd93p-9 +
                           t * (0x1.1566aaf25de2cp-14 +
                                t * (-0x1.bbd41c5d26bf1p-20 + t * 0x1.6376972bea4dp-25))));
  double r = (y * p) / ((p - 2) - (w + y * w));
  return 1 - (r - y);
}

// 2^(hi + lo), where z is hi + lo rounded, in (-1075, 1024].
GJS_INLINE double exp2_accurate(double hi, double lo, double z) {
  int32_t n = (gjs_high(z) & GJS_SIZE) > 0x3fe00000 ? (int32_t)(z + gjm_copysign(0.5, z)) : 0;
  double y = exp2_kernel(hi - gjs_whole(n), lo);
  if ((gjs_high(y) >> 20) + n <= 0)
    return y * gjs_pow2(n + 1000) * 0x1p-1000;
  return gjm_double(gjm_bits(y) + ((uint64_t)n << 52));
}

// |x|^y for an |x| that is neither 0, 1 nor infinite and a finite y.
GJS_INLINE double power(double ax, double y) {
  int32_t high = gjs_high(ax), size = gjs_high(y) & GJS_SIZE;
  parts l;
  if (size > 0x41e00000) { // 2^31: too large for all but an |x| near 1
    int near_one = high == 0x3fefffff || high == 0x3ff00000;
    if (size > 0x43f00000 || !near_one) // 2^64
      return (ax > 1) == (y > 0) ? GJM_INF : 0;
    l = log2_near_one(ax);
  } else {
    l = log2_accurate(ax);
  }
  product p = times(y, l);
  if (p.sum >= 1024 && (p.sum > 1024 || p.lo + OVERFLOW_REST > p.sum - p.hi))
    return GJM_INF;
  if (p.sum <= -1075 && (p.sum < -1075 || p.lo <= p.sum - p.hi))
    return 0;
  return exp2_accurate(p.hi, p.lo, p.sum);
}

double gjs_pow_f64(double x, double y) {
  double ax = gjm_abs(x);
  if (y == 2)
    return x * x;
  if (y == 0)
    return 1;
  if (x != x || y != y)
    return GJM_NAN;
  if (gjm_abs(y) == GJM_INF)
    return power_of_infinity(ax, y);
  if (gjm_abs(y) == 1)
    return y < 0 ? 1 / x : x;
  int negative = gjs_high(x) < 0, odd = 0;
  if (y == 0.5 && !negative)
    return __builtin_sqrt(x);
  if (negative) {
    int p = parity(y);
    if (p == 0 && ax != 0 && ax != GJM_INF)
      return GJM_NAN;
    odd = p == 1;
  }
  double z;
  if (ax == 0 || ax == 1 || ax == GJM_INF)
    z = y < 0 ? 1 / ax : ax;
  else
    z = power(ax, y);
  return odd ? -z : z;
}

// --- for vectors ---

double gjs_pow_f64_main(double x, double y) {
  product p = times(y, log2_normal(x, -1023));
  double n = __builtin_trunc(p.sum + gjm_copysign(0.5, p.sum));
  n = gjm_pick(gjm_abs(p.sum) >= 0x1.00001p-1, n, 0); // as in exp2_accurate
  double z = exp2_kernel(p.hi - n, p.lo);
  z = gjm_double(gjm_bits(z) + (gjm_bits(n + 0x1.8p52) << 52));
  z = gjm_pick(y == 2, x * x, gjm_pick(y == 1, x, z));
  return gjm_pick(y == 0.5, __builtin_sqrt(x), gjm_pick(y == -1, 1 / x, z));
}

int gjs_pow_f64_rare(double x, double y) {
  double sum = times(y, log2_normal(x, -1023)).sum;
  return !(x >= 0x1p-1022 && x < GJM_INF && gjm_abs(y) <= 0x1p31 && gjm_abs(sum) < 1021);
}
