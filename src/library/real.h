// The floats of a template: a file that is included once with GJL_REAL_BITS 64 and once with 32
// writes REAL, NAME(x) and vectors of REAL, of 32 bytes whatever the target, so that results are
// the same bits everywhere.
//
// GJL_SUFFIX tells the variants of a function apart that are compiled for several processors.
#undef REAL
#undef REAL_SUFFIX
#undef REAL_EPSILON
#undef REAL_LEAST
#undef REAL_GREATEST
#undef LANES
#undef SQRT
#undef ABS
#undef VECTOR
#undef VECTOR_IN_MEMORY

#if GJL_REAL_BITS == 64
#define REAL double
#define REAL_SUFFIX _f64
#define REAL_EPSILON 0x1p-52
#define REAL_LEAST 0x1p-1022 // normal
#define REAL_GREATEST 0x1.fffffffffffffp1023
#define LANES 4
#define SQRT(x) __builtin_sqrt(x)
#define ABS(x) __builtin_fabs(x)
#define VECTOR gjl_f64x4
#define VECTOR_IN_MEMORY gjl_f64x4_in_memory
#else
#define REAL float
#define REAL_SUFFIX _f32
#define REAL_EPSILON 0x1p-23f
#define REAL_LEAST 0x1p-126f
#define REAL_GREATEST 0x1.fffffep127f
#define LANES 8
#define SQRT(x) __builtin_sqrtf(x)
#define ABS(x) __builtin_fabsf(x)
#define VECTOR gjl_f32x8
#define VECTOR_IN_MEMORY gjl_f32x8_in_memory
#endif

#ifndef GJL_REAL_H
#define GJL_REAL_H
#include "library/library.h"

#ifdef GJL_SUFFIX
#define GJL_NATIVE // has memory of its own, unlike code that goes to wasm and objects
#else
#define GJL_SUFFIX
#endif
#define GJL_JOIN_AGAIN(a, b, c) a##b##c
#define GJL_JOIN(a, b, c) GJL_JOIN_AGAIN(a, b, c)
// gjl_<x>_f64 or gjl_<x>_f32, and of which variant.
#define NAME(x) GJL_JOIN(gjl_##x, REAL_SUFFIX, GJL_SUFFIX)

typedef double gjl_f64x4 __attribute__((vector_size(32)));
typedef float gjl_f32x8 __attribute__((vector_size(32)));
typedef double gjl_f64x4_in_memory __attribute__((vector_size(32), aligned(8), may_alias));
typedef double gjl_f64x2_in_memory __attribute__((vector_size(16), aligned(8), may_alias));
typedef float gjl_f32x4_in_memory __attribute__((vector_size(16), aligned(4), may_alias));
typedef float gjl_f32x8_in_memory __attribute__((vector_size(32), aligned(4), may_alias));
#endif
