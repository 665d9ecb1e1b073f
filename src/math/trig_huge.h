// Argument reduction of sin, cos and tan for arguments beyond Cody-Waite's reach.
//
// Payne and Hanek (ACM SIGNUM Newsletter 18(1), 1983): x * 2/pi is wanted modulo 4, and x is an
// integer times a power of two, so only a window of the digits of 2/pi matters. Seven words of 32
// bits from the first that is not a multiple of 4 leave an absolute error of 2^-138; no double
// comes nearer than 2^-61 to a multiple of pi/2. Used by the _slow functions only, hence loops and
// a table. All products are 32 x 32 bits, since 128-bit ones are library calls on wasm.
#ifndef GJ_MATH_TRIG_HUGE_H
#define GJ_MATH_TRIG_HUGE_H

#include "math/trig_core.h"

// The first 1216 bits of 2/pi after the binary point (computed with mpmath).
static const uint32_t gjm_two_over_pi_bits[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};

enum { GJM_HUGE_WORDS = 7 };

// product = mantissa * (GJM_HUGE_WORDS words of 2/pi from `first`), least significant word first;
// mantissa < 2^53. The carry never exceeds 2^33, so no sum overflows.
static inline void gjm_huge_product(uint64_t mantissa, int first, uint32_t product[]) {
  uint64_t low = mantissa & 0xffffffffu, high = mantissa >> 32, carry = 0, before = 0;
  for (int i = 0; i < GJM_HUGE_WORDS + 2; i++) {
    uint64_t word = i < GJM_HUGE_WORDS ? gjm_two_over_pi_bits[first + GJM_HUGE_WORDS - 1 - i] : 0;
    uint64_t a = low * word + (carry & 0xffffffffu);
    uint64_t b = high * before + (a & 0xffffffffu) + (carry >> 32 << 32);
    product[i] = (uint32_t)b;
    carry = (a >> 32) + (b >> 32);
    before = word;
  }
}

// 32 bits of the product from bit position `at`.
static inline uint32_t gjm_huge_bits(const uint32_t product[], int at) {
  int word = at >> 5, shift = at & 31;
  uint64_t pair = product[word] | (uint64_t)product[word + 1] << 32;
  return (uint32_t)(pair >> shift);
}

// a >= 2^17, finite.
static inline gjm_trig gjm_trig_reduce_huge(double a) {
  uint64_t bits = gjm_bits(a);
  int exponent = (int)(bits >> 52) - 1075; // a = mantissa * 2^exponent, exponent in [-35, 971]
  uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  int first = exponent < 2 ? 0 : (exponent - 2) / 32;
  uint32_t product[GJM_HUGE_WORDS + 3];
  gjm_huge_product(mantissa, first, product);
  product[GJM_HUGE_WORDS + 2] = 0;
  // The binary point lies `point` bits up; below it the fraction, above it the quadrant.
  int point = 32 * (first + GJM_HUGE_WORDS) - exponent;
  uint64_t quadrant = gjm_huge_bits(product, point);
  uint32_t part[4];
  for (int i = 0; i < 4; i++)
    part[i] = gjm_huge_bits(product, point - 32 * (i + 1));
  // Fractions above one half belong to the next quadrant: negate, in two's complement.
  uint32_t flip = part[0] >> 31 ? 0xffffffffu : 0;
  double scale = flip ? -0x1p-32 : 0x1p-32;
  quadrant += flip & 1;
  double piece[4];
  for (int i = 0; i < 4; i++) {
    piece[i] = (double)(part[i] ^ flip) * scale;
    scale *= 0x1p-32;
  }
  gjm_dd fraction = gjm_fast_two_sum(piece[0], piece[1]);
  fraction = gjm_fast_two_sum(fraction.hi, fraction.lo + (piece[2] + piece[3]));
  gjm_dd r = gjm_dd_mul(fraction, (gjm_dd){GJM_HALF_PI_HI, GJM_HALF_PI_LO});
  return (gjm_trig){r.hi, r.lo, quadrant};
}

// The f32 functions share it; every float is a double.
static inline double gjm_trig_reduce_huge_wide(float a, uint32_t *quadrant) {
  gjm_trig t = gjm_trig_reduce_huge(a);
  *quadrant = (uint32_t)t.quadrant;
  return t.hi;
}

#endif
