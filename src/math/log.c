// log: k ln2 + log(1 + f), the leading terms summed exactly.
#include "math/log_core.h"

double gjm_log_f64(double x) {
  gjm_log_arg r = gjm_log_reduce(x);
  return gjm_log_special(x, gjm_log_sum(r.k, r.f, 0));
}

float gjm_log_f32(float x) {
  gjm_log_argf r = gjm_log_reducef(x);
  return gjm_log_specialf(x, gjm_log_sumf(r.k, r.f, 0));
}
