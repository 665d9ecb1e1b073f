// Decimals from and to text and floats.
//
// From text: what a float may be written as, but not inf and nan; it is exact, and rounded half
// away from 0 to the scale of the type. To text: all digits of the scale, as in 1.50. In Gandiva's
// style numbers below 10^-6 have an exponent, 1.5E-7, as in Arrow and Java's BigDecimal.
//   From a float as Gandiva does it, the float is multiplied by 10^scale, which rounds, and the
//   product is rounded half
// away from 0: 16.285 with two digits is 16.29. To a float, the result is the nearest one.
#include "library/numbers/numbers.h"

enum { MOST_PRECISION = 38 };

static inline int64_t give(bool negative, gjl_u128 size, int64_t precision, int64_t out) {
  if (!gjl_is_less_128(size, gjl_ten_128(precision)))
    return GJL_OVERFLOW;
  if (negative)
    size = gjl_negate_128(size);
  __builtin_memcpy((void *)(uintptr_t)out, &size, sizeof size);
  return GJL_DONE;
}

static inline gjl_u128 load_size(int64_t x, bool *negative) {
  gjl_u128 value;
  __builtin_memcpy(&value, gjl_bytes(x), sizeof value);
  *negative = value.high >> 63;
  return *negative ? gjl_negate_128(value) : value;
}

// ---- text ---------------------------------------------------------------------------------------

// False if there are more than 38.
static inline bool append_digit(gjl_u128 *size, unsigned digit) {
  if (!gjl_is_less_128(*size, gjl_ten_128(MOST_PRECISION - 1)))
    return false;
  uint64_t carry = digit;
  size->low = gjl_multiply_add(size->low, 10, &carry);
  size->high = size->high * 10 + carry;
  return true;
}

int64_t gjl_decimal_from_text(int64_t text, int64_t length, int64_t scale, int64_t precision,
                              int64_t out) {
  gjl_number number;
  if (!gjl_take_number(gjl_trim(text, length), &number))
    return GJL_INVALID;
  // A 1 in place of the first digit is worth 10^power of what the decimal counts in.
  int64_t power = number.last + scale - 1;
  for (const unsigned char *p = number.from; p < number.end; p++)
    power += *p != '.';
  gjl_u128 size = {0, 0};
  const unsigned char *p = number.from;
  for (; p < number.end && power >= 0; p++) {
    if (*p == '.')
      continue;
    if (!append_digit(&size, *p - '0'))
      return GJL_OVERFLOW;
    power--;
  }
  // The digits that are left are below 1, the first one being the tenths if none were left out
  // before it.
  while (p < number.end && *p == '.')
    p++;
  if (p < number.end && power == -1 && *p >= '5')
    size = gjl_add_128(size, (gjl_u128){1, 0});
  for (; power >= 0 && (size.low | size.high); power--)
    if (!append_digit(&size, 0))
      return GJL_OVERFLOW;
  return give(number.negative, size, precision, out);
}

// The digits of a number, from the last place before `end` on; the first one.
static unsigned char *put_digits_before(unsigned char *end, gjl_u128 size) {
  gjl_u256 rest = gjl_wide(size);
  while (rest.limbs[1]) {
    uint64_t low = gjl_divide_by_word(&rest, gjl_ten_64(18));
    end -= 18;
    gjl_put_digits(end, low, 18);
  }
  int64_t count = gjl_count_digits(rest.limbs[0]);
  gjl_put_digits(end - count, rest.limbs[0], count);
  return end - count;
}

enum {
  MOST_DIGITS = 39,
  LONGEST = 48
}; // of 128 bits; of text: a sign, a point, E-38 beside the digits

int64_t gjl_decimal_to_text(int64_t x, int64_t scale, int64_t style, int64_t out, int64_t arena) {
  bool negative;
  gjl_u128 size = load_size(x, &negative);
  unsigned char *from = gjl_take(arena, LONGEST), *p = from;
  if (!from)
    return GJL_MORE;
  if (negative)
    *p++ = '-';
  unsigned char buffer[MOST_DIGITS];
  const unsigned char *digits = put_digits_before(buffer + MOST_DIGITS, size);
  int64_t count = buffer + MOST_DIGITS - digits, power = count - 1 - scale;
  bool plain = style || scale == 0 || power >= -6;
  // Where the point is, in digits; zeros go before the first one until it is behind a digit.
  int64_t point = plain ? count - scale : 1;
  int64_t at = point < 1 ? point - 1 : 0;
  for (; at < count; at++) {
    if (at == point)
      *p++ = '.';
    *p++ = at < 0 ? '0' : digits[at];
  }
  if (!plain) {
    *p++ = 'E';
    *p++ = '-';
    int64_t places = gjl_count_digits((uint64_t)-power);
    gjl_put_digits(p, (uint64_t)-power, places);
    p += places;
  }
  gjl_give_taken(out, arena, from, p);
  return GJL_DONE;
}

// ---- floats -------------------------------------------------------------------------------------

// 10 · 10 · … · 10, each product rounded.
static inline double ten_by_tens(int64_t power) {
  double product = 1;
  while (power-- > 0)
    product *= 10;
  return product;
}

int64_t gjl_decimal_from_float64(int64_t value, int64_t scale, int64_t precision, int64_t out) {
  double scaled = gjl_f64((uint64_t)value & INT64_MAX) * ten_by_tens(scale);
  if (!(scaled < 0x1p127))
    return GJL_OVERFLOW;
  gjl_u128 size = {0, 0};
  if (scaled < 0x1p52) {
    size.low = (uint64_t)(int64_t)scaled;
    size.low += scaled - (double)(int64_t)size.low >= 0.5;
  } else {
    // A whole number, of 53 bits and zeros.
    uint64_t bits = gjl_f64_bits(scaled), mantissa = (bits << 12 >> 12) | UINT64_C(1) << 52;
    int shift = (int)(bits >> 52) - 1023 - 52;
    size = gjl_multiply_64(mantissa, UINT64_C(1) << (shift < 63 ? shift : 63));
    if (shift > 63)
      size = gjl_multiply_128(size, (gjl_u128){UINT64_C(1) << (shift - 63), 0});
  }
  return give(value < 0, size, precision, out);
}

int64_t gjl_decimal_to_float64(int64_t x, int64_t scale) {
  bool negative;
  gjl_u128 size = load_size(x, &negative);
  unsigned char buffer[MOST_DIGITS];
  gjl_number number = {.digits = size.low, .exponent = -scale};
  if (size.high || size.low >= gjl_ten_64(19)) {
    const unsigned char *digits = put_digits_before(buffer + MOST_DIGITS, size);
    gjl_take_number((gjl_text){digits, buffer + MOST_DIGITS}, &number);
    number.exponent -= scale;
    number.last -= scale;
  }
  return (int64_t)(gjl_number_to_f64(&number) | (uint64_t)negative << 63);
}
