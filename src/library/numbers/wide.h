// Integers of 128 and 256 bits, for decimals and for numbers as text: what of them the library
// needs, inline.
//
// Values are without sign; whoever has a sign keeps it beside. Types of the compiler are used for
// one thing, the full product of two words, and not on wasm32, where that product would be a call
// of compiler-rt. Division is by hand everywhere for the same reason: no target divides 128 bits in
// line.
#ifndef GJ_LIBRARY_NUMBERS_WIDE_H
#define GJ_LIBRARY_NUMBERS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gjl_u128 {
  uint64_t low, high;
} gjl_u128;

typedef struct gjl_u256 {
  uint64_t limbs[4]; // the lowest first
} gjl_u256;

// 10^power for 0 … 19.
static inline uint64_t gjl_ten_64(int64_t power) {
  static const uint64_t tens[] = {1u,
                                  10u,
                                  100u,
                                  1000u,
                                  10000u,
                                  100000u,
                                  1000000u,
                                  10000000u,
                                  100000000u,
                                  1000000000u,
                                  10000000000u,
                                  100000000000u,
                                  1000000000000u,
                                  10000000000000u,
                                  100000000000000u,
                                  1000000000000000u,
                                  10000000000000000u,
                                  100000000000000000u,
                                  1000000000000000000u,
                                  10000000000000000000u};
  return tens[power];
}

static inline gjl_u128 gjl_multiply_64(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)a * b;
  return (gjl_u128){(uint64_t)product, (uint64_t)(product >> 64)};
#else
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0;
  uint64_t middle = a1 * b0 + (low >> 32);
  // LLVM knows this sum, and where only its high half is wanted it would multiply 128 bits after
  // all, by a call.
  __asm__("" : "+r"(middle));
  uint64_t other = a0 * b1 + (uint32_t)middle;
  return (gjl_u128){other << 32 | (uint32_t)low, a1 * b1 + (middle >> 32) + (other >> 32)};
#endif
}

static inline gjl_u128 gjl_add_128(gjl_u128 a, gjl_u128 b) {
  uint64_t low = a.low + b.low;
  return (gjl_u128){low, a.high + b.high + (low < a.low)};
}

static inline gjl_u128 gjl_negate_128(gjl_u128 a) {
  return (gjl_u128){0 - a.low, 0 - a.high - (a.low != 0)};
}

static inline bool gjl_is_less_128(gjl_u128 a, gjl_u128 b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

// The low 128 bits of the product, whatever sign they have.
static inline gjl_u128 gjl_multiply_128(gjl_u128 a, gjl_u128 b) {
  gjl_u128 product = gjl_multiply_64(a.low, b.low);
  product.high += a.low * b.high + a.high * b.low;
  return product;
}

// 10^power for 0 … 38.
static inline gjl_u128 gjl_ten_128(int64_t power) {
  if (power <= 19)
    return (gjl_u128){gjl_ten_64(power), 0};
  return gjl_multiply_64(gjl_ten_64(19), gjl_ten_64(power - 19));
}

// a * b + carry, whose high word becomes the carry.
static inline uint64_t gjl_multiply_add(uint64_t a, uint64_t b, uint64_t *carry) {
  gjl_u128 sum = gjl_add_128(gjl_multiply_64(a, b), (gjl_u128){*carry, 0});
  *carry = sum.high;
  return sum.low;
}

static inline gjl_u256 gjl_wide(gjl_u128 a) { return (gjl_u256){{a.low, a.high, 0, 0}}; }

static inline gjl_u256 gjl_product(gjl_u128 a, gjl_u128 b) {
  gjl_u128 low = gjl_multiply_64(a.low, b.low);
  // A product of two words and two words more still fit into two.
  gjl_u128 middle = gjl_add_128(gjl_multiply_64(a.low, b.high), (gjl_u128){low.high, 0});
  gjl_u128 other = gjl_add_128(gjl_multiply_64(a.high, b.low), (gjl_u128){middle.low, 0});
  gjl_u128 high = gjl_add_128(gjl_multiply_64(a.high, b.high), (gjl_u128){middle.high, 0});
  high = gjl_add_128(high, (gjl_u128){other.high, 0});
  return (gjl_u256){{low.low, other.low, high.low, high.high}};
}

static inline int gjl_compare_256(const gjl_u256 *a, const gjl_u256 *b) {
  for (int i = 3; i >= 0; i--)
    if (a->limbs[i] != b->limbs[i])
      return a->limbs[i] < b->limbs[i] ? -1 : 1;
  return 0;
}

// *a += b, modulo 2^256.
static inline void gjl_add_256(gjl_u256 *a, const gjl_u256 *b) {
  uint64_t carry = 0;
  for (int i = 0; i < 4; i++) {
    gjl_u128 sum = gjl_add_128((gjl_u128){a->limbs[i], 0}, (gjl_u128){b->limbs[i], 0});
    sum = gjl_add_128(sum, (gjl_u128){carry, 0});
    a->limbs[i] = sum.low;
    carry = sum.high;
  }
}

// *a -= b, modulo 2^256.
static inline void gjl_subtract_256(gjl_u256 *a, const gjl_u256 *b) {
  uint64_t borrow = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t x = a->limbs[i], y = b->limbs[i];
    a->limbs[i] = x - y - borrow;
    borrow = x < y || (x == y && borrow);
  }
}

// *a *= 10^power; false if it does not fit.
static inline bool gjl_scale_up(gjl_u256 *a, int64_t power) {
  while (power > 0) {
    int64_t step = power < 19 ? power : 19;
    uint64_t carry = 0;
    for (int i = 0; i < 4; i++)
      a->limbs[i] = gjl_multiply_add(a->limbs[i], gjl_ten_64(step), &carry);
    if (carry)
      return false;
    power -= step;
  }
  return true;
}

// high · 2^64 + low by a divisor above `high`; schoolbook division in half words (Knuth, 4.3.1 D).
static inline uint64_t gjl_divide_128_64(uint64_t high, uint64_t low, uint64_t divisor,
                                         uint64_t *remainder) {
  int shift = __builtin_clzll(divisor);
  divisor <<= shift;
  uint64_t d1 = divisor >> 32, d0 = (uint32_t)divisor;
  uint64_t rest = high << shift | (low >> 1) >> (63 - shift), halves[2];
  low <<= shift;
  for (int i = 0; i < 2; i++, low <<= 32) {
    uint64_t q = rest / d1, r = rest % d1;
    // The estimate is too large by two at most.
    while (q >> 32 || q * d0 > (r << 32 | low >> 32)) {
      q--;
      r += d1;
      if (r >> 32)
        break;
    }
    rest = (rest << 32 | low >> 32) - q * divisor;
    halves[i] = q;
  }
  *remainder = rest >> shift;
  return halves[0] << 32 | halves[1];
}

// *a /= divisor; returns the remainder.
static inline uint64_t gjl_divide_by_word(gjl_u256 *a, uint64_t divisor) {
  uint64_t rest = 0;
  for (int i = 3; i >= 0; i--) {
    uint64_t limb = a->limbs[i];
    if (rest) {
      a->limbs[i] = gjl_divide_128_64(rest, limb, divisor, &rest);
    } else {
      a->limbs[i] = limb / divisor;
      rest = limb % divisor;
    }
  }
  return rest;
}

#endif
