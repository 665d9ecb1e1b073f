// What the merges of divide and conquer share: a template over REAL. See tridiagonal_divide.c and
// bidiagonal_divide.c.
//
// Vectors are rows of matrices. Rows of the left half have elements in its columns only, and those
// of the right half in theirs; a rotation of one of each makes a row with both. So the product with
// the vectors of the merge takes the left columns of left and of mixed rows, and the right columns
// of mixed and of right ones.

#include "library/matrices/product.h"

// The size of parts that are not divided.
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
  // The end of the left half's columns, the start of the right half's, and the end of both.
  int64_t left_columns, right_from, columns;
} gjl_divide_rows;
#endif

// What merges take along; arrays have n elements and a padding.
typedef struct NAME(divide_task) {
  REAL *d, *e;     // the matrix; d becomes the values
  REAL *u, *v, *s; // vectors, which are rows, u only of singular values; those of a merge
  REAL *aside, *pack;
  int64_t stride;
  int32_t *order; // of the rows of a part, relative to its first row, by d
  REAL *vector, *poles, *kept, *roots, *work;
  int32_t *sorted, *row, *position, *drop, *origins;
  uint8_t *side;
} NAME(divide_task);

// A task whose arrays are in `work`, 11 rows.
static inline NAME(divide_task)
    NAME(divide_start)(REAL *d, REAL *e, REAL *u, REAL *v, REAL *s, int64_t stride, int32_t *order,
                       REAL *aside, REAL *work, REAL *pack) {
  return (NAME(divide_task)){.d = d,
                             .e = e,
                             .u = u,
                             .v = v,
                             .s = s,
                             .aside = aside,
                             .pack = pack,
                             .stride = stride,
                             .order = order,
                             .vector = work,
                             .poles = work + stride,
                             .kept = work + 2 * stride,
                             .roots = work + 3 * stride,
                             .work = work + 4 * stride,
                             .sorted = (int32_t *)(void *)(work + 5 * stride),
                             .row = (int32_t *)(void *)(work + 6 * stride),
                             .position = (int32_t *)(void *)(work + 7 * stride),
                             .drop = (int32_t *)(void *)(work + 8 * stride),
                             .origins = (int32_t *)(void *)(work + 9 * stride),
                             .side = (uint8_t *)(void *)(work + 10 * stride)};
}

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

// The rows of a merge before any is kept or dropped, and t->sorted, of two parts: the rows before
// `left` and those from `right` on, of n.
static inline gjl_divide_rows NAME(divide_begin)(const NAME(divide_task) * t, const REAL *d,
                                                 int32_t *order, int64_t n, int64_t left,
                                                 int64_t right) {
  for (int64_t i = right; i < n; i++)
    order[i] += (int32_t)right;
  NAME(divide_merge_orders)(d, left, order, n - right, order + right, t->sorted);
  return (gjl_divide_rows){.row = t->row, .position = t->position, .drop = t->drop};
}

// Drops row `previous` after a rotation that has left all of its element of the vector, r, to `at`.
static inline void NAME(divide_drop)(const NAME(divide_task) * t, gjl_divide_rows *rows,
                                     int64_t previous, int64_t at, REAL r) {
  t->vector[at] = r;
  if (t->side[at] != t->side[previous])
    t->side[at] = GJL_BOTH;
  rows->drop[rows->dropped++] = (int32_t)previous;
}

// Poles and elements of the vector of the rows that are kept; sorts those dropped.
static inline void NAME(divide_poles)(const NAME(divide_task) * t, const gjl_divide_rows *rows,
                                      const REAL *d) {
  NAME(divide_sort)(rows->dropped, d, rows->drop);
  for (int64_t i = 0; i < rows->kept; i++) {
    t->poles[i] = d[rows->row[i]];
    t->kept[i] = t->vector[rows->row[i]];
  }
}

// Vectors of the merge, by positions, from differences of poles and values, in place;
// t->vector[j] becomes what vector j was multiplied with.
static inline void NAME(divide_vectors)(const NAME(divide_task) * t, const gjl_divide_rows *rows) {
  int64_t k = rows->kept, padded = NAME(row_padded)(k);
  for (int64_t j = 0; j < k; j++) {
    REAL *row = t->s + j * t->stride;
    for (int64_t i = 0; i < padded; i += LANES)
      NAME(row_store)(t->work + i, NAME(row_load)(t->kept + i) / NAME(row_load)(row + i));
    REAL factor = 1 / SQRT(NAME(row_dot)(padded, t->work, t->work));
    t->vector[j] = factor;
    for (int64_t i = 0; i < k; i++)
      row[rows->position[i]] = t->work[i] * factor;
  }
}

// Row p of t->s, by positions, becomes row p of z: its product with the kept rows; dropped rows
// come behind. `empty` is a kept row that is zero, or -1. t->aside has room for as many elements as
// z has.
static inline void NAME(divide_product)(const NAME(divide_task) * t, const gjl_divide_rows *rows,
                                        int64_t empty, REAL *z) {
  int64_t k = rows->kept, of_left = rows->left + rows->both, width = rows->left_columns;
  int64_t of_right = rows->both + rows->right, rest = rows->columns - rows->right_from,
          stride = t->stride;
  REAL *left = t->aside, *right = left + of_left * width, *dropped = right + of_right * rest;
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
  NAME(product)(k, width, of_left, 1, t->s, stride, 1, left, width, 1, z, stride, t->pack);
  NAME(product)
  (k, rest, of_right, 1, t->s + rows->left, stride, 1, right, rest, 1, z + rows->right_from, stride,
   t->pack);
  for (int64_t i = 0; i < rows->dropped; i++)
    NAME(row_copy)(rows->columns, dropped + i * rows->columns, z + (k + i) * stride);
}

// The values of a merge to d, in the order of rows, and their order: those of kept rows are in
// t->vector, those of dropped ones still in d.
static inline void NAME(divide_end)(const NAME(divide_task) * t, const gjl_divide_rows *rows,
                                    REAL *d, int32_t *order) {
  int64_t k = rows->kept, n = k + rows->dropped;
  for (int64_t i = k; i < n; i++)
    t->vector[i] = d[rows->drop[i - k]];
  for (int64_t i = 0; i < n; i++) {
    d[i] = t->vector[i];
    t->sorted[i] = (int32_t)i;
  }
  NAME(divide_merge_orders)(d, k, t->sorted, n - k, t->sorted + k, order);
}
