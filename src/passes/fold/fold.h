// Rewriting one node while a graph is rebuilt: the rules behind simplify.
//
// Rules keep the type of the value, look at most two nodes deep, and never make the graph
// larger, but for the pads of windows.
// They hold bit for bit in every numeric mode (NaN payloads aside, and pow(x, 2), which becomes the
// more exact x · x), so a simplified graph computes what was written: x + 0 stays for floats since
// -0 + 0 is +0, but x + -0, x · 1 and x - 0 go.
#ifndef GJ_PASSES_FOLD_FOLD_H
#define GJ_PASSES_FOLD_FOLD_H

#include "ir/graph.h"
#include "ops/scalar.h"

// A node about to be appended to `graph`; args are refs of `graph`.
typedef struct gj_fold {
  gj_graph *graph;
  gj_op op;
  const gj_ref *args;
  size_t arg_count;
  const gj_attrs *attrs;
  gj_type type; // of its result
} gj_fold;

// A ref that has the value of the node, or 0 when no rule applies (then it is to be appended).
gj_ref gj__fold(const gj_fold *f);

// The rules named in kinds.def, of nodes that have operands: what gj__fold() calls. Several kinds
// may share one.
#define GJ_KIND_FOLD(how, rule) gj_ref gj__fold_##rule(const gj_fold *f);
#include "ops/kinds.def"

// True and its one element when `ref` is a constant with all elements alike.
bool gj__is_splat(const gj_graph *graph, gj_ref ref, gj_scalar *out_value);
// A constant of `type` with every element `value`.
gj_ref gj__splat(gj_graph *graph, const gj_type *type, gj_scalar value);
bool gj__same_type(const gj_type *a, const gj_type *b);
bool gj__same_shape(const gj_type *a, const gj_type *b);

#endif
