// Singular value decompositions, reduced ones (LAPACK: dgesdd).
//
// The matrix is scaled to 1; one that is not square is W = (L, 0)·Q first, or its transpose is, so
// that the rest is about square ones (Chan, "An improved algorithm for computing the singular value
// decomposition", 1982, for whom that pays when one side is much longer; here it is always done).
// They are reduced to bidiagonal form, and that is diagonalised: small ones by rotations, which the
// reduction's matrices take along; large ones by divide and conquer, after which the reflectors of
// the reduction are applied. Vectors are rows until the end, when they are sorted.
//
// NaN and infinities make all results NaN. Errors are small relative to the greatest singular
// value, not to each one. What is left out: values without vectors, and full bases.
#define GJL_REAL_BITS 64
#include "library/spectral/svd.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/svd.h"
