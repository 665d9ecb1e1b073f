// Householder's reflectors I − τ·v·vᵀ: a template over REAL (LAPACK: dlarfg).

// The reflector that takes (alpha, tail) to (beta, 0), for a tail with the sum of squares
// `square`: returns τ; v is 1 and the tail times *factor. A tail whose squares underflow in a
// matrix that is scaled to 1 counts as 0: then τ and *factor are 0.
static inline REAL NAME(reflector)(REAL alpha, REAL square, REAL *factor, REAL *beta) {
  if (square < REAL_LEAST / REAL_EPSILON) {
    *factor = 0;
    *beta = alpha;
    return 0;
  }
  REAL length = SQRT(alpha * alpha + square);
  REAL to = alpha > 0 ? -length : length;
  *factor = 1 / (alpha - to);
  *beta = to;
  return (to - alpha) / to;
}

// q = the product of the reflectors that are the rows of v, each applied to what follows it, so the
// last one first. With `ascending` row i has elements before i and the first row is applied first;
// otherwise row i has elements from i + shift on. q is n × n with rows of `stride` elements, as is
// v, and `sum` has a row.
static inline void NAME(reflectors_multiply)(int64_t n, bool ascending, int64_t shift,
                                             const REAL *v, const REAL *tau, int64_t stride,
                                             REAL *q, REAL *sum) {
  int64_t padded = NAME(row_padded)(n);
  for (int64_t i = 0; i < n; i++) {
    NAME(row_clear)(padded, q + i * stride);
    q[i * stride + i] = 1;
  }
  for (int64_t step = 0; step < n; step++) {
    int64_t i = ascending ? step : n - 1 - step;
    if (tau[i] == 0)
      continue;
    int64_t first = ascending ? 0 : i + shift, end = ascending ? i : n;
    int64_t from = first / LANES * LANES, length = NAME(row_padded)(end) - from;
    const REAL *row = v + i * stride;
    REAL *block = q + first * stride + from;
    NAME(row_combine)(end - first, length, row + first, block, stride, sum);
    NAME(row_scale)(length, -tau[i], sum);
    for (int64_t r = first; r < end; r++, block += stride)
      NAME(row_add)(length, row[r], sum, block);
  }
}
