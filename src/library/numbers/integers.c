// Integers and booleans from text and to text, in base ten and in others.
//
// From text, the digits are taken eight at a time, in a word each: a number of up to 20 digits is
// three words at most, whatever its length, since the first word of a number may overlap the next
// one. Nothing outside of the text is read. As in Gandiva, spaces around a number are left out, and
// 0x and hexadecimal digits are the bits of the type. Both signs are taken; a minus before an
// unsigned number other than 0 is an overflow.
//
// Booleans are true t yes y on 1 and false f no n off 0, in letters of any case: Gandiva's (true
// false 1 0) with those of PostgreSQL. Their text is true or false.
#include "library/numbers/numbers.h"

// ---- from text ----------------------------------------------------------------------------------

// The values of 1 … 8 characters less '0' each, the last one in the highest byte; zeros in front.
// Of a longer text they are the first ones of eight that can be loaded.
static inline uint64_t first_digits(const unsigned char *p, int64_t count) {
  int64_t before = 8 * (8 - count);
  return gjl_load64(p) << before ^ GJL_EACH_BYTE(0x30) << before;
}

// The same of a text that has no more.
static inline uint64_t all_digits(const unsigned char *p, int64_t count) {
  int64_t before = 8 * (8 - count);
  uint64_t word;
  if (count == 8)
    word = gjl_load64(p);
  else if (count >= 4)
    word = (uint64_t)gjl_load32(p + count - 4) << 32 | (uint64_t)gjl_load32(p) << before;
  else
    word = (uint64_t)p[count - 1] << 56 | (uint64_t)p[count >> 1] << (before + 8 * (count >> 1)) |
           (uint64_t)p[0] << before;
  return word ^ GJL_EACH_BYTE(0x30) << before;
}

// A number that is longer than 20 characters: zeros in front may make it fit.
__attribute__((noinline)) static gjl_status long_magnitude(const unsigned char *p, int64_t count,
                                                           uint64_t *value) {
  uint64_t sum = 0;
  bool fits = true;
  for (int64_t i = 0; i < count; i++) {
    if (!gjl_is_digit(p[i]))
      return GJL_INVALID;
    uint64_t carry = p[i] - '0';
    sum = gjl_multiply_add(sum, 10, &carry);
    fits = fits && !carry;
  }
  *value = sum;
  return fits ? GJL_DONE : GJL_OVERFLOW;
}

static inline gjl_status magnitude(const unsigned char *p, int64_t count, uint64_t *value) {
  if (count <= 0)
    return GJL_INVALID;
  if (count <= 8) {
    uint64_t word = all_digits(p, count);
    *value = gjl_eight_digits(word);
    return gjl_are_digits(word) ? GJL_DONE : GJL_INVALID;
  }
  if (count > 20)
    return long_magnitude(p, count, value);
  uint64_t low = gjl_load64(p + count - 8) ^ GJL_EACH_BYTE(0x30);
  uint64_t rest = gjl_eight_digits(low);
  if (count <= 16) {
    uint64_t high = first_digits(p, count - 8);
    *value = gjl_eight_digits(high) * 100000000u + rest;
    return gjl_are_digits(high) && gjl_are_digits(low) ? GJL_DONE : GJL_INVALID;
  }
  uint64_t middle = gjl_load64(p + count - 16) ^ GJL_EACH_BYTE(0x30),
           high = first_digits(p, count - 16);
  if (!gjl_are_digits(high) || !gjl_are_digits(middle) || !gjl_are_digits(low))
    return GJL_INVALID;
  uint64_t top = gjl_eight_digits(high);
  rest += gjl_eight_digits(middle) * 100000000u;
  *value = top * gjl_ten_64(16) + rest;
  const uint64_t most = UINT64_MAX / 10000000000000000u;
  bool fits = top < most || (top == most && rest <= UINT64_MAX % 10000000000000000u);
  return fits ? GJL_DONE : GJL_OVERFLOW;
}

// What a digit in a base up to 36 is worth; 255 if it is none.
static inline unsigned digit_value(unsigned char c) {
  if (gjl_is_digit(c))
    return c - '0';
  unsigned letter = (unsigned)(c | 0x20) - 'a';
  return letter < 26 ? letter + 10 : 255;
}

__attribute__((noinline)) static gjl_status from_hexadecimal(gjl_text t, int bits, bool is_signed,
                                                             uint64_t *value) {
  if (t.end - t.at < 3 || t.at[0] != '0' || (t.at[1] | 0x20) != 'x' || t.end - t.at - 2 > bits / 4)
    return GJL_INVALID;
  uint64_t sum = 0;
  for (t.at += 2; t.at < t.end; t.at++) {
    unsigned digit = digit_value(*t.at);
    if (digit > 15)
      return GJL_INVALID;
    sum = sum << 4 | digit;
  }
  if (is_signed && sum >> (bits - 1))
    sum |= ~(UINT64_MAX >> (64 - bits));
  *value = sum;
  return GJL_DONE;
}

static inline int64_t integer_from_text(int64_t text, int64_t length, int bits, bool is_signed,
                                        int64_t out) {
  gjl_text t = gjl_trim(text, length);
  gjl_text whole = t;
  bool negative = gjl_take_sign(&t);
  uint64_t value = 0;
  gjl_status status = magnitude(t.at, t.end - t.at, &value);
  if (status == GJL_INVALID) {
    status = from_hexadecimal(whole, bits, is_signed, &value);
  } else {
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    if (negative)
      most = is_signed ? most + 1 : 0;
    if (value > most)
      status = GJL_OVERFLOW;
    if (negative)
      value = 0 - value;
  }
  if (status == GJL_DONE)
    gjl_store_64(out, value);
  return status;
}

#define FROM_TEXT(type, bits, is_signed)                                                           \
  int64_t gjl_##type##_from_text(int64_t text, int64_t length, int64_t out) {                      \
    return integer_from_text(text, length, bits, is_signed, out);                                  \
  }
FROM_TEXT(int8, 8, true)
FROM_TEXT(int16, 16, true)
FROM_TEXT(int32, 32, true)
FROM_TEXT(int64, 64, true)
FROM_TEXT(uint8, 8, false)
FROM_TEXT(uint16, 16, false)
FROM_TEXT(uint32, 32, false)
FROM_TEXT(uint64, 64, false)
#undef FROM_TEXT

// The letters of a text of up to 7 bytes in lower case, the first in the lowest byte; 0 for what is
// longer.
static inline uint64_t small_word(gjl_text t) {
  uint64_t word = 0;
  if (t.end - t.at > 7)
    return 0;
  while (t.end > t.at)
    word = word << 8 | (*--t.end | 0x20);
  return word;
}

#define WORD(a, b, c, d, e)                                                                        \
  ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 |                \
   (uint64_t)(e) << 32)

int64_t gjl_bool_from_text(int64_t text, int64_t length, int64_t out) {
  static const uint64_t words[2][6] = {
      {WORD('f', 'a', 'l', 's', 'e'), 'f', WORD('n', 'o', 0, 0, 0), 'n', WORD('o', 'f', 'f', 0, 0),
       '0'},
      {WORD('t', 'r', 'u', 'e', 0), 't', WORD('y', 'e', 's', 0, 0), 'y', WORD('o', 'n', 0, 0, 0),
       '1'},
  };
  gjl_text t = gjl_trim(text, length);
  // '0' and '1' have the bit that makes letters small, and so has what differs from them in it
  // alone.
  if (t.end - t.at == 1 && *t.at < ' ')
    return GJL_INVALID;
  uint64_t word = small_word(t);
  for (int value = 0; value < 2; value++)
    for (int i = 0; i < 6; i++)
      if (word == words[value][i]) {
        gjl_store_64(out, (uint64_t)value);
        return GJL_DONE;
      }
  return GJL_INVALID;
}

// ---- to text ------------------------------------------------------------------------------------

static inline int64_t put_integer(uint64_t value, bool negative, int64_t out, int64_t arena) {
  int64_t count = gjl_count_digits(value);
  unsigned char *p = gjl_take(arena, count + negative);
  if (!p)
    return GJL_MORE;
  if (negative)
    *p = '-';
  gjl_put_digits(p + negative, value, count);
  gjl_give(out, p, count + negative);
  return GJL_DONE;
}

int64_t gjl_int64_to_text(int64_t value, int64_t out, int64_t arena) {
  return put_integer(gjl_magnitude(value), value < 0, out, arena);
}

int64_t gjl_uint64_to_text(int64_t value, int64_t out, int64_t arena) {
  return put_integer((uint64_t)value, false, out, arena);
}

int64_t gjl_bool_to_text(int64_t value, int64_t out) {
  static const unsigned char words[] = "truefalse";
  if (value)
    gjl_give(out, words, 4);
  else
    gjl_give(out, words + 4, 5);
  return GJL_DONE;
}

// ---- other bases --------------------------------------------------------------------------------

static int64_t put_in_base(uint64_t value, bool negative, unsigned base, int64_t out,
                           int64_t arena) {
  int64_t count = negative;
  uint64_t rest = value;
  do {
    rest /= base;
    count++;
  } while (rest);
  unsigned char *p = gjl_take(arena, count);
  if (!p)
    return GJL_MORE;
  if (negative)
    *p = '-';
  for (unsigned char *to = p + count; to > p + negative; value /= base) {
    unsigned digit = (unsigned)(value % base);
    *--to = (unsigned char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
  }
  gjl_give(out, p, count);
  return GJL_DONE;
}

// bin, hex and the like: digits of a number without sign, upper case, no zeros in front. A type of
// fewer bits is cast to its own unsigned type first, so that -1 as int32 has eight hexadecimal
// digits.
int64_t gjl_uint64_to_base(int64_t value, int64_t base, int64_t out, int64_t arena) {
  if (base < 2 || base > 36)
    return GJL_INVALID;
  return put_in_base((uint64_t)value, false, (unsigned)base, out, arena);
}

// conv(text, from, to) as MySQL has it: the digits up to the first that is none, in 64 bits without
// sign, where what does not fit becomes 2^64 - 1; a negative `to` writes them as a signed number.
// Bases are 2 … 36.
int64_t gjl_conv(int64_t text, int64_t length, int64_t from, int64_t to, int64_t out,
                 int64_t arena) {
  uint64_t source = gjl_magnitude(from), target = gjl_magnitude(to);
  if (source < 2 || source > 36 || target < 2 || target > 36)
    return GJL_INVALID;
  gjl_text t = gjl_trim(text, length);
  bool negative = gjl_take_sign(&t), fits = true;
  uint64_t sum = 0;
  for (; t.at < t.end && digit_value(*t.at) < source; t.at++) {
    uint64_t carry = digit_value(*t.at);
    sum = gjl_multiply_add(sum, source, &carry);
    fits = fits && !carry;
  }
  if (!fits)
    sum = UINT64_MAX;
  else if (negative)
    sum = 0 - sum;
  bool minus = to < 0 && sum >> 63;
  return put_in_base(minus ? 0 - sum : sum, minus, (unsigned)target, out, arena);
}
