// Tokens of the Loop IR text form, for parse.c and parse_expr.c.
//
// The reader holds one token ahead. A failure is kept: it sets `status` and the message once, and
// the token becomes the end of the text, so that every loop over tokens stops.
#ifndef GJ_LOOPS_TEXT_LEX_H
#define GJ_LOOPS_TEXT_LEX_H

#include "loops/loops.h"

typedef enum gj__ltoken_kind {
  GJ__TOKEN_END,
  GJ__TOKEN_NAME,   // identifier or word
  GJ__TOKEN_NUMBER, // 12, -1.5e3, -inf, 0x7ff8
  GJ__TOKEN_STRING, // text between the quotes, escapes untouched
  GJ__TOKEN_ARROW,  // ->
  GJ__TOKEN_SIGN    // any other single character
} gj__ltoken_kind;

typedef struct gj__ltoken {
  uint8_t kind; // gj__ltoken_kind
  const char *text;
  size_t length;
} gj__ltoken;

typedef struct gj__lreader {
  const char *text, *end, *at; // `at` is behind the current token
  gj__ltoken token;
  gj_lmodule *m;
  gj_lfunc *f; // the function being read
  gj_status status;
  gj_error *err;
} gj__lreader;

void gj__lread_next(gj__lreader *r);
// The sign behind the current token, or 0: enough to tell "f(" from a local, "0:8" from "0:i64".
char gj__lread_behind(const gj__lreader *r);

// Keeps the first failure with the position of the current token.
gj_status gj__lread_fail(gj__lreader *r, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);
// "expected …, got …"
gj_status gj__lread_expected(gj__lreader *r, const char *what);
// Passes on a failure that the module keeps from building.
gj_status gj__lread_built(gj__lreader *r);

bool gj__lread_is(const gj__lreader *r, const char *word_or_sign);
bool gj__lread_accept(gj__lreader *r, const char *word_or_sign);
gj_status gj__lread_expect(gj__lreader *r, const char *word_or_sign);

// A decimal integer in [least, most].
gj_status gj__lread_int(gj__lreader *r, const char *what, int64_t least, int64_t most,
                        int64_t *out_value);
gj_status gj__lread_dtype(gj__lreader *r, gj_dtype *out_dtype);
// dtype, dtype<lanes> or dtype*
gj_status gj__lread_type(gj__lreader *r, gj_ltype *out_type);
// A string with its escapes resolved, in the arena of the module.
gj_status gj__lread_string(gj__lreader *r, const char **out_text);
// A literal with its dtype: 2.5:f64, 3, true, -inf:f32, nan(0x7fc00001):f32.
gj_status gj__lread_const(gj__lreader *r, gj_scalar *out_value);

// parse_expr.c
gj_status gj__lread_expr(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr);
// An expression without a [index] behind it.
gj_status gj__lread_primary(gj__lreader *r, unsigned depth, const gj_lexpr **out_expr);

#endif
