// The template of tridiagonal.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/householder.h"
#include "library/spectral/stages.h"

// y = A·x, where A is the lower triangle of a, n × n (LAPACK: dsymv). Every element is read once:
// a row's product with x and its share of Aᵀ·x are computed together, for four rows at a time.
static void NAME(symmetric_times)(int64_t n, const REAL *a, int64_t stride, const REAL *x,
                                  REAL *y) {
  NAME(row_clear)(n, y);
  int64_t r = 0;
  for (; r + LANES <= n; r += LANES) {
    for (int64_t q = r; q < r + LANES; q += 4) {
      const REAL *a0 = a + q * stride, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
      REAL x0 = x[q], x1 = x[q + 1], x2 = x[q + 2], x3 = x[q + 3];
      VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
      for (int64_t j = 0; j < r; j += LANES) {
        VECTOR b0 = NAME(row_load)(a0 + j), b1 = NAME(row_load)(a1 + j);
        VECTOR b2 = NAME(row_load)(a2 + j), b3 = NAME(row_load)(a3 + j);
        VECTOR at = NAME(row_load)(x + j), sum = NAME(row_load)(y + j);
        s0 += b0 * at;
        s1 += b1 * at;
        s2 += b2 * at;
        s3 += b3 * at;
        sum += b0 * x0;
        sum += b1 * x1;
        sum += b2 * x2;
        sum += b3 * x3;
        NAME(row_store)(y + j, sum);
      }
      y[q] += NAME(row_sum)(s0);
      y[q + 1] += NAME(row_sum)(s1);
      y[q + 2] += NAME(row_sum)(s2);
      y[q + 3] += NAME(row_sum)(s3);
    }
    for (int64_t q = r; q < r + LANES; q++) {
      const REAL *row = a + q * stride;
      REAL sum = row[q] * x[q];
      for (int64_t j = r; j < q; j++) {
        sum += row[j] * x[j];
        y[j] += row[j] * x[q];
      }
      y[q] += sum;
    }
  }
  for (; r < n; r++) {
    const REAL *row = a + r * stride;
    y[r] += NAME(row_dot)(r + 1, row, x);
    NAME(row_add)(r, x[r], row, y);
  }
}

// Rows top, top − 1 … of a, `count` of them: their reflectors, which become rows of v, and w, such
// that what is above them is to lose vᵀ·w + wᵀ·v (LAPACK: dlatrd).
static void NAME(tridiagonal_panel)(int64_t top, int64_t count, REAL *a, int64_t stride, REAL *d,
                                    REAL *e, REAL *tau, REAL *v, REAL *w) {
  REAL of_v[REFLECTORS], of_w[REFLECTORS];
  for (int64_t p = 0; p < count; p++) {
    int64_t i = top - p;
    REAL *row = a + i * stride, *y = w + p * stride, *x = v + p * stride;
    for (int64_t q = 0; q < p; q++) {
      of_v[q] = -w[q * stride + i];
      of_w[q] = -v[q * stride + i];
    }
    NAME(row_combine_add)(p, i + 1, of_v, v, stride, row);
    NAME(row_combine_add)(p, i + 1, of_w, w, stride, row);
    d[i] = row[i];
    tau[i] = 0;
    if (i == 0)
      return;
    REAL alpha = row[i - 1], factor;
    tau[i] = NAME(reflector)(alpha, NAME(row_dot)(i - 1, row, row), &factor, &e[i - 1]);
    NAME(row_scale)(i - 1, factor, row);
    row[i - 1] = 1;
    NAME(row_copy)(i, row, x);
    if (tau[i] == 0) {
      NAME(row_clear)(i, y);
      continue;
    }
    NAME(symmetric_times)(i, a, stride, x, y);
    NAME(row_dots)(p, i, v, stride, x, of_w);
    NAME(row_dots)(p, i, w, stride, x, of_v);
    for (int64_t q = 0; q < p; q++) {
      of_v[q] = -of_v[q];
      of_w[q] = -of_w[q];
    }
    NAME(row_combine_add)(p, i, of_v, v, stride, y);
    NAME(row_combine_add)(p, i, of_w, w, stride, y);
    NAME(row_scale)(i, tau[i], y);
    NAME(row_add)(i, -tau[i] / 2 * NAME(row_dot)(i, x, y), x, y);
  }
}

// The lower triangle of a, n × n, to tridiagonal d and e: row i of a becomes the reflector of row
// i, i elements, whose last is 1, and tau[i]. work: 3·REFLECTORS rows.
void NAME(tridiagonal)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e, REAL *tau, REAL *work,
                       REAL *pack) {
  REAL *v = work, *w = v + REFLECTORS * stride, *again = w + REFLECTORS * stride;
  for (int64_t top = n - 1; top >= 0; top -= REFLECTORS) {
    int64_t count = top + 1 < REFLECTORS ? top + 1 : REFLECTORS, left = top + 1 - count;
    NAME(tridiagonal_panel)(top, count, a, stride, d, e, tau, v, w);
    if (left == 0)
      return;
    for (int64_t p = 0; p < count; p++)
      NAME(row_copy)(left, v + p * stride, again + p * stride);
    NAME(product_lower)
    (left, left, 2 * REFLECTORS, -1, v, 1, stride, w, stride, 1, a, stride, pack);
  }
}
