// Elementary functions compiled natively with the core, for the code that this process compiles.
//
// The rest of a loop and the rare inputs of a vector need scalar functions. Compiling them anew for
// every kernel takes most of its compile time (Payne and Hanek's reduction alone 4 ms), so programs
// that run here call these, built from the same sources as the bitcode, with the same rounding at
// every step. Names carry the variant behind the name in the bitcode: "gjm_sin_f64.fused" and
// "gjm_sin_f64.strict" are whole functions, "gjm_sin_f64_slow.fused" what rare inputs take.
#ifndef GJ_JIT_CODE_HOST_MATH_H
#define GJ_JIT_CODE_HOST_MATH_H

#include <stdbool.h>
#include <stddef.h>

typedef void gj_host_code(void); // the real type follows from the name

typedef struct gj_host_math {
  const char *name;           // in the bitcode
  gj_host_code *whole, *slow; // slow is NULL for functions without rare inputs
} gj_host_math;

// One row per op and dtype, in the order of math.def; a zeroed row ends each table. The fused one
// needs a CPU with FMA.
extern const gj_host_math gj_host_math_strict[], gj_host_math_fused[];

// The function of that name, or NULL.
gj_host_code *gj_host_math_find(const char *name);
// host_math_js.c: the same for JavaScript's functions.
gj_host_code *gj__host_math_js(const char *name);

// Whether JavaScript's pow is the C library's, for code that is loaded from now on; it is fdlibm's
// otherwise. The whole process has one engine, so this is said once, before anything is compiled.
void gj_host_math_use_platform_pow(bool use);
bool gj_host_math_has_platform_pow(void);

#endif
