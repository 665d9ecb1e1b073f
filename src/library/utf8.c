// Bytes as such: whether they are UTF-8, and their order.
//
// Columns of strings are verified before code runs over them, so this is what stands between a file
// and everything else here: it is strict, as Unicode has it (no surrogates, nothing over-long,
// nothing above U+10FFFF). Text is mostly ASCII, of which eight bytes are tested at a time.
#include "library/library.h"

static uint64_t load64(const unsigned char *p) {
  uint64_t word;
  __builtin_memcpy(&word, p, sizeof word);
  return word;
}

// By its first byte: how long a sequence is, and what its second byte lies between. A first byte
// that is none has length 0. What the ranges leave out is what is over-long, a surrogate or too
// large.
typedef struct sequence {
  unsigned char length, least, most;
} sequence;

static sequence sequence_of(unsigned char first) {
  if (first < 0xC2)
    return (sequence){0, 0, 0};
  if (first < 0xE0)
    return (sequence){2, 0x80, 0xBF};
  if (first < 0xF0)
    return (sequence){3, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF};
  if (first < 0xF5)
    return (sequence){4, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF};
  return (sequence){0, 0, 0};
}

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

int64_t gjl_utf8_valid(int64_t address, int64_t length) {
  const unsigned char *p = gjl_bytes(address);
  int64_t i = 0;
  while (i < length) {
    if (length - i >= 8 && !(load64(p + i) & 0x8080808080808080u)) {
      i += 8;
      continue;
    }
    if (p[i] < 0x80) {
      i++;
      continue;
    }
    sequence s = sequence_of(p[i]);
    if (!s.length || s.length > length - i || p[i + 1] < s.least || p[i + 1] > s.most ||
        (s.length > 2 && !continues(p[i + 2])) || (s.length > 3 && !continues(p[i + 3])))
      return 0;
    i += s.length;
  }
  return 1;
}

int64_t gjl_memory_compare(int64_t a, int64_t a_length, int64_t b, int64_t b_length) {
  const unsigned char *p = gjl_bytes(a), *q = gjl_bytes(b);
  int64_t common = a_length < b_length ? a_length : b_length, i = 0;
  while (common - i >= 8 && load64(p + i) == load64(q + i))
    i += 8;
  for (; i < common; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return (a_length > b_length) - (a_length < b_length);
}
