// Digests as hexadecimal text: MD5 (RFC 1321), SHA-1, SHA-256 and SHA-512 (FIPS 180-4).
//
// Each has a function for bytes and one, with _number, for numbers of any type, booleans and dates,
// whose digest is that of the eight bytes of the value as an f64, as in Gandiva. The digest of null
// is that of nothing, which kernels see to. They write lower-case digits to `out` and return a
// gjl_status, GJL_MORE if the arena has no room.

#include "library/strings/strings.h"

typedef enum { MD5, SHA1, SHA256, SHA512 } digest;

static inline uint32_t left32(uint32_t word, int by) { return word << by | word >> (32 - by); }
static inline uint32_t right32(uint32_t word, int by) { return word >> by | word << (32 - by); }
static inline uint64_t right64(uint64_t word, int by) { return word >> by | word << (64 - by); }

// Cube roots of the first 80 primes, without what is in front of the point; SHA-256 takes the upper
// halves of 64 of them.
static const uint64_t sha2_rounds[] = {
    0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
    0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
    0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
    0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
    0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
    0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
    0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
    0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
    0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
    0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
    0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
    0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
    0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
    0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
    0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
    0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
    0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
    0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
    0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
    0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
};

// Square roots of the first eight primes, likewise.
static const uint64_t sha2_start[] = {
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
};

// Sines of 1, 2, 3, …, times 2³².
static const uint32_t md5_sines[] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};

// Word `i` of a message of `n` bytes that is padded to whole blocks: 0x80 and zeros follow it. The
// length, in the last word or two, is not part of it.
static inline uint64_t message_word(const unsigned char *p, int64_t n, int64_t i, int64_t size) {
  int64_t left = n - i * size;
  if (left >= size)
    return size == 8 ? gjl_load64(p + i * 8) : gjl_load32(p + i * 4);
  if (left <= 0)
    return left ? 0 : 0x80;
  return gjl_load_few(p + i * size, left) | (uint64_t)0x80 << (left * 8);
}

static inline void md5_block(uint32_t *h, const uint64_t *w) {
  static const unsigned char turns[] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3];
  for (int i = 0; i < 64; i++) {
    int round = i / 16;
    uint32_t f = round == 0   ? d ^ (b & (c ^ d))
                 : round == 1 ? c ^ (d & (b ^ c))
                 : round == 2 ? b ^ c ^ d
                              : c ^ (b | ~d);
    int at = round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i;
    f += a + md5_sines[i] + (uint32_t)w[at % 16];
    a = d, d = c, c = b;
    b += left32(f, turns[round * 4 + i % 4]);
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d;
}

static inline void sha1_block(uint32_t *h, const uint64_t *w) {
  uint32_t x[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  for (int i = 0; i < 80; i++) {
    x[i] = i < 16 ? (uint32_t)w[i] : left32(x[i - 3] ^ x[i - 8] ^ x[i - 14] ^ x[i - 16], 1);
    uint32_t f = i < 20   ? (d ^ (b & (c ^ d))) + 0x5A827999
                 : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                 : i < 60 ? ((b & c) | (d & (b | c))) + 0x8F1BBCDC
                          : (b ^ c ^ d) + 0xCA62C1D6;
    f += left32(a, 5) + e + x[i];
    e = d, d = c, c = left32(b, 30), b = a, a = f;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

static inline void sha256_block(uint32_t *h, const uint64_t *w) {
  uint32_t x[64], v[8];
  for (int i = 0; i < 8; i++)
    v[i] = h[i];
  for (int i = 0; i < 64; i++) {
    if (i < 16) {
      x[i] = (uint32_t)w[i];
    } else {
      uint32_t p = x[i - 15], q = x[i - 2];
      x[i] = x[i - 16] + (right32(p, 7) ^ right32(p, 18) ^ p >> 3) + x[i - 7] +
             (right32(q, 17) ^ right32(q, 19) ^ q >> 10);
    }
    uint32_t e = v[4], a = v[0];
    uint32_t t = v[7] + (right32(e, 6) ^ right32(e, 11) ^ right32(e, 25)) +
                 (v[6] ^ (e & (v[5] ^ v[6]))) + (uint32_t)(sha2_rounds[i] >> 32) + x[i];
    uint32_t u =
        (right32(a, 2) ^ right32(a, 13) ^ right32(a, 22)) + ((a & v[1]) | (v[2] & (a | v[1])));
    v[7] = v[6], v[6] = v[5], v[5] = e, v[4] = v[3] + t;
    v[3] = v[2], v[2] = v[1], v[1] = a, v[0] = t + u;
  }
  for (int i = 0; i < 8; i++)
    h[i] += v[i];
}

static inline void sha512_block(uint64_t *h, const uint64_t *w) {
  uint64_t x[80], v[8];
  for (int i = 0; i < 8; i++)
    v[i] = h[i];
  for (int i = 0; i < 80; i++) {
    if (i < 16) {
      x[i] = w[i];
    } else {
      uint64_t p = x[i - 15], q = x[i - 2];
      x[i] = x[i - 16] + (right64(p, 1) ^ right64(p, 8) ^ p >> 7) + x[i - 7] +
             (right64(q, 19) ^ right64(q, 61) ^ q >> 6);
    }
    uint64_t e = v[4], a = v[0];
    uint64_t t = v[7] + (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) +
                 (v[6] ^ (e & (v[5] ^ v[6]))) + sha2_rounds[i] + x[i];
    uint64_t u =
        (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) + ((a & v[1]) | (v[2] & (a | v[1])));
    v[7] = v[6], v[6] = v[5], v[5] = e, v[4] = v[3] + t;
    v[3] = v[2], v[2] = v[1], v[1] = a, v[0] = t + u;
  }
  for (int i = 0; i < 8; i++)
    h[i] += v[i];
}

static inline void write_hex(unsigned char *o, uint64_t word, int64_t digits) {
  for (int64_t i = digits - 1; i >= 0; i--, word >>= 4) {
    unsigned char digit = word & 15;
    o[i] = (unsigned char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
}

// MD5 has little-endian words, the others big-endian ones.
static inline uint64_t turned(uint64_t word, digest kind) {
  return kind == MD5      ? word
         : kind == SHA512 ? __builtin_bswap64(word)
                          : __builtin_bswap32((uint32_t)word);
}

static inline int64_t digest_of(digest kind, const unsigned char *p, int64_t n, int64_t out,
                                int64_t arena) {
  const int64_t size = kind == SHA512 ? 8 : 4, words = kind == MD5 ? 4 : kind == SHA1 ? 5 : 8;
  // MD5 and SHA-1 begin with the same words, of which MD5 takes four.
  uint32_t h[8] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0, 0, 0, 0};
  uint64_t h64[8], w[16], bits = (uint64_t)n * 8;
  int64_t blocks = (n + 2 * size) / (16 * size) + 1;
  unsigned char *o;
  int64_t status = gjl_room(arena, words * size * 2, &o);
  if (status)
    return status;
  for (int i = 0; i < 8; i++) {
    h64[i] = sha2_start[i];
    if (kind == SHA256)
      h[i] = (uint32_t)(sha2_start[i] >> 32);
  }
  for (int64_t block = 0; block < blocks; block++) {
    for (int i = 0; i < 16; i++)
      w[i] = turned(message_word(p, n, block * 16 + i, size), kind);
    if (block == blocks - 1) {
      w[kind == MD5 ? 14 : 15] = kind == SHA512 ? bits : (uint32_t)bits;
      if (kind != SHA512)
        w[kind == MD5 ? 15 : 14] = bits >> 32;
    }
    if (kind == MD5)
      md5_block(h, w);
    else if (kind == SHA1)
      sha1_block(h, w);
    else if (kind == SHA256)
      sha256_block(h, w);
    else
      sha512_block(h64, w);
  }
  for (int64_t i = 0; i < words; i++) {
    uint64_t word = kind == SHA512 ? h64[i] : kind == MD5 ? __builtin_bswap32(h[i]) : h[i];
    write_hex(o + i * size * 2, word, size * 2);
  }
  gjl_give(out, o, words * size * 2);
  return GJL_DONE;
}

static inline int64_t digest_of_number(digest kind, int64_t bits, int64_t out, int64_t arena) {
  unsigned char bytes[8];
  gjl_store64(bytes, (uint64_t)bits);
  return digest_of(kind, bytes, 8, out, arena);
}

// hashMD5, md5.
int64_t gjl_md5(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return digest_of(MD5, gjl_bytes(text), length, out, arena);
}

// hashMD5 of a number.
int64_t gjl_md5_number(int64_t bits, int64_t out, int64_t arena) {
  return digest_of_number(MD5, bits, out, arena);
}

// hashSHA1, sha1, sha.
int64_t gjl_sha1(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return digest_of(SHA1, gjl_bytes(text), length, out, arena);
}

// hashSHA1 of a number.
int64_t gjl_sha1_number(int64_t bits, int64_t out, int64_t arena) {
  return digest_of_number(SHA1, bits, out, arena);
}

// hashSHA256, sha256.
int64_t gjl_sha256(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return digest_of(SHA256, gjl_bytes(text), length, out, arena);
}

// hashSHA256 of a number.
int64_t gjl_sha256_number(int64_t bits, int64_t out, int64_t arena) {
  return digest_of_number(SHA256, bits, out, arena);
}

// hashSHA512, sha512.
int64_t gjl_sha512(int64_t text, int64_t length, int64_t out, int64_t arena) {
  return digest_of(SHA512, gjl_bytes(text), length, out, arena);
}

// hashSHA512 of a number.
int64_t gjl_sha512_number(int64_t bits, int64_t out, int64_t arena) {
  return digest_of_number(SHA512, bits, out, arena);
}
