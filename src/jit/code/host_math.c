// The tables of natively compiled elementary functions.
//
// This file is compiled twice, as src/math is: with the core for the strict table and with
// GJ_MATH_FMA and GJ_MATH_RENAME (scripts/cmake/math.cmake) for the fused one. Nothing is looked up
// in the process's symbols: what is not in a table cannot be called.
#include "jit/code/host_math.h"

#include "math/scalar.h"

#ifdef GJ_MATH_RENAME
const gj_host_math gj_host_math_fused[] = {
#else
const gj_host_math gj_host_math_strict[] = {
#endif
#define ROW(suffix)                                                                                \
  {"gjm_" #suffix, (gj_host_code *)gj_math_##suffix, (gj_host_code *)gjm_##suffix##_slow},
#define GJM_OP(name, arity, ulp_f64, ulp_f32) ROW(name##_f64) ROW(name##_f32)
#include "math/math.def"
    {NULL, NULL, NULL}};

#ifndef GJ_MATH_RENAME
#include <string.h>

// What follows `name` in `text`, or NULL.
static const char *behind(const char *text, const char *name) {
  size_t length = strlen(name);
  return strncmp(text, name, length) == 0 ? text + length : NULL;
}

gj_host_code *gj_host_math_find(const char *name) {
  gj_host_code *own = gj__host_math_js(name);
  if (own)
    return own;
  const char *dot = strrchr(name, '.');
  const gj_host_math *row = dot && strcmp(dot, ".fused") == 0    ? gj_host_math_fused
                            : dot && strcmp(dot, ".strict") == 0 ? gj_host_math_strict
                                                                 : NULL;
  for (; row && row->name; row++) {
    const char *rest = behind(name, row->name);
    if (rest == dot && rest)
      return row->whole;
    if (rest && behind(rest, "_slow") == dot)
      return row->slow;
  }
  return NULL;
}
#endif
