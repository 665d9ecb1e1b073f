// Eigenvalues and eigenvectors of symmetric tridiagonal matrices by the implicit QL algorithm with
// Wilkinson's shift (Dubrulle, Martin and Wilkinson, 1968; EISPACK's imtql2, LAPACK's dsteqr).
//
// Eigenvectors are rows here, so that a rotation takes two rows, which are next to each other. The
// ends of a matrix are never exchanged: QL on a matrix that is graded the wrong way takes a few
// more iterations, and errors are relative to the norm either way.
#define GJL_REAL_BITS 64
#include "library/spectral/tridiagonal_ql.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/tridiagonal_ql.h"
