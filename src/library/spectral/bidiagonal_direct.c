// Square matrices to bidiagonal form, for small ones: W = Y·B·Xᵀ with lower bidiagonal B and with
// X and Y as matrices (Golub and Kahan, 1965; Golub and Van Loan, "Matrix Computations", 5.4.8).
//
// The first reflector is of a row, so B is lower bidiagonal, as rows are what is contiguous.
// bidiagonal.c is for large matrices.
#define GJL_REAL_BITS 64
#include "library/spectral/bidiagonal_direct.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/bidiagonal_direct.h"
