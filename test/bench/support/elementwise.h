// Loops limited by memory, for one element type: T and NAME(stem) are defined by who includes this.
//
// Matrices are square; the loops over blocks are what C programmers write for a transpose.

enum { NAME(line) = 64 / sizeof(T), NAME(large) = 8 << 20 };

// A line of z at a time, past the caches where the machine is an x86-64.
static void NAME(axpby_line)(T *z, const T *x, const T *y) {
  T line[NAME(line)];
  for (int i = 0; i < NAME(line); i++) {
    line[i] = 2 * x[i] + 3 * y[i];
  }
#ifdef __SSE2__
  __m128i part[4];
  memcpy(part, line, sizeof part);
  for (int i = 0; i < 4; i++) {
    _mm_stream_si128((__m128i *)z + i, part[i]);
  }
#else
  memcpy(z, line, sizeof line);
#endif
}

static void NAME(axpby)(void *const *a, size_t n) {
  const T *restrict x = a[0], *restrict y = a[1];
  T *restrict z = a[2];
  size_t first = 0, lines = 0;
  if (n * sizeof(T) > NAME(large)) {
    first = (-(uintptr_t)z & 63) / sizeof(T);
    lines = (n - first) / NAME(line);
  }
  for (size_t i = 0; i < first; i++) {
    z[i] = 2 * x[i] + 3 * y[i];
  }
#pragma omp parallel for schedule(static) if (lines > 0)
  for (size_t k = 0; k < lines; k++) {
    size_t i = first + k * NAME(line);
    NAME(axpby_line)(z + i, x + i, y + i);
  }
  size_t rest = first + lines * NAME(line);
#pragma omp parallel for simd schedule(static) if (n - rest > 20000)
  for (size_t i = rest; i < n; i++) {
    z[i] = 2 * x[i] + 3 * y[i];
  }
}

static size_t NAME(side)(size_t n) { return (size_t)(sqrt((double)n) + 0.5); }

static void NAME(transpose)(void *const *a, size_t n) {
  const T *restrict x = a[0];
  T *restrict z = a[1];
  size_t side = NAME(side)(n), step = 16;
  for (size_t i = 0; i < side; i += step) {
    for (size_t j = 0; j < side; j += step) {
      for (size_t k = i; k < i + step && k < side; k++) {
        for (size_t l = j; l < j + step && l < side; l++) {
          z[k * side + l] = x[l * side + k];
        }
      }
    }
  }
}

static void NAME(add_transposed)(void *const *a, size_t n) {
  const T *restrict x = a[0], *restrict y = a[1];
  T *restrict z = a[2];
  size_t side = NAME(side)(n), step = 16;
  for (size_t i = 0; i < side; i += step) {
    for (size_t j = 0; j < side; j += step) {
      for (size_t k = i; k < i + step && k < side; k++) {
        for (size_t l = j; l < j + step && l < side; l++) {
          z[k * side + l] = x[k * side + l] + y[l * side + k];
        }
      }
    }
  }
}

// Brightness of interleaved red, green and blue. The result is the first array.
static void NAME(grey)(void *const *a, size_t n) {
  T *restrict z = a[0];
  const T *restrict x = a[1];
  for (size_t i = 0; i < n; i++) {
    z[i] = (T)0.25 * x[3 * i] + (T)0.5 * x[3 * i + 1] + (T)0.25 * x[3 * i + 2];
  }
}

static void NAME(halve)(void *const *a, size_t n) {
  T *restrict z = a[0];
  const T *restrict x = a[1];
  for (size_t i = 0; i < n; i++) {
    z[i] = x[2 * i];
  }
}

static void NAME(add_row)(void *const *a, size_t n) {
  const T *restrict x = a[0], *restrict y = a[1];
  T *restrict z = a[2];
  size_t side = NAME(side)(n);
  for (size_t i = 0; i < side; i++) {
    for (size_t j = 0; j < side; j++) {
      z[i * side + j] = x[i * side + j] + y[j];
    }
  }
}

static void NAME(add_column)(void *const *a, size_t n) {
  const T *restrict x = a[0], *restrict y = a[1];
  T *restrict z = a[2];
  size_t side = NAME(side)(n);
  for (size_t i = 0; i < side; i++) {
    for (size_t j = 0; j < side; j++) {
      z[i * side + j] = x[i * side + j] + y[i];
    }
  }
}
