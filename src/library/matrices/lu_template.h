// The template of lu.c.
#include "library/real.h"

#include "library/matrices/product.h"
#include "library/matrices/rows.h"
#include "library/matrices/transpose.h"
#include "library/matrices/triangular.h"

#include "library/matrices/lanes.h"

#define PANEL 16 // columns
#define GROUP 4  // columns of a panel that are factored one by one

typedef struct NAME(factors) {
  REAL *lu;
  int32_t *permutation;
  int64_t m, n;
  REAL *panel, *pack; // the panel of PANEL columns, transposed
} NAME(factors);

// The greatest magnitude of each lane and where it was found first.
typedef struct NAME(search) {
  VECTOR greatest;
  NAME(whole_vector) at;
} NAME(search);

static inline void NAME(search_more)(NAME(search) * best, VECTOR x, NAME(whole_vector) at) {
  NAME(whole_vector) most = {0};
  most = most - 1;
  NAME(whole_vector)
  magnitude = (NAME(whole_vector))x & (most ^ (most << (GJL_REAL_BITS - 1)));
  NAME(whole_vector)
  more = (NAME(whole_vector))((VECTOR)magnitude > best->greatest);
  best->greatest = NAME(select)(more, (VECTOR)magnitude, best->greatest);
  best->at = (more & at) | (~more & best->at);
}

// The row where |x| is greatest, of rows `first` to `rows`, once x[i] -= u · l[i] is done for them;
// beyond `rows` there are LANES of no use.
static inline __attribute__((always_inline)) int64_t
NAME(update_and_search)(int64_t first, int64_t rows, REAL *x, const REAL *l, REAL u, bool update) {
  NAME(search) best = {(VECTOR){0} - 1, (NAME(whole_vector)){0} + (WHOLE)first};
#if GJL_REAL_BITS == 64
  NAME(whole_vector) at = {0, 1, 2, 3};
#else
  NAME(whole_vector) at = {0, 1, 2, 3, 4, 5, 6, 7};
#endif
  at = at + (WHOLE)first;
  for (int64_t i = first; i < rows; i += LANES) {
    VECTOR_IN_MEMORY *to = (VECTOR_IN_MEMORY *)(x + i);
    VECTOR s = *to;
    if (update) {
      s -= NAME(row_load)(l + i) * u;
      *to = s;
    }
    NAME(search_more)(&best, s, at);
    at = at + LANES;
  }
  REAL greatest = -1;
  int64_t pivot = first;
  for (int64_t lane = 0; lane < LANES; lane++) {
    REAL y = best.greatest[lane];
    int64_t where = best.at[lane];
    bool better = y > greatest || (y == greatest && where < pivot);
    greatest = better ? y : greatest;
    pivot = better ? where : pivot;
  }
  return pivot < rows ? pivot : first;
}

// x[0 … n) /= by; beyond n there are LANES of no use.
static inline void NAME(divide_column)(int64_t n, REAL *x, REAL by) {
  // A division is as quick for few rows and does not round twice.
  REAL reciprocal = n > 32 ? NAME(reciprocal)(by) : 0;
  if (reciprocal != 0)
    NAME(row_scale)(NAME(row_padded)(n), reciprocal, x);
  else if (by != 0)
    for (int64_t i = 0; i < n; i += LANES) {
      VECTOR_IN_MEMORY *to = (VECTOR_IN_MEMORY *)(x + i);
      *to = *to / by;
    }
}

static inline void NAME(exchange)(REAL *x, REAL *y) {
  REAL was = *x;
  *x = *y;
  *y = was;
}

static inline void NAME(swap_rows)(int64_t n, REAL *x, REAL *y) {
  int64_t i = 0;
  for (; n - i >= LANES; i += LANES) {
    VECTOR_IN_MEMORY *p = (VECTOR_IN_MEMORY *)(x + i), *q = (VECTOR_IN_MEMORY *)(y + i);
    VECTOR v = *p;
    *p = *q;
    *q = v;
  }
  for (; i < n; i++)
    NAME(exchange)(x + i, y + i);
}

// Factors columns j … end, at most GROUP, of the panel, whose rows before j are done; rows are
// swapped in all of its columns.
static void NAME(factor_group)(int64_t j, int64_t end, int64_t columns, int64_t rows, REAL *panel,
                               int64_t row, int64_t *pivots) {
  int64_t first = j;
  REAL *x = panel + j * row;
  int64_t pivot = NAME(update_and_search)(j, rows, x, x, 0, false);
  for (; j < end; j++, x += row) {
    pivots[j - first] = pivot;
    for (int64_t c = 0; c < columns && pivot != j; c++)
      NAME(exchange)(panel + c * row + j, panel + c * row + pivot);
    NAME(divide_column)(rows - j - 1, x + j + 1, x[j]);
    if (j + 1 < end)
      pivot = NAME(update_and_search)(j + 1, rows, x + row, x, x[row + j], true);
    for (int64_t c = j + 2; c < end; c++) {
      REAL *y = panel + c * row, u = y[j];
      for (int64_t i = j + 1; i < rows; i += LANES)
        *(VECTOR_IN_MEMORY *)(y + i) -= NAME(row_load)(x + i) * u;
    }
  }
}

// U's 4 elements of a column that is right of the group, in place.
static inline void NAME(solve_group)(const REAL *l, int64_t row, REAL *x) {
  REAL u0 = x[0], u1 = x[1], u2 = x[2], u3 = x[3];
  u1 -= l[1] * u0;
  u2 -= l[2] * u0;
  u3 -= l[3] * u0;
  u2 -= l[row + 2] * u1;
  u3 -= l[row + 3] * u1;
  u3 -= l[2 * row + 3] * u2;
  x[1] = u1, x[2] = u2, x[3] = u3;
}

// Updates the panel's columns from `first` + GROUP on by the group that starts at `first`.
static void NAME(update_by_group)(int64_t first, int64_t columns, int64_t rows, REAL *panel,
                                  int64_t row) {
  const REAL *l0 = panel + first * row, *l1 = l0 + row, *l2 = l1 + row, *l3 = l2 + row;
  for (int64_t c = first + GROUP; c < columns; c += 2) {
    REAL *x = panel + c * row, *y = c + 1 < columns ? x + row : x;
    NAME(solve_group)(l0 + first, row, x + first);
    if (y != x)
      NAME(solve_group)(l0 + first, row, y + first);
    REAL u0 = x[first], u1 = x[first + 1], u2 = x[first + 2], u3 = x[first + 3];
    REAL v0 = y[first], v1 = y[first + 1], v2 = y[first + 2], v3 = y[first + 3];
    for (int64_t i = first + GROUP; i < rows; i += LANES) {
      VECTOR a0 = NAME(row_load)(l0 + i), a1 = NAME(row_load)(l1 + i);
      VECTOR a2 = NAME(row_load)(l2 + i), a3 = NAME(row_load)(l3 + i);
      VECTOR s = NAME(row_load)(x + i), t = NAME(row_load)(y + i);
      s -= a0 * u0;
      t -= a0 * v0;
      s -= a1 * u1;
      t -= a1 * v1;
      s -= a2 * u2;
      t -= a2 * v2;
      s -= a3 * u3;
      t -= a3 * v3;
      NAME(row_store)(x + i, s);
      NAME(row_store)(y + i, t);
    }
  }
}

// Factors columns first … first + columns from row `first` on, which are read from `from`, and
// swaps the other columns' rows alike.
static void NAME(lu_panel)(NAME(factors) * f, int64_t first, int64_t columns, const REAL *from) {
  int64_t rows = f->m - first, row = f->m + 2 * LANES, last = first + columns;
  REAL *panel = f->panel;
  NAME(transpose)(rows, columns, from, f->n, panel, row, false);
  for (int64_t j = 0; j < columns; j++)
    NAME(row_store)(panel + j * row + rows, (VECTOR){0});
  for (int64_t group = 0; group < columns; group += GROUP) {
    int64_t pivots[GROUP], end = columns - group < GROUP ? columns : group + GROUP;
    NAME(factor_group)(group, end, columns, rows, panel, row, pivots);
    for (int64_t j = group; j < end; j++) {
      int64_t pivot = pivots[j - group];
      if (pivot == j)
        continue;
      int32_t *p = f->permutation + first, was = p[j];
      p[j] = p[pivot];
      p[pivot] = was;
      REAL *upper = f->lu + (first + j) * f->n, *lower = f->lu + (first + pivot) * f->n;
      NAME(swap_rows)(first, upper, lower);
      NAME(swap_rows)(f->n - last, upper + last, lower + last);
    }
    NAME(update_by_group)(group, columns, rows, panel, row);
  }
  NAME(transpose)(columns, rows, panel, row, f->lu + first * f->n + first, f->n, true);
}

static void NAME(lu_halves)(NAME(factors) * f, int64_t first, int64_t columns) {
  REAL *block = f->lu + first * f->n + first;
  if (columns <= PANEL) {
    NAME(lu_panel)(f, first, columns, block);
    return;
  }
  int64_t left = (columns / 2 + PANEL - 1) / PANEL * PANEL, right = columns - left;
  NAME(lu_halves)(f, first, left);
  NAME(triangular_forward)
  (left, right, block, f->n, 1, true, block + left, f->n, f->pack);
  NAME(product)
  (f->m - first - left, right, left, -1, block + left * f->n, f->n, 1, block + left, f->n, 1,
   block + left * f->n + left, f->n, f->pack);
  NAME(lu_halves)(f, first + left, right);
}

static void NAME(lu_one)(int64_t m, int64_t n, const REAL *a, REAL *lu, int32_t *permutation,
                         REAL *work) {
  NAME(factors)
  f = {.lu = lu,
       .permutation = permutation,
       .m = m,
       .n = n,
       .panel = work + PRODUCT_PACK,
       .pack = work};
  for (int64_t i = 0; i < m; i++)
    f.permutation[i] = (int32_t)i;
  if (n <= PANEL && n <= m) {
    NAME(lu_panel)(&f, 0, n, a);
    return;
  }
  NAME(row_copy)(m * n, a, lu);
  NAME(lu_halves)(&f, 0, m < n ? m : n);
  if (m < n)
    NAME(triangular_forward)(m, n - m, lu, n, 1, true, lu + m, n, work);
}

// Exchanges x and y where the mask says so, `count` elements.
static inline void NAME(lanes_exchange)(int64_t count, NAME(whole_vector) mask, REAL *x, REAL *y) {
  for (int64_t i = 0; i < count * LANES; i += LANES) {
    VECTOR a = NAME(row_load)(x + i), b = NAME(row_load)(y + i);
    NAME(row_store)(x + i, NAME(select)(mask, b, a));
    NAME(row_store)(y + i, NAME(select)(mask, a, b));
  }
}

// Brings the rows of the greatest elements of column j to row j.
static void NAME(lanes_pivot)(int64_t n, int64_t j, REAL *lanes, int32_t *permutation) {
  NAME(search) best = {(VECTOR){0} - 1, (NAME(whole_vector)){0} + (WHOLE)j};
  for (int64_t i = j; i < n; i++)
    NAME(search_more)
  (&best, NAME(row_load)(lanes + (i * n + j) * LANES), (NAME(whole_vector)){0} + (WHOLE)i);
  bool taken[LANES_ROWS] = {false};
  for (int lane = 0; lane < LANES; lane++) {
    int32_t *own = permutation + lane * n, was = own[j];
    own[j] = own[best.at[lane]];
    own[best.at[lane]] = was;
    taken[best.at[lane]] = true;
  }
  for (int64_t i = j + 1; i < n; i++)
    if (taken[i])
      NAME(lanes_exchange)
  (n, (NAME(whole_vector))(best.at == (WHOLE)i), lanes + j * n * LANES, lanes + i * n * LANES);
}

// The factors of LANES matrices [n×n].
static void NAME(lu_lanes)(int64_t n, const REAL *a, REAL *lu, int32_t *permutation, REAL *lanes) {
  NAME(lanes_load)(n * n, a, lanes);
  for (int64_t i = 0; i < LANES * n; i++)
    permutation[i] = (int32_t)(i % n);
  for (int64_t j = 0; j < n; j++) {
    NAME(lanes_pivot)(n, j, lanes, permutation);
    REAL *pivots = lanes + (j * n + j) * LANES;
    VECTOR by = NAME(row_load)(pivots);
    by = NAME(select)((NAME(whole_vector))(by == 0), (VECTOR){0} + 1, by);
    for (int64_t i = j + 1; i < n; i++) {
      REAL *at = lanes + (i * n + j) * LANES;
      VECTOR x = NAME(row_load)(at) / by;
      NAME(row_store)(at, x);
      NAME(lanes_subtract)(n - j - 1, pivots + LANES, x, at + LANES);
    }
  }
  NAME(lanes_store)(n * n, lanes, lu);
}

void NAME(lu)(int64_t a_, int64_t lu_, int64_t permutation_, int64_t m, int64_t n, int64_t count,
              int64_t work_) {
  const REAL *a = (const REAL *)(uintptr_t)a_;
  REAL *lu = (REAL *)(uintptr_t)lu_, *work = (REAL *)(uintptr_t)work_;
  int32_t *permutation = (int32_t *)(uintptr_t)permutation_;
  int64_t item = 0, size = m * n;
  for (; count - item >= LANES && m == n && n <= LANES_ROWS; item += LANES)
    NAME(lu_lanes)(n, a + item * size, lu + item * size, permutation + item * m, work);
  for (; item < count; item++)
    NAME(lu_one)(m, n, a + item * size, lu + item * size, permutation + item * m, work);
}

static inline int64_t NAME(row_within)(int32_t row, int64_t n) {
  return row < 0 ? 0 : row < n ? row : n - 1;
}

// x's rows are those of b in the order of the permutation.
static inline void NAME(permute_rows)(int64_t n, int64_t k, const int32_t *permutation,
                                      const REAL *b, REAL *x) {
  for (int64_t i = 0; i < n; i++)
    NAME(row_copy)(k, b + NAME(row_within)(permutation[i], n) * k, x + i * k);
}

static void NAME(lu_solve_one)(int64_t n, int64_t k, bool transposed, const REAL *lu,
                               const int32_t *permutation, const REAL *b, REAL *x, REAL *pack) {
  REAL *y = pack + PRODUCT_PACK;
  if (!transposed) {
    NAME(permute_rows)(n, k, permutation, b, x);
    NAME(triangular_forward)(n, k, lu, n, 1, true, x, k, pack);
    NAME(triangular_backward)(n, k, lu, n, 1, false, x, k, pack);
    return;
  }
  // Rows of x that an array which is no permutation leaves out are zeros.
  NAME(row_clear)(n * k, x);
  NAME(row_copy)(n * k, b, y);
  NAME(triangular_forward)(n, k, lu, 1, n, false, y, k, pack);
  NAME(triangular_backward)(n, k, lu, 1, n, true, y, k, pack);
  for (int64_t i = 0; i < n; i++)
    NAME(row_copy)(k, y + i * k, x + NAME(row_within)(permutation[i], n) * k);
}

// Row x of right-hand sides less those of `count` rows y, each times an element t; step is 1, or -1
// where those go backwards.
static void NAME(lanes_reduce)(int64_t k, int64_t count, int64_t step, const REAL *t, const REAL *y,
                               REAL *x) {
  int64_t c = 0, t_step = step * LANES, y_step = step * k * LANES;
  for (; c + 4 <= k; c += 4, x += 4 * LANES, y += 4 * LANES) {
    NAME(pair) low = NAME(pair_load)(x), high = NAME(pair_load)(x + 2 * LANES);
    for (int64_t p = 0; p < count; p++) {
      VECTOR factor = NAME(row_load)(t + p * t_step);
      const REAL *from = y + p * y_step;
      low.low -= NAME(row_load)(from) * factor;
      low.high -= NAME(row_load)(from + LANES) * factor;
      high.low -= NAME(row_load)(from + 2 * LANES) * factor;
      high.high -= NAME(row_load)(from + 3 * LANES) * factor;
    }
    NAME(pair_store)(x, low);
    NAME(pair_store)(x + 2 * LANES, high);
  }
  for (int64_t p = 0; p < count && c < k; p++)
    NAME(lanes_subtract)(k - c, y + p * y_step, NAME(row_load)(t + p * t_step), x);
}

// x[i] /= diagonal, k elements, as solve_row in triangular_template.h does it.
static void NAME(lanes_divide)(int64_t k, VECTOR diagonal, REAL *x) {
  VECTOR reciprocal = {0};
  bool all = true;
  for (int lane = 0; lane < LANES; lane++) {
    reciprocal[lane] = NAME(reciprocal)(diagonal[lane]);
    all = all && reciprocal[lane] != 0;
  }
  for (int64_t c = 0; c < k * LANES; c += LANES) {
    VECTOR s = NAME(row_load)(x + c), product = s * reciprocal;
    if (!all)
      product = NAME(select)((NAME(whole_vector))(reciprocal == 0), s / diagonal, product);
    NAME(row_store)(x + c, product);
  }
}

// Solves LANES systems; k > 1, as a single right-hand side is summed in another order.
static void NAME(lu_solve_lanes)(int64_t n, int64_t k, const REAL *lu, const int32_t *permutation,
                                 const REAL *b, REAL *x, REAL *lanes) {
  REAL *y = lanes + n * n * LANES;
  for (int64_t lane = 0; lane < LANES; lane++)
    NAME(permute_rows)(n, k, permutation + lane * n, b + lane * n * k, x + lane * n * k);
  NAME(lanes_load)(n * n, lu, lanes);
  NAME(lanes_load)(n * k, x, y);
  for (int64_t i = 1; i < n; i++)
    NAME(lanes_reduce)(k, i, 1, lanes + i * n * LANES, y, y + i * k * LANES);
  for (int64_t i = n - 1; i >= 0; i--) {
    const REAL *last = lanes + (i * n + n - 1) * LANES;
    REAL *row = y + i * k * LANES;
    NAME(lanes_reduce)(k, n - 1 - i, -1, last, y + (n - 1) * k * LANES, row);
    NAME(lanes_divide)(k, NAME(row_load)(lanes + (i * n + i) * LANES), row);
  }
  NAME(lanes_store)(n * k, y, x);
}

void NAME(lu_solve)(int64_t lu_, int64_t permutation_, int64_t b_, int64_t x_, int64_t n, int64_t k,
                    int64_t count, int64_t transposed, int64_t work_) {
  const REAL *lu = (const REAL *)(uintptr_t)lu_, *b = (const REAL *)(uintptr_t)b_;
  const int32_t *permutation = (const int32_t *)(uintptr_t)permutation_;
  REAL *x = (REAL *)(uintptr_t)x_, *work = (REAL *)(uintptr_t)work_;
  bool small = n <= LANES_ROWS && k > 1 && k <= LANES_COLUMNS && !transposed;
  int64_t item = 0, size = n * n, sides = n * k;
  if (n == 0) // however many right sides there are
    return;
  for (; count - item >= LANES && small; item += LANES)
    NAME(lu_solve_lanes)
  (n, k, lu + item * size, permutation + item * n, b + item * sides, x + item * sides, work);
  for (; item < count; item++)
    NAME(lu_solve_one)
  (n, k, transposed, lu + item * size, permutation + item * n, b + item * sides, x + item * sides,
   work);
}
