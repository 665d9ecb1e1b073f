// The passes of a transform: butterflies of radix 2, 3, 4, 5, 8 and of any odd radix, on blocks.
//
// A pass is one of Stockham's, decimated in time (Van Loan, "Computational frameworks for the fast
// Fourier transform", 1992, 1.7): it takes n/s transforms of length s to n/(r s) ones of length
// r s,
//   y[(p r + k) s + q] = sum of x[(p + m j) s + q] w^(j q) e^(-2 pi i j k / r) over j < r,
// with w = e^(-2 pi i / (r s)), m = n / (r s), p < m, q < s, k < r, and so needs no reversal of
// bits. Its elements are blocks, either LANES neighbours q of one transform, or the same element of
// LANES transforms. `width` blocks next to each other are transformed alike.

// How a pass reads and writes; constants, so that each kind of pass is compiled by itself.
#ifndef GJL_FOURIER_PASSES_H
#define GJL_FOURIER_PASSES_H
typedef enum gjl_pass_kind {
  GJL_PASS_ROOTS = 1, // roots are blocks
  GJL_PASS_ROOT = 2,  // roots are numbers, the same for all lanes
  GJL_PASS_IN = 4,    // reads interleaved numbers
  GJL_PASS_OUT = 8    // writes interleaved numbers
} gjl_pass_kind;
#endif

typedef struct NAME(fourier_pass) {
  const REAL *in;
  // Of each q the roots of j = 1 … r - 1, or of 1 and 2 if they are blocks and r is 4, where
  // reading costs more than a product. Behind them those of a generic radix.
  const REAL *roots;
  REAL *out;
  int64_t in_stride, out_stride; // from an element to the next, in reals
  int64_t m, s, width;
  int64_t lines; // one after another, of r m s elements, if those are in the lanes
  REAL sign;     // of imaginary parts that are read or written interleaved: -1 for an inverse
} NAME(fourier_pass);

// ---- butterflies --------------------------------------------------------------------------------

GJL_INLINE void NAME(butterfly_2)(COMPLEX *x) {
  COMPLEX a = x[0];
  x[0] = NAME(complex_add)(a, x[1]);
  x[1] = NAME(complex_sub)(a, x[1]);
}

GJL_INLINE void NAME(butterfly_3)(COMPLEX *x) {
  const REAL sine = (REAL)0.86602540378443864676, half = (REAL)0.5;
  COMPLEX a = NAME(complex_add)(x[1], x[2]), b = NAME(complex_turn)(NAME(complex_sub)(x[1], x[2]));
  COMPLEX c = {x[0].re - half * a.re, x[0].im - half * a.im};
  x[0] = NAME(complex_add)(x[0], a);
  x[1] = (COMPLEX){c.re + sine * b.re, c.im + sine * b.im};
  x[2] = (COMPLEX){c.re - sine * b.re, c.im - sine * b.im};
}

GJL_INLINE void NAME(butterfly_4)(COMPLEX *x) {
  COMPLEX a = NAME(complex_add)(x[0], x[2]), b = NAME(complex_sub)(x[0], x[2]);
  COMPLEX c = NAME(complex_add)(x[1], x[3]), d = NAME(complex_sub)(x[1], x[3]);
  x[0] = NAME(complex_add)(a, c);
  x[2] = NAME(complex_sub)(a, c);
  x[1] = (COMPLEX){b.re + d.im, b.im - d.re};
  x[3] = (COMPLEX){b.re - d.im, b.im + d.re};
}

GJL_INLINE void NAME(butterfly_5)(COMPLEX *x) {
  const REAL c1 = (REAL)0.30901699437494742410, c2 = (REAL)-0.80901699437494742410;
  const REAL s1 = (REAL)0.95105651629515357212, s2 = (REAL)0.58778525229247312917;
  COMPLEX a = NAME(complex_add)(x[1], x[4]), b = NAME(complex_sub)(x[1], x[4]);
  COMPLEX c = NAME(complex_add)(x[2], x[3]), d = NAME(complex_sub)(x[2], x[3]);
  COMPLEX e = {x[0].re + c1 * a.re, x[0].im + c1 * a.im};
  COMPLEX f = {x[0].re + c2 * a.re, x[0].im + c2 * a.im};
  e.re = e.re + c2 * c.re;
  e.im = e.im + c2 * c.im;
  f.re = f.re + c1 * c.re;
  f.im = f.im + c1 * c.im;
  COMPLEX g = {s1 * b.re + s2 * d.re, s1 * b.im + s2 * d.im};
  COMPLEX h = {s2 * b.re - s1 * d.re, s2 * b.im - s1 * d.im};
  x[0].re = x[0].re + a.re + c.re;
  x[0].im = x[0].im + a.im + c.im;
  x[1] = (COMPLEX){e.re + g.im, e.im - g.re};
  x[4] = (COMPLEX){e.re - g.im, e.im + g.re};
  x[2] = (COMPLEX){f.re + h.im, f.im - h.re};
  x[3] = (COMPLEX){f.re - h.im, f.im + h.re};
}

GJL_INLINE void NAME(butterfly_8)(COMPLEX *x) {
  const REAL half = (REAL)0.70710678118654752440;
  COMPLEX a[4] = {x[0], x[2], x[4], x[6]}, b[4] = {x[1], x[3], x[5], x[7]};
  NAME(butterfly_4)(a);
  NAME(butterfly_4)(b);
  COMPLEX c = {b[1].re + b[1].im, b[1].im - b[1].re}; // b[1] (1 - i)
  COMPLEX d = NAME(complex_turn)(b[2]);
  COMPLEX e = {b[3].im - b[3].re, b[3].re + b[3].im}; // b[3] (1 + i), minus of the real part
  x[0] = NAME(complex_add)(a[0], b[0]);
  x[4] = NAME(complex_sub)(a[0], b[0]);
  x[1] = (COMPLEX){a[1].re + half * c.re, a[1].im + half * c.im};
  x[5] = (COMPLEX){a[1].re - half * c.re, a[1].im - half * c.im};
  x[2] = NAME(complex_add)(a[2], d);
  x[6] = NAME(complex_sub)(a[2], d);
  x[3] = (COMPLEX){a[3].re + half * e.re, a[3].im - half * e.im};
  x[7] = (COMPLEX){a[3].re - half * e.re, a[3].im + half * e.im};
}

// ---- a pass -------------------------------------------------------------------------------------

GJL_INLINE COMPLEX NAME(pass_load)(const REAL *p, REAL sign, int kind) {
  if (!(kind & GJL_PASS_IN))
    return NAME(load_block)(p);
  COMPLEX x = NAME(load_pairs)(p);
  x.im = x.im * sign;
  return x;
}

GJL_INLINE void NAME(pass_store)(REAL *p, COMPLEX x, REAL sign, int kind) {
  if (kind & GJL_PASS_OUT) {
    x.im = x.im * sign;
    NAME(store_pairs)(p, x);
  } else {
    NAME(store_block)(p, x);
  }
}

GJL_INLINE COMPLEX NAME(pass_root)(const REAL *roots, int64_t i, int kind) {
  if (kind & GJL_PASS_ROOTS)
    return NAME(load_block)(roots + i * BLOCK);
  return (COMPLEX){SPLAT(roots[2 * i]), SPLAT(roots[2 * i + 1])};
}

GJL_INLINE void NAME(butterfly)(COMPLEX *x, const int r) {
  if (r == 2)
    NAME(butterfly_2)(x);
  else if (r == 3)
    NAME(butterfly_3)(x);
  else if (r == 4)
    NAME(butterfly_4)(x);
  else if (r == 5)
    NAME(butterfly_5)(x);
  else
    NAME(butterfly_8)(x);
}

GJL_INLINE void NAME(pass)(const NAME(fourier_pass) * z, const int r, const int kind) {
  const bool whole = kind & GJL_PASS_ROOTS;
  const int64_t in_stride = whole ? BLOCK : z->in_stride;
  const int64_t out_stride = whole ? BLOCK : z->out_stride;
  const int64_t m = z->m, s = z->s, width = whole ? 1 : z->width, groups = whole ? m * z->lines : m;
  const int64_t in_step = m * s * in_stride, out_step = s * out_stride;
  const REAL sign = z->sign;
  const REAL *in = z->in;
  REAL *out = z->out;
  for (int64_t p = 0, left = m; p < groups; p++) {
    const REAL *roots = z->roots;
    for (int64_t q = 0; q < s; q++) {
      COMPLEX w[8];
      if (kind & (GJL_PASS_ROOTS | GJL_PASS_ROOT)) {
        const int stored = whole && r == 4 ? 2 : r - 1;
        GJL_UNROLL for (int j = 1; j <= stored; j++) { w[j] = NAME(pass_root)(roots, j - 1, kind); }
        if (stored < r - 1)
          w[3] = NAME(complex_multiply)(w[1], w[2]);
        roots += stored * (whole ? BLOCK : 2);
      }
      for (int64_t v = 0; v < width; v++) {
        COMPLEX x[8];
        GJL_UNROLL for (int j = 0; j < r; j++) {
          x[j] = NAME(pass_load)(in + j * in_step + v * BLOCK, sign, kind);
          if (j > 0 && kind & (GJL_PASS_ROOTS | GJL_PASS_ROOT))
            x[j] = NAME(complex_multiply)(x[j], w[j]);
        }
        NAME(butterfly)(x, r);
        GJL_UNROLL for (int k = 0; k < r; k++) {
          NAME(pass_store)(out + k * out_step + v * BLOCK, x[k], sign, kind);
        }
      }
      in += in_stride;
      out += out_stride;
    }
    out += (r - 1) * out_step;
    if (--left == 0) { // the next line
      in += (r - 1) * in_step;
      left = m;
    }
  }
}

// Any odd radix up to GJL_MOST_RADIX: sums and differences of x[j] and x[r - j], times the real and
// imaginary parts of the roots of order r.
static void NAME(pass_odd)(const NAME(fourier_pass) * z, const int r, const int kind) {
  const int64_t m = z->m, s = z->s, width = z->width;
  const int64_t in_step = m * s * z->in_stride, out_step = s * z->out_stride;
  const int64_t each = kind & GJL_PASS_ROOTS ? BLOCK : kind & GJL_PASS_ROOT ? 2 : 0;
  const REAL sign = z->sign, *own = z->roots + each * (r - 1) * s;
  const int h = r / 2;
  COMPLEX sums[GJL_MOST_RADIX / 2], differences[GJL_MOST_RADIX / 2];
  for (int64_t i = 0; i < m * s * width * z->lines; i++) {
    const int64_t v = i % width, q = i / width % s, p = i / width / s;
    const REAL *in = z->in + (p / m * (r - 1) * m * s + p * s + q) * z->in_stride + v * BLOCK;
    REAL *out = z->out + (p * r * s + q) * z->out_stride + v * BLOCK;
    COMPLEX first = NAME(pass_load)(in, sign, kind), total = first;
    for (int j = 1; j <= h; j++) {
      COMPLEX a = NAME(pass_load)(in + j * in_step, sign, kind);
      COMPLEX b = NAME(pass_load)(in + (r - j) * in_step, sign, kind);
      if (each) {
        const REAL *roots = z->roots + each * (r - 1) * q;
        a = NAME(complex_multiply)(a, NAME(pass_root)(roots, j - 1, kind));
        b = NAME(complex_multiply)(b, NAME(pass_root)(roots, r - j - 1, kind));
      }
      sums[j - 1] = NAME(complex_add)(a, b);
      differences[j - 1] = NAME(complex_sub)(a, b);
      total = NAME(complex_add)(total, sums[j - 1]);
    }
    NAME(pass_store)(out, total, sign, kind);
    for (int k = 1; k <= h; k++) {
      COMPLEX a = first, b = {SPLAT(0), SPLAT(0)};
      for (int j = 1, at = k; j <= h; j++) {
        const REAL c = own[2 * at], d = own[2 * at + 1];
        a.re = a.re + c * sums[j - 1].re;
        a.im = a.im + c * sums[j - 1].im;
        b.re = b.re - d * differences[j - 1].im;
        b.im = b.im + d * differences[j - 1].re;
        at = at + k < r ? at + k : at + k - r;
      }
      NAME(pass_store)(out + k * out_step, NAME(complex_add)(a, b), sign, kind);
      NAME(pass_store)(out + (r - k) * out_step, NAME(complex_sub)(a, b), sign, kind);
    }
  }
}

// What there is a function of its own for: these radices in every kind that is asked for.
#define GJL_PASSES(kind)                                                                           \
  GJL_PASS(2, kind) GJL_PASS(3, kind) GJL_PASS(4, kind) GJL_PASS(5, kind) GJL_PASS(8, kind)
#define GJL_ALL_PASSES                                                                             \
  GJL_PASSES(0) GJL_PASSES(1) GJL_PASSES(2) GJL_PASSES(4) GJL_PASSES(9) GJL_PASSES(10)

#define GJL_PASS(r, kind)                                                                          \
  static void NAME(pass_##r##_##kind)(const NAME(fourier_pass) * z) { NAME(pass)(z, r, kind); }
GJL_ALL_PASSES
#undef GJL_PASS

static void NAME(run_pass)(const NAME(fourier_pass) * z, int r, int kind) {
#define GJL_PASS(r, kind)                                                                          \
  case 16 * r + kind:                                                                              \
    NAME(pass_##r##_##kind)(z);                                                                    \
    break;
  switch (16 * r + kind) {
    GJL_ALL_PASSES
  default:
    NAME(pass_odd)(z, r, kind);
  }
#undef GJL_PASS
}
#undef GJL_ALL_PASSES
#undef GJL_PASSES

// The first pass of one transform, over r neighbours each: q is 0, so LANES values of p go
// together, and what they write is transposed. The last LANES overlap the ones before when m is no
// multiple.
GJL_INLINE void NAME(first_pass)(const NAME(fourier_pass) * z, const int r) {
  const int64_t m = z->m;
  const REAL *in = z->in;
  REAL *out = z->out;
  for (int64_t i = 0, left = z->lines; left > 0;) {
    const int64_t p = i + LANES <= m ? i : m - LANES;
    COMPLEX x[8];
    GJL_UNROLL for (int j = 0; j < r; j++) {
      x[j] = NAME(pass_load)(in + 2 * (p + m * j), z->sign, GJL_PASS_IN);
    }
    NAME(butterfly)(x, r);
    GJL_UNROLL for (int g = 0; g < r / LANES; g++) {
      VECTOR re[LANES], im[LANES];
      GJL_UNROLL for (int l = 0; l < LANES; l++) {
        re[l] = x[g * LANES + GJL_LANE(l)].re;
        im[l] = x[g * LANES + GJL_LANE(l)].im;
      }
      NAME(transpose_lanes)(re);
      NAME(transpose_lanes)(im);
      GJL_UNROLL for (int l = 0; l < LANES; l++) {
        NAME(store_block)(out + (p + GJL_LANE(l)) * 2 * r + g * BLOCK, (COMPLEX){re[l], im[l]});
      }
    }
    i += LANES;
    if (i >= m) {
      i = 0;
      left--;
      in += 2 * r * m;
      out += 2 * r * m;
    }
  }
}
