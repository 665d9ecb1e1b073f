// Sine, at most 1 ulp (0.9 measured) in both dtypes. See trig_core.h and, with FMA, trig_table.h
// for the method; arguments beyond its limit, infinities and NaN are rare.
#include "math/trig_huge.h"

#ifdef GJ_MATH_FMA
#include "math/trig_table.h"

double gjm_sin_f64(double x) { return gjm_mulsign(gjm_table_sine(gjm_abs(x)), x); }
float gjm_sin_f32(float x) { return gjm_mulsignf(gjm_table_sinef(gjm_absf(x)), x); }
#else
double gjm_sin_f64(double x) {
  return gjm_mulsign(gjm_trig_sine(gjm_trig_reduce(gjm_abs(x)), 0), x);
}
float gjm_sin_f32(float x) {
  return gjm_mulsignf(gjm_trig_sinef(gjm_trig_reducef(gjm_absf(x)), 0), x);
}
#endif

int gjm_sin_f64_rare(double x) { return !(gjm_abs(x) <= GJM_TRIG_LIMIT); }

double gjm_sin_f64_slow(double x) {
  double a = gjm_abs(x);
  if (!(a < GJM_INF))
    return GJM_NAN;
  return gjm_mulsign(gjm_trig_sine(gjm_trig_reduce_huge(a), 0), x);
}

int gjm_sin_f32_rare(float x) { return !(gjm_absf(x) <= GJM_TRIG_LIMITF); }

float gjm_sin_f32_slow(float x) {
  float a = gjm_absf(x);
  if (!(a < GJM_INFF))
    return GJM_NANF;
  uint32_t quadrant;
  double r = gjm_trig_reduce_huge_wide(a, &quadrant);
  return gjm_mulsignf(gjm_trig_sinef(gjm_trig_splitf(r, quadrant), 0), x);
}
