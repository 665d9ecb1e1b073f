// The half types: a pattern as the number it means, and the pattern nearest to a number.
//
// Written from what the formats are, an integer times a power of two, and not from how bits of one
// are made of those of another: generated code does that and is compared with this.
//
//   f16   IEEE 754 binary16: 11 digits, exponents -14 to 15
//   bf16  the upper half of binary32: 8 digits, exponents -126 to 127

#include "ops/half.h"

#include <math.h>
#include <string.h>

// Numbers are m · 2^(e - (digits - 1)) with m below 2^digits and e from `least` to `bias`.
typedef struct format {
  int digits, least, bias;
} format;

static format format_of(gj_dtype dtype) {
  return dtype == GJ_DTYPE_f16 ? (format){11, -14, 15} : (format){8, -126, 127};
}

// A NaN as bits: the payload of either lies in the fraction, aligned at its top.
static double nan_value(format f, bool negative, uint64_t fraction) {
  uint64_t bits = (uint64_t)negative << 63 | UINT64_C(0x7FF) << 52 | fraction << (53 - f.digits);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint16_t nan_bits(format f, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t one = UINT32_C(1) << (f.digits - 1);
  uint32_t fraction = (uint32_t)(bits >> (53 - f.digits)) & (one - 1);
  // A payload that sits in the dropped bits alone would turn the NaN into an infinity.
  fraction = fraction ? fraction : one / 2;
  return (uint16_t)((uint32_t)(bits >> 63) << 15 | (0x7FFFu & ~(one - 1)) | fraction);
}

double gj__half_value(gj_dtype dtype, uint16_t bits) {
  format f = format_of(dtype);
  bool negative = bits >> 15;
  int exponent = (bits & 0x7FFF) >> (f.digits - 1), one = 1 << (f.digits - 1);
  int fraction = bits & (one - 1);
  if (exponent == 2 * f.bias + 1 && fraction)
    return nan_value(f, negative, (uint64_t)fraction);
  double magnitude = exponent == 2 * f.bias + 1 ? INFINITY
                     : exponent == 0            ? ldexp(fraction, f.least - (f.digits - 1))
                                     : ldexp(one + fraction, exponent - f.bias - (f.digits - 1));
  return negative ? -magnitude : magnitude;
}

uint16_t gj__half_bits(gj_dtype dtype, double value) {
  format f = format_of(dtype);
  if (isnan(value))
    return nan_bits(f, value);
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  int infinity = (2 * f.bias + 1) << (f.digits - 1), exponent = 0;
  double magnitude = fabs(value);
  if (isinf(value) || magnitude == 0)
    return (uint16_t)(sign | (magnitude == 0 ? 0 : infinity));
  frexp(magnitude, &exponent); // magnitude is in [2^(exponent - 1), 2^exponent)
  exponent = exponent - 1 < f.least ? f.least : exponent - 1;
  if (exponent > f.bias)
    return (uint16_t)(sign | infinity);
  double steps = ldexp(magnitude, f.digits - 1 - exponent); // exact
  double below = floor(steps), part = steps - below;
  int count = (int)below + (part > 0.5 || (part == 0.5 && fmod(below, 2) != 0));
  // The count has the hidden one, which raises the exponent field by one if there is one.
  int bits = ((exponent - f.least) << (f.digits - 1)) + count;
  return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}
