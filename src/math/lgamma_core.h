// log|Gamma(x)| of positive x as a double-double, in three pieces.
//
//   near the roots 1 and 2     (x - 1)(x - 2) f(x), which keeps the relative error at the roots
//   x < 57/64                  the same at x + 1, less log(x)
//   x >= 2.251                 Stirling's series, (x - 1/2)(log(x) - 1) + const + c(1/x)/x
//
// The last two use a logarithm in double-double, since their terms nearly cancel where the result
// is small. f and c are minimax fits, weighted for the relative error of the result (Remez with
// mpmath); c has no asymptotic series' limit of validity and reaches down to 9/4.
#ifndef GJ_MATH_LGAMMA_CORE_H
#define GJ_MATH_LGAMMA_CORE_H

#include "math/gjm.h"

#define GJM_LGAMMA_SHIFT 0.890625
#define GJM_LGAMMA_FAR 2.2509765625 // where the result reaches 1/8, a new binade

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); for normal x.
typedef struct {
  double k, m;
} gjm_lgamma_parts;

static inline gjm_lgamma_parts gjm_lgamma_split(double x) {
  const uint64_t root = 0x3fe6a09e667f3bcdu;
  uint64_t shifted = gjm_bits(x) - root + 0x3ff0000000000000u;
  double m = gjm_double((shifted & 0xfffffffffffffu) + root);
  return (gjm_lgamma_parts){gjm_from_uint(shifted >> 52) - 1023.0, m};
}

// log(x), absolute error 2^-61: log(m) = 2 atanh(s) with s = (m - 1)/(m + 1) in two parts (Tang,
// ACM TOMS 16, 1990). The polynomial is a fpminimax fit of (2 atanh(s) - 2 s)/s^3 for |s| < 0.1716.
static inline gjm_dd gjm_lgamma_log(double x) {
  gjm_lgamma_parts parts = gjm_lgamma_split(x);
  gjm_dd s = gjm_dd_div((gjm_dd){parts.m - 1.0, 0.0}, gjm_fast_two_sum(1.0, parts.m));
  double w = s.hi * s.hi, w2 = w * w;
  double high = gjm_p2(w, w2, 0x1.7467f4500307dp-3, 0x1.39795ef315001p-3, 0x1.307e974083257p-3);
  double low = gjm_p3(w, w2, 0x1.55555555555d6p-1, 0x1.999999996e544p-2, 0x1.2492494ef6bbcp-2,
                      0x1.c71c48c5bc267p-3);
  double cubic = s.hi * w * GJM_MULADD(w2 * w2, high, low);
  gjm_dd sum = gjm_two_sum(parts.k * 0x1.62e42fefa3800p-1, 2.0 * s.hi);
  double rest = GJM_MULADD(parts.k, 0x1.ef35793c76730p-45, 2.0 * s.lo) + cubic;
  return gjm_fast_two_sum(sum.hi, sum.lo + rest);
}

// lgamma(1 + t) for t in [-7/64, 1.251]; f has 26 terms about 1.5703125, relative error 2^-57.6.
static inline double gjm_lgamma_near(double t) {
  double u = t - 0x1.24p-1, u2 = u * u, u4 = u2 * u2;
  double g = GJM_MULADD(u4, -0x1.ba6711a195a76p-21,
                        gjm_p3(u, u2, -0x1.57791dfee4566p-19, -0x1.ea42dccb5deb3p-22,
                               0x1.b054d53ba209dp-22, 0x1.55dbe1f8b3453p-20));
  double f = gjm_p3(u, u2, -0x1.9b08792d4c3aap-17, 0x1.bd6d26b0640efp-18, -0x1.069aef6aaefabp-18,
                    0x1.0885fa41f8a92p-18);
  double e = gjm_p3(u, u2, -0x1.84258c02c557dp-14, 0x1.cf61af2e46bb7p-15, -0x1.15d628d374972p-15,
                    0x1.52e2080973c6ap-16);
  double d = gjm_p3(u, u2, -0x1.9121fcf514f81p-11, 0x1.d476fe21c25aep-12, -0x1.13918273e8de3p-12,
                    0x1.46350dcababb0p-13);
  double c = gjm_p3(u, u2, -0x1.e6c084bd37146p-8, 0x1.0cc3e601c8c01p-8, -0x1.2eeeaaa0c9ad7p-9,
                    0x1.5a99c2efc236ep-10);
  double b = gjm_p3(u, u2, -0x1.19b679c6339c1p-3, 0x1.d1190e5f5a0aap-5, -0x1.ba9d1fdeb06a6p-6,
                    0x1.c5e0ead0266d6p-7);
  double high = GJM_MULADD(u4, GJM_MULADD(u4, GJM_MULADD(u4, g, f), e), d);
  high = GJM_MULADD(u4, GJM_MULADD(u4, high, c), b);
  // (1 - t) f is rounded once, so that only it and the product with t contribute half an ulp each.
  gjm_dd root = gjm_fast_two_sum(1.0, -t),
         factor = gjm_fast_two_sum(0x1.e485ce797b0a8p-2, u * high);
  gjm_dd product = gjm_two_prod(root.hi, factor.hi);
  double rest = GJM_MULADD(root.hi, factor.lo, root.lo * factor.hi);
  return -t * (product.hi + (product.lo + rest));
}

// x >= 9/4; c has 13 terms, error 2^-57.4 of the result. Overflow leaves hi infinite and lo zero.
static inline gjm_dd gjm_lgamma_stirling(double x, gjm_dd log) {
  double v = 1.0 / x, w = v * v, w2 = w * w, w4 = w2 * w2;
  double c = GJM_MULADD(w4, 0x1.61e566f56ee1bp-2,
                        gjm_p3(w, w2, 0x1.239d033654fa2p-4, -0x1.9fa493318c483p-3,
                               0x1.b235253e2cd03p-2, -0x1.1eabcd3b427e0p-1));
  double b = gjm_p3(w, w2, 0x1.b8c193c9dfb0dp-11, -0x1.eef26ed02ae86p-10, 0x1.7dee7800964dbp-8,
                    -0x1.53f6d05553ebep-6);
  double a = gjm_p3(w, w2, 0x1.5555555555282p-4, -0x1.6c16c164d6161p-9, 0x1.a019f3a999d8ep-11,
                    -0x1.380ff02bb7257p-11);
  double bend = v * GJM_MULADD(w4, GJM_MULADD(w4, c, b), a);
  gjm_dd slope = gjm_dd_add_d(log, -1.0), run = gjm_fast_two_sum(x, -0.5);
  gjm_dd product = gjm_two_prod(run.hi, slope.hi);
  double cross = GJM_MULADD(run.hi, slope.lo, run.lo * slope.hi);
  gjm_dd sum = gjm_two_sum(product.hi, 0x1.acfe390c97d69p-2);
  double lo = sum.lo + (product.lo + cross) + bend;
  return (gjm_dd){sum.hi, gjm_pick(sum.hi > 0x1.fffffffffffffp1023, 0.0, lo)};
}

// x >= 2^-1022, infinity and NaN included. Inlined by force: the main function must not contain a
// call, and two callers are too many for the compiler's liking.
__attribute__((always_inline)) static inline gjm_dd gjm_lgamma_positive(double x) {
  gjm_dd log = gjm_lgamma_log(x), far = gjm_lgamma_stirling(x, log);
  int shift = x < GJM_LGAMMA_SHIFT;
  double near = gjm_lgamma_near(gjm_pick(shift, x, x - 1.0));
  gjm_dd below = gjm_fast_two_sum(-log.hi, near - log.lo);
  near = gjm_pick(shift, below.hi, near);
  double near_lo = gjm_pick(shift, below.lo, 0.0);
  int middle = x < GJM_LGAMMA_FAR;
  return (gjm_dd){gjm_pick(middle, near, far.hi), gjm_pick(middle, near_lo, far.lo)};
}

#endif
