// The reference meaning of the elementary functions in the flavour of JavaScript. They are the ones
// that compiled code calls or copies: there is one right result, and the tests hold it against
// V8's.
#include "ops/scalar.h"

#include "math/js/js.h"

bool gj_scalar_is_js(gj_op op, gj_dtype dtype) {
  switch (op) {
#define GJS_OP(name, arity) case GJ_OP_##name:
#include "math/js/js.def"
    return dtype == GJ_DTYPE_f64;
  default:
    return false;
  }
}

bool gj_scalar_eval_js(gj_op op, const gj_scalar *args, gj_scalar *out) {
  if (args[0].dtype != GJ_DTYPE_f64)
    return false;
  double x = args[0].v.f, y = args[1].v.f;
  switch (op) {
#define CALL_1(name) gjs_##name##_f64(x)
#define CALL_2(name) gjs_##name##_f64(x, y)
#define GJS_OP(name, arity)                                                                        \
  case GJ_OP_##name:                                                                               \
    *out = (gj_scalar){.dtype = GJ_DTYPE_f64, .v = {.f = CALL_##arity(name)}};                     \
    return true;
#include "math/js/js.def"
#undef CALL_1
#undef CALL_2
  default:
    return false;
  }
}
