// exp2: x = k + r with |r| <= 1/2, exactly; integers give exact powers of two.
#include "math/exp_core.h"

double gjm_exp2_f64(double x) {
  x = gjm_clamp(x, -1076, 1024);
  gjm_int k = gjm_nearest(x);
  return gjm_scale(gjm_exp2_unit(x - k.value), k.value);
}

float gjm_exp2_f32(float x) {
  x = gjm_clampf(x, -151, 128);
  gjm_intf k = gjm_nearestf(x);
  return gjm_scalef(gjm_exp2_unitf(x - k.value), k.value);
}
