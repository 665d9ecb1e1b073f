// The template of qr.c.
#include "library/real.h"

#include "library/matrices/product.h"
#include "library/matrices/rows.h"
#include "library/matrices/transpose.h"
#include "library/matrices/triangular.h"

// Sums of squares between SQUARES_LEAST and SQUARES_GREATEST have lost nothing; columns whose
// greatest magnitude is below SMALL or above 1 / SMALL are scaled by SCALE or its inverse.
#undef SQUARES_LEAST
#undef SQUARES_GREATEST
#undef SMALL
#undef SCALE
#if GJL_REAL_BITS == 64
#define SQUARES_LEAST 0x1p-900
#define SQUARES_GREATEST 0x1p1000
#define SMALL 0x1p-400
#define SCALE 0x1p600
#else
#define SQUARES_LEAST 0x1p-80f
#define SQUARES_GREATEST 0x1p120f
#define SMALL 0x1p-40f
#define SCALE 0x1p90f
#endif
// Reflections of a panel: more where products are large, as each panel makes one pass over all that
// is right of it.
#define REFLECTIONS 32
#define MORE_REFLECTIONS 64
#define LARGE 384

// Reflections are vectors in `v`, each contiguous and v_row after the last, with zeros before their
// 1 and after their end up to whole vectors; `inverses` are those of the T of each panel.
typedef struct NAME(reflections) {
  int64_t m, n, count, v_row, block;
  REAL *v, *inverses, *products, *pack;
} NAME(reflections);

// Of n elements, a multiple of LANES.
static inline REAL NAME(sum_of_squares)(int64_t n, const REAL *x) {
  const VECTOR_IN_MEMORY *from = (const VECTOR_IN_MEMORY *)x;
  VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int64_t i = 0, vectors = n / LANES;
  for (; vectors - i >= 4; i += 4) {
    VECTOR x0 = from[i], x1 = from[i + 1], x2 = from[i + 2], x3 = from[i + 3];
    s0 += x0 * x0;
    s1 += x1 * x1;
    s2 += x2 * x2;
    s3 += x3 * x3;
  }
  for (; i < vectors; i++) {
    VECTOR x0 = from[i];
    s0 += x0 * x0;
  }
  return NAME(row_sum)((s0 + s1) + (s2 + s3));
}

static inline REAL NAME(greatest)(int64_t n, const REAL *x) {
  REAL most = 0;
  for (int64_t i = 0; i < n; i++)
    most = ABS(x[i]) > most ? ABS(x[i]) : most;
  return most;
}

// Makes of x, of which the elements from `at` on are to become (beta, 0, 0 …), the reflection that
// does it: beta. n is a multiple of LANES, and elements before `at`, less than LANES, are zeros.
static REAL NAME(reflection)(int64_t n, REAL *x, int64_t at, REAL *tau) {
  REAL alpha = x[at], unscale = 1;
  x[at] = 0;
  REAL rest = NAME(sum_of_squares)(n, x), squares = alpha * alpha + rest;
  if (rest == 0 || !(squares > SQUARES_LEAST && squares < SQUARES_GREATEST)) {
    REAL most = NAME(greatest)(n, x);
    if (most == 0) {
      x[at] = 1;
      *tau = 0;
      return alpha;
    }
    most = ABS(alpha) > most ? ABS(alpha) : most;
    REAL by = most < SMALL ? SCALE : most > 1 / SMALL ? 1 / SCALE : 1;
    unscale = 1 / by;
    alpha = alpha * by;
    NAME(row_scale)(n, by, x);
    squares = alpha * alpha + NAME(sum_of_squares)(n, x);
  }
  REAL norm = SQRT(squares), beta = alpha < 0 || (alpha == 0 && 1 / alpha < 0) ? norm : -norm;
  *tau = (beta - alpha) / beta;
  NAME(row_scale)(n, 1 / (alpha - beta), x);
  x[at] = 1;
  return beta * unscale;
}

// Reads `columns` columns of `rows` elements from a, makes reflections of the first `count` and
// reflects those after them; r gets what is on and above the diagonal of the former.
static void NAME(qr_panel)(int64_t rows, int64_t columns, int64_t count, const REAL *a,
                           int64_t a_row, REAL *v, int64_t v_row, REAL *taus, REAL *r,
                           int64_t r_row) {
  int64_t end = NAME(row_padded)(rows);
  NAME(transpose)(rows, columns, a, a_row, v, v_row, false);
  for (int64_t j = 0; j < columns; j++)
    NAME(row_clear)(end - rows, v + j * v_row + rows);
  for (int64_t j = 0; j < count; j++) {
    REAL *x = v + j * v_row;
    for (int64_t i = 0; i < j; i++) {
      r[i * r_row + j] = x[i];
      x[i] = 0;
    }
    int64_t first = j / LANES * LANES, n = end - first;
    r[j * r_row + j] = NAME(reflection)(n, x + first, j - first, &taus[j]);
    NAME(row_reflect)(columns - j - 1, n, taus[j], x + first, x + v_row + first, v_row);
  }
}

// Both sizes at most REFLECTIONS: without products.
static void NAME(qr_small)(const NAME(reflections) * f, const REAL *a, REAL *q, REAL *r,
                           int64_t q_columns) {
  int64_t m = f->m, n = f->n, count = f->count, row = f->v_row;
  int64_t end = NAME(row_padded)(m);
  REAL taus[REFLECTIONS], *v = f->v;
  NAME(qr_panel)(m, n, count, a, n, v, row, taus, r, n);
  for (int64_t j = count; j < n; j++)
    for (int64_t i = 0; i < count; i++)
      r[i * n + j] = v[j * row + i];
  // Columns of Q take the place of the reflections.
  for (int64_t j = count; j < q_columns; j++)
    for (int64_t i = 0; i < end; i++)
      v[j * row + i] = i == j;
  for (int64_t j = count - 1; j >= 0; j--) {
    int64_t first = j / LANES * LANES;
    REAL *x = v + j * row;
    NAME(row_reflect)(q_columns - j - 1, end - first, taus[j], x + first, x + row + first, row);
    NAME(row_scale)(end - first, -taus[j], x + first);
    x[j] = 1 - taus[j];
  }
  NAME(transpose)(q_columns, m, v, row, q, q_columns, true);
}

// Factors the copy c of A.
static void NAME(qr_factor)(const NAME(reflections) * f, REAL *c, REAL *r) {
  int64_t n = f->n, block = f->block;
  for (int64_t j = 0; j < f->count; j += block) {
    int64_t count = f->count - j < block ? f->count - j : block;
    int64_t rows = f->m - j, right = n - j - count;
    REAL taus[MORE_REFLECTIONS], *v = f->v + j * f->v_row + j, *at = c + j * n + j;
    NAME(qr_panel)
    (rows, count, count, at, n, v, f->v_row, taus, r + j * n + j, n);
    REAL *inverse = f->inverses + j * block;
    NAME(row_clear)(block * block, inverse);
    NAME(product)
    (count, count, rows, 1, v, f->v_row, 1, v, 1, f->v_row, inverse, block, f->pack);
    for (int64_t i = 0; i < count; i++)
      inverse[i * (block + 1)] = 1 / taus[i];
    if (right == 0)
      continue;
    at += count;
    NAME(row_clear)(count * right, f->products);
    NAME(product)
    (count, right, rows, 1, v, f->v_row, 1, at, n, 1, f->products, right, f->pack);
    NAME(triangular_forward)
    (count, right, inverse, 1, block, false, f->products, right, f->pack);
    NAME(product)
    (rows, right, count, -1, v, 1, f->v_row, f->products, right, 1, at, n, f->pack);
    for (int64_t i = 0; i < count; i++)
      NAME(row_copy)(right, at + i * n, r + (j + i) * n + j + count);
  }
}

// Q's columns, from the last panel on, as what a panel reflects is zeros left of it.
static void NAME(qr_form)(const NAME(reflections) * f, REAL *q, int64_t columns) {
  int64_t block = f->block;
  NAME(row_clear)(f->m * columns, q);
  for (int64_t j = f->count; j < columns; j++)
    q[j * columns + j] = 1;
  for (int64_t j = (f->count - 1) / block * block; j >= 0; j -= block) {
    int64_t count = f->count - j < block ? f->count - j : block;
    int64_t rows = f->m - j, right = columns - j - count;
    REAL *v = f->v + j * f->v_row + j, *inverse = f->inverses + j * block;
    REAL *at = q + j * columns + j, *products = f->products;
    if (right > 0) {
      NAME(row_clear)(count * right, products);
      NAME(product)
      (count, right, rows - count, 1, v + count, f->v_row, 1, at + count * columns + count, columns,
       1, products, right, f->pack);
      NAME(triangular_backward)
      (count, right, inverse, block, 1, false, products, right, f->pack);
      NAME(product)
      (rows, right, count, -1, v, 1, f->v_row, products, right, 1, at + count, columns, f->pack);
    }
    for (int64_t i = 0; i < count; i++)
      NAME(row_copy)(count, v + i * f->v_row, products + i * count);
    NAME(triangular_backward)
    (count, count, inverse, block, 1, false, products, count, f->pack);
    NAME(product)
    (rows, count, count, -1, v, 1, f->v_row, products, count, 1, at, columns, f->pack);
    for (int64_t i = 0; i < count; i++)
      at[i * (columns + 1)] += 1;
  }
}

// NaN if an element is NaN or infinite, else a zero.
static REAL NAME(nan_if_any)(int64_t n, const REAL *x) {
  VECTOR s0 = {0}, s1 = {0};
  int64_t i = 0;
  for (; n - i >= 2 * LANES; i += 2 * LANES) {
    s0 += *(const VECTOR_IN_MEMORY *)(x + i) * 0;
    s1 += *(const VECTOR_IN_MEMORY *)(x + i + LANES) * 0;
  }
  REAL sum = NAME(row_sum)(s0 + s1);
  for (; i < n; i++)
    sum += x[i] * 0;
  return sum;
}

void NAME(qr)(int64_t a_, int64_t q_, int64_t r_, int64_t m, int64_t n, int64_t complete,
              int64_t work) {
  const REAL *a = (const REAL *)(uintptr_t)a_;
  REAL *q = (REAL *)(uintptr_t)q_, *r = (REAL *)(uintptr_t)r_, *next = (REAL *)(uintptr_t)work;
  NAME(reflections)
  f = {.m = m,
       .n = n,
       .count = m < n ? m : n,
       .v_row = m + 2 * LANES,
       .block = m < LARGE || n < LARGE ? REFLECTIONS : MORE_REFLECTIONS};
  int64_t q_columns = complete ? m : f.count, r_rows = complete ? m : f.count;
  f.pack = next, next += PRODUCT_PACK;
  f.v = next, next += (f.count + REFLECTIONS) * f.v_row;
  f.inverses = next, next += (f.count + f.block) * f.block;
  f.products = next, next += f.block * (m > n ? m : n);
  REAL wrong = NAME(nan_if_any)(m * n, a);
  if (wrong != 0) {
    NAME(row_fill)(m * q_columns, wrong, q);
    NAME(row_fill)(r_rows * n, wrong, r);
    return;
  }
  NAME(row_clear)(r_rows * n, r);
  if (m <= REFLECTIONS && n <= REFLECTIONS) {
    NAME(qr_small)(&f, a, q, r, q_columns);
    return;
  }
  NAME(row_copy)(m * n, a, next);
  NAME(qr_factor)(&f, next, r);
  NAME(qr_form)(&f, q, q_columns);
}
