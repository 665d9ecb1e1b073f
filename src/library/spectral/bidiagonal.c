// Square matrices to bidiagonal form, for large ones: W = Y·B·Xᵀ with lower bidiagonal B, where X
// and Y are kept as reflectors (Dongarra, Hammarling and Sorensen, 1989; LAPACK's dgebrd, applied
// to the transpose).
//
// Half of the operations are products of a panel's reflectors with the matrix, which are bound by
// memory. The two of a step read the matrix once, not twice: the product with the column's
// reflector is computed from the column before that is scaled, row by row as it becomes known. The
// other half is an update of rank 2·REFLECTORS by a matrix product.
#define GJL_REAL_BITS 64
#include "library/spectral/bidiagonal.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/bidiagonal.h"
