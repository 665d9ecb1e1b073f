// Programs of regular expressions (src/library/regexp.c) put together by hand or at random, for
// tests and the fuzzer; the compiler of patterns is JavaScript and is tested there.
#ifndef GJ_TEST_LIBRARY_REGEXP_H
#define GJ_TEST_LIBRARY_REGEXP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The same as in regexp.c.
enum { RE_CHAR, RE_SET, RE_SPLIT, RE_SAVE, RE_ASSERT, RE_MATCH };
enum { RE_BEGIN_TEXT, RE_END_TEXT, RE_BEGIN_LINE, RE_END_LINE, RE_WORD, RE_NOT_WORD };

enum { RE_HEAD = 21, RE_SETS = 4, RE_SET_WORDS = 9, RE_MOST = 40 };

typedef struct re_instruction {
  uint32_t what, operand, next;
} re_instruction;

// Sets are told by their number in instructions here; a set is `ascii`, and a range above.
typedef struct re_set {
  uint32_t ascii[4], low, high;
} re_set;

typedef struct re_code {
  re_instruction at[RE_MOST];
  uint32_t count, slots;
  re_set sets[RE_SETS];
  const char *prefix; // what all matches begin with
} re_code;

typedef struct re_program {
  uint32_t words[RE_HEAD + RE_SETS * RE_SET_WORDS + RE_MOST * 3 + 4];
} re_program;

// A program without a table that begins with instruction 0.
static inline re_program re_assemble(const re_code *code) {
  re_program p = {{0}};
  uint32_t at = RE_HEAD;
  for (int i = 0; i < RE_SETS; i++, at += RE_SET_WORDS) {
    memcpy(p.words + at, code->sets[i].ascii, sizeof code->sets[i].ascii);
    // Two ranges, so that there is something to search.
    uint32_t ranges[] = {2, code->sets[i].low, code->sets[i].high, 0x10FFFE, 0x10FFFE};
    memcpy(p.words + at + 4, ranges, sizeof ranges);
  }
  p.words[6] = at * 4;
  p.words[7] = code->count;
  p.words[9] = code->slots;
  p.words[20] = code->count;
  for (uint32_t i = 0; i < code->count; i++, at += 3) {
    re_instruction each = code->at[i];
    uint32_t place = (RE_HEAD + each.operand * RE_SET_WORDS) * 4;
    p.words[at] = each.what;
    p.words[at + 1] = each.what == RE_SET ? place : each.operand;
    p.words[at + 2] = each.next;
  }
  size_t length = code->prefix ? strlen(code->prefix) : 0;
  p.words[4] = at * 4;
  p.words[5] = (uint32_t)length;
  if (length)
    memcpy(p.words + at, code->prefix, length);
  return p;
}

// Code points that random programs ask for and random texts have.
static const uint32_t re_letters[] = {'a', 'b', '_', ' ', '\n', 0xE9, 0x65E5, 0x1F600};
enum { RE_LETTERS = sizeof re_letters / sizeof *re_letters };

// Any instructions, which may lead anywhere, from numbers that `next` gives.
static inline re_code re_random(uint32_t (*next)(void *), void *source) {
  re_code code = {.count = 2 + next(source) % 14, .slots = next(source) % 4 * 2};
  for (int i = 0; i < RE_SETS; i++) {
    re_set *set = &code.sets[i];
    for (int j = 0; j < 4; j++)
      set->ascii[j] = next(source) * 0x01010101u;
    set->low = 0x80 + (next(source) & 0xFF) * ((uint32_t)i + 1) * 2;
    set->high = set->low + (next(source) & 0xFF) * 300;
  }
  for (uint32_t i = 0; i < code.count; i++) {
    // Only instructions that there is something for: no slots, no saves.
    static const uint32_t kinds[] = {RE_CHAR,  RE_CHAR,   RE_CHAR,  RE_SET, RE_SPLIT,
                                     RE_SPLIT, RE_ASSERT, RE_MATCH, RE_SAVE};
    uint32_t what = kinds[next(source) % (code.slots ? 9 : 8)], operand = next(source);
    operand = what == RE_CHAR     ? re_letters[operand % RE_LETTERS]
              : what == RE_SET    ? operand % RE_SETS
              : what == RE_SAVE   ? operand % code.slots
              : what == RE_ASSERT ? operand % 6
                                  : operand % code.count;
    code.at[i] = (re_instruction){what, operand, next(source) % code.count};
  }
  return code;
}

// A table of `states` rows for classes of bytes, with random entries.
enum { RE_STATES = 6, RE_CLASSES = 5 };

typedef struct re_table {
  uint32_t words[RE_HEAD];
  uint8_t classes[256];
  uint16_t next[RE_STATES * RE_CLASSES];
  char prefix[4];
} re_table;

static inline re_table re_random_table(uint32_t (*next)(void *), void *source) {
  re_table t = {.words = {offsetof(re_table, classes), next(source) % RE_STATES * RE_CLASSES,
                          RE_STATES * RE_CLASSES, RE_CLASSES - 1, offsetof(re_table, prefix),
                          next(source) % 3}};
  for (int i = 0; i < 256; i++)
    t.classes[i] = (uint8_t)(next(source) % (RE_CLASSES - 1));
  for (int i = 0; i < RE_STATES * RE_CLASSES; i++)
    t.next[i] = (uint16_t)(next(source) % (RE_STATES + 2) * RE_CLASSES);
  memcpy(t.prefix, "ab", 2);
  return t;
}

#endif
