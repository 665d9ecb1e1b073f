// The roots that passes over one line read, one table for each pass.
//
// To make those of a short line takes as long as to transform it, so native code keeps them.

typedef struct NAME(fourier_passes) {
  gjl_radices radices;
  int64_t n;
  REAL *roots[62]; // of each pass
} NAME(fourier_passes);

GJL_INLINE REAL *NAME(round_up)(REAL *at) {
  return (REAL *)(((uintptr_t)at + 63) & ~(uintptr_t)63);
}

static int NAME(first_radix)(int64_t n) {
  if (n % 8 == 0 && n / 8 >= LANES && n % 32 != 16)
    return 8;
  return LANES == 4 && n % 4 == 0 && n / 4 >= LANES ? 4 : 0;
}

// Every `ratio`-th number of `count` · ratio blocks; ratio is 4 or 8. Blocks are `stride` and
// `from_stride` apart.
GJL_INLINE void NAME(thin_out)(REAL *out, int64_t stride, const REAL *from, int64_t from_stride,
                               const int ratio, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    COMPLEX x[8];
    GJL_UNROLL for (int l = 0; l < ratio; l++) {
      x[l] = NAME(load_block)(from + (ratio * i + l) * from_stride);
    }
    GJL_UNROLL for (int left = ratio / 2; left > 0; left /= 2) {
      GJL_UNROLL for (int l = 0; l < left; l++) {
        x[l].re = EVEN_NUMBERS(x[2 * l].re, x[2 * l + 1].re);
        x[l].im = EVEN_NUMBERS(x[2 * l].im, x[2 * l + 1].im);
      }
    }
    NAME(store_block)(out + i * stride, x[0]);
  }
}

// From blocks of w^q those of w^2q, q < s, in place: `at` is that of w^0; blocks are `stride`
// apart, and those of w^2q begin at `squares`. half_turn is w^s.
static void NAME(square_roots)(REAL *squares, const REAL *at, int64_t stride, int64_t count,
                               COMPLEX half_turn) {
  for (int64_t i = 0; i < count / 2; i++) {
    COMPLEX a = NAME(load_block)(at + 2 * i * stride);
    COMPLEX b = NAME(load_block)(at + (2 * i + 1) * stride);
    a = (COMPLEX){EVEN_NUMBERS(a.re, b.re), EVEN_NUMBERS(a.im, b.im)};
    NAME(store_block)(squares + i * stride, a);
    NAME(store_block)(squares + (i + count / 2) * stride, NAME(complex_multiply)(a, half_turn));
  }
}

// How many blocks of roots a pass reads for each block of its elements.
static int NAME(stored_roots)(int r) { return r == 4 ? 2 : r - 1; }

// Those of a pass of radix 4 or 8, given w^q at `at`: w^2q and w^4q by moving, the others by one or
// two multiplications.
static void NAME(power_roots)(REAL *at, int r, int64_t s) {
  const int64_t stride = NAME(stored_roots)(r) * BLOCK, count = s / LANES;
  const REAL half = (REAL)0.70710678118654752440;
  const COMPLEX quarter = {SPLAT(0), SPLAT(-1)}, eighth = {SPLAT(half), SPLAT(-half)};
  if (count % 2) {
    NAME(roots_sequence)(at + BLOCK, stride, (double)(r * s), 2, count);
    if (r == 8)
      NAME(roots_sequence)(at + 3 * BLOCK, stride, (double)(r * s), 4, count);
  } else {
    NAME(square_roots)(at + BLOCK, at, stride, count, r == 4 ? quarter : eighth);
    if (r == 8)
      NAME(square_roots)(at + 3 * BLOCK, at + BLOCK, stride, count, quarter);
  }
  for (int64_t i = 0; i < count && r == 8; i++, at += stride) {
    COMPLEX a = NAME(load_block)(at), b = NAME(load_block)(at + BLOCK);
    COMPLEX c = NAME(complex_multiply)(a, b), d = NAME(load_block)(at + 3 * BLOCK);
    NAME(store_block)(at + 2 * BLOCK, c);
    NAME(store_block)(at + 4 * BLOCK, NAME(complex_multiply)(a, d));
    NAME(store_block)(at + 5 * BLOCK, NAME(complex_multiply)(b, d));
    NAME(store_block)(at + 6 * BLOCK, NAME(complex_multiply)(c, d));
  }
}

// Those of radix 5, given w^q and w^2q.
static void NAME(fifth_roots)(REAL *at, int64_t count) {
  for (int64_t i = 0; i < count; i++, at += 4 * BLOCK) {
    COMPLEX a = NAME(load_block)(at), b = NAME(load_block)(at + BLOCK);
    NAME(store_block)(at + 2 * BLOCK, NAME(complex_multiply)(a, b));
    NAME(store_block)(at + 3 * BLOCK, NAME(complex_multiply)(b, b));
  }
}

// Where roots of a line's passes lie, from `at` on: 2 n + 160 reals at most. Gives the end.
static REAL *NAME(place_roots)(NAME(fourier_passes) * plan, int64_t n, REAL *at) {
  int64_t s = NAME(first_radix)(n);
  plan->n = n;
  plan->radices = gjl_radices_of(n / s);
  for (int i = 0; i < plan->radices.count; i++) {
    const int r = plan->radices.radix[i];
    plan->roots[i] = NAME(round_up)(at);
    at = plan->roots[i] + 2 * NAME(stored_roots)(r) * s + (r > 5 && r != 8 ? 2 * r : 0);
    s *= r;
  }
  return at;
}

static void NAME(make_roots)(const NAME(fourier_passes) * plan) {
  const gjl_radices *radices = &plan->radices;
  int64_t s = plan->n;
  for (int i = radices->count - 1; i >= 0; i--) {
    const int r = radices->radix[i], next = i + 1 < radices->count ? radices->radix[i + 1] : 0;
    s /= r;
    const bool even = r == 4 || r == 8;
    const int64_t stride = NAME(stored_roots)(r) * BLOCK, count = s / LANES;
    REAL *at = plan->roots[i];
    if (even && next == 4) {
      NAME(thin_out)(at, stride, plan->roots[i + 1], NAME(stored_roots)(4) * BLOCK, 4, count);
    } else if (even && next == 8) {
      NAME(thin_out)(at, stride, plan->roots[i + 1], NAME(stored_roots)(8) * BLOCK, 8, count);
    } else {
      for (int j = 1; j < (even ? 2 : r == 5 ? 3 : r); j++)
        NAME(roots_sequence)(at + (j - 1) * BLOCK, stride, (double)(r * s), j, count);
    }
    if (even)
      NAME(power_roots)(at, r, s);
    if (r == 5)
      NAME(fifth_roots)(at, count);
    if (r > 5 && r != 8)
      NAME(roots_scalars)(at + 2 * (r - 1) * s, 2, r, 1, r);
  }
}

#ifdef GJL_NATIVE
// Roots of lengths that are powers of 2 are kept by the process: to make them takes as long as to
// transform a line. Whoever finds a table free fills it, and who comes meanwhile makes its own, so
// nobody waits.
static REAL NAME(kept_roots)[4 * GJL_KEPT_MOST + 14 * 160];
static _Atomic int NAME(kept_state)[14];

// Whether `plan` has the roots of its length from there.
static bool NAME(keep_roots)(NAME(fourier_passes) * plan, int64_t n) {
  if (n > GJL_KEPT_MOST || n & (n - 1))
    return false;
  const int length = __builtin_ctzll((uint64_t)n);
  _Atomic int *state = NAME(kept_state) + length;
  int found = atomic_load_explicit(state, memory_order_acquire);
  if (found == GJL_ROOTS_TAKEN ||
      (found == GJL_ROOTS_NONE && !atomic_compare_exchange_strong(state, &found, GJL_ROOTS_TAKEN)))
    return false;
  NAME(place_roots)(plan, n, NAME(kept_roots) + 2 * n + length * 160);
  if (found == GJL_ROOTS_NONE) {
    NAME(make_roots)(plan);
    atomic_store_explicit(state, GJL_ROOTS_READY, memory_order_release);
  }
  return true;
}
#else
static bool NAME(keep_roots)(NAME(fourier_passes) * plan, int64_t n) {
  (void)plan, (void)n;
  return false;
}
#endif

// Roots at `at` unless they are kept; gives the end.
static REAL *NAME(prepare_line)(NAME(fourier_passes) * plan, int64_t n, REAL *at) {
  if (NAME(keep_roots)(plan, n))
    return at;
  at = NAME(place_roots)(plan, n, at);
  NAME(make_roots)(plan);
  return at;
}
