// Reading and writing texts of dates: a place in a text, and digits.
#ifndef GJ_LIBRARY_DATES_TEXT_H
#define GJ_LIBRARY_DATES_TEXT_H

#include "library/dates/zones.h"

typedef struct gjl_cursor {
  const unsigned char *bytes;
  int64_t at, end;
} gjl_cursor;

static inline bool gjl_is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool gjl_is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static inline unsigned char gjl_ascii_lower(unsigned char c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

// The byte at the place, or 0 at the end.
static inline unsigned char gjl_peek(const gjl_cursor *c) {
  return c->at < c->end ? c->bytes[c->at] : 0;
}

static inline bool gjl_accept(gjl_cursor *c, unsigned char byte) {
  bool there = c->at < c->end && c->bytes[c->at] == byte;
  c->at += there;
  return there;
}

static inline void gjl_skip_spaces(gjl_cursor *c) {
  while (c->at < c->end && gjl_is_space(c->bytes[c->at]))
    c->at++;
}

// A text without the spaces around it.
static inline gjl_cursor gjl_trimmed(int64_t text, int64_t length) {
  gjl_cursor c = {gjl_bytes(text), 0, length};
  gjl_skip_spaces(&c);
  while (c.end > c.at && gjl_is_space(c.bytes[c.end - 1]))
    c.end--;
  return c;
}

// Reads up to `max` ≤ 18 digits; returns how many there were.
static inline int gjl_digits(gjl_cursor *c, int max, int64_t *value) {
  int count = 0;
  for (*value = 0; count < max && gjl_is_digit(gjl_peek(c)); count++)
    *value = *value * 10 + (c->bytes[c->at++] - '0');
  return count;
}

// Digits after a point as billionths; those after the ninth say nothing. False if there are none.
static inline bool gjl_fraction(gjl_cursor *c, int64_t *billionths) {
  int64_t ignored;
  int count = gjl_digits(c, 9, billionths);
  for (int digit = count; digit < 9; digit++)
    *billionths *= 10;
  while (gjl_digits(c, 18, &ignored) > 0)
    continue;
  return count > 0;
}

// Whether the place has `word` in any case, which is in lower case and ends with 0; if so, goes
// past it.
static inline bool gjl_accept_word(gjl_cursor *c, const char *word) {
  int64_t length = 0;
  for (; word[length]; length++)
    if (length >= c->end - c->at ||
        gjl_ascii_lower(c->bytes[c->at + length]) != (unsigned char)word[length])
      return false;
  c->at += length;
  return true;
}

// Reads "Z", "UTC", "+hh", "+hhmm", "+hh:mm" or "+hh:mm:ss".
static inline bool gjl_read_offset(gjl_cursor *c, int64_t *seconds) {
  int64_t hours, minutes = 0, rest = 0;
  *seconds = 0;
  if (gjl_accept_word(c, "utc") || gjl_accept_word(c, "z"))
    return true;
  bool west = gjl_accept(c, '-');
  if ((!west && !gjl_accept(c, '+')) || gjl_digits(c, 2, &hours) != 2)
    return false;
  bool colon = gjl_accept(c, ':');
  if ((colon || gjl_is_digit(gjl_peek(c))) && gjl_digits(c, 2, &minutes) != 2)
    return false;
  if (colon && gjl_accept(c, ':') && gjl_digits(c, 2, &rest) != 2)
    return false;
  *seconds = (hours * 3600 + minutes * 60 + rest) * (west ? -1 : 1);
  return hours <= 23 && minutes <= 59 && rest <= 59;
}

// ---- writing: each returns the end ----

// At least `width` digits.
static inline unsigned char *gjl_write(unsigned char *p, int64_t value, int width) {
  int digits = 1;
  for (int64_t rest = value; rest > 9; rest /= 10)
    digits++;
  digits = digits < width ? width : digits;
  for (int digit = digits; digit-- > 0; value /= 10)
    p[digit] = (unsigned char)('0' + value % 10);
  return p + digits;
}

// "-0044" for 45 BC, and no plus after 9999.
static inline unsigned char *gjl_write_year(unsigned char *p, int64_t year) {
  if (year < 0)
    *p++ = '-';
  return gjl_write(p, year < 0 ? -year : year, 4);
}

// "+05:30", and with seconds if there are any.
static inline unsigned char *gjl_write_offset(unsigned char *p, int64_t seconds) {
  int64_t distance = seconds < 0 ? -seconds : seconds;
  *p++ = seconds < 0 ? '-' : '+';
  p = gjl_write(p, distance / 3600, 2);
  *p++ = ':';
  p = gjl_write(p, distance / 60 % 60, 2);
  if (distance % 60) {
    *p++ = ':';
    p = gjl_write(p, distance % 60, 2);
  }
  return p;
}

// Gives the part of what was taken that ends at `end` to the caller, and the rest back to the
// arena.
static inline int64_t gjl_give_part(int64_t out, int64_t arena, const unsigned char *start,
                                    const unsigned char *end) {
  ((gjl_arena *)(uintptr_t)arena)->next = (int64_t)(uintptr_t)end;
  gjl_give(out, start, end - start);
  return GJL_DONE;
}

#endif
