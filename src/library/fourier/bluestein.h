// Transforms of any length: those with a large prime factor as convolutions (Bluestein, "A linear
// filtering approach to the computation of discrete Fourier transform", 1970).
//
// From j k = (j² + k² - (k - j)²) / 2 follows X_k = c_k · sum of (x_j c_j) conj(c_(k - j)) with
// c_j = e^(-pi i j² / n): a convolution with the chirp conj(c), done by transforms of a smooth
// length of 2 n - 1 or more. j² is reduced modulo 2 n, exactly.

typedef struct NAME(fourier_plan) {
  bool chirped;
  int64_t n, length; // of the convolution
  NAME(fourier_smooth) smooth;
  REAL *chirp, *filter, *x, *y; // n, then `length` numbers each
} NAME(fourier_plan);

// The least length of a convolution, of those that are quick.
static int64_t NAME(convolution_length)(int64_t least) {
  static const int odd[] = {1, 3, 5, 9, 15};
  int64_t best = 0;
  for (int i = 0; i < 5; i++) {
    int64_t length = 16 * LANES * odd[i];
    while (length < least)
      length *= 2;
    if (best == 0 || length < best)
      best = length;
  }
  return best;
}

// c_j; interleaved.
static void NAME(chirp)(REAL *out, int64_t n) {
  REAL block[BLOCK];
  double exponent[LANES];
  // Exponents k = j² mod 2 n by their differences 2 j + 1.
  for (int64_t j = 0, k = 0; j < n; j += LANES) {
    for (int l = 0; l < LANES; l++) {
      exponent[l] = (double)k;
      k += 2 * (j + l) + 1;
      k -= k >= 2 * n ? 2 * n : 0;
      k -= k >= 2 * n ? 2 * n : 0;
    }
    for (int g = 0; g < LANES; g += 4) {
      gjl_roots r =
          gjl_roots_of((gjl_f64x4){exponent[g], exponent[g + 1], exponent[g + 2], exponent[g + 3]},
                       2 * (double)n, LANES == 8);
      for (int l = 0; l < 4; l++) {
        block[2 * (g + l)] = (REAL)r.re[l];
        block[2 * (g + l) + 1] = (REAL)r.im[l];
      }
    }
    for (int l = 0; l < BLOCK && l < 2 * (n - j); l++)
      out[2 * j + l] = block[l];
  }
}

// out = x · y of `count` interleaved numbers, or conj(x) · y if sign is -1: of all but the last
// ones by blocks. out may be x.
static void NAME(multiply_pairs)(REAL *out, const REAL *x, const REAL *y, int64_t count,
                                 REAL sign) {
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    COMPLEX a = NAME(load_pairs)(x + 2 * i);
    a.im = a.im * sign;
    NAME(store_pairs)(out + 2 * i, NAME(complex_multiply)(a, NAME(load_pairs)(y + 2 * i)));
  }
  for (; i < count; i++) {
    const REAL re = x[2 * i], im = x[2 * i + 1] * sign;
    out[2 * i] = re * y[2 * i] - im * y[2 * i + 1];
    out[2 * i + 1] = re * y[2 * i + 1] + im * y[2 * i];
  }
}

// n > 0. The work of a convolution, the longest, is 2 n for the chirp, 6 times its length for the
// filter and two buffers, and that of its transforms; the length is less than 2.5 n, but for short
// ones, which are less than 4 n.
static REAL *NAME(prepare_fourier)(NAME(fourier_plan) * plan, int64_t n, int64_t lines,
                                   REAL *work) {
  plan->n = n;
  plan->chirped = gjl_rough_part(n) > 1;
  if (!plan->chirped)
    return NAME(prepare_smooth)(&plan->smooth, n, lines, work);
  const int64_t length = NAME(convolution_length)(2 * n - 1);
  plan->length = length;
  plan->chirp = NAME(round_up)(work);
  plan->filter = NAME(round_up)(plan->chirp + 2 * n);
  plan->x = plan->filter + 2 * length;
  plan->y = plan->x + 2 * length;
  work = NAME(prepare_smooth)(&plan->smooth, length, 1, plan->y + 2 * length);
  NAME(chirp)(plan->chirp, n);
  // The filter, conj(c) around 0, over the length, which transforms leave as a factor.
  const REAL scale = 1 / (REAL)length;
  for (int64_t i = 0; i < 2 * length; i++)
    plan->x[i] = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t mirror = i ? length - i : 0;
    plan->x[2 * i] = plan->x[2 * mirror] = plan->chirp[2 * i] * scale;
    plan->x[2 * i + 1] = plan->x[2 * mirror + 1] = -plan->chirp[2 * i + 1] * scale;
  }
  NAME(run_smooth)(&plan->smooth, plan->x, plan->filter, 1, 1);
  return work;
}

static void NAME(run_fourier)(const NAME(fourier_plan) * plan, const REAL *in, REAL *out,
                              int64_t lines, REAL sign) {
  const int64_t n = plan->n, length = plan->length;
  if (!plan->chirped) {
    NAME(run_smooth)(&plan->smooth, in, out, lines, sign);
    return;
  }
  REAL *x = plan->x, *y = plan->y;
  for (int64_t line = 0; line < lines; line++) {
    NAME(multiply_pairs)(x, in + 2 * line * n, plan->chirp, n, sign);
    for (int64_t i = 2 * n; i < 2 * length; i++)
      x[i] = 0;
    NAME(run_smooth)(&plan->smooth, x, y, 1, 1);
    NAME(multiply_pairs)(x, y, plan->filter, length, 1);
    NAME(run_smooth)(&plan->smooth, x, y, 1, -1);
    REAL *to = out + 2 * line * n;
    NAME(multiply_pairs)(to, y, plan->chirp, n, 1);
    if (sign < 0)
      for (int64_t i = 0; i < n; i++)
        to[2 * i + 1] = -to[2 * i + 1];
  }
}
