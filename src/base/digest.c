// BLAKE2bp with 256 bits of output, after RFC 7693 and the BLAKE2 paper (section 2.10).
//
// One compression function works on four lanes at once. Leaves use all of them; the root, which
// hashes 256 bytes, uses the first.
#include "base/digest.h"

#include <stdbool.h>

#include <string.h>

enum {
  LANES = GJ__DIGEST_LANES,
  BLOCK = GJ__DIGEST_BLOCK,
  STRIPE = GJ__DIGEST_STRIPE,
  ROUNDS = 12
};

typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

static const uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint8_t sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

// What the lanes of one compression differ in besides their message.
typedef struct step {
  uint64_t counter[LANES]; // bytes of the lane up to and with this block
  uint64_t last[LANES];    // all ones: the last block of the lane
  uint64_t node[LANES];    // all ones: and the lane is the last of its level
} step;

#define INLINE static inline __attribute__((always_inline))

INLINE void load_lanes(lanes *out, const uint64_t *words) { memcpy(out, words, sizeof *out); }

INLINE void mix(lanes *a, lanes *b, lanes *c, lanes *d, const lanes *x, const lanes *y) {
  *a += *b + *x;
  *d ^= *a;
  *d = *d >> 32 | *d << 32;
  *c += *d;
  *b ^= *c;
  *b = *b >> 24 | *b << 40;
  *a += *b + *y;
  *d ^= *a;
  *d = *d >> 16 | *d << 48;
  *c += *d;
  *b ^= *c;
  *b = *b >> 63 | *b << 1;
}

// Lane i takes the block at blocks + i · BLOCK. Words are little-endian in memory, as on every
// target of the project.
INLINE void compress_body(uint64_t state[8][LANES], const unsigned char *blocks, const step *s) {
  lanes m[16], v[16], t;
  for (int w = 0; w < 16; w++) {
    uint64_t words[LANES];
    for (int i = 0; i < LANES; i++)
      memcpy(&words[i], blocks + i * BLOCK + w * 8, 8);
    load_lanes(&m[w], words);
  }
  for (int i = 0; i < 8; i++) {
    load_lanes(&v[i], state[i]);
    v[i + 8] = (lanes){initial[i], initial[i], initial[i], initial[i]};
  }
  load_lanes(&t, s->counter);
  v[12] ^= t;
  load_lanes(&t, s->last);
  v[14] ^= t;
  load_lanes(&t, s->node);
  v[15] ^= t;
  for (int r = 0; r < ROUNDS; r++) {
    const uint8_t *p = sigma[r % 10];
    for (int i = 0; i < 4; i++)
      mix(&v[i], &v[4 + i], &v[8 + i], &v[12 + i], &m[p[2 * i]], &m[p[2 * i + 1]]);
    for (int i = 0; i < 4; i++)
      mix(&v[i], &v[4 + (i + 1) % 4], &v[8 + (i + 2) % 4], &v[12 + (i + 3) % 4], &m[p[8 + 2 * i]],
          &m[p[9 + 2 * i]]);
  }
  for (int i = 0; i < 8; i++) {
    load_lanes(&t, state[i]);
    t ^= v[i] ^ v[i + 8];
    memcpy(state[i], &t, sizeof t);
  }
}

static void compress_any(uint64_t state[8][LANES], const unsigned char *blocks, const step *s) {
  compress_body(state, blocks, s);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
compress_avx2(uint64_t state[8][LANES], const unsigned char *blocks, const step *s) {
  compress_body(state, blocks, s);
}

static void compress(uint64_t state[8][LANES], const unsigned char *blocks, const step *s) {
  if (__builtin_cpu_supports("avx2"))
    compress_avx2(state, blocks, s);
  else
    compress_any(state, blocks, s);
}
#else
static void compress(uint64_t state[8][LANES], const unsigned char *blocks, const step *s) {
  compress_any(state, blocks, s);
}
#endif

// The first two words of the parameter block: length of the result, fanout 4, depth 2; then node
// offset in the second word, and depth of the node and inner length 64 in the third.
static void start(uint64_t state[8][LANES], uint64_t bytes, uint64_t depth) {
  for (uint64_t lane = 0; lane < LANES; lane++) {
    for (int i = 0; i < 8; i++)
      state[i][lane] = initial[i];
    state[0][lane] ^= bytes | UINT64_C(4) << 16 | UINT64_C(2) << 24;
    state[1][lane] ^= depth ? 0 : lane;
    state[2][lane] ^= depth | UINT64_C(64) << 8;
  }
}

void gj_digester_init(gj_digester *d) {
  start(d->state, 64, 0);
  d->stripes = 0;
  d->used = 0;
}

// A stripe in which no lane ends.
static void add_stripe(gj_digester *d, const unsigned char *blocks) {
  step s = {0};
  d->stripes++;
  for (int i = 0; i < LANES; i++)
    s.counter[i] = d->stripes * BLOCK;
  compress(d->state, blocks, &s);
}

void gj_digester_add(gj_digester *d, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  while (size > 0) {
    if (d->used == 0 && size > sizeof d->pending) { // large data is not copied
      add_stripe(d, at);
      at += STRIPE, size -= STRIPE;
      continue;
    }
    size_t room = sizeof d->pending - d->used, part = size < room ? size : room;
    memcpy(d->pending + d->used, at, part);
    d->used += part;
    at += part, size -= part;
    if (d->used < sizeof d->pending)
      return;
    add_stripe(d, d->pending); // each lane has a block in the second stripe
    if (size >= STRIPE) {      // and one behind it
      add_stripe(d, d->pending + STRIPE);
      d->used = 0;
    } else {
      memcpy(d->pending, d->pending + STRIPE, STRIPE);
      d->used = STRIPE;
    }
  }
}

void gj_digester_add_u64(gj_digester *d, uint64_t value) { gj_digester_add(d, &value, 8); }

void gj_digester_add_text(gj_digester *d, const char *text) {
  size_t length = strlen(text);
  gj_digester_add_u64(d, length);
  gj_digester_add(d, text, length);
}

// Compresses what is left: a lane with bytes in the second stripe goes on there, the others end in
// the first.
static void finish_leaves(gj_digester *d) {
  memset(d->pending + d->used, 0, sizeof d->pending - d->used);
  for (size_t stripe = 0; stripe < 2; stripe++) {
    step s = {0};
    uint64_t before[8][LANES];
    bool is_done[LANES], any = false;
    memcpy(before, d->state, sizeof before);
    for (size_t i = 0; i < LANES; i++) {
      size_t from = stripe * STRIPE + i * BLOCK, later = STRIPE + i * BLOCK;
      size_t left = d->used > from ? d->used - from : 0;
      is_done[i] = stripe == 1 && left == 0;
      any = any || !is_done[i];
      s.counter[i] = (d->stripes + stripe) * BLOCK + (left < BLOCK ? left : BLOCK);
      s.last[i] = stripe == 1 || d->used <= later ? UINT64_MAX : 0;
      s.node[i] = i + 1 == LANES ? s.last[i] : 0;
    }
    if (!any)
      return;
    compress(d->state, d->pending + stripe * STRIPE, &s);
    for (size_t i = 0; i < LANES; i++)
      for (int w = 0; is_done[i] && w < 8; w++)
        d->state[w][i] = before[w][i];
  }
}

gj_digest gj_digester_finish(gj_digester *d) {
  unsigned char leaves[LANES * 64], blocks[STRIPE] = {0};
  finish_leaves(d);
  for (int i = 0; i < LANES; i++)
    for (int w = 0; w < 8; w++)
      memcpy(leaves + i * 64 + w * 8, &d->state[w][i], 8);
  start(d->state, GJ_DIGEST_BYTES, 1);
  for (int block = 0; block < 2; block++) {
    uint64_t last = block == 1 ? UINT64_MAX : 0;
    step s = {.counter = {(uint64_t)(block + 1) * BLOCK}, .last = {last}, .node = {last}};
    memcpy(blocks, leaves + block * BLOCK, BLOCK);
    compress(d->state, blocks, &s);
  }
  gj_digest result;
  for (size_t w = 0; w < GJ_DIGEST_BYTES / 8; w++)
    memcpy(result.bytes + w * 8, &d->state[w][0], 8);
  return result;
}
