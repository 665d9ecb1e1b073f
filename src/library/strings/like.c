// SQL's like: % is any string, _ is any code point, and what follows the escape is itself.
//
// A pattern that is known should be looked at by who compiles the expression: without wildcards it
// is equal, with % at the ends only it is starts_with, ends_with or contains, and those are faster.
// Matching goes back to the last % alone, so it takes no memory and, at worst, the product of both
// lengths.

#include "library/strings/letters.h"

typedef struct pattern_item {
  enum { LITERAL, ANY_CHAR, ANY_TEXT } kind;
  gjl_char literal;
  const unsigned char *at, *next; // bytes of the literal, and what follows it
} pattern_item;

// An escape without anything behind it is itself.
static inline pattern_item next_item(gjl_text pattern, int64_t escape) {
  gjl_char c = gjl_decode(pattern);
  if (c.code == escape && pattern.end - pattern.at > c.size) {
    pattern.at += c.size;
    c = gjl_decode(pattern);
  } else if (c.code == '%' || c.code == '_') {
    return (pattern_item){c.code == '%' ? ANY_TEXT : ANY_CHAR, c, pattern.at, pattern.at + 1};
  }
  return (pattern_item){LITERAL, c, pattern.at, pattern.at + c.size};
}

// How many bytes of `s`, which is not empty, an item takes that is not %; 0 if it does not match.
static inline int64_t taken(gjl_text s, pattern_item item, bool folds) {
  if (item.kind == ANY_CHAR)
    return gjl_decode(s).size;
  int32_t size = item.literal.size;
  if (!folds || item.literal.code == GJL_NO_CHAR)
    return s.end - s.at >= size && gjl_same(s.at, item.at, size) ? size : 0;
  gjl_char c = gjl_decode(s);
  return c.code != GJL_NO_CHAR && gjl_fold(c.code) == gjl_fold(item.literal.code) ? c.size : 0;
}

// How many bytes at the beginning of a pattern are neither wildcards nor escaped.
static inline int64_t literal_run(gjl_text pattern, int64_t escape) {
  const unsigned char *start = pattern.at;
  while (pattern.at < pattern.end) {
    gjl_char c = gjl_decode(pattern);
    if (c.code == escape || c.code == '%' || c.code == '_')
      break;
    pattern.at += c.size;
  }
  return pattern.at - start;
}

// What is known of what follows a %, to find where it may begin.
typedef struct pattern_tail {
  const unsigned char *at; // NULL: there was no %
  int64_t run;             // so many bytes are literal
} pattern_tail;

// Goes on to the first place where a tail may match; false if there is none. Without regard to case
// that is told by its first letter, if it is ASCII; other letters may be its equals.
static inline bool seek(gjl_text *s, pattern_tail tail, bool folds) {
  if (tail.run == 0)
    return true;
  if (!folds) {
    const unsigned char *place = gjl_find(*s, tail.at, tail.run);
    s->at = place ? place : s->end;
    return place != NULL;
  }
  uint32_t first = gjl_fold(*tail.at);
  while (first < 0x80 && s->at < s->end && *s->at < 0x80 && gjl_fold(*s->at) != first)
    s->at++;
  return s->at < s->end;
}

static inline bool matches(gjl_text s, gjl_text pattern, int64_t escape, bool folds) {
  pattern_tail tail = {NULL, 0};     // behind the last %
  const unsigned char *retry = s.at; // where it was tried
  for (;;) {
    int64_t size = 0;
    if (pattern.at < pattern.end) {
      pattern_item item = next_item(pattern, escape);
      if (item.kind == ANY_TEXT) {
        pattern.at = item.next;
        if (pattern.at == pattern.end)
          return true;
        tail = (pattern_tail){pattern.at, literal_run(pattern, escape)};
        if (!folds && tail.at + tail.run == pattern.end)
          return s.end - s.at >= tail.run && gjl_same(s.end - tail.run, tail.at, tail.run);
        if (!seek(&s, tail, folds))
          return false;
        retry = s.at;
        continue;
      }
      // What is left of the string only gets shorter.
      if (s.at == s.end)
        return false;
      size = taken(s, item, folds);
      pattern.at = item.next;
      s.at += size;
    } else if (s.at == s.end) {
      return true;
    }
    if (size == 0) {
      if (!tail.at)
        return false;
      pattern.at = tail.at;
      s.at = retry + gjl_decode((gjl_text){retry, s.end}).size;
      if (!seek(&s, tail, folds))
        return false;
      retry = s.at;
    }
  }
}

// like: 1 if all of `text` matches. `escape` is a code point, or −1 for none, which is the default
// of Gandiva.
int64_t gjl_like(int64_t text, int64_t length, int64_t pattern, int64_t pattern_length,
                 int64_t escape) {
  return matches(gjl_text_of(text, length), gjl_text_of(pattern, pattern_length), escape, false);
}

// ilike: like, whatever the case of letters.
int64_t gjl_ilike(int64_t text, int64_t length, int64_t pattern, int64_t pattern_length,
                  int64_t escape) {
  return matches(gjl_text_of(text, length), gjl_text_of(pattern, pattern_length), escape, true);
}

// The code point that an escape is, which is one character; -1 for none. GJL_INVALID: it is more.
int64_t gjl_like_escape(int64_t text, int64_t length, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  int64_t code = -1;
  if (length > 0) {
    gjl_char c = gjl_decode(s);
    if (c.size != length)
      return GJL_INVALID;
    code = c.code;
  }
  *(int64_t *)(uintptr_t)out = code;
  return GJL_DONE;
}

// Whether every escape of a pattern is followed by %, _ or itself, as SQL and Gandiva want it: 0 is
// an error of whoever wrote the pattern.
int64_t gjl_like_valid(int64_t pattern, int64_t pattern_length, int64_t escape) {
  gjl_text rest = gjl_text_of(pattern, pattern_length);
  while (rest.at < rest.end) {
    gjl_char c = gjl_decode(rest);
    rest.at += c.size;
    if (c.code != escape)
      continue;
    if (rest.at == rest.end)
      return 0;
    c = gjl_decode(rest);
    if (c.code != '%' && c.code != '_' && c.code != escape)
      return 0;
    rest.at += c.size;
  }
  return 1;
}
