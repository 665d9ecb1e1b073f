// The nodes between variables and what is derived: what both directions begin with.
#ifndef GJ_PASSES_DERIVE_WALK_H
#define GJ_PASSES_DERIVE_WALK_H

#include "passes/derive/rules.h"

// Marks what is active and turns sharing on, which gj__derive_end() undoes.
gj_status gj__derive_begin(gj__derive *d, const gj_ref *ys, size_t y_count, const gj_ref *wrt,
                           size_t count, gj_error *err);
// The first failure of the walk, or `status`.
gj_status gj__derive_end(gj__derive *d, gj_status status, gj_error *err);

// Whether results of the node, no control op, change with its operands.
bool gj__d_passes_on(const gj_node *node);

// Whether an operand of the node depends on a variable, so that its rule has something to do.
bool gj__d_needs(const gj__derive *d, const gj_node *node);

// The node whose result `ref` is, and which one.
gj_ref gj__d_owner_of(const gj_graph *graph, gj_ref ref, size_t *out_index);

#endif
