// A cursor over IR text: blanks, words, numbers, strings, and errors with line and column. Private
// to ir/.
#ifndef GJ_IR_TEXT_LEXER_H
#define GJ_IR_TEXT_LEXER_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdint.h>

typedef struct gj__lexer {
  const char *start;
  const char *at;
  const char *end;
  gj_error *err;
} gj__lexer;

// Skips blanks and // comments.
void gj__lex_skip(gj__lexer *lex);
// The next character behind blanks, 0 at the end (or for a NUL in the text, which nothing accepts).
char gj__lex_peek(gj__lexer *lex);
// Takes the next character if it is `c`.
bool gj__lex_take(gj__lexer *lex, char c);
gj_status gj__lex_expect(gj__lexer *lex, char c);

// Length of the word [A-Za-z0-9_]+ behind blanks, which is taken; 0 when there is none.
size_t gj__lex_word(gj__lexer *lex, const char **out_word);
// Takes exactly this word or fails.
gj_status gj__lex_expect_word(gj__lexer *lex, const char *word);
// A decimal integer with an optional minus.
gj_status gj__lex_integer(gj__lexer *lex, int64_t *out_value);
// A string in double quotes with the escapes of JSON. The text replaces the content of `out`.
gj_status gj__lex_string(gj__lexer *lex, gj_strbuf *out);

// "line L, column C: expected WHAT, got …" at the next token.
gj_status gj__lex_expected(gj__lexer *lex, const char *what);
// The same place in front of any message; `at` points into the text. Columns count characters
// from 1.
gj_status gj__lex_fail(const gj__lexer *lex, const char *at, gj_status code, const char *format,
                       ...) GJ_PRINTF(4, 5);

#endif
