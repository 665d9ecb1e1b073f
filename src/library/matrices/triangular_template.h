// The template of triangular.c.
#include "library/real.h"

#include "library/matrices/product.h"
#include "library/matrices/rows.h"
#include "library/matrices/triangular.h"

#define TRIANGLE 32 // rows of a block that is not halved

typedef struct NAME(triangle) {
  const REAL *at;
  int64_t row, column;
  bool unit;
} NAME(triangle);

// One vector of a row, or two; a second one that is not there is never stored.
static inline __attribute__((always_inline)) NAME(pair)
    NAME(strip_load)(int64_t vectors, const REAL *x) {
  return (NAME(pair)){NAME(row_load)(x), NAME(row_load)(vectors > 1 ? x + LANES : x)};
}

// Row x of the solution, s by the diagonal element: that is not read where it has a reciprocal, as
// it has in unit triangles, 1.
static inline __attribute__((always_inline)) NAME(pair)
    NAME(solve_row)(int64_t vectors, REAL reciprocal, const REAL *diagonal, NAME(pair) s, REAL *x) {
  if (reciprocal != 0)
    s = NAME(pair_scale)(s, reciprocal);
  else
    s.low = s.low / *diagonal, s.high = s.high / *diagonal;
  NAME(row_store)(x, s.low);
  if (vectors > 1)
    NAME(row_store)(x + LANES, s.high);
  return s;
}

// x[n × vectors] = T⁻¹ · x.
static inline __attribute__((always_inline)) void
NAME(solve_strip)(int64_t vectors, int64_t n, NAME(triangle) t, const REAL *reciprocals, REAL *x) {
  const int64_t x_row = vectors * LANES;
  for (int64_t i = 0; i < n; i += 4) {
    int64_t rows = n - i < 4 ? n - i : 4;
    int64_t r1 = rows > 1 ? 1 : 0, r2 = rows > 2 ? 2 : 0, r3 = rows > 3 ? 3 : 0;
    const REAL *t0 = t.at + i * t.row, *t1 = t0 + r1 * t.row, *t2 = t0 + r2 * t.row,
               *t3 = t0 + r3 * t.row;
    REAL *x0 = x + i * x_row, *x1 = x0 + r1 * x_row, *x2 = x0 + r2 * x_row, *x3 = x0 + r3 * x_row;
    NAME(pair) s0 = NAME(strip_load)(vectors, x0), s1 = NAME(strip_load)(vectors, x1);
    NAME(pair) s2 = NAME(strip_load)(vectors, x2), s3 = NAME(strip_load)(vectors, x3);
    int64_t at = 0;
    const REAL *from = x;
    for (int64_t p = 0; p < i; p++, at += t.column, from += x_row) {
      NAME(pair) y = NAME(strip_load)(vectors, from);
      NAME(pair_subtract)(t0[at], y, &s0);
      NAME(pair_subtract)(t1[at], y, &s1);
      NAME(pair_subtract)(t2[at], y, &s2);
      NAME(pair_subtract)(t3[at], y, &s3);
    }
    int64_t at1 = at + t.column, at2 = at1 + t.column, at3 = at2 + t.column;
    s0 = NAME(solve_row)(vectors, reciprocals[i], t0 + at, s0, x0);
    if (rows > 1) {
      NAME(pair_subtract)(t1[at], s0, &s1);
      s1 = NAME(solve_row)(vectors, reciprocals[i + 1], t1 + at1, s1, x1);
    }
    if (rows > 2) {
      NAME(pair_subtract)(t2[at], s0, &s2);
      NAME(pair_subtract)(t2[at1], s1, &s2);
      s2 = NAME(solve_row)(vectors, reciprocals[i + 2], t2 + at2, s2, x2);
    }
    if (rows > 3) {
      NAME(pair_subtract)(t3[at], s0, &s3);
      NAME(pair_subtract)(t3[at1], s1, &s3);
      NAME(pair_subtract)(t3[at2], s2, &s3);
      NAME(solve_row)(vectors, reciprocals[i + 3], t3 + at3, s3, x3);
    }
  }
}

static __attribute__((noinline)) void NAME(solve_strip_1)(int64_t n, NAME(triangle) t,
                                                          const REAL *reciprocals, REAL *x) {
  NAME(solve_strip)(1, n, t, reciprocals, x);
}

static __attribute__((noinline)) void NAME(solve_strip_2)(int64_t n, NAME(triangle) t,
                                                          const REAL *reciprocals, REAL *x) {
  NAME(solve_strip)(2, n, t, reciprocals, x);
}

static void NAME(solve_block)(int64_t n, int64_t k, NAME(triangle) t, REAL *x, int64_t x_row) {
  REAL reciprocals[TRIANGLE];
  // Strips of columns are solved in a copy, as rows that are a power of 2 apart would displace each
  // other from the cache.
  VECTOR strip[TRIANGLE * 2];
  REAL *copy = (REAL *)strip;
  for (int64_t i = 0; i < n; i++)
    reciprocals[i] = t.unit ? 1 : NAME(reciprocal)(t.at[i * (t.row + t.column)]);
  for (int64_t j = 0; j < k; j += 2 * LANES) {
    REAL *at = x + j;
    if (k - j >= 2 * LANES) {
      for (int64_t i = 0; i < n; i++)
        NAME(pair_store)(copy + i * 2 * LANES, NAME(pair_load)(at + i * x_row));
      NAME(solve_strip_2)(n, t, reciprocals, copy);
      for (int64_t i = 0; i < n; i++)
        NAME(pair_store)(at + i * x_row, NAME(pair_load)(copy + i * 2 * LANES));
      continue;
    }
    int64_t columns = k - j, width = columns > LANES ? 2 * LANES : LANES;
    for (int64_t i = 0; i < n; i++) {
      NAME(row_copy)(columns, at + i * x_row, copy + i * width);
      NAME(row_clear)(width - columns, copy + i * width + columns);
    }
    (columns > LANES ? NAME(solve_strip_2) : NAME(solve_strip_1))(n, t, reciprocals, copy);
    for (int64_t i = 0; i < n; i++)
      NAME(row_copy)(columns, copy + i * width, at + i * x_row);
  }
}

// sums[r] = a's row r · x, of n, for 4 rows.
static inline void NAME(dot_rows)(int64_t n, const REAL *a, int64_t a_row, const REAL *x,
                                  REAL sums[4]) {
  VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  const REAL *a1 = a + a_row, *a2 = a1 + a_row, *a3 = a2 + a_row;
  int64_t p = 0;
  for (; n - p >= LANES; p += LANES) {
    VECTOR y = *(const VECTOR_IN_MEMORY *)(x + p);
    s0 += *(const VECTOR_IN_MEMORY *)(a + p) * y;
    s1 += *(const VECTOR_IN_MEMORY *)(a1 + p) * y;
    s2 += *(const VECTOR_IN_MEMORY *)(a2 + p) * y;
    s3 += *(const VECTOR_IN_MEMORY *)(a3 + p) * y;
  }
  REAL y0 = NAME(row_sum)(s0), y1 = NAME(row_sum)(s1), y2 = NAME(row_sum)(s2),
       y3 = NAME(row_sum)(s3);
  for (; p < n; p++) {
    y0 += a[p] * x[p];
    y1 += a1[p] * x[p];
    y2 += a2[p] * x[p];
    y3 += a3[p] * x[p];
  }
  sums[0] = y0;
  sums[1] = y1;
  sums[2] = y2;
  sums[3] = y3;
}

static inline REAL NAME(divided)(NAME(triangle) t, int64_t i, REAL x) {
  return t.unit ? x : x / t.at[i * (t.row + t.column)];
}

// One right-hand side, T's rows contiguous, forwards (column 1) or backwards (column -1, as x).
static void NAME(solve_by_rows)(int64_t n, NAME(triangle) t, REAL *x) {
  int64_t step = t.column, i = 0;
  for (; n - i >= 4; i += 4) {
    const REAL *row = t.at + i * t.row;
    REAL sums[4] = {0, 0, 0, 0};
    if (i > 0)
      NAME(dot_rows)
    (i, step > 0 ? row : row - (i - 1), t.row, step > 0 ? x : x - (i - 1), sums);
    for (int64_t r = 0; r < 4; r++) {
      REAL y = x[(i + r) * step] - sums[r];
      for (int64_t p = i; p < i + r; p++)
        y -= row[r * t.row + p * step] * x[p * step];
      x[(i + r) * step] = NAME(divided)(t, i + r, y);
    }
  }
  for (; i < n; i++) {
    const REAL *row = t.at + i * t.row;
    VECTOR sums = {0};
    int64_t p = 0;
    for (; i - p >= LANES; p += LANES) {
      int64_t first = step > 0 ? p : -(p + LANES - 1);
      sums += *(const VECTOR_IN_MEMORY *)(row + first) * *(VECTOR_IN_MEMORY *)(x + first);
    }
    REAL y = x[i * step] - NAME(row_sum)(sums);
    for (; p < i; p++)
      y -= row[p * step] * x[p * step];
    x[i * step] = NAME(divided)(t, i, y);
  }
}

// One right-hand side, T's columns contiguous, forwards (row 1) or backwards (row -1, as x).
static void NAME(solve_by_columns)(int64_t n, NAME(triangle) t, REAL *x) {
  int64_t step = t.row;
  for (int64_t i = 0; i < n; i += 4) {
    int64_t columns = n - i < 4 ? n - i : 4;
    const REAL *t0 = t.at + i * t.column, *t1 = t0 + t.column, *t2 = t1 + t.column,
               *t3 = t2 + t.column;
    REAL *y = x + i * step;
    for (int64_t c = 0; c < columns; c++) {
      y[c * step] = NAME(divided)(t, i + c, y[c * step]);
      for (int64_t r = c + 1; r < columns; r++)
        y[r * step] -= t0[c * t.column + (i + r) * step] * y[c * step];
    }
    if (columns < 4)
      return;
    REAL y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    int64_t r = i + 4;
    for (; n - r >= LANES; r += LANES) {
      int64_t first = step > 0 ? r : -(r + LANES - 1);
      VECTOR_IN_MEMORY *to = (VECTOR_IN_MEMORY *)(x + first);
      VECTOR s = *to;
      s -= *(const VECTOR_IN_MEMORY *)(t0 + first) * y0;
      s -= *(const VECTOR_IN_MEMORY *)(t1 + first) * y1;
      s -= *(const VECTOR_IN_MEMORY *)(t2 + first) * y2;
      s -= *(const VECTOR_IN_MEMORY *)(t3 + first) * y3;
      *to = s;
    }
    for (; r < n; r++) {
      REAL s = x[r * step];
      s -= t0[r * step] * y0;
      s -= t1[r * step] * y1;
      s -= t2[r * step] * y2;
      s -= t3[r * step] * y3;
      x[r * step] = s;
    }
  }
}

static void NAME(solve_halves)(int64_t n, int64_t k, NAME(triangle) t, REAL *x, int64_t x_row,
                               REAL *pack) {
  if (n <= TRIANGLE) {
    NAME(solve_block)(n, k, t, x, x_row);
    return;
  }
  int64_t top = (n / 2 + TRIANGLE - 1) / TRIANGLE * TRIANGLE;
  NAME(triangle) bottom = t;
  bottom.at += top * (t.row + t.column);
  NAME(solve_halves)(top, k, t, x, x_row, pack);
  NAME(product)
  (n - top, k, top, -1, t.at + top * t.row, t.row, t.column, x, x_row, 1, x + top * x_row, x_row,
   pack);
  NAME(solve_halves)(n - top, k, bottom, x + top * x_row, x_row, pack);
}

void NAME(triangular_forward)(int64_t n, int64_t k, const REAL *t, int64_t t_row, int64_t t_column,
                              bool unit, REAL *x, int64_t x_row, REAL *pack) {
  NAME(triangle) triangle = {t, t_row, t_column, unit};
  if (k == 1 && t_column == x_row && (x_row == 1 || x_row == -1))
    NAME(solve_by_rows)(n, triangle, x);
  else if (k == 1 && t_row == x_row && (x_row == 1 || x_row == -1))
    NAME(solve_by_columns)(n, triangle, x);
  else
    NAME(solve_halves)(n, k, triangle, x, x_row, pack);
}

void NAME(triangular_solve)(int64_t a_, int64_t b_, int64_t x_, int64_t n, int64_t k, int64_t flags,
                            int64_t work) {
  const REAL *a = (const REAL *)(uintptr_t)a_, *b = (const REAL *)(uintptr_t)b_;
  REAL *x = (REAL *)(uintptr_t)x_, *pack = (REAL *)(uintptr_t)work;
  bool upper = flags & 1, transposed = flags & 2;
  if (n == 0) // however many right sides there are
    return;
  NAME(row_copy)(n * k, b, x);
  int64_t row = transposed ? 1 : n, column = transposed ? n : 1;
  if (upper == transposed)
    NAME(triangular_forward)(n, k, a, row, column, false, x, k, pack);
  else
    NAME(triangular_backward)(n, k, a, row, column, false, x, k, pack);
}
