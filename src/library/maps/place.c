// Building of hash tables, as maps.h describes them.
//
// Buckets are placed from the largest to the smallest, each by the first pilot that puts its keys
// on free slots. Where one finds none, or holds too many keys, other factors are tried. What falls
// into a bucket is sorted first, so that equal words lie side by side: they are counted and named,
// and nothing is placed then.
//
//   slots       0 units, 1 count of words, 2 seed, 3 attempts, 4 slot bits, 5 bucket bits, 6 the
//               result: 0 placed, -1 not placed, or how many words are equal to one before them;
//               from 7 on the gjl_map_hash that was found
//   addresses   0 words; 1 the table; 2 pilots, u16; 3 for each word one more than where its first
//               equal is, or 0; 4 room for as many words; 5 room for as many i32; 6 room for
//               2·buckets + 1 i32; 7 a bit for each slot, in words of 64
//
// map_place_few takes the first two and 7, which is then 2^slot bits i32, and words that differ.
#include "library/maps/maps.h"

#define HASH_AT 7
enum { MOST_IN_BUCKET = 255, MOST_PILOT = 65535, FEW_TO_SORT = 24 };

typedef struct place {
  gjl_map_hash hash;
  int64_t count;
  const uint64_t *words;
  gjl_map_slot *table;
  uint16_t *pilots;
  int32_t *equals;
  uint64_t *sorted; // words by bucket
  int32_t *ids;     // where they come from
  int32_t *starts;  // of buckets
  int32_t *by_size; // buckets, the largest first
  uint64_t *taken;
  int64_t slot_bits, buckets;
} place;

static void empty_slots(gjl_map_slot *table, int64_t count, uint64_t word) {
  for (int64_t i = 0; i < count; i++)
    table[i] = (gjl_map_slot){(uint32_t)word, (uint32_t)(word >> 32), -1, 0};
}

static void put(gjl_map_slot *slot, uint64_t word, int64_t index) {
  *slot = (gjl_map_slot){(uint32_t)word, (uint32_t)(word >> 32), (int32_t)index, 0};
}

// --- few keys ---

static bool all_differ(const gjl_map_hash *h, const uint64_t *words, int64_t count, int32_t *marks,
                       int32_t mark) {
  for (int64_t i = 0; i < count; i++) {
    int32_t *at = &marks[gjl_map_few(h, words[i])];
    if (*at == mark)
      return false;
    *at = mark;
  }
  return true;
}

int64_t gjl_map_place_few(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  (void)begin, (void)end;
  int64_t *s = gjl_map_slots(slots);
  const uint64_t *words = gjl_map_pointer(addresses, 0);
  gjl_map_slot *table = gjl_map_pointer(addresses, 1);
  int32_t *marks = gjl_map_pointer(addresses, 7);
  gjl_map_hash *h = (gjl_map_hash *)&s[HASH_AT];
  h->bucket_shift = 0;
  h->slot_shift = 32 - s[4];
  s[6] = -1;
  for (int64_t i = 0; i < s[3] && s[6] < 0; i++) {
    gjl_map_seed(h, (uint64_t)(s[2] + i));
    if (all_differ(h, words, s[1], marks, (int32_t)i + 1))
      s[6] = 0;
  }
  if (s[6] < 0)
    return 0;
  empty_slots(table, (int64_t)1 << s[4], words[0]);
  for (int64_t i = 0; i < s[1]; i++)
    put(&table[gjl_map_few(h, words[i])], words[i], i);
  return 0;
}

// --- many ---

static int64_t bucket_of(const place *p, uint64_t word) {
  return gjl_map_a(&p->hash, word) >> p->hash.bucket_shift;
}

static void to_buckets(place *p) {
  int32_t *starts = p->starts;
  for (int64_t b = 0; b <= p->buckets; b++)
    starts[b] = 0;
  for (int64_t i = 0; i < p->count; i++)
    starts[bucket_of(p, p->words[i])]++;
  for (int64_t b = 0, sum = 0; b <= p->buckets; b++) {
    sum += starts[b];
    starts[b] = (int32_t)sum;
  }
  // From the last on, so that equal words keep their order.
  for (int64_t i = p->count; i-- > 0;) {
    int32_t at = --starts[bucket_of(p, p->words[i])];
    p->sorted[at] = p->words[i];
    p->ids[at] = (int32_t)i;
  }
}

static bool is_before(const place *p, int64_t i, int64_t j) {
  return p->sorted[i] < p->sorted[j] || (p->sorted[i] == p->sorted[j] && p->ids[i] < p->ids[j]);
}

static void swap(place *p, int64_t i, int64_t j) {
  uint64_t word = p->sorted[i];
  int32_t id = p->ids[i];
  p->sorted[i] = p->sorted[j];
  p->ids[i] = p->ids[j];
  p->sorted[j] = word;
  p->ids[j] = id;
}

static void sink(place *p, int64_t from, int64_t i, int64_t count) {
  for (int64_t child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && is_before(p, from + child, from + child + 1))
      child++;
    if (!is_before(p, from + i, from + child))
      return;
    swap(p, from + i, from + child);
  }
}

// By insertion if there are few, else by a heap: a bucket may hold all keys.
static void sort_bucket(place *p, int64_t from, int64_t to) {
  int64_t count = to - from;
  if (count <= FEW_TO_SORT) {
    for (int64_t i = from + 1; i < to; i++)
      for (int64_t j = i; j > from && is_before(p, j, j - 1); j--)
        swap(p, j, j - 1);
    return;
  }
  for (int64_t i = count / 2; i-- > 0;)
    sink(p, from, i, count);
  for (int64_t last = count; last-- > 1;) {
    swap(p, from, from + last);
    sink(p, from, 0, last);
  }
}

static int64_t count_equals(place *p) {
  int64_t equals = 0;
  for (int64_t b = 0; b < p->buckets; b++) {
    sort_bucket(p, p->starts[b], p->starts[b + 1]);
    for (int64_t i = p->starts[b] + 1, first = i - 1; i < p->starts[b + 1]; i++) {
      if (p->sorted[i] == p->sorted[first]) {
        p->equals[p->ids[i]] = p->ids[first] + 1;
        equals++;
      } else {
        first = i;
      }
    }
  }
  return equals;
}

// False if a bucket is too large.
static bool order_by_size(place *p) {
  int32_t ends[MOST_IN_BUCKET + 2];
  for (int i = 0; i <= MOST_IN_BUCKET + 1; i++)
    ends[i] = 0;
  for (int64_t b = 0; b < p->buckets; b++) {
    int32_t size = p->starts[b + 1] - p->starts[b];
    if (size > MOST_IN_BUCKET)
      return false;
    ends[MOST_IN_BUCKET - size + 1]++;
  }
  for (int i = 1; i <= MOST_IN_BUCKET + 1; i++)
    ends[i] += ends[i - 1];
  for (int64_t b = 0; b < p->buckets; b++)
    p->by_size[ends[MOST_IN_BUCKET - (p->starts[b + 1] - p->starts[b])]++] = (int32_t)b;
  return true;
}

static bool is_taken(const place *p, uint32_t at) { return p->taken[at >> 6] >> (at & 63) & 1; }
static void toggle(place *p, uint32_t at) { p->taken[at >> 6] ^= (uint64_t)1 << (at & 63); }

// Takes the slots of a bucket's keys, or none.
static bool take(place *p, const uint32_t *a, const uint32_t *b, int32_t count, uint32_t pilot) {
  int32_t i = 0;
  for (; i < count; i++) {
    uint32_t at = gjl_map_at(&p->hash, a[i], b[i], pilot);
    if (is_taken(p, at))
      break;
    toggle(p, at);
  }
  if (i == count)
    return true;
  while (i-- > 0)
    toggle(p, gjl_map_at(&p->hash, a[i], b[i], pilot));
  return false;
}

static bool place_bucket(place *p, int32_t bucket) {
  int32_t from = p->starts[bucket], count = p->starts[bucket + 1] - from;
  uint32_t a[MOST_IN_BUCKET], b[MOST_IN_BUCKET];
  for (int32_t i = 0; i < count; i++) {
    a[i] = gjl_map_a(&p->hash, p->sorted[from + i]);
    b[i] = gjl_map_b(&p->hash, p->sorted[from + i]);
  }
  for (uint32_t pilot = 0; pilot <= MOST_PILOT; pilot++) {
    if (!take(p, a, b, count, pilot))
      continue;
    p->pilots[bucket] = (uint16_t)pilot;
    for (int32_t i = 0; i < count; i++)
      put(&p->table[gjl_map_at(&p->hash, a[i], b[i], pilot)], p->sorted[from + i],
          p->ids[from + i]);
    return true;
  }
  return false;
}

static bool place_all(place *p) {
  int64_t size = (int64_t)1 << p->slot_bits;
  for (int64_t i = 0; i < (size + 63) / 64; i++)
    p->taken[i] = 0;
  empty_slots(p->table, size, p->words[0]);
  for (int64_t b = 0; b < p->buckets; b++)
    if (p->starts[p->by_size[b] + 1] > p->starts[p->by_size[b]] && !place_bucket(p, p->by_size[b]))
      return false;
  return true;
}

int64_t gjl_map_place(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  (void)begin, (void)end;
  int64_t *s = gjl_map_slots(slots);
  int64_t buckets = (int64_t)1 << s[5];
  place p = {.count = s[1],
             .words = gjl_map_pointer(addresses, 0),
             .table = gjl_map_pointer(addresses, 1),
             .pilots = gjl_map_pointer(addresses, 2),
             .equals = gjl_map_pointer(addresses, 3),
             .sorted = gjl_map_pointer(addresses, 4),
             .ids = gjl_map_pointer(addresses, 5),
             .starts = gjl_map_pointer(addresses, 6),
             .taken = gjl_map_pointer(addresses, 7),
             .slot_bits = s[4],
             .buckets = buckets};
  p.by_size = p.starts + buckets + 1;
  p.hash.bucket_shift = 32 - s[5];
  p.hash.slot_shift = 32 - s[4];
  s[6] = -1;
  for (int64_t i = 0; i < s[3] && s[6] < 0; i++) {
    gjl_map_seed(&p.hash, (uint64_t)(s[2] + i));
    to_buckets(&p);
    int64_t equals = count_equals(&p);
    if (equals > 0 || (order_by_size(&p) && place_all(&p)))
      s[6] = equals;
  }
  *(gjl_map_hash *)&s[HASH_AT] = p.hash;
  return 0;
}
