// Parts of strings: what these return lies in their operand, so none needs memory.
//
// They write a view to `out` and return a gjl_status. Positions and lengths count code points, from
// 1, and from the end if they are negative, unless a name says bytes.

#include "library/strings/strings.h"

static inline uint64_t magnitude(int64_t n) { return n < 0 ? 0 - (uint64_t)n : (uint64_t)n; }

static inline int64_t nothing(int64_t out, gjl_text s) { return gjl_part(out, s.at, s.at); }

// substr, substring: `count` code points from `position` on. Position 0 is 1; one before the
// beginning or behind the end gives nothing, and so does a count that is not positive.
int64_t gjl_substr(int64_t text, int64_t length, int64_t position, int64_t count, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  if (count <= 0)
    return nothing(out, s);
  const unsigned char *from = position < 0 ? gjl_retreat(s, magnitude(position))
                              : position   ? gjl_advance(s, (uint64_t)position - 1)
                                           : s.at;
  if (!from)
    return nothing(out, s);
  return gjl_part(out, from, gjl_advance((gjl_text){from, s.end}, (uint64_t)count));
}

// substr without a count: to the end.
int64_t gjl_substr_from(int64_t text, int64_t length, int64_t position, int64_t out) {
  return gjl_substr(text, length, position, INT64_MAX, out);
}

// left: the first `count` code points, or all but the last −count.
int64_t gjl_left(int64_t text, int64_t length, int64_t count, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  const unsigned char *end =
      count < 0 ? gjl_retreat(s, magnitude(count)) : gjl_advance(s, (uint64_t)count);
  return gjl_part(out, s.at, end ? end : s.at);
}

// right: the last `count` code points, or all but the first −count.
int64_t gjl_right(int64_t text, int64_t length, int64_t count, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  if (count == 0)
    return nothing(out, s);
  const unsigned char *from =
      count < 0 ? gjl_advance(s, magnitude(count)) : gjl_retreat(s, (uint64_t)count);
  return gjl_part(out, from ? from : s.at, s.end);
}

// castVARCHAR of a string: its first `count` code points, or all for 0. GJL_INVALID: count < 0.
int64_t gjl_utf8_truncate(int64_t text, int64_t length, int64_t count, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  if (count < 0)
    return GJL_INVALID;
  return gjl_part(out, s.at, count == 0 ? s.end : gjl_advance(s, (uint64_t)count));
}

// castVARBINARY: the first `count` bytes, or all for 0. GJL_INVALID: count < 0.
int64_t gjl_bytes_truncate(int64_t text, int64_t length, int64_t count, int64_t out) {
  if (count < 0)
    return GJL_INVALID;
  gjl_give(out, gjl_bytes(text), count == 0 || count > length ? length : count);
  return GJL_DONE;
}

// byte_substr, bytesubstring: `count` bytes from `position` on. Position 0 gives nothing; one
// before the beginning is the beginning.
int64_t gjl_byte_substr(int64_t text, int64_t length, int64_t position, int64_t count,
                        int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  int64_t from = position > 0 ? position - 1 : position + length;
  from = from < 0 ? 0 : from;
  if (count <= 0 || from >= length)
    return nothing(out, s);
  int64_t rest = length - from;
  gjl_give(out, s.at + from, count < rest ? count : rest);
  return GJL_DONE;
}

// Trims take spaces off, and no other white space.
static inline gjl_text skip_spaces(gjl_text s) {
  while (s.at < s.end && *s.at == ' ')
    s.at++;
  return s;
}

static inline gjl_text drop_spaces(gjl_text s) {
  while (s.at < s.end && s.end[-1] == ' ')
    s.end--;
  return s;
}

// ltrim: without spaces at the beginning.
int64_t gjl_ltrim(int64_t text, int64_t length, int64_t out) {
  gjl_text s = skip_spaces(gjl_text_of(text, length));
  return gjl_part(out, s.at, s.end);
}

// rtrim: without spaces at the end.
int64_t gjl_rtrim(int64_t text, int64_t length, int64_t out) {
  gjl_text s = drop_spaces(gjl_text_of(text, length));
  return gjl_part(out, s.at, s.end);
}

// btrim, trim: without spaces on both sides.
int64_t gjl_btrim(int64_t text, int64_t length, int64_t out) {
  gjl_text s = drop_spaces(skip_spaces(gjl_text_of(text, length)));
  return gjl_part(out, s.at, s.end);
}

static inline bool is_one_of(gjl_text set, const unsigned char *at, int64_t size) {
  return gjl_find(set, at, size) != NULL;
}

static inline gjl_text skip_chars(gjl_text s, gjl_text set) {
  while (s.at < s.end) {
    int64_t size = gjl_decode(s).size;
    if (!is_one_of(set, s.at, size))
      break;
    s.at += size;
  }
  return s;
}

static inline gjl_text drop_chars(gjl_text s, gjl_text set) {
  while (s.at < s.end) {
    const unsigned char *last = s.end - 1;
    while (last > s.at && !gjl_is_start(*last))
      last--;
    if (!is_one_of(set, last, s.end - last))
      break;
    s.end = last;
  }
  return s;
}

// ltrim with characters: without any of those of `set` at the beginning.
int64_t gjl_ltrim_chars(int64_t text, int64_t length, int64_t set, int64_t set_length,
                        int64_t out) {
  gjl_text s = skip_chars(gjl_text_of(text, length), gjl_text_of(set, set_length));
  return gjl_part(out, s.at, s.end);
}

// rtrim with characters: without any of those of `set` at the end.
int64_t gjl_rtrim_chars(int64_t text, int64_t length, int64_t set, int64_t set_length,
                        int64_t out) {
  gjl_text s = drop_chars(gjl_text_of(text, length), gjl_text_of(set, set_length));
  return gjl_part(out, s.at, s.end);
}

// btrim, trim with characters: on both sides.
int64_t gjl_btrim_chars(int64_t text, int64_t length, int64_t set, int64_t set_length,
                        int64_t out) {
  gjl_text chars = gjl_text_of(set, set_length);
  gjl_text s = drop_chars(skip_chars(gjl_text_of(text, length), chars), chars);
  return gjl_part(out, s.at, s.end);
}

// split_part: part `index` of `text` between delimiters, from 1; nothing if there are fewer.
// Without a delimiter all is in every part, as in Gandiva. GJL_INVALID: index < 1.
int64_t gjl_split_part(int64_t text, int64_t length, int64_t delimiter, int64_t delimiter_length,
                       int64_t index, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  if (index < 1)
    return GJL_INVALID;
  if (delimiter_length == 0)
    return gjl_part(out, s.at, s.end);
  for (;; index--) {
    const unsigned char *end = gjl_find(s, gjl_bytes(delimiter), delimiter_length);
    if (index == 1)
      return gjl_part(out, s.at, end ? end : s.end);
    if (!end)
      return nothing(out, s);
    s.at = end + delimiter_length;
  }
}

// substring_index: what is before delimiter `count`, or behind the last but −count; all if there
// are fewer, nothing for 0 or an empty delimiter. Delimiters may overlap, as in Gandiva.
int64_t gjl_substring_index(int64_t text, int64_t length, int64_t delimiter,
                            int64_t delimiter_length, int64_t count, int64_t out) {
  gjl_text s = gjl_text_of(text, length), rest = s;
  const unsigned char *d = gjl_bytes(delimiter), *found = NULL;
  uint64_t left = magnitude(count);
  if (left == 0 || delimiter_length == 0)
    return nothing(out, s);
  if (count > 0) {
    for (; left && (found = gjl_find(rest, d, delimiter_length)); left--)
      rest.at = found + 1;
    return gjl_part(out, s.at, left ? s.end : found);
  }
  for (int64_t i = length - delimiter_length; left && i >= 0; i--)
    if (s.at[i] == d[0] && gjl_same(s.at + i, d, delimiter_length)) {
      found = s.at + i;
      left--;
    }
  return gjl_part(out, left ? s.at : found + delimiter_length, s.end);
}

// elt: string `index` of the `count` views at `views`, from 1. GJL_INVALID is null here: there is
// no such string, or it is null, which a length of −1 says.
int64_t gjl_elt(int64_t index, int64_t views, int64_t count, int64_t out) {
  if (index < 1 || index > count)
    return GJL_INVALID;
  gjl_view view = ((const gjl_view *)(uintptr_t)views)[index - 1];
  if (view.length < 0)
    return GJL_INVALID;
  *(gjl_view *)(uintptr_t)out = view;
  return GJL_DONE;
}
