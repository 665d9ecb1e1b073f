// Products of matrices, the inner part of what else is here: see product.c. Included after real.h,
// once for each REAL.

// How many REAL elements the workspace `pack` of a product has, whatever the sizes.
#define PRODUCT_PACK 98304

// c[m×n] += alpha · a[m×k] · b[k×n], where a's element (i, p) is a[i·a_row + p·a_column], b's alike
// (so a transpose is an exchange of strides), and c's rows are contiguous and c_row apart. c may
// not overlap a or b.
void NAME(product)(int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *a, int64_t a_row,
                   int64_t a_column, const REAL *b, int64_t b_row, int64_t b_column, REAL *c,
                   int64_t c_row, REAL *pack);

// The same, but only elements (i, j) with j <= i are sure to be computed; those above the diagonal
// are computed, or are left as they are.
void NAME(product_lower)(int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *a, int64_t a_row,
                         int64_t a_column, const REAL *b, int64_t b_row, int64_t b_column, REAL *c,
                         int64_t c_row, REAL *pack);
