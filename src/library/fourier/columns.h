// Transforms of short and middling lengths: of one line, its elements in the lanes of vectors, and
// of LANES columns or more, one in each lane.
//
// One line goes through Stockham's passes between `out` and one buffer. Its length must be a
// multiple of LANES: the first pass, of radix LANES or twice that, makes vectors of neighbours.
// Columns suit any length; many short lines become columns by transposing, as do the steps of long
// ones (large.h).

// ---- one line -----------------------------------------------------------------------------------

// Transforms `lines` lines, which `buffer` has room for.
static void NAME(run_line)(const NAME(fourier_passes) * plan, const REAL *in, REAL *out,
                           REAL *buffer, int64_t lines, REAL sign) {
  const int first = NAME(first_radix)(plan->n), count = plan->radices.count;
  NAME(fourier_pass) z = {in, NULL, count % 2 ? buffer : out, BLOCK, BLOCK, 0, 1, 1, lines, sign};
  z.m = plan->n / first;
  if (first == 8)
    NAME(first_pass)(&z, 8);
#if LANES == 4
  else
    NAME(first_pass)(&z, 4);
#endif
  z.s = first / LANES;
  for (int i = 0; i < count; i++) {
    const int r = plan->radices.radix[i];
    z.m /= r;
    z.in = z.out;
    z.out = z.out == out ? buffer : out;
    z.roots = plan->roots[i];
    NAME(run_pass)(&z, r, i + 1 < count ? GJL_PASS_ROOTS : GJL_PASS_ROOTS | GJL_PASS_OUT);
    z.s *= r;
  }
}

// ---- columns ------------------------------------------------------------------------------------

// Roots at `at`, 4 n reals at most; gives the end.
static REAL *NAME(prepare_columns)(NAME(fourier_passes) * plan, int64_t n, REAL *at) {
  plan->n = n;
  plan->radices = gjl_radices_of(n);
  for (int64_t i = 0, s = 1; i < plan->radices.count; i++) {
    const int r = plan->radices.radix[i];
    plan->roots[i] = at;
    if (s > 1) {
      for (int j = 1; j < r; j++)
        NAME(roots_scalars)(at + 2 * (j - 1), 2 * (r - 1), (double)(r * s), j, s);
      at += 2 * (r - 1) * s;
    }
    if (r > 5 && r != 8) {
      NAME(roots_scalars)(at, 2, r, 1, r);
      at += 2 * r;
    }
    s *= r;
  }
  return at;
}

// Where columns lie: rows `stride` apart, of blocks, or interleaved when sign is not 0.
typedef struct NAME(fourier_rows) {
  REAL *at;
  int64_t stride;
  REAL sign;
} NAME(fourier_rows);

// Transforms `width` blocks of columns; with out.at NULL into one of the buffers, which it gives.
// in.at may be `a`.
static REAL *NAME(run_columns)(const NAME(fourier_passes) * plan, int64_t width,
                               NAME(fourier_rows) in, NAME(fourier_rows) out, REAL *a, REAL *b) {
  const int count = plan->radices.count;
  NAME(fourier_pass) z = {in.at, NULL, b, in.stride, width * BLOCK, plan->n, 1, width, 1, in.sign};
  for (int i = 0; i < count; i++) {
    const int r = plan->radices.radix[i];
    int kind = i == 0 ? (in.sign != 0 ? GJL_PASS_IN : 0) : GJL_PASS_ROOT;
    z.roots = plan->roots[i];
    z.m /= r;
    if (i > 0 && i + 1 == count && out.at) {
      kind |= GJL_PASS_OUT;
      z.out = out.at;
      z.out_stride = out.stride;
      z.sign = out.sign;
    }
    NAME(run_pass)(&z, r, kind);
    z.s *= r;
    z.in = z.out;
    z.in_stride = z.out_stride;
    z.out = z.out == a ? b : a;
  }
  if (out.at && count < 2) {
    for (int64_t i = 0; i < plan->n; i++) {
      for (int64_t v = 0; v < width; v++) {
        const COMPLEX x = NAME(load_block)(z.in + i * z.in_stride + v * BLOCK);
        NAME(pass_store)(out.at + i * out.stride + v * BLOCK, x, out.sign, GJL_PASS_OUT);
      }
    }
  }
  return (REAL *)(uintptr_t)z.in;
}

// ---- lines as columns ---------------------------------------------------------------------------

// Blocks of 4 neighbours from LANES lines of n numbers, a line in each lane.
GJL_INLINE void NAME(gather_four)(COMPLEX *x, const REAL *in, int64_t n, REAL sign) {
#if GJL_REAL_BITS == 64
  VECTOR re[4], im[4];
  GJL_UNROLL for (int l = 0; l < 4; l++) {
    COMPLEX y = NAME(load_pairs)(in + 2 * l * n);
    re[l] = y.re;
    im[l] = y.im * sign;
  }
  gjl_transpose(re);
  gjl_transpose(im);
  GJL_UNROLL for (int i = 0; i < 4; i++) { x[GJL_LANE(i)] = (COMPLEX){re[i], im[i]}; }
#else
  gjl_f64x4 a[4], b[4]; // of pairs
  GJL_UNROLL for (int l = 0; l < 4; l++) {
    a[l] = (gjl_f64x4)NAME(fourier_load)(in + 2 * l * n);
    b[l] = (gjl_f64x4)NAME(fourier_load)(in + 2 * (l + 4) * n);
  }
  gjl_transpose(a);
  gjl_transpose(b);
  GJL_UNROLL for (int i = 0; i < 4; i++) {
    VECTOR c = (VECTOR)a[i], d = (VECTOR)b[i];
    x[i] = (COMPLEX){EVENS(c, d), ODDS(c, d) * sign};
  }
#endif
}

GJL_INLINE void NAME(scatter_four)(REAL *out, const COMPLEX *x, int64_t n, REAL sign) {
#if GJL_REAL_BITS == 64
  VECTOR re[4], im[4];
  GJL_UNROLL for (int i = 0; i < 4; i++) {
    re[i] = x[GJL_LANE(i)].re;
    im[i] = x[GJL_LANE(i)].im * sign;
  }
  gjl_transpose(re);
  gjl_transpose(im);
  GJL_UNROLL for (int l = 0; l < 4; l++) {
    NAME(store_pairs)(out + 2 * l * n, (COMPLEX){re[l], im[l]});
  }
#else
  gjl_f64x4 a[4], b[4];
  GJL_UNROLL for (int i = 0; i < 4; i++) {
    VECTOR re = x[i].re, im = x[i].im * sign;
    a[i] = (gjl_f64x4)LOW_PAIRS(re, im);
    b[i] = (gjl_f64x4)HIGH_PAIRS(re, im);
  }
  gjl_transpose(a);
  gjl_transpose(b);
  GJL_UNROLL for (int l = 0; l < 4; l++) {
    NAME(fourier_store)(out + 2 * l * n, (VECTOR)a[l]);
    NAME(fourier_store)(out + 2 * (l + 4) * n, (VECTOR)b[l]);
  }
#endif
}

// Blocks of element i of LANES lines of n numbers, `stride` apart; of `lines` lines if that is
// less, and 0 in the other lanes.
static void NAME(gather_lines)(REAL *blocks, int64_t stride, const REAL *in, int64_t n,
                               int64_t lines, REAL sign) {
  if (n < 4 || lines < LANES) {
    for (int64_t i = 0; i < n; i++, blocks += stride) {
      for (int64_t l = 0; l < LANES; l++) {
        blocks[l] = l < lines ? in[2 * (l * n + i)] : 0;
        blocks[LANES + l] = l < lines ? in[2 * (l * n + i) + 1] * sign : 0;
      }
    }
    return;
  }
  for (int64_t i = 0; i < n; i += 4) {
    const int64_t first = i + 4 <= n ? i : n - 4;
    COMPLEX x[4];
    NAME(gather_four)(x, in + 2 * first, n, sign);
    GJL_UNROLL for (int j = 0; j < 4; j++) {
      NAME(store_block)(blocks + (first + j) * stride, x[j]);
    }
  }
}

// The converse; what blocks hold of lanes that `lines` does not reach is left.
static void NAME(scatter_lines)(REAL *out, const REAL *blocks, int64_t stride, int64_t n,
                                int64_t lines, REAL sign) {
  if (n < 4 || lines < LANES) {
    for (int64_t i = 0; i < n; i++, blocks += stride) {
      for (int64_t l = 0; l < lines && l < LANES; l++) {
        out[2 * (l * n + i)] = blocks[l];
        out[2 * (l * n + i) + 1] = blocks[LANES + l] * sign;
      }
    }
    return;
  }
  for (int64_t i = 0; i < n; i += 4) {
    const int64_t first = i + 4 <= n ? i : n - 4;
    COMPLEX x[4];
    GJL_UNROLL for (int j = 0; j < 4; j++) {
      x[j] = NAME(load_block)(blocks + (first + j) * stride);
    }
    NAME(scatter_four)(out + 2 * first, x, n, sign);
  }
}

// Lines of 4 or 8 numbers, at least LANES of them.
GJL_INLINE void NAME(short_lines)(const REAL *in, REAL *out, const int n, int64_t lines,
                                  REAL sign) {
  for (int64_t i = 0; i < lines; i += LANES) {
    const int64_t first = i + LANES <= lines ? i : lines - LANES;
    COMPLEX x[8];
    GJL_UNROLL for (int j = 0; j < n; j += 4) {
      NAME(gather_four)(x + j, in + 2 * (first * n + j), n, sign);
    }
    NAME(butterfly)(x, n);
    GJL_UNROLL for (int j = 0; j < n; j += 4) {
      NAME(scatter_four)(out + 2 * (first * n + j), x + j, n, sign);
    }
  }
}

// How many blocks of lines of n numbers to take at a time: what fits in the cache of the first
// level.
static int64_t NAME(lines_at_once)(int64_t n) { return n <= 16 ? 8 : n <= 64 ? 128 / n : 1; }

// Buffers of n · lines_at_once blocks each.
static void NAME(run_lines)(const NAME(fourier_passes) * plan, const REAL *in, REAL *out,
                            int64_t lines, REAL sign, REAL *a, REAL *b) {
  const int64_t n = plan->n, most = NAME(lines_at_once)(n);
  if (n == 4 && lines >= LANES) {
    NAME(short_lines)(in, out, 4, lines, sign);
    return;
  }
  if (n == 8 && lines >= LANES) {
    NAME(short_lines)(in, out, 8, lines, sign);
    return;
  }
  for (int64_t line = 0; line < lines;) {
    const int64_t blocks = (lines - line) / LANES;
    const int64_t width = blocks < 1 ? 1 : blocks < most ? blocks : most;
    // The last lines, fewer than LANES, are done with some before them.
    const int64_t first = blocks > 0 || lines < LANES ? line : lines - LANES;
    const NAME(fourier_rows) blocks_in_a = {a, width * BLOCK, 0}, nowhere = {NULL, 0, 0};
    for (int64_t v = 0; v < width; v++) {
      const REAL *from = in + 2 * (first + v * LANES) * n;
      NAME(gather_lines)(a + v * BLOCK, width * BLOCK, from, n, lines, sign);
    }
    const REAL *done = NAME(run_columns)(plan, width, blocks_in_a, nowhere, a, b);
    for (int64_t v = 0; v < width; v++) {
      REAL *to = out + 2 * (first + v * LANES) * n;
      NAME(scatter_lines)(to, done + v * BLOCK, width * BLOCK, n, lines, sign);
    }
    line = first + width * LANES;
  }
}
