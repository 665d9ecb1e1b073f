// See numeric.h. This file is compiled three times: with the core, and for the table of each
// variant, which GJL_SUFFIX names (scripts/cmake/library.cmake).
#include "library/numeric.h"

#ifdef GJL_SUFFIX
#define JOIN_AGAIN(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_AGAIN(a, b, c)

#define GJL(name, params, result) void JOIN(gjl_, name, GJL_SUFFIX)(void);
#include "library/numeric.def"

const gj_numeric_row JOIN(gj_, numeric, GJL_SUFFIX)[] = {
#define GJL(name, params, result) {#name, JOIN(gjl_, name, GJL_SUFFIX)},
#include "library/numeric.def"
    {0, 0}};
#else
#include <string.h>

static bool runs_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("movbe");
#else
  return true;
#endif
}

gj_numeric_code *gj_numeric_find(const gj_library_function *function, bool fused) {
  const gj_numeric_row *row = fused ? gj_numeric_fused : gj_numeric_wide;
  if (runs_here())
    for (; row->name; row++)
      if (strcmp(row->name, function->name) == 0)
        return row->code;
  return function->code;
}
#endif
