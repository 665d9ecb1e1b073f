// Whole elementary functions for scalar C callers: gj_math_<op>_<dtype>, generated from math.def.
//
// Each one chooses between the main and the slow function as vector code does lane by lane. The
// rare and slow functions are redeclared weak, so that an op without them has null addresses here
// and math.def need not say which ops have them; hidden, so that the linker settles it and nothing
// is looked up in the process. The op's own file must not include this header: its definitions
// would become weak and could not be inlined.
#ifndef GJ_MATH_SCALAR_H
#define GJ_MATH_SCALAR_H

#include "math/math.h"

#define GJM_WEAK __attribute__((weak, visibility("hidden")))
#define GJM_SCALAR(type, suffix, params, args)                                                     \
  GJM_WEAK int gjm_##suffix##_rare params;                                                         \
  GJM_WEAK type gjm_##suffix##_slow params;                                                        \
  static inline type gj_math_##suffix params {                                                     \
    return gjm_##suffix##_rare && gjm_##suffix##_rare args ? gjm_##suffix##_slow args              \
                                                           : gjm_##suffix args;                    \
  }
#define GJM_SCALAR_1(type, suffix) GJM_SCALAR(type, suffix, (type x), (x))
#define GJM_SCALAR_2(type, suffix) GJM_SCALAR(type, suffix, (type x, type y), (x, y))
#define GJM_SCALAR_3(type, suffix) GJM_SCALAR(type, suffix, (type x, type y, type z), (x, y, z))
#define GJM_OP(name, arity, ulp_f64, ulp_f32)                                                      \
  GJM_SCALAR_##arity(double, name##_f64) GJM_SCALAR_##arity(float, name##_f32)
#include "math/math.def"
#undef GJM_SCALAR
#undef GJM_SCALAR_1
#undef GJM_SCALAR_2
#undef GJM_SCALAR_3
#undef GJM_WEAK

#endif
