// One key of a map whose arrays lie behind each other, for code that is about rows: expressions
// over columns.
//
//   blob    words: 0 which function finds it; 1 how many slots it has, 2 how many arrays, and 3
//           which of these the results are; then the slots from the third on, then where in the
//           blob each array begins, or 0, and the arrays
#include "library/maps/texts.h"

enum { MOST_SLOTS = 32, MOST_ARRAYS = 12, KEYS = 0, TEXT_OFFSETS = 6 };

// As lib/maps/column-function.js numbers them; those from TEXTS on take texts.
typedef enum finder { NUMBERS, INTERVALS, TEXTS, PREFIXES, ADDRESSES } finder;

static void find(finder which, int64_t slots, int64_t arrays) {
  switch (which) {
  case NUMBERS:
    gjl_map_find(slots, arrays, 0, 1);
    return;
  case INTERVALS:
    gjl_map_rank(slots, arrays, 0, 1);
    return;
  case TEXTS:
    gjl_map_find_texts(slots, arrays, 0, 1);
    return;
  case PREFIXES:
    gjl_map_find_prefixes(slots, arrays, 0, 1);
    return;
  default:
    gjl_map_find_addresses(slots, arrays, 0, 1);
    return;
  }
}

// `key` is the bits of a number, or the address of a text of so many bytes.
int64_t gjl_map_one(int64_t key, int64_t length, int64_t blob) {
  const int64_t *b = gjl_map_slots(blob), *given = b + 4;
  int64_t slots[MOST_SLOTS] = {1, 1}, arrays[MOST_ARRAYS], offsets[2] = {0, length};
  int32_t index;
  for (int64_t i = 2; i < b[1]; i++)
    slots[i] = given[i - 2];
  given += b[1] - 2;
  for (int64_t i = 0; i < b[2]; i++)
    arrays[i] = given[i] ? blob + given[i] : 0;
  arrays[KEYS] = b[0] < TEXTS ? (int64_t)(uintptr_t)&key : key;
  arrays[b[3]] = (int64_t)(uintptr_t)&index;
  if (b[0] >= TEXTS)
    arrays[TEXT_OFFSETS] = (int64_t)(uintptr_t)offsets;
  find((finder)b[0], (int64_t)(uintptr_t)slots, (int64_t)(uintptr_t)arrays);
  return index;
}

// Text `index` of a column behind a count: offsets of 64 bits, then bytes. None below 0.
int64_t gjl_map_text(int64_t index, int64_t column, int64_t out) {
  const int64_t *offsets = gjl_map_slots(column) + 1;
  int64_t at = index < 0 ? 0 : index;
  int64_t bytes = column + 8 * (offsets[-1] + 2);
  gjl_give(out, gjl_bytes(bytes + offsets[at]), index < 0 ? 0 : offsets[at + 1] - offsets[at]);
  return 0;
}
