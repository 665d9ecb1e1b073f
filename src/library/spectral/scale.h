// Scaling by powers of two, which is exact: a template over REAL.
//
// A matrix is brought to a greatest element between 1 and 2, so that neither squares nor the bounds
// of convergence need care; LAPACK scales only what is near overflow or underflow, but as the
// copy has to be made anyway, it costs nothing to do so always. Elements that are less than 2^-1022
// of the greatest may underflow.

// The exponent of the greatest element of rows, or SCALE_OF_ZERO, or SCALE_OF_NONE if an element is
// infinite or NaN. With `lower` only the lower triangle is read.
#define SCALE_OF_ZERO (-5000)
#define SCALE_OF_NONE 5000

static inline int64_t NAME(scale_of)(int64_t rows, int64_t columns, const REAL *a, bool lower) {
#if GJL_REAL_BITS == 64
  uint64_t most = 0, infinite = UINT64_C(0x7ff0000000000000), bits;
#else
  uint32_t most = 0, infinite = UINT32_C(0x7f800000), bits;
#endif
  for (int64_t i = 0; i < rows; i++, a += columns)
    for (int64_t j = 0, end = lower ? i + 1 : columns; j < end; j++) {
      __builtin_memcpy(&bits, a + j, sizeof bits);
      bits = bits << 1 >> 1;
      most = bits > most ? bits : most;
    }
  if (most >= infinite)
    return SCALE_OF_NONE;
  if (most == 0)
    return SCALE_OF_ZERO;
  REAL greatest;
  __builtin_memcpy(&greatest, &most, sizeof greatest);
  int64_t exponent = 0;
  double size = (double)greatest;
  if (size < 0x1p-1022) {
    size *= 0x1p60;
    exponent = -60;
  }
  uint64_t word;
  __builtin_memcpy(&word, &size, sizeof word);
  return exponent + (int64_t)(word >> 52 & 0x7ff) - 1023;
}

// 2^exponent for the halves of an exponent, which are not extreme.
static inline REAL NAME(power_of_two)(int64_t exponent) {
  uint64_t word = (uint64_t)(exponent + 1023) << 52;
  double power;
  __builtin_memcpy(&power, &word, sizeof power);
  return (REAL)power;
}

// x · 2^exponent is x · first · second.
typedef struct NAME(scale) {
  REAL first, second;
} NAME(scale);

static inline NAME(scale) NAME(scale_by)(int64_t exponent) {
  int64_t half = exponent / 2;
  return (NAME(scale)){NAME(power_of_two)(half), NAME(power_of_two)(exponent - half)};
}
