// Kernels over rows of matrices and vectors: a template over REAL, inlined where it is included.
//
// All orders of summation are fixed by the 32-byte vectors, so results are the same on every
// target. Matrices of a workspace have rows that are padded with zeros to whole vectors, and
// callers pass the padded length; the loops over single elements are for what is not padded.

static inline VECTOR NAME(row_load)(const REAL *p) { return *(const VECTOR_IN_MEMORY *)p; }
static inline void NAME(row_store)(REAL *p, VECTOR v) { *(VECTOR_IN_MEMORY *)p = v; }

static inline REAL NAME(row_sum)(VECTOR v) {
#if LANES == 4
  VECTOR half = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
#else
  VECTOR quarter = v + __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  VECTOR half = quarter + __builtin_shufflevector(quarter, quarter, 2, 3, 0, 1, 6, 7, 4, 5);
#endif
  return half[0] + half[1];
}

// Factors for a vector, 1 for `count` lanes and 0 for those behind, 0 … LANES; or 1 for one lane.
// To set elements one by one would make a load of the vector wait until they have left the core.
static inline VECTOR NAME(row_lanes)(int64_t count) {
  static const REAL steps[2 * LANES] = {1, 1, 1, 1, LANES / 8, LANES / 8, LANES / 8, LANES / 8};
  return NAME(row_load)(steps + LANES - count);
}

static inline VECTOR NAME(row_lane)(int64_t lane) {
  static const REAL unit[2 * LANES] = {[LANES] = 1};
  return NAME(row_load)(unit + LANES - lane);
}

// The length of a row with its padding.
static inline int64_t NAME(row_padded)(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

// The stride of matrices in workspaces: at least n and whole vectors, at most n + 15, and for
// large n no multiple of a page, which would put a column into few sets of the cache.
static inline int64_t NAME(row_stride)(int64_t n) {
  return n <= 32 ? NAME(row_padded)(n) : (n + 7) / 8 * 8 + 8;
}

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

// (x, y) becomes (c·x + s·y, c·y − s·x).
static inline void NAME(row_rotate)(int64_t n, REAL *restrict x, REAL *restrict y, REAL c, REAL s) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    VECTOR a = NAME(row_load)(x + i), b = NAME(row_load)(y + i);
    NAME(row_store)(x + i, a * c + b * s);
    NAME(row_store)(y + i, b * c - a * s);
  }
  for (; i < n; i++) {
    REAL a = x[i], b = y[i];
    x[i] = a * c + b * s;
    y[i] = b * c - a * s;
  }
}

// A plane rotation with c·f + s·g = r, c·g − s·f = 0. Operands are of a matrix that is scaled to
// 1, so that squares cannot overflow.
static inline REAL NAME(rotation)(REAL f, REAL g, REAL *c, REAL *s) {
  REAL square = f * f + g * g, unit = 1;
  if (__builtin_expect(square < REAL_LEAST / REAL_EPSILON, 0)) {
    if (f == 0 && g == 0) {
      *c = 1;
      *s = 0;
      return 0;
    }
    unit = LANES == 4 ? (REAL)0x1p500 : (REAL)0x1p60;
    f *= unit;
    g *= unit;
    square = f * f + g * g;
    if (square < REAL_LEAST / REAL_EPSILON) { // denormals: as good as 0
      *c = 1;
      *s = 0;
      return f / unit;
    }
  }
  // The root and the quotient do not wait for each other.
  REAL inverse = 1 / square, r = SQRT(square);
  inverse *= r;
  *c = f * inverse;
  *s = g * inverse;
  return r / unit;
}

// to = Σ factors[r] · row r of a, over `vectors` vectors. Few vectors have two sums each, of even
// and of odd rows, as one would have to wait for itself.
static inline __attribute__((always_inline)) void
NAME(row_combine_vectors)(int64_t vectors, int64_t rows, const REAL *factors, const REAL *a,
                          int64_t stride, REAL *to) {
  VECTOR s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int64_t r = 0;
  for (; vectors <= 2 && r + 2 <= rows; r += 2, a += 2 * stride) {
    s0 += NAME(row_load)(a) * factors[r];
    s2 += NAME(row_load)(a + stride) * factors[r + 1];
    if (vectors > 1) {
      s1 += NAME(row_load)(a + LANES) * factors[r];
      s3 += NAME(row_load)(a + stride + LANES) * factors[r + 1];
    }
  }
  if (vectors <= 2) {
    s0 += s2;
    s1 += s3;
  }
  for (; r < rows; r++, a += stride) {
    REAL factor = factors[r];
    s0 += NAME(row_load)(a) * factor;
    if (vectors > 1)
      s1 += NAME(row_load)(a + LANES) * factor;
    if (vectors > 2) {
      s2 += NAME(row_load)(a + 2 * LANES) * factor;
      s3 += NAME(row_load)(a + 3 * LANES) * factor;
    }
  }
  NAME(row_store)(to, s0);
  if (vectors > 1)
    NAME(row_store)(to + LANES, s1);
  if (vectors > 2) {
    NAME(row_store)(to + 2 * LANES, s2);
    NAME(row_store)(to + 3 * LANES, s3);
  }
}

// to = Σ factors[r] · row r of a; n is padded.
static inline void NAME(row_combine)(int64_t rows, int64_t n, const REAL *factors, const REAL *a,
                                     int64_t stride, REAL *to) {
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    NAME(row_combine_vectors)(4, rows, factors, a + i, stride, to + i);
  if (i + 2 * LANES <= n) {
    NAME(row_combine_vectors)(2, rows, factors, a + i, stride, to + i);
    i += 2 * LANES;
  }
  if (i < n)
    NAME(row_combine_vectors)(1, rows, factors, a + i, stride, to + i);
}

// to[j][i] = from[order ? order[i] : i][j] for i < rows, j < columns, in blocks that stay in the
// cache.
static __attribute__((noinline, unused)) void NAME(transpose)(int64_t rows, int64_t columns,
                                                              const REAL *from, int64_t from_stride,
                                                              const int32_t *order, REAL *to,
                                                              int64_t to_stride) {
  for (int64_t above = 0; above < rows; above += 16)
    for (int64_t left = 0; left < columns; left += 16) {
      int64_t end = rows - above < 16 ? rows : above + 16;
      int64_t right = columns - left < 16 ? columns : left + 16;
      for (int64_t i = above; i < end; i++) {
        const REAL *row = from + (order ? order[i] : i) * from_stride;
        for (int64_t j = left; j < right; j++)
          to[j * to_stride + i] = row[j];
      }
    }
}

// to += Σ factors[r] · row r of a, for any n.
static __attribute__((noinline, unused)) void NAME(row_combine_add)(int64_t rows, int64_t n,
                                                                    const REAL *factors,
                                                                    const REAL *a, int64_t stride,
                                                                    REAL *to) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, a += 4 * stride) {
    REAL f0 = factors[r], f1 = factors[r + 1], f2 = factors[r + 2], f3 = factors[r + 3];
    const REAL *a1 = a + stride, *a2 = a + 2 * stride, *a3 = a + 3 * stride;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      VECTOR sum = NAME(row_load)(to + i);
      sum += NAME(row_load)(a + i) * f0;
      sum += NAME(row_load)(a1 + i) * f1;
      sum += NAME(row_load)(a2 + i) * f2;
      sum += NAME(row_load)(a3 + i) * f3;
      NAME(row_store)(to + i, sum);
    }
    for (; i < n; i++) {
      REAL sum = to[i];
      sum += a[i] * f0;
      sum += a1[i] * f1;
      sum += a2[i] * f2;
      sum += a3[i] * f3;
      to[i] = sum;
    }
  }
  for (; r < rows; r++, a += stride)
    NAME(row_add)(n, factors[r], a, to);
}

// The dot products of four rows and x.
static __attribute__((noinline, unused)) void
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
