// tanh: (e^2x - 1) / (e^2x + 1), numerator and denominator both divided by 2^k and held in two
// parts, so that the quotient is within 0.6 ulp. Beyond the clamp the result is 1 to working
// precision. Float with FMA looks polynomials up instead, see tanh_table.h.
#include "math/exp_core.h"

double gjm_tanh_f64(double x) {
  gjm_exp_arg r = gjm_exp_reduce(2 * gjm_clamp(gjm_abs(x), 0, 22));
  double one = gjm_pow2(0 - r.k);
  gjm_dd n = gjm_dd_norm(gjm_expm1_kernel(r, one)), d = gjm_two_sum(n.hi, 2 * one);
  d.lo += n.lo;
  return gjm_copysign(gjm_dd_div(n, d).hi, x);
}

#ifdef GJ_MATH_FMA
#include "math/tanh_table.h"

float gjm_tanh_f32(float x) { return gjm_tanh_tablef(x); }
#else
float gjm_tanh_f32(float x) {
  gjm_exp_argf r = gjm_exp_reducef(2 * gjm_clampf(gjm_absf(x), 0, 12));
  float one = gjm_pow2f(0 - r.k);
  gjm_ff n = gjm_ff_norm(gjm_expm1_kernelf(r, one)), d = gjm_two_sumf(n.hi, 2 * one);
  d.lo += n.lo;
  return gjm_copysignf(gjm_ff_div(n, d).hi, x);
}
#endif
