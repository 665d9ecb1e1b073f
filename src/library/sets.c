// Whether a string is one of a constant set: a table of open addressing that comes as bytes of the
// kernel's data. It is half empty at most. Words of 64 bits:
//
//   lengths     four: bit k if a string of k bytes is in the set, bit 255 for all from 255 on
//   mask        slots, a power of two, less one
//   from, to    where the two words lie that tell the strings of the set apart: `from` bytes behind
//               the beginning, and `to` bytes before the end. Both below 0 where no two words do;
//               then there is one word, utf8_hash of the string, and the other is 0
//   slots       four words each: the two of a string; its length; and where it is, in bytes from
//               the set on, or 0 if the slot is empty
//
// and then the strings. Of a string that is shorter than `from` or `to` asks for, the words are its
// last and first eight bytes; of one of fewer than eight bytes, those and 0.
//
// Most strings that are not in the set have another length, and no byte of them is read then. Long
// strings are not hashed as a whole, since to compare them once is a fraction of that.
#include "library/strings/strings.h"

#define MASK 32
#define FROM 40
#define TO 48
#define SLOTS 56
#define SLOT 32
#define MOST_LENGTH 255
#define LINE 64 // bytes of memory that are read at once

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static inline uint64_t hash(uint64_t first, uint64_t second, int64_t length) {
  uint64_t h = (first ^ (uint64_t)length) * 0x87C37B91114253D5u;
  h = (h ^ h >> 32 ^ second) * 0x4CF5AD432745937Fu;
  return h ^ h >> 32;
}

int64_t gjl_may_be_in_texts(int64_t text, int64_t length, int64_t set) {
  int64_t known = least(length, MOST_LENGTH);
  if (!(gjl_load64(gjl_bytes(set) + (known >> 6 << 3)) >> (known & 63) & 1))
    return 0;
  const unsigned char *s = gjl_bytes(text);
  for (int64_t i = 0; i < known; i += LINE)
    __builtin_prefetch(s + i);
  __builtin_prefetch(s + length - 1);
  return 1;
}

int64_t gjl_in_texts(int64_t text, int64_t length, int64_t set) {
  const unsigned char *p = gjl_bytes(set), *s = gjl_bytes(text);
  int64_t from = (int64_t)gjl_load64(p + FROM), to = (int64_t)gjl_load64(p + TO), last = length - 8;
  uint64_t first, second = 0;
  if (from < 0) {
    first = (uint64_t)gjl_utf8_hash(text, length);
  } else if (last < 0) {
    first = gjl_load_few(s, length);
  } else {
    first = gjl_load64(s + least(from, last));
    second = gjl_load64(s + last - least(to, last));
  }
  uint64_t mask = gjl_load64(p + MASK);
  for (uint64_t i = hash(first, second, length) & mask;; i = (i + 1) & mask) {
    const unsigned char *slot = p + SLOTS + SLOT * i;
    uint64_t place = gjl_load64(slot + 24);
    if (!place)
      return 0;
    if (gjl_load64(slot) == first && gjl_load64(slot + 8) == second &&
        gjl_load64(slot + 16) == (uint64_t)length && gjl_same(p + place, s, length))
      return 1;
  }
}
