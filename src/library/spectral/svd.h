// The template of svd.c.
#include "library/real.h"
#include "library/spectral/rows.h"

#include "library/matrices/product.h"
#include "library/matrices/transpose.h"
#include "library/spectral/divide.h"
#include "library/spectral/scale.h"
#include "library/spectral/stages.h"

// to: a · 2^-exponent, or its transpose, of `rows` rows, padded with zeros.
static void NAME(svd_copy)(int64_t m, int64_t n, const REAL *a, bool transposed, int64_t exponent,
                           REAL *to, int64_t stride) {
  NAME(scale) by = NAME(scale_by)(-exponent);
  int64_t rows = transposed ? n : m, columns = transposed ? m : n;
  if (transposed)
    NAME(transpose)(m, n, a, n, to, stride, false);
  for (int64_t i = 0; i < rows; i++, to += stride) {
    const REAL *from = transposed ? to : a + i * n;
    for (int64_t j = 0; j < columns; j++)
      to[j] = from[j] * by.first * by.second;
    for (int64_t j = columns; j < stride; j++)
      to[j] = 0;
  }
}

// z ⋯ H_1 · H_0, for reflectors that are rows of w from the diagonal on, or with `columns` columns
// of w below the diagonal.
static void NAME(svd_reflect)(int64_t n, const REAL *w, int64_t stride, bool columns,
                              const REAL *tau, REAL *z, REAL *work, REAL *pack) {
  REAL *v = work, *rest = v + REFLECTORS * stride;
  for (int64_t first = (n - 1) / REFLECTORS * REFLECTORS; first >= 0; first -= REFLECTORS) {
    int64_t count = n - first < REFLECTORS ? n - first : REFLECTORS, length = n - first;
    const REAL *block = w + first * stride + first;
    for (int64_t p = 0; p < count; p++) {
      NAME(row_clear)(p + columns, v + p * stride);
      if (!columns)
        NAME(row_copy)(length - p, block + p * stride + p, v + p * stride + p);
    }
    for (int64_t r = 1; columns && r < length; r++)
      for (int64_t p = 0; p < count && p < r; p++)
        v[p * stride + r] = block[r * stride + p];
    NAME(reflectors_apply)
    (n, length, z + first, stride, count, v, stride, tau + first, true, rest, pack);
  }
}

// Where the parts of a decomposition of a square matrix are.
typedef struct NAME(svd_parts) {
  REAL *matrix, *left, *right, *s, *aside;
  REAL *d, *e, *tau_x, *tau_y, *rest, *pack;
  int32_t *order; // of values and vectors, ascending
} NAME(svd_parts);

// The matrix to d, and singular vectors, which are rows of left and of right. Whether it converged.
static bool NAME(svd_square)(int64_t n, int64_t stride, NAME(svd_parts) * p) {
  if (n > DIVIDE_LEAF) {
    NAME(bidiagonal)(n, p->matrix, stride, p->d, p->e, p->tau_x, p->tau_y, p->rest, p->pack);
    if (!NAME(bidiagonal_divide)(n, p->d, p->e, p->right, p->left, p->s, stride, p->order, p->aside,
                                 p->rest, p->pack))
      return false;
    NAME(svd_reflect)(n, p->matrix, stride, false, p->tau_x, p->right, p->rest, p->pack);
    NAME(svd_reflect)(n, p->matrix, stride, true, p->tau_y, p->left, p->rest, p->pack);
    return true;
  }
  NAME(bidiagonal_direct)(n, p->matrix, p->left, stride, p->d, p->e, p->right, p->rest);
  p->right = p->matrix;
  if (!NAME(bidiagonal_qr)(n, p->d, p->e, p->right, p->left, stride, NAME(row_padded)(n)))
    return false;
  for (int64_t i = 0; i < n; i++)
    p->order[i] = (int32_t)i;
  NAME(divide_sort)(n, p->d, p->order);
  return true;
}

// a = u·diag(s)·vt for a of m × n: with k = min(m, n), u is m × k, s has k elements, descending,
// and vt is k × n. work, with l = max(m, n): 3·(k + 16)² + (k + 16)·(l + 16) + 140·(k + 16) +
// 32·(l + 16) + 1024 + PRODUCT_PACK elements.
void NAME(svd)(int64_t a_address, int64_t u_address, int64_t s_address, int64_t vt_address,
               int64_t m, int64_t n, int64_t work_address) {
  const REAL *a = (const REAL *)(uintptr_t)a_address;
  REAL *u = (REAL *)(uintptr_t)u_address, *values = (REAL *)(uintptr_t)s_address;
  REAL *vt = (REAL *)(uintptr_t)vt_address, *work = (REAL *)(uintptr_t)work_address;
  int64_t k = m < n ? m : n, l = m < n ? n : m, stride = NAME(row_stride)(k);
  int64_t wide_stride = NAME(row_stride)(l), exponent = NAME(scale_of)(m, n, a, false);
  bool tall = m > n;
  // A matrix that is not square is kept, or its transpose is, where the greater result will be; z,
  // which becomes that, shares its room with s.
  REAL *wide = tall ? u : vt, *z = work + 3 * k * stride, *vectors = z + k * wide_stride;
  NAME(svd_parts)
  p = {.matrix = work,
       .left = work + k * stride,
       .right = work + 2 * k * stride,
       .s = z,
       .aside = m < n ? u : vt,
       .d = vectors,
       .e = vectors + stride,
       .tau_x = vectors + 2 * stride,
       .tau_y = vectors + 3 * stride,
       .order = (int32_t *)(void *)(vectors + 4 * stride)};
  REAL *tau = vectors + 5 * stride;
  p.rest = tau + stride;
  p.pack = p.rest + (4 * REFLECTORS + 2) * stride + REFLECTORS * (wide_stride + REFLECTORS);
  bool done = exponent != SCALE_OF_NONE;
  exponent = exponent == SCALE_OF_ZERO ? 0 : exponent;
  if (done && m == n) {
    NAME(svd_copy)(m, n, a, false, exponent, p.matrix, stride);
  } else if (done) {
    NAME(svd_copy)(m, n, a, tall, exponent, wide, l);
    NAME(lq)(k, l, wide, l, tau, p.matrix, stride, p.rest, p.pack);
  }
  if (!done || !NAME(svd_square)(k, stride, &p)) {
    NAME(row_fill)(m * k, (REAL)__builtin_nan(""), u);
    NAME(row_fill)(k, (REAL)__builtin_nan(""), values);
    NAME(row_fill)(k * n, (REAL)__builtin_nan(""), vt);
    return;
  }
  NAME(scale) by = NAME(scale_by)(exponent);
  for (int64_t i = 0; i < k / 2; i++) {
    int32_t other = p.order[i];
    p.order[i] = p.order[k - 1 - i];
    p.order[k - 1 - i] = other;
  }
  for (int64_t i = 0; i < k; i++)
    values[i] = p.d[p.order[i]] * by.first * by.second;
  if (m != n) {
    for (int64_t i = 0; i < k; i++) {
      NAME(row_copy)(k, p.right + p.order[i] * stride, z + i * wide_stride);
      NAME(row_clear)(l - k, z + i * wide_stride + k);
    }
    NAME(lq_apply)(k, l, wide, l, tau, z, wide_stride, p.rest, p.pack);
  }
  if (tall)
    NAME(transpose)(k, l, z, wide_stride, u, k, false);
  else
    NAME(transpose_ordered)(k, k, p.left, stride, p.order, u, k);
  for (int64_t i = 0; i < k; i++) {
    const REAL *square = (tall ? p.left : p.right) + p.order[i] * stride;
    NAME(row_copy)(n, m < n ? z + i * wide_stride : square, vt + i * n);
  }
}
