// What decompositions of spectra do with rows, beside what factorisations do too
// (matrices/rows.h): a template over REAL, inlined where it is included.
//
// Matrices of a workspace have rows that are padded with zeros to whole vectors, and callers pass
// the padded length.

#include "library/matrices/rows.h"

// Factors for a vector, 1 for `count` lanes and 0 for those behind, 0 … LANES; or 1 for one lane.
// To set elements one by one would make a load of the vector wait until they have left the core.
static inline VECTOR NAME(row_lanes)(int64_t count) {
  static const REAL steps[2 * LANES] = {1, 1, 1, 1, LANES / 8, LANES / 8, LANES / 8, LANES / 8};
  return NAME(row_load)(steps + LANES - count);
}

static inline VECTOR NAME(row_lane)(int64_t lane) {
  static const REAL unit[2 * LANES] = {[LANES] = 1};
  return NAME(row_load)(unit + LANES - lane);
}

// The stride of matrices in workspaces: at least n and whole vectors, at most n + 15, and for
// large n no multiple of a page, which would put a column into few sets of the cache.
static inline int64_t NAME(row_stride)(int64_t n) {
  return n <= 32 ? NAME(row_padded)(n) : (n + 7) / 8 * 8 + 8;
}

// (x, y) becomes (c·x + s·y, c·y − s·x).
static inline void NAME(row_rotate)(int64_t n, REAL *restrict x, REAL *restrict y, REAL c, REAL s) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR a = NAME(row_load)(x + i), b = NAME(row_load)(y + i);
    NAME(row_store)(x + i, a * c + b * s);
    NAME(row_store)(y + i, b * c - a * s);
  }
  for (; i < n; i++) {
    REAL a = x[i], b = y[i];
    x[i] = a * c + b * s;
    y[i] = b * c - a * s;
  }
}

// A plane rotation with c·f + s·g = r, c·g − s·f = 0. Operands are of a matrix that is scaled to
// 1, so that squares cannot overflow.
static inline REAL NAME(rotation)(REAL f, REAL g, REAL *c, REAL *s) {
  REAL square = f * f + g * g, unit = 1;
  if (__builtin_expect(square < REAL_LEAST / REAL_EPSILON, 0)) {
    if (f == 0 && g == 0) {
      *c = 1;
      *s = 0;
      return 0;
    }
    unit = LANES == 4 ? (REAL)0x1p500 : (REAL)0x1p60;
    f *= unit;
    g *= unit;
    square = f * f + g * g;
    if (square < REAL_LEAST / REAL_EPSILON) { // denormals: as good as 0
      *c = 1;
      *s = 0;
      return f / unit;
    }
  }
  // The root and the quotient do not wait for each other.
  REAL inverse = 1 / square, r = SQRT(square);
  inverse *= r;
  *c = f * inverse;
  *s = g * inverse;
  return r / unit;
}

// to = Σ factors[r] · row r of a, over `vectors` vectors. Few vectors have two sums each, of even
// and of odd rows, as one would have to wait for itself.
static inline __attribute__((always_inline)) void
NAME(row_combine_vectors)(int64_t vectors, int64_t rows, const REAL *factors, const REAL *a,
                          int64_t stride, REAL *to) {
  VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int64_t r = 0;
  for (; vectors <= 2 && r + 2 <= rows; r += 2, a += 2 * stride) {
    s0 += NAME(row_load)(a) * factors[r];
    s2 += NAME(row_load)(a + stride) * factors[r + 1];
    if (vectors > 1) {
      s1 += NAME(row_load)(a + LANES) * factors[r];
      s3 += NAME(row_load)(a + stride + LANES) * factors[r + 1];
    }
  }
  if (vectors <= 2) {
    s0 += s2;
    s1 += s3;
  }
  for (; r < rows; r++, a += stride) {
    REAL factor = factors[r];
    s0 += NAME(row_load)(a) * factor;
    if (vectors > 1)
      s1 += NAME(row_load)(a + LANES) * factor;
    if (vectors > 2) {
      s2 += NAME(row_load)(a + 2 * LANES) * factor;
      s3 += NAME(row_load)(a + 3 * LANES) * factor;
    }
  }
  NAME(row_store)(to, s0);
  if (vectors > 1)
    NAME(row_store)(to + LANES, s1);
  if (vectors > 2) {
    NAME(row_store)(to + 2 * LANES, s2);
    NAME(row_store)(to + 3 * LANES, s3);
  }
}

// to = Σ factors[r] · row r of a; n is padded.
static inline void NAME(row_combine)(int64_t rows, int64_t n, const REAL *factors, const REAL *a,
                                     int64_t stride, REAL *to) {
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    NAME(row_combine_vectors)(4, rows, factors, a + i, stride, to + i);
  if (i + 2 * LANES <= n) {
    NAME(row_combine_vectors)(2, rows, factors, a + i, stride, to + i);
    i += 2 * LANES;
  }
  if (i < n)
    NAME(row_combine_vectors)(1, rows, factors, a + i, stride, to + i);
}

// to[j][i] = from[order[i]][j] for i < rows, j < columns, in blocks that stay in the cache.
static __attribute__((noinline, unused)) void
NAME(transpose_ordered)(int64_t rows, int64_t columns, const REAL *from, int64_t from_stride,
                        const int32_t *order, REAL *to, int64_t to_stride) {
  for (int64_t above = 0; above < rows; above += 16)
    for (int64_t left = 0; left < columns; left += 16) {
      int64_t end = rows - above < 16 ? rows : above + 16;
      int64_t right = columns - left < 16 ? columns : left + 16;
      for (int64_t i = above; i < end; i++) {
        const REAL *row = from + order[i] * from_stride;
        for (int64_t j = left; j < right; j++)
          to[j * to_stride + i] = row[j];
      }
    }
}

// to += Σ factors[r] · row r of a, for any n.
static __attribute__((noinline, unused)) void NAME(row_combine_add)(int64_t rows, int64_t n,
                                                                    const REAL *factors,
                                                                    const REAL *a, int64_t stride,
                                                                    REAL *to) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, a += 4 * stride) {
    REAL f0 = factors[r], f1 = factors[r + 1], f2 = factors[r + 2], f3 = factors[r + 3];
    const REAL *a1 = a + stride, *a2 = a + 2 * stride, *a3 = a + 3 * stride;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      VECTOR sum = NAME(row_load)(to + i);
      sum += NAME(row_load)(a + i) * f0;
      sum += NAME(row_load)(a1 + i) * f1;
      sum += NAME(row_load)(a2 + i) * f2;
      sum += NAME(row_load)(a3 + i) * f3;
      NAME(row_store)(to + i, sum);
    }
    for (; i < n; i++) {
      REAL sum = to[i];
      sum += a[i] * f0;
      sum += a1[i] * f1;
      sum += a2[i] * f2;
      sum += a3[i] * f3;
      to[i] = sum;
    }
  }
  for (; r < rows; r++, a += stride)
    NAME(row_add)(n, factors[r], a, to);
}
