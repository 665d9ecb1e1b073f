// Roots of unity, e^(-2 pi i k / n), to about one unit in the last place, in vectors: the twiddle
// factors. Also how complex numbers lie in vectors, which the other files build on.
//
// A root's angle is brought into the first octant in integers, which doubles hold exactly here
// (k < n < 2^50), so that its error does not grow with k; then the polynomials of fdlibm's
// __kernel_sin and __kernel_cos (Sun, 1993) apply. A sequence of roots w^(j q), q = 0, 1, …, is
// made of two short ones by w^(a + b) = w^a + w^a (w^b - 1), where the last factor is small or
// known to its own last place: no error but that of w^a and of roundings. The roots of f32 are
// computed in double up to that product.
//
// A block is LANES complex numbers: the vector of their real parts, then that of the imaginary
// ones. Its lanes hold the numbers in the order GJL_LANE(0), GJL_LANE(1), …, which is what one
// shuffle for each vector makes of interleaved numbers, and undoes again.

// ---- blocks -------------------------------------------------------------------------------------

#undef BLOCK
#undef GJL_LANE
#undef COMPLEX
#undef SPLAT
#undef EVENS
#undef ODDS
#undef LOW_PAIRS
#undef HIGH_PAIRS
#undef EVEN_NUMBERS
#define BLOCK (2 * LANES)
#define COMPLEX NAME(fourier_block)
#if GJL_REAL_BITS == 64
#define GJL_LANE(l) ((l) == 1 ? 2 : (l) == 2 ? 1 : (l))
#define SPLAT(x) ((VECTOR){(x), (x), (x), (x)})
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define LOW_PAIRS(a, b) EVENS(a, b)
#define HIGH_PAIRS(a, b) ODDS(a, b)
#define EVEN_NUMBERS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5) // of two blocks, as one
#else
#define GJL_LANE(l) (((l)&1) | ((l) >> 1 == 1 ? 4 : (l) >> 1 == 2 ? 2 : (l)&6))
#define SPLAT(x) ((VECTOR){(x), (x), (x), (x), (x), (x), (x), (x)})
#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)
#define LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define EVEN_NUMBERS(a, b) __builtin_shufflevector(a, b, 0, 4, 8, 12, 2, 6, 10, 14)
#endif

typedef struct COMPLEX {
  VECTOR re, im;
} COMPLEX;

GJL_INLINE VECTOR NAME(fourier_load)(const REAL *p) { return *(const VECTOR_IN_MEMORY *)p; }
GJL_INLINE void NAME(fourier_store)(REAL *p, VECTOR v) { *(VECTOR_IN_MEMORY *)p = v; }

GJL_INLINE COMPLEX NAME(load_block)(const REAL *p) {
  return (COMPLEX){NAME(fourier_load)(p), NAME(fourier_load)(p + LANES)};
}

GJL_INLINE void NAME(store_block)(REAL *p, COMPLEX x) {
  NAME(fourier_store)(p, x.re);
  NAME(fourier_store)(p + LANES, x.im);
}

// LANES interleaved numbers.
GJL_INLINE COMPLEX NAME(load_pairs)(const REAL *p) {
  VECTOR a = NAME(fourier_load)(p), b = NAME(fourier_load)(p + LANES);
  return (COMPLEX){EVENS(a, b), ODDS(a, b)};
}

GJL_INLINE void NAME(store_pairs)(REAL *p, COMPLEX x) {
  NAME(fourier_store)(p, LOW_PAIRS(x.re, x.im));
  NAME(fourier_store)(p + LANES, HIGH_PAIRS(x.re, x.im));
}

GJL_INLINE COMPLEX NAME(complex_add)(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.re + b.re, a.im + b.im};
}

GJL_INLINE COMPLEX NAME(complex_sub)(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.re - b.re, a.im - b.im};
}

GJL_INLINE COMPLEX NAME(complex_multiply)(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// -i x
GJL_INLINE COMPLEX NAME(complex_turn)(COMPLEX a) { return (COMPLEX){a.im, -a.re}; }

// a[i][j] = a[j][i]
GJL_INLINE void NAME(transpose_lanes)(VECTOR *a) {
#if GJL_REAL_BITS == 64
  gjl_transpose(a);
#else
  VECTOR t[8], u[8];
  GJL_UNROLL for (int i = 0; i < 4; i++) {
    t[2 * i] = LOW_PAIRS(a[2 * i], a[2 * i + 1]);
    t[2 * i + 1] = HIGH_PAIRS(a[2 * i], a[2 * i + 1]);
  }
  GJL_UNROLL for (int i = 0; i < 2; i++) {
    GJL_UNROLL for (int j = 0; j < 2; j++) {
      VECTOR x = t[4 * i + j], y = t[4 * i + j + 2];
      u[4 * i + 2 * j] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 * j + 1] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  GJL_UNROLL for (int i = 0; i < 4; i++) {
    a[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    a[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

// ---- roots --------------------------------------------------------------------------------------

#ifndef GJL_FOURIER_ROOTS_H
#define GJL_FOURIER_ROOTS_H

typedef int64_t gjl_i64x4 __attribute__((vector_size(32)));

typedef struct gjl_roots {
  gjl_f64x4 re, im, re_less_1;
} gjl_roots;

GJL_INLINE gjl_f64x4 gjl_select(gjl_i64x4 mask, gjl_f64x4 yes, gjl_f64x4 no) {
  return (gjl_f64x4)((mask & (gjl_i64x4)yes) | (~mask & (gjl_i64x4)no));
}

// e^(-2 pi i k / n) for 0 <= k <= n; to 29 bits or more when `coarse`, which is enough for f32.
GJL_INLINE gjl_roots gjl_roots_of(gjl_f64x4 k, double n, const bool coarse) {
  const gjl_i64x4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  // The whole circle is 8n; reflected at its half, quarter and eighth.
  gjl_f64x4 a = 8 * k;
  gjl_i64x4 lower = a > 4 * n;
  a = gjl_select(lower, 8 * n - a, a);
  gjl_i64x4 left = a > 2 * n;
  a = gjl_select(left, 4 * n - a, a);
  gjl_i64x4 steep = a > n;
  a = gjl_select(steep, 2 * n - a, a);
  gjl_f64x4 x = a / n * 0x1.921fb54442d18p-1; // of pi / 4
  gjl_f64x4 z = x * x;
  gjl_f64x4 s = {2.75573137070700676789e-06, 2.75573137070700676789e-06, 2.75573137070700676789e-06,
                 2.75573137070700676789e-06};
  gjl_f64x4 c = {-2.75573143513906633035e-07, -2.75573143513906633035e-07,
                 -2.75573143513906633035e-07, -2.75573143513906633035e-07};
  if (!coarse) {
    gjl_f64x4 t = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08;
    s = t * z + s;
    t = z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09;
    c = t * z + c;
  }
  s = s * z - 1.98412698298579493134e-04;
  s = s * z + 8.33333333332248946124e-03;
  s = s * z - 1.66666666666666324348e-01;
  gjl_f64x4 sine = s * (z * x) + x;
  c = c * z + 2.48015872894767294178e-05;
  c = c * z - 1.38888888888741095749e-03;
  c = c * z + 4.16666666666666019037e-02;
  gjl_f64x4 half = 0.5 * z, near = 1 - half, tail = c * (z * z);
  gjl_f64x4 cosine = near + (((1 - near) - half) + tail);
  gjl_roots r;
  r.re = gjl_select(steep, sine, cosine);
  r.im = gjl_select(steep, cosine, sine);
  r.re = (gjl_f64x4)((gjl_i64x4)r.re ^ (left & sign));
  r.im = (gjl_f64x4)((gjl_i64x4)r.im ^ (~lower & sign));
  r.re_less_1 = gjl_select(steep | left, r.re - 1, tail - half);
  return r;
}
#endif

// e^(-2 pi i j k / n) for LANES values of k, first + step · GJL_LANE(l); less 1 when `less`.
GJL_INLINE COMPLEX NAME(roots_block)(double first, double step, double n, const bool less) {
#if GJL_REAL_BITS == 64
  gjl_roots r = gjl_roots_of((gjl_f64x4){0, 2, 1, 3} * step + first, n, false);
  return (COMPLEX){less ? r.re_less_1 : r.re, r.im};
#else
  gjl_roots a = gjl_roots_of((gjl_f64x4){0, 1, 4, 5} * step + first, n, true);
  gjl_roots b = gjl_roots_of((gjl_f64x4){2, 3, 6, 7} * step + first, n, true);
  gjl_f32x4 ar = __builtin_convertvector(less ? a.re_less_1 : a.re, gjl_f32x4);
  gjl_f32x4 br = __builtin_convertvector(less ? b.re_less_1 : b.re, gjl_f32x4);
  gjl_f32x4 ai = __builtin_convertvector(a.im, gjl_f32x4);
  gjl_f32x4 bi = __builtin_convertvector(b.im, gjl_f32x4);
  return (COMPLEX){__builtin_shufflevector(ar, br, 0, 1, 2, 3, 4, 5, 6, 7),
                   __builtin_shufflevector(ai, bi, 0, 1, 2, 3, 4, 5, 6, 7)};
#endif
}

// a (1 + b)
GJL_INLINE COMPLEX NAME(roots_product)(COMPLEX a, COMPLEX b) {
  COMPLEX r;
  r.re = a.re * b.re + a.re;
  r.im = a.re * b.im + a.im;
  r.re = r.re - a.im * b.im;
  r.im = a.im * b.re + r.im;
  return r;
}

// Blocks of w^(j q), q = 0, 1, …, count - 1 in blocks, w = e^(-2 pi i / n), each `stride` behind
// the one before; j · count · LANES <= n + j · LANES.
static void NAME(roots_sequence)(REAL *out, int64_t stride, double n, double j, int64_t count) {
  enum { MOST = 16 };
  REAL near[MOST * BLOCK], far[2 * LANES];
  if (count <= 4) {
    for (int64_t b = 0; b < count; b++)
      NAME(store_block)(out + b * stride, NAME(roots_block)(j * LANES * (double)b, j, n, false));
    return;
  }
  int64_t chunk = count < 128 ? 4 : count < 512 ? 8 : MOST;
  for (int64_t b = 0; b < chunk; b++)
    NAME(store_block)(near + b * BLOCK, NAME(roots_block)(j * LANES * (double)b, j, n, true));
  double step = j * LANES * (double)chunk;
  for (int64_t b = 0; b < count; b += chunk * LANES) {
    // Lanes behind the last chunk may be beyond n; nothing reads them.
    NAME(store_block)(far, NAME(roots_block)(j * LANES * (double)b, step, n, false));
    for (int l = 0; l < LANES; l++) {
      const COMPLEX a = {SPLAT(far[l]), SPLAT(far[LANES + l])};
      const int64_t first = b + chunk * GJL_LANE(l);
      const int64_t most = count - first < chunk ? count - first : chunk;
      REAL *to = out + first * stride;
      for (int64_t c = 0; c < most; c++, to += stride)
        NAME(store_block)(to, NAME(roots_product)(a, NAME(load_block)(near + c * BLOCK)));
    }
  }
}

// The same in scalars, of pairs (re, im), `stride` apart.
static void NAME(roots_scalars)(REAL *out, int64_t stride, double n, double j, int64_t count) {
  REAL block[BLOCK];
  for (int64_t q = 0; q < count; q += LANES) {
    NAME(store_block)(block, NAME(roots_block)(j * (double)q, j, n, false));
    for (int l = 0; l < LANES; l++) {
      if (q + GJL_LANE(l) < count) {
        out[(q + GJL_LANE(l)) * stride] = block[l];
        out[(q + GJL_LANE(l)) * stride + 1] = block[LANES + l];
      }
    }
  }
}
