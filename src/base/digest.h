// A 256-bit cryptographic hash, for keys and checksums that leave the process.
//
// BLAKE2bp: four BLAKE2b hashes over every fourth block of 128 bytes and a fifth over their
// results. The four run side by side in vector registers, which makes the hash as fast as memory on
// large weights. It is part of the file format of the cache: the same on every machine.
#ifndef GJ_BASE_DIGEST_H
#define GJ_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { GJ_DIGEST_BYTES = 32 };

typedef struct gj_digest {
  unsigned char bytes[GJ_DIGEST_BYTES];
} gj_digest;

enum { GJ__DIGEST_LANES = 4, GJ__DIGEST_BLOCK = 128, GJ__DIGEST_STRIPE = 4 * 128 };

typedef struct gj_digester {
  uint64_t state[8][GJ__DIGEST_LANES];
  uint64_t stripes;                             // compressed so far, each a block per lane
  size_t used;                                  // bytes of `pending`
  unsigned char pending[2 * GJ__DIGEST_STRIPE]; // a lane's last block is known only at the end
} gj_digester;

void gj_digester_init(gj_digester *d);
void gj_digester_add(gj_digester *d, const void *bytes, size_t size);
void gj_digester_add_u64(gj_digester *d, uint64_t value);
// The bytes with their length in front, so that neighbours cannot run into each other.
void gj_digester_add_text(gj_digester *d, const char *text);
gj_digest gj_digester_finish(gj_digester *d);

#endif
