// What both types of reals share: words for loops and vectors, and how a length is taken apart.
#ifndef GJL_FOURIER_PLAN_H
#define GJL_FOURIER_PLAN_H

#include "library/real.h"

#include <stdatomic.h>

#define GJL_INLINE static inline __attribute__((always_inline))
#define GJL_UNROLL _Pragma("GCC unroll 8")
#define GJL_MOST_RADIX 31
#define GJL_KEPT_MOST 4096 // the longest line whose roots are kept

enum { GJL_ROOTS_NONE, GJL_ROOTS_TAKEN, GJL_ROOTS_READY };

typedef float gjl_f32x4 __attribute__((vector_size(16)));

// a[i][j] = a[j][i]
GJL_INLINE void gjl_transpose(gjl_f64x4 *a) {
  gjl_f64x4 t0 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
  gjl_f64x4 t1 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  gjl_f64x4 t2 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
  gjl_f64x4 t3 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  a[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  a[2] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  a[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

// Radices of the passes, first to last; their product is n.
typedef struct gjl_radices {
  int count;
  unsigned char radix[62];
} gjl_radices;

// `n` less its factors up to GJL_MOST_RADIX: 1 if there are no others. n > 0.
static inline int64_t gjl_rough_part(int64_t n) {
  n >>= __builtin_ctzll((uint64_t)n);
  for (int p = 3; n > 1 && p <= GJL_MOST_RADIX; p += 2)
    while (n % p == 0)
      n /= p;
  return n;
}

// Few passes: as many of radix 8 as leave radices of 4 and no 2 if possible.
static inline gjl_radices gjl_radices_of(int64_t n) {
  gjl_radices r;
  r.count = 0;
  int twos = __builtin_ctzll((uint64_t)n);
  n >>= twos;
  for (; twos >= 3 && twos != 4; twos -= 3)
    r.radix[r.count++] = 8;
  for (; twos >= 2; twos -= 2)
    r.radix[r.count++] = 4;
  if (twos)
    r.radix[r.count++] = 2;
  for (int p = 3; n > 1 && p <= GJL_MOST_RADIX; p += 2)
    for (; n % p == 0; n /= p)
      r.radix[r.count++] = (unsigned char)p;
  return r;
}

// The divisor of n nearest to its square root with itself and n over it at least `least`, or 0.
static inline int64_t gjl_middle_divisor(int64_t n, int64_t least) {
  int64_t d = (int64_t)__builtin_sqrt((double)n);
  for (; d >= least; d--)
    if (n % d == 0)
      return n / d >= least ? d : 0;
  return 0;
}
#endif
