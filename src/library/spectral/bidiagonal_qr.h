// The template of bidiagonal_qr.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/spectral/stages.h"

// The lesser singular value of the upper triangle (f, g; 0, h) (LAPACK: dlas2).
static inline REAL NAME(qr_shift)(REAL f, REAL g, REAL h) {
  f = ABS(f);
  g = ABS(g);
  h = ABS(h);
  REAL least = f < h ? f : h, most = f < h ? h : f;
  if (least == 0)
    return 0;
  if (g < most) {
    REAL sum = 1 + least / most, difference = (most - least) / most, square = g / most * (g / most);
    return least * (2 / (SQRT(sum * sum + square) + SQRT(difference * difference + square)));
  }
  REAL ratio = most / g, sum = 1 + least / most, difference = (most - least) / most;
  REAL first = sum * ratio, second = difference * ratio;
  return 2 * (least * (1 / (SQRT(1 + first * first) + SQRT(1 + second * second)))) * ratio;
}

// Both rotations of step i of a sweep, of columns by (c[0], s[0]) and of rows by (c[1], s[1]).
// *f and *g are what the first is to be of, and become that of the next step; returns the length
// of (*f, *g). Common factors are left out at first, so that the roots do not wait for each other.
static inline REAL NAME(qr_step)(REAL *d, const REAL *e, bool last, REAL *f, REAL *g, REAL *c,
                                 REAL *s, REAL *next_e) {
  REAL a = *f * d[0] + *g * e[0], b = *g * d[1];
  REAL along = *f * e[0] - *g * d[0], below = *f * d[1];
  REAL square = *f * *f + *g * *g, square_2 = a * a + b * b;
  if (square < REAL_LEAST / REAL_EPSILON || square_2 < REAL_LEAST / REAL_EPSILON) {
    REAL r = NAME(rotation)(*f, *g, c, s);
    a = c[0] * d[0] + s[0] * e[0];
    along = c[0] * e[0] - s[0] * d[0];
    b = s[0] * d[1];
    below = c[0] * d[1];
    d[0] = NAME(rotation)(a, b, c + 1, s + 1);
    *f = c[1] * along + s[1] * below;
    d[1] = c[1] * below - s[1] * along;
    *g = last ? 0 : s[1] * e[1];
    *next_e = last ? 0 : c[1] * e[1];
    return r;
  }
  REAL r = SQRT(square), r_2 = SQRT(square_2), inverse = 1 / square, inverse_2 = 1 / square_2;
  inverse *= r;
  inverse_2 *= r_2;
  REAL both = inverse * inverse_2, next_f = along * a + below * b, next_d = below * a - along * b;
  c[0] = *f * inverse;
  s[0] = *g * inverse;
  c[1] = a * inverse_2;
  s[1] = b * inverse_2;
  d[0] = r_2 * inverse;
  d[1] = next_d * both;
  *f = next_f * both;
  *g = last ? 0 : s[1] * e[1];
  *next_e = last ? 0 : c[1] * e[1];
  return r;
}

// A sweep over rows l … m with a shift.
static void NAME(qr_sweep)(int64_t l, int64_t m, REAL shift, REAL *d, REAL *e, REAL *u, REAL *v,
                           int64_t stride, int64_t columns) {
  REAL f = (ABS(d[l]) - shift) * ((d[l] > 0 ? 1 : -1) + shift / d[l]), g = e[l], c[2], s[2];
  for (int64_t i = l; i < m; i++) {
    REAL next_e, r = NAME(qr_step)(d + i, e + i, i == m - 1, &f, &g, c, s, &next_e);
    if (i > l)
      e[i - 1] = r;
    if (i < m - 1)
      e[i + 1] = next_e;
    NAME(row_rotate)(columns, v + i * stride, v + (i + 1) * stride, c[0], s[0]);
    NAME(row_rotate)(columns, u + i * stride, u + (i + 1) * stride, c[1], s[1]);
  }
  e[m - 1] = f;
}

// A sweep without a shift, which keeps small values and takes a zero of the diagonal to its end.
static void NAME(qr_sweep_zero)(int64_t l, int64_t m, REAL *d, REAL *e, REAL *u, REAL *v,
                                int64_t stride, int64_t columns) {
  REAL c = 1, s = 0, old_c = 1, old_s = 0;
  for (int64_t i = l; i < m; i++) {
    REAL r = NAME(rotation)(d[i] * c, e[i], &c, &s);
    if (i > l)
      e[i - 1] = old_s * r;
    NAME(row_rotate)(columns, v + i * stride, v + (i + 1) * stride, c, s);
    d[i] = NAME(rotation)(old_c * r, d[i + 1] * s, &old_c, &old_s);
    NAME(row_rotate)(columns, u + i * stride, u + (i + 1) * stride, old_c, old_s);
  }
  REAL h = d[m] * c;
  d[m] = h * old_c;
  e[m - 1] = h * old_s;
}

// d, e: n diagonal elements and n − 1 above them, of a matrix that is scaled to about 1,
// or of a part of one, so that what is negligible next to 1 is so here; e is lost.
// d becomes the singular values, ≥ 0, unsorted. Rows of u and v, n of `columns` elements, padded,
// are rotated along. Whether it converged.
bool NAME(bidiagonal_qr)(int64_t n, REAL *d, REAL *e, REAL *u, REAL *v, int64_t stride,
                         int64_t columns) {
  REAL norm = 1;
  for (int64_t i = 0; i < n; i++) {
    REAL size = ABS(d[i]);
    norm = size > norm ? size : norm;
    size = i < n - 1 ? ABS(e[i]) : 0;
    norm = size > norm ? size : norm;
  }
  REAL least = REAL_EPSILON / 16 * norm;
  int64_t left = 30 * n;
  for (int64_t m = n - 1; m > 0;) {
    int64_t l = m;
    REAL here = ABS(d[m]);
    bool singular = here <= least;
    while (l > 0) {
      REAL size = ABS(e[l - 1]), next = ABS(d[l - 1]);
      // A few roundings of the diagonal are left beside it where values are about equal.
      if (size <= least || size <= 2 * REAL_EPSILON * (next + here))
        break;
      here = next;
      singular = singular || here <= least;
      l--;
    }
    if (l == m) {
      m--;
      continue;
    }
    if (left-- == 0)
      return false;
    REAL shift = singular ? 0 : NAME(qr_shift)(d[m - 1], e[m - 1], d[m]);
    if (singular) {
      for (int64_t i = l; i <= m; i++)
        d[i] = ABS(d[i]) <= least ? 0 : d[i];
    } else {
      REAL ratio = shift / d[l];
      shift = ratio * ratio < REAL_EPSILON ? 0 : shift;
    }
    if (shift == 0)
      NAME(qr_sweep_zero)(l, m, d, e, u, v, stride, columns);
    else
      NAME(qr_sweep)(l, m, shift, d, e, u, v, stride, columns);
  }
  for (int64_t i = 0; i < n; i++)
    if (d[i] < 0) {
      d[i] = -d[i];
      NAME(row_scale)(columns, -1, v + i * stride);
    }
  return true;
}
