// The template of tridiagonal_direct.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/transpose.h"
#include "library/spectral/householder.h"
#include "library/spectral/stages.h"

// a: symmetric, both triangles, n × n, padded with zeros; becomes Qᵀ. d, e: of the tridiagonal
// matrix. q: as large as a. work: 3 rows.
void NAME(tridiagonal_direct)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e, REAL *q,
                              REAL *work) {
  REAL *tau = work, *v = work + stride, *w = work + 2 * stride;
  if (n)
    e[n - 1] = 0;
  for (int64_t i = n - 1; i >= 0; i--) {
    REAL *row = a + i * stride;
    d[i] = row[i];
    tau[i] = 0;
    if (i < 2) {
      if (i == 1)
        e[0] = row[0];
      continue;
    }
    int64_t length = NAME(row_padded)(i), last = length - LANES, lane = i - 1 - last;
    REAL alpha = row[i - 1], factor;
    VECTOR ones = NAME(row_lanes)(lane), tail = NAME(row_load)(row + last) * ones;
    REAL square = NAME(row_dot)(last, row, row) + NAME(row_sum)(tail * tail);
    tau[i] = NAME(reflector)(alpha, square, &factor, &e[i - 1]);
    if (tau[i] == 0)
      continue;
    NAME(row_scale)(last, factor, row);
    NAME(row_store)(row + last, tail * factor + NAME(row_lane)(lane));
    NAME(row_copy)(length, row, v);
    NAME(row_combine)(i, length, v, a, stride, w);
    NAME(row_store)(w + last, NAME(row_load)(w + last) * NAME(row_lanes)(lane + 1));
    NAME(row_scale)(length, tau[i], w);
    NAME(row_add)(length, -tau[i] / 2 * NAME(row_dot)(length, v, w), v, w);
    REAL *to = a;
    for (int64_t r = 0; r < i; r++, to += stride) {
      REAL x = v[r], y = w[r];
      for (int64_t j = 0; j < length; j += LANES) {
        VECTOR sum = NAME(row_load)(to + j);
        sum -= x * NAME(row_load)(w + j);
        sum -= y * NAME(row_load)(v + j);
        NAME(row_store)(to + j, sum);
      }
    }
  }
  NAME(reflectors_multiply)(n, true, 0, a, tau, stride, q, v);
  NAME(transpose)(n, n, q, stride, a, stride, false);
}
