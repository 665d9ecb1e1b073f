// Prototypes of the math library, generated from math.def.
//
// gjm_<op>_<dtype> is the main function: straight-line, so that code generation can widen it to any
// vector width by widening each instruction. An op whose rare inputs need other code (huge
// arguments of sin, say) also defines
//   int    gjm_<op>_<dtype>_rare(x)   1 where the main function must not be trusted, straight-line
//   double gjm_<op>_<dtype>_slow(x)   right wherever rare() is 1, any control flow
// and its value is rare(x) ? slow(x) : main(x), lane by lane. Most ops define the main function
// only; to call a whole op from C without knowing which kind it is, use scalar.h.
//
// All functions assume round-to-nearest, set no errno, and follow IEEE 754-2019 section 9.2 on
// special values.
#ifndef GJ_MATH_MATH_H
#define GJ_MATH_MATH_H

// The linker's names of the fused functions, where both variants live in one program.
#ifdef GJ_MATH_RENAME
#define GJM_LINK(name) __asm__("gj_fused_" #name)
#else
#define GJM_LINK(name)
#endif

#define GJM_DECLARE(type, suffix, params)                                                          \
  type gjm_##suffix params GJM_LINK(gjm_##suffix);                                                 \
  int gjm_##suffix##_rare params GJM_LINK(gjm_##suffix##_rare);                                    \
  type gjm_##suffix##_slow params GJM_LINK(gjm_##suffix##_slow);
#define GJM_DECLARE_1(type, suffix) GJM_DECLARE(type, suffix, (type x))
#define GJM_DECLARE_2(type, suffix) GJM_DECLARE(type, suffix, (type x, type y))
#define GJM_DECLARE_3(type, suffix) GJM_DECLARE(type, suffix, (type x, type y, type z))
#define GJM_OP(name, arity, ulp_f64, ulp_f32)                                                      \
  GJM_DECLARE_##arity(double, name##_f64) GJM_DECLARE_##arity(float, name##_f32)
#include "math/math.def"
#undef GJM_DECLARE
#undef GJM_DECLARE_1
#undef GJM_DECLARE_2
#undef GJM_DECLARE_3
#undef GJM_LINK

#endif
