// The table of a forest: what a model of decision trees becomes for the functions of this folder.
//
// One piece of memory, so that it can be an array of JavaScript's, data of a module or a constant
// in C: a head, and sections at offsets in bytes from the start, which 64 divides. lib/forests
// writes it (table.js), after it has checked the trees; nothing here checks again.
//
// Features are compared with thresholds once per row, not once per node. A *column* is a feature
// with a rule for missing values; its thresholds in ascending order are t[0] … t[n - 1], and the
// rank of a value v is how many of them are at most v. A node goes right if v ≥ t[k], that is, if
// the rank is above k: an integer, which is compared by as many bytes as we like. Ranks are given
// to nodes in *codes* of 16 bits (walk.h) and of 8 bits (dense.h); where there are more thresholds
// than a code tells apart, a column has several codes, each of which is the rank less a multiple of
// their number, at least 0 and at most that. What is missing has rank 0 in codes for nodes that
// send it left, and rank n in codes for those that send it right.
#ifndef GJ_LIBRARY_FORESTS_TABLE_H
#define GJ_LIBRARY_FORESTS_TABLE_H

#include "library/library.h"

// Thresholds that a code of 8 and of 16 bits tells apart.
enum { GJL_FOREST_BYTE = 255, GJL_FOREST_WORD = 65535 };

typedef struct gjl_forest {
  int64_t features; // of a row
  int64_t columns;
  int64_t groups; // outputs of a row
  int64_t trees;
  int64_t rounds_input; // whether values are rounded to float before they are compared
  int64_t doubles;      // whether leaves are double and added as such; else float
  int64_t bytes;        // codes of 8 bits of a row
  int64_t words;        // codes of 16 bits of a row
  int64_t block;        // rows that are taken together, which 64 divides
  int64_t walks;        // whether some tree is not dense
  int64_t masks;        // whether dense trees are there as masks.h reads them
  // Offsets of sections.
  int64_t column_at;    // gjl_forest_column[columns]
  int64_t threshold_at; // double
  int64_t tree_at;      // gjl_forest_tree[trees], those of a group one behind the other
  int64_t node_at;      // gjl_forest_node
  int64_t leaf_at;      // values of all nodes: double or float, of which those of leaves count
  int64_t number_at;    // int32_t of all nodes: what the model calls the leaf
  int64_t set_at;       // uint32_t of all nodes: the word where the bits of a set begin
  int64_t bit_at;       // uint32_t: sets, by the code of a category
  int64_t dense_at;     // gjl_forest_dense of trees that have them
  int64_t heap_at;      // gjl_forest_heap, in the same places
  int64_t mask_at;      // gjl_forest_mask_nodes, one for 64 nodes
  int64_t value_at;     // their leaves: double or float
  int64_t base_at;      // double[groups]: what sums begin with
} gjl_forest;

// What becomes of a value before its rank is taken.
enum {
  GJL_FOREST_NAN_IS_ZERO = 1,
  GJL_FOREST_ZERO_IS_MISSING = 2, // and what is within 1e-35f of it
  // A category, a whole number: the code is 1 more than its place among the thresholds, 0 if it is
  // none of them, n + 1 if it is missing. Fractions are cut off; negative ones are no category if
  // the next flag is set.
  GJL_FOREST_CATEGORY = 8,
  GJL_FOREST_FRACTION_IS_NEGATIVE = 16
};

typedef struct gjl_forest_column {
  int32_t feature;
  int32_t flags;
  int32_t first; // threshold
  int32_t count;
  int32_t bytes, words; // how many codes
  int32_t byte[2];      // the first of those for nodes that send what is missing left, and right;
  int32_t word[2];      // -1: none
} gjl_forest_column;

// A node goes to `next`, or to the node behind it if its code is above `least`. A leaf goes to
// itself, by a `least` that no code is above. Numbers are of all nodes of the forest.
typedef struct gjl_forest_node {
  uint16_t least;
  uint16_t word;
  uint32_t next;
} gjl_forest_node;

// A node of a tree all of whose nodes are compared. Where `after` is above the code it goes left.
typedef struct gjl_forest_dense {
  uint32_t byte;  // code of 8 bits, times GJL_FOREST_DENSE_ROWS
  uint32_t after; // four times the same byte, less 128, as codes are
} gjl_forest_dense;

// The same for one row, by codes of 16 bits.
typedef struct gjl_forest_heap {
  uint16_t least;
  uint16_t word;
} gjl_forest_heap;

enum { GJL_FOREST_DEEPEST_DENSE = 6, GJL_FOREST_DENSE_ROWS = 64 };

typedef struct gjl_forest_tree {
  uint32_t root;
  int32_t depth;
  int32_t kind;   // below
  int32_t dense;  // depth of the dense tree, 1 … GJL_FOREST_DEEPEST_DENSE, the same for all that
                  // have one, which lie one behind the other; 0: none
  uint32_t nodes; // its nodes among gjl_forest_dense, of which the first is at 1
  uint32_t values;
  int32_t place; // of the tree in the model
} gjl_forest_tree;

enum { GJL_FOREST_HAS_SETS = 1 };

static inline const void *gjl_forest_section(const gjl_forest *f, int64_t offset) {
  return (const char *)f + offset;
}

#endif
