// Solves triangular systems, op(A) X = B.
//
// All four triangles are the lower one: a transpose exchanges the strides, an upper one is walked
// from its end by negative strides. The system is halved until a block is small, so that nearly all
// work is products (Elmroth, Gustavson, Jonsson and Kågström, "Recursive Blocked Algorithms and
// Hybrid Data Structures", 2004); a small block is solved 4 rows at a time in registers, for 2
// vectors of columns. One right-hand side has forms of its own: dot products where T's rows are
// contiguous, sums of columns where its columns are.
//
// In blocks a row is multiplied by the reciprocal of its diagonal element, as BLAS libraries do
// (xTRSM), but divided where the reciprocal is not a normal number. What is left out: estimates of
// the condition; a zero on the diagonal gives what IEEE division gives.
#define GJL_REAL_BITS 64
#include "library/matrices/triangular_template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/matrices/triangular_template.h"
