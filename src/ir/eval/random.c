// Reference evaluation of rng_bits: threefry2x32 with 20 rounds, of Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (2011), as Random123 has it.
//
// The counter is the index of the element, its upper half first, so that an element depends on the
// key and its index alone. Of the two words that come out, u64 has both, the first one above, and
// u32 their exclusive or.

#include "ir/eval/eval.h"

#include <string.h>

static uint32_t rotate(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static void threefry2x32(const uint32_t key[2], uint32_t x[2]) {
  static const unsigned rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t words[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += words[0];
  x[1] += words[1];
  for (unsigned round = 0; round < 20; round++) {
    x[0] += x[1];
    x[1] = rotate(x[1], rotations[round % 8]) ^ x[0];
    if (round % 4 != 3)
      continue;
    uint32_t injection = round / 4 + 1;
    x[0] += words[injection % 3];
    x[1] += words[(injection + 1) % 3] + injection;
  }
}

void gj__eval_rng_bits(const gj__step *step) {
  uint32_t key[2];
  memcpy(key, step->args[0]->data, sizeof key);
  for (int64_t i = 0; i < step->out->count; i++) {
    uint32_t x[2] = {(uint32_t)((uint64_t)i >> 32), (uint32_t)i};
    threefry2x32(key, x);
    uint64_t both = (uint64_t)x[0] << 32 | x[1];
    uint32_t folded = x[0] ^ x[1];
    unsigned char *to = step->out->data + (size_t)i * step->out->width;
    if (step->out->width == sizeof both)
      memcpy(to, &both, sizeof both);
    else
      memcpy(to, &folded, sizeof folded);
  }
}
