/* The loops that people would write in C for WebAssembly, with pointers that are promised not to
 * overlap, so that clang need not check. Compiled by wasm-peers.js with clang -O3 -msimd128;
 * nothing of a libc is there. */
#include <stdint.h>

#define RUN(name) __attribute__((export_name(#name))) void name
#define EACH for (int i = 0; i < n; i++)
typedef double f64;
typedef float f32;
typedef int32_t i32;
typedef uint8_t u8;

extern unsigned char __heap_base;
__attribute__((export_name("heap"))) unsigned char *heap(void) { return &__heap_base; }

/* Two operands and a result, in f64 and in f32. */
#define BINARY(name, expression)                                                                   \
  RUN(name##_f64)(int n, const f64 *restrict x, const f64 *restrict y, f64 *restrict z) {          \
    EACH z[i] = (expression);                                                                      \
  }                                                                                                \
  RUN(name##_f32)(int n, const f32 *restrict x, const f32 *restrict y, f32 *restrict z) {          \
    EACH z[i] = (expression);                                                                      \
  }

static inline f64 root_f64(f64 v) { return __builtin_sqrt(v); }
static inline f32 root_f32(f32 v) { return __builtin_sqrtf(v); }
#define root(v) _Generic((v), f64 : root_f64, f32 : root_f32)(v)
#define like(v, k) ((__typeof__(v))(k))

BINARY(axpby, 2 * x[i] + 3 * y[i])
BINARY(norm, root(x[i] * x[i] + y[i] * y[i]))
BINARY(chain, ((x[i] + y[i]) * (x[i] - y[i]) + x[i] * like(x[i], 0.5)) * (like(x[i], 1.5) - y[i]) /
                  (x[i] * x[i] + 1))
BINARY(clamp,
       __builtin_elementwise_minimum(__builtin_elementwise_maximum(x[i], y[i]), like(x[i], 2)) *
           y[i])
BINARY(select, x[i] < y[i] ? x[i] * 2 : y[i] - 1)

RUN(integers_i32)(int n, const i32 *restrict x, const i32 *restrict y, i32 *restrict z) {
  EACH z[i] = (x[i] * 7 + y[i]) ^ (x[i] >> 3);
}

/* Two pictures of bytes, one over the other with an opacity of 5/8. */
RUN(blend_u8)(int n, const u8 *restrict x, const u8 *restrict y, u8 *restrict z) {
  EACH z[i] = (u8)((x[i] * 5 + y[i] * 3 + 4) >> 3);
}

/* Grey of interleaved red, green and blue. */
RUN(grey_u8)(int n, const u8 *restrict x, const u8 *restrict y, u8 *restrict z) {
  (void)y;
  EACH z[i] = (u8)((x[3 * i] * 77 + x[3 * i + 1] * 150 + x[3 * i + 2] * 29 + 128) >> 8);
}

RUN(bytes_u8)(int n, const f32 *restrict x, const f32 *restrict y, u8 *restrict z) {
  EACH {
    f32 v = x[i] * y[i];
    z[i] = (u8)(v < 0 ? 0 : v > 255 ? 255 : v);
  }
}

#define REDUCE(name, T, first, step)                                                               \
  RUN(name)(int n, const T *restrict x, const T *restrict y, T *restrict z) {                      \
    T r = first;                                                                                   \
    (void)y;                                                                                       \
    EACH r = (step);                                                                               \
    z[0] = r;                                                                                      \
  }

REDUCE(sum_f64, f64, 0, r + x[i])
REDUCE(sum_f32, f32, 0, r + x[i])
REDUCE(dot_f32, f32, 0, r + x[i] * y[i])
REDUCE(max_f64, f64, x[0], x[i] > r ? x[i] : r)
REDUCE(max_f32, f32, x[0], x[i] > r ? x[i] : r)
REDUCE(sum_i32, i32, 0, r + x[i])

/* As graphjit does it, in f64. */
RUN(running_f32)(int n, const f32 *restrict x, const f32 *restrict y, f32 *restrict z) {
  f64 sum = 0;
  (void)y;
  EACH z[i] = (f32)(sum += x[i]);
}

RUN(running_i32)(int n, const i32 *restrict x, const i32 *restrict y, i32 *restrict z) {
  i32 sum = 0;
  (void)y;
  EACH z[i] = sum += x[i];
}

/* A square of 100 rows, and 1000; n is how many elements that is. */
#define TRANSPOSE(name, T, rows)                                                                   \
  RUN(name)(int n, const T *restrict x, const T *restrict y, T *restrict z) {                      \
    (void)n, (void)y;                                                                              \
    for (int i = 0; i < rows; i++)                                                                 \
      for (int j = 0; j < rows; j++)                                                               \
        z[i * rows + j] = x[j * rows + i];                                                         \
  }

TRANSPOSE(transpose_f32, f32, 100)
TRANSPOSE(transpose1000_f32, f32, 1000)
