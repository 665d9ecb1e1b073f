// Blocks of Householder's reflectors, in the compact WY form of Schreiber and Van Loan (1989;
// LAPACK's dlarft and dlarfb), applied from the right to matrices whose rows are vectors: all but a
// few operations are matrix products.
#define GJL_REAL_BITS 64
#include "library/spectral/reflectors.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/reflectors.h"
