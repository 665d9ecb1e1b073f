// The template of tridiagonal_ql.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/spectral/stages.h"

// Rows of z that a rotation takes together, `columns` long, padded.
static inline void NAME(ql_rotate)(int64_t columns, REAL *z, int64_t stride, REAL c, REAL s) {
  NAME(row_rotate)(columns, z + stride, z, c, s);
}

// The first m ≥ l with a negligible e[m], where e[n − 1] counts as such.
static inline int64_t NAME(ql_split)(int64_t l, int64_t n, const REAL *d, const REAL *e,
                                     REAL least) {
  int64_t m = l;
  REAL here = ABS(d[l]);
  while (m < n - 1) {
    REAL size = ABS(e[m]), next = ABS(d[m + 1]);
    if (size <= REAL_EPSILON / 2 * (here + next) || size <= least)
      break;
    here = next;
    m++;
  }
  return m;
}

// The block of rows l and l + 1, in one rotation (LAPACK: dlaev2).
static inline void NAME(ql_pair)(REAL *d, REAL *e, REAL *z, int64_t stride, int64_t columns) {
  REAL half = (d[1] - d[0]) / 2, off = e[0], c, s;
  REAL root = SQRT(half * half + off * off);
  REAL t = off / (half >= 0 ? half + root : half - root);
  c = 1 / SQRT(t * t + 1);
  s = t * c;
  d[0] -= t * off;
  d[1] += t * off;
  e[0] = 0;
  NAME(ql_rotate)(columns, z, stride, c, s);
}

// d, e: n diagonal elements and n − 1 beside them, of a matrix that is scaled to about 1; e is
// lost, and has n elements. d becomes the eigenvalues, unsorted; rows of z, n of `columns`
// elements, padded, are rotated along. Whether it converged.
bool NAME(tridiagonal_ql)(int64_t n, REAL *d, REAL *e, REAL *z, int64_t stride, int64_t columns) {
  REAL least = REAL_EPSILON * REAL_EPSILON;
  int64_t left = 30 * n;
  for (int64_t l = 0; l < n;) {
    int64_t m = NAME(ql_split)(l, n, d, e, least);
    if (m == l) {
      l++;
      continue;
    }
    if (m == l + 1) {
      NAME(ql_pair)(d + l, e + l, z + l * stride, stride, columns);
      l += 2;
      continue;
    }
    if (left-- == 0)
      return false;
    REAL half = (d[l + 1] - d[l]) / 2, root = SQRT(half * half + e[l] * e[l]);
    REAL g = d[m] - d[l] + e[l] * e[l] / (half >= 0 ? half + root : half - root);
    // What hangs on the step before is kept free of roots: s_square is s² without one, so the root
    // of a step is computed beside the quotient of the next.
    REAL s = 1, c = 1, p = 0, s_square = 1;
    int64_t i = m - 1;
    for (; i >= l; i--) {
      REAL f = s * e[i], b = c * e[i], f_square = s_square * (e[i] * e[i]);
      // Underflow: as its rounding errors would come back where g is small, too, s is squared then.
      bool tiny = f_square < REAL_LEAST / REAL_EPSILON;
      if (__builtin_expect(tiny, 0))
        f_square = f * f;
      REAL square = f_square + g * g;
      if (square < REAL_LEAST / REAL_EPSILON) { // f and g are as good as 0
        d[i + 1] -= p;
        e[i + 1] = 0;
        e[i] = b;
        break;
      }
      REAL inverse = 1 / square, h = d[i + 1] - p, u = (d[i] - h) * f + 2 * (g * b);
      REAL r = SQRT(square);
      u *= inverse;
      p = u * f;
      d[i + 1] = h + p;
      e[i + 1] = r;
      s_square = f_square * inverse;
      inverse *= r;
      s = f * inverse;
      c = g * inverse;
      if (__builtin_expect(tiny, 0))
        s_square = s * s;
      g = g * u - b;
      // c² + s² is 1 but for a few roundings, which would add up; so a step of Newton's method.
      REAL unit = (REAL)1.5 - (REAL)0.5 * (c * c + s * s);
      NAME(ql_rotate)(columns, z + i * stride, stride, c * unit, s * unit);
    }
    if (i < l) {
      d[l] -= p;
      e[l] = g;
    }
    e[m] = 0;
  }
  return true;
}
