// The half types, f16 and bf16: 16 bits in memory, computed in f32.
//
// An op of a half type converts its operands to f32, which is exact, computes in f32 and rounds the
// result once to the half type: to nearest, ties to even, subnormals kept, overflow to infinity.
// f32 has more than twice the digits of either, so sums, differences, products, quotients and
// square roots are the correctly rounded ones all the same.
#ifndef GJ_OPS_HALF_H
#define GJ_OPS_HALF_H

#include "ops/dtype.h"

// The number that a pattern of a half type means. A NaN keeps its payload in the highest bits.
double gj__half_value(gj_dtype dtype, uint16_t bits);
// The pattern nearest to a number, rounded once.
uint16_t gj__half_bits(gj_dtype dtype, double value);

#endif
