// The template of symmetric_eigen.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/spectral/divide.h"
#include "library/spectral/scale.h"
#include "library/spectral/stages.h"

// a: the lower triangle · 2^-exponent as a whole symmetric matrix, padded with zeros.
static void NAME(symmetric_copy)(int64_t n, const REAL *from, int64_t exponent, REAL *a,
                                 int64_t stride) {
  NAME(scale) by = NAME(scale_by)(-exponent);
  for (int64_t i = 0; i < n; i++, from += n) {
    REAL *row = a + i * stride;
    for (int64_t j = 0; j <= i; j++)
      row[j] = from[j] * by.first * by.second;
    NAME(row_clear)(stride - i - 1, row + i + 1);
  }
}

// The upper triangle gets the lower one.
static void NAME(symmetric_mirror)(int64_t n, REAL *a, int64_t stride) {
  for (int64_t i = 1; i < n; i++)
    for (int64_t j = 0; j < i; j++)
      a[j * stride + i] = a[i * stride + j];
}

// z · H_1 · H_2 ⋯, for reflectors that are rows of a, whose row i has i elements.
static void NAME(symmetric_reflect)(int64_t n, const REAL *a, int64_t stride, const REAL *tau,
                                    REAL *z, REAL *work, REAL *pack) {
  REAL *v = work, *rest = v + REFLECTORS * stride;
  for (int64_t i = 1; i < n; i += REFLECTORS) {
    int64_t count = n - i < REFLECTORS ? n - i : REFLECTORS, length = i + count - 1;
    for (int64_t p = 0; p < count; p++) {
      NAME(row_copy)(i + p, a + (i + p) * stride, v + p * stride);
      NAME(row_clear)(length - i - p, v + p * stride + i + p);
    }
    NAME(reflectors_apply)(n, length, z, stride, count, v, stride, tau + i, false, rest, pack);
  }
}

// Eigenvalues d and eigenvectors, rows of the result, in `order`; NULL if it did not converge.
static const REAL *NAME(symmetric_small)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e,
                                         int32_t *order, REAL *z, REAL *work) {
  NAME(symmetric_mirror)(n, a, stride);
  NAME(tridiagonal_direct)(n, a, stride, d, e, z, work);
  if (!NAME(tridiagonal_ql)(n, d, e, a, stride, NAME(row_padded)(n)))
    return NULL;
  for (int64_t i = 0; i < n; i++)
    order[i] = (int32_t)i;
  NAME(divide_sort)(n, d, order);
  return a;
}

static const REAL *NAME(symmetric_large)(int64_t n, REAL *a, int64_t stride, REAL *d, REAL *e,
                                         int32_t *order, REAL *aside, REAL *work) {
  REAL *z = work, *s = z + n * stride, *tau = s + n * stride, *rest = tau + stride;
  REAL *pack = rest + REFLECTORS * (3 * stride + REFLECTORS);
  NAME(tridiagonal)(n, a, stride, d, e, tau, rest, pack);
  if (!NAME(tridiagonal_divide)(n, d, e, z, s, stride, order, aside, rest, pack))
    return NULL;
  NAME(symmetric_reflect)(n, a, stride, tau, z, rest, pack);
  return z;
}

// Eigenvalues w, ascending, and eigenvectors, the columns of v, of the symmetric matrix a, all
// n × n, of which the lower triangle is read. work: 3·(n + 16)² + 100·(n + 16) + 1024 +
// PRODUCT_PACK elements.
void NAME(eigh)(int64_t a_address, int64_t w_address, int64_t v_address, int64_t n,
                int64_t work_address) {
  const REAL *from = (const REAL *)(uintptr_t)a_address;
  REAL *w = (REAL *)(uintptr_t)w_address, *v = (REAL *)(uintptr_t)v_address;
  int64_t stride = NAME(row_stride)(n), exponent = NAME(scale_of)(n, n, from, true);
  const REAL *vectors = NULL;
  REAL *a = (REAL *)(uintptr_t)work_address, *d = a + n * stride, *e = d + stride;
  int32_t *order = (int32_t *)(void *)(e + stride);
  REAL *rest = e + 2 * stride;
  if (exponent != SCALE_OF_NONE) {
    exponent = exponent == SCALE_OF_ZERO ? 0 : exponent;
    NAME(symmetric_copy)(n, from, exponent, a, stride);
    if (n <= DIVIDE_LEAF)
      vectors = NAME(symmetric_small)(n, a, stride, d, e, order, rest, rest + n * stride);
    else
      vectors = NAME(symmetric_large)(n, a, stride, d, e, order, v, rest);
  }
  if (!vectors) {
    NAME(row_fill)(n, (REAL)__builtin_nan(""), w);
    NAME(row_fill)(n * n, (REAL)__builtin_nan(""), v);
    return;
  }
  NAME(scale) by = NAME(scale_by)(exponent);
  for (int64_t i = 0; i < n; i++)
    w[i] = d[order[i]] * by.first * by.second;
  NAME(transpose_ordered)(n, n, vectors, stride, order, v, n);
}
