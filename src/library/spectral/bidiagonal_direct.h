// The template of bidiagonal_direct.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/transpose.h"
#include "library/spectral/householder.h"
#include "library/spectral/stages.h"

// w: n × n, padded with zeros; becomes Xᵀ, and y, as large, becomes Yᵀ. d: the diagonal, e: n
// elements, those below it and a 0. q: as large as w. work: 3 rows.
void NAME(bidiagonal_direct)(int64_t n, REAL *w, REAL *y, int64_t stride, REAL *d, REAL *e, REAL *q,
                             REAL *work) {
  REAL *tau_x = work, *tau_y = work + stride, *sum = work + 2 * stride;
  int64_t padded = NAME(row_padded)(n);
  for (int64_t i = 0; i < n; i++) {
    REAL *x = w + i * stride, *reflector = y + i * stride, factor;
    int64_t from = i / LANES * LANES, length = padded - from;
    REAL alpha = x[i];
    x += from;
    VECTOR head = NAME(row_load)(x) * (1 - NAME(row_lanes)(i - from + 1));
    REAL square = NAME(row_dot)(length - LANES, x + LANES, x + LANES) + NAME(row_sum)(head * head);
    tau_x[i] = NAME(reflector)(alpha, square, &factor, &d[i]);
    tau_y[i] = 0;
    e[i] = 0;
    NAME(row_scale)(length - LANES, factor, x + LANES);
    NAME(row_store)(x, head * factor + NAME(row_lane)(i - from));
    NAME(row_clear)(padded, reflector);
    if (i == n - 1)
      break;
    NAME(row_reflect)(n - i - 1, length, tau_x[i], x, x + stride, stride);
    square = 0;
    alpha = w[(i + 1) * stride + i];
    for (int64_t r = i + 2; r < n; r++) {
      REAL element = w[r * stride + i];
      reflector[r] = element;
      square += element * element;
    }
    tau_y[i] = NAME(reflector)(alpha, square, &factor, &e[i]);
    if (tau_y[i] == 0)
      continue;
    for (int64_t r = i + 2; r < n; r++)
      reflector[r] *= factor;
    reflector[i + 1] = 1;
    REAL *row = w + (i + 1) * stride + from;
    NAME(row_combine)(n - i - 1, length, reflector + i + 1, row, stride, sum);
    NAME(row_scale)(length, -tau_y[i], sum);
    for (int64_t r = i + 1; r < n; r++, row += stride)
      NAME(row_add)(length, reflector[r], sum, row);
  }
  NAME(reflectors_multiply)(n, false, 0, w, tau_x, stride, q, sum);
  NAME(transpose)(n, n, q, stride, w, stride, false);
  NAME(reflectors_multiply)(n, false, 1, y, tau_y, stride, q, sum);
  NAME(transpose)(n, n, q, stride, y, stride, false);
}
