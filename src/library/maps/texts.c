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
//                    index
#include "library/maps/texts.h"

#include "library/strings/strings.h"

#define MAP_UNIT 1024

void gjl_map_probe(const gjl_map_hash *h, const gjl_map_slot *table, const uint16_t *pilots,
                   const uint64_t *words, int64_t count, uint32_t *at);

static inline uint64_t mixed(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9FB21C651E98DF25u;
  return h ^ h >> 32;
}

// The last eight bytes are read as one word, whatever came before them: most texts are two words,
// and no branch depends on how many bytes of one are left.
static inline uint64_t text_word(const unsigned char *s, int64_t length, uint64_t seed) {
  uint64_t h = (seed ^ (uint64_t)length) * 0xD6E8FEB86659FD93u;
  if (length < 8)
    return mixed(mixed(h, gjl_load_few(s, length)), seed);
  for (int64_t i = 0; i < length - 16; i += 8)
    h = mixed(h, gjl_load64(s + i));
  h = mixed(h, gjl_load64(s + (length < 16 ? 0 : length - 16)));
  return mixed(mixed(h, gjl_load64(s + length - 8)), seed);
}

static void words_of(const unsigned char *bytes, const void *offsets, const int64_t *s,
                     int64_t from, int64_t count, uint64_t *words) {
  for (int64_t i = 0; i < count; i++) {
    int64_t at = gjl_map_offset(offsets, s[3], from + i),
            to = gjl_map_offset(offsets, s[3], from + i + 1);
    words[i] = text_word(bytes + at, to - at, (uint64_t)s[2]);
  }
}

int64_t gjl_map_text_words(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  int64_t from = begin * MAP_UNIT, to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  uint64_t *words = gjl_map_pointer(addresses, 2);
  words_of(gjl_map_pointer(addresses, 0), gjl_map_pointer(addresses, 1), s, from, to - from,
           words + from);
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
    uint64_t words[MAP_BLOCK];
    uint32_t at[MAP_BLOCK];
    int32_t found[MAP_BLOCK];
    words_of(bytes, offsets, s, i, count, words);
    gjl_map_probe((const gjl_map_hash *)&s[8], table, gjl_map_pointer(addresses, 3), words, count,
                  at);
    uint64_t absent = gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (int64_t k = 0; k < count; k++) {
      const gjl_map_slot *slot = &table[at[k]];
      bool alike = ((uint64_t)slot->hi << 32 | slot->lo) == words[k];
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
      int64_t from = gjl_map_offset(offsets, s[3], i + k);
      int64_t length = gjl_map_offset(offsets, s[3], i + k + 1) - from;
      int32_t start = ends[found[k]];
      bool same =
          ends[found[k] + 1] - start == length && gjl_same(own + start, bytes + from, length);
      found[k] = same ? found[k] : -1;
    }
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
