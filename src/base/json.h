// Writing JSON: the one thing about it that is more than punctuation.
#ifndef GJ_BASE_JSON_H
#define GJ_BASE_JSON_H

#include "base/strbuf.h"

// `text` (UTF-8) as a string of JSON, in quotes.
void gj_json_string(gj_strbuf *out, const char *text);

#endif
