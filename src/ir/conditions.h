// What the sizes of a graph must be like before it runs: every check that inference had to leave
// open, in the order in which they are made. The one list of them: bind.c goes through it with
// numbers, and lowering makes code of it that checks them without this library.
#ifndef GJ_IR_CONDITIONS_H
#define GJ_IR_CONDITIONS_H

#include "ir/graph.h"

typedef enum gj_condition_kind {
  GJ_CONDITION_AXIS,   // of an input: the size is in [0, GJ_DIM_MAX]
  GJ_CONDITION_SHAPE,  // no size of the value is negative, and it has at most GJ_DIM_MAX bytes,
                       // where sizes of 0 count as 1
  GJ_CONDITION_COUNT,  // reshape: as many elements as its operand
  GJ_CONDITION_SLICE,  // slice: inside the axis of its operand, unless it has no elements there
  GJ_CONDITION_WINDOW, // the window is not larger than the axis of the first operand, or nothing
                       // is taken; nor is what negative padding takes of it
  GJ_CONDITION_ROUNDS, // for: the count is in [0, GJ_DIM_MAX]
  GJ_CONDITION_EXTENT, // window reductions: the window along an axis is in [1, GJ_DIM_MAX]
  GJ_CONDITION_EQUAL   // an axis of the first operand has the size of one of the second
} gj_condition_kind;

// An expression without a value (overflow, division by zero) breaks the condition it stands in. A
// condition may rely on those before it.
typedef struct gj_condition {
  gj_condition_kind kind;
  const gj_graph *graph; // the graph or function whose node it is
  gj_ref ref;
  uint8_t axis;         // AXIS, SLICE, WINDOW, EXTENT; EQUAL: of the first operand
  uint8_t other;        // EQUAL: the axis of the second operand
  size_t input;         // AXIS: number of the input
  const gj_type *type;  // of the value; WINDOW: of the window; EQUAL: of the second operand
  const gj_type *whole; // COUNT, SLICE, WINDOW, EQUAL: of the first operand
  const gj_type *taken; // WINDOW: what may have no elements, or NULL
  gj_dim start;         // SLICE; ROUNDS: the count; EXTENT: the size of the window
  int64_t stride;       // SLICE
} gj_condition;

typedef gj_status gj_condition_fn(void *context, const gj_condition *condition);

// Calls `visit` for each axis of each input, until it fails.
gj_status gj_graph_each_axis(const gj_graph *graph, gj_condition_fn *visit, void *context);
// The same for the conditions of all nodes that gj_graph_mark_needed() marks, which hold for the
// sizes that inputs have, then for those of the functions that gj_graph_mark_called() marks:
// whether a function is going to run makes no difference.
gj_status gj_graph_each_condition(const gj_graph *graph, const uint8_t *needed,
                                  const uint8_t *called, gj_condition_fn *visit, void *context);

// The conditions of kinds COUNT, SLICE, WINDOW and EQUAL on sizes that the run itself computes,
// which are not among the others: gj_graph_verify() asks that they hold by what the expressions
// are. SHAPE, ROUNDS and EXTENT are, and go by the least and the most that such sizes can be.
gj_status gj_graph_each_open_condition(const gj_graph *graph, const uint8_t *needed,
                                       const uint8_t *called, gj_condition_fn *visit,
                                       void *context);
// Whether such a condition holds whatever the computed sizes are; may intern sizes.
bool gj_condition_is_proved(const gj_condition *c);

// What it means that a condition is broken, without numbers: "reshape: [n, 4] has not as many
// elements as [m] (%3)". `limit` is the largest size of an AXIS.
void gj_condition_print(const gj_condition *c, int64_t limit, gj_strbuf *out);

#endif
