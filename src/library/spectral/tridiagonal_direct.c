// Symmetric matrices to tridiagonal form, for small ones: A = Q·T·Qᵀ, with Q as a matrix
// (Golub and Van Loan, "Matrix Computations", 8.3.1; EISPACK's tred2, which also begins with the
// last row).
//
// Both triangles are kept, so that the product with a vector is a sum of rows, and neither it nor
// the update has a sum across a vector: for n ≤ 32 that is worth more than half of the operations.
// tridiagonal.c is for large matrices.
#define GJL_REAL_BITS 64
#include "library/spectral/tridiagonal_direct.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/tridiagonal_direct.h"
