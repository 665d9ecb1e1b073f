// The Cholesky factorisation A = L Lᵀ of a symmetric positive definite matrix, of which only the
// lower triangle is read.
//
// The matrix is halved (as LAPACK's xPOTRF2 does it) down to blocks of 32: the upper left is
// factored, the lower left is solved as L21 L11ᵀ = A21, the lower right is updated by a product.
// The lower left is transposed for that, as rows of right-hand sides are what vectors and the
// product like. A block of 32 is factored as Uᵀ U, 4 rows at a time in registers.
//
// A matrix is taken as not positive definite if a pivot is not > 0, is NaN or infinite; then all of
// L is NaN. What is left out: pivoting, and whether the upper triangle agrees with the lower one.
#define GJL_REAL_BITS 64
#include "library/matrices/cholesky_template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/matrices/cholesky_template.h"
