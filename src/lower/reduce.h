// Reductions as a part of kernels: everything but where results go. Private to lower/.
//
//   gj__reduction x = {.l = l, .domain = …, .axes = …, .reducers = array, .count = n};
//   gj__reducer_init(&x.reducers[k], l, ref)    for each, ref being a node of kind REDUCE
//   gj__reduction_init(&x)                      which loops there will be
//   gj__reduce(&x, into, index)                 appends them to `into`
//
// Afterwards the current block is `into`, and value (with position, for argmin and argmax) of each
// reducer is an expression that is valid there and behind.
#ifndef GJ_LOWER_REDUCE_H
#define GJ_LOWER_REDUCE_H

#include "lower/context.h"

// Partial results of a row; elements in a chunk, after which float sums are compensated and
// cancellation is polled.
enum {
  GJ__LANES = 32,
  GJ__ROW_CHUNK = 128 * GJ__LANES,
  GJ__COLUMN_CHUNK = 256,
  GJ__LONG_CHUNK = 1 << 16
};

// One running value of a reduction: a local, or an array of GJ__LANES.
typedef struct gj__cell {
  gj_dtype dtype;
  uint32_t local;
  bool array;
} gj__cell;

// The running state of one reduction.
typedef struct gj__part {
  gj__cell value, index; // index: argmin and argmax only
  gj__cell rest, rest_index;
  gj__cell hi, lo; // compensated sums only
} gj__part;

typedef struct gj__reducer {
  gj__lower *l;
  gj_op op;          // the reduction
  gj_ref arg, index; // what is reduced; index: argmin and argmax, else 0
  bool sums;         // compensated
  bool counts;       // sum of ones: the number of elements, no loop needed
  gj_scalar start;
  gj__part p;
  const gj_lexpr *value, *position; // the results; position: argmin and argmax only
} gj__reducer;

typedef struct gj__reduction {
  gj__lower *l;
  gj_type domain;
  uint32_t axes; // bit per reduced axis
  gj__reducer *reducers;
  uint32_t count;
  // found by gj__reduction_init()
  uint8_t loops[GJ_MAX_RANK]; // axes with loops, reduced ones only, in order
  unsigned loop_count;
  bool rows; // the innermost axis is reduced
  bool flat; // rows only: `index` must be flat, the position of the row's first element
} gj__reduction;

// --- reduce_row.c
// ----------------------------------------------------------------------------------

void gj__reducer_init(gj__reducer *r, gj__lower *l, gj_ref ref);
void gj__reduction_init(gj__reduction *x);
// Reduces the elements whose kept axes are at `index`, whose reduced axes it ignores. In columns
// `into` may be the body of a vector loop.
void gj__reduce(gj__reduction *x, gj_lblock *into, const gj__index *index);

// --- reduce_cells.c
// --------------------------------------------------------------------------------

gj__cell gj__cell_new(gj__lower *l, gj_lblock *block, const char *name, gj_scalar start,
                      bool array);
// A cell's value, and its change in the current block; `lane` of cells that are no array is unused.
const gj_lexpr *gj__cell_get(gj__lower *l, gj__cell c, const gj_lexpr *lane);
void gj__cell_set(gj__lower *l, gj__cell c, const gj_lexpr *lane, const gj_lexpr *value);
// A vector loop over all lanes; enters its body and returns the lane.
const gj_lexpr *gj__lanes_loop(gj__lower *l, gj_lblock *into, int64_t lanes);
// Joins (v, i) to the cells at `lane`.
void gj__join(gj__reducer *r, gj__cell value, gj__cell index, const gj_lexpr *lane,
              const gj_lexpr *v, const gj_lexpr *i);
// Moves a sum into the pair of high and low digits; it starts again from zero.
void gj__empty_into(gj__reducer *r, gj__cell from, const gj_lexpr *lane);
// The value of that pair.
const gj_lexpr *gj__rounded_sum(gj__reducer *r, const gj_lexpr *lane);

#endif
