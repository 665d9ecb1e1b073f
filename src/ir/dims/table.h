// Dim expressions: the table behind gj_dims, for dims.c, text.c and nobody else.
//
// Expressions come from strangers. `weight` counts the nodes of an expression written out as a tree
// and `depth` its nesting: both are bounded, so printing, comparing and evaluating by plain
// recursion are safe.
#ifndef GJ_IR_DIMS_TABLE_H
#define GJ_IR_DIMS_TABLE_H

#include "base/arena.h"
#include "base/table.h"
#include "ir/dims/dims.h"

struct gj__dim_entry {
  gj_dim_node node;
  const char *name; // symbols
  uint32_t weight;
  uint32_t depth;
};

struct gj_dims {
  gj_arena arena;                // operand lists and names
  gj_table table;                // structural hash → index + 1
  struct gj__dim_entry *entries; // entry i is the gj_dim -1 - i
  size_t count, capacity;
  gj_dim *symbols;
  size_t symbol_count, symbol_capacity;
  gj_dim *bounds; // of computed sizes, by symbol; GJ_DIM_ERROR for those of inputs
  size_t bound_count, bound_capacity;
};

// The entry equal to `node`, made when new; its operands are copied. A symbol is identified by its
// name, everything else by structure. GJ_DIM_ERROR beyond the limits or out of memory.
gj_dim gj__dims_intern(gj_dims *dims, const gj_dim_node *node, const char *name, size_t length);

// A total order by structure alone, so that it does not depend on what was interned when: symbols
// by name, then divisions, maxima, products, sums, constants. 0 only for the same dim.
int gj__dims_compare(const gj_dims *dims, gj_dim a, gj_dim b);

// True when `d` cannot be negative; false when it may be or nobody knows. Computed sizes count as
// any others; see gj_dim_never_negative().
bool gj__dim_never_negative(const gj_dims *dims, gj_dim d);
// b ≠ 0 and not (INT64_MIN, -1).
int64_t gj__floor_divide(int64_t a, int64_t b);

#endif
