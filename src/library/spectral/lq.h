// The template of lq.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/spectral/householder.h"
#include "library/spectral/stages.h"

// w = (L, 0)·Q, where w is k × n, k ≤ n: row i of w becomes zeros and the i-th reflector from its
// diagonal on, and l, k × k and padded, gets L. work: REFLECTORS · (k + n + REFLECTORS) elements.
void NAME(lq)(int64_t k, int64_t n, REAL *w, int64_t w_stride, REAL *tau, REAL *l, int64_t stride,
              REAL *work, REAL *pack) {
  for (int64_t first = 0; first < k; first += REFLECTORS) {
    int64_t end = k - first < REFLECTORS ? k : first + REFLECTORS;
    for (int64_t i = first; i < end; i++) {
      REAL *row = w + i * w_stride, factor, diagonal;
      int64_t length = n - i;
      NAME(row_clear)(stride, l + i * stride);
      NAME(row_copy)(i, row, l + i * stride);
      NAME(row_clear)(i, row);
      REAL alpha = row[i];
      row[i] = 0;
      tau[i] = NAME(reflector)(alpha, NAME(row_dot)(length, row + i, row + i), &factor, &diagonal);
      l[i * stride + i] = diagonal;
      NAME(row_scale)(length, factor, row + i);
      row[i] = 1;
      NAME(row_reflect)(end - i - 1, length, tau[i], row + i, row + w_stride + i, w_stride);
    }
    if (end < k)
      NAME(reflectors_apply)
    (k - end, n - first, w + end * w_stride + first, w_stride, end - first,
     w + first * w_stride + first, w_stride, tau + first, false, work, pack);
  }
}

// z·Q, where z is k × n. work: as for lq.
void NAME(lq_apply)(int64_t k, int64_t n, const REAL *w, int64_t w_stride, const REAL *tau, REAL *z,
                    int64_t stride, REAL *work, REAL *pack) {
  if (k * n <= 1024) { // too little for products
    for (int64_t i = k - 1; i >= 0; i--)
      NAME(row_reflect)(k, n - i, tau[i], w + i * w_stride + i, z + i, stride);
    return;
  }
  for (int64_t first = (k - 1) / REFLECTORS * REFLECTORS; first >= 0; first -= REFLECTORS) {
    int64_t count = k - first < REFLECTORS ? k - first : REFLECTORS;
    NAME(reflectors_apply)
    (k, n - first, z + first, stride, count, w + first * w_stride + first, w_stride, tau + first,
     true, work, pack);
  }
}
