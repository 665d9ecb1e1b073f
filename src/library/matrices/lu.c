// The factorisation P A = L U with partial pivoting, and solving systems by it.
//
// Columns are halved (Toledo, "Locality of Reference in LU Decomposition with Partial Pivoting",
// 1997; LAPACK's xGETRF2), so that nearly all work is products. A panel of few columns is
// transposed into the workspace, where a column is contiguous, and is factored by groups of 4
// columns: each column updates those right of it in the group, and the next is searched for its
// pivot on the way; the group then updates all that are right of it at once.
//
// As LAPACK's xGETRF, a singular matrix is factored to the end: where a column has no pivot but 0
// it is not divided, and U has that 0. NaN is never preferred as a pivot, but goes where arithmetic
// takes it. What is left out: scaling of rows and columns, and refinement of solutions.
#define GJL_REAL_BITS 64
#include "library/matrices/lu_template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/matrices/lu_template.h"
