// What the rules of batches share: the function they are at, and words to append nodes with.
//
// A rule, gj__batch_<rule>(), takes a node of the function and what stands for its operands in the
// graph, at least one of them batched, and says what stands for its results. Rules are called for
// nodes only that an output needs.
//
// Nodes are appended with sharing on. After a failure, which the graph keeps, appending gives 0;
// words take 0 as an operand and give 0, and the walk ends where a rule gives 0.
#ifndef GJ_PASSES_BATCH_RULES_H
#define GJ_PASSES_BATCH_RULES_H

#include "base/arena.h"
#include "ops/scalar.h"
#include "passes/batch/batch.h"
#include "passes/words.h"

#include <string.h>

typedef struct gj__b_variant gj__b_variant;

// What one batch has, with all functions that it is made of.
typedef struct gj__batching {
  gj_dim size;
  gj_arena arena;
  gj__b_variant **variants; // by number of a function: what was found of it, see functions.c
} gj__batching;

// One function on its way into a graph, which may be a function itself.
typedef struct gj__batch {
  gj__batching *all;
  gj_graph *out;
  gj_batched **made; // by ref of the function: what stands for its results, or NULL
} gj__batch;

typedef void gj__batch_fn(gj__batch *b, const gj_node *node, const gj_batched *args,
                          gj_batched *out);

// What `function` gives for these inputs, appended to `out`. False after a failure, which `out`
// keeps.
bool gj__b_append_function(gj__batching *all, const gj_graph *function, gj_graph *out,
                           const gj_batched *inputs, gj_batched *outputs);
// Keeps the first error of a rule in the graph.
void gj__b_refuse(gj__batch *b, gj_op op, const char *why);
bool gj__b_no_memory(gj__batch *b);                        // says so; false
void *gj__b_room(gj__batch *b, size_t count, size_t size); // NULL after a failure

// --- functions of control ops (functions.c) ---
//
// Flags say per input or output of a function whether it is batched.

// The outputs that a function makes batched of such inputs; NULL when out of memory.
const uint8_t *gj__b_flags(gj__batching *all, const gj_graph *graph, size_t number,
                           const uint8_t *inputs);
// The number of a function that takes such inputs and gives such outputs, which are batched at
// least where they have to be; -1 after a failure, which b->out keeps.
int64_t gj__b_function(gj__batch *b, size_t number, const uint8_t *inputs, const uint8_t *outputs);
// Adds a function that was built; -1 after a failure of it, which b->out keeps.
int64_t gj__b_add_function(gj__batch *b, gj_graph *function);
// The refs of a call of a function, one per output; NULL after a failure.
const gj_ref *gj__b_call(gj__batch *b, int64_t number, const gj_ref *inputs);
// Which results of a control op are batched, for such operands; false when out of memory. Of a
// while: out_condition is whether its condition is.
bool gj__b_control_flags(gj__batching *all, const gj_graph *graph, const gj_node *node,
                         const uint8_t *args, uint8_t *out_results, bool *out_condition);

// --- words (words.c) ---

static inline const gj_type *gj__b_type(const gj__batch *b, gj_ref ref) {
  return &gj_graph_node(b->out, ref)->type;
}

// 0 where an operand is.
gj_ref gj__b_append(gj__batch *b, gj_op op, const gj_ref *args, size_t count,
                    const gj_attrs *attrs);
static inline gj_ref gj__b_op1(gj__batch *b, gj_op op, gj_ref a) {
  return gj__b_append(b, op, &a, 1, NULL);
}
static inline gj_ref gj__b_op2(gj__batch *b, gj_op op, gj_ref x, gj_ref y) {
  return gj__b_append(b, op, (gj_ref[]){x, y}, 2, NULL);
}
static inline gj_ref gj__b_op3(gj__batch *b, gj_op op, gj_ref x, gj_ref y, gj_ref z) {
  return gj__b_append(b, op, (gj_ref[]){x, y, z}, 3, NULL);
}
// Those of passes/words.h.
static inline gj_ref gj__b_result(gj__batch *b, gj_ref owner, size_t index) {
  return gj__w_result(b->out, owner, index);
}
static inline gj_ref gj__b_filled(gj__batch *b, const gj_type *type, int64_t value) {
  return gj__w_filled(b->out, type, (double)value);
}
static inline gj_ref gj__b_convert(gj__batch *b, gj_ref a, gj_dtype dtype) {
  return gj__w_convert(b->out, a, dtype);
}
static inline gj_ref gj__b_reshape(gj__batch *b, gj_ref a, const gj_type *shape) {
  return gj__w_reshape(b->out, a, shape);
}
static inline gj_ref gj__b_transpose(gj__batch *b, gj_ref a, const int64_t *axes) {
  return gj__w_transpose(b->out, a, axes);
}
// 0, 1, 2, … of a vector.
static inline gj_ref gj__b_iota(gj__batch *b, gj_dtype dtype, gj_dim size) {
  return gj__w_iota(b->out, dtype, &(gj_type){.rank = 1, .shape = {size}}, 0);
}

// What stands for the results of a node that became `ref`.
void gj__b_results(gj__batch *b, const gj_node *node, gj_ref ref, bool batched, gj_batched *out);
// Axis `from` moved to place `to`, the others in their order.
gj_ref gj__b_move_axis(gj__batch *b, gj_ref a, uint8_t from, uint8_t to);
// The type with the batch in front; of rank 0 and no dtype after a failure, as ranks have an end.
gj_type gj__b_batched_type(gj__batch *b, const gj_type *type);
// The value with the batch in front, repeated if it had none.
gj_ref gj__b_spread(gj__batch *b, gj_batched a);
// The value for an op that broadcasts its operands to a rank, which is without the batch: axes of
// size 1 stand behind the batch, so that it meets that of others.
gj_ref gj__b_aligned(gj__batch *b, gj_batched a, uint8_t rank);

// Attributes of a node on their way to those of another.
typedef struct gj__b_attrs {
  gj_attrs attrs;
  int64_t values[GJ_ATTR_COUNT][GJ_MAX_RANK];
} gj__b_attrs;

void gj__b_attrs_init(gj__b_attrs *a, const gj_node *node);
// Axes are those behind the batch.
void gj__b_shift(gj__b_attrs *a, gj_attr attr);
// A list that has a value per axis gets one for the batch, in front.
void gj__b_lead(gj__b_attrs *a, gj_attr attr, int64_t value);
// A list of axes, those behind the batch, and that of the batch in front.
void gj__b_shift_with(gj__b_attrs *a, gj_attr attr);
// A node like `node` with these attributes, whose results are batched.
void gj__b_finish(gj__batch *b, const gj_node *node, const gj_ref *args, const gj__b_attrs *a,
                  gj_batched *out);

// --- rules ---

// What the rows of ops.def name.
#define GJ_BATCH(rule) gj__batch_fn gj__batch_##rule;
#include "ops/ops.def"

// The node as a `for` over the examples, where sizes must be known that are not.
void gj__b_loop(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out);

#endif
