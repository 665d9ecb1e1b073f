// The template of cholesky.c.
#include "library/real.h"

#include "library/matrices/product.h"
#include "library/matrices/rows.h"
#include "library/matrices/transpose.h"

#include "library/matrices/lanes.h"
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
    NAME(pair) s0 = NAME(pair_load)(u0 + j), s1 = NAME(pair_load)(u1 + j);
    NAME(pair) s2 = NAME(pair_load)(u2 + j), s3 = NAME(pair_load)(u3 + j);
    for (int64_t p = 0; p < i; p++) {
      const REAL *x = u + p * row + i;
      NAME(pair) y = NAME(pair_load)(u + p * row + j);
      NAME(pair_subtract)(x[0], y, &s0);
      NAME(pair_subtract)(x[1], y, &s1);
      NAME(pair_subtract)(x[2], y, &s2);
      NAME(pair_subtract)(x[3], y, &s3);
    }
    if (j == first) { // holds the block on the diagonal
      NAME(pair_store)(u0 + j, s0);
      NAME(pair_store)(u1 + j, s1);
      NAME(pair_store)(u2 + j, s2);
      NAME(pair_store)(u3 + j, s3);
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
    s0 = NAME(pair_scale)(s0, r0);
    NAME(pair_subtract)(x01, s0, &s1);
    s1 = NAME(pair_scale)(s1, r1);
    NAME(pair_subtract)(x02, s0, &s2);
    NAME(pair_subtract)(x12, s1, &s2);
    s2 = NAME(pair_scale)(s2, r2);
    NAME(pair_subtract)(x03, s0, &s3);
    NAME(pair_subtract)(x13, s1, &s3);
    NAME(pair_subtract)(x23, s2, &s3);
    s3 = NAME(pair_scale)(s3, r3);
    NAME(pair_store)(u0 + j, s0);
    NAME(pair_store)(u1 + j, s1);
    NAME(pair_store)(u2 + j, s2);
    NAME(pair_store)(u3 + j, s3);
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

static void NAME(cholesky_one)(int64_t n, const REAL *a, REAL *l, REAL *pack) {
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

// The factors of LANES matrices, n > 0.
static void NAME(cholesky_lanes)(int64_t n, const REAL *a, REAL *l, REAL *lanes) {
  VECTOR root = {0};
  NAME(lanes_load)(n * n, a, lanes);
  for (int64_t i = 0; i < n; i++) {
    REAL *row = lanes + i * n * LANES, *pivot = row + i * LANES;
    VECTOR square = NAME(row_load)(pivot);
    NAME(whole_vector)
    positive = (NAME(whole_vector))((square > 0) & (square <= REAL_GREATEST));
    root = NAME(select)(positive, NAME(lanes_sqrt)(square), (VECTOR){0} + (REAL)__builtin_nan(""));
    VECTOR reciprocal = 1 / root;
    NAME(row_store)(pivot, root);
    NAME(row_clear)((n - i - 1) * LANES, pivot + LANES);
    // Column i in a row, for the columns behind it.
    REAL column[LANES_ROWS * LANES];
    for (int64_t j = i + 1; j < n; j++) {
      REAL *of_j = lanes + (j * n + i) * LANES;
      VECTOR x = NAME(row_load)(of_j) * reciprocal;
      NAME(row_store)(of_j, x);
      NAME(row_store)(column + (j - i - 1) * LANES, x);
      NAME(lanes_subtract)(j - i, column, x, of_j + LANES);
    }
  }
  NAME(lanes_store)(n * n, lanes, l);
  for (int lane = 0; lane < LANES; lane++)
    if (!(root[lane] > 0)) // as NaN in any pivot before makes it NaN
      NAME(row_fill)(n * n, (REAL)__builtin_nan(""), l + lane * n * n);
}

void NAME(cholesky)(int64_t a_, int64_t l_, int64_t n, int64_t count, int64_t work_) {
  const REAL *a = (const REAL *)(uintptr_t)a_;
  REAL *l = (REAL *)(uintptr_t)l_, *work = (REAL *)(uintptr_t)work_;
  int64_t item = 0, size = n * n;
  for (; count - item >= LANES && n > 0 && n <= LANES_ROWS; item += LANES)
    NAME(cholesky_lanes)(n, a + item * size, l + item * size, work);
  for (; item < count; item++)
    NAME(cholesky_one)(n, a + item * size, l + item * size, work);
}
