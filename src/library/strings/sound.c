// How strings sound, and how far apart they are.

#include "library/strings/strings.h"

static inline int letter_of(unsigned char c) {
  c = (unsigned char)((c | 32) - 'a');
  return c < 26 ? c : -1;
}

// soundex: the first ASCII letter and three digits for what follows; equal neighbours count once,
// vowels, h, w and y separate and other characters do not. An empty string stays empty. GJL_INVALID
// is null here: there is no letter.
int64_t gjl_soundex(int64_t text, int64_t length, int64_t out, int64_t arena) {
  static const char digits[] = "01230120022455012623010202";
  gjl_text s = gjl_text_of(text, length);
  if (length == 0)
    return gjl_part(out, s.at, s.end);
  while (s.at < s.end && letter_of(*s.at) < 0)
    s.at++;
  if (s.at == s.end)
    return GJL_INVALID;
  unsigned char *o;
  int64_t status = gjl_room(arena, 4, &o);
  if (status)
    return status;
  int first = letter_of(*s.at++);
  o[0] = (unsigned char)('A' + first);
  char last = digits[first];
  int64_t size = 1;
  for (; s.at < s.end && size < 4; s.at++) {
    int letter = letter_of(*s.at);
    if (letter < 0 || digits[letter] == last)
      continue;
    last = digits[letter];
    if (last != '0')
      o[size++] = (unsigned char)last;
  }
  while (size < 4)
    o[size++] = '0';
  gjl_give(out, o, 4);
  return GJL_DONE;
}

// levenshtein: how many code points to insert, delete or replace to make one string of the other,
// as an int64 at `out`. Gandiva counts bytes; the same for ASCII. Memory is only needed meanwhile.
int64_t gjl_levenshtein(int64_t a, int64_t a_length, int64_t b, int64_t b_length, int64_t out,
                        int64_t arena) {
  gjl_text s = gjl_text_of(a, a_length), t = gjl_text_of(b, b_length);
  int64_t columns = gjl_count(t), i = 0;
  unsigned char *chars;
  int64_t status = gjl_room(arena, columns * 8 + 4, &chars);
  if (status)
    return status;
  // Row by row of the table of distances between beginnings; only one row is kept.
  unsigned char *row = chars + columns * 4;
  for (; i < columns && t.at < t.end; i++) {
    gjl_char c = gjl_decode(t);
    gjl_store32(chars + i * 4, c.code);
    t.at += c.size;
  }
  columns = i;
  for (i = 0; i <= columns; i++)
    gjl_store32(row + i * 4, (uint32_t)i);
  for (uint32_t line = 1; s.at < s.end; line++) {
    gjl_char c = gjl_decode(s);
    uint32_t corner = line - 1, left = line;
    s.at += c.size;
    gjl_store32(row, left);
    for (i = 1; i <= columns; i++) {
      uint32_t above = gjl_load32(row + i * 4);
      uint32_t changed = corner + (gjl_load32(chars + i * 4 - 4) != c.code);
      uint32_t moved = (left < above ? left : above) + 1;
      left = changed < moved ? changed : moved;
      corner = above;
      gjl_store32(row + i * 4, left);
    }
  }
  *(int64_t *)(uintptr_t)out = gjl_load32(row + columns * 4);
  ((gjl_arena *)(uintptr_t)arena)->next = (int64_t)(uintptr_t)chars;
  return GJL_DONE;
}
