// What kernels do with the last rows of a chunk, of which there are fewer than a block's 64:
// operands are copied to where there is room for a block, and what is missing is filled in. It
// happens once per chunk, so it is not inlined.
#include "library/library.h"

#define COLD __attribute__((noinline, cold))

// Copies bytes; the two ranges do not overlap. Strings are short, so whole words come first and no
// call is made.
int64_t gjl_bytes_copy(int64_t to, int64_t from, int64_t count) {
  unsigned char *t = (unsigned char *)(uintptr_t)to;
  const unsigned char *f = gjl_bytes(from);
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    __builtin_memcpy(t + i, f + i, 8);
  for (; i < count; i++)
    t[i] = f[i];
  return 0;
}

// The first `bytes` of a block of `size` bytes; zeros behind them.
COLD int64_t gjl_block_rest(int64_t to, int64_t from, int64_t bytes, int64_t size) {
  unsigned char *t = (unsigned char *)(uintptr_t)to;
  for (int64_t i = 0; i < size; i++)
    t[i] = i < bytes ? gjl_bytes(from)[i] : 0;
  return 0;
}

// The first `count` + 1 of a block's 65 offsets, of `width` bytes; the last one again behind them.
COLD int64_t gjl_offsets_rest(int64_t to, int64_t from, int64_t count, int64_t width) {
  unsigned char *t = (unsigned char *)(uintptr_t)to;
  for (int64_t i = 0; i <= 64; i++)
    for (int64_t k = 0; k < width; k++)
      t[i * width + k] = gjl_bytes(from)[(i < count ? i : count) * width + k];
  return 0;
}

// The first `count` bits of a bitmap, 0 … 63, as a word.
COLD int64_t gjl_bits_rest(int64_t from, int64_t count) {
  uint64_t word = 0;
  for (int64_t i = 0; i < (count + 7) / 8; i++)
    word |= (uint64_t)gjl_bytes(from)[i] << 8 * i;
  return (int64_t)word;
}
