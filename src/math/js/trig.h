// Sine, cosine and tangent on [-pi/4, pi/4], and the reduction of any angle to that interval.
//
// An angle becomes n pi/2 + hi + lo. Up to 2^19 pi/2 that is x - n P with pi/2 in pieces of 33
// bits, of which as many are used as the cancellation asks for (Cody and Waite); beyond, x is
// multiplied by as much of 2/pi as matters (Payne and Hanek 1983). fdlibm: e_rem_pio2.c,
// k_rem_pio2.c, k_sin.c, k_cos.c, k_tan.c.
#ifndef GJ_MATH_JS_TRIG_H
#define GJ_MATH_JS_TRIG_H

#include "math/js/js.h"

typedef struct gjs_angle {
  double hi, lo;
  int32_t quadrant; // n, of which the low two bits count
} gjs_angle;

// High words: of the largest |x| that needs no reduction, of what is infinite or NaN.
#define GJS_QUARTER_PI 0x3fe921fb
#define GJS_NOT_FINITE 0x7ff00000

// --- huge angles ---

// 2/pi in digits of 24 bits.
static const int32_t gjs_two_over_pi[66] = {
    0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163,
    0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129,
    0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c,
    0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf,
    0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292,
    0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330, 0x46fc7b, 0x6babf0, 0xcfbc20, 0x9af436, 0x1da9e3,
    0x91615e, 0xe61b08, 0x659985, 0x5f14a0, 0x68408d, 0xffd880, 0x4d7327, 0x310606, 0x1556ca,
    0x73a8c9, 0x60e27b, 0xc08c6b};

// pi/2 in pieces of 24 bits.
static const double gjs_half_pi[5] = {0x1.921fb4p0, 0x1.4442dp-24, 0x1.846988p-48, 0x1.8cc516p-72,
                                      0x1.01b838p-96};

enum {
  GJS_DIGIT = 24,       // bits
  GJS_FIRST_DIGITS = 4, // how many digits below the leading one are computed at first
  GJS_MOST_DIGITS = 20
};

// A product x * 2/pi, of which multiples of 8 are left away: `lead` and below it the digits from
// digit[count - 1] down to digit[0]; `lead` counts in units of 2^exponent.
typedef struct gjs_product {
  int64_t lead;
  int32_t exponent, count, quadrant;
  int32_t digit[GJS_MOST_DIGITS];
} gjs_product;

// Item i of the product of three digits and 2/pi from its digit `first` on, not yet carried.
GJS_INLINE int64_t gjs_column(const int32_t *x, int32_t first, int32_t i) {
  int64_t sum = 0;
  for (int32_t j = 0; j < 3; j++)
    if (first + i - j >= 0)
      sum += (int64_t)x[j] * gjs_two_over_pi[first + i - j];
  return sum;
}

// The digits of the product; what is above them stays in `lead`.
GJS_INLINE void gjs_multiply(gjs_product *p, const int32_t *x, int32_t first) {
  int64_t carry = gjs_column(x, first, p->count);
  for (int32_t i = 0; i < p->count; i++) {
    p->digit[i] = (int32_t)(carry & 0xffffff);
    carry = gjs_column(x, first, p->count - 1 - i) + (carry >> GJS_DIGIT);
  }
  p->lead = carry;
}

// Takes the integer modulo 8 out of the product; whether the rest is at least a half.
GJS_INLINE int gjs_take_quadrant(gjs_product *p) {
  int32_t e = p->exponent, *top = &p->digit[p->count - 1];
  if (e < 0) {
    p->quadrant = (int32_t)(p->lead >> -e & 7);
    p->lead &= ((int64_t)1 << -e) - 1;
    return (int)(p->lead >> (-e - 1));
  }
  p->quadrant = (int32_t)(p->lead << e & 7) + (*top >> (GJS_DIGIT - e));
  p->lead = 0;
  *top &= (1 << (GJS_DIGIT - e)) - 1;
  return *top >> (GJS_DIGIT - 1 - e);
}

// 1 - p, for a p below 1.
GJS_INLINE void gjs_complement(gjs_product *p) {
  int32_t e = p->exponent, borrow = 0;
  for (int32_t i = 0; i < p->count; i++) {
    int32_t d = p->digit[i];
    p->digit[i] = borrow ? 0xffffff - d : (0x1000000 - d) & 0xffffff;
    borrow |= d != 0;
  }
  if (e < 0)
    p->lead = ((int64_t)1 << -e) - p->lead - borrow;
  else
    p->digit[p->count - 1] &= (1 << (GJS_DIGIT - e)) - 1;
}

// How many digits more the product needs for 53 bits that are not zero.
GJS_INLINE int32_t gjs_missing(const gjs_product *p) {
  int32_t any = 0, more = 1;
  for (int32_t i = GJS_FIRST_DIGITS; i < p->count; i++)
    any |= p->digit[i];
  if (p->lead != 0 || any != 0)
    return 0;
  while (more <= GJS_FIRST_DIGITS && p->digit[GJS_FIRST_DIGITS - more] == 0)
    more++;
  return more;
}

// Drops leading zeros and makes the lead digits; at least one is not zero.
GJS_INLINE void gjs_normalise(gjs_product *p) {
  if (p->lead != 0) {
    p->digit[p->count] = (int32_t)(p->lead & 0xffffff);
    if (p->lead > 0xffffff) {
      p->digit[++p->count] = (int32_t)(p->lead >> GJS_DIGIT);
      p->exponent += GJS_DIGIT;
    }
    return;
  }
  do {
    p->count--;
    p->exponent -= GJS_DIGIT;
  } while (p->digit[p->count] == 0);
}

// p * pi/2 as out[0] + out[1], summed in fdlibm's order. Here digit[count] is the first one.
GJS_INLINE void gjs_times_half_pi(const gjs_product *p, double *out) {
  double value[GJS_MOST_DIGITS + 1], term[GJS_MOST_DIGITS + 1], unit = gjs_pow2(p->exponent);
  for (int32_t i = p->count; i >= 0; i--, unit *= 0x1p-24)
    value[i] = unit * p->digit[i];
  for (int32_t i = p->count; i >= 0; i--) {
    double sum = 0;
    for (int32_t k = 0; k < 5 && i + k <= p->count; k++)
      sum += gjs_half_pi[k] * value[i + k];
    term[p->count - i] = sum;
  }
  double sum = 0;
  for (int32_t i = p->count; i >= 0; i--)
    sum += term[i];
  out[0] = sum;
  sum = term[0] - sum;
  for (int32_t i = 1; i <= p->count; i++)
    sum += term[i];
  out[1] = sum;
}

// The quadrant of a finite x >= 2^19 pi/2, and out[0] + out[1] behind it.
GJS_COLD int32_t gjs_reduce_huge(double x, double *out) {
  uint64_t fraction = (gjm_bits(x) & 0xfffffffffffffu) | 0x10000000000000u;
  int32_t e = (gjs_high(x) >> 20) - 1046; // x is 24 bits times 2^e, and 29 more bits
  int32_t digit[3] = {(int32_t)(fraction >> 29), (int32_t)(fraction >> 5) & 0xffffff,
                      (int32_t)(fraction & 31) << 19};
  int32_t first = e < 3 ? 0 : (e - 3) / GJS_DIGIT, upper = 0;
  gjs_product p; // whose digits need no zeros, which might be set by a call of memset
  p.exponent = e - GJS_DIGIT * (first + 1);
  p.count = GJS_FIRST_DIGITS;
  for (int32_t missing = 1; missing; p.count += missing) {
    gjs_multiply(&p, digit, first);
    upper = gjs_take_quadrant(&p);
    if (upper)
      gjs_complement(&p);
    missing = gjs_missing(&p);
  }
  p.quadrant += upper;
  gjs_normalise(&p);
  gjs_times_half_pi(&p, out);
  if (upper) {
    out[0] = -out[0];
    out[1] = -out[1];
  }
  return p.quadrant;
}

// --- angles of moderate size ---

#define GJS_HALF_PI_1 0x1.921fb544p0         // pi/2: the first 33 bits
#define GJS_HALF_PI_1T 0x1.0b4611a626331p-34 // and the rest
#define GJS_HALF_PI_2 0x1.0b4611a6p-34       // the next 33 bits
#define GJS_HALF_PI_2T 0x1.3198a2e037073p-69
#define GJS_HALF_PI_3 0x1.3198a2ep-69
#define GJS_HALF_PI_3T 0x1.b839a252049c1p-104

// How many bits cancelled when y was made from an x with this high word.
GJS_INLINE int32_t gjs_cancelled(int32_t high, double y) {
  return (high >> 20) - ((gjs_high(y) >> 20) & 0x7ff);
}

// For x in (pi/4, 2^19 pi/2] with this high word.
GJS_INLINE gjs_angle gjs_reduce_moderate(double x, int32_t high) {
  int32_t n = (int32_t)(x * 0x1.45f306dc9c883p-1 + 0.5);
  double f = gjs_whole(n), r = x - f * GJS_HALF_PI_1, w = f * GJS_HALF_PI_1T, y = r - w;
  if (n >= 32 || high == gjs_high(f * 0x1.921fb54442d18p0)) { // perhaps close to n pi/2
    if (n == 1 && high < 0x4002d97c) {                        // below 3/4 pi
      r -= GJS_HALF_PI_2;
      w = GJS_HALF_PI_2T;
      y = r - w;
    } else if (gjs_cancelled(high, y) > 16) {
      double t = r;
      w = f * GJS_HALF_PI_2;
      r = t - w;
      w = f * GJS_HALF_PI_2T - ((t - r) - w);
      y = r - w;
      if (gjs_cancelled(high, y) > 49) {
        t = r;
        w = f * GJS_HALF_PI_3;
        r = t - w;
        w = f * GJS_HALF_PI_3T - ((t - r) - w);
        y = r - w;
      }
    }
  }
  return (gjs_angle){y, (r - y) - w, n};
}

// Of |x|, for any finite x beyond pi/4. What is left to the functions is the sign.
GJS_INLINE gjs_angle gjs_reduce(double x) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  if (high <= 0x413921fb)
    return gjs_reduce_moderate(gjm_abs(x), high);
  double parts[2];
  int32_t quadrant = gjs_reduce_huge(gjm_abs(x), parts);
  return (gjs_angle){parts[0], parts[1], quadrant};
}

// --- the interval ---

#define GJS_S1 -0x1.5555555555549p-3

// The terms of the sine from that of x^5 on, divided by x^5.
GJS_INLINE double gjs_sine_series(double z) {
  return 0x1.111111110f8a6p-7 + z * (-0x1.a01a019c161d5p-13 +
                                     z * (0x1.71de357b1fe7dp-19 + z * (-0x1.ae5e68a2b9cebp-26 +
                                                                       z * 0x1.5d93a5acfd57cp-33)));
}

// Of x + lo; `reduced` says whether lo counts.
GJS_INLINE double gjs_sine(double x, double lo, int reduced) {
  if ((gjs_high(x) & GJS_SIZE) < 0x3e400000) // 2^-27
    return x;
  double z = x * x, v = z * x;
  double r = gjs_sine_series(z);
  if (!reduced)
    return x + v * (GJS_S1 + z * r);
  return x - ((z * (0.5 * lo - v * r) - lo) - v * GJS_S1);
}

// From 0.3 on about a quarter of |x| is taken from x^2/2 and from 1, which is exact.
GJS_INLINE double gjs_cosine(double x, double lo, int reduced) {
  int32_t high = gjs_high(x) & GJS_SIZE;
  double z = x * x;
  double r = z * (0x1.555555555554cp-5 +
                  z * (-0x1.6c16c16c15177p-10 +
                       z * (0x1.a01a019cb159p-16 +
                            z * (-0x1.27e4f809c52adp-22 +
                                 z * (0x1.1ee9ebdb4b1c4p-29 + z * -0x1.8fae9be8838d4p-37)))));
  double rest = reduced ? z * r - x * lo : z * r;
  int32_t part = high > 0x3fe90000 ? 0x3fd20000 : high - 0x200000;
  double quarter = gjs_words(high < 0x3fd33333 ? 0 : part, 0);
  return (1 - quarter) - ((0.5 * z - quarter) - rest);
}

// The sine of an angle, or its cosine if `turn` is 1. Both are computed, since which one it is
// cannot be predicted.
GJS_INLINE double gjs_turned(gjs_angle a, int32_t turn) {
  uint64_t sine = gjm_bits(gjs_sine(a.hi, a.lo, 1)), cosine = gjm_bits(gjs_cosine(a.hi, a.lo, 1));
  uint32_t n = (uint32_t)(a.quadrant + turn);
  uint64_t odd = 0 - (uint64_t)(n & 1);
  return gjm_double((sine ^ ((sine ^ cosine) & odd)) ^ (uint64_t)(n >> 1 & 1) << 63);
}

// --- for vectors ---

typedef struct gjs_wide_angle {
  double hi, lo;
  double n;  // of quadrants
  int small; // |x| needs no reduction
} gjs_wide_angle;

// |x|, where it is not rare: as gjs_reduce_moderate does if nothing cancels.
GJS_INLINE gjs_wide_angle gjs_reduce_usual(double x) {
  double a = gjm_abs(x), n = __builtin_trunc(a * 0x1.45f306dc9c883p-1 + 0.5);
  int small = a < 0x1.921fcp-1; // the high word up to GJS_QUARTER_PI
  n = gjm_pick(small, 0, n);
  double r = a - n * GJS_HALF_PI_1, w = n * GJS_HALF_PI_1T, y = r - w;
  return (gjs_wide_angle){y, (r - y) - w, n, small};
}

// Too large, not finite, or so close to a multiple of pi/2 that one more piece of it may count.
GJS_INLINE int gjs_angle_is_rare(double x) {
  double a = gjm_abs(x);
  return !(a < 0x1.921fcp20) | (gjm_abs(gjs_reduce_usual(x).hi) < a * 0x1p-15);
}

// gjs_turned for such an angle.
GJS_INLINE double gjs_turned_usual(gjs_wide_angle a, uint64_t turn) {
  double z = a.hi * a.hi, v = z * a.hi, r = gjs_sine_series(z);
  double sine = a.hi - ((z * (0.5 * a.lo - v * r) - a.lo) - v * GJS_S1);
  sine = gjm_pick(a.small, a.hi + v * (GJS_S1 + z * r), sine);
  sine = gjm_pick(gjm_abs(a.hi) < 0x1p-27, a.hi, sine);
  uint64_t n = gjm_bits(a.n + 0x1.8p52) + turn;
  double y = gjm_pick(n & 1, gjs_cosine(a.hi, a.lo, 1), sine);
  return gjm_double(gjm_bits(y) ^ (n & 2) << 62);
}

// --- tangent ---

// -1 / (x + y), where w is x + y rounded.
GJS_INLINE double gjs_minus_inverse(double w, double x, double y) {
  double head = gjs_head(w), tail = y - (head - x), a = -1.0 / w, t = gjs_head(a);
  return t + a * ((1.0 + t * head) + t * tail);
}

// tan(x + lo) - x for an x up to 0.67434 in size.
GJS_INLINE double gjs_tangent_rest(double x, double lo) {
  double z = x * x, w = z * z;
  double odd = 0x1.111111110fe7ap-3 +
               w * (0x1.664f48406d637p-6 +
                    w * (0x1.d6d22c9560328p-9 +
                         w * (0x1.344d8f2f26501p-11 +
                              w * (0x1.47e88a03792a6p-14 + w * -0x1.375cbdb605373p-16))));
  double even = z * (0x1.ba1ba1bb341fep-5 +
                     w * (0x1.226e3e96e8493p-7 +
                          w * (0x1.7dbc8fee08315p-10 +
                               w * (0x1.026f71a8d1068p-12 +
                                    w * (0x1.2b80f32f0a7e9p-14 + w * 0x1.b2a7074bf7ad4p-16)))));
  double s = z * x;
  double r = lo + z * (s * (odd + even) + lo);
  return r + 0x1.5555555555563p-2 * s;
}

#define GJS_QUARTER_HI 0x1.921fb54442d18p-1
#define GJS_QUARTER_LO 0x1.1a62633145c07p-55

// tan(x + lo), or -1 / tan(x + lo) if `inverse`. Beyond 0.67434 by tan(pi/4 - x).
GJS_INLINE double gjs_tangent(double x, double lo, int inverse) {
  int32_t high = gjs_high(x);
  int large = (high & GJS_SIZE) >= 0x3fe59428;
  if ((high & GJS_SIZE) < 0x3e300000) // 2^-28
    return inverse ? gjs_minus_inverse(x + lo, x, lo) : x;
  if (large) {
    x = (GJS_QUARTER_HI - gjm_abs(x)) + (GJS_QUARTER_LO - (high < 0 ? -lo : lo));
    lo = 0;
  }
  double r = gjs_tangent_rest(x, lo), w = x + r;
  if (large) {
    double v = inverse ? -1 : 1, y = v - 2.0 * (x - (w * w / (w + v) - r));
    return high < 0 ? -y : y;
  }
  return inverse ? gjs_minus_inverse(w, x, r) : w;
}

// Of an angle that is not rare.
GJS_INLINE double gjs_tangent_usual(gjs_wide_angle a) {
  double size = gjm_abs(a.hi);
  int inverse = (int)(gjm_bits(a.n + 0x1.8p52) & 1), large = size >= 0x1.59428p-1;
  double turned = (GJS_QUARTER_HI - size) + (GJS_QUARTER_LO - gjm_mulsign(a.lo, a.hi));
  double x = gjm_pick(large, turned, a.hi), r = gjs_tangent_rest(x, gjm_pick(large, 0, a.lo));
  double w = x + r, v = gjm_pick(inverse, -1, 1);
  double far = gjm_mulsign(v - 2.0 * (x - (w * w / (w + v) - r)), a.hi);
  double y = gjm_pick(large, far, gjm_pick(inverse, gjs_minus_inverse(w, x, r), w));
  return gjm_pick(size < 0x1p-28, a.hi, y);
}

#endif
