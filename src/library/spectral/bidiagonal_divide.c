// Singular values and vectors of upper bidiagonal matrices by divide and conquer (Gu and Eisenstat,
// "A divide-and-conquer algorithm for the bidiagonal SVD", 1995; LAPACK's dbdsdc and dlasd*).
//
// A row is taken out of the middle, so that two parts are left, of which the upper one has a column
// more than rows, and so a null vector. In the bases of their vectors, the row and the parts'
// values are a matrix with a full row, a diagonal and zeros; the squares of its singular values are
// the eigenvalues of the squares of the diagonal, changed by rank 1, and so the roots of a secular
// equation. tridiagonal_divide.c is the like of it.
#define GJL_REAL_BITS 64
#include "library/spectral/bidiagonal_divide.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/bidiagonal_divide.h"
