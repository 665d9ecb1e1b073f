// Building blocks of the elementary functions: bit casts, selects, rounding, scaling, short
// polynomials and double-double arithmetic, for double (no suffix) and for float (suffix f).
//
// Everything here is straight-line and built from operations that every vector unit has: float
// arithmetic, integer add, shift and logic, compare, select. Integers take part through bit casts
// and magic additions, because i64 <-> f64 conversions and 64-bit multiplications are slow or
// missing on AVX2, NEON and wasm. Round-to-nearest is assumed; the compiler must neither contract
// (-ffp-contract=off) nor reassociate.
//
// The one choice is GJ_MATH_FMA. Without it (strict) no fused operation is used and the bits are
// the same on every target; with it GJM_MULADD is fused and exact products cost two operations
// instead of ten.
#ifndef GJ_MATH_GJM_H
#define GJ_MATH_GJM_H

#include "math/math.h"
#include <stdint.h>

#ifdef GJ_MATH_FMA
#define GJM_MULADD(a, b, c) __builtin_fma(a, b, c)
#define GJM_MULADDF(a, b, c) __builtin_fmaf(a, b, c)
#else
#define GJM_MULADD(a, b, c) ((a) * (b) + (c))
#define GJM_MULADDF(a, b, c) ((a) * (b) + (c))
#endif

#define GJM_INF __builtin_inf()
#define GJM_INFF __builtin_inff()
#define GJM_NAN __builtin_nan("")
#define GJM_NANF __builtin_nanf("")
#define GJM_SIGN 0x8000000000000000u
#define GJM_SIGNF 0x80000000u

// Unevaluated sums hi + lo with |lo| at most about half an ulp of hi.
typedef struct {
  double hi, lo;
} gjm_dd;
typedef struct {
  float hi, lo;
} gjm_ff;

// ---- bits ---------------------------------------------------------------------------------------

static inline uint64_t gjm_bits(double x) {
  uint64_t u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}

static inline double gjm_double(uint64_t u) {
  double x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}

static inline uint32_t gjm_bitsf(float x) {
  uint32_t u;
  __builtin_memcpy(&u, &x, sizeof u);
  return u;
}

static inline float gjm_float(uint32_t u) {
  float x;
  __builtin_memcpy(&x, &u, sizeof x);
  return x;
}

static inline double gjm_abs(double x) { return __builtin_fabs(x); }
static inline float gjm_absf(float x) { return __builtin_fabsf(x); }
static inline double gjm_copysign(double x, double sign) { return __builtin_copysign(x, sign); }
static inline float gjm_copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }

// The sign of x xor the sign of `sign`, both taken as bits.
static inline double gjm_mulsign(double x, double sign) {
  return gjm_double(gjm_bits(x) ^ (gjm_bits(sign) & GJM_SIGN));
}
static inline float gjm_mulsignf(float x, float sign) {
  return gjm_float(gjm_bitsf(x) ^ (gjm_bitsf(sign) & GJM_SIGNF));
}

// The arguments are evaluated before the choice, so that the compiler sees a select and not a
// branch.
static inline double gjm_pick(int cond, double yes, double no) { return cond ? yes : no; }
static inline float gjm_pickf(int cond, float yes, float no) { return cond ? yes : no; }
static inline uint64_t gjm_pick_u64(int cond, uint64_t yes, uint64_t no) { return cond ? yes : no; }
static inline uint32_t gjm_pick_u32(int cond, uint32_t yes, uint32_t no) { return cond ? yes : no; }

// x limited to [lo, hi]; NaN stays NaN.
static inline double gjm_clamp(double x, double lo, double hi) {
  x = gjm_pick(x < lo, lo, x);
  return gjm_pick(x > hi, hi, x);
}
static inline float gjm_clampf(float x, float lo, float hi) {
  x = gjm_pickf(x < lo, lo, x);
  return gjm_pickf(x > hi, hi, x);
}

// ---- rounding, scaling --------------------------------------------------------------------------

// Adding the magic constant rounds x to an integer, ties to even, and leaves that integer in two's
// complement in the low bits of the sum: the low 51 for |x| < 2^51, the low 22 for float and |x| <
// 2^22.
#define GJM_MAGIC 0x1.8p52
#define GJM_MAGICF 0x1.8p23f

static inline double gjm_round(double x) { return (x + GJM_MAGIC) - GJM_MAGIC; }

// The integer nearest to x as a double (`value`), and the same integer in the low bits of `bits`.
typedef struct {
  double value;
  uint64_t bits;
} gjm_int;
typedef struct {
  float value;
  uint32_t bits;
} gjm_intf;

static inline gjm_int gjm_nearest(double x) {
  double sum = x + GJM_MAGIC;
  return (gjm_int){sum - GJM_MAGIC, gjm_bits(sum)};
}
static inline gjm_intf gjm_nearestf(float x) {
  float sum = x + GJM_MAGICF;
  return (gjm_intf){sum - GJM_MAGICF, gjm_bitsf(sum)};
}

// The same for x * factor, in one operation less.
static inline gjm_int gjm_nearest_muladd(double x, double factor) {
  double sum = GJM_MULADD(x, factor, GJM_MAGIC);
  return (gjm_int){sum - GJM_MAGIC, gjm_bits(sum)};
}
static inline gjm_intf gjm_nearest_muladdf(float x, float factor) {
  float sum = GJM_MULADDF(x, factor, GJM_MAGICF);
  return (gjm_intf){sum - GJM_MAGICF, gjm_bitsf(sum)};
}

// The double equal to the unsigned integer n < 2^52; the float equal to n < 2^23.
static inline double gjm_from_uint(uint64_t n) {
  return gjm_double(n | 0x4330000000000000u) - 0x1p52;
}
static inline float gjm_from_uintf(uint32_t n) { return gjm_float(n | 0x4b000000u) - 0x1p23f; }

// 2^k for k (two's complement, higher bits ignored) in [-1022, 1023]; [-126, 127] for float.
static inline double gjm_pow2(uint64_t k) { return gjm_double((k + 1023) << 52); }
static inline float gjm_pow2f(uint32_t k) { return gjm_float((k + 127) << 23); }

// x * 2^k for an integer k in [-2044, 2046] ([-252, 254] for float), overflowing and underflowing
// as one rounding of an x near 1 would. Two factors, because 2^k itself may not be a double: the
// first is 2^(k/2 rounded), the bits of the second follow by a subtraction. The magic numbers carry
// the bias of the exponent, and what they have above is shifted out.
static inline double gjm_scale(double x, double k) {
  double half = GJM_MULADD(k, 0.5, GJM_MAGIC + 1023), all = k + (GJM_MAGIC + 2046);
  double first = gjm_double(gjm_bits(half) << 52);
  return x * first * gjm_double((gjm_bits(all) - gjm_bits(half)) << 52);
}
static inline float gjm_scalef(float x, float k) {
  float half = GJM_MULADDF(k, 0.5f, GJM_MAGICF + 127), all = k + (GJM_MAGICF + 254);
  float first = gjm_float(gjm_bitsf(half) << 23);
  return x * first * gjm_float((gjm_bitsf(all) - gjm_bitsf(half)) << 23);
}

// ---- exact sums and products --------------------------------------------------------------------

// a + b exactly, for |a| >= |b| or a == 0 (Dekker 1971).
static inline gjm_dd gjm_fast_two_sum(double a, double b) {
  double s = a + b;
  return (gjm_dd){s, (a - s) + b};
}
static inline gjm_ff gjm_fast_two_sumf(float a, float b) {
  float s = a + b;
  return (gjm_ff){s, (a - s) + b};
}

// a + b exactly, whatever their order (Knuth, TAOCP 2, 4.2.2).
static inline gjm_dd gjm_two_sum(double a, double b) {
  double s = a + b, v = s - a;
  return (gjm_dd){s, (a - (s - v)) + (b - v)};
}
static inline gjm_ff gjm_two_sumf(float a, float b) {
  float s = a + b, v = s - a;
  return (gjm_ff){s, (a - (s - v)) + (b - v)};
}

// x with its low 27 bits cleared: 26 significant bits remain, and the difference fits in 27.
// Products of two such heads are exact. For float 12 of 24 bits remain.
static inline double gjm_head(double x) { return gjm_double(gjm_bits(x) & 0xfffffffff8000000u); }
static inline float gjm_headf(float x) { return gjm_float(gjm_bitsf(x) & 0xfffff000u); }

// a * b as hi + lo. Fused: exact. Strict: the partial products of the heads and tails; the product
// of the tails may round, which costs 2^-106 of the result (2^-47 for float). Products must stay in
// the normal range.
static inline gjm_dd gjm_two_prod(double a, double b) {
  double p = a * b;
#ifdef GJ_MATH_FMA
  return (gjm_dd){p, __builtin_fma(a, b, -p)};
#else
  double ah = gjm_head(a), bh = gjm_head(b), al = a - ah, bl = b - bh;
  return (gjm_dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}
static inline gjm_ff gjm_two_prodf(float a, float b) {
  float p = a * b;
#ifdef GJ_MATH_FMA
  return (gjm_ff){p, __builtin_fmaf(a, b, -p)};
#else
  float ah = gjm_headf(a), bh = gjm_headf(b), al = a - ah, bl = b - bh;
  return (gjm_ff){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

// ---- double-double ------------------------------------------------------------------------------

// hi + lo brought back to |lo| <= ulp(hi)/2, for |hi| >= |lo|.
static inline gjm_dd gjm_dd_norm(gjm_dd a) { return gjm_fast_two_sum(a.hi, a.lo); }
static inline gjm_ff gjm_ff_norm(gjm_ff a) { return gjm_fast_two_sumf(a.hi, a.lo); }

// The sums are right to 2^-104 of the larger operand, products and quotients to 2^-102 of the
// result. Of the float forms only the quotient has a use.
static inline gjm_dd gjm_dd_add(gjm_dd a, gjm_dd b) {
  gjm_dd s = gjm_two_sum(a.hi, b.hi);
  return gjm_fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

static inline gjm_dd gjm_dd_add_d(gjm_dd a, double b) {
  gjm_dd s = gjm_two_sum(a.hi, b);
  return gjm_fast_two_sum(s.hi, s.lo + a.lo);
}

static inline gjm_dd gjm_dd_mul(gjm_dd a, gjm_dd b) {
  gjm_dd p = gjm_two_prod(a.hi, b.hi);
  return gjm_fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// One division: the remainder of the first quotient is exact, and its own quotient needs few bits.
static inline gjm_dd gjm_dd_div(gjm_dd a, gjm_dd b) {
  double inv = 1.0 / b.hi, q = a.hi * inv;
#ifdef GJ_MATH_FMA
  double rest = __builtin_fma(-q, b.hi, a.hi) + __builtin_fma(-q, b.lo, a.lo);
#else
  gjm_dd p = gjm_two_prod(q, b.hi);
  double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
#endif
  return gjm_fast_two_sum(q, rest * inv);
}
static inline gjm_ff gjm_ff_div(gjm_ff a, gjm_ff b) {
  float inv = 1.0f / b.hi, q = a.hi * inv;
#ifdef GJ_MATH_FMA
  float rest = __builtin_fmaf(-q, b.hi, a.hi) + __builtin_fmaf(-q, b.lo, a.lo);
#else
  gjm_ff p = gjm_two_prodf(q, b.hi);
  float rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
#endif
  return gjm_fast_two_sumf(q, rest * inv);
}

// ---- polynomials --------------------------------------------------------------------------------

// c0 + c1 x, c0 + c1 x + c2 x^2, ...: pN has degree N. x2 is x * x, which makes the dependency
// chain shorter (Estrin). The longer ones compute it themselves; those longer still are put
// together in the same way: p3(low) + x4 * p3(high).
static inline double gjm_p1(double x, double c0, double c1) { return GJM_MULADD(c1, x, c0); }
static inline double gjm_p2(double x, double x2, double c0, double c1, double c2) {
  return GJM_MULADD(c2, x2, gjm_p1(x, c0, c1));
}
static inline double gjm_p3(double x, double x2, double c0, double c1, double c2, double c3) {
  return GJM_MULADD(gjm_p1(x, c2, c3), x2, gjm_p1(x, c0, c1));
}
static inline double gjm_p7(double x, double c0, double c1, double c2, double c3, double c4,
                            double c5, double c6, double c7) {
  double x2 = x * x;
  return GJM_MULADD(x2 * x2, gjm_p3(x, x2, c4, c5, c6, c7), gjm_p3(x, x2, c0, c1, c2, c3));
}
static inline double gjm_p9(double x, double c0, double c1, double c2, double c3, double c4,
                            double c5, double c6, double c7, double c8, double c9) {
  double x2 = x * x, x4 = x2 * x2;
  double high = GJM_MULADD(x4, gjm_p1(x, c8, c9), gjm_p3(x, x2, c4, c5, c6, c7));
  return GJM_MULADD(x4, high, gjm_p3(x, x2, c0, c1, c2, c3));
}
static inline double gjm_p11(double x, double c0, double c1, double c2, double c3, double c4,
                             double c5, double c6, double c7, double c8, double c9, double c10,
                             double c11) {
  double x2 = x * x, x4 = x2 * x2;
  double high = GJM_MULADD(x4, gjm_p3(x, x2, c8, c9, c10, c11), gjm_p3(x, x2, c4, c5, c6, c7));
  return GJM_MULADD(x4, high, gjm_p3(x, x2, c0, c1, c2, c3));
}
static inline float gjm_p1f(float x, float c0, float c1) { return GJM_MULADDF(c1, x, c0); }
static inline float gjm_p2f(float x, float x2, float c0, float c1, float c2) {
  return GJM_MULADDF(c2, x2, gjm_p1f(x, c0, c1));
}
static inline float gjm_p3f(float x, float x2, float c0, float c1, float c2, float c3) {
  return GJM_MULADDF(gjm_p1f(x, c2, c3), x2, gjm_p1f(x, c0, c1));
}
static inline float gjm_p5f(float x, float c0, float c1, float c2, float c3, float c4, float c5) {
  float x2 = x * x, high = GJM_MULADDF(x2, gjm_p1f(x, c4, c5), gjm_p1f(x, c2, c3));
  return GJM_MULADDF(x2, high, gjm_p1f(x, c0, c1));
}

#endif
