// What a thread does with each block of rows: kernels over blocks, in an order in which few blocks
// are live, and sinks, which take the values that are wanted.
//
// A thread has a frame: first cells of 8 bytes, from number 1 on one for each value that is the
// same in all rows, then blocks, each for the rows of one value at a time. The blocks of the
// columns that are read come first and stay. Places are offsets into the frame in units of 8 bytes.
// A value's block is free for others as soon as its last user has run, and the one that became free
// last is taken first, so most of what is read has just been written and lies in the nearest cache.
#ifndef GJ_POPULATION_PLAN_H
#define GJ_POPULATION_PLAN_H

#include "base/status.h"
#include "interp/blocks.h"
#include "population/nodes.h"

enum {
  GJ__PLAN_FUNCTION = 1 << 14, // and above, by the number of the function
  GJ__PLAN_SINK = UINT16_MAX,
  GJ__PLAN_FILL = UINT16_MAX - 1,
  GJ__BLOCK_BYTES = 2048, // of one value at most: a dozen lie in a first-level cache
  GJ__BLOCK_ROWS = 512    // at most
};

// d = kernel(a, b, c), or a function of as many as it takes; a sink: number a; a fill: d = the
// value at a in every row, of b bytes.
typedef struct gj__step {
  uint16_t kernel; // among the plan's kernels, or GJ__PLAN_*
  uint32_t d, a, b, c;
} gj__step;

// The values that sinks take: those of sink i are nodes[starts[i]] … nodes[starts[i + 1]].
typedef struct gj__sinks {
  size_t count;
  const uint32_t *starts; // [count + 1]
  const uint32_t *nodes;
} gj__sinks;

typedef struct gj__plan {
  gj__step *steps;
  size_t step_count, step_capacity;
  gj__step *once; // kernels on one element, for what is the same in all rows
  size_t once_count, once_capacity;
  gj_block **kernels;
  size_t kernel_count;
  uint32_t *places;  // of a node; 0 while it has none
  uint32_t *inputs;  // places of the nodes of the sinks, alike
  uint32_t *columns; // those that are read: they have the first blocks
  size_t column_count;
  size_t cells;        // 8-byte units before the first block
  size_t block_stride; // of a block in such units
  size_t block_rows;
  size_t block_count;
  gj_dtype dtype;
} gj__plan;

// `set` has the kernels of this machine. Values are `dtype`, f64 or f32.
gj_status gj__plan_make(gj__plan *plan, const gj__nodes *nodes, const gj__sinks *sinks,
                        const gj_block_set *set, gj_dtype dtype, gj_error *err);
void gj__plan_fini(gj__plan *plan);

static inline size_t gj__plan_frame_bytes(const gj__plan *plan) {
  return 8 * (plan->cells + plan->block_count * plan->block_stride);
}

#endif
