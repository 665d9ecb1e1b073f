// Upper and lower case, and what kind of letter or digit a code point is.
//
// Mappings are Unicode's simple ones, a code point for a code point, as in Gandiva, whatever the
// language; so ß becomes ẞ and i becomes I. A mapping may need one byte more for two, and never
// more than that. The table has runs of code points that are alike, and is searched by halves.
#ifndef GJ_LIBRARY_STRINGS_LETTERS_H
#define GJ_LIBRARY_STRINGS_LETTERS_H

#include "library/strings/strings.h"

enum { GJL_OTHER, GJL_LU, GJL_LL, GJL_LT, GJL_LO, GJL_ND, GJL_NL, GJL_NO, GJL_PAIRS };

// Distances to the upper-case and the lower-case letter, and the category. In the table, GJL_PAIRS
// says that upper-case letters are followed by their lower-case ones; `upper` is then 1 if they are
// the odd code points.
typedef struct gjl_letter {
  int32_t upper, lower, category;
} gjl_letter;

#include "library/strings/letters_table.h"

// What a code point is; bytes that are no UTF-8 are GJL_OTHER.
static inline const gjl_letter *gjl_letter_of(uint32_t c) {
  enum { RUNS = sizeof gjl_letter_runs / sizeof *gjl_letter_runs };
  enum { BLOCKS = sizeof gjl_letter_index / sizeof *gjl_letter_index - 1 };
  static const gjl_letter other = {0, 0, GJL_OTHER}, digit = {0, 0, GJL_ND};
  static const gjl_letter ascii[] = {{0, 32, GJL_LU}, {-32, 0, GJL_LL}};
  static const gjl_letter pair[] = {{0, 1, GJL_LU}, {-1, 0, GJL_LL}};
  if (c < 0x80)
    return (c | 32) - 'a' < 26 ? &ascii[c >> 5 & 1] : c - '0' < 10 ? &digit : &other;
  if (c > 0x10FFFF)
    return &other;
  uint32_t block = c >> 7 < BLOCKS ? c >> 7 : BLOCKS;
  uint32_t low = gjl_letter_index[block];
  uint32_t high = block < BLOCKS ? gjl_letter_index[block + 1] : RUNS - 1;
  while (low < high) {
    uint32_t middle = (low + high + 1) / 2;
    if (gjl_letter_runs[middle] >> 8 <= c)
      low = middle;
    else
      high = middle - 1;
  }
  const gjl_letter *letter = &gjl_letter_kinds[gjl_letter_runs[low] & 0xFF];
  return letter->category == GJL_PAIRS ? &pair[(int32_t)(c & 1) != letter->upper] : letter;
}

static inline uint32_t gjl_upper_of(uint32_t c) { return c + (uint32_t)gjl_letter_of(c)->upper; }

static inline uint32_t gjl_lower_of(uint32_t c) { return c + (uint32_t)gjl_letter_of(c)->lower; }

// What is the same for all letters that differ in case only: Unicode's simple folding, up to the
// choice of the letter, but for the second code points of U+0390, U+03B0 and U+FB06, which stay
// apart. The dotted and the dotless i stand for themselves.
static inline uint32_t gjl_fold(uint32_t c) {
  if (c < 0x80)
    return c - 'A' < 26 ? c + 32 : c;
  return c == 0x130 || c == 0x131 ? c : gjl_lower_of(gjl_upper_of(c));
}

#endif
