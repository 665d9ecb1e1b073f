// Lookups of many keys in a hash table or a direct one (maps.h).
//
// A block of keys becomes words, words become slots, whose memory is asked for, and only then are
// slots looked at: so a block waits for memory once or twice and not once per key. No branch
// depends on whether a key is found.
//
//   slots       0 units, of MAP_UNIT keys; 1 count; 2 class; 3 kind; 4 bytes of a value, or 0 for
//               indices; 5 what a missing value is, its bits; 6 the least key of a direct table, an
//               f64, and 7 its size, 0 if it is a hash table; from 8 on its gjl_map_hash
//   addresses   0 keys; 1 validity, a bitmap, or null; 2 the table; 3 pilots, or null; 4 values in
//               the order of slots; 5 what is written
//
// A direct table has an i32 for each key from the least on, its index or -1, and one more, -1.
#include "library/maps/maps.h"

#define MAP_UNIT 1024

// From this shift on pilots are so few, 32 KiB at most, that they are in the first caches.
#define NEAR_PILOTS 18

// Keys of one class as doubles. Halves of 64-bit integers have a loop of their own.
#define NUMBERS(name, type)                                                                        \
  static void name(const type *keys, int64_t count, double *numbers) {                             \
    for (int64_t i = 0; i < count; i++)                                                            \
      numbers[i] = (double)keys[i];                                                                \
  }
NUMBERS(from_f32, float)
NUMBERS(from_i32, int32_t)
NUMBERS(from_u32, uint32_t)
NUMBERS(from_i16, int16_t)
NUMBERS(from_u16, uint16_t)
NUMBERS(from_i8, int8_t)
NUMBERS(from_u8, uint8_t)

// Doubles lie where they are.
static const double *numbers_of(const void *keys, int64_t from, int64_t count, int64_t class,
                                double *numbers) {
  switch (class) {
  case MAP_F32:
    from_f32((const float *)keys + from, count, numbers);
    return numbers;
  case MAP_I32:
    from_i32((const int32_t *)keys + from, count, numbers);
    return numbers;
  case MAP_U32:
    from_u32((const uint32_t *)keys + from, count, numbers);
    return numbers;
  case MAP_I16:
    from_i16((const int16_t *)keys + from, count, numbers);
    return numbers;
  case MAP_U16:
    from_u16((const uint16_t *)keys + from, count, numbers);
    return numbers;
  case MAP_I8:
    from_i8((const int8_t *)keys + from, count, numbers);
    return numbers;
  case MAP_U8:
    from_u8((const uint8_t *)keys + from, count, numbers);
    return numbers;
  default:
    return (const double *)keys + from;
  }
}

static inline uint64_t word_of_number(double number) {
  double positive = number + 0.0; // -0 is 0
  uint64_t word;
  __builtin_memcpy(&word, &positive, sizeof word);
  return number == number ? word : MAP_NAN;
}

static inline uint64_t word_of_integer(double number) {
  bool fits = number >= -0x1p31 && number < 0x1p31;
  int32_t integer = (int32_t)(fits ? number : 0);
  return fits && integer == number ? (uint32_t)integer : MAP_NONE;
}

static uint64_t bigint_words(const uint64_t *keys, int64_t count, bool of_other_sign,
                             uint64_t *words) {
  uint64_t absent = 0;
  for (int64_t i = 0; i < count; i++) {
    words[i] = keys[i];
    absent |= (uint64_t)(of_other_sign && keys[i] >> 63) << i;
  }
  return absent;
}

uint64_t gjl_map_words_of(int64_t keys, int64_t from, int64_t count, int64_t class, int64_t kind,
                          uint64_t *words) {
  const void *p = (const void *)(uintptr_t)keys;
  if (class >= MAP_I64)
    return bigint_words((const uint64_t *)p + from, count,
                        (class == MAP_U64) != (kind == MAP_UNSIGNED), words);
  double room[MAP_BLOCK];
  const double *numbers = numbers_of(p, from, count, class, room);
  if (kind == MAP_INTEGERS)
    for (int64_t i = 0; i < count; i++)
      words[i] = word_of_integer(numbers[i]);
  else
    for (int64_t i = 0; i < count; i++)
      words[i] = word_of_number(numbers[i]);
  return 0;
}

// Misses among hits are no branches: what is read is chosen by its address.
#define GIVE(name, type)                                                                           \
  static void name(const gjl_map_output *o, const int32_t *at, int64_t from, int64_t count) {      \
    const type *values = o->values;                                                                \
    type *out = (type *)o->out + from, missing = *(const type *)o->missing;                        \
    for (int64_t i = 0; i < count; i++) {                                                          \
      type value = values[UNFORESEEN(at[i] >= 0) ? at[i] : 0];                                     \
      out[i] = UNFORESEEN(at[i] >= 0) ? value : missing;                                           \
    }                                                                                              \
  }
GIVE(give_8, uint64_t)
GIVE(give_4, uint32_t)
GIVE(give_2, uint16_t)
GIVE(give_1, uint8_t)

static void give_indices(const gjl_map_output *o, const int32_t *at, int64_t from, int64_t count) {
  int32_t *out = (int32_t *)o->out + from;
  for (int64_t i = 0; i < count; i++)
    out[i] = at[i];
}

void gjl_map_give(const gjl_map_output *o, const int32_t *at, int64_t from, int64_t count) {
  if (o->bytes == 8)
    give_8(o, at, from, count);
  else if (o->bytes == 4)
    give_4(o, at, from, count);
  else if (o->bytes == 2)
    give_2(o, at, from, count);
  else if (o->bytes == 1)
    give_1(o, at, from, count);
  else
    give_indices(o, at, from, count);
}

uint64_t gjl_map_absent(const unsigned char *validity, int64_t from, int64_t count) {
  if (!validity)
    return 0;
  uint64_t valid = 0;
  for (int64_t i = 0; i < (count + 7) / 8; i++)
    valid |= (uint64_t)validity[from / 8 + i] << 8 * i;
  return ~valid & UINT64_MAX >> (MAP_BLOCK - count);
}

void gjl_map_probe(const gjl_map_hash *h, const void *table, int64_t slot_bytes,
                   const uint16_t *pilots, const uint64_t *words, int64_t count, uint32_t *at) {
  if (!pilots) {
    for (int64_t i = 0; i < count; i++)
      at[i] = gjl_map_few(h, words[i]);
    return;
  }
  uint32_t a[MAP_BLOCK], b[MAP_BLOCK];
  for (int64_t i = 0; i < count; i++) {
    a[i] = gjl_map_a(h, words[i]);
    b[i] = gjl_map_b(h, words[i]);
  }
  for (int64_t i = 0; i < count && h->bucket_shift < NEAR_PILOTS; i++)
    __builtin_prefetch(&pilots[a[i] >> h->bucket_shift]);
  for (int64_t i = 0; i < count; i++) {
    at[i] = gjl_map_at(h, a[i], b[i], pilots[a[i] >> h->bucket_shift]);
    __builtin_prefetch((const char *)table + at[i] * slot_bytes);
  }
}

typedef struct find {
  const int64_t *slots;
  const gjl_map_hash *hash;
  const void *table;
  const uint16_t *pilots;
  gjl_map_output output;
} find;

// Keys whose places have been asked for.
typedef struct block {
  int64_t from, count;
  uint64_t words[MAP_BLOCK], absent;
  uint32_t at[MAP_BLOCK];
} block;

static void places_direct(const find *f, block *b) {
  const int32_t *table = f->table;
  double least, size = (double)f->slots[7];
  __builtin_memcpy(&least, &f->slots[6], sizeof least);
  int64_t bytes = f->output.bytes;
  uintptr_t values = (uintptr_t)f->output.values;
  for (int64_t i = 0; i < b->count; i++) {
    double number;
    __builtin_memcpy(&number, &b->words[i], sizeof number);
    // A difference may be rounded to an integer, the sum of integers is not.
    double distance = number - least;
    bool fits = (distance >= 0) & (distance < size);
    uint32_t at = (uint32_t)(fits ? distance : 0);
    bool inside = fits & (at + least == number);
    b->at[i] = inside ? at : (uint32_t)size - 1;
  }
  for (int64_t i = 0; i < b->count; i++) {
    __builtin_prefetch(&table[b->at[i]]);
    __builtin_prefetch((const void *)(values + (uintptr_t)(b->at[i] * bytes)));
  }
}

static inline uint64_t slot_word(const void *table, uint32_t at) {
  const gjl_map_slot *slot = (const gjl_map_slot *)table + at;
  return (uint64_t)slot->hi << 32 | slot->lo;
}

static inline int32_t index_at(const void *table, uint32_t at) {
  return ((const int32_t *)table)[at];
}

// Writes the values of a block's keys. `there`: whether key i is at its place.
#define FIND(name, type, there)                                                                    \
  static void name(const find *f, const block *b) {                                                \
    const void *table = f->table;                                                                  \
    const type *values = f->output.values;                                                         \
    type *out = (type *)f->output.out + b->from, missing = *(const type *)f->output.missing;       \
    int64_t count = b->count;                                                                      \
    for (int64_t i = 0; i < count; i++) {                                                          \
      bool found = there;                                                                          \
      type value = values[UNFORESEEN(found) ? b->at[i] : 0];                                       \
      out[i] = UNFORESEEN(found) ? value : missing;                                                \
    }                                                                                              \
    uint64_t absent = b->absent;                                                                   \
    for (int64_t i = 0; absent; i++, absent >>= 1)                                                 \
      out[i] = absent & 1 ? missing : out[i];                                                      \
  }
#define IN_SLOT slot_word(table, b->at[i]) == b->words[i]
#define IN_PLACE index_at(table, b->at[i]) >= 0
FIND(hashed_8, uint64_t, IN_SLOT)
FIND(hashed_4, uint32_t, IN_SLOT)
FIND(hashed_2, uint16_t, IN_SLOT)
FIND(hashed_1, uint8_t, IN_SLOT)
FIND(direct_8, uint64_t, IN_PLACE)
FIND(direct_4, uint32_t, IN_PLACE)
FIND(direct_2, uint16_t, IN_PLACE)
FIND(direct_1, uint8_t, IN_PLACE)

static void hashed_indices(const find *f, const block *b) {
  const gjl_map_slot *table = f->table;
  int32_t *out = (int32_t *)f->output.out + b->from;
  for (int64_t i = 0; i < b->count; i++) {
    bool found = slot_word(table, b->at[i]) == b->words[i] && !(b->absent >> i & 1);
    int32_t index = table[b->at[i]].index;
    out[i] = UNFORESEEN(found) ? index : -1;
  }
}

static void direct_indices(const find *f, const block *b) {
  int32_t *out = (int32_t *)f->output.out + b->from;
  for (int64_t i = 0; i < b->count; i++)
    out[i] = index_at(f->table, b->at[i]) | -(int32_t)(b->absent >> i & 1);
}

static void finish(const find *f, const block *b) {
  bool direct = f->slots[7] != 0;
  if (f->output.bytes == 8)
    (direct ? direct_8 : hashed_8)(f, b);
  else if (f->output.bytes == 4)
    (direct ? direct_4 : hashed_4)(f, b);
  else if (f->output.bytes == 2)
    (direct ? direct_2 : hashed_2)(f, b);
  else if (f->output.bytes == 1)
    (direct ? direct_1 : hashed_1)(f, b);
  else
    (direct ? direct_indices : hashed_indices)(f, b);
}

int64_t gjl_map_find(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  find f = {s,
            (const gjl_map_hash *)&s[8],
            gjl_map_pointer(addresses, 2),
            gjl_map_pointer(addresses, 3),
            {s[4], &s[5], gjl_map_pointer(addresses, 4), gjl_map_pointer(addresses, 5)}};
  const unsigned char *validity = gjl_map_pointer(addresses, 1);
  int64_t keys = (int64_t)(uintptr_t)gjl_map_pointer(addresses, 0), to = end * MAP_UNIT;
  block blocks[2];
  const block *before = NULL;
  if (to > s[1])
    to = s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK) {
    block *b = &blocks[i / MAP_BLOCK % 2];
    b->from = i;
    b->count = to - i < MAP_BLOCK ? to - i : MAP_BLOCK;
    b->absent = gjl_map_words_of(keys, i, b->count, s[2], s[3], b->words);
    b->absent |= gjl_map_absent(validity, i, b->count);
    if (s[7])
      places_direct(&f, b);
    else
      gjl_map_probe(f.hash, f.table, sizeof(gjl_map_slot), f.pilots, b->words, b->count, b->at);
    if (before)
      finish(&f, before);
    before = b;
  }
  if (before)
    finish(&f, before);
  return 0;
}

// slots: 0 units, 1 count, 2 class, 3 kind; addresses: 0 keys, 1 words.
int64_t gjl_map_words(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  int64_t keys = (int64_t)(uintptr_t)gjl_map_pointer(addresses, 0), to = end * MAP_UNIT;
  uint64_t *words = gjl_map_pointer(addresses, 1);
  if (to > s[1])
    to = s[1];
  for (int64_t i = begin * MAP_UNIT; i < to; i += MAP_BLOCK)
    gjl_map_words_of(keys, i, to - i < MAP_BLOCK ? to - i : MAP_BLOCK, s[2], s[3], words + i);
  return 0;
}
