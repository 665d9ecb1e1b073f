// The reduction shared by the fast logarithms.
//
// x = 2^k m with m in [2/3, 4/3), cut into 16 intervals by its leading bits; with c the reciprocal
// of the middle of its interval, log x = k log 2 - log c + log(1 + r), r = c m - 1, |r| < 0.03. The
// interval around 1 has c = 1, so r is exact there and nothing cancels. Both tables fit into vector
// registers (codegen/mathlib/lookup.c), and no division is left. Subnormal arguments count as zero.
#ifndef GJ_MATH_LOG_FAST_H
#define GJ_MATH_LOG_FAST_H

#include "math/gjm.h"

static const double gjm_log_inverse[16] = {0x1.7734c36b7b1d5p0,
                                           0x1.66c612afa64e8p0,
                                           0x1.57b864407292dp0,
                                           0x1.49e112e63a6a9p0,
                                           0x1.3d1c13d1c13d2p0,
                                           0x1.314abba098a56p0,
                                           0x1.2652c7480c437p0,
                                           0x1.1c1d986a8b193p0,
                                           0x1.12979907269d5p0,
                                           0x1.09afbd94109bp0,
                                           0x1p0,
                                           0x1.e6a74981446f9p-1,
                                           0x1.cb5d4ef40992p-1,
                                           0x1.b2f9341b2f935p-1,
                                           0x1.9d0ac19d0ac1ap-1,
                                           0x1.89374bc6a7efap-1};
static const float gjm_log_inversef[16] = {
    0x1.7734c4p0f,  0x1.66c612p0f,  0x1.57b864p0f,  0x1.49e112p0f, 0x1.3d1c14p0f, 0x1.314abcp0f,
    0x1.2652c8p0f,  0x1.1c1d98p0f,  0x1.12979ap0f,  0x1.09afbep0f, 0x1p0f,        0x1.e6a74ap-1f,
    0x1.cb5d4ep-1f, 0x1.b2f934p-1f, 0x1.9d0ac2p-1f, 0x1.89374cp-1f};

typedef struct {
  double k, r;
  uint64_t index;
} gjm_log_part;
typedef struct {
  float k, r;
  uint32_t index;
} gjm_log_partf;

// For positive normal x; the offset is the distance from the bits of 2/3 to those of 1.
static inline gjm_log_part gjm_log_split_fast(double x) {
  uint64_t u = gjm_bits(x) - 0x3fe5555555555555u, index = (u >> 48) & 15;
  double m = gjm_double(gjm_bits(x) - (u & 0xfff0000000000000u));
  double k = (double)((int64_t)u >> 52);
  return (gjm_log_part){k, GJM_MULADD(m, gjm_log_inverse[index], -1.0), index};
}
static inline gjm_log_partf gjm_log_split_fastf(float x) {
  uint32_t u = gjm_bitsf(x) - 0x3f2aaaabu, index = (u >> 19) & 15;
  float m = gjm_float(gjm_bitsf(x) - (u & 0xff800000u));
  float k = (float)((int32_t)u >> 23);
  return (gjm_log_partf){k, GJM_MULADDF(m, gjm_log_inversef[index], -1.0f), index};
}

// Zero, negative numbers, infinity and NaN.
static inline double gjm_log_special_fast(double x, double y) {
  y = gjm_pick(x < GJM_INF, y, x);
  return gjm_pick(x >= 0x1p-1022, y, gjm_pick(gjm_abs(x) < 0x1p-1022, -GJM_INF, GJM_NAN));
}
static inline float gjm_log_special_fastf(float x, float y) {
  y = gjm_pickf(x < GJM_INFF, y, x);
  return gjm_pickf(x >= 0x1p-126f, y, gjm_pickf(gjm_absf(x) < 0x1p-126f, -GJM_INFF, GJM_NANF));
}

#endif
