// The axes of a contraction, sorted by what they do: shape rule, conditions, reference, folding,
// the count of operations and lowering all ask this.
#ifndef GJ_IR_INFER_CONTRACT_H
#define GJ_IR_INFER_CONTRACT_H

#include "ir/graph.h"

// Axes of one operand. `batch` and `contract` are in the order of the attributes, so that entry i
// of both operands goes together; `free` are those that are left, in order.
typedef struct gj_contract_side {
  uint8_t batch[GJ_MAX_RANK], contract[GJ_MAX_RANK], free[GJ_MAX_RANK];
  uint8_t free_count;
} gj_contract_side;

typedef struct gj_contraction {
  uint8_t batch_count, contract_count;
  gj_contract_side side[2]; // of operands 0 and 1
} gj_contraction;

// Of a dot_general that has been checked.
gj_contraction gj_contraction_of(const gj_graph *graph, const gj_node *node);

// Its iteration space, [batch, rows, columns, products] with the axes of each group as one (without
// batch axes: [rows, columns, products]). False where a product of sizes is too complex for a dim.
bool gj_contraction_space(const gj_graph *graph, const gj_node *node, gj_type *out);

#endif
