// New strings: joined, repeated, padded, replaced, reversed.
//
// They write a view to `out` and return a gjl_status, GJL_MORE if the arena has no room and
// GJL_OVERFLOW if the result would have 2 GiB or more. Where the result is a part of an operand, it
// is not copied.

#include "library/strings/strings.h"

// concat, || of two strings.
int64_t gjl_concat2(int64_t a, int64_t a_length, int64_t b, int64_t b_length, int64_t out,
                    int64_t arena) {
  const unsigned char *p = gjl_bytes(a), *q = gjl_bytes(b);
  if (b_length == 0 || a_length == 0) {
    gjl_give(out, b_length == 0 ? p : q, a_length + b_length);
    return GJL_DONE;
  }
  unsigned char *o;
  int64_t status = gjl_room(arena, a_length + b_length, &o);
  if (status)
    return status;
  gjl_copy(o, p, a_length);
  gjl_copy(o + a_length, q, b_length);
  gjl_give(out, o, a_length + b_length);
  return GJL_DONE;
}

// concat_ws: the `count` views at `views` with a separator between them; those that are null, which
// a length of −1 says, are left out with their separator, empty ones are not.
int64_t gjl_concat_ws(int64_t separator, int64_t separator_length, int64_t views, int64_t count,
                      int64_t out, int64_t arena) {
  const gjl_view *items = (const gjl_view *)(uintptr_t)views;
  int64_t size = 0, present = 0;
  for (int64_t i = 0; i < count; i++)
    if (items[i].length >= 0) {
      size += items[i].length;
      present++;
    }
  size += present ? (present - 1) * separator_length : 0;
  unsigned char *o;
  int64_t status = gjl_room(arena, size, &o);
  if (status)
    return status;
  gjl_give(out, o, size);
  for (int64_t i = 0; i < count; i++) {
    if (items[i].length < 0)
      continue;
    gjl_copy(o, gjl_bytes(items[i].address), items[i].length);
    o += items[i].length;
    if (--present) {
      gjl_copy(o, gjl_bytes(separator), separator_length);
      o += separator_length;
    }
  }
  return GJL_DONE;
}

// concat of many: the `count` views at `views`; null is nothing, as in Gandiva's concat. Where it
// is to make all null, as in its concatOperator, kernels see to that.
int64_t gjl_concat(int64_t views, int64_t count, int64_t out, int64_t arena) {
  return gjl_concat_ws(views, 0, views, count, out, arena);
}

// repeat: `count` times. GJL_INVALID: count < 0, unless the string is empty.
int64_t gjl_repeat(int64_t text, int64_t length, int64_t count, int64_t out, int64_t arena) {
  const unsigned char *p = gjl_bytes(text);
  if (length == 0 || count == 0)
    return gjl_part(out, p, p);
  if (count < 0)
    return GJL_INVALID;
  if (count > INT32_MAX / length)
    return GJL_OVERFLOW;
  unsigned char *o;
  int64_t status = gjl_room(arena, length * count, &o);
  if (status)
    return status;
  gjl_fill(o, length * count, p, length);
  gjl_give(out, o, length * count);
  return GJL_DONE;
}

// What lengths of lpad, rpad and space are cut to.
static inline int64_t clamp(int64_t count) { return count < 0 ? 0 : count > 65536 ? 65536 : count; }

// space: `count` spaces, 0 to 65536 as in Gandiva.
int64_t gjl_space(int64_t count, int64_t out, int64_t arena) {
  unsigned char *o;
  count = clamp(count);
  int64_t status = gjl_room(arena, count, &o);
  if (status)
    return status;
  gjl_fill_byte(o, count, ' ');
  gjl_give(out, o, count);
  return GJL_DONE;
}

static inline int64_t pad(gjl_text s, int64_t count, gjl_text fill, bool left, int64_t out,
                          int64_t arena) {
  count = clamp(count);
  int64_t chars = gjl_count(s), fill_chars = gjl_count(fill), missing = count - chars;
  if (s.at == s.end || missing <= 0 || fill_chars <= 0)
    return gjl_part(out, s.at, gjl_advance(s, (uint64_t)count));
  int64_t length = s.end - s.at, fill_length = fill.end - fill.at;
  int64_t rest = gjl_advance(fill, (uint64_t)(missing % fill_chars)) - fill.at;
  int64_t padding = missing / fill_chars * fill_length + rest;
  unsigned char *o;
  int64_t status = gjl_room(arena, length + padding, &o);
  if (status)
    return status;
  gjl_copy(left ? o + padding : o, s.at, length);
  gjl_fill(left ? o : o + length, padding, fill.at, fill_length);
  gjl_give(out, o, length + padding);
  return GJL_DONE;
}

// lpad: `count` code points, 0 to 65536, cut at the end or filled up at the beginning; an empty
// string stays empty and an empty `fill` fills nothing, as in Gandiva.
int64_t gjl_lpad(int64_t text, int64_t length, int64_t count, int64_t fill, int64_t fill_length,
                 int64_t out, int64_t arena) {
  return pad(gjl_text_of(text, length), count, gjl_text_of(fill, fill_length), true, out, arena);
}

// rpad: as lpad, filled up at the end.
int64_t gjl_rpad(int64_t text, int64_t length, int64_t count, int64_t fill, int64_t fill_length,
                 int64_t out, int64_t arena) {
  return pad(gjl_text_of(text, length), count, gjl_text_of(fill, fill_length), false, out, arena);
}

// reverse: code points from the last to the first.
int64_t gjl_reverse(int64_t text, int64_t length, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  unsigned char *o;
  int64_t status = gjl_room(arena, length, &o);
  if (status)
    return status;
  gjl_give(out, o, length);
  for (o += length; s.at < s.end;) {
    if (s.end - s.at >= 8 && !(gjl_load64(s.at) & GJL_HIGH)) {
      o -= 8;
      gjl_store64(o, __builtin_bswap64(gjl_load64(s.at)));
      s.at += 8;
      continue;
    }
    int64_t size = gjl_decode(s).size;
    o -= size;
    gjl_copy(o, s.at, size);
    s.at += size;
  }
  return GJL_DONE;
}

// replace: every `from` by `to`, from left to right; an empty `from` is nowhere.
int64_t gjl_replace(int64_t text, int64_t length, int64_t from, int64_t from_length, int64_t to,
                    int64_t to_length, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length), rest = s;
  const unsigned char *f = gjl_bytes(from),
                      *place = from_length ? gjl_find(s, f, from_length) : NULL;
  if (!place)
    return gjl_part(out, s.at, s.end);
  // Where strings grow, places are counted first.
  int64_t size = length, growth = to_length - from_length;
  for (rest.at = growth > 0 ? place : NULL; rest.at; rest.at = gjl_find(rest, f, from_length)) {
    size += growth;
    rest.at += from_length;
  }
  unsigned char *o, *start;
  int64_t status = gjl_room(arena, size, &start);
  if (status)
    return status;
  for (o = start; place; place = gjl_find(s, f, from_length)) {
    gjl_copy(o, s.at, place - s.at);
    o += place - s.at;
    gjl_copy(o, gjl_bytes(to), to_length);
    o += to_length;
    s.at = place + from_length;
  }
  gjl_copy(o, s.at, s.end - s.at);
  return gjl_keep(out, arena, start, o + (s.end - s.at));
}

// overlay: `to` in place of `count` code points from `position` on. GJL_INVALID: position < 1 or
// count < 0. SQL's default for `count` is the length of `to`.
int64_t gjl_overlay(int64_t text, int64_t length, int64_t to, int64_t to_length, int64_t position,
                    int64_t count, int64_t out, int64_t arena) {
  if (position < 1 || count < 0)
    return GJL_INVALID;
  gjl_text s = gjl_text_of(text, length);
  const unsigned char *from = gjl_advance(s, (uint64_t)position - 1);
  const unsigned char *rest = gjl_advance((gjl_text){from, s.end}, (uint64_t)count);
  int64_t before = from - s.at, after = s.end - rest;
  unsigned char *o;
  int64_t status = gjl_room(arena, before + to_length + after, &o);
  if (status)
    return status;
  gjl_copy(o, s.at, before);
  gjl_copy(o + before, gjl_bytes(to), to_length);
  gjl_copy(o + before + to_length, rest, after);
  gjl_give(out, o, before + to_length + after);
  return GJL_DONE;
}

// quote: between single quotes, those inside with a backslash; an empty string stays empty.
int64_t gjl_quote(int64_t text, int64_t length, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  if (length == 0)
    return gjl_part(out, s.at, s.end);
  int64_t size = length + 2;
  for (const unsigned char *p = s.at; p < s.end; p++)
    size += *p == '\'';
  unsigned char *o;
  int64_t status = gjl_room(arena, size, &o);
  if (status)
    return status;
  gjl_give(out, o, size);
  *o++ = '\'';
  for (; s.at < s.end; *o++ = *s.at++)
    if (*s.at == '\'')
      *o++ = '\\';
  *o = '\'';
  return GJL_DONE;
}

// chr: the string of one code point. GJL_INVALID: there is none of that number.
int64_t gjl_chr(int64_t code, int64_t out, int64_t arena) {
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return GJL_INVALID;
  unsigned char *o;
  int64_t status = gjl_room(arena, 4, &o);
  if (status)
    return status;
  return gjl_keep(out, arena, o, o + gjl_encode(o, (uint32_t)code));
}

// translate: code points of `from` become those of `to`, and those that find none left are dropped.
// As Gandiva has it, which of `to` a code point becomes is settled by the order in which those of
// `from` turn up in `text`, so translate('ba', 'ab', 'xy') is 'xy' and not 'yx'.
int64_t gjl_translate(int64_t text, int64_t length, int64_t from, int64_t from_length, int64_t to,
                      int64_t to_length, int64_t out, int64_t arena) {
  enum { DROPPED, FIRST }; // what is kept for each byte of `from`: FIRST + place in `to`
  gjl_text s = gjl_text_of(text, length), f = gjl_text_of(from, from_length);
  gjl_text rest = gjl_text_of(to, to_length);
  const unsigned char *t = rest.at;
  if (length == 0 || from_length == 0)
    return gjl_part(out, s.at, s.end);
  unsigned char *start, *seen, *o;
  // A code point may become four bytes; the places of `from` are only needed meanwhile.
  int64_t status = gjl_room(arena, length * 4 + from_length * 4, &start);
  if (status)
    return status;
  seen = start + length * 4;
  for (int64_t i = 0; i < from_length; i++)
    gjl_store32(seen + i * 4, DROPPED);
  for (o = start; s.at < s.end;) {
    int64_t size = gjl_decode(s).size;
    const unsigned char *place = gjl_find(f, s.at, size), *as = s.at;
    int64_t as_size = size;
    if (place) {
      unsigned char *entry = seen + (place - f.at) * 4;
      if (gjl_load32(entry) == DROPPED && rest.at < rest.end) {
        gjl_store32(entry, FIRST + (uint32_t)(rest.at - t));
        rest.at += gjl_decode(rest).size;
      }
      uint32_t now = gjl_load32(entry);
      if (now == DROPPED) {
        as_size = 0;
      } else {
        as = t + (now - FIRST);
        as_size = gjl_decode((gjl_text){as, rest.end}).size;
      }
    }
    gjl_copy(o, as, as_size);
    o += as_size;
    s.at += size;
  }
  return gjl_keep(out, arena, start, o);
}
