// Values and gradients by hand, as one writes them in C where speed counts.

// Rastrigin's function of 40 variables for each of `n` points, and its gradient:
//   10 · 40 + Σ x² - 10 cos(2πx)     and     2x + 20π sin(2πx)
static void rastrigin40(void *const *a, size_t n) {
  const double *restrict x = a[0];
  double *restrict f = a[1], *restrict g = a[2];
  const double tau = 6.283185307179586;
  n /= 40;
  _Pragma("omp parallel for schedule(static) if (n > 500)") for (size_t i = 0; i < n; i++) {
    double sum = 400;
    _Pragma("omp simd reduction(+ : sum)") for (size_t j = 0; j < 40; j++) {
      double v = x[40 * i + j];
      sum += v * v - 10 * cos(tau * v);
      g[40 * i + j] = 2 * v + 10 * tau * sin(tau * v);
    }
    f[i] = sum;
  }
}
