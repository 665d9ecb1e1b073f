// Reductions as a part of kernels: everything but where results go. Private to lower/.
//
//   gj__reduction x = {.l = l, .domain = …, .axes = …, .reducers = array, .count = n};
//   gj__reducer_init(&x.reducers[k], l, ref)    for each, ref being a node of kind REDUCE
//   gj__reduction_init(&x)                      which loops there will be
//   gj__reduce(&x, into, index)                 appends them to `into`
//
// Afterwards the current block is `into`, and value (with position, for argmin and argmax) of each
// reducer is an expression that is valid there and behind.
#ifndef GJ_LOWER_KERNELS_REDUCE_REDUCE_H
#define GJ_LOWER_KERNELS_REDUCE_REDUCE_H

#include "lower/context.h"

enum {
  GJ__GROUPS = 4,         // elements of a lane (of a column) that are joined before they are added
  GJ__SHORT = 16,         // fewer elements than this are added one by one
  GJ__SEGMENT = 1 << 16,  // elements of a row that are reduced by themselves
  GJ__COLUMNS_BLOCK = 64, // columns that one thread takes at least
  GJ__COMPONENTS = 4      // of a running value
};

// What a running value consists of, and so how another joins it.
typedef enum gj__fold {
  GJ__FOLD_PLAIN,   // one number
  GJ__FOLD_PAIR,    // high and low part of a compensated sum
  GJ__FOLD_INDEXED, // a number and its index
  GJ__FOLD_MOMENTS  // two pairs: sums of distances from `centre`, and of their squares
} gj__fold;

// Running values: locals, or arrays with a running value per lane or column.
typedef struct gj__state {
  bool array;
  uint32_t local[GJ__COMPONENTS];
} gj__state;

typedef struct gj__reducer {
  gj__lower *l;
  gj_op op, combine;         // the reduction; what joins two elements, or says that one is better
  gj_ref arg, index;         // what is reduced; index: argmin and argmax, else 0
  gj_dtype from, acc, dtype; // of elements, of running values, of the result
  gj__fold fold;
  gj_scalar start;        // in `acc`
  bool counts;            // sum of ones: the number of elements, no loop needed
  bool searches;          // argmin or argmax of positions along the one reduced axis, in a row
  bool wants_value;       // argmin and argmax: the value is asked for, not just the index
  const gj_lexpr *centre; // GJ__FOLD_MOMENTS: about the mean
  const gj_lexpr *match;  // reduces the positions of elements equal to this instead of the elements
  uint32_t centres;       // of columns: an array of centres
  gj__state lanes, total, stage;
  const gj_lexpr *value, *position; // the results; position: the second of two
} gj__reducer;

typedef struct gj__reduction {
  gj__lower *l;
  gj_type domain;
  uint32_t axes; // bit per reduced axis
  gj__reducer *reducers;
  uint32_t count;
  bool first; // of the loops over the domain in this kernel
  // found by gj__reduction_init()
  uint8_t loops[GJ_MAX_RANK]; // axes with loops, reduced ones only, in order
  unsigned loop_count;
  int64_t lanes, factor; // of rows: partial results, and vectors of them that are made at a time
  bool rows;             // the innermost axis is reduced
  bool flat;             // `index` must be flat, the position of the row's first element
} gj__reduction;

// Where the results of a reducer go, or GJ_NO_BUFFER.
typedef struct gj__places {
  uint32_t value, position;
} gj__places;

// The kept axes that have loops, in order; returns how many (reduce.c).
uint8_t gj__kept_axes(const gj__reduction *x, uint8_t axes[GJ_MAX_RANK]);
// Stores what gj__reduce() or gj__state_result() has left at `at` (reduce.c).
void gj__store_results(const gj__reduction *x, const gj__places *to, const gj_lexpr *at);

// --- row.c ---

void gj__reduction_init(gj__reduction *x);
// Reduces the elements whose kept axes are at `index`, whose reduced axes it ignores. Rows only.
void gj__reduce(gj__reduction *x, gj_lblock *into, const gj__index *index);
// The parts of that for a row of `size` elements: running values that are empty, a segment at a
// time, and the results.
void gj__row_start(gj__reduction *x, gj_lblock *into);
void gj__row_segment(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range);
void gj__row_end(gj__reduction *x, gj_lblock *into, const gj__index *index, const gj_lexpr *size);
// Reduces the positions in `range` of a row to running values in element 0 of `lanes`.
void gj__reduce_segment(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range);
// The index of element `i` of a row: of its innermost axis, where that is not all of it.
const gj__index *gj__at_row(gj__reduction *x, const gj__index *index, const gj_lexpr *i);
// `index` with its first `count` reduced axes where they are in step `i` of loops over them.
const gj__index *gj__at_rest(gj__reduction *x, const gj__index *index, const gj_lexpr *i,
                             unsigned count);
// Whether there is nothing to loop over, all results being numbers of elements.
bool gj__only_counts(const gj__reduction *x);
// Elements per result.
const gj_lexpr *gj__reduced_size(const gj__reduction *x);
// A flat index will do: the kept axes all stand in front and every operand is flat.
bool gj__reduces_flat(const gj__reduction *x);

// Reduces them to r->total of each reducer.
void gj__add_segment(gj__reduction *x, gj_lblock *into, const gj__index *index, gj__range range);

// --- split.c ---

enum { GJ__SPLIT_REDUCERS = 4 }; // that a kernel which is split has at most

// Whether the rows are few and long, so that threads had better share each of them.
bool gj__splits_rows(const gj__reduction *x);
// The product of some sizes of the domain, or 0 when it is not a number.
int64_t gj__known_size(const gj__reduction *x, const uint8_t *axes, unsigned count);
// Room for the arguments of l->work.part, of which the params of this kernel are filled in; NULL
// when out of memory.
const gj_lexpr **gj__part_args(gj__lower *l);
// Calls l->work.part with `count` arguments in parallel over `batch`; returns what fails.
void gj__call_part(gj__lower *l, gj_lblock *into, const gj_lexpr **args, uint32_t count,
                   gj__range batch, int64_t segment);
// The last params of a part.
gj__range gj__part_range(gj__lower *l, const gj_lexpr **out_base);
// Makes all of l->f but its first params: the segments `begin` … `end` of a row.
void gj__reduce_part(gj__reduction *x);
// gj__reduce() by calls of l->work.part.
void gj__reduce_by_parts(gj__reduction *x, gj_lblock *into, const gj__index *index);

// --- moments.c ---

bool gj__has_moments(const gj__reduction *x);
// Sets r->centre of the moments of a row of `size` elements.
void gj__find_centres(gj__reduction *x, gj_lblock *into, const gj__index *index,
                      const gj_lexpr *size);
// Sums in place of the moments, and nothing else.
gj__reduction gj__sums_for(const gj__reduction *x);
// The centre, given the running value of such a sum over `count` elements.
const gj_lexpr *gj__centre_of(gj__reducer *sum, gj__state s, const gj_lexpr *at,
                              const gj_lexpr *count);
// Sets r->value and r->position of moments.
void gj__moments_result(gj__reducer *r, const gj_lexpr *sums, const gj_lexpr *squares,
                        const gj_lexpr *count);

// --- search.c ---

// Moves reducers that search on by one segment, and finishes them. Until then the running value has
// the place of a piece of the row in place of the index.
void gj__search_segment(const gj__reduction *x, gj__reducer *r, gj_lblock *into,
                        const gj__index *index, gj__range range);
void gj__search_end(gj__reduction *x, gj__reducer *r, gj_lblock *into, const gj__index *index,
                    const gj_lexpr *size);

// --- columns.c ---

// Makes all of a kernel that reduces columns: the innermost axis is kept.
void gj__reduce_columns(gj__reduction *x, const gj__places *to);
// Whether columns are few and long, so that threads had better share them; the part of that.
bool gj__splits_columns(gj__reduction *x);
void gj__columns_part(gj__reduction *x);
// How many loops over kept axes stand around that over columns.
uint8_t gj__columns_outer(gj__reduction *x);

// --- state.c ---

typedef struct gj__element {
  const gj_lexpr *v, *i; // i: the index, or the square of a distance
} gj__element;

void gj__reducer_init(gj__reducer *r, gj__lower *l, gj_ref ref);
// Running values in memory that the function being made is given, and what its caller passes for
// them, which is appended to `args`.
gj__state gj__state_params(const gj__reducer *r);
uint32_t gj__state_args(const gj__reducer *r, gj__state s, const gj_lexpr **args);
// The number of elements reduced, in the dtype of the sum.
const gj_lexpr *gj__element_count(const gj__reduction *x, const gj__reducer *r);
// The element of `r` at `index` of the domain; `position` is its number in the row.
gj__element gj__element_at(const gj__reduction *x, const gj__reducer *r, const gj__index *index,
                           const gj_lexpr *position);
// Element `at` of an array of elements, and setting it.
gj__element gj__staged(const gj__reducer *r, gj__state stage, const gj_lexpr *at);
void gj__stage(const gj__reducer *r, gj__state stage, const gj_lexpr *at, gj__element e);
// The element that changes nothing.
gj__element gj__neutral(const gj__reducer *r);
// Two elements as one, in the dtype of running values; gj__widened() is the step from one.
gj__element gj__widened(const gj__reducer *r, gj__element e);
gj__element gj__joined(const gj__reducer *r, gj__element a, gj__element b);

// Fresh running values that start empty: locals, or arrays of `count` (not yet filled in).
gj__state gj__state_new(const gj__reducer *r, gj_lblock *into, const char *name, int64_t count);
void gj__state_clear(const gj__reducer *r, gj__state s, const gj_lexpr *at);
void gj__state_add(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__element e);
void gj__state_merge(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__state from,
                     const gj_lexpr *from_at);
void gj__state_copy(const gj__reducer *r, gj__state s, const gj_lexpr *at, gj__state from,
                    const gj_lexpr *from_at);
// Sets r->value and r->position from a running value of `count` elements.
void gj__state_result(gj__reducer *r, gj__state s, const gj_lexpr *at, const gj_lexpr *count);
// Bytes of the running values of one lane or column; bytes of one staged element.
int64_t gj__state_bytes(const gj__reducer *r);

// A vector loop from 0 to `count`; enters its body and returns its variable.
const gj_lexpr *gj__vector_loop(gj__lower *l, gj_lblock *into, const char *name,
                                const gj_lexpr *count, int64_t factor);

#endif
