// 64-bit hashing for hash tables and structural keys.
//
// Not cryptographic, and not stable between releases: keys that leave the process need another
// hash. Start with any seed (0 is fine) and chain: `h = gj_hash_u64(h, op)`. The order of the
// values matters, so a list and its reverse differ.

#ifndef GJ_BASE_HASH_H
#define GJ_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// Mixes one value into a hash. Multiplications with xor-shifts between them: every input bit
// reaches every output bit, and zero values still change the hash.
static inline uint64_t gj_hash_u64(uint64_t hash, uint64_t value) {
  uint64_t h = (hash + UINT64_C(0x9E3779B97F4A7C15)) ^ value;
  h = (h ^ (h >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
  h = (h ^ (h >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
  return h ^ (h >> 32);
}

// Mixes `size` bytes and their number into a hash.
uint64_t gj_hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
