// The template of product.c.
#include "library/real.h"

#include "library/matrices/product.h"

#define K_BLOCK 256
#define N_BLOCK 288
#define M_BLOCK 96
#define TILE_ROWS 4
#define TILE_VECTORS 3
_Static_assert(K_BLOCK *(N_BLOCK + M_BLOCK) <= PRODUCT_PACK, "the blocks fit");
_Static_assert(N_BLOCK % (TILE_VECTORS * LANES) == 0, "so that only the last panel is ragged");

typedef struct NAME(operand) {
  const REAL *at;
  int64_t row, column;
} NAME(operand);

// c[0 … columns) += alpha · the vectors of a row of the tile.
static inline __attribute__((always_inline)) void NAME(tile_store)(REAL *c, REAL alpha, VECTOR s0,
                                                                   VECTOR s1, VECTOR s2,
                                                                   int64_t vectors,
                                                                   int64_t columns) {
  VECTOR_IN_MEMORY *to = (VECTOR_IN_MEMORY *)c;
  int64_t whole = columns == vectors * LANES ? vectors : vectors - 1;
  if (whole > 0)
    to[0] += alpha * s0;
  if (whole > 1)
    to[1] += alpha * s1;
  if (whole > 2)
    to[2] += alpha * s2;
  VECTOR last = vectors > 2 ? s2 : vectors > 1 ? s1 : s0;
  for (int64_t i = whole * LANES; i < columns; i++)
    c[i] += alpha * last[i % LANES];
}

// The sums of a row of the tile += x · the vectors of a row of b.
static inline __attribute__((always_inline)) void NAME(tile_add)(int64_t vectors, REAL x, VECTOR b0,
                                                                 VECTOR b1, VECTOR b2, VECTOR *s0,
                                                                 VECTOR *s1, VECTOR *s2) {
  *s0 += x * b0;
  if (vectors > 1)
    *s1 += x * b1;
  if (vectors > 2)
    *s2 += x * b2;
}

// c[rows × columns] += alpha · a · b, for 1 … 4 rows and as many vectors of columns as `vectors`,
// the last of which may be in part. b's rows are b_row apart and have all the vectors.
static inline __attribute__((always_inline)) void
NAME(tile)(int64_t vectors, int64_t rows, int64_t columns, int64_t k, REAL alpha,
           const NAME(operand) * a, const REAL *b, int64_t b_row, REAL *c, int64_t c_row) {
  const REAL *a0 = a->at, *a1 = a0 + (rows > 1 ? a->row : 0),
             *a2 = a0 + (rows > 2 ? 2 * a->row : 0), *a3 = a0 + (rows > 3 ? 3 * a->row : 0);
  int64_t step = a->column;
  // c may come from afar; it is wanted only after the sums.
  for (int64_t r = 0; r < rows; r++) {
    __builtin_prefetch(c + r * c_row, 1);
    __builtin_prefetch(c + r * c_row + columns - 1, 1);
  }
  VECTOR s00 = {0}, s01 = {0}, s02 = {0}, s10 = {0}, s11 = {0}, s12 = {0};
  VECTOR s20 = {0}, s21 = {0}, s22 = {0}, s30 = {0}, s31 = {0}, s32 = {0};
  for (int64_t p = 0, at = 0; p < k; p++, at += step, b += b_row) {
    const VECTOR_IN_MEMORY *from = (const VECTOR_IN_MEMORY *)b;
    VECTOR b0 = from[0], b1 = b0, b2 = b0;
    if (vectors > 1)
      b1 = from[1];
    if (vectors > 2)
      b2 = from[2];
    NAME(tile_add)(vectors, a0[at], b0, b1, b2, &s00, &s01, &s02);
    NAME(tile_add)(vectors, a1[at], b0, b1, b2, &s10, &s11, &s12);
    NAME(tile_add)(vectors, a2[at], b0, b1, b2, &s20, &s21, &s22);
    NAME(tile_add)(vectors, a3[at], b0, b1, b2, &s30, &s31, &s32);
  }
  NAME(tile_store)(c, alpha, s00, s01, s02, vectors, columns);
  if (rows > 1)
    NAME(tile_store)(c + c_row, alpha, s10, s11, s12, vectors, columns);
  if (rows > 2)
    NAME(tile_store)(c + 2 * c_row, alpha, s20, s21, s22, vectors, columns);
  if (rows > 3)
    NAME(tile_store)(c + 3 * c_row, alpha, s30, s31, s32, vectors, columns);
}

// A column of tiles, from the row `first`, a multiple of 4, to m. a's panels of 4 rows are `panel`
// apart.
static inline __attribute__((always_inline)) void
NAME(tiles)(int64_t vectors, int64_t first, int64_t m, int64_t columns, int64_t k, REAL alpha,
            NAME(operand) a, int64_t panel, const REAL *b, int64_t b_row, REAL *c, int64_t c_row) {
  for (int64_t i = first; i < m; i += TILE_ROWS) {
    NAME(operand) tile = {a.at + i / TILE_ROWS * panel, a.row, a.column};
    REAL *to = c + i * c_row;
    if (m - i >= TILE_ROWS && columns == vectors * LANES)
      NAME(tile)
    (vectors, TILE_ROWS, vectors * LANES, k, alpha, &tile, b, b_row, to, c_row);
    else NAME(tile)(vectors, m - i < TILE_ROWS ? m - i : TILE_ROWS, columns, k, alpha, &tile, b,
                    b_row, to, c_row);
  }
}

static __attribute__((noinline)) void NAME(tiles_1)(int64_t first, int64_t m, int64_t columns,
                                                    int64_t k, REAL alpha, NAME(operand) a,
                                                    int64_t panel, const REAL *b, int64_t b_row,
                                                    REAL *c, int64_t c_row) {
  NAME(tiles)(1, first, m, columns, k, alpha, a, panel, b, b_row, c, c_row);
}

static __attribute__((noinline)) void NAME(tiles_2)(int64_t first, int64_t m, int64_t columns,
                                                    int64_t k, REAL alpha, NAME(operand) a,
                                                    int64_t panel, const REAL *b, int64_t b_row,
                                                    REAL *c, int64_t c_row) {
  NAME(tiles)(2, first, m, columns, k, alpha, a, panel, b, b_row, c, c_row);
}

static __attribute__((noinline)) void NAME(tiles_3)(int64_t first, int64_t m, int64_t columns,
                                                    int64_t k, REAL alpha, NAME(operand) a,
                                                    int64_t panel, const REAL *b, int64_t b_row,
                                                    REAL *c, int64_t c_row) {
  NAME(tiles)(3, first, m, columns, k, alpha, a, panel, b, b_row, c, c_row);
}

// The columns of b that are whole panels of 3 vectors, with columns next to each other: how many. A
// row is read to its end, as the next row may lie in another page.
static int64_t NAME(pack_b_rows)(int64_t n, int64_t k, const NAME(operand) * b, REAL *to) {
  int64_t width = TILE_VECTORS * LANES, columns = n / width * width;
  if (columns && columns < n && n - columns <= LANES)
    columns -= width; // the rest is two panels of 2 vectors
  const REAL *from = b->at;
  for (int64_t p = 0; p < k; p++, to += width, from += b->row) {
    REAL *into = to;
    for (int64_t j = 0; j < columns; j += width, into += k * width) {
      const VECTOR_IN_MEMORY *x = (const VECTOR_IN_MEMORY *)(from + j);
      VECTOR_IN_MEMORY *y = (VECTOR_IN_MEMORY *)into;
      VECTOR x0 = x[0], x1 = x[1], x2 = x[2];
      y[0] = x0;
      y[1] = x1;
      y[2] = x2;
    }
  }
  return columns;
}

// Columns of b into to[k][vectors · LANES], those past the last as zeros.
static void NAME(pack_b)(int64_t vectors, int64_t columns, int64_t k, const NAME(operand) * b,
                         REAL *to) {
  int64_t width = vectors * LANES;
  for (int64_t j = 0; j < width; j++) {
    const REAL *from = b->at + j * b->column;
    if (j < columns)
      for (int64_t p = 0; p < k; p++)
        to[p * width + j] = from[p * b->row];
    else
      for (int64_t p = 0; p < k; p++)
        to[p * width + j] = 0;
  }
}

// Rows of a into to[m / 4][k][4]; what the last panel has too few of is not written.
static void NAME(pack_a)(int64_t m, int64_t k, const NAME(operand) * a, REAL *to) {
  for (int64_t i = 0; i < m; i += TILE_ROWS, to += k * TILE_ROWS) {
    const REAL *from = a->at + i * a->row;
    int64_t row = a->row, column = a->column;
    if (m - i >= TILE_ROWS) {
      for (int64_t p = 0; p < k; p++, from += column) {
        if (column == 1 && p % 8 == 0 && m - i > TILE_ROWS)
          for (int64_t r = TILE_ROWS; r < 2 * TILE_ROWS; r++)
            __builtin_prefetch(from + (i + r < m ? r : 0) * row);
        REAL x0 = from[0], x1 = from[row], x2 = from[2 * row], x3 = from[3 * row];
        to[p * TILE_ROWS] = x0;
        to[p * TILE_ROWS + 1] = x1;
        to[p * TILE_ROWS + 2] = x2;
        to[p * TILE_ROWS + 3] = x3;
      }
      continue;
    }
    for (int64_t r = 0; r < m - i; r++)
      for (int64_t p = 0; p < k; p++)
        to[p * TILE_ROWS + r] = from[r * row + p * column];
  }
}

// How many vectors the panel has, of `columns` that are left: 4 are two of 2, as one vector alone
// has too few sums to keep two units busy.
static inline int64_t NAME(panel_vectors)(int64_t columns) {
  int64_t vectors = (columns + LANES - 1) / LANES;
  return vectors == 4 ? 2 : vectors < TILE_VECTORS ? vectors : TILE_VECTORS;
}

// One cut of k and of the columns, n <= N_BLOCK and k <= K_BLOCK. The diagonal begins in the row
// `diagonal`, and tiles that are wholly above it are skipped; all are computed if it is < 0.
static void NAME(product_block)(int64_t m, int64_t n, int64_t k, REAL alpha, NAME(operand) a,
                                NAME(operand) b, REAL *c, int64_t c_row, int64_t diagonal,
                                REAL *pack) {
  REAL *pack_of_a = pack + K_BLOCK * N_BLOCK;
  bool direct_b = b.column == 1 && (m <= 4 * TILE_ROWS || n * k <= 4096);
  bool direct_a = n <= 4 * TILE_VECTORS * LANES || (m * k <= 8192 && a.column == 1);
  int64_t done = b.column == 1 && !direct_b ? NAME(pack_b_rows)(n, k, &b, pack) : 0;
  for (int64_t j = done; j < n;) {
    int64_t vectors = NAME(panel_vectors)(n - j);
    int64_t columns = n - j < vectors * LANES ? n - j : vectors * LANES;
    if (!direct_b || columns < vectors * LANES)
      NAME(pack_b)
    (vectors, columns, k, &(NAME(operand)){b.at + j * b.column, b.row, b.column}, pack + j * k);
    j += columns;
  }
  int64_t start = diagonal > 0 ? diagonal / TILE_ROWS * TILE_ROWS : 0;
  for (int64_t i = start, rows; i < m; i += rows) {
    rows = direct_a || m - i < M_BLOCK ? m - i : M_BLOCK;
    NAME(operand) block = {a.at + i * a.row, a.row, a.column};
    int64_t panel = TILE_ROWS * a.row;
    if (!direct_a) {
      NAME(pack_a)(rows, k, &block, pack_of_a);
      block = (NAME(operand)){pack_of_a, 1, TILE_ROWS};
      panel = TILE_ROWS * k;
    }
    for (int64_t j = 0; j < n;) {
      int64_t vectors = NAME(panel_vectors)(n - j);
      int64_t columns = n - j < vectors * LANES ? n - j : vectors * LANES;
      bool packed = !direct_b || columns < vectors * LANES;
      const REAL *from = packed ? pack + j * k : b.at + j;
      int64_t from_row = packed ? vectors * LANES : b.row;
      // The first tile that has an element at or below the diagonal.
      int64_t first = diagonal + j - i;
      first = diagonal >= 0 && first > 0 ? first / TILE_ROWS * TILE_ROWS : 0;
      (vectors == 1   ? NAME(tiles_1)
       : vectors == 2 ? NAME(tiles_2)
                      : NAME(tiles_3))(first, rows, columns, k, alpha, block, panel, from, from_row,
                                       c + i * c_row + j, c_row);
      j += columns;
    }
  }
}

static inline void NAME(product_of)(int64_t m, int64_t n, int64_t k, REAL alpha, NAME(operand) a,
                                    NAME(operand) b, REAL *c, int64_t c_row, bool lower,
                                    REAL *pack) {
  for (int64_t j = 0; j < n; j += N_BLOCK)
    for (int64_t p = 0; p < k; p += K_BLOCK)
      NAME(product_block)
  (m, n - j < N_BLOCK ? n - j : N_BLOCK, k - p < K_BLOCK ? k - p : K_BLOCK, alpha,
   (NAME(operand)){a.at + p * a.column, a.row, a.column},
   (NAME(operand)){b.at + p * b.row + j * b.column, b.row, b.column}, c + j, c_row, lower ? j : -1,
   pack);
}

void NAME(product)(int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *a, int64_t a_row,
                   int64_t a_column, const REAL *b, int64_t b_row, int64_t b_column, REAL *c,
                   int64_t c_row, REAL *pack) {
  NAME(product_of)
  (m, n, k, alpha, (NAME(operand)){a, a_row, a_column}, (NAME(operand)){b, b_row, b_column}, c,
   c_row, false, pack);
}

void NAME(product_lower)(int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *a, int64_t a_row,
                         int64_t a_column, const REAL *b, int64_t b_row, int64_t b_column, REAL *c,
                         int64_t c_row, REAL *pack) {
  NAME(product_of)
  (m, n, k, alpha, (NAME(operand)){a, a_row, a_column}, (NAME(operand)){b, b_row, b_column}, c,
   c_row, true, pack);
}
