// What a program's values in some rows add to its loss: sums and moments over a block.
//
// Moments are kept as mean and squares around it, merged pairwise (Chan, Golub and LeVeque,
// Algorithms for computing the sample variance, 1983), so they do not cancel.
#ifndef GJ_POPULATION_SUMS_H
#define GJ_POPULATION_SUMS_H

#include "ops/dtype.h"

// Of value f and target y with weights w.
typedef struct gj__moments {
  double weight;
  double mean_f, mean_y;
  double square_f, square_y; // sum of w (f - mean)^2
  double product;            // sum of w (f - mean) (y - mean)
} gj__moments;

static inline double gj__element(gj_dtype dtype, const void *f, size_t i) {
  return dtype == GJ_DTYPE_f32 ? (double)((const float *)f)[i] : ((const double *)f)[i];
}

// sum of w (f - y)^2, f of `dtype`
double gj__sum_squares(gj_dtype dtype, const void *f, const double *y, const double *w, size_t n);
// sum of w f
double gj__sum(gj_dtype dtype, const void *f, const double *w, size_t n);
gj__moments gj__moments_of(gj_dtype dtype, const void *f, const double *y, const double *w,
                           size_t n);
void gj__moments_add(gj__moments *to, const gj__moments *more);

#endif
