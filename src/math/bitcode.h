// The math library as LLVM bitcode, embedded at build time.
//
// One row per src/math/<op>.c. `strict` and `fma` define the same functions, gjm_<op>_<dtype> and
// where rare inputs need it gjm_<op>_<dtype>_rare and _slow. `strict` uses no FMA: its bits are the
// same on every target. `fma` spells fused multiply-adds as the intrinsic llvm.fma and is for
// targets that have them. `fast` is the cheaper function of src/math/fast/<op>.c, for such targets
// as well; its rare inputs take the _slow function of `fma`. The modules carry x86-64's data
// layout, no target features and no metadata. The table is written by scripts/cmake/math.cmake.

#ifndef GJ_MATH_BITCODE_H
#define GJ_MATH_BITCODE_H

#include <stddef.h>

typedef struct gj_math_bitcode {
  const unsigned char *begin;
  size_t size; // bytes
} gj_math_bitcode;

typedef struct gj_math_blob {
  const char *op;
  gj_math_bitcode strict, fma;
  gj_math_bitcode fast; // of size 0 where there is no cheaper function
} gj_math_blob;

// Sorted by `op`; a zeroed row ends the table.
extern const gj_math_blob gj_math_blobs[];
extern const size_t gj_math_blob_count;

// The functions of src/math/js, one file each: gjs_<op>_f64, scalar and with any control flow. They
// fuse nothing.
typedef struct gj_math_js_blob {
  const char *op;
  gj_math_bitcode code;
} gj_math_js_blob;

extern const gj_math_js_blob gj_math_js_blobs[];
extern const size_t gj_math_js_blob_count;

#endif
