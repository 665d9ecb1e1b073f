// What the rules of derivatives share: the walk they are called from, and words to append nodes
// with.
//
// A rule of reverse mode, gj__vjp_<rule>(), takes a node and the cotangents of its results and
// gives its operands what comes to them (gj__d_give). One of forward mode, gj__jvp_<rule>(), takes
// a node and the tangents of its operands and says what those of its results are. Rules are called
// for nodes only that are active: a result of theirs counts, and an operand depends on a variable.
// They ask whether an operand does (gj__d_wants) before they append what only that operand needs.
//
// Nodes are appended with sharing on, so a rule need not remember what another has computed. After
// a failure, which the graph keeps, appending gives 0, and words and rules take 0 as an operand.
#ifndef GJ_PASSES_DERIVE_RULES_H
#define GJ_PASSES_DERIVE_RULES_H

#include "base/arena.h"
#include "ir/graph.h"
#include "ops/scalar.h"
#include "passes/derive/derive.h"
#include "passes/words.h"

#include <string.h>

// One walk over the nodes of a graph.
typedef struct gj__derive {
  gj_graph *graph;
  const gj_derive_options *options;
  gj_arena arena;
  size_t count;        // nodes when the walk began: refs of the tables below are 1 … count
  uint8_t *active;     // by ref: whether a y depends on it and it on a variable
  gj_ref **cotangents; // reverse: by ref NULL, or by result the sum of what came, or 0
  gj_ref **tangents;   // forward: the same of tangents
  bool shared_before;  // whether nodes were shared
} gj__derive;

typedef void gj__vjp_fn(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts);
typedef void gj__jvp_fn(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents);

typedef struct gj__derive_rule {
  gj__vjp_fn *vjp; // NULL: results depend on operands in steps only, or are no floats
  gj__jvp_fn *jvp;
  const char *formulas; // of elementwise ops, see formula.c
} gj__derive_rule;

const gj__derive_rule *gj__d_rule_of(gj_op op);

// Whether an operand depends on a variable.
bool gj__d_wants(const gj__derive *d, gj_ref operand);
// Adds to the cotangent of an operand; nothing where it is not wanted, or for 0.
void gj__d_give(gj__derive *d, gj_ref operand, gj_ref cotangent);
// The tangent of an operand; 0 where it has none.
gj_ref gj__d_tangent(const gj__derive *d, gj_ref operand);
// The same with zeros in place of 0.
gj_ref gj__d_tangent_or_zeros(gj__derive *d, gj_ref operand);
// Keeps the first error of a rule in the graph, with the node that it is of.
void gj__d_refuse(gj__derive *d, gj_ref ref, const char *why);

// --- words (words.c) ---

static inline const gj_type *gj__type_of(const gj__derive *d, gj_ref ref) {
  return &gj_graph_node(d->graph, ref)->type;
}

static inline gj_ref gj__d_op1(gj__derive *d, gj_op op, gj_ref a) {
  return a ? gj_graph_append(d->graph, op, &a, 1, NULL) : 0;
}

static inline gj_ref gj__d_op2(gj__derive *d, gj_op op, gj_ref a, gj_ref b) {
  return a && b ? gj_graph_append(d->graph, op, (gj_ref[]){a, b}, 2, NULL) : 0;
}

static inline gj_ref gj__d_op3(gj__derive *d, gj_op op, gj_ref a, gj_ref b, gj_ref c) {
  return a && b && c ? gj_graph_append(d->graph, op, (gj_ref[]){a, b, c}, 3, NULL) : 0;
}

static inline gj_ref gj__d_neg(gj__derive *d, gj_ref a) { return gj__d_op1(d, GJ_OP_neg, a); }
static inline gj_ref gj__d_add(gj__derive *d, gj_ref a, gj_ref b) {
  return gj__d_op2(d, GJ_OP_add, a, b);
}
static inline gj_ref gj__d_sub(gj__derive *d, gj_ref a, gj_ref b) {
  return gj__d_op2(d, GJ_OP_sub, a, b);
}
static inline gj_ref gj__d_mul(gj__derive *d, gj_ref a, gj_ref b) {
  return gj__d_op2(d, GJ_OP_mul, a, b);
}
static inline gj_ref gj__d_div(gj__derive *d, gj_ref a, gj_ref b) {
  return gj__d_op2(d, GJ_OP_div, a, b);
}
static inline gj_ref gj__d_eq(gj__derive *d, gj_ref a, gj_ref b) {
  return gj__d_op2(d, GJ_OP_eq, a, b);
}
static inline gj_ref gj__d_select(gj__derive *d, gj_ref condition, gj_ref a, gj_ref b) {
  return gj__d_op3(d, GJ_OP_select, condition, a, b);
}

// Those of passes/words.h.
static inline gj_ref gj__d_result(gj__derive *d, gj_ref owner, size_t index) {
  return gj__w_result(d->graph, owner, index);
}
static inline gj_ref gj__d_filled(gj__derive *d, const gj_type *type, double value) {
  return gj__w_filled(d->graph, type, value);
}
static inline gj_ref gj__d_convert(gj__derive *d, gj_ref a, gj_dtype dtype) {
  return gj__w_convert(d->graph, a, dtype);
}
static inline gj_ref gj__d_reshape(gj__derive *d, gj_ref a, const gj_type *shape) {
  return gj__w_reshape(d->graph, a, shape);
}
static inline gj_ref gj__d_transpose(gj__derive *d, gj_ref a, const int64_t *axes) {
  return gj__w_transpose(d->graph, a, axes);
}
static inline gj_ref gj__d_iota(gj__derive *d, gj_dtype dtype, const gj_type *shape, int64_t axis) {
  return gj__w_iota(d->graph, dtype, shape, axis);
}

// A scalar; an integer dtype takes integers only.
gj_ref gj__d_number(gj__derive *d, gj_dtype dtype, double value);
gj_ref gj__d_zeros_like(gj__derive *d, gj_ref ref);
// `a` has the rank of the shape, or axis i of it becomes axes[i].
gj_ref gj__d_broadcast(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes);
gj_ref gj__d_reverse_axis(gj__derive *d, gj_ref a, int64_t axis);
gj_ref gj__d_reduce(gj__derive *d, gj_op op, gj_ref a, const int64_t *axes, size_t count);
// Sums along increasing axes, along those at the end first: they are rows, which a kernel adds up
// several times as fast as rows and what is far apart together.
gj_ref gj__d_sum(gj__derive *d, gj_ref a, const int64_t *axes, size_t count);
gj_ref gj__d_cumulate(gj__derive *d, gj_op op, gj_ref a, int64_t axis);
// `a`, whose axes in `axes` (increasing) are gone, with these axes of size 1 again, and then of the
// shape; what a reduction gave beside what it was given.
gj_ref gj__d_spread(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes,
                    size_t count);
// Sums where `type` has been broadcast to what `a` has, so that it has that shape again.
gj_ref gj__d_unbroadcast(gj__derive *d, gj_ref a, const gj_type *type);
// How many elements there are along these axes, as a scalar.
gj_ref gj__d_extent(gj__derive *d, gj_dtype dtype, const gj_type *type, const int64_t *axes,
                    size_t count);
// Element positions[…] along an axis; positions, of an integer dtype, has the rank of `a` and its
// sizes along the others.
gj_ref gj__d_take_along(gj__derive *d, gj_ref a, gj_ref positions, int64_t axis);
// The reverse of it: updates added to `a` at positions along an axis.
gj_ref gj__d_add_along(gj__derive *d, gj_ref a, gj_ref positions, gj_ref updates, int64_t axis);
// `a` with elements put in front and behind along an axis, or taken away where a number is
// negative.
gj_ref gj__d_pad_axis(gj__derive *d, gj_ref a, int64_t axis, int64_t lo, int64_t hi, double fill);
gj_ref gj__d_concat(gj__derive *d, const gj_ref *parts, size_t count, int64_t axis);
// `a` with the axes in `axes` (increasing) made one, which stands last; and back from that to
// `shape`.
gj_ref gj__d_merge(gj__derive *d, gj_ref a, const int64_t *axes, size_t count);
gj_ref gj__d_unmerge(gj__derive *d, gj_ref a, const gj_type *shape, const int64_t *axes,
                     size_t count);
// A signed dtype for positions along an axis of that size.
gj_dtype gj__d_position_dtype(gj_dim size);

// --- formulas (formula.c) ---

// Appends the formula number `operand` of a row for node `ref`, with `s` for what it is multiplied
// by; 0 where the row has none for that operand.
gj_ref gj__d_formula(gj__derive *d, const char *formulas, gj_ref ref, size_t operand, gj_ref s);

// --- movement (move.c) ---

// `a` itself where nothing is padded.
gj_ref gj__d_pad(gj__derive *d, gj_ref a, gj_ref fill, const int64_t *lo, const int64_t *hi,
                 const int64_t *interior);
gj_ref gj__d_slice(gj__derive *d, gj_ref a, const int64_t *start, const gj_type *shape,
                   const int64_t *stride);
// Zeros of a type, but for the elements that a slice with these attributes takes, which are `a`.
gj_ref gj__d_place(gj__derive *d, gj_ref a, const gj_type *type, const int64_t *start,
                   const int64_t *stride);

// --- rules ---

// What the rows of ops.def name.
#define GJ_DERIVE(reverse, forward)                                                                \
  gj__vjp_fn gj__vjp_##reverse;                                                                    \
  gj__jvp_fn gj__jvp_##forward;
#include "ops/ops.def"
gj__vjp_fn gj__vjp_formula;
gj__jvp_fn gj__jvp_formula;

// Rules of forward mode that many ops have.
//   linear    in all operands of float dtypes together: the op itself on tangents
//   bilinear  in the first operand and in the second
#endif
