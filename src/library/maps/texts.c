// Lookups of many texts: UTF-8 in bytes and offsets, as columns have it.
//
// The word of a text is a hash of its bytes with a seed; a table of such words is one of maps.h. A
// slot whose word is right names the entry, whose bytes are compared then, so that a miss rarely
// reads them. Blocks go through texts as through keys in find.c.
//
//   map_text_words   slots: 0 units, 1 count, 2 seed, 3 bytes of an offset
//                    addresses: 0 bytes, 1 offsets, 2 words
//   map_find_texts   slots: as map_find, but 2 seed, 3 bytes of an offset, and there is no 6 and 7
//                    addresses: 0 bytes, 1 validity, 2 the table, 3 pilots, 4 values by index, 5
//                    what is written, 6 offsets, 7 bytes and 8 offsets, i32, of the map's keys by
//                    index; behind these bytes are 16 more
#include "library/maps/texts.h"

#include "library/strings/strings.h"

#define MAP_UNIT 1024

void gjl_map_probe(const gjl_map_hash *h, const gjl_map_slot *table, const uint16_t *pilots,
                   const uint64_t *words, int64_t count, uint32_t *at);

static inline uint64_t mixed(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9FB21C651E98DF25u;
  return h ^ h >> 32;
}

// The first 16 bytes of a text, with zeros behind its end. Most texts are no longer, so that their
// hash and their comparison are words without a branch that would depend on their length.
typedef struct head {
  uint64_t first, second;
} head;

enum { HEAD = 16 };

// The low `n` bytes of a word, none below 0.
static inline uint64_t low_bytes(uint64_t word, int64_t n) {
  uint64_t mask = ((uint64_t)1 << ((n > 0 ? n : 0) * 8 & 63)) - 1;
  return word & (n >= 8 ? UINT64_MAX : mask);
}

static head few_bytes(const unsigned char *s, int64_t length) {
  if (length < 8)
    return (head){gjl_load_few(s, length), 0};
  bool all = length >= HEAD;
  return (head){gjl_load64(s), all ? gjl_load64(s + 8) : gjl_load_few(s + 8, length - 8)};
}

// Nothing is read from `end` on.
static inline head head_of(const unsigned char *s, int64_t length, const unsigned char *end) {
  if (end - s < HEAD)
    return few_bytes(s, length);
  return (head){low_bytes(gjl_load64(s), length), low_bytes(gjl_load64(s + 8), length - 8)};
}

static inline uint64_t text_word(head own, const unsigned char *s, int64_t length, uint64_t seed) {
  uint64_t h = (seed ^ (uint64_t)length) * 0xD6E8FEB86659FD93u;
  h = mixed(mixed(h, own.first), own.second);
  if (length > HEAD) {
    for (int64_t i = HEAD; i < length - 8; i += 8)
      h = mixed(h, gjl_load64(s + i));
    h = mixed(h, gjl_load64(s + length - 8));
  }
  return mixed(h, seed);
}

// A block of texts: where they begin and end, their heads and words.
typedef struct block {
  int64_t at[MAP_BLOCK + 1];
  head heads[MAP_BLOCK];
  uint64_t words[MAP_BLOCK];
} block;

static void read_block(block *b, const unsigned char *bytes, const void *offsets, const int64_t *s,
                       int64_t from, int64_t count) {
  const unsigned char *end = bytes + gjl_map_offset(offsets, s[3], s[1]);
  for (int64_t i = 0; i <= count; i++)
    b->at[i] = gjl_map_offset(offsets, s[3], from + i);
  for (int64_t i = 0; i < count; i++)
    b->heads[i] = head_of(bytes + b->at[i], b->at[i + 1] - b->at[i], end);
  for (int64_t i = 0; i < count; i++)
    b->words[i] = text_word(b->heads[i], bytes + b->at[i], b->at[i + 1] - b->at[i], (uint64_t)s[2]);
}

int64_t gjl_map_text_words(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  int64_t from = begin * MAP_UNIT, to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  uint64_t *words = gjl_map_pointer(addresses, 2);
  for (int64_t i = from; i < to; i += MAP_BLOCK) {
    block b;
    int64_t count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    read_block(&b, gjl_map_pointer(addresses, 0), gjl_map_pointer(addresses, 1), s, i, count);
    for (int64_t k = 0; k < count; k++)
      words[i + k] = b.words[k];
  }
  return 0;
}

int64_t gjl_map_find_texts(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  const unsigned char *bytes = gjl_map_pointer(addresses, 0), *own = gjl_map_pointer(addresses, 7);
  const void *offsets = gjl_map_pointer(addresses, 6);
  const int32_t *ends = gjl_map_pointer(addresses, 8);
  const gjl_map_slot *table = gjl_map_pointer(addresses, 2);
  gjl_map_output output = {s[4], (uint64_t)s[5], gjl_map_pointer(addresses, 4),
                           gjl_map_pointer(addresses, 5)};
  int64_t to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK) {
    int64_t count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    block b;
    uint32_t at[MAP_BLOCK];
    int32_t found[MAP_BLOCK];
    read_block(&b, bytes, offsets, s, i, count);
    gjl_map_probe((const gjl_map_hash *)&s[8], table, gjl_map_pointer(addresses, 3), b.words, count,
                  at);
    uint64_t absent = gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (int64_t k = 0; k < count; k++) {
      const gjl_map_slot *slot = &table[at[k]];
      bool alike = ((uint64_t)slot->hi << 32 | slot->lo) == b.words[k];
      found[k] = alike && !(absent >> k & 1) ? slot->index : -1;
      if (found[k] >= 0)
        __builtin_prefetch(&ends[found[k]]);
    }
    for (int64_t k = 0; k < count; k++)
      if (found[k] >= 0)
        __builtin_prefetch(&own[ends[found[k]]]);
    for (int64_t k = 0; k < count; k++) {
      if (found[k] < 0)
        continue;
      int64_t length = b.at[k + 1] - b.at[k];
      int32_t start = ends[found[k]];
      head key = {low_bytes(gjl_load64(own + start), length),
                  low_bytes(gjl_load64(own + start + 8), length - 8)};
      bool same = (ends[found[k] + 1] - start == length) & (key.first == b.heads[k].first) &
                  (key.second == b.heads[k].second);
      if (length > HEAD)
        same = same && gjl_same(own + start + HEAD, bytes + b.at[k] + HEAD, length - HEAD);
      found[k] = same ? found[k] : -1;
    }
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
