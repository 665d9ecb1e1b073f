// Wide matrices to lower triangles, W = (L, 0)·Q, with Q as reflectors, which are rows (LAPACK:
// dgelqf and dormlq): what a singular value decomposition of a matrix that is not square begins
// with. A tall matrix is given as its transpose.
#define GJL_REAL_BITS 64
#include "library/spectral/lq.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/lq.h"
