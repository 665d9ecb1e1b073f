// Tables of static maps: random words are found where they were put, those that are equal are
// named, words fall into order, and their ranks are those of a look at each; texts find their
// prefixes and networks. Arrays end where memory does.
#include "check.h"
#include "guarded.h"

#include "library/maps/maps.h"

static uint64_t state = 1;

static uint64_t next_word(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state ^ state >> 29;
}

// Arrays by number, each at the end of memory.
enum { MOST = 12 };
typedef struct arrays {
  guarded all[MOST];
  int64_t addresses[MOST];
} arrays;

static void *add(arrays *a, int number, size_t bytes) {
  a->all[number] = guarded_new(bytes, true);
  memset(a->all[number].data, 0, bytes);
  a->addresses[number] = (int64_t)(uintptr_t)a->all[number].data;
  return a->all[number].data;
}

static void free_arrays(arrays *a) {
  for (int i = 0; i < MOST; i++) {
    if (!a->addresses[i])
      continue;
    CHECK(guarded_stands(&a->all[i]));
    guarded_free(&a->all[i]);
  }
}

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

// Places words in 2^slot_bits slots, with pilots, and returns the result.
static int64_t place(arrays *a, int64_t count, int slot_bits, int bucket_bits, int64_t *slots) {
  size_t n = (size_t)count, size = (size_t)1 << slot_bits, buckets = (size_t)1 << bucket_bits;
  add(a, 1, size * sizeof(gjl_map_slot));
  add(a, 2, buckets * 2);
  add(a, 3, n * 4);
  add(a, 4, n * 8);
  add(a, 5, n * 4);
  add(a, 6, (2 * buckets + 1) * 4);
  add(a, 7, (size + 63) / 64 * 8);
  memcpy(slots, (int64_t[12]){1, count, 1, 4, slot_bits, bucket_bits}, 12 * sizeof *slots);
  gjl_map_place(address_of(slots), address_of(a->addresses), 0, 1);
  return slots[6];
}

static void words_are_found_where_they_were_put(void) {
  static const int64_t counts[] = {1, 2, 3, 64, 97, 1009, 20000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    arrays a = {0}, f = {0};
    int64_t count = counts[c], slots[12];
    int slot_bits = 1, bucket_bits = 1;
    for (; ((int64_t)1 << slot_bits) * 24 < count * 25; slot_bits++)
      bucket_bits = slot_bits > 2 ? slot_bits - 1 : 1;
    uint64_t *words = add(&a, 0, (size_t)count * 8);
    for (int64_t i = 0; i < count; i++)
      words[i] = next_word();
    CHECK_INT_EQ(place(&a, count, slot_bits, bucket_bits, slots), 0);
    // Half of the keys are there, as bigints.
    uint64_t *keys = add(&f, 0, (size_t)count * 16);
    for (int64_t i = 0; i < 2 * count; i++)
      keys[i] = i % 2 ? next_word() : words[i / 2];
    memcpy(&f.addresses[2], &a.addresses[1], 2 * sizeof f.addresses[2]);
    int32_t *out = add(&f, 5, (size_t)count * 8);
    int64_t find[13] = {(2 * count + 1023) / 1024, 2 * count, MAP_I64, MAP_SIGNED};
    memcpy(find + 8, slots + 7, 5 * sizeof *find);
    gjl_map_find(address_of(find), address_of(f.addresses), 0, find[0]);
    int64_t wrong = 0;
    for (int64_t i = 0; i < 2 * count; i++)
      wrong += out[i] != (i % 2 ? -1 : i / 2);
    CHECK_INT_EQ(wrong, 0);
    f.addresses[2] = f.addresses[3] = 0;
    free_arrays(&a);
    free_arrays(&f);
  }
}

static void equal_words_are_named(void) {
  arrays a = {0};
  enum { COUNT = 3000 };
  int64_t slots[12], wrong = 0;
  uint64_t *words = add(&a, 0, COUNT * 8);
  for (int i = 0; i < COUNT; i++)
    words[i] = i % 3 ? next_word() : 7;
  CHECK_INT_EQ(place(&a, COUNT, 12, 10, slots), COUNT / 3 - 1);
  const int32_t *equals = (const int32_t *)(void *)a.all[3].data;
  for (int i = 0; i < COUNT; i++)
    wrong += equals[i] != (i % 3 == 0 && i > 0);
  CHECK_INT_EQ(wrong, 0);
  free_arrays(&a);
}

static void words_are_sorted_and_have_ranks(void) {
  static const int64_t counts[] = {1, 2, 8, 9, 81, 1000, 7001};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    arrays a = {0}, t = {0};
    int64_t count = counts[c], blocks = (count + 7) / 8;
    size_t bytes = (size_t)count * 8;
    uint64_t *given = malloc(bytes);
    int64_t *words = add(&a, 0, bytes);
    int32_t *ids = add(&a, 1, bytes / 2);
    add(&a, 2, bytes);
    add(&a, 3, bytes / 2);
    for (int64_t i = 0; i < count; i++)
      words[i] = (int64_t)(given[i] = next_word());
    int64_t sort[3] = {1, count, MAP_SIGNED}, wrong = 0;
    gjl_map_sort(address_of(sort), address_of(a.addresses), 0, 1);
    for (int64_t i = 0; i < count; i++)
      wrong += (int64_t)given[ids[i]] != words[i] || (i > 0 && words[i] < words[i - 1]);
    CHECK_INT_EQ(wrong, 0);
    int64_t *padded = add(&t, 0, (size_t)blocks * 64), tree[16] = {1, count}, nodes = 0;
    for (int64_t i = 0; i < blocks * 8; i++)
      padded[i] = i < count ? words[i] : INT64_MAX;
    for (int64_t level = blocks; level > 1; nodes += level) {
      level = (level + 8) / 9;
      tree[3 + tree[2]++] = level;
    }
    add(&t, 1, (size_t)(nodes ? nodes : 1) * 64);
    gjl_map_tree(address_of(tree), address_of(t.addresses), 0, 1);
    // Of the very words, so each has its own place as its rank.
    int64_t rank[24] = {(count + 1023) / 1024, count, MAP_I64, MAP_SIGNED, -1, 0, count, tree[2]};
    memcpy(rank + 8, tree + 3, 13 * sizeof *rank);
    int64_t addresses[8] = {a.addresses[0], 0, t.addresses[0], t.addresses[1]};
    addresses[6] = address_of(add(&t, 6, bytes / 2));
    gjl_map_rank(address_of(rank), address_of(addresses), 0, rank[0]);
    for (int64_t i = 0; i < count; i++)
      wrong += ((const int32_t *)(uintptr_t)addresses[6])[i] != i;
    CHECK_INT_EQ(wrong, 0);
    free(given);
    free_arrays(&a);
    free_arrays(&t);
  }
}

// Text i has i % 41 bytes, and none is another.
static void texts_of_all_lengths_are_found(void) {
  static const int64_t counts[] = {1, 2, 17, 64, 65, 1000, 3001};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    arrays a = {0}, w = {0}, f = {0};
    int64_t count = counts[c], slots[12], size = 0;
    int slot_bits = 1, bucket_bits = 1;
    for (; ((int64_t)1 << slot_bits) * 24 < count * 25; slot_bits++)
      bucket_bits = slot_bits > 2 ? slot_bits - 1 : 1;
    // At least five, so that there is room for the number.
    int32_t *offsets = add(&f, 8, ((size_t)count + 1) * 4);
    for (int64_t i = 0; i < count; i++)
      offsets[i + 1] = (int32_t)(size += 5 + i % 41);
    unsigned char *own = add(&f, 7, (size_t)size), *bytes = add(&f, 0, (size_t)size);
    for (int64_t i = 0; i < count; i++) {
      char number[12];
      snprintf(number, sizeof number, "%05d", (int)i);
      memset(own + offsets[i], 'a', (size_t)(offsets[i + 1] - offsets[i]));
      memcpy(own + offsets[i], number, 5);
    }
    memcpy(bytes, own, (size_t)size);
    // Every third text is another one, by its last byte.
    for (int64_t i = 0; i < count; i += 3)
      bytes[offsets[i + 1] - 1] = '!';
    int64_t words[8] = {(count + 1023) / 1024, count, 3, 4, 0, 0, 5, 7};
    w.addresses[0] = f.addresses[7], w.addresses[1] = f.addresses[8];
    w.addresses[2] = address_of(add(&a, 0, (size_t)count * 8));
    gjl_map_text_words(address_of(words), address_of(w.addresses), 0, words[0]);
    CHECK_INT_EQ(place(&a, count, slot_bits, bucket_bits, slots), 0);
    int64_t cells[2] = {(((int64_t)1 << slot_bits) + 1023) / 1024, (int64_t)1 << slot_bits};
    w.addresses[2] = a.addresses[1];
    w.addresses[3] = address_of(add(&f, 2, (size_t)cells[1] * 32));
    gjl_map_text_cells(address_of(cells), address_of(w.addresses), 0, cells[0]);
    f.addresses[3] = a.addresses[2];
    int32_t *out = add(&f, 5, (size_t)count * 4), *ends = add(&f, 6, ((size_t)count + 1) * 4);
    memcpy(ends, offsets, ((size_t)count + 1) * 4);
    int64_t find[13] = {words[0], count, 3, 4, 0, 0, 5, 7}, wrong = 0;
    memcpy(find + 8, slots + 7, 5 * sizeof *find);
    gjl_map_find_texts(address_of(find), address_of(f.addresses), 0, find[0]);
    for (int64_t i = 0; i < count; i++)
      wrong += out[i] != (i % 3 == 0 ? -1 : i);
    CHECK_INT_EQ(wrong, 0);
    f.addresses[3] = 0;
    free_arrays(&a);
    free_arrays(&f);
  }
}

// What each text of a list finds, among arrays that say where.
static void texts_find(int64_t (*find)(int64_t, int64_t, int64_t, int64_t), arrays *a, int64_t *s,
                       const char *const *texts, const int32_t *expected, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += strlen(texts[i]);
  char *all = add(a, 0, bytes);
  int32_t *offsets = add(a, 6, ((size_t)count + 1) * 4), *out = add(a, 5, (size_t)count * 4);
  for (int i = 0; i < count; i++) {
    memcpy(all + offsets[i], texts[i], strlen(texts[i]));
    offsets[i + 1] = offsets[i] + (int32_t)strlen(texts[i]);
  }
  s[0] = 1, s[1] = count, s[3] = 4;
  find(address_of(s), address_of(a->addresses), 0, 1);
  for (int i = 0; i < count; i++)
    CHECK_INT_EQ(out[i], expected[i]);
  free_arrays(a);
}

#define FILL(a, number, ...)                                                                       \
  memcpy(add(a, number, sizeof __VA_ARGS__), __VA_ARGS__, sizeof __VA_ARGS__)

static void texts_find_their_longest_prefix(void) {
  static const char *const texts[] = {"",  "a",    "ab",   "abc", "abcd", "a/b",
                                      "b", "ab/c", "abc/", "ac",  "abd",  "abcabcabcabcabcabc"};
  static const int32_t plain[] = {-1, 0, 0, 1, 1, 0, -1, 0, 1, 0, 0, 1};
  static const int32_t ended[] = {-1, 0, -1, 1, -1, 0, -1, -1, 1, -1, -1, -1};
  for (int length = 0; length < 2; length++) {
    arrays a = {0};
    // "a" and "abc", of one child each.
    FILL(&a, 2, (int32_t[]){0, 1, 31, 0, 2, 1, 31, 1, 4, 1, 31, 3});
    FILL(&a, 3, (int32_t[]){'a', 1, -1, -1, 'b', 2, -1, -1, -1, -1, -1, -1});
    FILL(&a, 7, (int32_t[]){-1, 1, 2});
    FILL(&a, 8, (int32_t[]){-1, -1, 1});
    FILL(&a, 9, (int32_t[]){0, 0, 0});
    FILL(&a, 10, (char[]){'a', 'b', 'c'});
    FILL(&a, 11, (int32_t[]){-1, 0, 1});
    int64_t slots[7] = {[2] = '/', [6] = length};
    texts_find(gjl_map_find_prefixes, &a, slots, texts, length ? ended : plain, 12);
  }
}

static void addresses_find_their_network(void) {
  static const char *const texts[] = {"10.0.0.0",
                                      "10.255.255.255",
                                      "11.0.0.0",
                                      "9.255.255.255",
                                      "",
                                      "10.0.0.256",
                                      "10.0.0",
                                      "10.00.0.0",
                                      "2001:db8::",
                                      "2001:DB8:ffff:ffff:ffff:ffff:1.2.3.4",
                                      "2001:db9::",
                                      "::",
                                      "::1",
                                      ":::",
                                      "1:2:3:4:5:6:7:8:9",
                                      "2001:db8::1.2.3.4"};
  static const int32_t expected[] = {7, 7, -1, -1, -1, -1, -1, -1, 3, 3, -1, 5, -1, -1, -1, 3};
  arrays a = {0};
  FILL(&a, 2, (uint32_t[]){0x0A000000});
  FILL(&a, 3, (uint32_t[]){0x0AFFFFFF});
  FILL(&a, 7, (int32_t[]){7});
  FILL(&a, 8, (uint64_t[]){0, 0, 0x20010DB800000000, 0});
  FILL(&a, 9, (uint64_t[]){0, 0, 0x20010DB8FFFFFFFF, UINT64_MAX});
  FILL(&a, 10, (int32_t[]){5, 3});
  int64_t slots[7] = {[2] = 1, [6] = 2};
  texts_find(gjl_map_find_addresses, &a, slots, texts, expected, 16);
}

int main(void) {
  CHECK_RUN(words_are_found_where_they_were_put);
  CHECK_RUN(equal_words_are_named);
  CHECK_RUN(words_are_sorted_and_have_ranks);
  CHECK_RUN(texts_of_all_lengths_are_found);
  CHECK_RUN(texts_find_their_longest_prefix);
  CHECK_RUN(addresses_find_their_network);
  return check_report();
}
