// What the files of numbers and decimals share: words of text, digits by the eight, and the way
// from digits to a float.
#ifndef GJ_LIBRARY_NUMBERS_H
#define GJ_LIBRARY_NUMBERS_H

#include "library/library.h"
#include "library/numbers/wide.h"

// digits · 10^exponent, with `digits` the first 19 of the number at most. If `more` are behind
// them, all of them are between `from` and `end`, with a point anywhere or nowhere, and a 1 in
// place of the last one is worth 10^last.
typedef struct gjl_number {
  uint64_t digits;
  int64_t exponent;
  bool negative, more;
  const unsigned char *from, *end;
  int64_t last;
} gjl_number;

// The nearest f64, or f32, without its sign, as bits; ties to even. What is too large gives
// infinity.
uint64_t gjl_number_to_f64(const gjl_number *number);
uint64_t gjl_number_to_f32(const gjl_number *number);

// Reads all of a text, without spaces, as a number with or without a fraction and an exponent;
// false if it is none. Sets `from`, `end` and `last` of any number.
bool gjl_take_number(gjl_text text, gjl_number *number);

static inline void gjl_store_64(int64_t address, uint64_t value) {
  __builtin_memcpy((void *)(uintptr_t)address, &value, sizeof value);
}

static inline double gjl_f64(uint64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t gjl_f64_bits(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline uint64_t gjl_magnitude(int64_t value) {
  return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static inline bool gjl_is_digit(unsigned char c) { return (unsigned char)(c - '0') < 10; }

// Without the spaces around it, which are ' ' as in Gandiva, and nothing else.
static inline gjl_text gjl_trim(int64_t address, int64_t length) {
  gjl_text t = {gjl_bytes(address), gjl_bytes(address) + length};
  while (t.at < t.end && *t.at == ' ')
    t.at++;
  while (t.at < t.end && t.end[-1] == ' ')
    t.end--;
  return t;
}

// Takes a sign; whether it was a minus. It does not branch on that, which nothing could predict.
static inline bool gjl_take_sign(gjl_text *t) {
  unsigned char c = t->at < t->end ? *t->at : 0;
  t->at += (c == '-') | (c == '+');
  return c == '-';
}

#define GJL_EACH_BYTE(byte) ((byte)*UINT64_C(0x0101010101010101))

// Whether each byte of a word is 0 … 9, as digits are after their '0' is taken off by xor.
static inline bool gjl_are_digits(uint64_t word) {
  return !(((word + GJL_EACH_BYTE(0x76)) | word) & GJL_EACH_BYTE(0x80));
}

// The number that eight digits 0 … 9 say, the first in the lowest byte: pairs, then fours, then all
// of them.
static inline uint64_t gjl_eight_digits(uint64_t word) {
  word = word * 10 + (word >> 8);
  uint64_t odd = (word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064);
  uint64_t even = ((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001);
  return (odd + even) >> 32;
}

// Writes the `count` last digits of a number, with zeros in front.
static inline void gjl_put_digits(unsigned char *to, uint64_t digits, int64_t count) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  for (; count >= 2; count -= 2, digits /= 100)
    __builtin_memcpy(to + count - 2, pairs + 2 * (digits % 100), 2);
  if (count > 0)
    *to = (unsigned char)('0' + digits % 10);
}

// How many decimal digits a number has; 1 for 0.
static inline int64_t gjl_count_digits(uint64_t value) {
  int64_t guess =
      (64 - __builtin_clzll(value | 1)) * 1233 >> 12; // of log10 2, right or one too low
  return guess + (value >= gjl_ten_64(guess)) + (value == 0);
}

// What was taken from the arena beyond `end` goes back.
static inline void gjl_give_taken(int64_t out, int64_t arena, const unsigned char *from,
                                  const unsigned char *end) {
  ((gjl_arena *)(uintptr_t)arena)->next = (int64_t)(uintptr_t)end;
  gjl_give(out, from, end - from);
}

#endif
