// The template of bidiagonal_divide.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/stages.h"

#include "library/spectral/divide.h"

// Decides what rows stay, as for eigenvalues (LAPACK: dlasd2); the middle row, whose value is 0, is
// always the first of those kept. sorted: all others by d.
static void NAME(bidiagonal_deflate)(const NAME(divide_task) * t, int64_t n, int64_t middle,
                                     bool extra, REAL least, REAL *d, REAL *u, REAL *v,
                                     gjl_divide_rows *rows) {
  REAL *z = t->vector;
  int64_t previous = middle;
  for (int64_t i = 0; i < n - 1; i++) {
    int32_t at = t->sorted[i];
    if (ABS(z[at]) <= least) {
      rows->drop[rows->dropped++] = at;
      continue;
    }
    if (previous != middle && d[at] - d[previous] <= least) {
      REAL r = SQRT(z[at] * z[at] + z[previous] * z[previous]);
      REAL c = z[at] / r, s = z[previous] / r;
      NAME(row_rotate)(n, u + at * t->stride, u + previous * t->stride, c, s);
      NAME(row_rotate)(n + extra, v + at * t->stride, v + previous * t->stride, c, s);
      NAME(divide_drop)(t, rows, previous, at, r);
    } else {
      rows->row[rows->kept++] = (int32_t)previous;
    }
    previous = at;
  }
  rows->row[rows->kept++] = (int32_t)previous;
}

// Left vectors from right ones: the element of pole d times d, but -1 for the middle row; the
// middle column of u has nothing else.
static void NAME(bidiagonal_left)(const NAME(divide_task) * t, const gjl_divide_rows *rows) {
  int64_t k = rows->kept, middle = rows->position[0];
  for (int64_t i = 0; i < k; i++)
    t->work[rows->position[i]] = t->poles[i];
  for (int64_t j = 0; j < k; j++) {
    REAL *row = t->s + j * t->stride;
    for (int64_t i = 0; i < k; i++)
      row[i] *= t->work[i];
    row[middle] = -t->vector[j];
    NAME(row_scale)(k, 1 / SQRT(NAME(row_dot)(k, row, row)), row);
  }
}

// The middle row, alpha in the last column of the left part and beta in the first of the right
// one, in the basis of right vectors; with an extra column, the null vectors of both parts are
// rotated so that the row has only one of them. Returns the greatest of alpha, beta and d.
static REAL NAME(bidiagonal_middle)(const NAME(divide_task) * t, int64_t n, int64_t middle,
                                    bool extra, REAL alpha, REAL beta, const REAL *d, REAL *v) {
  REAL most = ABS(alpha) > ABS(beta) ? ABS(alpha) : ABS(beta), *z = t->vector;
  for (int64_t i = 0; i < n; i++) {
    bool left = i <= middle;
    z[i] = (left ? alpha : beta) * v[i * t->stride + middle + !left];
    most = i != middle && d[i] > most ? d[i] : most;
    t->side[i] = i < middle || (i == middle && !extra) ? GJL_LEFT
                 : i == middle                         ? GJL_BOTH
                                                       : GJL_RIGHT;
  }
  if (extra) {
    REAL c, s, other = beta * v[n * t->stride + middle + 1];
    z[middle] = NAME(rotation)(z[middle], other, &c, &s);
    NAME(row_rotate)(n + 1, v + middle * t->stride, v + n * t->stride, c, s);
  }
  return most;
}

// Two parts and the row between them into one.
static void NAME(bidiagonal_merge)(const NAME(divide_task) * t, int64_t lo, int64_t n, bool extra) {
  int64_t middle = n / 2;
  REAL *d = t->d + lo, *u = t->u + lo * t->stride + lo, *v = t->v + lo * t->stride + lo;
  REAL *z = t->vector, alpha = d[middle], beta = t->e[lo + middle];
  int32_t *order = t->order + lo;
  // What is negligible next to the whole matrix is so here, too: then squares do not underflow.
  REAL most = 8 * NAME(bidiagonal_middle)(t, n, middle, extra, alpha, beta, d, v);
  REAL least = REAL_EPSILON * (most > 1 ? most : 1);
  if (ABS(z[middle]) <= least)
    z[middle] = z[middle] < 0 ? -least : least;
  d[middle] = 0;
  gjl_divide_rows rows = NAME(divide_begin)(t, d, order, n, middle, middle + 1);
  NAME(bidiagonal_deflate)(t, n, middle, extra, least, d, u, v, &rows);
  NAME(divide_poles)(t, &rows, d);
  int64_t k = rows.kept;
  if (k > 1 && t->poles[1] < least / 2)
    t->poles[1] = least / 2;
  NAME(secular_solve)
  (k, t->poles, true, t->kept, 1, t->s, t->stride, t->roots, t->origins, t->work);
  NAME(divide_positions)(&rows, t->side);
  NAME(divide_vectors)(t, &rows);
  rows.left_columns = middle + 1;
  rows.right_from = middle + 1;
  rows.columns = n + extra;
  NAME(divide_product)(t, &rows, -1, v);
  NAME(bidiagonal_left)(t, &rows);
  rows.left_columns = middle;
  rows.columns = n;
  NAME(divide_product)(t, &rows, middle, u);
  for (int64_t j = 0; j < k; j++)
    u[j * t->stride + middle] = t->s[j * t->stride + rows.position[0]];
  for (int64_t i = 0; i < k; i++) {
    REAL pole = t->poles[t->origins[i]];
    z[i] = SQRT(pole * pole + t->roots[i]);
  }
  NAME(divide_end)(t, &rows, d, order);
}

// A part that is not divided. An extra column is rotated into the others first, from the last.
static bool NAME(bidiagonal_leaf)(const NAME(divide_task) * t, int64_t lo, int64_t n, bool extra) {
  REAL *d = t->d + lo, *e = t->e + lo;
  REAL *u = t->u + lo * t->stride + lo, *v = t->v + lo * t->stride + lo;
  for (int64_t i = 0; i < n + extra; i++) {
    v[i * t->stride + i] = 1;
    if (i < n) {
      u[i * t->stride + i] = 1;
      t->order[lo + i] = (int32_t)i;
    }
  }
  REAL beyond = extra && n ? e[n - 1] : 0;
  for (int64_t i = n - 1; i >= 0 && beyond != 0; i--) {
    REAL c, s;
    d[i] = NAME(rotation)(d[i], beyond, &c, &s);
    NAME(row_rotate)(n + 1, v + i * t->stride, v + n * t->stride, c, s);
    if (i) {
      beyond = -s * e[i - 1];
      e[i - 1] *= c;
    }
  }
  bool done = NAME(bidiagonal_qr)(n, d, e, u, v, t->stride, NAME(row_padded)(n + extra));
  NAME(divide_sort)(n, d, t->order + lo);
  return done;
}

static bool NAME(bidiagonal_part)(const NAME(divide_task) * t, int64_t lo, int64_t n, bool extra) {
  if (n <= DIVIDE_LEAF)
    return NAME(bidiagonal_leaf)(t, lo, n, extra);
  int64_t middle = n / 2;
  if (!NAME(bidiagonal_part)(t, lo, middle, true) ||
      !NAME(bidiagonal_part)(t, lo + middle + 1, n - middle - 1, extra))
    return false;
  NAME(bidiagonal_merge)(t, lo, n, extra);
  return true;
}

// Singular values, in d, of the upper bidiagonal matrix of d and e, which is scaled to about 1, and
// singular vectors, left ones as rows of u, right ones as rows of v; `order` gets the indexes of
// all in ascending order. e is lost. s: as large as u and v, n rows; aside: n² elements; work: 11
// rows. Whether it converged.
bool NAME(bidiagonal_divide)(int64_t n, REAL *d, REAL *e, REAL *u, REAL *v, REAL *s, int64_t stride,
                             int32_t *order, REAL *aside, REAL *work, REAL *pack) {
  NAME(divide_task) t = NAME(divide_start)(d, e, u, v, s, stride, order, aside, work, pack);
  for (int64_t i = 0; i < n; i++) {
    NAME(row_clear)(stride, u + i * stride);
    NAME(row_clear)(stride, v + i * stride);
  }
  return NAME(bidiagonal_part)(&t, 0, n, false);
}
