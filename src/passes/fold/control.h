// What the files that fold control ops share: control.c, shrink.c, hoist.c, reach.c. Private
// to passes/.
#ifndef GJ_PASSES_FOLD_CONTROL_H
#define GJ_PASSES_FOLD_CONTROL_H

#include "passes/rebuild.h"

typedef struct gj__control {
  gj__rebuild *r;
  gj_arena *scratch;
  const gj_node *node;
  gj_op op;
  gj_ref *args; // of `out`
  size_t arg_count, function_count, result_count;
  int64_t *numbers; // of functions of `out`
  size_t carried, stacked;
  uint8_t *asked;  // by result
  gj_ref *results; // what stands for it
  bool once;       // nobody else names the functions
} gj__control;

// What of a function some of its values need.
typedef struct gj__reach {
  const gj_graph *f;
  uint8_t *live;
  gj_ref *stack;
  size_t *input_of;           // by ref of a param
  size_t *found, found_count; // inputs that were reached, in order
} gj__reach;

static inline const gj_graph *gj__control_function(const gj__control *c, size_t i) {
  return gj_graph_function(c->r->out, (size_t)c->numbers[i]);
}

// The body of a loop; of a choice the first function.
static inline const gj_graph *gj__control_last(const gj__control *c) {
  return gj__control_function(c, c->op == GJ_OP_while);
}

static inline bool gj__control_loops(const gj__control *c) {
  return c->op == GJ_OP_while || c->op == GJ_OP_for;
}

// The first operand that functions get, and the input that takes operand `operand`.
static inline size_t gj__control_first(const gj__control *c) {
  return c->op == GJ_OP_cond || c->op == GJ_OP_switch;
}
static inline size_t gj__control_input(const gj__control *c, size_t operand) {
  return operand - gj__control_first(c) + (c->op == GJ_OP_for);
}

// --- reach.c: parts of functions, built anew ---

// Zeroed room until rebuilding ends; NULL, which is noted, without memory.
void *gj__control_room(const gj__control *c, size_t count, size_t size);
// False when making so many nodes would be too much.
bool gj__control_spend(const gj__control *c, size_t nodes);
bool gj__reach_begin(const gj__control *c, const gj_graph *f, gj__reach *out);
// Marks a value, or an output, and all it needs.
void gj__reach_ref(gj__reach *at, gj_ref ref);
void gj__reach_output(gj__reach *at, size_t index);
// What was reached of a function as nodes of `out`, which has `given` as inputs: by ref what stands
// for it, NULL after a failure.
gj_ref *gj__control_build(const gj__control *c, const gj__reach *need, gj_graph *out,
                          const gj_ref *given, const gj_ref *instead);
// The outputs of `f` that are asked for, likewise.
gj_ref *gj__control_outputs(const gj__control *c, const gj_graph *f, gj_graph *out,
                            const gj_ref *given, const uint8_t *asked);
// Result `index` of a control op of r->out.
gj_ref gj__control_result_of(const gj__control *c, gj_ref ref, size_t index);
// An input like that of another function.
gj_ref gj__control_param(gj_graph *to, const gj_graph *f, size_t input);

// --- hoist.c ---

// Computes before a loop what its functions would compute anew in every round.
void gj__control_hoist(gj__control *c);

// --- shrink.c: what stays of a control op ---

// Appends it with functions that have what somebody needs; fills c->results.
void gj__control_shrink(gj__control *c);
// The same as it is, but for the numbers of its functions.
void gj__control_append(const gj__control *c);

#endif
