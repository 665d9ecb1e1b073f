// The programs of programs.js in C, included by peers.c. Their numbers come as an array of f64, and
// what they return goes to one, behind the arrays that they work on.

static void sum_to(void *const *a, size_t n) {
  int64_t last = (int64_t)((const double *)a[0])[0], sum = 0;
  for (int64_t i = 0; i <= last; i++) {
    sum += i;
  }
  *(double *)a[1] = (double)sum;
  (void)n;
}

static void mandelbrot(void *const *a, size_t n) {
  const double *numbers = a[0];
  uint16_t *restrict image = a[1];
  int width = (int)numbers[0], height = (int)numbers[1], limit = (int)numbers[2];
  for (int row = 0; row < height; row++) {
    double ci = 2.0 * row / height - 1;
    for (int column = 0; column < width; column++) {
      double cr = 3.0 * column / width - 2, zr = 0, zi = 0;
      int rounds = 0;
      while (rounds < limit && zr * zr + zi * zi <= 4) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        rounds++;
      }
      image[row * width + column] = (uint16_t)rounds;
    }
  }
  *(double *)a[2] = image[(height >> 1) * width + (width >> 2)];
  (void)n;
}

static void nbody(void *const *a, size_t n) {
  const double *numbers = a[0];
  double *bodies = a[1], dt = numbers[2];
  int count = (int)numbers[0], steps = (int)numbers[1];
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < count; i++) {
      double *p = bodies + 7 * i;
      for (int j = i + 1; j < count; j++) {
        double *q = bodies + 7 * j;
        double dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
        double square = dx * dx + dy * dy + dz * dz, pull = dt / (square * sqrt(square));
        double of_q = q[6] * pull, of_p = p[6] * pull;
        p[3] -= dx * of_q;
        p[4] -= dy * of_q;
        p[5] -= dz * of_q;
        q[3] += dx * of_p;
        q[4] += dy * of_p;
        q[5] += dz * of_p;
      }
    }
    for (int i = 0; i < count; i++) {
      double *p = bodies + 7 * i;
      p[0] += dt * p[3];
      p[1] += dt * p[4];
      p[2] += dt * p[5];
    }
  }
  *(double *)a[2] = bodies[0];
  (void)n;
}

static inline double spectral_element(double i, double j) {
  return 1 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

static void spectral_times(int n, bool transposed, const double *restrict from,
                           double *restrict to) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += (transposed ? spectral_element(j, i) : spectral_element(i, j)) * from[j];
    }
    to[i] = sum;
  }
}

static void spectral_norm(void *const *a, size_t size) {
  const double *numbers = a[0];
  int n = (int)numbers[0], rounds = (int)numbers[1];
  double *u = malloc((size_t)n * sizeof *u), *v = calloc((size_t)n, sizeof *v),
         *w = calloc((size_t)n, sizeof *w), top = 0, bottom = 0;
  for (int i = 0; i < n; i++) {
    u[i] = 1;
  }
  for (int round = 0; round < rounds; round++) {
    spectral_times(n, false, u, w);
    spectral_times(n, true, w, v);
    spectral_times(n, false, v, w);
    spectral_times(n, true, w, u);
  }
  for (int i = 0; i < n; i++) {
    top += u[i] * v[i];
    bottom += v[i] * v[i];
  }
  *(double *)a[1] = sqrt(top / bottom);
  free(u), free(v), free(w);
  (void)size;
}

static double fannkuch_of(int n, int *restrict start, int *restrict order, int *restrict count) {
  int most = 0, sign = 1, r = n;
  int64_t checksum = 0;
  for (int i = 0; i < n; i++) {
    start[i] = i;
  }
  for (;;) {
    for (; r != 1; r--) {
      count[r - 1] = r;
    }
    memcpy(order, start, (size_t)n * sizeof *order);
    int flips = 0;
    for (int first; (first = order[0]) != 0; flips++) {
      for (int i = 0, j = first; i < j; i++, j--) {
        int t = order[i];
        order[i] = order[j];
        order[j] = t;
      }
    }
    most = flips > most ? flips : most;
    checksum += sign * flips;
    sign = -sign;
    for (;; r++) {
      if (r == n) {
        return (double)(checksum * 100 + most);
      }
      int first = start[0];
      memmove(start, start + 1, (size_t)r * sizeof *start);
      start[r] = first;
      if (--count[r] > 0) {
        break;
      }
    }
  }
}

static void fannkuch(void *const *a, size_t size) {
  int arrays[3][16];
  *(double *)a[1] = fannkuch_of((int)((const double *)a[0])[0], arrays[0], arrays[1], arrays[2]);
  (void)size;
}

static void sieve(void *const *a, size_t size) {
  int n = (int)((const double *)a[0])[0], found = 0;
  uint8_t *composite = calloc((size_t)n + 1, 1);
  for (int i = 2; i <= n; i++) {
    if (!composite[i]) {
      found++;
      for (int64_t j = (int64_t)i * i; j <= n; j += i) {
        composite[j] = 1;
      }
    }
  }
  free(composite);
  *(double *)a[1] = found;
  (void)size;
}

static void matmul(void *const *arrays, size_t size) {
  size_t n = (size_t)((const double *)arrays[0])[0];
  const double *restrict a = arrays[1], *restrict b = arrays[2];
  double *restrict c = arrays[3];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) {
        sum += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = sum;
    }
  }
  *(double *)arrays[4] = c[n * n - 1];
  (void)size;
}

static void collatz(void *const *a, size_t size) {
  int n = (int)((const double *)a[0])[0], longest = 0, at = 0;
  for (int start = 1; start < n; start++) {
    int64_t x = start;
    int steps = 0;
    for (; x != 1; steps++) {
      x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
    if (steps > longest) {
      longest = steps;
      at = start;
    }
  }
  *(double *)a[1] = at;
  (void)size;
}

static void moving_median(void *const *a, size_t size) {
  const double *numbers = a[0], *restrict data = a[1];
  int length = (int)numbers[0], width = (int)numbers[1], filled = 0;
  double *restrict medians = a[2], *restrict sorted = calloc((size_t)width, sizeof *sorted);
  for (int i = 0; i < length; i++) {
    if (filled == width) {
      double gone = data[i - width];
      int at = 0;
      while (sorted[at] != gone) {
        at++;
      }
      for (; at + 1 < width; at++) {
        sorted[at] = sorted[at + 1];
      }
      filled--;
    }
    int at = filled;
    for (; at > 0 && sorted[at - 1] > data[i]; at--) {
      sorted[at] = sorted[at - 1];
    }
    sorted[at] = data[i];
    if (++filled == width) {
      medians[i - width + 1] = sorted[width >> 1];
    }
  }
  free(sorted);
  *(double *)a[3] = medians[length - width];
  (void)size;
}
