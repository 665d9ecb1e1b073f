// What the merges of divide and conquer share: a template over REAL. See tridiagonal_divide.c and
// bidiagonal_divide.c.
//
// Vectors are rows of matrices. Rows of the left half have elements in its columns only, and those
// of the right half in theirs; a rotation of one of each makes a row with both. So the product with
// the vectors of the merge takes the left columns of left and of mixed rows, and the right columns
// of mixed and of right ones.

#include "library/matrices/product.h"

// The size of parts that are not divided.
#undef DIVIDE_LEAF
#define DIVIDE_LEAF 32
#ifndef GJL_DIVIDE_SIDES
#define GJL_DIVIDE_SIDES
// Where rows have elements.
typedef enum gjl_divide_side { GJL_LEFT, GJL_BOTH, GJL_RIGHT } gjl_divide_side;

// The rows that a merge changes, `kept` of them, and those that stay as they are, `dropped`.
typedef struct gjl_divide_rows {
  int64_t kept, dropped;
  // By pole: the row, then the position in the order of sides, which is that of rows of a product.
  int32_t *row, *position;
  int32_t *drop;             // rows that stay
  int64_t left, both, right; // how many of `kept` have which elements
  int64_t left_columns, right_from, columns;
} gjl_divide_rows;
#endif

// Sorts indexes into d, which are nearly sorted.
static inline void NAME(divide_sort)(int64_t n, const REAL *d, int32_t *order) {
  for (int64_t i = 1; i < n; i++) {
    int32_t moved = order[i];
    int64_t at = i;
    for (; at > 0 && d[order[at - 1]] > d[moved]; at--)
      order[at] = order[at - 1];
    order[at] = moved;
  }
}

// to: the indexes `left` and `right`, each sorted by d, as one sorted list.
static inline void NAME(divide_merge_orders)(const REAL *d, int64_t left_count, const int32_t *left,
                                             int64_t right_count, const int32_t *right,
                                             int32_t *to) {
  int64_t i = 0, j = 0;
  while (i < left_count || j < right_count) {
    bool take = j == right_count || (i < left_count && d[left[i]] <= d[right[j]]);
    *to++ = take ? left[i++] : right[j++];
  }
}

// Sets positions by sides, counting them.
static inline void NAME(divide_positions)(gjl_divide_rows *rows, const uint8_t *side) {
  int64_t count[3] = {0};
  for (int64_t i = 0; i < rows->kept; i++)
    count[side[rows->row[i]]]++;
  int64_t next[3] = {0, count[0], count[0] + count[1]};
  for (int64_t i = 0; i < rows->kept; i++)
    rows->position[i] = (int32_t)next[side[rows->row[i]]]++;
  rows->left = count[0];
  rows->both = count[1];
  rows->right = count[2];
}

// Row p of s, by positions, becomes row p of z: the product of s and the kept rows; dropped rows
// come behind. `empty` is a kept row that is zero, or -1. aside: room for as many elements as z
// has.
static inline void NAME(divide_product)(const gjl_divide_rows *rows, int64_t empty, const REAL *s,
                                        int64_t s_stride, REAL *z, int64_t stride, REAL *aside,
                                        REAL *pack) {
  int64_t k = rows->kept, of_left = rows->left + rows->both, width = rows->left_columns;
  int64_t of_right = rows->both + rows->right, rest = rows->columns - rows->right_from;
  REAL *left = aside, *right = left + of_left * width, *dropped = right + of_right * rest;
  for (int64_t i = 0; i < k; i++) {
    const REAL *from = z + rows->row[i] * stride;
    int64_t at = rows->position[i], in_right = at - rows->left;
    if (rows->row[i] == empty) {
      if (at < of_left)
        NAME(row_clear)(width, left + at * width);
      if (in_right >= 0)
        NAME(row_clear)(rest, right + in_right * rest);
      continue;
    }
    if (at < of_left)
      NAME(row_copy)(width, from, left + at * width);
    if (in_right >= 0)
      NAME(row_copy)(rest, from + rows->right_from, right + in_right * rest);
  }
  for (int64_t i = 0; i < rows->dropped; i++)
    NAME(row_copy)(rows->columns, z + rows->drop[i] * stride, dropped + i * rows->columns);
  for (int64_t i = 0; i < k; i++)
    NAME(row_clear)(rows->columns, z + i * stride);
  NAME(product)(k, width, of_left, 1, s, s_stride, 1, left, width, 1, z, stride, pack);
  NAME(product)
  (k, rest, of_right, 1, s + rows->left, s_stride, 1, right, rest, 1, z + rows->right_from, stride,
   pack);
  for (int64_t i = 0; i < rows->dropped; i++)
    NAME(row_copy)(rows->columns, dropped + i * rows->columns, z + (k + i) * stride);
}
