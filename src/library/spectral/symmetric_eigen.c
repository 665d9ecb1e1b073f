// Eigenvalues and eigenvectors of symmetric matrices (LAPACK: dsyevd).
//
// The matrix is scaled to 1, reduced to tridiagonal form, and that is diagonalised: small matrices
// by rotations, which the reduction's matrix takes along; large ones by divide and conquer, after
// which the reflectors of the reduction are applied. Vectors are rows until the end, when they are
// sorted and transposed into the result.
//
// NaN and infinities make all results NaN. Errors are small relative to the greatest eigenvalue,
// not to each one. What is left out: eigenvalues without vectors, and some of them only.
#define GJL_REAL_BITS 64
#include "library/spectral/symmetric_eigen.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/symmetric_eigen.h"
