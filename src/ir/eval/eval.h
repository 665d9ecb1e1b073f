// Tensors of the reference evaluator. Private to the eval files.
#ifndef GJ_IR_EVAL_EVAL_H
#define GJ_IR_EVAL_EVAL_H

#include "ir/graph.h"
#include "ops/scalar.h"

// A dense row-major value.
typedef struct gj__tensor {
  gj_dtype dtype;
  size_t rank;
  size_t width; // bytes of an element
  int64_t count;
  int64_t shape[GJ_MAX_RANK];
  unsigned char *data;
  bool owned; // inputs and repeated references are not
} gj__tensor;

// What runs a graph, for the functions that its nodes run in turn.
typedef struct gj__caller {
  const gj_graph *graph;
  int64_t *symbol_values;
  size_t total;   // bytes of all values at once
  uint64_t *left; // values that may still be computed
  gj_error *err;
} gj__caller;

// One node at work: its operands and results are complete tensors, the results still zero.
typedef struct gj__step {
  const gj_graph *graph;
  const gj_node *node;
  const int64_t *symbol_values;
  const gj__tensor *const *args;
  gj__tensor *out; // gj_node_result_count() of them
  const gj__caller *caller;
  gj_status *status; // GJ_OK, for those that fail to say so, with a message in caller->err
} gj__step;

typedef void gj__eval_fn(const gj__step *step);

// The rules named in kinds.def; several kinds may share one.
#define GJ_KIND_EVAL(how, step) gj__eval_fn gj__eval_##step;
#include "ops/kinds.def"

// Runs a function of the caller's graph on operands and into results that are there.
gj_status gj__eval_graph(const gj__caller *caller, const gj_graph *graph, const void *const *inputs,
                         void *const *outputs);

// The position of element number `linear`, axis by axis.
void gj__unravel(const gj__tensor *tensor, int64_t linear, int64_t *out_index);

// The element at `index`; an axis of size 1 is read at 0 whatever the index says.
unsigned char *gj__element(const gj__tensor *tensor, const int64_t *index);

// What running values of a dtype are in, and a value in another dtype.
gj_dtype gj__running_dtype(gj_dtype dtype);
gj_scalar gj__in_dtype(gj_scalar value, gj_dtype dtype);

static inline const gj_attr_list *gj__step_list(const gj__step *step, gj_attr attr) {
  return &step->node->attrs->list[attr];
}

#endif
