// Lookups of many texts: UTF-8 in bytes and offsets, as columns have it.
//
// The word of a text is a hash of its bytes with three secrets; words are placed as maps.h says.
// Then each slot becomes a cell with the first 16 bytes of its text in it, so that most texts are
// found or missed by what one line of memory has, without a branch. Blocks go through texts as
// through keys in find.c.
//
//   map_text_words   slots: 0 units, 1 count, 3 bytes of an offset, 2, 6 and 7 secrets, the last
//   odd
//                    addresses: 0 bytes, 1 offsets, 2 words
//   map_text_cells   slots: 0 units, 1 count of the table's slots
//                    addresses: 0 bytes and 1 offsets, i32, of the map's keys by index, 2 the
//                    table, 3 cells
//   map_find_texts   slots: as map_find, but 3 is the bytes of an offset, 2, 6 and 7 are secrets
//                    addresses: 0 bytes, 1 validity, 2 cells, 3 pilots, 4 values by index, 5 what
//                    is written, 6 offsets, 7 bytes of the map's keys, which only those of more
//                    than 16 bytes are looked up in
#include "library/maps/texts.h"

#include "library/numbers/wide.h"
#include "library/strings/strings.h"

#define MAP_UNIT 1024

// The first bytes of a text, zeros behind its end, and its length in the last one. Heads of texts
// of up to 15 bytes, as most have, are equal if the texts are; longer ones have LONGER as their
// length. So hash and comparison of most texts do not depend on their length.
__extension__ typedef unsigned __int128 head;

enum { HEAD = 16, LONGER = HEAD, NO_LENGTH };

typedef struct cell {
  unsigned char head[HEAD];
  int32_t length, index;
  int64_t begin; // of its bytes
} cell;

static inline head load_head(const unsigned char *p) {
  head h;
  __builtin_memcpy(&h, p, sizeof h);
  return h;
}

static inline void put_head(unsigned char *to, head bytes, int64_t length) {
  __builtin_memcpy(to, &bytes, sizeof bytes);
  to[HEAD - 1] = (unsigned char)(length < HEAD ? length : LONGER);
}

static head few_bytes(const unsigned char *s, int64_t length) {
  if (length < 8)
    return gjl_load_few(s, length);
  return length < HEAD ? gjl_load64(s) | (head)gjl_load_few(s + 8, length - 8) << 64 : load_head(s);
}

// Where the texts of a block begin and end, their heads and words, and a bit for each that its head
// does not tell from all others.
typedef struct block {
  int64_t at[MAP_BLOCK + 1];
  unsigned char heads[MAP_BLOCK][HEAD];
  uint64_t words[MAP_BLOCK];
  uint64_t longer;
} block;

static void read_offsets(block *b, const void *offsets, int64_t bytes, int64_t from,
                         int64_t count) {
  const int32_t *narrow = (const int32_t *)offsets + from;
  if (bytes == 8)
    for (int64_t i = 0; i <= count; i++)
      b->at[i] = ((const int64_t *)offsets + from)[i];
  else
    for (int64_t i = 0; i <= count; i++)
      b->at[i] = narrow[i];
  int64_t room = 0;
  for (int64_t i = 0; i < count; i++)
    room |= HEAD - 1 - (b->at[i + 1] - b->at[i]);
  b->longer = 0;
  for (int64_t i = 0; room < 0 && i < count; i++)
    b->longer |= (uint64_t)(b->at[i + 1] - b->at[i] >= HEAD) << i;
}

// Nothing is read from `end` on, where the bytes of all blocks end.
static void read_heads(block *b, const unsigned char *bytes, int64_t end, int64_t count) {
  // From 16 - n on, a mask of n bytes.
  static const unsigned char masks[2 * HEAD] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 255, 255, 255};
  bool is_inside = end - b->at[count - 1] >= HEAD;
  for (int64_t i = 0; is_inside && i < count; i++) {
    int64_t length = b->at[i + 1] - b->at[i];
    head mask = load_head(masks + HEAD - (length < HEAD ? length : HEAD));
    put_head(b->heads[i], load_head(bytes + b->at[i]) & mask, length);
  }
  for (int64_t i = 0; !is_inside && i < count; i++) {
    int64_t length = b->at[i + 1] - b->at[i];
    put_head(b->heads[i], few_bytes(bytes + b->at[i], length), length);
  }
}

// Both halves of a product. Who does not know the secrets cannot make texts of equal words.
static inline uint64_t mixed(uint64_t a, uint64_t b) {
  gjl_u128 product = gjl_multiply_64(a, b);
  return product.low ^ product.high;
}

static uint64_t long_word(uint64_t word, const unsigned char *s, int64_t length,
                          const int64_t *slots) {
  uint64_t first = (uint64_t)slots[2], second = (uint64_t)slots[6];
  word += (uint64_t)length * (uint64_t)slots[7];
  for (int64_t i = HEAD - 1; i < length - HEAD; i += HEAD)
    word = mixed(gjl_load64(s + i) ^ first ^ word, gjl_load64(s + i + 8) ^ second);
  return mixed(gjl_load64(s + length - 16) ^ first ^ word, gjl_load64(s + length - 8) ^ second);
}

// Of texts of as many bytes, HEAD at least, with equal heads.
static bool same_behind(const unsigned char *s, const unsigned char *t, int64_t length) {
  for (int64_t i = HEAD - 1; i < length - HEAD; i += HEAD)
    if (load_head(s + i) != load_head(t + i))
      return false;
  return load_head(s + length - HEAD) == load_head(t + length - HEAD);
}

static void read_block(block *b, const unsigned char *bytes, const void *offsets, const int64_t *s,
                       int64_t from, int64_t count) {
  uint64_t first = (uint64_t)s[2], second = (uint64_t)s[6];
  read_offsets(b, offsets, s[3], from, count);
  read_heads(b, bytes, gjl_map_offset(offsets, s[3], s[1]), count);
  for (int64_t i = 0; i < count; i++)
    b->words[i] = mixed(gjl_load64(b->heads[i]) ^ first, gjl_load64(b->heads[i] + 8) ^ second);
  for (uint64_t longer = b->longer; longer; longer &= longer - 1) {
    int i = __builtin_ctzll(longer);
    b->words[i] = long_word(b->words[i], bytes + b->at[i], b->at[i + 1] - b->at[i], s);
  }
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

int64_t gjl_map_text_cells(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  const unsigned char *bytes = gjl_map_pointer(addresses, 0);
  const int32_t *offsets = gjl_map_pointer(addresses, 1);
  const gjl_map_slot *table = gjl_map_pointer(addresses, 2);
  cell *cells = gjl_map_pointer(addresses, 3);
  int64_t to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i++) {
    int32_t index = table[i].index;
    cells[i] = (cell){.head[HEAD - 1] = NO_LENGTH};
    if (index < 0)
      continue;
    int32_t from = offsets[index], length = offsets[index + 1] - from;
    cells[i] = (cell){.length = length, .index = index, .begin = from};
    put_head(cells[i].head, few_bytes(bytes + from, length), length);
  }
  return 0;
}

// Indices of texts, or -1.
static void compare(const block *b, const unsigned char *bytes, const cell *cells,
                    const uint32_t *at, int64_t count, const unsigned char *own, int32_t *found) {
  for (int64_t k = 0; k < count; k++) {
    int32_t missed = -(int32_t)(load_head(cells[at[k]].head) != load_head(b->heads[k]));
    // Neither a branch, which nobody foresees, nor vectors, for which cells would be gathered.
    __asm__("" : "+r"(missed));
    found[k] = cells[at[k]].index | missed;
  }
  for (uint64_t longer = b->longer; longer; longer &= longer - 1) {
    int k = __builtin_ctzll(longer);
    int64_t length = b->at[k + 1] - b->at[k];
    const cell *c = &cells[at[k]];
    if (found[k] >= 0 &&
        (c->length != length || !same_behind(bytes + b->at[k], own + c->begin, length)))
      found[k] = -1;
  }
}

int64_t gjl_map_find_texts(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  const unsigned char *bytes = gjl_map_pointer(addresses, 0), *own = gjl_map_pointer(addresses, 7);
  const cell *cells = gjl_map_pointer(addresses, 2);
  gjl_map_output output = {s[4], &s[5], gjl_map_pointer(addresses, 4),
                           gjl_map_pointer(addresses, 5)};
  int64_t to = end * MAP_UNIT < s[1] ? end * MAP_UNIT : s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK) {
    int64_t count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    block b;
    uint32_t at[MAP_BLOCK];
    int32_t found[MAP_BLOCK];
    read_block(&b, bytes, gjl_map_pointer(addresses, 6), s, i, count);
    gjl_map_probe((const gjl_map_hash *)&s[8], cells, sizeof *cells, gjl_map_pointer(addresses, 3),
                  b.words, count, at);
    compare(&b, bytes, cells, at, count, own, found);
    uint64_t absent = gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (; absent; absent &= absent - 1)
      found[__builtin_ctzll(absent)] = -1;
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
