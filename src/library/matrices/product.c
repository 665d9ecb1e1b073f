// Products of matrices on one thread, c += alpha · a · b, for any strides of a and b.
//
// The structure is that of Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008), and of BLIS: a tile of c of 4 rows and up to 3 vectors is held in
// registers (12 of 16 for AVX2) while k runs; k is cut so that a panel of b stays in the first
// cache, rows so that a block of a stays in the second. Blocks are packed into the order in which
// they are read, unless they are small or read but a few times: a 16×16 product packs nothing.
//
// Rows that a tile has too few of are computed as copies of its first row and are not stored;
// columns it has too few of are zeros in a packed panel. An element of c is the sum over k in
// ascending order, of whole cuts of k, whatever the tile, so the result does not depend on the
// position in the matrix. What is left out: threads, and products that are symmetric (only
// product_lower, which skips tiles above the diagonal).
#define GJL_REAL_BITS 64
#include "library/matrices/product_template.h"
#undef GJL_REAL_BITS
#define GJL_REAL_BITS 32
#include "library/matrices/product_template.h"
