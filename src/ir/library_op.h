// Ops that are library functions of matrices and signals (library/numeric.def): the shapes they
// take and give, and how they are called. Shape rule, reference, plan and lowering all ask this.
//
// What one call works on lies along the last axes of every operand and result; the axes in front
// are a batch, the same for all of them.
#ifndef GJ_IR_LIBRARY_OP_H
#define GJ_IR_LIBRARY_OP_H

#include "ir/graph.h"

enum {
  GJ_LIBRARY_OPERANDS = 4,
  GJ_LIBRARY_RESULTS = 3,
  GJ_LIBRARY_SIZES = 2,
  GJ_LIBRARY_ARGS = 12 // the most that a call takes
};

typedef struct gj_library_form {
  const char *function; // of the library, less its dtype: "svd" of gjl_svd_f64
  uint8_t result_count;
  uint8_t operand_axes[GJ_LIBRARY_OPERANDS]; // the last ones, that make an item
  uint8_t result_axes[GJ_LIBRARY_RESULTS];
  gj_type results[GJ_LIBRARY_RESULTS];
  gj_type batch; // the axes in front
  // A call is handed the addresses of an item of some operands and of each result, sizes, how many
  // items there are where it takes several at once, a number of options where it has any, and the
  // address of `work` elements to work in.
  uint8_t passed[GJ_LIBRARY_OPERANDS], passed_count;
  gj_dim sizes[GJ_LIBRARY_SIZES];
  uint8_t size_count;
  bool takes_options;
  int64_t at_once; // the most items a call takes
  int64_t options;
  gj_dim steps; // in how many steps an element of the first operand takes part
  gj_dim work;
} gj_library_form;

// Of a node that was inferred.
gj_library_form gj_library_form_of(const gj_graph *graph, const gj_node *node);

// How many results such a node has.
size_t gj__library_result_count(const gj_node *node);

#endif
