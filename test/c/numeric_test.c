// Numeric library functions: the variant for wide vectors has the bits of the one that is compiled
// with the core, and the one with fused multiply-add results that are near; neither writes beyond
// its results, or depends on what memory held before.
#include "check.h"

#include "library/numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MOST = 1 << 16 };

static uint32_t state;

static double number(void) {
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 23) - 1;
}

// An array of floats of either width with guards on both sides.
typedef struct array {
  unsigned char *all, *data;
  size_t count, width;
} array;

static array array_new(size_t count, size_t width, int fill) {
  array a = {malloc(count * width + 2 * GUARD), NULL, count, width};
  memset(a.all, fill, count * width + 2 * GUARD);
  a.data = a.all + GUARD;
  return a;
}

static void set(const array *a, size_t i, double value) {
  if (a->width == 8)
    ((double *)a->data)[i] = value;
  else
    ((float *)a->data)[i] = (float)value;
}

static double get(const array *a, size_t i) {
  return a->width == 8 ? ((double *)a->data)[i] : (double)((float *)a->data)[i];
}

static bool is_guarded(const array *a, int fill) {
  const unsigned char *end = a->data + a->count * a->width;
  for (size_t i = 0; i < GUARD; i++)
    if (a->all[i] != (unsigned char)fill || end[i] != (unsigned char)fill)
      return false;
  return true;
}

// How a function is called: operands and results by their numbers of elements, then numbers.
typedef struct call {
  const char *name;
  size_t operands[3], results[3];
  int64_t numbers[4];
  size_t number_count, work;
  bool positive; // operand 0 is made positive definite, of this size
} call;

static void invoke(gj_numeric_code *code, size_t count, const int64_t *a) {
  typedef void f5(int64_t, int64_t, int64_t, int64_t, int64_t);
  typedef void f6(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
  typedef void f7(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
  typedef void f9(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
  if (count == 5)
    ((f5 *)code)(a[0], a[1], a[2], a[3], a[4]);
  else if (count == 6)
    ((f6 *)code)(a[0], a[1], a[2], a[3], a[4], a[5]);
  else if (count == 7)
    ((f7 *)code)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
  else
    ((f9 *)code)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
}

// Runs one variant into `results`.
static void run(const call *c, gj_numeric_code *code, size_t width, int fill, array *results) {
  int64_t args[12];
  size_t count = 0;
  array operands[3] = {{0}}, work = array_new(c->work, width, fill);
  state = 7;
  for (size_t i = 0; i < 3 && c->operands[i]; i++) {
    operands[i] = array_new(c->operands[i], width, fill);
    for (size_t k = 0; k < c->operands[i]; k++)
      set(&operands[i], k, number());
    int64_t n = c->numbers[0];
    for (int64_t k = 0; i == 0 && c->positive && k < n; k++)
      set(&operands[0], (size_t)(k * n + k),
          2 * (double)n + get(&operands[0], (size_t)(k * n + k)));
    args[count++] = (int64_t)(uintptr_t)operands[i].data;
  }
  for (size_t i = 0; i < 3 && c->results[i]; i++) {
    results[i] = array_new(c->results[i], width, fill);
    args[count++] = (int64_t)(uintptr_t)results[i].data;
  }
  for (size_t i = 0; i < c->number_count; i++)
    args[count++] = c->numbers[i];
  args[count++] = (int64_t)(uintptr_t)work.data;
  invoke(code, count, args);
  CHECK(is_guarded(&work, fill));
  free(work.all);
  for (size_t i = 0; i < 3; i++) {
    CHECK(!results[i].all || is_guarded(&results[i], fill));
    free(operands[i].all);
  }
}

static void compare(const call *c, size_t width) {
  char name[40];
  snprintf(name, sizeof name, "%s_%s", c->name, width == 8 ? "f64" : "f32");
  const gj_library_function *f = gj_library_find(name);
  CHECK(f && f->numeric);
  if (!f)
    return;
  gj_numeric_code *codes[3] = {f->code, gj_numeric_find(f, false), gj_numeric_find(f, true)};
  array results[3][3] = {{{0}}};
  for (size_t v = 0; v < 3; v++)
    run(c, codes[v], width, v == 1 ? 0x7F : 0xFF, results[v]);
  for (size_t i = 0; i < 3 && c->results[i]; i++) {
    CHECK(memcmp(results[0][i].data, results[1][i].data, c->results[i] * width) == 0);
    for (size_t k = 0; k < c->results[i]; k++) {
      double plain = get(&results[0][i], k), fused = get(&results[2][i], k);
      CHECK(fabs(plain - fused) <= (width == 8 ? 1e-9 : 1e-2) * (1 + fabs(plain)));
    }
  }
  for (size_t v = 0; v < 3; v++)
    for (size_t i = 0; i < 3; i++)
      free(results[v][i].all);
}

// Sizes around vectors, tiles and blocks.
static void variants_agree(void) {
  static const int64_t sizes[] = {1, 2, 3, 7, 8, 13, 32, 33, 64, 100, 161};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int64_t n = sizes[i], k = n / 2 + 1;
    size_t nn = (size_t)(n * n), nk = (size_t)(n * k),
           all = 98304 + 4 * nn + 400 * (size_t)n + 8192;
    const call calls[] = {
        {"cholesky", {nn}, {nn}, {n, 1}, 2, all, true},
        {"triangular_solve", {nn, nk}, {nk}, {n, k, 0}, 3, all, true},
        {"triangular_solve", {nn, nk}, {nk}, {n, k, 3}, 3, all, true},
        {"qr", {nn}, {nn, nn}, {n, n, 0}, 3, all, false},
        {"qr", {nk}, {nk, (size_t)(k * k)}, {n, k, 0}, 3, all, false},
        {"svd", {nk}, {nk, (size_t)k, (size_t)(k * k)}, {n, k}, 2, all, false},
        {"eigh", {nn}, {(size_t)n, nn}, {n}, 1, all, true},
        {"fft", {2 * nk}, {2 * nk}, {n, k, 1}, 3, all, false},
        {"fft",
         {2 * nn * (size_t)k},
         {2 * nn * (size_t)k},
         {n * n, k, 0},
         3,
         32 * nn + 8192,
         false},
        {"rfft", {nk}, {2 * (size_t)(n / 2 + 1) * (size_t)k}, {n, k}, 2, all, false},
        {"irfft", {2 * (size_t)(n / 2 + 1) * (size_t)k}, {nk}, {n, k}, 2, all, false},
    };
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
      if (calls[c].operands[0] <= 8 * MOST)
        for (size_t width = 4; width <= 8; width += 4)
          compare(&calls[c], width);
  }
}

// The same bits, but for those of NaN.
static bool same_but_nan(const void *x, const void *y, size_t bytes, size_t width) {
  array a = {.data = (unsigned char *)(uintptr_t)x, .width = width};
  array b = {.data = (unsigned char *)(uintptr_t)y, .width = width};
  for (size_t i = 0; i < bytes / width; i++)
    if (memcmp(a.data + i * width, b.data + i * width, width) != 0 &&
        !(isnan(get(&a, i)) && isnan(get(&b, i))))
      return false;
  return true;
}

// Matrices of a batch of BATCH: factors and solutions have the bits that each matrix has alone.
enum { BATCH = 19, ROWS = 18, SIDES = 9, WORK = 98304 + ROWS * ROWS + 16 * ROWS + 256 };

typedef struct batch {
  double *a, *b, *l, *lu, *x, *work;
  int32_t permutation[BATCH * ROWS];
} batch;

// Calls functions for `at_once` matrices of the batch, again and again. As floats lie in the arrays
// of doubles, `width` says how wide an element is.
static void factor(batch *of, size_t width, int variant, int64_t n, int64_t k, int64_t at_once) {
  static const char *const names[2][3] = {{"cholesky_f32", "lu_f32", "lu_solve_f32"},
                                          {"cholesky_f64", "lu_f64", "lu_solve_f64"}};
  gj_numeric_code *codes[3];
  for (size_t i = 0; i < 3; i++) {
    const gj_library_function *f = gj_library_find(names[width == 8][i]);
    codes[i] = variant == 0 ? f->code : gj_numeric_find(f, variant == 2);
  }
#define AT(array, item, size)                                                                      \
  ((int64_t)(uintptr_t)((char *)(array) + (item) * (size) * (int64_t)width))
  for (int64_t item = 0; item < BATCH; item += at_once) {
    int64_t some = BATCH - item < at_once ? BATCH - item : at_once, nn = n * n, nk = n * k;
    int64_t a = AT(of->a, item, nn), lu = AT(of->lu, item, nn), work = AT(of->work, 0, 0);
    int64_t order = (int64_t)(uintptr_t)(of->permutation + item * n);
    invoke(codes[0], 5, (int64_t[]){a, AT(of->l, item, nn), n, some, work});
    invoke(codes[1], 7, (int64_t[]){a, lu, order, n, n, some, work});
    invoke(codes[2], 9,
           (int64_t[]){lu, order, AT(of->b, item, nk), AT(of->x, item, nk), n, k, some, 0, work});
  }
#undef AT
}

static batch *batch_new(size_t width, int64_t n, int64_t k) {
  batch *made = calloc(1, sizeof *made);
  double **arrays[] = {&made->a, &made->b, &made->l, &made->lu, &made->x, &made->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = calloc(i < 5 ? BATCH * ROWS * ROWS : WORK, sizeof(double));
  array a = {.data = (unsigned char *)made->a, .width = width};
  array b = {.data = (unsigned char *)made->b, .width = width};
  state = 5;
  for (int64_t i = 0; i < BATCH * n * k; i++)
    set(&b, (size_t)i, number());
  // Every third is positive definite; of the others some have zeros in a column, NaN, equal pivots.
  for (int64_t i = 0; i < BATCH * n * n; i++) {
    int64_t item = i / (n * n), row = i / n % n, column = i % n;
    double x = item % 5 == 4 ? (double)((row + column) % 2) : number();
    x += item % 3 == 0 && row == column ? 2 * (double)n : 0;
    x = item == 7 && column == n / 2 ? 0 : item == 8 && row == n - 1 ? NAN : x;
    set(&a, (size_t)i, item == 10 ? x * (width == 8 ? 1e-310 : 1e-40) : x);
  }
  return made;
}

static void batch_free(batch *b) {
  double *arrays[] = {b->a, b->b, b->l, b->lu, b->x, b->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  free(b);
}

static void batches_have_the_bits_of_single_matrices(void) {
  for (int64_t n = 1; n <= ROWS; n++)
    for (int64_t k = 1; k <= SIDES; k += k < 3 ? 1 : 3)
      for (int variant = 0; variant < 3; variant++)
        for (size_t width = 4; width <= 8; width += 4) {
          batch *alone = batch_new(width, n, k), *together = batch_new(width, n, k);
          factor(alone, width, variant, n, k, 1);
          factor(together, width, variant, n, k, BATCH);
          size_t size = BATCH * ROWS * ROWS * sizeof(double);
          CHECK(same_but_nan(alone->l, together->l, size, width));
          CHECK(same_but_nan(alone->lu, together->lu, size, width));
          CHECK(same_but_nan(alone->x, together->x, size, width));
          CHECK(memcmp(alone->permutation, together->permutation, sizeof alone->permutation) == 0);
          batch_free(alone);
          batch_free(together);
        }
}

static void names_that_are_not_there(void) {
  CHECK(!gj_library_find("svd_f16"));
  const gj_library_function *f = gj_library_find("svd_f64");
  CHECK(f && gj_numeric_find(f, false) && gj_numeric_find(f, true));
}

int main(void) {
  CHECK_RUN(variants_agree);
  CHECK_RUN(batches_have_the_bits_of_single_matrices);
  CHECK_RUN(names_that_are_not_there);
  return check_report();
}
