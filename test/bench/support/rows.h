// Rows brought to a common scale, as C programmers write it: rows of 1024 or 768 f32.

enum { SOFTMAX_COLS = 1024, NORM_COLS = 768 };

static void softmax_f32(void *const *a, size_t n) {
#pragma omp parallel for
  for (size_t r = 0; r < n / SOFTMAX_COLS; r++) {
    const float *restrict x = (const float *)a[0] + r * SOFTMAX_COLS;
    float *restrict y = (float *)a[1] + r * SOFTMAX_COLS;
    float most = x[0], sum = 0;
    for (size_t i = 0; i < SOFTMAX_COLS; i++) {
      most = x[i] > most ? x[i] : most;
    }
    for (size_t i = 0; i < SOFTMAX_COLS; i++) {
      y[i] = expf(x[i] - most);
      sum += y[i];
    }
    for (size_t i = 0; i < SOFTMAX_COLS; i++) {
      y[i] *= 1 / sum;
    }
  }
}

static void layer_norm_f32(void *const *a, size_t n) {
  const float *restrict scale = a[1], *restrict bias = a[2];
#pragma omp parallel for
  for (size_t r = 0; r < n / NORM_COLS; r++) {
    const float *restrict x = (const float *)a[0] + r * NORM_COLS;
    float *restrict y = (float *)a[3] + r * NORM_COLS;
    float sum = 0, squares = 0;
    for (size_t i = 0; i < NORM_COLS; i++) {
      sum += x[i];
    }
    float mean = sum / NORM_COLS;
    for (size_t i = 0; i < NORM_COLS; i++) {
      squares += (x[i] - mean) * (x[i] - mean);
    }
    float factor = 1 / sqrtf(squares / NORM_COLS + 1e-5f);
    for (size_t i = 0; i < NORM_COLS; i++) {
      y[i] = (x[i] - mean) * factor * scale[i] + bias[i];
    }
  }
}
