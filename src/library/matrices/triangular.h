// Triangular systems and what else the factorisations here share: see triangular.c. Included after
// real.h, once for each REAL.

// 1 / x where a product with that is as good as a division by x, else 0: for zero, for what is not
// finite, and where the quotient is not a normal number or overflows.
static inline REAL NAME(reciprocal)(REAL x) {
  REAL magnitude = ABS(x);
  return magnitude >= REAL_LEAST && magnitude <= 1 / REAL_LEAST ? 1 / x : 0;
}

// x[n×k] = T⁻¹ · x for a lower triangular T[n×n], whose element (i, p) is t[i·t_row + p·t_column];
// `unit`: the diagonal is not read but 1. x's rows are contiguous and x_row apart.
void NAME(triangular_forward)(int64_t n, int64_t k, const REAL *t, int64_t t_row, int64_t t_column,
                              bool unit, REAL *x, int64_t x_row, REAL *pack);

// The same for an upper triangular T.
static inline void NAME(triangular_backward)(int64_t n, int64_t k, const REAL *t, int64_t t_row,
                                             int64_t t_column, bool unit, REAL *x, int64_t x_row,
                                             REAL *pack) {
  // Counted from the end the triangle is a lower one.
  if (n > 0)
    NAME(triangular_forward)
  (n, k, t + (n - 1) * (t_row + t_column), -t_row, -t_column, unit, x + (n - 1) * x_row, -x_row,
   pack);
}
