// Bytes as text and back: hexadecimal, base64, escapes, UTF-8, numbers as bytes, CRC-32.
//
// What yields a string writes a view to `out` and returns a gjl_status: GJL_MORE if the arena has
// no room, GJL_OVERFLOW if the result would have 2 GiB or more, GJL_INVALID if the operand is no
// code.

#include "library/strings/strings.h"

static inline unsigned char hex_digit(uint64_t n) {
  return (unsigned char)(n < 10 ? '0' + n : 'A' + n - 10);
}

static inline int hex_value(unsigned char c) {
  unsigned char letter = (unsigned char)((c | 32) - 'a');
  return c >= '0' && c <= '9' ? c - '0' : letter < 6 ? letter + 10 : -1;
}

// to_hex, hex of bytes: two upper-case digits for each.
int64_t gjl_to_hex(int64_t text, int64_t length, int64_t out, int64_t arena) {
  unsigned char *o;
  int64_t status = gjl_room(arena, length * 2, &o);
  if (status)
    return status;
  for (int64_t i = 0; i < length; i++) {
    unsigned char byte = gjl_bytes(text)[i];
    o[i * 2] = hex_digit(byte >> 4);
    o[i * 2 + 1] = hex_digit(byte & 15);
  }
  gjl_give(out, o, length * 2);
  return GJL_DONE;
}

// to_hex, hex of an int64: upper-case digits of its bits, without zeros in front.
int64_t gjl_to_hex_int64(int64_t value, int64_t out, int64_t arena) {
  uint64_t bits = (uint64_t)value;
  unsigned char *o;
  int64_t status = gjl_room(arena, 16, &o);
  if (status)
    return status;
  int64_t digits = 16 - (__builtin_clzll(bits | 1) >> 2);
  for (int64_t i = digits - 1; i >= 0; i--, bits >>= 4)
    o[i] = hex_digit(bits & 15);
  return gjl_keep(out, arena, o, o + digits);
}

// to_hex, hex of an int32: as of its 32 bits.
int64_t gjl_to_hex_int32(int64_t value, int64_t out, int64_t arena) {
  return gjl_to_hex_int64((int64_t)(uint32_t)value, out, arena);
}

// from_hex, unhex: the bytes of two digits each. GJL_INVALID, which is null in Gandiva: an odd
// length, or something else than digits.
int64_t gjl_from_hex(int64_t text, int64_t length, int64_t out, int64_t arena) {
  const unsigned char *p = gjl_bytes(text);
  if (length % 2)
    return GJL_INVALID;
  unsigned char *o;
  int64_t status = gjl_room(arena, length / 2, &o);
  if (status)
    return status;
  for (int64_t i = 0; i < length / 2; i++) {
    int high = hex_value(p[i * 2]), low = hex_value(p[i * 2 + 1]);
    if (high < 0 || low < 0) {
      gjl_keep(out, arena, o, o);
      return GJL_INVALID;
    }
    o[i] = (unsigned char)(high << 4 | low);
  }
  gjl_give(out, o, length / 2);
  return GJL_DONE;
}

// binary_string: the bytes of a string in which \xHH is one, in either case; anything else is
// itself.
int64_t gjl_binary_string(int64_t text, int64_t length, int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  unsigned char *start, *o;
  int64_t status = gjl_room(arena, length, &start);
  if (status)
    return status;
  for (o = start; s.at < s.end; s.at++) {
    *o = *s.at;
    if (*s.at == '\\' && s.end - s.at > 3 && (s.at[1] | 32) == 'x') {
      int high = hex_value(s.at[2]), low = hex_value(s.at[3]);
      if (high >= 0 && low >= 0) {
        *o = (unsigned char)(high << 4 | low);
        s.at += 3;
      }
    }
    o++;
  }
  return gjl_keep(out, arena, start, o);
}

// base64: RFC 4648 with padding.
int64_t gjl_base64(int64_t text, int64_t length, int64_t out, int64_t arena) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  gjl_text s = gjl_text_of(text, length);
  int64_t size = (length + 2) / 3 * 4;
  unsigned char *o;
  int64_t status = gjl_room(arena, size, &o);
  if (status)
    return status;
  gjl_give(out, o, size);
  for (; s.at < s.end; o += 4) {
    int64_t n = s.end - s.at < 3 ? s.end - s.at : 3;
    uint64_t bytes = gjl_load_few(s.at, n);
    uint64_t bits = (bytes & 0xFF) << 16 | (bytes & 0xFF00) | bytes >> 16;
    for (int i = 0; i < 4; i++)
      o[i] = (unsigned char)(i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=');
    s.at += n;
  }
  return GJL_DONE;
}

static inline int base64_value(unsigned char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

// unbase64: the bytes. GJL_INVALID: the length is no multiple of 4, there are other characters, or
// padding is elsewhere than at the end.
int64_t gjl_unbase64(int64_t text, int64_t length, int64_t out, int64_t arena) {
  const unsigned char *p = gjl_bytes(text);
  if (length % 4)
    return GJL_INVALID;
  int64_t padding = length == 0 || p[length - 1] != '=' ? 0 : p[length - 2] != '=' ? 1 : 2;
  unsigned char *start, *o;
  int64_t status = gjl_room(arena, length / 4 * 3, &start);
  if (status)
    return status;
  o = start;
  for (int64_t i = 0; i < length; i += 4, o += 3) {
    uint32_t bits = 0;
    for (int64_t j = i; j < i + 4; j++) {
      int value = j < length - padding ? base64_value(p[j]) : 0;
      if (value < 0) {
        gjl_keep(out, arena, start, start);
        return GJL_INVALID;
      }
      bits = bits << 6 | (uint32_t)value;
    }
    o[0] = (unsigned char)(bits >> 16);
    o[1] = (unsigned char)(bits >> 8);
    o[2] = (unsigned char)bits;
  }
  return gjl_keep(out, arena, start, o - padding);
}

// How many bytes the code point at the beginning takes if it is well-formed: neither too long nor a
// surrogate nor beyond U+10FFFF. Otherwise 0.
static inline int64_t well_formed(gjl_text s) {
  gjl_char c = gjl_decode(s);
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  for (int32_t i = 1; i < c.size; i++)
    if (gjl_is_start(s.at[i]))
      return 0;
  bool is_char = c.code <= 0x10FFFF && (c.code < 0xD800 || c.code > 0xDFFF);
  return is_char && c.code >= least[c.size] && s.at[0] < 0xF8 ? c.size : 0;
}

static inline const unsigned char *skip_well_formed(gjl_text s) {
  while (s.at < s.end) {
    if (s.end - s.at >= 8 && !(gjl_load64(s.at) & GJL_HIGH)) {
      s.at += 8;
      continue;
    }
    int64_t size = well_formed(s);
    if (size == 0)
      break;
    s.at += size;
  }
  return s.at;
}

// convert_fromUTF8: the bytes as a string. GJL_INVALID: they are no UTF-8, which Gandiva lets pass.
int64_t gjl_convert_from_utf8(int64_t text, int64_t length, int64_t out) {
  gjl_text s = gjl_text_of(text, length);
  return skip_well_formed(s) == s.end ? gjl_part(out, s.at, s.end) : GJL_INVALID;
}

// convert_replaceUTF8: the bytes as a string, with `by` in place of each that is no UTF-8, or
// nothing if it is empty. GJL_INVALID: `by` is longer than one byte or not ASCII.
int64_t gjl_convert_replace_utf8(int64_t text, int64_t length, int64_t by, int64_t by_length,
                                 int64_t out, int64_t arena) {
  gjl_text s = gjl_text_of(text, length);
  if (by_length > 1 || (by_length && *gjl_bytes(by) >= 0x80))
    return GJL_INVALID;
  const unsigned char *stop = skip_well_formed(s);
  if (stop == s.end)
    return gjl_part(out, s.at, s.end);
  unsigned char *start, *o;
  int64_t status = gjl_room(arena, length, &start);
  if (status)
    return status;
  for (o = start;; stop = skip_well_formed(s)) {
    gjl_copy(o, s.at, stop - s.at);
    o += stop - s.at;
    if (stop == s.end)
      return gjl_keep(out, arena, start, o);
    gjl_copy(o, gjl_bytes(by), by_length);
    o += by_length;
    s.at = stop + 1;
  }
}

// convert_toINT, …BIGINT, …FLOAT, …DOUBLE, …BOOLEAN_BYTE, …TIME_EPOCH, …TIMESTAMP_EPOCH,
// …DATE_EPOCH: the low `size` bytes of a value's bits, 1 to 8, the lowest first.
int64_t gjl_to_bytes(int64_t bits, int64_t size, int64_t out, int64_t arena) {
  unsigned char *o;
  int64_t status = gjl_room(arena, 8, &o);
  if (status)
    return status;
  gjl_store64(o, (uint64_t)bits);
  return gjl_keep(out, arena, o, o + size);
}

// The same with _be behind their names: the highest byte first.
int64_t gjl_to_bytes_be(int64_t bits, int64_t size, int64_t out, int64_t arena) {
  uint64_t turned = __builtin_bswap64((uint64_t)bits) >> (64 - size * 8);
  return gjl_to_bytes((int64_t)turned, size, out, arena);
}

// crc32: of zip and PNG, 0 for nothing.
int64_t gjl_crc32(int64_t text, int64_t length) {
  static const uint32_t table[] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                   0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                   0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                   0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  uint32_t crc = ~0u;
  for (int64_t i = 0; i < length; i++) {
    crc ^= gjl_bytes(text)[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}
