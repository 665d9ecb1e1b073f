// Eigenvalues and eigenvectors of symmetric tridiagonal matrices by divide and conquer (Cuppen,
// 1981; Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal
// eigenproblem", 1995; LAPACK's dstedc).
//
// A part is split in two that differ from it by a matrix of rank 1; a merge solves the secular
// equation, and takes the vectors to the basis of the halves by a matrix product, which is nearly
// all of the time. Rows that a merge need not change are found first (deflation), so clustered
// eigenvalues make it faster.
#define GJL_REAL_BITS 64
#include "library/spectral/tridiagonal_divide.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/tridiagonal_divide.h"
