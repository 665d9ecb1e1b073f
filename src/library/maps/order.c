// Sorted words and the search in them.
//
// Words are ordered as signed integers (of doubles: as numbers, NaN behind all; map_sort makes them
// so). Over the sorted ones stands a static B+-tree (Khuong, Morin 2017; Slotin 2022): nodes of
// eight words, each the least of what lies behind it, and nine children that are found by
// arithmetic; a node is compared as two or one vectors. The keys of a block go down together.
// Where doubles are so even that none of many even buckets has more of them than a node, the bucket
// says which eight words there are to compare, and there is no tree.
//
//   map_sort    slots: 0 units, 1 count; addresses: 0 words, 1 where each was, i32; 2, 3 the same
//               again as room
//   map_tree    slots: 0 units, 1 count, 2 levels above the words, from 3 on the count of nodes of
//               each, the lowest first; addresses: 0 words, and room up to a multiple of eight with
//               the greatest word in it; 1 nodes, levels from the lowest on
//   map_rank    slots: 0 units, 1 count, 2 class, 3 kind, 4 bytes of a value, 0 for indices, -1
//               for ranks: how many words are below the key's; 5 a missing value; 6 count of
//               words, 7 levels, from 8 on the count of nodes of each; of buckets 8 how many, 9
//               where the first begins, an f64, and 10 buckets for a unit, an f64
//               addresses: 0 keys, 1 validity, 2 words, 3 nodes, 4 the last word of each interval,
//               5 values or indices by interval, 6 what is written, 7 how many words are before
//               each bucket, i32, or null
#include "library/maps/maps.h"

#define MAP_UNIT 1024
#define NODE 8
enum { DIGIT = 11, DIGITS = 1 << DIGIT, TOGETHER = 16 };

static inline int64_t ordered(uint64_t word, int64_t kind) {
  uint64_t sign = (uint64_t)1 << 63;
  if (kind == MAP_NUMBERS)
    return (int64_t)(word & sign ? word ^ (sign - 1) : word);
  return (int64_t)(kind == MAP_UNSIGNED ? word ^ sign : word);
}

// One pass of a radix sort by the digit at `shift`; none if it is the same everywhere.
static bool pass(int64_t count, int shift, const uint64_t *words, const int32_t *ids,
                 uint64_t *to_words, int32_t *to_ids) {
  int32_t starts[DIGITS];
  for (int64_t d = 0; d < DIGITS; d++)
    starts[d] = 0;
  for (int64_t i = 0; i < count; i++)
    starts[words[i] >> shift & (DIGITS - 1)]++;
  if (starts[words[0] >> shift & (DIGITS - 1)] == count)
    return false;
  for (int64_t d = 0, sum = 0; d < DIGITS; d++) {
    int32_t own = starts[d];
    starts[d] = (int32_t)sum;
    sum += own;
  }
  for (int64_t i = 0; i < count; i++) {
    int32_t at = starts[words[i] >> shift & (DIGITS - 1)]++;
    to_words[at] = words[i];
    to_ids[at] = ids[i];
  }
  return true;
}

int64_t gjl_map_sort(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  (void)begin, (void)end;
  const int64_t *s = gjl_map_slots(slots);
  uint64_t *words = gjl_map_pointer(addresses, 0), *spare = gjl_map_pointer(addresses, 2);
  int32_t *ids = gjl_map_pointer(addresses, 1), *spare_ids = gjl_map_pointer(addresses, 3);
  uint64_t *at = words, *other = spare, sign = (uint64_t)1 << 63;
  int32_t *at_ids = ids, *other_ids = spare_ids;
  for (int64_t i = 0; i < s[1]; i++) {
    words[i] = (uint64_t)ordered(words[i], s[2]) ^ sign;
    ids[i] = (int32_t)i;
  }
  for (int shift = 0; shift < 64 && s[1] > 0; shift += DIGIT) {
    if (!pass(s[1], shift, at, at_ids, other, other_ids))
      continue;
    uint64_t *w = at;
    int32_t *n = at_ids;
    at = other, at_ids = other_ids;
    other = w, other_ids = n;
  }
  for (int64_t i = 0; i < s[1]; i++) {
    words[i] = at[i] ^ sign;
    ids[i] = at_ids[i];
  }
  return 0;
}

int64_t gjl_map_tree(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  (void)begin, (void)end;
  const int64_t *s = gjl_map_slots(slots);
  const int64_t *words = gjl_map_pointer(addresses, 0);
  int64_t *nodes = gjl_map_pointer(addresses, 1), blocks = (s[1] + NODE - 1) / NODE, under = 1;
  // `under`: blocks of words below a child of this level.
  for (int64_t level = 0; level < s[2]; level++, under *= NODE + 1) {
    for (int64_t node = 0; node < s[3 + level]; node++)
      for (int64_t j = 0; j < NODE; j++) {
        int64_t block = (node * (NODE + 1) + j + 1) * under;
        nodes[node * NODE + j] = block < blocks ? words[block * NODE] : INT64_MAX;
      }
    nodes += s[3 + level] * NODE;
  }
  return 0;
}

#ifdef __has_builtin
#if __has_builtin(__builtin_reduce_add)
#define REDUCES
#endif
#endif

// The words of a node, as a vector where compilers add up its lanes, which is one instruction for a
// comparison on processors that have masks.
typedef int64_t node_words __attribute__((vector_size(8 * NODE), aligned(8), may_alias));

static inline int64_t at_most(const int64_t *node, int64_t x) {
#ifdef REDUCES
  return -__builtin_reduce_add(*(const node_words *)node <= x);
#else
  int64_t count = 0;
  for (int j = 0; j < NODE; j++)
    count += node[j] <= x;
  return count;
#endif
}

// What the search of a run is given.
typedef struct search {
  const int64_t *words, *nodes, *level_counts;
  int64_t count, levels, blocks, node_count;
  const int32_t *buckets; // or NULL
} search;

static void ranks_by_bucket(const search *t, const int64_t *x, int64_t count, int64_t *rank) {
  double origin, scale, last = (double)(t->level_counts[0] - 1);
  __builtin_memcpy(&origin, &t->level_counts[1], sizeof origin);
  __builtin_memcpy(&scale, &t->level_counts[2], sizeof scale);
  int64_t least = t->words[0];
  for (int64_t i = 0; i < count; i++) {
    uint64_t word = (uint64_t)ordered((uint64_t)x[i], MAP_NUMBERS);
    double number;
    __builtin_memcpy(&number, &word, sizeof number);
    double at = (number - origin) * scale;
    at = at < last ? at : last; // NaN too
    rank[i] = (int64_t)(x[i] > least && at > 0 ? at : 0);
  }
  for (int64_t i = 0; i < count; i++)
    __builtin_prefetch(&t->buckets[rank[i]]);
  for (int64_t i = 0; i < count; i++) {
    rank[i] = t->buckets[rank[i]];
    __builtin_prefetch(&t->words[rank[i]]);
    __builtin_prefetch(&t->words[rank[i] + NODE - 1]);
  }
  for (int64_t i = 0; i < count; i++)
    rank[i] += at_most(t->words + rank[i], x[i]);
}

static void ranks_of(const search *t, const int64_t *x, int64_t count, int64_t *rank) {
  if (t->buckets) {
    ranks_by_bucket(t, x, count, rank);
    return;
  }
  const int64_t *level = t->nodes + t->node_count * NODE;
  for (int64_t i = 0; i < count; i++)
    rank[i] = 0;
  for (int64_t l = t->levels; l-- > 0;) {
    level -= t->level_counts[l] * NODE;
    int64_t last = (l ? t->level_counts[l - 1] : t->blocks) - 1;
    for (int64_t i = 0; i < count; i++) {
      int64_t child = rank[i] * (NODE + 1) + at_most(level + rank[i] * NODE, x[i]);
      rank[i] = child < last ? child : last; // the greatest word is behind all
    }
  }
  for (int64_t i = 0; i < count; i++) {
    int64_t r = rank[i] * NODE + at_most(t->words + rank[i] * NODE, x[i]);
    rank[i] = r < t->count ? r : t->count;
  }
}

static void ranks_below(const search *t, int64_t *x, int64_t count, int64_t *rank, int32_t *found) {
  // At most the word before; nothing is below the least one.
  for (int64_t k = 0; k < count; k++) {
    found[k] = x[k] != INT64_MIN;
    x[k] -= found[k];
  }
  ranks_of(t, x, count, rank);
  for (int64_t k = 0; k < count; k++)
    found[k] = found[k] ? (int32_t)rank[k] : 0;
}

// `indices` of intervals, or NULL if they count as they lie.
static void find_intervals(const search *t, const int64_t *x, int64_t count, int64_t *rank,
                           const int64_t *lasts, const int32_t *indices, int32_t *found) {
  ranks_of(t, x, count, rank);
  for (int64_t k = 0; k < count; k++) {
    int64_t at = rank[k] > 0 ? rank[k] - 1 : 0;
    bool inside = (rank[k] > 0) & (x[k] <= lasts[at]);
    int32_t place = indices ? indices[at] : (int32_t)at;
    found[k] = inside ? place : -1;
  }
}

int64_t gjl_map_rank(int64_t slots, int64_t addresses, int64_t begin, int64_t end) {
  const int64_t *s = gjl_map_slots(slots);
  search t = {gjl_map_pointer(addresses, 2),
              gjl_map_pointer(addresses, 3),
              s + 8,
              s[6],
              s[7],
              (s[6] + NODE - 1) / NODE,
              0,
              gjl_map_pointer(addresses, 7)};
  for (int64_t l = 0; l < t.levels; l++)
    t.node_count += s[8 + l];
  gjl_map_output output = {s[4] > 0 ? s[4] : 0, &s[5], gjl_map_pointer(addresses, 5),
                           gjl_map_pointer(addresses, 6)};
  const int64_t *lasts = gjl_map_pointer(addresses, 4);
  const int32_t *indices = gjl_map_pointer(addresses, 5);
  int64_t keys = (int64_t)(uintptr_t)gjl_map_pointer(addresses, 0), to = end * MAP_UNIT;
  if (to > s[1])
    to = s[1];
  // A search in buckets waits for memory twice, one in a tree at each level.
  int64_t together = t.buckets ? MAP_BLOCK : TOGETHER;
  for (int64_t i = begin * MAP_UNIT; i < to; i += together) {
    int64_t count = to - i < together ? to - i : together, x[MAP_BLOCK], rank[MAP_BLOCK];
    uint64_t words[MAP_BLOCK];
    int32_t found[MAP_BLOCK];
    uint64_t absent = gjl_map_words_of(keys, i, count, s[2], s[3], words);
    absent |= gjl_map_absent(gjl_map_pointer(addresses, 1), i, count);
    for (int64_t k = 0; k < count; k++)
      x[k] = ordered(words[k], s[3]);
    if (s[4] < 0)
      ranks_below(&t, x, count, rank, found);
    else
      find_intervals(&t, x, count, rank, lasts, s[4] ? NULL : indices, found);
    for (int64_t k = 0; absent; k++, absent >>= 1)
      found[k] = absent & 1 ? -1 : found[k];
    gjl_map_give(&output, found, i, count);
  }
  return 0;
}
