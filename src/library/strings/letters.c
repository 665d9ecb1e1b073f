// Strings by their letters: upper and lower case, capitals, masks.
//
// They write a view to `out` and return a gjl_status, GJL_MORE if the arena has no room.

#include "library/strings/letters.h"

// Room for what letters in another case take, at the most.
static inline int64_t room_for_case(int64_t arena, int64_t length, unsigned char **o) {
  return gjl_room(arena, length + length / 2, o);
}

// Writes the code point at `at`, or the one at some distance from it.
static inline int64_t put(unsigned char *o, const unsigned char *at, uint32_t code, int64_t size,
                          int32_t distance) {
  if (distance || code < 0x80)
    return gjl_encode(o, code + (uint32_t)distance);
  gjl_copy(o, at, size);
  return size;
}

// Eight ASCII letters from the 26 that begin with `first` to the other case.
static inline uint64_t flip(uint64_t word, unsigned char first) {
  uint64_t from = word + (0x80u - first) * GJL_ONES,
           behind = word + (0x80u - first - 26) * GJL_ONES;
  return word ^ ((from & ~behind & GJL_HIGH) >> 2);
}

static inline int64_t change_case(gjl_text s, bool upper, int64_t out, int64_t arena) {
  unsigned char *start, *o;
  int64_t status = room_for_case(arena, s.end - s.at, &start);
  if (status)
    return status;
  for (o = start; s.at < s.end;) {
    int64_t n = s.end - s.at;
    uint64_t word = n >= 8 ? gjl_load64(s.at) : gjl_load_few(s.at, n);
    if (!(word & GJL_HIGH)) {
      word = flip(word, upper ? 'a' : 'A');
      n = n < 8 ? n : 8;
      if (n == 8)
        gjl_store64(o, word);
      else
        gjl_store_few(o, word, n);
      o += n;
      s.at += n;
      continue;
    }
    gjl_char c = gjl_decode(s);
    const gjl_letter *letter = gjl_letter_of(c.code);
    o += put(o, s.at, c.code, c.size, upper ? letter->upper : letter->lower);
    s.at += c.size;
  }
  return gjl_keep(out, arena, start, o);
}

// upper.
int64_t gjl_utf8_upper(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return change_case(gjl_text_of(text, length), true, out, arena);
}

// lower.
int64_t gjl_utf8_lower(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return change_case(gjl_text_of(text, length), false, out, arena);
}

// initcap: the first letter of each word in upper case and the others in lower case. Words are made
// of Lu, Ll, Lt, Nd and Nl, as in Gandiva, so not of Chinese letters.
int64_t gjl_initcap(int64_t text, int64_t length, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  bool in_word = false;
  unsigned char *start, *o;
  int64_t status = room_for_case(arena, length, &start);
  if (status)
    return status;
  for (o = start; s.at < s.end;) {
    gjl_char c = gjl_decode(s);
    const gjl_letter *letter = gjl_letter_of(c.code);
    bool of_word = letter->category && letter->category != GJL_LO && letter->category != GJL_NO;
    o += put(o, s.at, c.code, c.size, of_word && !in_word ? letter->upper : letter->lower);
    s.at += c.size;
    in_word = of_word;
  }
  return gjl_keep(out, arena, start, o);
}

// mask: upper-case and title letters become `upper`, lower-case ones and those of scripts without
// case `lower`, digits and numbers `digit`; defaults are X, x and n.
int64_t gjl_mask(int64_t text, int64_t length, int64_t upper, int64_t upper_length, int64_t lower,
                 int64_t lower_length, int64_t digit, int64_t digit_length, int64_t out,
                 int64_t arena) {
  const gjl_view as[] = {{text, 0},
                         {upper, upper_length},
                         {lower, lower_length},
                         {upper, upper_length},
                         {lower, lower_length},
                         {digit, digit_length},
                         {digit, digit_length},
                         {digit, digit_length}}; // by category
  unsigned char *o = NULL;
  // First the size, then the bytes.
  for (bool writes = false;; writes = true) {
    int64_t size = 0;
    for (gjl_text s = gjl_text_of(text, length); s.at < s.end;) {
      gjl_char c = gjl_decode(s);
      int32_t category = gjl_letter_of(c.code)->category;
      const unsigned char *p = category ? gjl_bytes(as[category].address) : s.at;
      int64_t n = category ? as[category].length : c.size;
      if (writes)
        gjl_copy(o + size, p, n);
      size += n;
      s.at += c.size;
    }
    if (writes) {
      gjl_give(out, o, size);
      return GJL_DONE;
    }
    int64_t status = gjl_room(arena, size, &o);
    if (status)
      return status;
  }
}

// Masks code points `from` to `to`: X for Lu, x for Ll, n for Nd and Nl, the others as they are.
static inline int64_t mask_some(gjl_text s, uint64_t from, uint64_t to, int64_t out,
                                int64_t arena) {
  static const char as[] = {0, 'X', 'x', 0, 0, 'n', 'n', 0};
  const unsigned char *first = gjl_advance(s, from), *last = gjl_advance(s, to);
  unsigned char *start, *o;
  if (first >= last)
    return gjl_part(out, s.at, s.end);
  int64_t status = gjl_room(arena, s.end - s.at, &start);
  if (status)
    return status;
  gjl_copy(start, s.at, first - s.at);
  o = start + (first - s.at);
  for (s.at = first; s.at < last;) {
    gjl_char c = gjl_decode(s);
    char mask = as[gjl_letter_of(c.code)->category];
    if (mask)
      *o++ = (unsigned char)mask;
    else
      o += put(o, s.at, c.code, c.size, 0);
    s.at += c.size;
  }
  gjl_copy(o, s.at, s.end - s.at);
  return gjl_keep(out, arena, start, o + (s.end - s.at));
}

static inline uint64_t some(int64_t count) { return count < 0 ? 0 : (uint64_t)count; }

// All but `count` code points, or all of them if it is negative.
static inline uint64_t all_but(gjl_text s, int64_t count) {
  uint64_t chars = (uint64_t)gjl_count(s);
  return some(count) < chars ? chars - some(count) : 0;
}

// mask_first_n: the first `count` code points are masked, in the way of X, x and n.
int64_t gjl_mask_first_n(int64_t text, int64_t length, int64_t count, int64_t out, int64_t arena) {
  return mask_some(gjl_text_of(text, length), 0, some(count), out, arena);
}

// mask_last_n: the last `count` code points are masked.
int64_t gjl_mask_last_n(int64_t text, int64_t length, int64_t count, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  return mask_some(s, all_but(s, count), UINT64_MAX, out, arena);
}

// mask_show_first_n: all but the first `count` code points are masked.
int64_t gjl_mask_show_first_n(int64_t text, int64_t length, int64_t count, int64_t out,
                              int64_t arena) {
  return mask_some(gjl_text_of(text, length), some(count), UINT64_MAX, out, arena);
}

// mask_show_last_n: all but the last `count` code points are masked.
int64_t gjl_mask_show_last_n(int64_t text, int64_t length, int64_t count, int64_t out,
                             int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  return mask_some(s, 0, all_but(s, count), out, arena);
}
