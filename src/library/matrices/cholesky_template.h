// The template of cholesky.c.
#include "library/real.h"

#include "library/matrices/product.h"
#include "library/matrices/rows.h"
#include "library/matrices/transpose.h"
#include "library/matrices/triangular.h"

#define CHOLESKY_BLOCK 32

// The root of a pivot, or NaN when it is not > 0 and finite.
static inline REAL NAME(pivot_root)(REAL x) {
  return x > 0 && x <= REAL_GREATEST ? SQRT(x) : (REAL)__builtin_nan("");
}

// Factors 4 rows of u, from row i on, with columns to `end`, a multiple of 2 vectors; rows before
// them are final. Columns before i of u hold what is of no use.
static inline bool NAME(factor_rows)(int64_t i, int64_t end, REAL *u) {
  const int64_t row = CHOLESKY_BLOCK;
  REAL *u0 = u + i * row, *u1 = u0 + row, *u2 = u1 + row, *u3 = u2 + row;
  REAL r0 = 0, r1 = 0, r2 = 0, r3 = 0, x01 = 0, x02 = 0, x03 = 0, x12 = 0, x13 = 0, x23 = 0;
  REAL d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  int64_t first = i / (2 * LANES) * (2 * LANES);
  for (int64_t j = first; j < end; j += 2 * LANES) {
    VECTOR_IN_MEMORY *to0 = (VECTOR_IN_MEMORY *)(u0 + j), *to1 = (VECTOR_IN_MEMORY *)(u1 + j),
                     *to2 = (VECTOR_IN_MEMORY *)(u2 + j), *to3 = (VECTOR_IN_MEMORY *)(u3 + j);
    VECTOR s00 = to0[0], s01 = to0[1], s10 = to1[0], s11 = to1[1];
    VECTOR s20 = to2[0], s21 = to2[1], s30 = to3[0], s31 = to3[1];
    for (int64_t p = 0; p < i; p++) {
      const REAL *x = u + p * row + i;
      const VECTOR_IN_MEMORY *y = (const VECTOR_IN_MEMORY *)(u + p * row + j);
      VECTOR y0 = y[0], y1 = y[1];
      s00 -= x[0] * y0;
      s01 -= x[0] * y1;
      s10 -= x[1] * y0;
      s11 -= x[1] * y1;
      s20 -= x[2] * y0;
      s21 -= x[2] * y1;
      s30 -= x[3] * y0;
      s31 -= x[3] * y1;
    }
    if (j == first) { // holds the block on the diagonal
      to0[0] = s00, to0[1] = s01, to1[0] = s10, to1[1] = s11;
      to2[0] = s20, to2[1] = s21, to3[0] = s30, to3[1] = s31;
      d0 = NAME(pivot_root)(u0[i]);
      r0 = 1 / d0;
      x01 = u0[i + 1] * r0, x02 = u0[i + 2] * r0, x03 = u0[i + 3] * r0;
      d1 = NAME(pivot_root)(u1[i + 1] - x01 * x01);
      r1 = 1 / d1;
      x12 = (u1[i + 2] - x01 * x02) * r1, x13 = (u1[i + 3] - x01 * x03) * r1;
      REAL rest = u2[i + 2] - x02 * x02;
      d2 = NAME(pivot_root)(rest - x12 * x12);
      r2 = 1 / d2;
      rest = u2[i + 3] - x02 * x03;
      x23 = (rest - x12 * x13) * r2;
      rest = u3[i + 3] - x03 * x03;
      rest -= x13 * x13;
      d3 = NAME(pivot_root)(rest - x23 * x23);
      r3 = 1 / d3;
      if (!(d3 > 0))
        return false; // as NaN in any pivot before makes it NaN
    }
    s00 = s00 * r0, s01 = s01 * r0;
    s10 -= x01 * s00;
    s11 -= x01 * s01;
    s10 = s10 * r1, s11 = s11 * r1;
    s20 -= x02 * s00;
    s21 -= x02 * s01;
    s20 -= x12 * s10;
    s21 -= x12 * s11;
    s20 = s20 * r2, s21 = s21 * r2;
    s30 -= x03 * s00;
    s31 -= x03 * s01;
    s30 -= x13 * s10;
    s31 -= x13 * s11;
    s30 -= x23 * s20;
    s31 -= x23 * s21;
    s30 = s30 * r3, s31 = s31 * r3;
    to0[0] = s00, to0[1] = s01, to1[0] = s10, to1[1] = s11;
    to2[0] = s20, to2[1] = s21, to3[0] = s30, to3[1] = s31;
  }
  // A product with the reciprocal may be a bit off for the diagonal.
  u0[i] = d0, u1[i + 1] = d1, u2[i + 2] = d2, u3[i + 3] = d3;
  return true;
}

// l = the factor of a, with zeros above its diagonal, n <= CHOLESKY_BLOCK; l may be a.
static bool NAME(cholesky_block)(int64_t n, const REAL *a, int64_t a_row, REAL *l, int64_t l_row) {
  REAL u[CHOLESKY_BLOCK * CHOLESKY_BLOCK];
  int64_t end = (n + 2 * LANES - 1) / (2 * LANES) * (2 * LANES), rows = (n + 3) / 4 * 4;
  // What is above a's diagonal comes along, but no lane of use depends on it. What is beyond n is
  // the identity, so that there are always 4 rows.
  NAME(transpose)(n, n, a, a_row, u, CHOLESKY_BLOCK, false);
  for (int64_t j = 0; j < rows && n < end; j++)
    for (int64_t i = j < n ? n : 0; i < end; i++)
      u[j * CHOLESKY_BLOCK + i] = i == j;
  for (int64_t i = 0; i < n; i += 4)
    if (!NAME(factor_rows)(i, end, u))
      return false;
  NAME(transpose)(n, n, u, CHOLESKY_BLOCK, l, l_row, true);
  for (int64_t i = 0; i < n; i++)
    NAME(row_clear)(n - i - 1, l + i * l_row + i + 1);
  return true;
}

// Factors l in place.
static bool NAME(cholesky_halves)(int64_t n, REAL *l, int64_t row, REAL *work, REAL *pack) {
  if (n <= CHOLESKY_BLOCK)
    return NAME(cholesky_block)(n, l, row, l, row);
  int64_t top = (n / 2 + CHOLESKY_BLOCK - 1) / CHOLESKY_BLOCK * CHOLESKY_BLOCK, bottom = n - top;
  if (!NAME(cholesky_halves)(top, l, row, work, pack))
    return false;
  REAL *left = l + top * row, *right = left + top;
  int64_t work_row = bottom + 16; // not a power of 2, for caches
  NAME(transpose)(bottom, top, left, row, work, work_row, false);
  NAME(triangular_forward)(top, bottom, l, row, 1, false, work, work_row, pack);
  NAME(transpose)(top, bottom, work, work_row, left, row, true);
  NAME(product_lower)
  (bottom, bottom, top, -1, left, row, 1, work, work_row, 1, right, row, pack);
  return NAME(cholesky_halves)(bottom, right, row, work, pack);
}

void NAME(cholesky)(int64_t a_, int64_t l_, int64_t n, int64_t work_) {
  const REAL *a = (const REAL *)(uintptr_t)a_;
  REAL *l = (REAL *)(uintptr_t)l_, *pack = (REAL *)(uintptr_t)work_;
  bool definite;
  if (n <= CHOLESKY_BLOCK) {
    definite = NAME(cholesky_block)(n, a, n, l, n);
  } else {
    for (int64_t i = 0; i < n; i++)
      NAME(row_copy)(i + 1, a + i * n, l + i * n);
    definite = NAME(cholesky_halves)(n, l, n, pack + PRODUCT_PACK, pack);
    // Tiles on the diagonal have computed with what was above it, which went nowhere else.
    for (int64_t i = 0; i < n && definite; i++)
      NAME(row_clear)(n - i - 1, l + i * n + i + 1);
  }
  if (!definite)
    NAME(row_fill)(n * n, (REAL)__builtin_nan(""), l);
}
