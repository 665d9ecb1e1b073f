// The loops that graphjit is measured against, as C programmers write them, callable from Node.
//
// One source, compiled twice by peers.js: as clang -O3 does it for this CPU, and by gcc -Ofast,
// which may reorder sums and has vector versions of the functions. A small addon, so that both
// sides run in one process on the very same arrays. The wrapper checks nothing: only the bench
// calls it.
#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

static void hypot_f64(void *const *a, size_t n) {
  const double *restrict x = a[0], *restrict y = a[1];
  double *restrict z = a[2];
  for (size_t i = 0; i < n; i++) {
    z[i] = sqrt(x[i] * x[i] + y[i] * y[i]);
  }
}

static void add_f64(void *const *a, size_t n) {
  const double *restrict x = a[0], *restrict y = a[1];
  double *restrict z = a[2];
  for (size_t i = 0; i < n; i++) {
    z[i] = x[i] + y[i];
  }
}

#define SUM(name, type)                                                                            \
  static void name(void *const *a, size_t n) {                                                     \
    const type *restrict x = a[0];                                                                 \
    type sum = 0;                                                                                  \
    _Pragma("omp parallel for reduction(+ : sum)") for (size_t i = 0; i < n; i++) { sum += x[i]; } \
    *(type *)a[1] = sum;                                                                           \
  }

SUM(sum_f64, double)
SUM(sum_f32, float)

#define RUNNING(name, type)                                                                        \
  static void name(void *const *a, size_t n) {                                                     \
    const type *restrict x = a[0];                                                                 \
    type *restrict y = a[1], sum = 0;                                                              \
    for (size_t i = 0; i < n; i++) {                                                               \
      sum += x[i];                                                                                 \
      y[i] = sum;                                                                                  \
    }                                                                                              \
  }

RUNNING(running_f64, double)
RUNNING(running_f32, float)

// Where x is above 0.5; y has room for as many as there are elements, and a vector.
#ifdef __AVX512F__
#define COMPARED_f64(p) _mm512_cmp_pd_mask(_mm512_loadu_pd(p), _mm512_set1_pd(0.5), _CMP_GT_OQ)
#define COMPARED_f32(p)                                                                            \
  (__mmask8) _mm512_mask_cmp_ps_mask(255, _mm512_castps256_ps512(_mm256_loadu_ps(p)),              \
                                     _mm512_set1_ps(0.5F), _CMP_GT_OQ)
#define ROWS_VECTORS(compared)                                                                     \
  for (; i + 8 <= n; i += 8) {                                                                     \
    __mmask8 taken = compared(x + i);                                                              \
    _mm512_storeu_si512(y + count, _mm512_maskz_compress_epi64(taken, numbers));                   \
    count += (size_t)__builtin_popcount(taken);                                                    \
    numbers = _mm512_add_epi64(numbers, _mm512_set1_epi64(8));                                     \
  }
#define ROWS_NUMBERS __m512i numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
#else
#define ROWS_VECTORS(compared)
#define ROWS_NUMBERS
#endif
#define ROWS(name, type, compared)                                                                 \
  static void name(void *const *a, size_t n) {                                                     \
    const type *restrict x = a[0];                                                                 \
    int64_t *restrict y = a[1];                                                                    \
    size_t i = 0, count = 0;                                                                       \
    ROWS_NUMBERS                                                                                   \
    ROWS_VECTORS(compared)                                                                         \
    for (; i < n; i++) {                                                                           \
      y[count] = (int64_t)i;                                                                       \
      count += x[i] > (type)0.5;                                                                   \
    }                                                                                              \
  }

ROWS(rows_f64, double, COMPARED_f64)
ROWS(rows_f32, float, COMPARED_f32)

#define MAP(name, type, function)                                                                  \
  static void name(void *const *a, size_t n) {                                                     \
    const type *restrict x = a[0];                                                                 \
    type *restrict y = a[1];                                                                       \
    for (size_t i = 0; i < n; i++) {                                                               \
      y[i] = function(x[i]);                                                                       \
    }                                                                                              \
  }
MAP(sin_f64, double, sin)
MAP(exp_f64, double, exp)
MAP(sin_f32, float, sinf)
MAP(exp_f32, float, expf)

#define T double
#define NAME(stem) stem##_f64
#include "elementwise.h"
#include "fused.h"
#undef T
#undef NAME
#define T float
#define NAME(stem) stem##_f32
#include "elementwise.h"
#include "fused.h"

#include "programs.h"
#include "rows.h"
#include "columns.h"
#include "derivatives.h"
#include "forests.h"

// The loops of cases/control.js, with its numbers.
static void lcg_u32(void *const *a, size_t n) {
  uint32_t x = *(const uint32_t *)a[0];
  for (size_t i = 0; i < 1000000 * n; i++) {
    x = (x ^ (x >> 3)) * 1664525u + 1013904223u;
  }
  *(uint32_t *)a[1] = x;
}

static void update_f64(void *const *a, size_t n) {
  double *to = a[1];
  memcpy(to, a[0], n * sizeof *to);
  for (size_t i = 0; i < n; i++) {
    to[i * 7919 & (n - 1)] = to[i] * 0.5 + 1;
  }
}

static void scan_f32(void *const *a, size_t n) {
  const float *restrict x = a[0];
  float *restrict z = a[1], s[64] = {0};
  for (size_t r = 0; r < n / 64; r++) {
    for (size_t c = 0; c < 64; c++) {
      z[r * 64 + c] = s[c] = s[c] * 0.9f + x[r * 64 + c];
    }
  }
}

typedef void kernel(void *const *arrays, size_t n);

static const struct {
  const char *name;
  kernel *run;
} kernels[] = {
    {"hypot_f64", hypot_f64},
    {"add_f64", add_f64},
    {"running_f64", running_f64},
    {"running_f32", running_f32},
    {"rows_f64", rows_f64},
    {"rows_f32", rows_f32},
    {"sum_f64", sum_f64},
    {"sum_f32", sum_f32},
    {"sin_f64", sin_f64},
    {"exp_f64", exp_f64},
    {"sin_f32", sin_f32},
    {"exp_f32", exp_f32},
    {"chain_f64", chain_f64},
    {"gelu_f64", gelu_f64},
    {"black_scholes_f64", black_scholes_f64},
    {"chain_f32", chain_f32},
    {"gelu_f32", gelu_f32},
    {"black_scholes_f32", black_scholes_f32},
    {"softmax_f32", softmax_f32},
    {"layer_norm_f32", layer_norm_f32},
    {"axpby_f64", axpby_f64},
    {"transpose_f64", transpose_f64},
    {"add_transposed_f64", add_transposed_f64},
    {"grey_f64", grey_f64},
    {"halve_f64", halve_f64},
    {"add_row_f64", add_row_f64},
    {"add_column_f64", add_column_f64},
    {"axpby_f32", axpby_f32},
    {"transpose_f32", transpose_f32},
    {"add_transposed_f32", add_transposed_f32},
    {"grey_f32", grey_f32},
    {"halve_f32", halve_f32},
    {"add_row_f32", add_row_f32},
    {"add_column_f32", add_column_f32},
    {"lcg_u32", lcg_u32},
    {"update_f64", update_f64},
    {"scan_f32", scan_f32},
    {"sum_to", sum_to},
    {"mandelbrot", mandelbrot},
    {"nbody", nbody},
    {"spectral_norm", spectral_norm},
    {"fannkuch", fannkuch},
    {"sieve", sieve},
    {"matmul", matmul},
    {"collatz", collatz},
    {"moving_median", moving_median},
    {"between_rows", between_rows},
    {"below_rows", below_rows},
    {"rastrigin40", rastrigin40},
    {"forest_one_f32", forest_one_f32},
    {"forest_one_gather_f32", forest_one_gather_f32},
    {"forest_rows_f32", forest_rows_f32},
    {"forest_walk_f64", forest_walk_f64},
};

// kernel(array, …): the first one gives the length.
static napi_value call(napi_env env, napi_callback_info info) {
  enum { MOST = 5 };
  napi_value values[MOST];
  size_t count = MOST, length = 0;
  void *index, *arrays[MOST];
  napi_get_cb_info(env, info, &count, values, NULL, &index);
  for (size_t i = 0; i < count && i < MOST; i++) {
    napi_get_typedarray_info(env, values[i], NULL, i == 0 ? &length : NULL, &arrays[i], NULL, NULL);
  }
  kernels[(size_t)index].run(arrays, length);
  return NULL;
}

NAPI_MODULE_INIT() {
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    napi_value function;
    napi_create_function(env, kernels[i].name, NAPI_AUTO_LENGTH, call, (void *)i, &function);
    napi_set_named_property(env, exports, kernels[i].name, function);
  }
  return exports;
}
