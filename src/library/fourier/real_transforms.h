// Transforms of real numbers.
//
// Those of even length are complex ones of half that length, of z_j = x_2j + i x_(2j + 1), whose
// results are taken apart into those of even and of odd j (Cooley, Lewis, Welch, "The fast Fourier
// transform algorithm: programming considerations", 1970). Those of odd length are complex ones.
// Two lines could share one, but then rounding errors and NaN of one line would reach the other.

// How many lines to transform together, so that short ones fill vectors; `n` complex numbers each.
static int64_t NAME(lines_together)(int64_t n) {
  return n <= 128 ? NAME(lines_at_once)(n) * LANES : 1;
}

// Roots w^k, w = e^(-2 pi i / n), k = 0 … count, interleaved, and LANES more at most.
static void NAME(pair_roots)(REAL *out, int64_t n, int64_t count) {
  const int64_t blocks = (count + LANES) / LANES;
  NAME(roots_sequence)(out, BLOCK, (double)n, 1, blocks);
  for (int64_t b = 0; b < blocks; b++)
    NAME(store_pairs)(out + b * BLOCK, NAME(load_block)(out + b * BLOCK));
}

// X_k and X_(h - k), 0 < k < h, of the transforms of h = n / 2 numbers, from one another; w = w^k.
//   forward:  X_k = (Z_k + conj Z_(h - k)) / 2 - i w^k (Z_k - conj Z_(h - k)) / 2
//   inverse:  Z_k = X_k + conj X_(h - k) + i w^-k (X_k - conj X_(h - k))
// The same but for the factor, and for the sign of the imaginary parts of w' = -i w^k.
GJL_INLINE void NAME(take_apart)(COMPLEX *x, COMPLEX *y, COMPLEX w, REAL scale, REAL sign) {
  COMPLEX turn = {w.im * scale, w.re * (-scale * sign)};
  COMPLEX a = {(x->re + y->re) * scale, (x->im - y->im) * scale};
  COMPLEX b = {x->re - y->re, x->im + y->im};
  COMPLEX c = NAME(complex_multiply)(b, turn);
  *x = NAME(complex_add)(a, c);
  *y = (COMPLEX){a.re - c.re, c.im - a.im};
}

GJL_INLINE VECTOR NAME(reverse_lanes)(VECTOR v) {
#if GJL_REAL_BITS == 64
  return __builtin_shufflevector(v, v, 3, 2, 1, 0);
#else
  return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
}

// All pairs 0 < k < h of one line, from `in` to `out`, which may be the same.
static void NAME(take_line_apart)(const REAL *in, REAL *out, const REAL *roots, int64_t h,
                                  REAL scale, REAL sign) {
  int64_t k = 1;
  for (; k + LANES <= h - k - LANES + 1; k += LANES) {
    const int64_t mirror = h - k - LANES + 1;
    COMPLEX x = NAME(load_pairs)(in + 2 * k), y = NAME(load_pairs)(in + 2 * mirror);
    y = (COMPLEX){NAME(reverse_lanes)(y.re), NAME(reverse_lanes)(y.im)};
    NAME(take_apart)(&x, &y, NAME(load_pairs)(roots + 2 * k), scale, sign);
    NAME(store_pairs)(out + 2 * k, x);
    y = (COMPLEX){NAME(reverse_lanes)(y.re), NAME(reverse_lanes)(y.im)};
    NAME(store_pairs)(out + 2 * mirror, y);
  }
  for (; 2 * k <= h; k++) {
    const int64_t mirror = h - k;
    COMPLEX x = {SPLAT(in[2 * k]), SPLAT(in[2 * k + 1])};
    COMPLEX y = {SPLAT(in[2 * mirror]), SPLAT(in[2 * mirror + 1])};
    COMPLEX w = {SPLAT(roots[2 * k]), SPLAT(roots[2 * k + 1])};
    NAME(take_apart)(&x, &y, w, scale, sign);
    out[2 * mirror] = y.re[0];
    out[2 * mirror + 1] = y.im[0];
    out[2 * k] = x.re[0];
    out[2 * k + 1] = x.im[0];
  }
}

// The complex transforms that those of n real numbers are made of.
typedef struct NAME(real_plan) {
  NAME(fourier_plan) whole;
  int64_t n, most; // lines together
  REAL *x, *z;     // roots if n is even, else operands; complex numbers of `most` lines
} NAME(real_plan);

static void NAME(prepare_real)(NAME(real_plan) * plan, int64_t n, int64_t lines, REAL *work) {
  const bool even = n % 2 == 0;
  const int64_t size = even ? n / 2 : n, most = NAME(lines_together)(size);
  plan->n = n;
  plan->most = most;
  plan->x = NAME(round_up)(work);
  plan->z = NAME(round_up)(plan->x + (even ? size + BLOCK : 2 * most * size));
  if (even)
    NAME(pair_roots)(plan->x, n, size / 2);
  NAME(prepare_fourier)(&plan->whole, size, lines < most ? lines : most, plan->z + 2 * most * size);
}

static void NAME(even_forward)(const NAME(real_plan) * plan, const REAL *in, REAL *out,
                               int64_t lines) {
  const int64_t n = plan->n, h = n / 2, most = plan->most;
  for (int64_t line = 0; line < lines; line += most) {
    const int64_t count = lines - line < most ? lines - line : most;
    NAME(run_fourier)(&plan->whole, in + line * n, plan->z, count, 1);
    for (int64_t i = 0; i < count; i++) {
      const REAL *z = plan->z + 2 * i * h;
      REAL *to = out + (line + i) * (n + 2);
      NAME(take_line_apart)(z, to, plan->x, h, (REAL)0.5, 1);
      to[0] = z[0] + z[1];
      to[1] = 0;
      to[n] = z[0] - z[1];
      to[n + 1] = 0;
    }
  }
}

static void NAME(even_inverse)(const NAME(real_plan) * plan, const REAL *in, REAL *out,
                               int64_t lines) {
  const int64_t n = plan->n, h = n / 2, most = plan->most;
  for (int64_t line = 0; line < lines; line += most) {
    const int64_t count = lines - line < most ? lines - line : most;
    for (int64_t i = 0; i < count; i++) {
      const REAL *from = in + (line + i) * (n + 2);
      REAL *z = plan->z + 2 * i * h;
      NAME(take_line_apart)(from, z, plan->x, h, 1, -1);
      z[0] = from[0] + from[n];
      z[1] = from[0] - from[n];
    }
    NAME(run_fourier)(&plan->whole, plan->z, out + line * n, count, -1);
  }
}

static void NAME(odd_forward)(const NAME(real_plan) * plan, const REAL *in, REAL *out,
                              int64_t lines) {
  const int64_t n = plan->n, half = n / 2 + 1, most = plan->most;
  REAL *x = plan->x, *z = plan->z;
  for (int64_t line = 0; line < lines; line += most) {
    const int64_t count = lines - line < most ? lines - line : most;
    for (int64_t j = 0; j < count * n; j++) {
      x[2 * j] = in[line * n + j];
      x[2 * j + 1] = 0;
    }
    NAME(run_fourier)(&plan->whole, x, z, count, 1);
    for (int64_t i = 0; i < count; i++) {
      REAL *to = out + (line + i) * 2 * half;
      for (int64_t k = 0; k < 2 * half; k++)
        to[k] = z[2 * i * n + k];
      to[1] = 0;
    }
  }
}

static void NAME(odd_inverse)(const NAME(real_plan) * plan, const REAL *in, REAL *out,
                              int64_t lines) {
  const int64_t n = plan->n, half = n / 2 + 1, most = plan->most;
  REAL *x = plan->x, *z = plan->z;
  for (int64_t line = 0; line < lines; line += most) {
    const int64_t count = lines - line < most ? lines - line : most;
    for (int64_t i = 0; i < count; i++) {
      const REAL *from = in + (line + i) * 2 * half;
      REAL *to = x + 2 * i * n;
      to[0] = from[0];
      to[1] = 0;
      for (int64_t k = 1; k < half; k++) {
        to[2 * k] = to[2 * (n - k)] = from[2 * k];
        to[2 * k + 1] = from[2 * k + 1];
        to[2 * (n - k) + 1] = -from[2 * k + 1];
      }
    }
    NAME(run_fourier)(&plan->whole, x, z, count, -1);
    for (int64_t j = 0; j < count * n; j++)
      out[line * n + j] = z[2 * j];
  }
}
