// decimal128: integers of 128 bits that stand for themselves · 10^-scale, 16 bytes each,
// little-endian.
//
// Precision and scale are of the type, so they are constants of the call; types of results follow
// Gandiva's rules, which are in lib/columns/types/decimal.js, as are the powers of ten that
// operands and results are scaled by. Results equal Gandiva's: exact in 256 bits, then rounded half
// away from 0 to the scale of the result; mod has the sign of x. What does not fit into the
// precision is GJL_OVERFLOW, where Gandiva gives other digits or 0.
//   Operands and results are the addresses of 16 bytes, of any alignment; `out` may be an operand.
//   Scales are 0 … 38,
// precisions 1 … 38.
//
// Sums and comparisons are a few instructions once they are inlined and know their constants; what
// is large or rare is behind a call.
#include "library/numbers/numbers.h"

enum { MOST_PRECISION = 38 };

static inline gjl_u128 load(int64_t address) {
  gjl_u128 value;
  __builtin_memcpy(&value, gjl_bytes(address), sizeof value);
  return value;
}

static inline void store(int64_t address, gjl_u128 value) {
  __builtin_memcpy((void *)(uintptr_t)address, &value, sizeof value);
}

static inline bool is_negative(gjl_u128 value) { return value.high >> 63; }
static inline bool is_zero(gjl_u128 value) { return !(value.low | value.high); }

static inline gjl_u128 size_of(gjl_u128 value) {
  return is_negative(value) ? gjl_negate_128(value) : value;
}

// ---- scaling ------------------------------------------------------------------------------------

typedef enum rounding { HALF_AWAY, TOWARDS_ZERO, UP, DOWN } rounding;

// *value / 10^power, rounded.
static void scale_down(gjl_u256 *value, bool negative, int64_t power, rounding how) {
  uint64_t rest = 0, unit = 1;
  bool below = false; // whether anything is left out below `rest`
  while (power > 0) {
    int64_t step = power < 19 ? power : 19;
    below = below || rest;
    unit = gjl_ten_64(step);
    rest = gjl_divide_by_word(value, unit);
    power -= step;
  }
  // `rest` has the highest of the digits that are dropped, so it alone says whether they are half
  // or more.
  bool away = how == HALF_AWAY ? rest && rest >= unit / 2
                               : (rest || below) && how == (negative ? DOWN : UP);
  if (away)
    gjl_add_256(value, &(gjl_u256){{1}});
}

static inline int64_t give(bool negative, const gjl_u256 *value, int64_t precision, int64_t out) {
  gjl_u128 size = {value->limbs[0], value->limbs[1]};
  if (value->limbs[2] | value->limbs[3] || !gjl_is_less_128(size, gjl_ten_128(precision)))
    return GJL_OVERFLOW;
  store(out, negative ? gjl_negate_128(size) : size);
  return GJL_DONE;
}

__attribute__((noinline)) static int64_t
scale_down_and_give(bool negative, gjl_u256 value, int64_t down, int64_t precision, int64_t out) {
  scale_down(&value, negative, down, HALF_AWAY);
  return give(negative, &value, precision, out);
}

// Whether value · 10^up is sure to be within ±2^125, so that two of them add up to less than 10^38.
static inline bool has_room(gjl_u128 value, int64_t up) {
  if (up > 18)
    return false;
  int64_t bits = up ? ((up * 1741647) >> 19) + 1 : 0; // of 10^up
  return value.high + (UINT64_C(1) << (61 - bits)) < UINT64_C(1) << (62 - bits);
}

static inline bool have_room(gjl_u128 x, gjl_u128 y, int64_t x_up, int64_t y_up) {
  return has_room(x, x_up) && has_room(y, y_up);
}

static inline gjl_u128 scale_up(gjl_u128 value, int64_t up) {
  return up ? gjl_multiply_128(value, gjl_ten_128(up)) : value;
}

static inline gjl_u256 wide_scale_up(gjl_u128 size, int64_t up) {
  return gjl_product(size, gjl_ten_128(up));
}

// ---- sums ---------------------------------------------------------------------------------------

__attribute__((noinline)) static int64_t add_wide(gjl_u128 x, gjl_u128 y, int64_t x_up,
                                                  int64_t y_up, int64_t down, int64_t precision,
                                                  int64_t out) {
  gjl_u256 a = wide_scale_up(size_of(x), x_up), b = wide_scale_up(size_of(y), y_up);
  bool negative = is_negative(x);
  if (negative == is_negative(y)) {
    gjl_add_256(&a, &b);
  } else if (gjl_compare_256(&a, &b) >= 0) {
    gjl_subtract_256(&a, &b);
  } else {
    gjl_subtract_256(&b, &a);
    a = b;
    negative = !negative;
  }
  return scale_down_and_give(negative, a, down, precision, out);
}

static inline int64_t add(gjl_u128 x, gjl_u128 y, int64_t x_up, int64_t y_up, int64_t down,
                          int64_t precision, int64_t out) {
  // A precision below 38 is not cut short: it has room for any sum of values that fit their own
  // types.
  bool fits = precision < MOST_PRECISION && down == 0;
  if (!fits && !have_room(x, y, x_up, y_up))
    return add_wide(x, y, x_up, y_up, down, precision, out);
  gjl_u128 sum = gjl_add_128(scale_up(x, x_up), scale_up(y, y_up));
  if (fits || down == 0) {
    store(out, sum);
    return GJL_DONE;
  }
  return scale_down_and_give(is_negative(sum), gjl_wide(size_of(sum)), down, precision, out);
}

// x · 10^x_up + y · 10^y_up, / 10^down.
int64_t gjl_decimal_add(int64_t x, int64_t y, int64_t x_up, int64_t y_up, int64_t down,
                        int64_t precision, int64_t out) {
  return add(load(x), load(y), x_up, y_up, down, precision, out);
}

int64_t gjl_decimal_subtract(int64_t x, int64_t y, int64_t x_up, int64_t y_up, int64_t down,
                             int64_t precision, int64_t out) {
  return add(load(x), gjl_negate_128(load(y)), x_up, y_up, down, precision, out);
}

// ---- comparing ----------------------------------------------------------------------------------

static inline bool is_less(gjl_u128 x, gjl_u128 y) {
  return (int64_t)x.high < (int64_t)y.high || (x.high == y.high && x.low < y.low);
}

static inline int64_t compare(gjl_u128 x, gjl_u128 y) { return is_less(y, x) - is_less(x, y); }

__attribute__((noinline)) static int64_t compare_wide(gjl_u128 x, gjl_u128 y, int64_t x_up,
                                                      int64_t y_up) {
  if (is_negative(x) != is_negative(y))
    return is_negative(x) ? -1 : 1;
  gjl_u256 a = wide_scale_up(size_of(x), x_up), b = wide_scale_up(size_of(y), y_up);
  int side = gjl_compare_256(&a, &b);
  return is_negative(x) ? -side : side;
}

// The sign of x · 10^x_up - y · 10^y_up.
int64_t gjl_decimal_compare(int64_t x, int64_t y, int64_t x_up, int64_t y_up) {
  gjl_u128 a = load(x), b = load(y);
  if ((x_up | y_up) == 0 || have_room(a, b, x_up, y_up))
    return compare(scale_up(a, x_up), scale_up(b, y_up));
  return compare_wide(a, b, x_up, y_up);
}

// Whether it is negative; for the four comparisons that ask which is less, which this is quicker
// for.
int64_t gjl_decimal_less(int64_t x, int64_t y, int64_t x_up, int64_t y_up) {
  gjl_u128 a = load(x), b = load(y);
  if ((x_up | y_up) == 0 || have_room(a, b, x_up, y_up))
    return is_less(scale_up(a, x_up), scale_up(b, y_up));
  return compare_wide(a, b, x_up, y_up) < 0;
}

int64_t gjl_decimal_equal(int64_t x, int64_t y, int64_t x_up, int64_t y_up) {
  gjl_u128 a = load(x), b = load(y);
  if ((x_up | y_up) && !have_room(a, b, x_up, y_up))
    return compare_wide(a, b, x_up, y_up) == 0;
  a = scale_up(a, x_up);
  b = scale_up(b, y_up);
  return a.low == b.low && a.high == b.high;
}

// ---- products -----------------------------------------------------------------------------------

// x · y / 10^down.
int64_t gjl_decimal_multiply(int64_t x, int64_t y, int64_t down, int64_t precision, int64_t out) {
  gjl_u128 a = load(x), b = load(y), a_size = size_of(a), b_size = size_of(b);
  bool negative = is_negative(a) != is_negative(b);
  gjl_u256 product = a_size.high | b_size.high ? gjl_product(a_size, b_size)
                                               : gjl_wide(gjl_multiply_64(a_size.low, b_size.low));
  if (down)
    return scale_down_and_give(negative, product, down, precision, out);
  return give(negative, &product, precision, out);
}

// ---- quotients ----------------------------------------------------------------------------------

// *value / divisor by Knuth's algorithm D in half words; `value` becomes the quotient. The divisor
// is not 0.
static void divide(gjl_u256 *value, const gjl_u256 *divisor, gjl_u256 *remainder) {
  uint32_t u[9] = {0}, v[8], q[8] = {0};
  int m = 8, n = 8;
  for (int i = 0; i < 8; i++) {
    u[i] = (uint32_t)(value->limbs[i / 2] >> 32 * (i & 1));
    v[i] = (uint32_t)(divisor->limbs[i / 2] >> 32 * (i & 1));
  }
  while (n > 1 && v[n - 1] == 0)
    n--;
  while (m > n && u[m - 1] == 0)
    m--;
  int shift = __builtin_clz(v[n - 1]);
  // Both are shifted so that the highest bit of the divisor is set.
  for (int i = m; i >= 0; i--)
    u[i] = (uint32_t)(((uint64_t)u[i] << 32 | (i ? u[i - 1] : 0)) >> (32 - shift));
  for (int i = n - 1; i >= 0; i--)
    v[i] = (uint32_t)(((uint64_t)v[i] << 32 | (i ? v[i - 1] : 0)) >> (32 - shift));
  for (int j = m - n; j >= 0; j--) {
    uint64_t top = (uint64_t)u[j + n] << 32 | u[j + n - 1];
    uint64_t guess = top / v[n - 1], rest = top % v[n - 1];
    while (guess >> 32 || (n > 1 && guess * v[n - 2] > (rest << 32 | u[j + n - 2]))) {
      guess--;
      rest += v[n - 1];
      if (rest >> 32)
        break;
    }
    uint64_t carry = 0, borrow = 0;
    for (int i = 0; i < n; i++) {
      carry += guess * v[i];
      uint64_t difference = (uint64_t)u[i + j] - (uint32_t)carry - borrow;
      u[i + j] = (uint32_t)difference;
      borrow = difference >> 63;
      carry >>= 32;
    }
    uint64_t difference = u[j + n] - carry - borrow;
    u[j + n] = (uint32_t)difference;
    if (difference >> 63) { // the guess was one too large
      guess--;
      carry = 0;
      for (int i = 0; i < n; i++) {
        carry += (uint64_t)u[i + j] + v[i];
        u[i + j] = (uint32_t)carry;
        carry >>= 32;
      }
      u[j + n] += (uint32_t)carry;
    }
    q[j] = (uint32_t)guess;
  }
  for (int i = 0; i < 4; i++) {
    value->limbs[i] = (uint64_t)q[2 * i + 1] << 32 | q[2 * i];
    uint64_t low = 2 * i < n ? u[2 * i] : 0, high = 2 * i + 1 < n ? u[2 * i + 1] : 0;
    remainder->limbs[i] = high << 32 | low;
  }
  for (int i = 0; i < 4; i++) {
    uint64_t above = i < 3 ? remainder->limbs[i + 1] : 0;
    remainder->limbs[i] =
        shift ? remainder->limbs[i] >> shift | above << (64 - shift) : remainder->limbs[i];
  }
}

// What has one word on either side is divided by the machine.
static inline void divide_256(gjl_u256 *value, const gjl_u256 *divisor, gjl_u256 *remainder) {
  if (divisor->limbs[1] | divisor->limbs[2] | divisor->limbs[3])
    divide(value, divisor, remainder);
  else
    *remainder = (gjl_u256){{gjl_divide_by_word(value, divisor->limbs[0])}};
}

// x · 10^up / y, where `up` is what the type of the result adds to scales, and not negative.
int64_t gjl_decimal_divide(int64_t x, int64_t y, int64_t up, int64_t precision, int64_t out) {
  gjl_u128 a = load(x), b = load(y);
  if (is_zero(b))
    return GJL_DIVISION;
  gjl_u256 value = gjl_wide(size_of(a)), divisor = gjl_wide(size_of(b)), rest;
  // Of more than 256 bits, a quotient by less than 10^38 would be more than 10^38.
  if (!gjl_scale_up(&value, up))
    return GJL_OVERFLOW;
  divide_256(&value, &divisor, &rest);
  gjl_add_256(&rest, &rest);
  if (gjl_compare_256(&rest, &divisor) >= 0)
    gjl_add_256(&value, &(gjl_u256){{1}});
  return give(is_negative(a) != is_negative(b), &value, precision, out);
}

// x · 10^x_up mod y · 10^y_up.
int64_t gjl_decimal_mod(int64_t x, int64_t y, int64_t x_up, int64_t y_up, int64_t out) {
  gjl_u128 a = load(x), b = load(y);
  if (is_zero(b))
    return GJL_DIVISION;
  gjl_u256 value = wide_scale_up(size_of(a), x_up), divisor = wide_scale_up(size_of(b), y_up), rest;
  divide_256(&value, &divisor, &rest);
  return give(is_negative(a), &rest, MOST_PRECISION, out);
}

// ---- one operand --------------------------------------------------------------------------------

int64_t gjl_decimal_negate(int64_t x, int64_t out) {
  store(out, gjl_negate_128(load(x)));
  return GJL_DONE;
}
int64_t gjl_decimal_abs(int64_t x, int64_t out) {
  store(out, size_of(load(x)));
  return GJL_DONE;
}
int64_t gjl_decimal_sign(int64_t x) { return compare(load(x), (gjl_u128){0, 0}); }

// Rounds to `digits` behind the point, which are before it if negative, and gives that with
// `out_scale`.
static inline int64_t round_to(int64_t x, int64_t scale, int64_t digits, int64_t out_scale,
                               int64_t precision, int64_t out, rounding how) {
  gjl_u128 from = load(x);
  bool negative = is_negative(from);
  gjl_u256 value = gjl_wide(size_of(from));
  if (digits > out_scale)
    digits = out_scale;
  if (digits < -2 * MOST_PRECISION)
    digits = -2 * MOST_PRECISION; // further than any digit
  if (digits > scale)
    digits = scale;
  scale_down(&value, negative, scale - digits, how);
  if (!gjl_scale_up(&value, out_scale - digits))
    return GJL_OVERFLOW;
  return give(negative, &value, precision, out);
}

#define ROUND(name, how)                                                                           \
  int64_t gjl_decimal_##name(int64_t x, int64_t scale, int64_t digits, int64_t out_scale,          \
                             int64_t precision, int64_t out) {                                     \
    return round_to(x, scale, digits, out_scale, precision, out, how);                             \
  }
ROUND(round, HALF_AWAY)
ROUND(truncate, TOWARDS_ZERO)
ROUND(ceil, UP)
ROUND(floor, DOWN)
#undef ROUND

// The same number with another scale and precision; rounded half away from 0.
int64_t gjl_decimal_rescale(int64_t x, int64_t scale, int64_t out_scale, int64_t precision,
                            int64_t out) {
  gjl_u128 value = load(x);
  if (scale == out_scale) {
    if (!gjl_is_less_128(size_of(value), gjl_ten_128(precision)))
      return GJL_OVERFLOW;
    store(out, value);
    return GJL_DONE;
  }
  return round_to(x, scale, out_scale, out_scale, precision, out, HALF_AWAY);
}

// ---- integers -----------------------------------------------------------------------------------

static inline int64_t from_integer(uint64_t size, bool negative, int64_t scale, int64_t precision,
                                   int64_t out) {
  gjl_u256 value = wide_scale_up((gjl_u128){size, 0}, scale);
  return give(negative, &value, precision, out);
}

int64_t gjl_decimal_from_int64(int64_t value, int64_t scale, int64_t precision, int64_t out) {
  return from_integer(gjl_magnitude(value), value < 0, scale, precision, out);
}

int64_t gjl_decimal_from_uint64(int64_t value, int64_t scale, int64_t precision, int64_t out) {
  return from_integer((uint64_t)value, false, scale, precision, out);
}

// Rounded half away from 0, and at most so far from it.
static inline int64_t to_integer(int64_t x, int64_t scale, uint64_t most, uint64_t most_negative,
                                 int64_t out) {
  gjl_u128 from = load(x);
  bool negative = is_negative(from);
  gjl_u256 value = gjl_wide(size_of(from));
  scale_down(&value, negative, scale, HALF_AWAY);
  if (value.limbs[1] || value.limbs[0] > (negative ? most_negative : most))
    return GJL_OVERFLOW;
  gjl_store_64(out, negative ? 0 - value.limbs[0] : value.limbs[0]);
  return GJL_DONE;
}

int64_t gjl_decimal_to_int64(int64_t x, int64_t scale, int64_t out) {
  return to_integer(x, scale, INT64_MAX, (uint64_t)INT64_MAX + 1, out);
}

int64_t gjl_decimal_to_uint64(int64_t x, int64_t scale, int64_t out) {
  return to_integer(x, scale, UINT64_MAX, 0, out);
}
