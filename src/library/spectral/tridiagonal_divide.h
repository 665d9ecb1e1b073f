// The template of tridiagonal_divide.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/stages.h"

#include "library/spectral/divide.h"

// What merges take along; arrays have n elements and a padding.
typedef struct NAME(tridiagonal_task) {
  REAL *d, *e, *z, *s, *aside, *pack;
  int64_t stride;
  int32_t *order; // of the rows of a part, relative to its first row, by d
  REAL *vector, *poles, *kept, *roots, *work;
  int32_t *sorted, *row, *position, *drop, *origins;
  uint8_t *side;
} NAME(tridiagonal_task);

// Decides what rows of lo … hi stay: those with a negligible part of the change, and one of two
// rows with the same eigenvalue, after a rotation (LAPACK: dlaed2). Lists of kept and of dropped
// rows ascend, but for what rotations change.
static void NAME(tridiagonal_deflate)(const NAME(tridiagonal_task) * t, int64_t lo, int64_t n,
                                      REAL rho, gjl_divide_rows *rows) {
  REAL *d = t->d + lo, *z = t->vector, most = 0;
  for (int64_t i = 0; i < n; i++) {
    most = ABS(d[i]) > most ? ABS(d[i]) : most;
    most = ABS(z[i]) > most ? ABS(z[i]) : most;
  }
  REAL least = 4 * REAL_EPSILON * most;
  int64_t previous = -1, kept = 0, dropped = 0;
  for (int64_t i = 0; i < n; i++) {
    int32_t at = t->sorted[i];
    if (rho * ABS(z[at]) <= least) {
      rows->drop[dropped++] = at;
      continue;
    }
    if (previous < 0) {
      previous = at;
      continue;
    }
    REAL r = SQRT(z[at] * z[at] + z[previous] * z[previous]), apart = d[at] - d[previous];
    REAL c = z[at] / r, s = z[previous] / r;
    if (ABS(apart * c * s) <= least) {
      REAL *of = t->z + lo * t->stride + lo;
      NAME(row_rotate)(n, of + at * t->stride, of + previous * t->stride, c, s);
      z[at] = r;
      d[at] -= s * s * apart;
      d[previous] += s * s * apart;
      if (t->side[at] != t->side[previous])
        t->side[at] = GJL_BOTH;
      rows->drop[dropped++] = (int32_t)previous;
    } else {
      rows->row[kept++] = (int32_t)previous;
    }
    previous = at;
  }
  if (previous >= 0)
    rows->row[kept++] = (int32_t)previous;
  rows->kept = kept;
  rows->dropped = dropped;
}

// Vectors of the merge, by positions, from differences of poles and eigenvalues, in place.
static void NAME(tridiagonal_vectors)(const NAME(tridiagonal_task) * t,
                                      const gjl_divide_rows *rows) {
  int64_t k = rows->kept, padded = NAME(row_padded)(k);
  for (int64_t j = 0; j < k; j++) {
    REAL *row = t->s + j * t->stride;
    for (int64_t i = 0; i < padded; i += LANES)
      NAME(row_store)(t->work + i, NAME(row_load)(t->kept + i) / NAME(row_load)(row + i));
    REAL factor = 1 / SQRT(NAME(row_dot)(padded, t->work, t->work));
    for (int64_t i = 0; i < k; i++)
      row[rows->position[i]] = t->work[i] * factor;
  }
}

// Two parts, of which rows of z are eigenvectors, into one.
static void NAME(tridiagonal_merge)(const NAME(tridiagonal_task) * t, int64_t lo, int64_t mid,
                                    int64_t hi) {
  int64_t n = hi - lo, half = mid - lo;
  REAL *d = t->d + lo, *z = t->z + lo * t->stride + lo, beside = t->e[mid - 1];
  int32_t *order = t->order + lo;
  REAL rho = 2 * ABS(beside), unit = (REAL)0.70710678118654752440;
  for (int64_t i = 0; i < n; i++) {
    t->vector[i] =
        z[i * t->stride + (i < half ? half - 1 : half)] * (i < half || beside > 0 ? unit : -unit);
    t->side[i] = i < half ? GJL_LEFT : GJL_RIGHT;
  }
  for (int64_t i = half; i < n; i++)
    order[i] += (int32_t)half;
  NAME(divide_merge_orders)(d, half, order, n - half, order + half, t->sorted);
  gjl_divide_rows rows = {.row = t->row,
                          .position = t->position,
                          .drop = t->drop,
                          .left_columns = half,
                          .right_from = half,
                          .columns = n};
  NAME(tridiagonal_deflate)(t, lo, n, rho, &rows);
  NAME(divide_sort)(rows.dropped, d, rows.drop);
  int64_t k = rows.kept;
  for (int64_t i = 0; i < k; i++) {
    t->poles[i] = d[rows.row[i]];
    t->kept[i] = t->vector[rows.row[i]];
  }
  if (k) {
    NAME(secular_solve)
    (k, t->poles, false, t->kept, rho, t->s, t->stride, t->roots, t->origins, t->work);
    NAME(divide_positions)(&rows, t->side);
    NAME(tridiagonal_vectors)(t, &rows);
    NAME(divide_product)(&rows, -1, t->s, t->stride, z, t->stride, t->aside, t->pack);
  } else {
    // All rows stay where they are.
    for (int64_t i = 0; i < n; i++)
      order[i] = rows.drop[i];
    return;
  }
  for (int64_t i = 0; i < rows.dropped; i++)
    t->vector[k + i] = d[rows.drop[i]];
  for (int64_t i = 0; i < k; i++)
    t->vector[i] = t->poles[t->origins[i]] + t->roots[i];
  for (int64_t i = 0; i < n; i++) {
    d[i] = t->vector[i];
    t->sorted[i] = (int32_t)i;
  }
  NAME(divide_merge_orders)(d, k, t->sorted, n - k, t->sorted + k, order);
}

static bool NAME(tridiagonal_part)(const NAME(tridiagonal_task) * t, int64_t lo, int64_t hi) {
  int64_t n = hi - lo;
  if (n <= DIVIDE_LEAF) {
    REAL *z = t->z + lo * t->stride + lo;
    for (int64_t i = 0; i < n; i++) {
      z[i * t->stride + i] = 1;
      t->order[lo + i] = (int32_t)i;
    }
    bool done = NAME(tridiagonal_ql)(n, t->d + lo, t->e + lo, z, t->stride, NAME(row_padded)(n));
    NAME(divide_sort)(n, t->d + lo, t->order + lo);
    return done;
  }
  int64_t mid = lo + n / 2;
  REAL size = ABS(t->e[mid - 1]), kept = t->e[mid - 1];
  t->d[mid - 1] -= size;
  t->d[mid] -= size;
  bool done = NAME(tridiagonal_part)(t, lo, mid) && NAME(tridiagonal_part)(t, mid, hi);
  if (!done)
    return false;
  t->e[mid - 1] = kept;
  NAME(tridiagonal_merge)(t, lo, mid, hi);
  return true;
}

// Eigenvalues, in d, of the tridiagonal matrix of d and e, which is scaled to about 1, and
// eigenvectors, rows of z; `order` gets the indexes of both in ascending order. e is lost. s: as
// large as z, n rows; aside: n² elements; work: 11 rows. Whether it converged.
bool NAME(tridiagonal_divide)(int64_t n, REAL *d, REAL *e, REAL *z, REAL *s, int64_t stride,
                              int32_t *order, REAL *aside, REAL *work, REAL *pack) {
  NAME(tridiagonal_task)
  t = {.d = d, .e = e, .z = z, .s = s, .aside = aside, .pack = pack, .stride = stride};
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
  for (int64_t i = 0; i < n; i++)
    NAME(row_clear)(stride, z + i * stride);
  return NAME(tridiagonal_part)(&t, 0, n);
}
