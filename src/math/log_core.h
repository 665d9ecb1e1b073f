// The reduction and polynomial shared by log, log2, log10, log1p, asinh, acosh, atanh and, in
// double, by the float pow.
//
// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and with s = f / (2 + f)
//   log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)),   R(z) = 2 z (1/3 + z/5 + ...)
// as in FreeBSD's e_log.c (Ng, 1993): the leading terms f and f^2/2 carry almost no error. The
// coefficients of R come from Sollya's fpminimax on z in [0, 0.02944].
#ifndef GJ_MATH_LOG_CORE_H
#define GJ_MATH_LOG_CORE_H

#include "math/gjm.h"

#define GJM_LN2_HI 0x1.62e42fefa3800p-1 // 42 bits, so that k times it is exact
#define GJM_LN2_LO 0x1.ef35793c76730p-45
#define GJM_LN2_HIF 0x1.62e4p-1f // 16 bits
#define GJM_LN2_LOF 0x1.7f7d1cp-20f

// `biased` is k + 1023 (127 for float) before subnormals are corrected for.
typedef struct {
  double k, f;
  uint64_t biased;
} gjm_log_arg;
typedef struct {
  float k, f;
  uint32_t biased;
} gjm_log_argf;

// For x positive and finite; anything for other x. Adding the distance from the bits of sqrt(1/2)
// to those of 1 carries into the exponent exactly where 1 + f must be halved.
static inline gjm_log_arg gjm_log_reduce(double x) {
  int tiny = x < 0x1p-1022;
  uint64_t u =
      gjm_bits(gjm_pick(tiny, x * 0x1p54, x)) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  double k =
      gjm_double(u >> 52 | 0x4330000000000000u) - gjm_pick(tiny, 0x1p52 + 1077, 0x1p52 + 1023);
  double m = gjm_double((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
  return (gjm_log_arg){k, m - 1.0, u >> 52};
}
static inline gjm_log_argf gjm_log_reducef(float x) {
  int tiny = x < 0x1p-126f;
  uint32_t u = gjm_bitsf(gjm_pickf(tiny, x * 0x1p25f, x)) + (0x3f800000u - 0x3f3504f3u);
  float k = gjm_float(u >> 23 | 0x4b000000u) - gjm_pickf(tiny, 0x1p23f + 152, 0x1p23f + 127);
  float m = gjm_float((u & 0x7fffffu) + 0x3f3504f3u);
  return (gjm_log_argf){k, m - 1.0f, u >> 23};
}

// 2^-k; 0 for the largest exponent, where nothing that is scaled by it counts any more.
static inline double gjm_log_unscale(uint64_t biased) {
  return 0.5 * gjm_double((2047 - biased) << 52);
}
static inline float gjm_log_unscalef(uint32_t biased) {
  return 0.5f * gjm_float((255 - biased) << 23);
}

// z/3 + z^2/5 + ...: atanh(s) = s + s gjm_atanh_tail(s^2) for |s| <= 0.1716, error 2^-59.5 (2^-30.2
// for float).
static inline double gjm_atanh_tail(double z) {
  double z2 = z * z;
  double low = gjm_p3(z, z2, 0x1.5555555555593p-2, 0x1.999999997fab6p-3, 0x1.2492494218d9bp-3,
                      0x1.c71c51ea3c62cp-4);
  double high = gjm_p2(z, z2, 0x1.7466452f58b61p-4, 0x1.39a119b76652ap-4, 0x1.2f0bbbafc6c4cp-4);
  return z * GJM_MULADD(high, z2 * z2, low);
}
static inline float gjm_atanh_tailf(float z) {
  return z * gjm_p2f(z, z * z, 0x1.55557ap-2f, 0x1.995ed2p-3f, 0x1.31e13ap-3f);
}

// log(1 + f) = f - half + rest with half = f^2/2; inv is about 1 / (1 + f), to two digits.
typedef struct {
  double half, rest, inv;
} gjm_log_terms;
typedef struct {
  float half, rest, inv;
} gjm_log_termsf;

static inline gjm_log_terms gjm_log_kernel(double f) {
  double s = f / (2.0 + f), half = 0.5 * f * f;
  return (gjm_log_terms){half, s * GJM_MULADD(2.0, gjm_atanh_tail(s * s), half),
                         GJM_MULADD(GJM_MULADD(2.0, s, -2.0), s, 1.0)};
}
static inline gjm_log_termsf gjm_log_kernelf(float f) {
  float s = f / (2.0f + f), half = 0.5f * f * f;
  return (gjm_log_termsf){half, s * GJM_MULADDF(2.0f, gjm_atanh_tailf(s * s), half),
                          GJM_MULADDF(GJM_MULADDF(2.0f, s, -2.0f), s, 1.0f)};
}

// k ln2 + log(1 + f + lo), where lo is at most an ulp of 1 + f, or of f where k is 0.
static inline double gjm_log_sum(double k, double f, double lo) {
  gjm_log_terms t = gjm_log_kernel(f);
  gjm_dd h = gjm_fast_two_sum(k * GJM_LN2_HI, f), g = gjm_fast_two_sum(h.hi, -t.half);
  return g.hi + (g.lo + (h.lo + (GJM_MULADD(k, GJM_LN2_LO, lo * t.inv) + t.rest)));
}
static inline float gjm_log_sumf(float k, float f, float lo) {
  gjm_log_termsf t = gjm_log_kernelf(f);
  gjm_ff h = gjm_fast_two_sumf(k * GJM_LN2_HIF, f), g = gjm_fast_two_sumf(h.hi, -t.half);
  return g.hi + (g.lo + (h.lo + (GJM_MULADDF(k, GJM_LN2_LOF, lo * t.inv) + t.rest)));
}

// The logarithm `y` of x, computed as if x were positive and finite, put right for every other x.
static inline double gjm_log_special(double x, double y) {
  y = gjm_pick(x == GJM_INF, GJM_INF, y);
  y = gjm_pick(x == 0, -GJM_INF, y);
  return gjm_pick(x >= 0, y, GJM_NAN);
}
static inline float gjm_log_specialf(float x, float y) {
  y = gjm_pickf(x == GJM_INFF, GJM_INFF, y);
  y = gjm_pickf(x == 0, -GJM_INFF, y);
  return gjm_pickf(x >= 0, y, GJM_NANF);
}

// log(1 + f) as a pair whose hi has 26 bits (12 for float), so that its product with such a head is
// exact.
static inline gjm_dd gjm_log_split(double f) {
  gjm_log_terms t = gjm_log_kernel(f);
  double hi = gjm_head(f - t.half);
  return (gjm_dd){hi, ((f - hi) - t.half) + t.rest};
}
static inline gjm_ff gjm_log_splitf(float f) {
  gjm_log_termsf t = gjm_log_kernelf(f);
  float hi = gjm_headf(f - t.half);
  return (gjm_ff){hi, ((f - hi) - t.half) + t.rest};
}

#endif
