// What the rules of control ops share: control.c, control_for.c, control_while.c.
//
// A function of a graph stays as it is, so its derivative is a function of its own. Both directions
// begin with a joint: a copy of the function's nodes in an open graph, and behind them those of its
// derivative, of what is given (cotangents of outputs, tangents of inputs). It is then cut in two:
// the function again, which gives the values that the derivative reads (residuals) as further
// results, and the derivative alone, which is given them. The op itself becomes one with the
// further results (gj_graph_widen), so nothing is computed twice.
#ifndef GJ_PASSES_DERIVE_CONTROL_H
#define GJ_PASSES_DERIVE_CONTROL_H

#include "passes/derive/walk.h"

// --- control_flow.c: which values depend on which ---

// Of a ref: its value depends on a variable; a result of its node does.
enum { GJ__FLOWS = 1, GJ__SOME = 2 };

// Extends marks of the first `count` nodes to what depends on them; false without memory.
bool gj__d_mark(gj_arena *arena, const gj_graph *graph, size_t count, uint8_t *marks);
// Which outputs of a function depend on marked inputs.
bool gj__d_flow(gj_arena *arena, const gj_graph *f, const uint8_t *inputs, uint8_t *out_outputs);
// The same of a control op by operand and result; marks carried values that come to depend on one,
// too. `operands` has room for one more.
bool gj__d_flow_control(gj_arena *arena, const gj_graph *graph, const gj_node *node,
                        uint8_t *operands, uint8_t *out_results);

// Reverse: which outputs of a round get a cotangent, `out_given` saying which results have one. A
// carried value gets one where its next value feeds an output that does. `flows` by operand; inputs
// of the body are `lead` values, then the operands.
bool gj__d_flow_back(const gj_graph *body, size_t lead, size_t carried, const uint8_t *flows,
                     uint8_t *out_given);

// --- control_parts.c: functions made of others ---

// How a forward value is there for the derivative: it is stored, what it is moved from is there, or
// it can be computed of what is the same in every round.
enum { GJ__STORED, GJ__THERE, GJ__FIXED };

typedef struct gj__joint {
  const gj_graph *f;
  bool reverse;
  gj_graph *graph;
  gj_ref *map;   // by ref of `f`
  size_t own;    // its first nodes are those of `f`
  gj_ref *given; // by output (forward: input) the input for its cotangent, or 0
  gj_ref *made;  // by input (forward: output) its cotangent, or 0
  size_t made_count;
  uint8_t *needed; // by ref: the derivative needs it and does not get it as a residual
  gj_ref *residuals;
  size_t residual_count;
} gj__joint;

// Zeroed room until the walk ends; NULL, which is kept as an error, without memory.
void *gj__d_room(gj__derive *d, size_t count, size_t size);
const gj_graph *gj__d_function(const gj__derive *d, const gj_node *node, size_t i);
static inline const gj_type *gj__input_type(const gj_graph *f, size_t i) {
  return &gj_graph_node(f, gj_graph_input(f, i))->type;
}
// The first operand that is an input of the functions.
static inline size_t gj__first_input(const gj_node *node) {
  return node->op == GJ_OP_cond || node->op == GJ_OP_switch;
}

// The reverse: of outputs that are given, to inputs that are wanted. False after a failure.
bool gj__joint_vjp(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                   gj__joint *out);
bool gj__joint_jvp(gj__derive *d, const gj_graph *f, const uint8_t *given, const uint8_t *wanted,
                   gj__joint *out);
// Finds what the derivative needs of the function: `there` says by input of the function how it is
// there. Without `there` nothing is a residual, and outputs of the function that are `kept` are
// needed as well.
bool gj__joint_cut(gj__derive *d, gj__joint *joint, const uint8_t *there, const uint8_t *kept);
bool gj__joint_needs_input(const gj__joint *joint, size_t input);
// The output of the function that a residual is, from `first` on, or the count of outputs.
size_t gj__joint_output_of(const gj__joint *joint, gj_ref residual, size_t first);
// The function with values of the joint as further outputs, zeros of a type where there is none.
int64_t gj__joint_widened(gj__derive *d, const gj__joint *joint, const gj_ref *values,
                          const gj_type *types, size_t count);
// The type of made[i], whether it is there or not.
const gj_type *gj__joint_made_type(const gj__joint *joint, size_t i);
// The needed nodes in `to`; `map`, by ref of the joint, holds what stands for some of them.
bool gj__joint_copy(gj__derive *d, const gj__joint *joint, gj_graph *to, gj_ref *map);

// A function of the graph, to be filled; NULL after a failure.
gj_graph *gj__d_function_new(gj__derive *d, const char *name);
gj_ref gj__d_input(gj_graph *to, const gj_type *type);
void gj__d_output(gj_graph *to, gj_ref ref);
// Its number, or -1 after a failure of its own, too.
int64_t gj__d_function_add(gj__derive *d, gj_graph *function);
// Words for another graph.
gj__derive gj__d_inside(const gj__derive *d, gj_graph *graph);
// The nodes of a function in another, with what `map` holds in place of some of them.
bool gj__d_copy_function(gj__derive *d, const gj_graph *f, gj_graph *to, gj_ref *map);
// Copies one node with the operands that `map` says.
gj_ref gj__d_copy_node(gj__derive *d, const gj_graph *from, gj_ref ref, gj_graph *to, gj_ref *map);
gj_ref gj__d_control(gj__derive *d, const gj_node *like, gj_op op, const gj_ref *args, size_t count,
                     const int64_t *functions);

#endif
