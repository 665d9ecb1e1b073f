// LEB128 numbers.
#include "wasm/leb.h"

enum { MORE = 128, SIGN = 64, BITS = 64 };

void gj_leb_unsigned(gj_strbuf *out, uint64_t value) {
  for (; value >= MORE; value >>= 7)
    gj_strbuf_char(out, (char)(value | MORE));
  gj_strbuf_char(out, (char)value);
}

void gj_leb_signed(gj_strbuf *out, int64_t value) {
  while (value < -SIGN || value >= SIGN) {
    gj_strbuf_char(out, (char)((value & (MORE - 1)) | MORE));
    value >>= 7;
  }
  gj_strbuf_char(out, (char)(value & (MORE - 1)));
}

// `*out_bits` is how many bits the number had.
static bool read_bits(const unsigned char **at, const unsigned char *end, uint64_t *out,
                      unsigned *out_bits) {
  *out = 0;
  for (unsigned shift = 0; shift < BITS && *at < end; shift += 7) {
    unsigned char byte = *(*at)++;
    *out |= (uint64_t)(byte & (MORE - 1)) << shift;
    *out_bits = shift + 7;
    if (byte < MORE)
      return true;
  }
  return false;
}

bool gj_leb_read_unsigned(const unsigned char **at, const unsigned char *end, uint64_t *out) {
  unsigned bits;
  return read_bits(at, end, out, &bits);
}

bool gj_leb_read_signed(const unsigned char **at, const unsigned char *end, int64_t *out) {
  uint64_t value;
  unsigned bits;
  if (!read_bits(at, end, &value, &bits))
    return false;
  if (bits < BITS && (value >> (bits - 1) & 1))
    value |= ~(uint64_t)0 << bits;
  *out = (int64_t)value;
  return true;
}
