// Checked integer arithmetic for sizes and indices.
//
// Shapes come from strangers, so no size is computed with bare + or *. Each function returns
// whether the result fits and stores it only then, which lets a chain read as
// `if (!gj_mul_size(count, width, &bytes) || !gj_add_size(bytes, header, &bytes)) …`.

#ifndef GJ_BASE_SIZE_H
#define GJ_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool gj_add_size(size_t a, size_t b, size_t *out_sum) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return false;
  *out_sum = sum;
  return true;
}

static inline bool gj_mul_size(size_t a, size_t b, size_t *out_product) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return false;
  *out_product = product;
  return true;
}

// Rounds up to a multiple of `alignment`, which is a power of two.
static inline bool gj_align_size(size_t size, size_t alignment, size_t *out_size) {
  size_t sum;
  if (!gj_add_size(size, alignment - 1, &sum))
    return false;
  *out_size = sum & ~(alignment - 1);
  return true;
}

static inline bool gj_add_i64(int64_t a, int64_t b, int64_t *out_sum) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return false;
  *out_sum = sum;
  return true;
}

static inline bool gj_sub_i64(int64_t a, int64_t b, int64_t *out_difference) {
  int64_t difference;
  if (__builtin_sub_overflow(a, b, &difference))
    return false;
  *out_difference = difference;
  return true;
}

static inline bool gj_mul_i64(int64_t a, int64_t b, int64_t *out_product) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return false;
  *out_product = product;
  return true;
}

#endif
