// The template of reflectors.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/stages.h"

// t: the upper triangular T of H_0 · H_1 ⋯ = I − Vᵀ·T·V, from the products of the reflectors with
// each other, which are in t at first (LAPACK: dlarft).
static void NAME(reflectors_triangle)(int64_t count, const REAL *tau, REAL *t) {
  REAL column[REFLECTORS];
  for (int64_t j = 0; j < count; j++) {
    for (int64_t i = 0; i < j; i++)
      column[i] = -tau[j] * t[i * REFLECTORS + j];
    for (int64_t i = 0; i < j; i++) {
      REAL sum = 0;
      for (int64_t p = i; p < j; p++)
        sum += t[i * REFLECTORS + p] * column[p];
      t[i * REFLECTORS + j] = sum;
    }
    t[j * REFLECTORS + j] = tau[j];
    for (int64_t i = j + 1; i < count; i++)
      t[i * REFLECTORS + j] = 0;
  }
}

// z · H_0 · H_1 ⋯, or `reversed`, z ⋯ H_1 · H_0, for as many reflectors as `count` ≤ REFLECTORS,
// which are the rows of v, as long as those of z. work: REFLECTORS · (rows + length + REFLECTORS)
// elements.
void NAME(reflectors_apply)(int64_t rows, int64_t length, REAL *z, int64_t z_stride, int64_t count,
                            const REAL *v, int64_t v_stride, const REAL *tau, bool reversed,
                            REAL *work, REAL *pack) {
  REAL *t = work, *tv = t + REFLECTORS * REFLECTORS, *zv = tv + REFLECTORS * length;
  NAME(row_clear)(REFLECTORS * (REFLECTORS + length + rows), work);
  NAME(product)(count, count, length, 1, v, v_stride, 1, v, 1, v_stride, t, REFLECTORS, pack);
  NAME(reflectors_triangle)(count, tau, t);
  NAME(product)
  (count, length, count, 1, t, reversed ? 1 : REFLECTORS, reversed ? REFLECTORS : 1, v, v_stride, 1,
   tv, length, pack);
  NAME(product)(rows, count, length, 1, z, z_stride, 1, v, 1, v_stride, zv, REFLECTORS, pack);
  NAME(product)(rows, length, count, -1, zv, REFLECTORS, 1, tv, length, 1, z, z_stride, pack);
}
