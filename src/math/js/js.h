// What the functions of this folder share: prototypes, generated from js.def, and the two words of
// a double.
//
// JavaScript leaves the last bits of Math.sin and its like to the engine. V8 takes the algorithms
// of Sun's fdlibm (K. C. Ng and others, 1993; log2, log10 and cbrt as FreeBSD's msun improved
// them), so code that is to agree with it bit for bit does the same operations in the same order,
// without fused ones. Which branch an argument takes decides its bits too: where fdlibm compares
// the high word of an argument, with sign, exponent and twenty bits of the fraction, so do these
// functions, and a comparison of doubles stands only where it is the same.
//
// They are scalar, with branches where those are cheap. Most have a twin for vectors, as the
// functions of src/math are: gjs_<op>_f64_main is straight-line, and right unless gjs_<op>_f64_rare
// says otherwise; then the scalar function is asked. Where fdlibm has a formula of its own for k ==
// 0 in x = 2^k m, the general one is used if it is the same without its zero terms. Flags of the
// floating-point environment do not matter, so nothing is computed to raise them.
#ifndef GJ_MATH_JS_H
#define GJ_MATH_JS_H

#include "math/gjm.h"

#ifdef GJ_MATH_FMA
#error "JavaScript's functions know no fused operations"
#endif

#define GJS_DECLARE_1(name) double gjs_##name##_f64(double x);
#define GJS_DECLARE_2(name) double gjs_##name##_f64(double x, double y);
#define GJS_OP(name, arity) GJS_DECLARE_##arity(name)
#include "math/js/js.def"
#undef GJS_DECLARE_1
#undef GJS_DECLARE_2

#define GJS_WIDE(name, params)                                                                     \
  double gjs_##name##_f64_main params;                                                             \
  int gjs_##name##_f64_rare params;
#define GJS_DECLARE_1(name) GJS_WIDE(name, (double x))
#define GJS_DECLARE_2(name) GJS_WIDE(name, (double x, double y))
#define GJS_OP(name, arity) GJS_DECLARE_##arity(name)
#include "math/js/js.def"
#undef GJS_DECLARE_1
#undef GJS_DECLARE_2
#undef GJS_WIDE

// Helpers become part of their callers in the bitcode; what is rare and large does not.
#define GJS_INLINE static inline __attribute__((always_inline))
#define GJS_COLD static __attribute__((noinline, cold))

// Takes the sign off a high word.
#define GJS_SIZE 0x7fffffff

GJS_INLINE int32_t gjs_high(double x) { return (int32_t)(gjm_bits(x) >> 32); }
GJS_INLINE uint32_t gjs_low(double x) { return (uint32_t)gjm_bits(x); }

GJS_INLINE double gjs_words(int32_t high, uint32_t low) {
  return gjm_double((uint64_t)(uint32_t)high << 32 | low);
}
GJS_INLINE double gjs_with_high(double x, int32_t high) { return gjs_words(high, gjs_low(x)); }

// x without its low word: 21 significant bits.
GJS_INLINE double gjs_head(double x) { return gjm_double(gjm_bits(x) & 0xffffffff00000000u); }

// k as a double. The machine's own conversion leaves the rest of a register as it is, and so waits
// for whatever was in it, if only the call before.
GJS_INLINE double gjs_whole(int32_t k) {
  return gjm_double(0x4338000000000000u + (uint64_t)(int64_t)k) - 0x1.8p52;
}

// 2^k for k in [-1022, 1023].
GJS_INLINE double gjs_pow2(int32_t k) { return gjm_double((uint64_t)(k + 1023) << 52); }

#endif
