// The factorisation A = Q R by Householder reflections, with the signs of LAPACK's xGEQRF: the
// diagonal of R is -sign(x) · norm of the column, or x itself where all below it is zero.
//
// Panels of 32 or 64 columns are transposed into the workspace, so that a column is contiguous, and
// reflected one by one; what is right of them is updated by products, as I - V T Vᵀ (Schreiber and
// Van Loan, "A Storage-Efficient WY Representation for Products of Householder Transformations",
// 1989). T itself is never formed: its inverse is the upper triangle of VᵀV with 1 / tau on the
// diagonal (Joffrain, Low, Quintana-Ortí, van de Geijn and Van Zee, "Accumulating Householder
// Transformations, Revisited", 2006), so a product with T is a triangular solve. A reflection that
// is none, tau = 0, has an infinity there, which makes its row of the solution 0.
//
// Norms are sums of squares, of the column scaled by a power of 2 when they are too great or too
// small for that. An operand with NaN or infinities gives NaN everywhere. What is left out:
// pivoting of columns.
#define GJL_REAL_BITS 64
#include "library/matrices/qr_template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/matrices/qr_template.h"
