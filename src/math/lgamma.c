// log|Gamma(x)|, at most 2 ulp (1.6 measured) except close to the roots at negative x.
//
// Positive x: lgamma_core.h. Zero, subnormal and negative x are rare. Negative x are reflected,
// log|Gamma(x)| = log(pi/sin(pi a)) - log(a) - log(Gamma(a)) with a = -x, in double-double. That
// stays below 1 ulp except where the terms cancel, near the roots below -2. There f64 results have
// an absolute error of at most 2e-16, so a relative error only as good as that; measured are 8e-17
// around the roots down to -13 and 1.6e-16 around the others, the last of which lies at -16, since
// later ones fall together with poles. f32 results come from the f64 ones; no float is so close to
// a root that it would show.
#include "math/lgamma_core.h"
#include "math/trig_core.h"

double gjm_lgamma_f64(double x) {
  gjm_dd r = gjm_lgamma_positive(x);
  return r.hi + r.lo;
}

int gjm_lgamma_f64_rare(double x) { return !(x >= 0x1p-1022); }

// log(sin(pi a)) for non-integer a in [2^-60, 2^52). Sine and cosine share the work so that the
// argument stays within pi/4.
static gjm_dd log_sine_pi(double a) {
  double off = gjm_abs(a - ((a + 0x1p52) - 0x1p52));
  int far = off > 0.25;
  double part = far ? 0.5 - off : off;
  gjm_dd r = gjm_two_prod(part, 2 * GJM_HALF_PI_HI);
  r = gjm_fast_two_sum(r.hi, GJM_MULADD(part, 2 * GJM_HALF_PI_LO, r.lo));
  gjm_trig t = {r.hi, r.lo, 0};
  gjm_dd square = gjm_two_prod(r.hi, r.hi), top = gjm_cos_top(square.hi);
  double z2 = square.hi * square.hi;
  gjm_dd s = gjm_fast_two_sum(r.hi, gjm_sin_rest(t, square.hi, z2, top.hi));
  if (far)
    s = gjm_fast_two_sum(top.hi,
                         gjm_cos_rest(t, square.hi, z2, GJM_MULADD(-0.5, square.lo, top.lo)));
  return gjm_dd_add_d(gjm_lgamma_log(s.hi), s.lo / s.hi);
}

static double lgamma_negative(double a) {
  if (a >= 0x1p52 || a == (a + 0x1p52) - 0x1p52)
    return GJM_INF; // a pole, or minus infinity
  gjm_dd sine = log_sine_pi(a), log = gjm_lgamma_log(a), rest = gjm_lgamma_positive(a);
  // For small a, log(a) would cancel against log(Gamma(a)); log(Gamma(1 + a)) has neither.
  rest = a < GJM_LGAMMA_SHIFT ? (gjm_dd){gjm_lgamma_near(a), 0.0} : gjm_dd_add(rest, log);
  gjm_dd sum = gjm_dd_add((gjm_dd){0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57},
                          (gjm_dd){-sine.hi, -sine.lo});
  sum = gjm_dd_add(sum, (gjm_dd){-rest.hi, -rest.lo});
  return sum.hi + sum.lo;
}

double gjm_lgamma_f64_slow(double x) {
  double a = gjm_abs(x);
  if (a != a)
    return a;
  if (a == 0.0)
    return GJM_INF;
  if (a < 0x1p-60) { // -log(a); 54 halvings make a normal
    gjm_dd log = gjm_lgamma_log(a * 0x1p54);
    log = gjm_dd_add(log, (gjm_dd){-54 * 0x1.62e42fefa3800p-1, -54 * 0x1.ef35793c76730p-45});
    return -(log.hi + log.lo);
  }
  return lgamma_negative(a);
}

// The same pieces in f64 with shorter polynomials: log 2^-39.8, near 2^-30.6, Stirling 2^-34.3.
float gjm_lgamma_f32(float x) {
  double y = x;
  gjm_lgamma_parts parts = gjm_lgamma_split(y);
  int shift = y < GJM_LGAMMA_SHIFT;
  double v = 1.0 / y, s = (parts.m - 1.0) / (parts.m + 1.0), w = s * s, w2 = w * w;
  double atanh = gjm_p3(w, w2, 0x1.555554cd72d2ep-1, 0x1.999abcd713f6ep-2, 0x1.242b157e0b848p-2,
                        0x1.e4bd4511d8495p-3);
  double log = GJM_MULADD(s * w, atanh, GJM_MULADD(parts.k, 0x1.62e42fefa39efp-1, 2.0 * s));

  double t = gjm_pick(shift, y, y - 1.0), u = t - 0.5625, u2 = u * u, u4 = u2 * u2;
  double c = GJM_MULADD(u4, 0x1.2fb8ad5ab03d6p-12,
                        gjm_p3(u, u2, 0x1.6f0d2d104e0e3p-10, -0x1.5bcb8a0129dc5p-11,
                               0x1.9a6c666d5305ap-12, -0x1.01ef352e8af0ep-11));
  double b = gjm_p3(u, u2, 0x1.cf84592014e1dp-7, -0x1.f32ec6df1ab89p-8, 0x1.14fb3d9dcb8edp-8,
                    -0x1.3f3dbd0ecaca4p-9);
  double f = GJM_MULADD(u4, GJM_MULADD(u4, c, b),
                        gjm_p3(u, u2, 0x1.e5a06e5e530abp-2, -0x1.1b8a2d9569e60p-3,
                               0x1.d653994f23e45p-5, -0x1.c1c930160ee48p-6));
  double near = t * (t - 1.0) * f - gjm_pick(shift, log, 0.0);

  double z = v * v, z2 = z * z;
  double bend = GJM_MULADD(z2 * z2, 0x1.3d71349c075b1p-12,
                           gjm_p3(z, z2, 0x1.5555530949469p-4, -0x1.6c06bff824255p-9,
                                  0x1.9b01a1fcf538dp-11, -0x1.051b2ed71c01ap-11));
  double far = GJM_MULADD(y - 0.5, log - 1.0, GJM_MULADD(v, bend, 0x1.acfe390c97d69p-2));
  return (float)gjm_pick(y < GJM_LGAMMA_FAR, near, far) + 0.0f;
}

int gjm_lgamma_f32_rare(float x) { return !(x > 0.0f); }

float gjm_lgamma_f32_slow(float x) { return (float)gjm_lgamma_f64_slow(x); }
