// The template of bidiagonal.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/householder.h"
#include "library/spectral/stages.h"

// Changes of a panel that w has not had yet: w − of_columns · of_rows. Change 2p is of the p-th
// reflector of a row, which is row 2p of of_rows; change 2p + 1 that of a column, which is column
// 2p + 1 of of_columns.
typedef struct NAME(bidiagonal_panel) {
  REAL *of_columns; // n × 2·REFLECTORS
  REAL *of_rows;    // 2·REFLECTORS × n
  REAL *sum;        // a row
} NAME(bidiagonal_panel);

enum { NAME(CHANGES) = 2 * REFLECTORS };

// Row r of w after reflector x of row i, as far as it matters here: its element of column i is
// returned and is change `count` of row r. `times_x` is row r times x, by_x and by_column are the
// changes times x and their elements of column i.
static inline REAL NAME(bidiagonal_column)(REAL element, REAL times_x, REAL tau, int64_t count,
                                           const REAL *by_x, const REAL *by_column, REAL *changes) {
  REAL change = 0, at_x = 0;
  int64_t padded = NAME(row_padded)(count);
  VECTOR s0 = {0}, s1 = {0};
  for (int64_t q = 0; q < padded; q += LANES) {
    VECTOR x = NAME(row_load)(changes + q);
    s0 += x * NAME(row_load)(by_x + q);
    s1 += x * NAME(row_load)(by_column + q);
  }
  at_x = NAME(row_sum)(s0);
  change = NAME(row_sum)(s1);
  REAL b = tau * (times_x - at_x);
  changes[count] = b;
  return element - change - b;
}

// Column i below the diagonal after the reflector x of row i, which begins with a 1 at i and has
// `length` elements, into column i + 1 … of `column`; sum becomes the rows of w below i, from
// column i on, each times its element of that column. So w is read once for both reflectors
// (Howell, Demmel, Fulton, Hammarling and Marmol, "Cache efficient bidiagonalization", 2008).
static void NAME(bidiagonal_pass)(int64_t n, int64_t i, int64_t count, REAL tau, const REAL *x,
                                  const REAL *by_x, const REAL *by_column, const REAL *w,
                                  int64_t stride, const NAME(bidiagonal_panel) * panel,
                                  REAL *column) {
  int64_t length = NAME(row_padded)(n - i), r = i + 1;
  REAL *sum = panel->sum, dots[4], factors[4];
  NAME(row_clear)(length, sum);
  for (; r < n; r += 4) {
    const REAL *rows = w + r * stride + i;
    int64_t some = n - r < 4 ? n - r : 4;
    NAME(row_dots)(some, length, rows, stride, x, dots);
    for (int64_t q = 0; q < some; q++)
      column[r + q] = factors[q] =
          NAME(bidiagonal_column)(rows[q * stride], dots[q], tau, count, by_x, by_column,
                                  panel->of_columns + (r + q) * NAME(CHANGES));
    NAME(row_combine_add)(some, length, factors, rows, stride, sum);
  }
}

// Rows and columns `first` … of w, `count` of them.
static void NAME(bidiagonal_reduce)(int64_t n, int64_t first, int64_t count, REAL *w,
                                    int64_t stride, REAL *d, REAL *e, REAL *tau_x, REAL *tau_y,
                                    const NAME(bidiagonal_panel) * panel, REAL *column) {
  REAL by_x[NAME(CHANGES) + LANES], by_column[NAME(CHANGES) + LANES];
  for (int64_t p = 0; p < count; p++) {
    int64_t i = first + p, length = NAME(row_padded)(n - i);
    REAL *row = w + i * stride + i, *x = panel->of_rows + 2 * p * stride + i, factor;
    for (int64_t q = 0; q < NAME(CHANGES) + LANES; q++)
      by_x[q] = by_column[q] = q < 2 * p ? -panel->of_columns[i * NAME(CHANGES) + q] : 0;
    NAME(row_combine_add)(2 * p, length, by_x, panel->of_rows + i, stride, row);
    REAL alpha = row[0];
    row[0] = 0;
    tau_x[i] = NAME(reflector)(alpha, NAME(row_dot)(length, row, row), &factor, &d[i]);
    tau_y[i] = 0;
    e[i] = 0;
    NAME(row_scale)(length, factor, row);
    row[0] = 1;
    NAME(row_copy)(length, row, x);
    if (i == n - 1)
      return;
    NAME(row_dots)(2 * p, length, panel->of_rows + i, stride, x, by_x);
    for (int64_t q = 0; q < 2 * p; q++)
      by_column[q] = panel->of_rows[q * stride + i];
    for (int64_t q = 2 * p; q < NAME(CHANGES); q++)
      by_x[q] = by_column[q] = 0;
    NAME(bidiagonal_pass)(n, i, 2 * p, tau_x[i], x, by_x, by_column, w, stride, panel, column);
    alpha = column[i + 1];
    int64_t below = n - i - 2;
    tau_y[i] = NAME(reflector)(alpha, NAME(row_dot)(below, column + i + 2, column + i + 2), &factor,
                               &e[i]);
    NAME(row_scale)(below, factor, column + i + 2);
    column[i + 1] = 1;
    for (int64_t r = i + 1; r < n; r++) {
      panel->of_columns[r * NAME(CHANGES) + 2 * p + 1] = tau_y[i] != 0 ? column[r] : 0;
      w[r * stride + i] = column[r];
    }
    REAL *change = x + stride;
    if (tau_y[i] == 0) {
      NAME(row_clear)(length, change);
      continue;
    }
    // The rows times the column, from what they are times the column before it was scaled.
    NAME(row_copy)(length, panel->sum, change);
    NAME(row_add)(length, -e[i], row + stride, change);
    NAME(row_scale)(length, factor, change);
    NAME(row_combine)
    (n - i - 1, NAME(row_padded)(2 * p + 1), column + i + 1,
     panel->of_columns + (i + 1) * NAME(CHANGES), NAME(CHANGES), by_x);
    for (int64_t q = 0; q <= 2 * p; q++)
      by_x[q] = -by_x[q];
    NAME(row_combine_add)(2 * p + 1, length, by_x, panel->of_rows + i, stride, change);
    NAME(row_scale)(length, tau_y[i], change);
  }
}

// w, n × n, padded with zeros, to lower bidiagonal form: d, and e below it. Row i from its diagonal
// on becomes the reflector of row i, column i below the diagonal that of column i; both have a 1
// first. work: 4·REFLECTORS + 2 rows.
void NAME(bidiagonal)(int64_t n, REAL *w, int64_t stride, REAL *d, REAL *e, REAL *tau_x,
                      REAL *tau_y, REAL *work, REAL *pack) {
  NAME(bidiagonal_panel)
  panel = {work, work + NAME(CHANGES) * stride, work + 2 * NAME(CHANGES) * stride};
  NAME(row_clear)(2 * NAME(CHANGES) * stride, work);
  for (int64_t first = 0; first < n; first += REFLECTORS) {
    int64_t count = n - first < REFLECTORS ? n - first : REFLECTORS, next = first + count;
    NAME(bidiagonal_reduce)
    (n, first, count, w, stride, d, e, tau_x, tau_y, &panel, panel.sum + stride);
    NAME(product)
    (n - next, n - next, NAME(CHANGES), -1, panel.of_columns + next * NAME(CHANGES), NAME(CHANGES),
     1, panel.of_rows + next, stride, 1, w + next * stride + next, stride, pack);
  }
}
