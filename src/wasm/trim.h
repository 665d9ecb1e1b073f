// Leaving out what a fresh memory holds anyway: zeros in the data of a linked module.
#ifndef GJ_WASM_TRIM_H
#define GJ_WASM_TRIM_H

#include "base/strbuf.h"

// Appends the module to `out`, with its data cut where there are long runs of zeros. A module that
// does not look like one of lld's with a memory of its own is copied as it is.
void gj_wasm_trim(const unsigned char *bytes, size_t size, gj_strbuf *out);

#endif
