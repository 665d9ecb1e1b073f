// The secular equation of a matrix that is diagonal but for a change of rank 1, which is what
// merging two halves is in divide and conquer, for eigenvalues and for squares of singular values
// (Li, "Solving secular equations stably and efficiently", 1993, LAPACK's dlaed4 and dlasd4; Gu and
// Eisenstat, "A stable and efficient algorithm for the rank-one modification of the symmetric
// eigenproblem", 1994, for vectors that are orthogonal: dlaed3).
//
// A root lies between two poles, and is found relative to the closer one, as then its differences
// from all poles are accurate. A bracket is kept, and halved where the iteration leaves it or is
// slow, so it ends. The order of operations does not depend on the root's neighbours.
#define GJL_REAL_BITS 64
#include "library/spectral/secular.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/spectral/secular.h"
