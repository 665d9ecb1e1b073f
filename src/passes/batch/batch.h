// Batches: what a function computes for every element of a batch, without a loop over them.
//
// The nodes of the function are appended to a graph again, each in the form that takes its batched
// operands whole, the batch along their axis 0: the rule of its op (GJ_BATCH in ops.def) says which
// form that is. What depends on no batched input is computed once. What comes of it are nodes like
// any others, which can be derived, and batched again.
//
// Left out: custom_call, whose code takes one example; compress, which would give each example
// another size. Both are errors.
#ifndef GJ_PASSES_BATCH_BATCH_H
#define GJ_PASSES_BATCH_BATCH_H

#include "ir/graph.h"

// A value, and whether it has the batch as its axis 0.
typedef struct gj_batched {
  gj_ref ref;
  bool batched;
} gj_batched;

// Appends to `graph` what `function`, one of the same root, added or not, gives for inputs[i], a
// value of `graph` for each input of the function: of the type of that, with `size` in front where
// it is batched. outputs[k] receives what stands for output k.
gj_status gj_graph_batch(gj_graph *graph, const gj_graph *function, const gj_batched *inputs,
                         gj_dim size, gj_batched *outputs, gj_error *err);

#endif
