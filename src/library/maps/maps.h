// Static maps: how keys become words, and words places in tables.
//
// A key is a word of 64 bits. Of numbers it is the bits of the f64, where -0 is 0 and all NaN are
// one; of integers of 32 bits themselves; of bigints their low 64 bits; of texts a hash. A table of
// 2^k slots has four words of 32 bits in each: the two halves of the key's word, its index among
// the entries, and one that JavaScript has for its strings. Slots without a key have the word of
// one that lies elsewhere, so a lookup compares once and never asks whether there is something.
//
// The slot is one of two functions of the halves, in arithmetic of 32 bits, since JavaScript has to
// do the same. Of few keys: the top bits of lo·m1 + hi·m2, with factors that were tried until all
// slots differ. Of many: lo·m1 + hi·m2 and lo + hi·m3, each mixed, name a bucket of a few keys and
// two numbers a and b; the slot is the top bits of b + pilot·a, where the pilot of the bucket was
// tried until its keys fell on free slots (Belazzougui, Botelho, Dietzfelbinger 2009; Pibiri, Trani
// 2021). m2 is even and the others odd: so the two sums are a bijection of words, and whatever the
// keys, those that differ can be told apart.
#ifndef GJ_LIBRARY_MAPS_H
#define GJ_LIBRARY_MAPS_H

#include "library/library.h"

#define MAP_MIX_A 0xC2B2AE35u
#define MAP_MIX_B 0x9E3779B1u

// What a run is given of a table, from some slot on; lib/maps/requests.js has the same.
typedef struct gjl_map_hash {
  int64_t m1, m2, m3;
  int64_t bucket_shift; // 32 less the bits of a bucket's number; 0: no buckets, of few keys
  int64_t slot_shift;
} gjl_map_hash;

typedef struct gjl_map_slot {
  uint32_t lo, hi;
  int32_t index, next;
} gjl_map_slot;

static inline uint32_t gjl_map_few(const gjl_map_hash *h, uint64_t word) {
  uint32_t lo = (uint32_t)word, hi = (uint32_t)(word >> 32);
  return (lo * (uint32_t)h->m1 + hi * (uint32_t)h->m2) >> h->slot_shift;
}

static inline uint32_t gjl_map_a(const gjl_map_hash *h, uint64_t word) {
  uint32_t a = (uint32_t)word * (uint32_t)h->m1 + (uint32_t)(word >> 32) * (uint32_t)h->m2;
  return (a ^ a >> 15) * MAP_MIX_A;
}

static inline uint32_t gjl_map_b(const gjl_map_hash *h, uint64_t word) {
  uint32_t b = (uint32_t)word + (uint32_t)(word >> 32) * (uint32_t)h->m3;
  return (b ^ b >> 16) * MAP_MIX_B;
}

static inline uint32_t gjl_map_at(const gjl_map_hash *h, uint32_t a, uint32_t b, uint32_t pilot) {
  return (b + pilot * (a | 1)) >> h->slot_shift;
}

static inline void *gjl_map_pointer(int64_t addresses, int number) {
  return (void *)(uintptr_t)((const int64_t *)(uintptr_t)addresses)[number];
}

static inline int64_t *gjl_map_slots(int64_t slots) { return (int64_t *)(uintptr_t)slots; }

// Factors by a seed: splitmix64 (Steele, Lea, Flood 2014).
static inline void gjl_map_seed(gjl_map_hash *h, uint64_t seed) {
  uint64_t z[2];
  for (int i = 0; i < 2; i++) {
    uint64_t x = seed += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    z[i] = x ^ x >> 31;
  }
  h->m1 = (int64_t)((uint32_t)z[0] | 1);
  h->m2 = (int64_t)((uint32_t)(z[0] >> 32) & ~1u);
  h->m3 = (int64_t)((uint32_t)z[1] | 1);
}

// The classes of arrays that keys come in, and what words they become.
typedef enum gjl_map_class {
  MAP_F64,
  MAP_F32,
  MAP_I32,
  MAP_U32,
  MAP_I16,
  MAP_U16,
  MAP_I8,
  MAP_U8,
  MAP_I64,
  MAP_U64
} gjl_map_class;

typedef enum gjl_map_kind {
  MAP_NUMBERS,  // bits of the f64
  MAP_INTEGERS, // of 32 bits; other numbers are MAP_NONE
  MAP_SIGNED, // bigints from -2^63 on; words of a u64 from 2^63 on become MAP_ABSENT by the caller
  MAP_UNSIGNED
} gjl_map_kind;

// A word of no integer of 32 bits.
#define MAP_NONE ((uint64_t)1 << 63)
// The word of NaN.
#define MAP_NAN ((uint64_t)0x7FF8 << 48)

enum { MAP_BLOCK = 64 }; // keys that are looked up together

// The words of `count` keys from `from` on, at most a block. Returns a bit for each key that no map
// of the kind can have.
uint64_t gjl_map_words_of(int64_t keys, int64_t from, int64_t count, int64_t class, int64_t kind,
                          uint64_t *words);

// A condition that holds for no more than some keys, in no order: compilers choose by it without a
// branch.
#ifdef __has_builtin
#if __has_builtin(__builtin_unpredictable)
#define UNFORESEEN(condition) __builtin_unpredictable(condition)
#endif
#endif
#ifndef UNFORESEEN
#define UNFORESEEN(condition) (condition)
#endif

// The slots of so many bytes of a block's words, whose memory is asked for.
void gjl_map_probe(const gjl_map_hash *h, const void *table, int64_t slot_bytes,
                   const uint16_t *pilots, const uint64_t *words, int64_t count, uint32_t *at);

// A bit for each of `count` rows from `from` on, a multiple of 8, that is null: none without a
// bitmap.
uint64_t gjl_map_absent(const unsigned char *validity, int64_t from, int64_t count);

// Writes what a block found: `at`, places in a table or -1.
typedef struct gjl_map_output {
  int64_t bytes;       // of an element of values: 1, 2, 4, 8; 0: `at` itself, as i32
  const void *missing; // its low bytes
  const void *values;
  void *out;
} gjl_map_output;

void gjl_map_give(const gjl_map_output *o, const int32_t *at, int64_t from, int64_t count);

#endif
