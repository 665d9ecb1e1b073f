// Element types: codes, sizes, names and the promotion rule.
//
// Everything is generated from dtypes.def, so a new type is a row there. Promotion is that of the
// Python array-API standard (2022.12, "Type Promotion Rules"): inside one kind the wider type wins,
// a signed and an unsigned integer meet in the next wider signed type, and everything else (u64
// with a signed type, integers with floats, bool with anything) has no common type. f16 and bf16,
// which the standard lacks, follow it and meet in f32.
#ifndef GJ_OPS_DTYPE_H
#define GJ_OPS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gj_dtype {
  GJ_DTYPE_none = 0, // "no type": never the type of a value
#define GJ_DTYPE(name, kind, bits, ctype, jsarray, computed) GJ_DTYPE_##name,
#include "ops/dtypes.def"
  GJ_DTYPE_COUNT
} gj_dtype;

typedef enum gj_dtype_kind {
  GJ_KIND_NONE = 0,
  GJ_KIND_BOOL,
  GJ_KIND_UINT,
  GJ_KIND_INT,
  GJ_KIND_FLOAT
} gj_dtype_kind;

typedef struct gj_dtype_info {
  const char *name;    // "f64"
  const char *jsarray; // "Float64Array"
  uint8_t kind;        // gj_dtype_kind
  uint8_t bits;        // in memory: 8, 16, 32 or 64
  uint8_t bytes;
  uint8_t computed; // gj_dtype: what ops compute in, itself but for halves
} gj_dtype_info;

// Row of a type; `dtype` must be a valid code (GJ_DTYPE_none gives a row of zeros named "none").
const gj_dtype_info *gj_dtype_get(gj_dtype dtype);

static inline size_t gj_dtype_bytes(gj_dtype dtype) { return gj_dtype_get(dtype)->bytes; }
static inline const char *gj_dtype_name(gj_dtype dtype) { return gj_dtype_get(dtype)->name; }
static inline bool gj_dtype_is_float(gj_dtype dtype) {
  return gj_dtype_get(dtype)->kind == GJ_KIND_FLOAT;
}
// f16 and bf16, which lie in memory and are computed in f32 (half.h).
static inline bool gj_dtype_is_half(gj_dtype dtype) {
  return gj_dtype_get(dtype)->computed != (uint8_t)dtype;
}
// True for signed and unsigned integers, false for bool.
static inline bool gj_dtype_is_integer(gj_dtype dtype) {
  return gj_dtype_get(dtype)->kind == GJ_KIND_INT || gj_dtype_get(dtype)->kind == GJ_KIND_UINT;
}

// The type named by `length` bytes of `name`, or GJ_DTYPE_none.
gj_dtype gj_dtype_parse(const char *name, size_t length);

// The common type of two types, or GJ_DTYPE_none where the standard defines none.
gj_dtype gj_dtype_promote(gj_dtype a, gj_dtype b);

#endif
