// Derivatives of graphs: what is appended to a graph to have them.
//
// Both directions walk the nodes between the variables and what is derived, and ask the rule of
// each op (GJ_DERIVE in ops.def) for what it adds. Derivatives are nodes like any others: they can
// be derived again, and forward values are shared with them. What does not depend on a variable has
// no derivative, and no zeros are carried for it.
#ifndef GJ_PASSES_DERIVE_DERIVE_H
#define GJ_PASSES_DERIVE_DERIVE_H

#include "ir/graph.h"

// The derivative of the function of an apply node by one of its operands, as another such text; it
// has the same operands. NULL where there is none. The text has to live until the call returns.
typedef const char *gj_derive_apply_fn(void *context, const char *text, size_t operand);

typedef struct gj_derive_options {
  gj_derive_apply_fn *apply; // NULL: an apply that takes part is an error
  void *apply_context;
} gj_derive_options;

// Reverse mode. out_grads[i] is the sum over k of seeds[k] times the derivative of ys[k] by wrt[i],
// which has the type of wrt[i]; 0 where no y depends on it. seeds[k] has the type of ys[k]. A value
// that is computed of another in `wrt` still counts for that one. Values of `wrt` and `ys` are of
// float dtypes.
gj_status gj_graph_vjp(gj_graph *graph, const gj_ref *ys, const gj_ref *seeds, size_t y_count,
                       const gj_ref *wrt, size_t count, const gj_derive_options *options,
                       gj_ref *out_grads, gj_error *err);

// Forward mode. out_tangents[k] is the sum over i of the derivative of ys[k] by wrt[i] times
// tangents[i], which has the type of wrt[i]; 0 where ys[k] depends on none. A value of `wrt` is a
// variable: what it is computed of plays no part.
gj_status gj_graph_jvp(gj_graph *graph, const gj_ref *ys, size_t y_count, const gj_ref *wrt,
                       const gj_ref *tangents, size_t count, const gj_derive_options *options,
                       gj_ref *out_tangents, gj_error *err);

// How an op is derived, for people: what its row says of each operand, "rule", or "none".
const char *gj_derivative_text(gj_op op);

#endif
