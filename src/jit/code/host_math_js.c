// JavaScript's elementary functions for the code that this process compiles.
//
// All but one are those of src/math/js. V8 has changed its pow: from version 13 on (Node.js 24) it
// asks the C library, between special cases of its own, so what the right bits are depends on the
// library and the CPU. Code for this process can ask the same library, and does where it is told
// to. Vectors then call it for each lane, so that is other code, under another key
// (jit/code/key.c).
#include "jit/code/host_math.h"

#include "math/js/js.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const gj_host_math functions[] = {
#define GJS_OP(name, arity) {"gjs_" #name "_f64", (gj_host_code *)gjs_##name##_f64, NULL},
#include "math/js/js.def"
    {NULL, NULL, NULL}};

static atomic_bool has_platform_pow;

void gj_host_math_use_platform_pow(bool use) { atomic_store(&has_platform_pow, use); }
bool gj_host_math_has_platform_pow(void) { return atomic_load(&has_platform_pow); }

// The sum in front of the root turns -0 into 0.
static double platform_pow(double x, double y) {
  if (y != y || (fabs(y) == INFINITY && fabs(x) == 1))
    return NAN;
  if (y == 2)
    return x * x;
  if (y == 0.5)
    return fabs(x) == INFINITY ? INFINITY : sqrt(x + 0.0);
  return pow(x, y);
}

gj_host_code *gj__host_math_js(const char *name) {
  if (atomic_load(&has_platform_pow) && strcmp(name, "gjs_pow_f64") == 0)
    return (gj_host_code *)platform_pow;
  for (const gj_host_math *row = functions; row->name; row++)
    if (strcmp(row->name, name) == 0)
      return row->whole;
  return NULL;
}
