// Contractions as a part of lowering: what the ways of computing one share. Private to lower/.
//
// The operands are seen as matrices per place along the batch axes: one gives rows, of which single
// elements are taken, the other one columns, of which neighbours are taken in vectors. Which
// operand is which depends on the shapes. The result is out[row, column], or its transpose.
#ifndef GJ_LOWER_KERNELS_CONTRACT_CONTRACT_H
#define GJ_LOWER_KERNELS_CONTRACT_CONTRACT_H

#include "ir/infer/contract.h"
#include "lower/context.h"

// How many elements are taken together; powers of two but for `tile_rows` and `block_rows`, and
// `block_rows` and `block_columns` are multiples of the others.
typedef struct gj__contract_sizes {
  int64_t tile_rows, tile_columns;   // of the result, in registers
  int64_t depth;                     // products that are added to them at a time
  int64_t pitch;                     // from row to row of packed rows, at least `depth`
  int64_t block_rows, block_columns; // of the result, in one unit of work
  uint8_t vectors;                   // that a row of a tile has
} gj__contract_sizes;

typedef struct gj__contract {
  gj__lower *l;
  const gj_node *node;
  gj_contraction axes;
  int rows_of, columns_of; // operands: 0 and 1, or 1 and 0 when the result is transposed
  bool direct, packed;     // ways of computing a unit; both: chosen by the number of rows
  bool crossed[2];         // per operand: neighbours along the free axes lie apart in memory
  const gj_lexpr *rows, *columns, *products; // how many; rows and columns of one place
  gj__contract_sizes sizes;
  const gj_lexpr *out;
  // the unit at work
  const gj_lexpr *batch[GJ_MAX_RANK]; // place along the batch axes
  const gj_lexpr *place;              // of the matrix in the result
  gj__range row_range, column_range;
} gj__contract;

// Element `at` (of the free axes together) and product `k` of operand `operand`, in the current
// block.
const gj_lexpr *gj__contract_element(gj__contract *c, int operand, const gj_lexpr *at,
                                     const gj_lexpr *k);
// Where out[row, column] is.
const gj_lexpr *gj__contract_at(gj__contract *c, const gj_lexpr *row, const gj_lexpr *column);
// sum + a · b
const gj_lexpr *gj__contract_add(gj__contract *c, const gj_lexpr *sum, const gj_lexpr *a,
                                 const gj_lexpr *b);
const gj_lexpr *gj__contract_zero(gj__contract *c);

// A unit of work, appended to `into`: straight from memory, for few rows (direct.c), and
// through packed panels (packed.c), whose arrays are made first.
void gj__contract_direct(gj__contract *c, gj_lblock *into);
typedef struct gj__panels {
  const gj_lexpr *rows, *columns, *tile;
} gj__panels;
gj__panels gj__contract_panels(gj__contract *c);
void gj__contract_packed(gj__contract *c, const gj__panels *panels, gj_lblock *into);

#endif
