// 64-bit hashing of byte strings, eight bytes at a time.

#include "base/hash.h"

#include <string.h>

uint64_t gj_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t h = gj_hash_u64(hash, size);
  uint64_t word;
  for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
    memcpy(&word, at, sizeof word);
    h = gj_hash_u64(h, word);
  }
  if (size > 0) {
    // Zero padding is unambiguous because the size is part of the hash.
    word = 0;
    memcpy(&word, at, size);
    h = gj_hash_u64(h, word);
  }
  return h;
}
