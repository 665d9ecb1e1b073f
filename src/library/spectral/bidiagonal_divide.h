// The template of bidiagonal_divide.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/stages.h"

#include "library/spectral/divide.h"

// What merges take along; arrays have n elements and a padding.
typedef struct NAME(bidiagonal_task) {
  REAL *d, *e, *u, *v, *s, *aside, *pack;
  int64_t stride;
  int32_t *order; // of the rows of a part, relative to its first row, by d
  REAL *vector, *poles, *kept, *roots, *work;
  int32_t *sorted, *row, *position, *drop, *origins;
  uint8_t *side;
} NAME(bidiagonal_task);

// Decides what rows stay, as for eigenvalues (LAPACK: dlasd2); the middle row, whose value is 0, is
// always the first of those kept. sorted: all others by d.
static void NAME(bidiagonal_deflate)(const NAME(bidiagonal_task) * t, int64_t n, int64_t middle,
                                     bool extra, REAL least, REAL *d, REAL *u, REAL *v,
                                     gjl_divide_rows *rows) {
  REAL *z = t->vector;
  int64_t previous = middle, kept = 0, dropped = 0;
  for (int64_t i = 0; i < n - 1; i++) {
    int32_t at = t->sorted[i];
    if (ABS(z[at]) <= least) {
      rows->drop[dropped++] = at;
      continue;
    }
    if (previous != middle && d[at] - d[previous] <= least) {
      REAL r = SQRT(z[at] * z[at] + z[previous] * z[previous]);
      REAL c = z[at] / r, s = z[previous] / r;
      NAME(row_rotate)(n, u + at * t->stride, u + previous * t->stride, c, s);
      NAME(row_rotate)(n + extra, v + at * t->stride, v + previous * t->stride, c, s);
      z[at] = r;
      if (t->side[at] != t->side[previous])
        t->side[at] = GJL_BOTH;
      rows->drop[dropped++] = (int32_t)previous;
    } else {
      rows->row[kept++] = (int32_t)previous;
    }
    previous = at;
  }
  rows->row[kept++] = (int32_t)previous;
  rows->kept = kept;
  rows->dropped = dropped;
}

// Right vectors of the merge, by positions, from differences of squares of poles and values, in
// place; t->vector[j] becomes what vector j was multiplied with.
static void NAME(bidiagonal_right)(const NAME(bidiagonal_task) * t, const gjl_divide_rows *rows) {
  int64_t k = rows->kept, padded = NAME(row_padded)(k);
  for (int64_t j = 0; j < k; j++) {
    REAL *row = t->s + j * t->stride;
    for (int64_t i = 0; i < padded; i += LANES)
      NAME(row_store)(t->work + i, NAME(row_load)(t->kept + i) / NAME(row_load)(row + i));
    REAL factor = 1 / SQRT(NAME(row_dot)(padded, t->work, t->work));
    t->vector[j] = factor;
    for (int64_t i = 0; i < k; i++)
      row[rows->position[i]] = t->work[i] * factor;
  }
}

// Left vectors from right ones: the element of pole d times d, but -1 for the middle row; the
// middle column of u has nothing else.
static void NAME(bidiagonal_left)(const NAME(bidiagonal_task) * t, const gjl_divide_rows *rows) {
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
static REAL NAME(bidiagonal_middle)(const NAME(bidiagonal_task) * t, int64_t n, int64_t middle,
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
static void NAME(bidiagonal_merge)(const NAME(bidiagonal_task) * t, int64_t lo, int64_t n,
                                   bool extra) {
  int64_t middle = n / 2, k;
  REAL *d = t->d + lo, *u = t->u + lo * t->stride + lo, *v = t->v + lo * t->stride + lo;
  REAL *z = t->vector, alpha = d[middle], beta = t->e[lo + middle];
  int32_t *order = t->order + lo;
  // What is negligible next to the whole matrix is so here, too: then squares do not underflow.
  REAL most = 8 * NAME(bidiagonal_middle)(t, n, middle, extra, alpha, beta, d, v);
  REAL least = REAL_EPSILON * (most > 1 ? most : 1);
  if (ABS(z[middle]) <= least)
    z[middle] = z[middle] < 0 ? -least : least;
  d[middle] = 0;
  for (int64_t i = middle + 1; i < n; i++)
    order[i] += (int32_t)middle + 1;
  NAME(divide_merge_orders)(d, middle, order, n - middle - 1, order + middle + 1, t->sorted);
  gjl_divide_rows rows = {.row = t->row, .position = t->position, .drop = t->drop};
  NAME(bidiagonal_deflate)(t, n, middle, extra, least, d, u, v, &rows);
  NAME(divide_sort)(rows.dropped, d, rows.drop);
  k = rows.kept;
  for (int64_t i = 0; i < k; i++) {
    t->poles[i] = d[rows.row[i]];
    t->kept[i] = z[rows.row[i]];
  }
  if (k > 1 && t->poles[1] < least / 2)
    t->poles[1] = least / 2;
  NAME(secular_solve)
  (k, t->poles, true, t->kept, 1, t->s, t->stride, t->roots, t->origins, t->work);
  NAME(divide_positions)(&rows, t->side);
  NAME(bidiagonal_right)(t, &rows);
  rows.left_columns = middle + 1;
  rows.right_from = middle + 1;
  rows.columns = n + extra;
  NAME(divide_product)(&rows, -1, t->s, t->stride, v, t->stride, t->aside, t->pack);
  NAME(bidiagonal_left)(t, &rows);
  rows.left_columns = middle;
  rows.columns = n;
  NAME(divide_product)(&rows, middle, t->s, t->stride, u, t->stride, t->aside, t->pack);
  for (int64_t j = 0; j < k; j++)
    u[j * t->stride + middle] = t->s[j * t->stride + rows.position[0]];
  for (int64_t i = 0; i < rows.dropped; i++)
    z[k + i] = d[rows.drop[i]];
  for (int64_t i = 0; i < k; i++) {
    REAL pole = t->poles[t->origins[i]];
    z[i] = SQRT(pole * pole + t->roots[i]);
  }
  for (int64_t i = 0; i < n; i++) {
    d[i] = z[i];
    t->sorted[i] = (int32_t)i;
  }
  NAME(divide_merge_orders)(d, k, t->sorted, n - k, t->sorted + k, order);
}

// A part that is not divided. An extra column is rotated into the others first, from the last.
static bool NAME(bidiagonal_leaf)(const NAME(bidiagonal_task) * t, int64_t lo, int64_t n,
                                  bool extra) {
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

static bool NAME(bidiagonal_part)(const NAME(bidiagonal_task) * t, int64_t lo, int64_t n,
                                  bool extra) {
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
  NAME(bidiagonal_task)
  t = {.d = d, .e = e, .u = u, .v = v, .s = s, .aside = aside, .pack = pack, .stride = stride};
  t.order = order;
  t.vector = work;
  t.poles = work + stride;
  t.kept = work + 2 * stride;
  t.roots = work + 3 * stride;
  t.work = work + 4 * stride;
  t.sorted = (int32_t *)(void *)(work + 5 * stride);
  t.row = (int32_t *)(void *)(work + 6 * stride);
  t.position = (int32_t *)(void *)(work + 7 * stride);
  t.drop = (int32_t *)(void *)(work + 8 * stride);
  t.origins = (int32_t *)(void *)(work + 9 * stride);
  t.side = (uint8_t *)(void *)(work + 10 * stride);
  for (int64_t i = 0; i < n; i++) {
    NAME(row_clear)(stride, u + i * stride);
    NAME(row_clear)(stride, v + i * stride);
  }
  return NAME(bidiagonal_part)(&t, 0, n, false);
}
