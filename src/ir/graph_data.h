// What a gj_graph is made of, for graph.c and build.c; everybody else uses graph.h.
#ifndef GJ_IR_GRAPH_DATA_H
#define GJ_IR_GRAPH_DATA_H

#include "base/table.h"
#include "ir/graph.h"

// Nodes live in chunks of the arena, so a node pointer stays valid while the graph grows. Most
// graphs are small and copied a few times on their way to code, so chunks are small, too.
enum { GJ__CHUNK_BITS = 4, GJ__CHUNK_NODES = 1 << GJ__CHUNK_BITS };

struct gj_graph {
  gj_arena arena;
  gj_dims *dims;
  const char *name;
  gj_node **chunks;
  size_t chunk_capacity;
  size_t count; // nodes
  gj_ref *inputs;
  size_t input_count, input_capacity;
  gj_output *outputs;
  size_t output_count, output_capacity;
  gj_table input_names, output_names; // hash → index + 1
  gj_table shared;                    // structural hash → ref, of the first `shared_count` nodes
  size_t shared_count;
  bool share;
  gj_error error; // the first since gj_graph_take_error(); code GJ_OK when there is none
};

// GJ_OK when `name` can name a graph, an input or an output: 1 to GJ_MAX_NAME bytes of UTF-8
// without control characters. `what` begins the message.
gj_status gj__name_check(const char *what, const char *name, gj_error *err);

#endif
