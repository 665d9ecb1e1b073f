// Kernels over rows of matrices and vectors: a template over REAL, inlined where it is included.
// Included after real.h, once for each REAL.
//
// All orders of summation are fixed by the 32-byte vectors, so results are the same on every
// target. Lengths are any; but where rows are padded to whole vectors, callers best pass the padded
// length, and the loops over single elements have nothing to do.

static inline VECTOR NAME(row_load)(const REAL *p) { return *(const VECTOR_IN_MEMORY *)p; }
static inline void NAME(row_store)(REAL *p, VECTOR v) { *(VECTOR_IN_MEMORY *)p = v; }

// The sum of the lanes, in pairs.
static inline REAL NAME(row_sum)(VECTOR v) {
#if LANES == 4
  VECTOR half = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
#else
  VECTOR quarter = v + __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  VECTOR half = quarter + __builtin_shufflevector(quarter, quarter, 2, 3, 0, 1, 6, 7, 4, 5);
#endif
  return half[0] + half[1];
}

// Two vectors of a row that are next to each other: what blocks of factorisations have of a row in
// registers.
typedef struct NAME(pair) {
  VECTOR low, high;
} NAME(pair);

static inline NAME(pair) NAME(pair_load)(const REAL *p) {
  return (NAME(pair)){NAME(row_load)(p), NAME(row_load)(p + LANES)};
}

static inline void NAME(pair_store)(REAL *p, NAME(pair) x) {
  NAME(row_store)(p, x.low);
  NAME(row_store)(p + LANES, x.high);
}

// x · factor.
static inline NAME(pair) NAME(pair_scale)(NAME(pair) x, REAL factor) {
  return (NAME(pair)){x.low * factor, x.high * factor};
}

// y −= factor · x.
static inline void NAME(pair_subtract)(REAL factor, NAME(pair) x, NAME(pair) * y) {
  y->low -= factor * x.low;
  y->high -= factor * x.high;
}

// The length of a row with its padding.
static inline int64_t NAME(row_padded)(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

static inline void NAME(row_clear)(int64_t n, REAL *x) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    NAME(row_store)(x + i, (VECTOR){0});
  for (; i < n; i++)
    x[i] = 0;
}

static inline void NAME(row_copy)(int64_t n, const REAL *x, REAL *y) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    NAME(row_store)(y + i, NAME(row_load)(x + i));
  for (; i < n; i++)
    y[i] = x[i];
}

static inline void NAME(row_fill)(int64_t n, REAL value, REAL *x) {
  for (int64_t i = 0; i < n; i++)
    x[i] = value;
}

static inline void NAME(row_scale)(int64_t n, REAL factor, REAL *x) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES)
    NAME(row_store)(x + i, NAME(row_load)(x + i) * factor);
  for (; i < n; i++)
    x[i] *= factor;
}

static inline REAL NAME(row_dot)(int64_t n, const REAL *x, const REAL *y) {
  VECTOR even = {0}, odd = {0};
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    even += NAME(row_load)(x + i) * NAME(row_load)(y + i);
    odd += NAME(row_load)(x + i + LANES) * NAME(row_load)(y + i + LANES);
  }
  if (i + LANES <= n) {
    even += NAME(row_load)(x + i) * NAME(row_load)(y + i);
    i += LANES;
  }
  REAL sum = NAME(row_sum)(even + odd);
  for (; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

// y += factor · x.
static inline void NAME(row_add)(int64_t n, REAL factor, const REAL *x, REAL *y) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR sum = NAME(row_load)(y + i);
    sum += NAME(row_load)(x + i) * factor;
    NAME(row_store)(y + i, sum);
  }
  for (; i < n; i++)
    y[i] += factor * x[i];
}

// The dot products of four rows and x.
static inline __attribute__((always_inline)) void
NAME(row_dots_4)(int64_t n, const REAL *a, int64_t stride, const REAL *x, REAL *dots) {
  const REAL *a1 = a + stride, *a2 = a + 2 * stride, *a3 = a + 3 * stride;
  VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    VECTOR y = NAME(row_load)(x + i), z = NAME(row_load)(x + i + LANES);
    s0 += NAME(row_load)(a + i) * y;
    s1 += NAME(row_load)(a1 + i) * y;
    s2 += NAME(row_load)(a2 + i) * y;
    s3 += NAME(row_load)(a3 + i) * y;
    t0 += NAME(row_load)(a + i + LANES) * z;
    t1 += NAME(row_load)(a1 + i + LANES) * z;
    t2 += NAME(row_load)(a2 + i + LANES) * z;
    t3 += NAME(row_load)(a3 + i + LANES) * z;
  }
  if (i + LANES <= n) {
    VECTOR y = NAME(row_load)(x + i);
    s0 += NAME(row_load)(a + i) * y;
    s1 += NAME(row_load)(a1 + i) * y;
    s2 += NAME(row_load)(a2 + i) * y;
    s3 += NAME(row_load)(a3 + i) * y;
    i += LANES;
  }
  dots[0] = NAME(row_sum)(s0 + t0);
  dots[1] = NAME(row_sum)(s1 + t1);
  dots[2] = NAME(row_sum)(s2 + t2);
  dots[3] = NAME(row_sum)(s3 + t3);
  for (; i < n; i++) {
    dots[0] += a[i] * x[i];
    dots[1] += a1[i] * x[i];
    dots[2] += a2[i] * x[i];
    dots[3] += a3[i] * x[i];
  }
}

// The dot products of rows and x.
static __attribute__((noinline, unused)) void
NAME(row_dots)(int64_t rows, int64_t n, const REAL *a, int64_t stride, const REAL *x, REAL *dots) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4)
    NAME(row_dots_4)(n, a + r * stride, stride, x, dots + r);
  for (; r < rows; r++)
    dots[r] = NAME(row_dot)(n, a + r * stride, x);
}

// A reflection of each of `rows` rows y of z by x: y −= tau · (y · x) · x.
static __attribute__((noinline, unused)) void
NAME(row_reflect)(int64_t rows, int64_t n, REAL tau, const REAL *x, REAL *z, int64_t stride) {
  if (tau == 0)
    return;
  for (; rows >= 4; rows -= 4, z += 4 * stride) {
    REAL *z1 = z + stride, *z2 = z1 + stride, *z3 = z2 + stride, dots[4];
    NAME(row_dots_4)(n, z, stride, x, dots);
    REAL f0 = -tau * dots[0], f1 = -tau * dots[1], f2 = -tau * dots[2], f3 = -tau * dots[3];
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      VECTOR y = NAME(row_load)(x + i), y0 = NAME(row_load)(z + i), y1 = NAME(row_load)(z1 + i);
      VECTOR y2 = NAME(row_load)(z2 + i), y3 = NAME(row_load)(z3 + i);
      y0 += y * f0;
      y1 += y * f1;
      y2 += y * f2;
      y3 += y * f3;
      NAME(row_store)(z + i, y0);
      NAME(row_store)(z1 + i, y1);
      NAME(row_store)(z2 + i, y2);
      NAME(row_store)(z3 + i, y3);
    }
    for (; i < n; i++) {
      z[i] += x[i] * f0;
      z1[i] += x[i] * f1;
      z2[i] += x[i] * f2;
      z3[i] += x[i] * f3;
    }
  }
  for (; rows > 0; rows--, z += stride)
    NAME(row_add)(n, -tau * NAME(row_dot)(n, z, x), x, z);
}
