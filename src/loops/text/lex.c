// Reading of Loop IR text, token by token: positions, words, numbers, strings and types.
//
// The text is hostile until read: it need not end in a NUL, names and numbers may be of any length,
// and positions are found only when there is an error to report.

#include "loops/text/lex.h"

#include "loops/rules.h"

#include "ops/literal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 400, SHOWN = 32 };

// --- errors ---

gj_status gj__lread_fail(gj__lreader *r, gj_status code, const char *format, ...) {
  if (r->status)
    return r->status;
  size_t line = 1, column = 1;
  for (const char *c = r->text; c < r->token.text; c++) {
    column = *c == '\n' ? 1 : column + 1;
    line += *c == '\n';
  }
  char message[GJ_ERROR_CAPACITY];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  r->status = gj_fail(r->err, code, "line %zu, column %zu: %s", line, column, message);
  r->token = (gj__ltoken){GJ__TOKEN_END, r->end, 0};
  r->at = r->end;
  return r->status;
}

gj_status gj__lread_expected(gj__lreader *r, const char *what) {
  if (r->token.kind == GJ__TOKEN_END)
    return gj__lread_fail(r, GJ_E_PARSE, "expected %s, got the end of the text", what);
  size_t shown = r->token.length < SHOWN ? r->token.length : SHOWN;
  return gj__lread_fail(r, GJ_E_PARSE, "expected %s, got '%.*s'%s", what, (int)shown, r->token.text,
                        shown < r->token.length ? "…" : "");
}

gj_status gj__lread_built(gj__lreader *r) {
  return r->m->failed ? gj__lread_fail(r, r->m->failed, "%s", r->m->error.message) : r->status;
}

// --- tokens ---

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_space(const gj__lreader *r, const char *at) {
  for (;;) {
    while (at < r->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
      at++;
    if (r->end - at < 2 || at[0] != '/' || at[1] != '/')
      return at;
    while (at < r->end && *at != '\n')
      at++;
  }
}

// The end of a number that begins at `at`: a generous run of characters, judged when its value is
// read.
static const char *number_end(const gj__lreader *r, const char *at) {
  for (at++; at < r->end; at++) {
    bool sign = (*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E');
    if (!is_letter(*at) && !is_digit(*at) && *at != '.' && !sign)
      break;
  }
  return at;
}

static const char *string_end(const gj__lreader *r, const char *at) {
  for (at++; at < r->end && *at != '"'; at++) {
    if ((unsigned char)*at < 0x20)
      return NULL;
    if (*at == '\\' && ++at == r->end)
      return NULL;
  }
  return at < r->end ? at + 1 : NULL;
}

void gj__lread_next(gj__lreader *r) {
  const char *at = skip_space(r, r->at), *end = at;
  gj__ltoken_kind kind = GJ__TOKEN_SIGN;
  char next = r->end - at > 1 ? at[1] : '\0';
  if (at == r->end) {
    kind = GJ__TOKEN_END;
  } else if (is_letter(*at)) {
    kind = GJ__TOKEN_NAME;
    while (end < r->end && (is_letter(*end) || is_digit(*end)))
      end++;
  } else if (is_digit(*at) || (*at == '-' && (is_digit(next) || next == 'i'))) {
    kind = GJ__TOKEN_NUMBER;
    end = number_end(r, at);
  } else if (*at == '"') {
    kind = GJ__TOKEN_STRING;
    end = string_end(r, at);
  } else if (*at == '-' && next == '>') {
    kind = GJ__TOKEN_ARROW;
    end += 2;
  } else {
    end++;
  }
  if (!end) {
    r->token = (gj__ltoken){GJ__TOKEN_SIGN, at, 1};
    gj__lread_fail(r, GJ_E_PARSE, "the string has no end on its line");
    return;
  }
  r->token = (gj__ltoken){(uint8_t)kind, at, (size_t)(end - at)};
  r->at = end;
}

char gj__lread_behind(const gj__lreader *r) {
  const char *at = skip_space(r, r->at);
  return at < r->end ? *at : '\0';
}

bool gj__lread_is(const gj__lreader *r, const char *word) {
  return r->token.kind != GJ__TOKEN_STRING && r->token.kind != GJ__TOKEN_END &&
         r->token.length == strlen(word) && memcmp(r->token.text, word, r->token.length) == 0;
}

bool gj__lread_accept(gj__lreader *r, const char *word) {
  if (!gj__lread_is(r, word))
    return false;
  gj__lread_next(r);
  return true;
}

gj_status gj__lread_expect(gj__lreader *r, const char *word) {
  char quoted[40];
  if (gj__lread_accept(r, word))
    return r->status;
  snprintf(quoted, sizeof quoted, "'%s'", word);
  return gj__lread_expected(r, quoted);
}

// --- numbers ---

// Copies the token for the functions of the C library; false when it is too long to be a number.
static bool number_text(const gj__lreader *r, char out[MAX_NUMBER + 1]) {
  if (r->token.kind != GJ__TOKEN_NUMBER || r->token.length > MAX_NUMBER)
    return false;
  memcpy(out, r->token.text, r->token.length);
  out[r->token.length] = '\0';
  return true;
}

gj_status gj__lread_int(gj__lreader *r, const char *what, int64_t least, int64_t most,
                        int64_t *out_value) {
  char text[MAX_NUMBER + 1], *end;
  *out_value = least;
  if (!number_text(r, text))
    return gj__lread_expected(r, what);
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (*end)
    return gj__lread_expected(r, what);
  if (errno || value < least || value > most)
    return gj__lread_fail(r, GJ_E_PARSE, "%s: %s is not in %" PRId64 " … %" PRId64, what, text,
                          least, most);
  *out_value = value;
  gj__lread_next(r);
  return r->status;
}

// Reads ":dtype" where one follows; "0:8" in an index has no dtype.
static gj_status suffix(gj__lreader *r, gj_dtype *out_dtype) {
  gj__lreader ahead = *r;
  *out_dtype = GJ_DTYPE_i64;
  if (!gj__lread_is(r, ":"))
    return r->status;
  gj__lread_next(&ahead);
  if (ahead.token.kind != GJ__TOKEN_NAME)
    return r->status;
  *r = ahead;
  return gj__lread_dtype(r, out_dtype);
}

// Moves behind a literal, which ends at `*out_end`: a number, a word, or nan(0x…).
static gj_status skip_literal(gj__lreader *r, const char **out_end) {
  bool nan = gj__lread_is(r, "nan");
  *out_end = r->at;
  gj__lread_next(r);
  if (!nan || !gj__lread_accept(r, "("))
    return r->status;
  if (r->token.kind != GJ__TOKEN_NUMBER)
    return gj__lread_expected(r, "the bits of a NaN such as 0x7ff8000000000001");
  gj__lread_next(r);
  *out_end = r->at;
  return gj__lread_expect(r, ")");
}

gj_status gj__lread_const(gj__lreader *r, gj_scalar *out_value) {
  const gj__ltoken start = r->token;
  gj_dtype dtype = GJ_DTYPE_bool;
  bool truth = gj__lread_is(r, "true") || gj__lread_is(r, "false");
  const char *end;
  GJ_TRY(skip_literal(r, &end));
  if (!truth)
    GJ_TRY(suffix(r, &dtype));
  unsigned char element[8] = {0};
  gj_error err;
  gj_status status =
      gj__literal_parse(dtype, start.text, (size_t)(end - start.text), element, &err);
  if (status) {
    r->token = start; // the error points at the literal
    return gj__lread_fail(r, status, "%s", err.message);
  }
  *out_value = gj_scalar_load(dtype, element);
  return r->status;
}

// --- types and strings ---

gj_status gj__lread_dtype(gj__lreader *r, gj_dtype *out_dtype) {
  *out_dtype = r->token.kind == GJ__TOKEN_NAME ? gj_dtype_parse(r->token.text, r->token.length)
                                               : GJ_DTYPE_none;
  if (*out_dtype == GJ_DTYPE_none)
    return gj__lread_expected(r, "a dtype");
  gj__lread_next(r);
  return r->status;
}

gj_status gj__lread_type(gj__lreader *r, gj_ltype *out_type) {
  gj_dtype dtype;
  int64_t lanes;
  GJ_TRY(gj__lread_dtype(r, &dtype));
  *out_type = gj_ltype_scalar(dtype);
  if (gj__lread_accept(r, "*"))
    *out_type = gj_ltype_pointer(dtype);
  if (!gj__lread_accept(r, "<"))
    return r->status;
  GJ_TRY(gj__lread_int(r, "lanes", 2, GJ_MAX_LANES, &lanes));
  *out_type = gj_ltype_vector(dtype, (unsigned)lanes);
  return gj__lread_expect(r, ">");
}

// Resolves one escape; `at` is behind the backslash. NULL when it is unknown.
static const char *escape(const char *at, const char *end, char *out) {
  switch (*at) {
  case '"':
  case '\\':
  case '/':
    *out = *at;
    return at + 1;
  case 'n':
    *out = '\n';
    return at + 1;
  case 't':
    *out = '\t';
    return at + 1;
  case 'u': {
    // The printer writes control characters this way; others stand for themselves.
    char digits[5] = {0}, *stop;
    if (end - at < 5)
      return NULL;
    memcpy(digits, at + 1, 4);
    unsigned long code = strtoul(digits, &stop, 16);
    if (stop != digits + 4 || code == 0 || code > 0x7F)
      return NULL;
    *out = (char)code;
    return at + 5;
  }
  default:
    return NULL;
  }
}

gj_status gj__lread_string(gj__lreader *r, const char **out_text) {
  *out_text = "";
  if (r->token.kind != GJ__TOKEN_STRING)
    return gj__lread_expected(r, "a string");
  const char *at = r->token.text + 1, *end = r->token.text + r->token.length - 1;
  char *text = gj_arena_alloc(&r->m->arena, r->token.length);
  if (!text)
    return gj__lread_fail(r, GJ_E_MEMORY, "out of memory for a string");
  char *to = text;
  while (at < end) {
    if (*at != '\\') {
      *to++ = *at++;
      continue;
    }
    at = escape(at + 1, end, to++);
    if (!at)
      return gj__lread_expected(r,
                                "a string with the escapes \\\" \\\\ \\n \\t \\u0001 to \\u007f");
  }
  *to = '\0';
  *out_text = text;
  gj__lread_next(r);
  return r->status;
}
