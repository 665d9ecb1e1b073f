// Hashes of strings and bytes: Gandiva's, which are MurmurHash3, and one for hash tables.

#include "library/strings/strings.h"

static inline uint64_t turn(uint64_t word, int by) { return word << by | word >> (64 - by); }

static inline uint64_t finish(uint64_t h) {
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
  return h ^ h >> 33;
}

#define C1 0x87C37B91114253D5u
#define C2 0x4CF5AD432745937Fu

static inline uint64_t mix_low(uint64_t word) { return turn(word * C1, 31) * C2; }
static inline uint64_t mix_high(uint64_t word) { return turn(word * C2, 33) * C1; }

// The low half of MurmurHash3_x64_128, with a seed of 32 bits, which keeps its sign.
static inline int64_t murmur64(gjl_text s, int64_t seed) {
  uint64_t length = (uint64_t)(s.end - s.at), h1 = (uint64_t)(int64_t)(int32_t)seed, h2 = h1;
  for (; s.end - s.at >= 16; s.at += 16) {
    h1 = (turn(h1 ^ mix_low(gjl_load64(s.at)), 27) + h2) * 5 + 0x52DCE729;
    h2 = (turn(h2 ^ mix_high(gjl_load64(s.at + 8)), 31) + h1) * 5 + 0x38495AB5;
  }
  // Zeros mix to 0.
  int64_t rest = s.end - s.at;
  if (rest >= 8) {
    h1 ^= mix_low(gjl_load64(s.at));
    h2 ^= mix_high(gjl_load_few(s.at + 8, rest - 8));
  } else {
    h1 ^= mix_low(gjl_load_few(s.at, rest));
  }
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  return (int64_t)(finish(h1) + finish(h2));
}

// MurmurHash3_x86_32 as Gandiva computes it, in 64 bits: those above the seed's 32, which are ones
// if it is negative, take part until they are cut off.
static inline int64_t murmur32(gjl_text s, uint64_t h) {
  const uint64_t low = 0xFFFFFFFFu;
  uint64_t length = (uint64_t)(s.end - s.at);
  for (;; s.at += 4) {
    bool whole = s.end - s.at >= 4;
    if (s.at == s.end)
      break;
    uint64_t k = whole ? gjl_load32(s.at) : gjl_load_few(s.at, s.end - s.at);
    k = k * 0xCC9E2D51u & low;
    k = (k << 15 & low) | k >> 17;
    h ^= k * 0x1B873593u & low;
    if (!whole)
      break;
    h = (h << 13 & low) | h >> 19;
    h = (h * 5 + 0xE6546B64u) & low;
  }
  h ^= length;
  h ^= h >> 16;
  h = h * 0x85EBCA6Bu & low;
  h ^= h >> 13;
  h = h * 0xC2B2AE35u & low;
  return (int32_t)(uint32_t)(h ^ h >> 16);
}

// hash, hash32, hash32AsDouble of strings and bytes: an int32. Null is `seed`, or 0 without one,
// which kernels see to.
int64_t gjl_hash32(int64_t text, int64_t length, int64_t seed) {
  return murmur32(gjl_text_of(text, length), (uint64_t)(int64_t)(int32_t)seed);
}

// hash64, hash64AsDouble of strings and bytes; the low half of `seed` counts.
int64_t gjl_hash64(int64_t text, int64_t length, int64_t seed) {
  return murmur64(gjl_text_of(text, length), seed);
}

// For hash tables: 64 bits, each of which depends on all of the string. Words are mixed as in
// MurmurHash3, whose products of 64 bits all targets have, but one after the other, and the last
// one overlaps what is before it.
int64_t gjl_utf8_hash(int64_t text, int64_t length) {
  const unsigned char *p = gjl_bytes(text);
  uint64_t h = (uint64_t)length * C2;
  if (length < 8)
    return (int64_t)finish(h ^ mix_low(gjl_load_few(p, length)));
  for (int64_t i = 0; i < length - 8; i += 8)
    h = turn(h ^ mix_low(gjl_load64(p + i)), 27) * 5 + 0x52DCE729;
  return (int64_t)finish(h ^ mix_low(gjl_load64(p + length - 8)));
}
