// Nodes that passes append, named by what they are for: what derivatives and batches share.
//
// After a failure, which the graph keeps, appending gives 0; an operand that is 0 gives 0. What
// would change nothing is its operand.
#ifndef GJ_PASSES_WORDS_H
#define GJ_PASSES_WORDS_H

#include "ir/graph.h"

// Result `index` of a node: the node itself for 0.
gj_ref gj__w_result(gj_graph *graph, gj_ref owner, size_t index);
// A tensor of a type with every element alike; an integer dtype takes integers only.
gj_ref gj__w_filled(gj_graph *graph, const gj_type *type, double value);
gj_ref gj__w_convert(gj_graph *graph, gj_ref a, gj_dtype dtype);
gj_ref gj__w_reshape(gj_graph *graph, gj_ref a, const gj_type *shape); // its dtype plays no part
gj_ref gj__w_transpose(gj_graph *graph, gj_ref a, const int64_t *axes);
// 0, 1, 2, … along an axis of that shape.
gj_ref gj__w_iota(gj_graph *graph, gj_dtype dtype, const gj_type *shape, int64_t axis);

#endif
