// One element as text. Private to ir/, loops/ and the gj tool.
#ifndef GJ_OPS_LITERAL_H
#define GJ_OPS_LITERAL_H

#include "base/strbuf.h"
#include "ops/dtype.h"

// Appends the shortest decimal that reads back as the same bits: "2.5", "1.0", "-0.0", "1e30",
// "inf", "nan", "nan(0x7ff8000000000001)"; integers in decimal; true and false. The locale plays no
// part.
void gj__literal_print(gj_dtype dtype, const void *element, gj_strbuf *out);

// Reads what gj__literal_print writes and other spellings of numbers ("1", "+2.50E3") into
// `element`. All of `text` must be used. Floats are rounded to nearest; one too large for its type
// is an error, and so is an integer out of range.
gj_status gj__literal_parse(gj_dtype dtype, const char *text, size_t length, void *element,
                            gj_error *err);

#endif
