// The template of tridiagonal_divide.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/stages.h"

#include "library/spectral/divide.h"

// Decides what rows stay, of n from lo on: those with a negligible part of the change, and one of
// two rows with the same eigenvalue, after a rotation (LAPACK: dlaed2). Lists of kept and of
// dropped rows ascend, but for what rotations change.
static void NAME(tridiagonal_deflate)(const NAME(divide_task) * t, int64_t lo, int64_t n, REAL rho,
                                      gjl_divide_rows *rows) {
  REAL *d = t->d + lo, *z = t->vector, most = 0;
  for (int64_t i = 0; i < n; i++) {
    most = ABS(d[i]) > most ? ABS(d[i]) : most;
    most = ABS(z[i]) > most ? ABS(z[i]) : most;
  }
  REAL least = 4 * REAL_EPSILON * most;
  int64_t previous = -1;
  for (int64_t i = 0; i < n; i++) {
    int32_t at = t->sorted[i];
    if (rho * ABS(z[at]) <= least) {
      rows->drop[rows->dropped++] = at;
      continue;
    }
    if (previous < 0) {
      previous = at;
      continue;
    }
    REAL r = SQRT(z[at] * z[at] + z[previous] * z[previous]), apart = d[at] - d[previous];
    REAL c = z[at] / r, s = z[previous] / r;
    if (ABS(apart * c * s) <= least) {
      REAL *of = t->v + lo * t->stride + lo;
      NAME(row_rotate)(n, of + at * t->stride, of + previous * t->stride, c, s);
      d[at] -= s * s * apart;
      d[previous] += s * s * apart;
      NAME(divide_drop)(t, rows, previous, at, r);
    } else {
      rows->row[rows->kept++] = (int32_t)previous;
    }
    previous = at;
  }
  if (previous >= 0)
    rows->row[rows->kept++] = (int32_t)previous;
}

// Two parts, of which rows of z are eigenvectors, into one.
static void NAME(tridiagonal_merge)(const NAME(divide_task) * t, int64_t lo, int64_t mid,
                                    int64_t hi) {
  int64_t n = hi - lo, half = mid - lo;
  REAL *d = t->d + lo, *z = t->v + lo * t->stride + lo, beside = t->e[mid - 1];
  int32_t *order = t->order + lo;
  REAL rho = 2 * ABS(beside), unit = (REAL)0.70710678118654752440;
  for (int64_t i = 0; i < n; i++) {
    t->vector[i] =
        z[i * t->stride + (i < half ? half - 1 : half)] * (i < half || beside > 0 ? unit : -unit);
    t->side[i] = i < half ? GJL_LEFT : GJL_RIGHT;
  }
  gjl_divide_rows rows = NAME(divide_begin)(t, d, order, n, half, half);
  NAME(tridiagonal_deflate)(t, lo, n, rho, &rows);
  NAME(divide_poles)(t, &rows, d);
  int64_t k = rows.kept;
  if (k == 0) { // all rows stay where they are
    for (int64_t i = 0; i < n; i++)
      order[i] = rows.drop[i];
    return;
  }
  NAME(secular_solve)
  (k, t->poles, false, t->kept, rho, t->s, t->stride, t->roots, t->origins, t->work);
  NAME(divide_positions)(&rows, t->side);
  NAME(divide_vectors)(t, &rows);
  rows.left_columns = rows.right_from = half;
  rows.columns = n;
  NAME(divide_product)(t, &rows, -1, z);
  for (int64_t i = 0; i < k; i++)
    t->vector[i] = t->poles[t->origins[i]] + t->roots[i];
  NAME(divide_end)(t, &rows, d, order);
}

static bool NAME(tridiagonal_part)(const NAME(divide_task) * t, int64_t lo, int64_t hi) {
  int64_t n = hi - lo;
  if (n <= DIVIDE_LEAF) {
    REAL *z = t->v + lo * t->stride + lo;
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
  NAME(divide_task) t = NAME(divide_start)(d, e, NULL, z, s, stride, order, aside, work, pack);
  for (int64_t i = 0; i < n; i++)
    NAME(row_clear)(stride, z + i * stride);
  return NAME(tridiagonal_part)(&t, 0, n);
}
