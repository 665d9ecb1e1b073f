// Symmetric matrices to tridiagonal form, for large ones: A = Q·T·Qᵀ, where Q is kept as
// reflectors (Dongarra, Hammarling and Sorensen, "Block reduction of matrices to condensed forms",
// 1989; LAPACK's dsytrd with the triangle that is stored by columns there, so from the last row to
// the first).
//
// Half of the operations are products of a panel's reflectors with the matrix, which are bound by
// memory, so the matrix is read once for each, and only its lower triangle; the other half is an
// update of rank 2·REFLECTORS by a matrix product.
#define GJL_REAL_BITS 64
#include "library/spectral/tridiagonal.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/tridiagonal.h"
