// x * y + z rounded once, for targets without the instruction; correctly rounded for all operands.
//
// f64: the product is taken as an exact sum of two doubles, z is added by exact sums, and what
// these leave is rounded to odd before the last addition, so that rounding twice does no harm
// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). Rare are products
// near the ends of the exponent range, infinities and NaN; those are computed in integers. f32: the
// product is exact in double, and only its sum with z needs rounding to odd.
#include "math/gjm.h"

#ifdef GJ_MATH_FMA

double gjm_fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
float gjm_fma_f32(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

#else

// a + b rounded to odd: if inexact, to the neighbour whose last bit is 1. NaN and infinity stay.
static inline double fma_add_odd(double a, double b) {
  gjm_dd s = gjm_two_sum(a, b);
  uint64_t bits = gjm_bits(s.hi);
  uint64_t away = (bits ^ gjm_bits(s.lo)) & GJM_SIGN; // the rest points towards zero
  int inexact = gjm_abs(s.lo) > 0.0;
  uint64_t step = gjm_pick_u64(away != 0, UINT64_MAX, 1);
  return gjm_double(bits + gjm_pick_u64(inexact & !(bits & 1), step, 0));
}

// x rounded to 26 significant bits; the rest has 26 as well, so partial products are exact.
static inline double fma_head(double x) {
  return gjm_double((gjm_bits(x) + 0x4000000u) & 0xfffffffff8000000u);
}

double gjm_fma_f64(double x, double y, double z) {
  double p = x * y;
  double xh = fma_head(x), yh = fma_head(y), xl = x - xh, yl = y - yh;
  double rest = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
  gjm_dd low = gjm_two_sum(z, rest);
  gjm_dd high = gjm_two_sum(p, low.hi);
  double sum = high.hi + fma_add_odd(high.lo, low.lo);
  // The exact sums lose the sign of a zero.
  return gjm_pick(sum == 0.0, p + z, sum);
}

// With |x|, |y| <= 2^500 and |x * y| >= 2^-500 both are normal, so that their heads are near them,
// and the product has its last place above the least number.
int gjm_fma_f64_rare(double x, double y, double z) {
  double p = gjm_abs(x * y);
  int zero = x == 0.0 || y == 0.0, large = p >= 0x1p-500;
  int fits = gjm_abs(x) <= 0x1p500 && gjm_abs(y) <= 0x1p500 && gjm_abs(z) <= 0x1p1000;
  return !((zero || large) && fits);
}

// high * 2^64 + low. The compiler's own 128-bit integers would be calls of its library on wasm.
typedef struct {
  uint64_t high, low;
} fma_wide;

static inline fma_wide fma_shift_left(fma_wide a, unsigned by) { // by < 128
  if (by >= 64)
    return (fma_wide){a.low << (by - 64), 0};
  return by ? (fma_wide){a.high << by | a.low >> (64 - by), a.low << by} : a;
}

// The bits shifted out leave their trace in the last one.
static inline fma_wide fma_shift_right(fma_wide a, int by) {
  if (by == 0)
    return a;
  if (by >= 128)
    return (fma_wide){0, (a.high | a.low) != 0};
  fma_wide lost = fma_shift_left(a, (unsigned)(128 - by));
  uint64_t trace = (lost.high | lost.low) != 0;
  if (by >= 64)
    return (fma_wide){0, (by == 64 ? a.high : a.high >> (by - 64)) | trace};
  return (fma_wide){a.high >> by, (a.low >> by | a.high << (64 - by)) | trace};
}

static inline fma_wide fma_add(fma_wide a, fma_wide b) {
  uint64_t low = a.low + b.low;
  return (fma_wide){a.high + b.high + (low < a.low), low};
}

static inline fma_wide fma_subtract(fma_wide a, fma_wide b) {
  return (fma_wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static inline unsigned fma_leading_zeros(fma_wide a) { // a is not 0
  return a.high ? (unsigned)__builtin_clzll(a.high) : 64 + (unsigned)__builtin_clzll(a.low);
}

static inline fma_wide fma_multiply(uint64_t a, uint64_t b) {
  uint64_t ah = a >> 32, al = a & 0xffffffffu, bh = b >> 32, bl = b & 0xffffffffu;
  uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffffu);
  return (fma_wide){ah * bh + (middle >> 32) + (other >> 32),
                    other << 32 | (al * bl & 0xffffffffu)};
}

// A finite number: significand * 2^exponent.
static inline uint64_t fma_split(double x, int *exponent) {
  uint64_t bits = gjm_bits(x) & ~GJM_SIGN, fraction = bits & 0xfffffffffffffu;
  int field = (int)(bits >> 52);
  *exponent = (field ? field : 1) - 1075;
  return field ? fraction | 0x10000000000000u : fraction;
}

// a * 2^exponent, a not 0, rounded to nearest.
static inline double fma_round(fma_wide a, int exponent, uint64_t sign) {
  unsigned zeros = fma_leading_zeros(a);
  a = fma_shift_left(a, zeros);
  uint64_t top = a.high | (a.low != 0);
  int leading = exponent + 127 - (int)zeros; // the value is in [2^leading, 2^(leading + 1))
  if (leading >= 1024)
    return gjm_double(sign | 0x7ff0000000000000u);
  int drop = leading >= -1022 ? 11 : 11 - 1022 - leading;
  if (drop > 64) // below half of the least number
    return gjm_double(sign);
  uint64_t kept = drop == 64 ? 0 : top >> drop, rest = drop == 64 ? top : top << (64 - drop);
  uint64_t half = 0x8000000000000000u;
  kept += rest > half || (rest == half && (kept & 1));
  // The hidden bit counts as one step of the exponent, as does a carry out of the rounding.
  uint64_t field = leading >= -1022 ? (uint64_t)(leading + 1022) << 52 : 0;
  return gjm_double(sign | (field + kept));
}

double gjm_fma_f64_slow(double x, double y, double z) {
  if (!(gjm_abs(x) < GJM_INF && gjm_abs(y) < GJM_INF) || x == 0.0 || y == 0.0)
    return x * y + z;
  if (!(gjm_abs(z) < GJM_INF))
    return z;
  if (z == 0.0)
    return x * y;
  int x_exponent, y_exponent, z_exponent;
  fma_wide p = fma_multiply(fma_split(x, &x_exponent), fma_split(y, &y_exponent));
  fma_wide addend = {0, fma_split(z, &z_exponent)};
  int p_exponent = x_exponent + y_exponent;
  uint64_t p_sign = (gjm_bits(x) ^ gjm_bits(y)) & GJM_SIGN, z_sign = gjm_bits(z) & GJM_SIGN;
  // Both with their leading bit at 125, which leaves room for a carry. Where bits are shifted out
  // the exponents differ by more than 20, and then the sum keeps its leading bit or the next.
  unsigned p_shift = fma_leading_zeros(p) - 2, z_shift = fma_leading_zeros(addend) - 2;
  p = fma_shift_left(p, p_shift);
  addend = fma_shift_left(addend, z_shift);
  p_exponent -= (int)p_shift;
  z_exponent -= (int)z_shift;
  int exponent = p_exponent > z_exponent ? p_exponent : z_exponent;
  p = fma_shift_right(p, exponent - p_exponent);
  addend = fma_shift_right(addend, exponent - z_exponent);
  if (p_sign == z_sign)
    return fma_round(fma_add(p, addend), exponent, p_sign);
  int below = p.high < addend.high || (p.high == addend.high && p.low < addend.low);
  fma_wide rest = below ? fma_subtract(addend, p) : fma_subtract(p, addend);
  return rest.high | rest.low ? fma_round(rest, exponent, below ? z_sign : p_sign) : 0.0;
}

float gjm_fma_f32(float x, float y, float z) {
  return (float)fma_add_odd((double)x * (double)y, (double)z);
}

#endif
