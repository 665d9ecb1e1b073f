// Singular values and vectors of upper bidiagonal matrices by the implicit QR algorithm, with a
// sweep that has no shift where a value is about 0 (Golub and Kahan, 1965; Demmel and Kahan,
// "Accurate Singular Values of Bidiagonal Matrices", 1990; LAPACK's dbdsqr).
//
// Singular vectors are rows, so that a rotation takes two rows, which are next to each other. What
// is left out: sweeps from the end to the start, and values that are accurate relative to
// themselves: errors are relative to the norm.
#define GJL_REAL_BITS 64
#include "library/spectral/bidiagonal_qr.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/bidiagonal_qr.h"
