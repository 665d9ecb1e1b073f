// See sums.h. Each sum has as many parts as LANES says, so that they need not wait for each other;
// vectors of that length are the same bits on all processors.
#include "population/sums.h"

#include <stdint.h>

enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(64)));
typedef double loose_f64 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float loose_f32 __attribute__((vector_size(32), aligned(4), may_alias));

static inline void load(gj_dtype dtype, const void *f, size_t i, lanes *out) {
  if (dtype == GJ_DTYPE_f32)
    *out = __builtin_convertvector(*(const loose_f32 *)((const float *)f + i), lanes);
  else
    *out = *(const loose_f64 *)((const double *)f + i);
}

static inline double add_up(const lanes *sum) {
  lanes s = *sum;
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

double gj__sum_squares(gj_dtype dtype, const void *f, const double *y, const double *w, size_t n) {
  lanes sum = {0}, x;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    load(dtype, f, i, &x);
    x -= *(const loose_f64 *)(y + i);
    sum += *(const loose_f64 *)(w + i) * (x * x);
  }
  for (; i < n; i++) {
    double d = gj__element(dtype, f, i) - y[i];
    sum[i % LANES] += w[i] * (d * d);
  }
  return add_up(&sum);
}

double gj__sum(gj_dtype dtype, const void *f, const double *w, size_t n) {
  lanes sum = {0}, x;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    load(dtype, f, i, &x);
    sum += *(const loose_f64 *)(w + i) * x;
  }
  for (; i < n; i++)
    sum[i % LANES] += w[i] * gj__element(dtype, f, i);
  return add_up(&sum);
}

static void add_centred(gj_dtype dtype, const void *f, const double *y, const double *w, size_t n,
                        gj__moments *m) {
  lanes ff = {0}, yy = {0}, fy = {0}, a;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    load(dtype, f, i, &a);
    a -= m->mean_f;
    lanes b = *(const loose_f64 *)(y + i) - m->mean_y, weight = *(const loose_f64 *)(w + i);
    ff += weight * a * a;
    fy += weight * a * b;
    yy += weight * b * b;
  }
  for (; i < n; i++) {
    double c = gj__element(dtype, f, i) - m->mean_f, d = y[i] - m->mean_y;
    ff[i % LANES] += w[i] * c * c;
    fy[i % LANES] += w[i] * c * d;
    yy[i % LANES] += w[i] * d * d;
  }
  m->square_f = add_up(&ff);
  m->square_y = add_up(&yy);
  m->product = add_up(&fy);
}

// The mean, and what the values differ from it on average: that of equal values is exact.
static double mean_of(gj_dtype dtype, const void *f, const double *w, size_t n, double weight) {
  double near = gj__sum(dtype, f, w, n) / weight;
  lanes sum = {0}, x;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    load(dtype, f, i, &x);
    sum += *(const loose_f64 *)(w + i) * (x - near);
  }
  for (; i < n; i++)
    sum[i % LANES] += w[i] * (gj__element(dtype, f, i) - near);
  return near + add_up(&sum) / weight;
}

gj__moments gj__moments_of(gj_dtype dtype, const void *f, const double *y, const double *w,
                           size_t n) {
  gj__moments m = {0};
  for (size_t i = 0; i < n; i++)
    m.weight += w[i];
  if (m.weight > 0) {
    m.mean_f = mean_of(dtype, f, w, n, m.weight);
    m.mean_y = mean_of(GJ_DTYPE_f64, y, w, n, m.weight);
    add_centred(dtype, f, y, w, n, &m);
  }
  return m;
}

void gj__moments_add(gj__moments *to, const gj__moments *more) {
  double weight = to->weight + more->weight;
  if (!(weight > 0))
    return;
  double f = more->mean_f - to->mean_f, y = more->mean_y - to->mean_y;
  double share = more->weight / weight, factor = to->weight * share;
  to->mean_f += f * share;
  to->mean_y += y * share;
  to->square_f += more->square_f + f * f * factor;
  to->square_y += more->square_y + y * y * factor;
  to->product += more->product + f * y * factor;
  to->weight = weight;
}
