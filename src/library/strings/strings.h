// What the string functions share: words of bytes, code points, search, and results.
//
// Bytes are read eight at a time where there are eight, and never beyond the end of a string: there
// may be nothing behind it. Copies and comparisons are loops here and not calls of libc, since
// kernels have none; words are little-endian, as on all targets. Strings are valid UTF-8, but what
// walks over code points stays inside of any bytes, since binary values come here as well.
//
// Only for the files of this folder that are about strings.
#ifndef GJ_LIBRARY_STRINGS_H
#define GJ_LIBRARY_STRINGS_H

#include "library/library.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of bytes are taken to be little-endian"
#endif

#define GJL_ONES 0x0101010101010101u
#define GJL_HIGH 0x8080808080808080u

// No code point: what bytes decode to that are no UTF-8.
#define GJL_NO_CHAR 0xFFFFFFFFu

// The first `n` bytes, fewer than eight, with zeros above.
static inline uint64_t gjl_load_few(const unsigned char *p, int64_t n) {
  if (n >= 4)
    return gjl_load32(p) | (uint64_t)gjl_load32(p + n - 4) << ((n - 4) * 8);
  if (n <= 0)
    return 0;
  return p[0] | (uint64_t)p[n / 2] << (n / 2 * 8) | (uint64_t)p[n - 1] << ((n - 1) * 8);
}

// Writes the low `n` bytes of a word, fewer than eight.
static inline void gjl_store_few(unsigned char *o, uint64_t word, int64_t n) {
  if (n >= 4) {
    gjl_store32(o, (uint32_t)word);
    gjl_store32(o + n - 4, (uint32_t)(word >> ((n - 4) * 8)));
  } else if (n > 0) {
    o[0] = (unsigned char)word;
    o[n / 2] = (unsigned char)(word >> (n / 2 * 8));
    o[n - 1] = (unsigned char)(word >> ((n - 1) * 8));
  }
}

// Copies between places that do not overlap.
static inline void gjl_copy(unsigned char *o, const unsigned char *p, int64_t n) {
  if (n >= 8) {
    for (int64_t i = 0; i < n - 8; i += 8)
      gjl_store64(o + i, gjl_load64(p + i));
    gjl_store64(o + n - 8, gjl_load64(p + n - 8));
  } else {
    gjl_store_few(o, gjl_load_few(p, n), n);
  }
}

// Fills `size` bytes with one.
static inline void gjl_fill_byte(unsigned char *o, int64_t size, unsigned char byte) {
  uint64_t word = byte * GJL_ONES;
  if (size < 8) {
    gjl_store_few(o, word, size);
    return;
  }
  for (int64_t i = 0; i < size - 8; i += 8)
    gjl_store64(o + i, word);
  gjl_store64(o + size - 8, word);
}

// Fills `size` bytes with the `n` at `p`, n > 0, over and over, by doubling what is there.
static inline void gjl_fill(unsigned char *o, int64_t size, const unsigned char *p, int64_t n) {
  if (n == 1) {
    gjl_fill_byte(o, size, *p);
    return;
  }
  int64_t done = n < size ? n : size;
  gjl_copy(o, p, done);
  while (done < size) {
    int64_t more = done < size - done ? done : size - done;
    gjl_copy(o + done, o, more);
    done += more;
  }
}

static inline bool gjl_same(const unsigned char *p, const unsigned char *q, int64_t n) {
  if (n < 8)
    return gjl_load_few(p, n) == gjl_load_few(q, n);
  for (int64_t i = 0; i < n - 8; i += 8)
    if (gjl_load64(p + i) != gjl_load64(q + i))
      return false;
  return gjl_load64(p + n - 8) == gjl_load64(q + n - 8);
}

// The top bit of each byte that continues a code point.
static inline uint64_t gjl_continuations(uint64_t word) { return word & ~(word << 1) & GJL_HIGH; }

static inline bool gjl_is_start(unsigned char byte) { return (byte & 0xC0) != 0x80; }

static inline int64_t gjl_count(gjl_text s) {
  int64_t inner = 0, length = s.end - s.at;
  for (; s.end - s.at >= 8; s.at += 8)
    inner += __builtin_popcountll(gjl_continuations(gjl_load64(s.at)));
  inner += __builtin_popcountll(gjl_continuations(gjl_load_few(s.at, s.end - s.at)));
  return length - inner;
}

// Where code point `n` begins, counted from 0; the end if there are no more than `n`.
static inline const unsigned char *gjl_advance(gjl_text s, uint64_t n) {
  while (s.end - s.at >= 8) {
    uint64_t starts = 8 - (uint64_t)__builtin_popcountll(gjl_continuations(gjl_load64(s.at)));
    if (starts > n)
      break;
    n -= starts;
    s.at += 8;
  }
  for (; s.at < s.end; s.at++)
    if (gjl_is_start(*s.at) && n-- == 0)
      break;
  return s.at;
}

// Where the last `n` code points begin, n > 0; NULL if there are fewer.
static inline const unsigned char *gjl_retreat(gjl_text s, uint64_t n) {
  while (s.end - s.at >= 8) {
    uint64_t starts = 8 - (uint64_t)__builtin_popcountll(gjl_continuations(gjl_load64(s.end - 8)));
    if (starts >= n)
      break;
    n -= starts;
    s.end -= 8;
  }
  while (s.end > s.at)
    if (gjl_is_start(*--s.end) && --n == 0)
      return s.end;
  return NULL;
}

// A code point and how many bytes it takes.
typedef struct gjl_char {
  uint32_t code;
  int32_t size;
} gjl_char;

// The first code point of what is not empty.
static inline gjl_char gjl_decode(gjl_text s) {
  const unsigned char *p = s.at;
  int64_t room = s.end - p;
  uint32_t c = p[0];
  if (c < 0x80)
    return (gjl_char){c, 1};
  if (c >= 0xF0 && room >= 4)
    return (gjl_char){(c & 7) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63u), 4};
  if (c >= 0xE0 && c < 0xF0 && room >= 3)
    return (gjl_char){(c & 15) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u), 3};
  if (c >= 0xC0 && c < 0xE0 && room >= 2)
    return (gjl_char){(c & 31) << 6 | (p[1] & 63u), 2};
  return (gjl_char){GJL_NO_CHAR, 1};
}

// Writes a code point and says how many bytes that took.
static inline int64_t gjl_encode(unsigned char *o, uint32_t c) {
  if (c < 0x80) {
    o[0] = (unsigned char)c;
    return 1;
  }
  int64_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int64_t i = size - 1; i > 0; i--, c >>= 6)
    o[i] = (unsigned char)(0x80 | (c & 63));
  o[0] = (unsigned char)((0xF00u >> size & 0xF0) | c);
  return size;
}

// The top bit of each byte that is 0, and of no other.
static inline uint64_t gjl_zeros(uint64_t word) {
  return ~(((word & ~GJL_HIGH) + ~GJL_HIGH) | word) & GJL_HIGH;
}

// Where `part` begins in `s` for the first time; NULL if it is not there. Eight places are looked
// at together, by their first and last bytes.
static inline const unsigned char *gjl_find(gjl_text s, const unsigned char *part, int64_t n) {
  if (n == 0)
    return s.at;
  int64_t places = s.end - s.at - n + 1;
  if (places <= 0)
    return NULL;
  const unsigned char *p = s.at, *stop = p + places;
  unsigned char first = part[0], last = part[n - 1];
  uint64_t firsts = first * GJL_ONES, lasts = last * GJL_ONES;
  if (places < 8) {
    for (; p < stop; p++)
      if (*p == first && p[n - 1] == last && gjl_same(p, part, n))
        return p;
    return NULL;
  }
  // The last step may overlap the one before it.
  for (;; p = stop - p > 16 ? p + 8 : stop - 8) {
    uint64_t found = gjl_zeros((gjl_load64(p) ^ firsts) | (gjl_load64(p + n - 1) ^ lasts));
    for (; found; found &= found - 1) {
      const unsigned char *place = p + (__builtin_ctzll(found) >> 3);
      if (gjl_same(place, part, n))
        return place;
    }
    if (p == stop - 8)
      return NULL;
  }
}

// Results. A part of an operand needs no memory.
static inline int64_t gjl_part(int64_t out, const unsigned char *at, const unsigned char *end) {
  gjl_give(out, at, end - at);
  return GJL_DONE;
}

// Takes room for a new string; gjl_keep gives back what it did not need.
static inline int64_t gjl_room(int64_t arena, int64_t size, unsigned char **o) {
  if (size > INT32_MAX)
    return GJL_OVERFLOW;
  *o = gjl_take(arena, size);
  return *o ? GJL_DONE : GJL_MORE;
}

static inline int64_t gjl_keep(int64_t out, int64_t arena, const unsigned char *o,
                               const unsigned char *end) {
  ((gjl_arena *)(uintptr_t)arena)->next = (int64_t)(uintptr_t)end;
  return gjl_part(out, o, end);
}

#endif
