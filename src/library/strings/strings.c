// Questions of strings: how long, how ordered, what is where.
//
// octet_length and bit_length need no function: a string comes with its length in bytes. Positions
// count code points from 1, and 0 is "nowhere", as in Gandiva.

#include "library/strings/strings.h"

// char_length, length, lengthUtf8: code points.
int64_t gjl_utf8_length(int64_t text, int64_t length) {
  return gjl_count(gjl_text_of(text, length));
}

// equal: 1 if the bytes are the same.
int64_t gjl_utf8_equal(int64_t a, int64_t a_length, int64_t b, int64_t b_length) {
  return a_length == b_length && gjl_same(gjl_bytes(a), gjl_bytes(b), a_length);
}

static inline int64_t order(uint64_t x, uint64_t y) {
  x = __builtin_bswap64(x), y = __builtin_bswap64(y);
  return (x > y) - (x < y);
}

// less_than and the others: −1, 0 or 1 by bytes, which is the order of code points too.
int64_t gjl_utf8_compare(int64_t a, int64_t a_length, int64_t b, int64_t b_length) {
  const unsigned char *p = gjl_bytes(a), *q = gjl_bytes(b);
  int64_t n = a_length < b_length ? a_length : b_length;
  for (; n >= 8; n -= 8, p += 8, q += 8)
    if (gjl_load64(p) != gjl_load64(q))
      return order(gjl_load64(p), gjl_load64(q));
  int64_t differ = order(gjl_load_few(p, n), gjl_load_few(q, n));
  return differ ? differ : (a_length > b_length) - (a_length < b_length);
}

// starts_with: 1 if `text` begins with `part`.
int64_t gjl_starts_with(int64_t text, int64_t length, int64_t part, int64_t part_length) {
  return length >= part_length && gjl_same(gjl_bytes(text), gjl_bytes(part), part_length);
}

// ends_with: 1 if `text` ends with `part`.
int64_t gjl_ends_with(int64_t text, int64_t length, int64_t part, int64_t part_length) {
  return length >= part_length &&
         gjl_same(gjl_bytes(text + length - part_length), gjl_bytes(part), part_length);
}

// is_substr, contains: 1 if `part` is somewhere in `text`, as the empty string always is.
int64_t gjl_contains(int64_t text, int64_t length, int64_t part, int64_t part_length) {
  return part_length == 0 ||
         gjl_find(gjl_text_of(text, length), gjl_bytes(part), part_length) != NULL;
}

static inline int64_t position(gjl_text s, const unsigned char *from, int64_t part,
                               int64_t part_length) {
  if (s.at == s.end || part_length == 0)
    return 0;
  const unsigned char *found = gjl_find((gjl_text){from, s.end}, gjl_bytes(part), part_length);
  return found ? gjl_count((gjl_text){s.at, found}) + 1 : 0;
}

// strpos: where `part` is in `text`; 0 for an empty `part`. locate and position without a start are
// the same with their operands turned around.
int64_t gjl_strpos(int64_t text, int64_t length, int64_t part, int64_t part_length) {
  gjl_text s = gjl_text_of(text, length);
  return position(s, s.at, part, part_length);
}

// locate, position: where `part` is in `text` at `start` or behind it. GJL_INVALID: start < 1.
int64_t gjl_locate(int64_t part, int64_t part_length, int64_t text, int64_t length, int64_t start,
                   int64_t out) {
  if (start < 1)
    return GJL_INVALID;
  gjl_text s = gjl_text_of(text, length);
  *(int64_t *)(uintptr_t)out = position(s, gjl_advance(s, (uint64_t)start - 1), part, part_length);
  return GJL_DONE;
}

// instr: as strpos, but an empty `part` is at 1. Gandiva counts bytes here, code points elsewhere;
// this counts code points.
int64_t gjl_instr(int64_t text, int64_t length, int64_t part, int64_t part_length) {
  return part_length == 0 ? 1 : gjl_strpos(text, length, part, part_length);
}

// ascii: the first byte as a signed one, as Gandiva has it; 0 for an empty string.
int64_t gjl_ascii(int64_t text, int64_t length) {
  if (length == 0)
    return 0;
  int64_t byte = *gjl_bytes(text);
  return byte < 0x80 ? byte : byte - 0x100;
}

// find_in_set (MySQL, Hive): which item of a list with commas `text` is, from 1; 0 if none, if it
// has a comma, or if the list is empty.
int64_t gjl_find_in_set(int64_t text, int64_t length, int64_t list, int64_t list_length) {
  const unsigned char comma[] = {','};
  gjl_text s = gjl_text_of(text, length), rest = gjl_text_of(list, list_length);
  if (list_length == 0 || gjl_find(s, comma, 1))
    return 0;
  for (int64_t item = 1;; item++) {
    const unsigned char *end = gjl_find(rest, comma, 1);
    const unsigned char *stop = end ? end : rest.end;
    if (stop - rest.at == length && gjl_same(rest.at, s.at, length))
      return item;
    if (!end)
      return 0;
    rest.at = end + 1;
  }
}
