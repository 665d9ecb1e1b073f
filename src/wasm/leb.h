// LEB128, the numbers of a module: seven bits a byte, the last one below 128.
#ifndef GJ_WASM_LEB_H
#define GJ_WASM_LEB_H

#include "base/strbuf.h"

#include <stdint.h>

void gj_leb_unsigned(gj_strbuf *out, uint64_t value);
void gj_leb_signed(gj_strbuf *out, int64_t value);
// False at the end of the bytes or of 64 bits; *at moves behind the number.
bool gj_leb_read_unsigned(const unsigned char **at, const unsigned char *end, uint64_t *out);
bool gj_leb_read_signed(const unsigned char **at, const unsigned char *end, int64_t *out);

#endif
