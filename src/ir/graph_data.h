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
  bool holds;   // storages, of some of them
  gj_ref *inputs;
  size_t input_count, input_capacity;
  gj_output *outputs;
  size_t output_count, output_capacity;
  gj_table input_names, output_names; // hash → index + 1
  gj_table shared;                    // structural hash → ref, of the first `shared_count` nodes
  size_t shared_count;
  bool share;
  gj_ref *binders; // of a root: by symbol, the compress whose count it is, or 0
  size_t binder_count, binder_capacity;
  gj_graph *root;       // itself, or the graph that it is a function of
  gj_graph **functions; // of a root: those added
  size_t function_count, function_capacity;
  gj_graph *functions_made; // of a root: all of them, linked by next_made
  gj_graph *next_made;
  int64_t number;        // of a function that was added, else -1
  uint32_t depth;        // of a function: levels of functions, itself included
  const uint8_t *needed; // of a function that was added: see gj_graph_mark_needed()
  gj_error error;        // the first since gj_graph_take_error(); code GJ_OK when there is none
};

// GJ_OK when `name` can name a graph, an input or an output: 1 to GJ_MAX_NAME bytes of UTF-8
// without control characters. `what` begins the message.
gj_status gj__name_check(const char *what, const char *name, gj_error *err);

// An empty graph that takes over `dims`; `what` is what messages call it.
gj_graph *gj__graph_new(const char *what, const char *name, gj_dims *dims);

// True for a function that was added, which stays as it is; an error is then kept in it.
bool gj__is_closed(gj_graph *graph);

// How many functions a node of this graph may refer to: those before it.
size_t gj__visible_functions(const gj_graph *graph);

// Equal but for where they are.
uint64_t gj__node_hash(const gj_node *node);
bool gj__node_equal(const gj_node *a, const gj_node *b);

#endif
