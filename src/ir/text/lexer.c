// A cursor over IR text. Lines and columns are counted when an error needs them, not on the way.

#include "ir/text/lexer.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

void gj__lex_skip(gj__lexer *lex) {
  while (lex->at < lex->end) {
    char c = *lex->at;
    if (c == '/' && lex->end - lex->at > 1 && lex->at[1] == '/') {
      while (lex->at < lex->end && *lex->at != '\n')
        lex->at++;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      lex->at++;
    } else {
      return;
    }
  }
}

char gj__lex_peek(gj__lexer *lex) {
  gj__lex_skip(lex);
  return lex->at < lex->end ? *lex->at : '\0';
}

bool gj__lex_take(gj__lexer *lex, char c) {
  gj__lex_skip(lex);
  if (lex->at == lex->end || *lex->at != c)
    return false;
  lex->at++;
  return true;
}

gj_status gj__lex_expect(gj__lexer *lex, char c) {
  char what[] = {'\'', c, '\'', '\0'};
  return gj__lex_take(lex, c) ? GJ_OK : gj__lex_expected(lex, what);
}

size_t gj__lex_word(gj__lexer *lex, const char **out_word) {
  gj__lex_skip(lex);
  *out_word = lex->at;
  while (lex->at < lex->end && is_word(*lex->at))
    lex->at++;
  return (size_t)(lex->at - *out_word);
}

gj_status gj__lex_expect_word(gj__lexer *lex, const char *word) {
  const char *got;
  size_t length = gj__lex_word(lex, &got);
  if (length == strlen(word) && memcmp(got, word, length) == 0)
    return GJ_OK;
  lex->at = got;
  char what[64];
  snprintf(what, sizeof what, "'%s'", word);
  return gj__lex_expected(lex, what);
}

gj_status gj__lex_integer(gj__lexer *lex, int64_t *out_value) {
  gj__lex_skip(lex);
  const char *start = lex->at;
  bool negative = gj__lex_take(lex, '-');
  if (lex->at == lex->end || !is_digit(*lex->at)) {
    lex->at = start;
    return gj__lex_expected(lex, "an integer");
  }
  // Counted downwards, since the least integer has no positive counterpart.
  int64_t value = 0;
  for (; lex->at < lex->end && is_digit(*lex->at); lex->at++)
    if (!gj_mul_i64(value, 10, &value) || !gj_sub_i64(value, *lex->at - '0', &value))
      return gj__lex_fail(lex, start, GJ_E_OVERFLOW, "integer does not fit in 64 bits");
  if (!negative && !gj_sub_i64(0, value, &value))
    return gj__lex_fail(lex, start, GJ_E_OVERFLOW, "integer does not fit in 64 bits");
  *out_value = value;
  return GJ_OK;
}

// --- strings ---

static int hex_digit(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The four digits of \uXXXX behind the cursor, or -1.
static int32_t four_digits(gj__lexer *lex) {
  if (lex->end - lex->at < 4)
    return -1;
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(lex->at[i]);
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  lex->at += 4;
  return value;
}

static void append_utf8(gj_strbuf *out, uint32_t code) {
  if (code < 0x80) {
    gj_strbuf_char(out, (char)code);
    return;
  }
  int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
  gj_strbuf_char(out, (char)(leads[tail] | code >> (6 * tail)));
  while (tail-- > 0)
    gj_strbuf_char(out, (char)(0x80 | (code >> (6 * tail) & 0x3F)));
}

static gj_status unicode_escape(gj__lexer *lex, const char *start, gj_strbuf *out) {
  int32_t code = four_digits(lex);
  if (code >= 0xD800 && code < 0xDC00) {
    // The first half of a surrogate pair means nothing without the second.
    int32_t low = -1;
    if (lex->end - lex->at >= 2 && lex->at[0] == '\\' && lex->at[1] == 'u') {
      lex->at += 2;
      low = four_digits(lex);
    }
    code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : -1;
  }
  if (code <= 0 || (code >= 0xD800 && code < 0xE000))
    return gj__lex_fail(lex, start, GJ_E_PARSE, "expected four hex digits of a character");
  append_utf8(out, (uint32_t)code);
  return GJ_OK;
}

static gj_status escape(gj__lexer *lex, gj_strbuf *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *start = lex->at++;
  char c = lex->at < lex->end ? *lex->at++ : '\0';
  if (c == 'u')
    return unicode_escape(lex, start, out);
  const char *found = c ? strchr(from, c) : NULL;
  if (!found)
    return gj__lex_fail(lex, start, GJ_E_PARSE,
                        "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
  gj_strbuf_char(out, to[found - from]);
  return GJ_OK;
}

gj_status gj__lex_string(gj__lexer *lex, gj_strbuf *out) {
  gj__lex_skip(lex);
  const char *start = lex->at;
  if (!gj__lex_take(lex, '"'))
    return gj__lex_expected(lex, "a string in double quotes");
  out->size = 0;
  while (lex->at < lex->end && *lex->at != '"') {
    if ((unsigned char)*lex->at < 0x20)
      return gj__lex_fail(lex, lex->at, GJ_E_PARSE, "expected no control character in a string");
    if (*lex->at == '\\')
      GJ_TRY(escape(lex, out));
    else
      gj_strbuf_char(out, *lex->at++);
  }
  if (lex->at == lex->end)
    return gj__lex_fail(lex, start, GJ_E_PARSE, "the string does not end");
  lex->at++;
  if (out->data)
    out->data[out->size] = '\0'; // an empty string leaves the old text behind otherwise
  return out->failed ? gj_fail(lex->err, GJ_E_MEMORY, "out of memory in a string") : GJ_OK;
}

// --- errors ---

gj_status gj__lex_fail(const gj__lexer *lex, const char *at, gj_status code, const char *format,
                       ...) {
  gj_error why;
  va_list arguments;
  va_start(arguments, format);
  gj_fail_v(&why, code, format, arguments);
  va_end(arguments);
  unsigned long line = 1, column = 1;
  for (const char *c = lex->start; c < at; c++) {
    if (*c == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)*c & 0xC0) != 0x80) {
      column++; // bytes that continue a UTF-8 character do not count
    }
  }
  return gj_fail(lex->err, code, "line %lu, column %lu: %s", line, column, why.message);
}

gj_status gj__lex_expected(gj__lexer *lex, const char *what) {
  gj__lex_skip(lex);
  const char *at = lex->at;
  if (at == lex->end)
    return gj__lex_fail(lex, at, GJ_E_PARSE, "expected %s, got the end of the text", what);
  int length = 0;
  while (length < 40 && at + length < lex->end && is_word(at[length]))
    length++;
  if (length > 0)
    return gj__lex_fail(lex, at, GJ_E_PARSE, "expected %s, got '%.*s'", what, length, at);
  if (*at > ' ' && *at < 0x7F)
    return gj__lex_fail(lex, at, GJ_E_PARSE, "expected %s, got '%c'", what, *at);
  return gj__lex_fail(lex, at, GJ_E_PARSE, "expected %s, got byte 0x%02x", what,
                      (unsigned char)*at);
}
