// The values of a population: the union of all its trees, in which equal subtrees are one node.
//
// Nodes are appended and never change. Operands stand before their users, so the array is a
// topological order, and nothing that walks it is recursive however deep a tree is.
#ifndef GJ_POPULATION_NODES_H
#define GJ_POPULATION_NODES_H

#include "base/exec.h"
#include "ops/op.h"

// No node: there was no memory for it.
#define GJ__NO_NODE UINT32_MAX

typedef enum gj__leaf {
  GJ__NO_LEAF,
  GJ__VARIABLE,  // args[0]: number of the column
  GJ__CONSTANT,  // value
  GJ__PARAMETER, // args[0]: position of the constant among those of all programs
} gj__leaf;

enum {
  GJ__UNIFORM = 1, // the same in all rows
  GJ__TRUTH = 2    // a bool
};

enum { GJ_MOST_ARGS = 3, GJ__MOST_FUNCTIONS = 1 << 14 };

// An operator that is compiled code. Its buffers are one array per operand, then the result, which
// is none of these; its one dim is how many elements they have. It asks nothing of the run.
typedef struct gj_population_function {
  gj_entry *entry;
  uint32_t arity;                     // 1 … GJ_MOST_ARGS
  uint32_t derivatives[GJ_MOST_ARGS]; // by an operand: number of a function + 1; 0: none
} gj_population_function;

typedef struct gj__node {
  uint16_t op;                 // gj_op, or GJ_OP_COUNT + number of a function; none: a leaf
  uint8_t leaf;                // gj__leaf
  uint8_t traits;              // GJ__UNIFORM, GJ__TRUTH
  uint32_t args[GJ_MOST_ARGS]; // nodes, as many as the op takes; the others are 0
  double value;
} gj__node;

// A zeroed struct has no nodes.
typedef struct gj__nodes {
  gj__node *list;
  size_t count, capacity;
  uint32_t *slots; // open addressing: number of a node + 1, 0 where free
  size_t slot_count;
  gj_population_function *functions;
  size_t function_count, function_capacity;
} gj__nodes;

void gj__nodes_fini(gj__nodes *nodes);

// Both return the node that is there already where there is one, and GJ__NO_NODE without memory. A
// product with the constant 1 is its other operand.
uint32_t gj__nodes_leaf(gj__nodes *nodes, gj__leaf leaf, uint32_t number, double value);
uint32_t gj__nodes_apply(gj__nodes *nodes, uint32_t op, const uint32_t *args);

// As the last one; false without memory.
bool gj__nodes_add_function(gj__nodes *nodes, const gj_population_function *function);

static inline bool gj__op_is_function(uint32_t op) { return op >= GJ_OP_COUNT; }

static inline const gj_population_function *gj__function_of(const gj__nodes *nodes, uint32_t op) {
  return &nodes->functions[op - GJ_OP_COUNT];
}
static inline int gj__op_arity(const gj__nodes *nodes, uint32_t op) {
  return gj__op_is_function(op) ? (int)gj__function_of(nodes, op)->arity
                                : gj_op_get((gj_op)op)->arity;
}
// How many args a node has; 0 of a leaf.
static inline int gj__node_arity(const gj__nodes *nodes, const gj__node *n) {
  return n->leaf ? 0 : gj__op_arity(nodes, n->op);
}

// Whether an op's result is a bool, whatever its operands; select has a bool before the others.
bool gj__op_is_truth(gj_op op);

#endif
