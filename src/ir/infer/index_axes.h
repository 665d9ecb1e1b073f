// The roles of axes in gather and the scatters, as their attributes say them.
//
// Both move windows of an operand: gather out of it into a result, a scatter from updates into it.
// Index vectors lie along the last axis of the indices and say where a window starts. The axes of
// the result, or of the updates, are of two sorts: those in `offset_axes` are places in a window,
// the others number the windows, as the axes of the indices but the last do.
#ifndef GJ_IR_INFER_INDEX_AXES_H
#define GJ_IR_INFER_INDEX_AXES_H

#include "ir/graph.h"

typedef struct gj_index_axes {
  uint8_t batch_count;          // axes that number windows: rank of the indices less one
  uint8_t batch[GJ_MAX_RANK];   // axis of the result for axis k of the indices
  uint8_t window_count;         // axes of a window that are left in the result
  uint8_t offset[GJ_MAX_RANK];  // axis of the result for window axis k …
  uint8_t operand[GJ_MAX_RANK]; // … and of the operand
  // Per axis of the operand: where its start lies in an index vector, or the axis of the indices
  // that it goes along with; GJ_NO_AXIS without one.
  uint8_t start[GJ_MAX_RANK];
  uint8_t along[GJ_MAX_RANK];
} gj_index_axes;

enum { GJ_NO_AXIS = 255 };

// Of a gather or scatter that has passed its shape rule.
gj_index_axes gj_index_axes_of(const gj_graph *graph, const gj_node *node);

// The size of a window along axis `axis` of the operand.
gj_dim gj_window_size(const gj_graph *graph, const gj_node *node, const gj_index_axes *axes,
                      uint8_t axis);

#endif
