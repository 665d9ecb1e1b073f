// Functions of a graph: made, added, compared, found.
//
// A function is a gj_graph that borrows the dims table of its root, so whatever reads graphs reads
// functions too. The root owns all that were made for it, added or not, and frees them with itself:
// a front end that fails half-way leaves nothing to be cleaned up.
#include "ir/graph_data.h"
#include "ir/infer/infer.h"

#include "base/array.h"
#include "base/hash.h"

#include <string.h>

gj_graph *gj_graph_function_new(gj_graph *graph, const char *name) {
  gj_graph *root = graph->root;
  gj_graph *function = gj__graph_new("function", name, root->dims);
  if (!function) {
    if (graph->error.code == GJ_OK)
      gj_fail(&graph->error, GJ_E_MEMORY, "function: out of memory");
    return NULL;
  }
  function->root = root;
  function->next_made = root->functions_made;
  root->functions_made = function;
  return function;
}

bool gj__is_closed(gj_graph *graph) {
  if (graph->number >= 0 && graph->error.code == GJ_OK)
    gj_fail(&graph->error, GJ_E_STATE, "function @%lld: it is complete, nothing can be added to it",
            (long long)graph->number);
  return graph->number >= 0;
}

size_t gj__visible_functions(const gj_graph *graph) {
  return graph->number >= 0 ? (size_t)graph->number : graph->root->function_count;
}

// --- adding ---

static uint32_t depth_of(const gj_graph *function) {
  uint32_t depth = 0;
  for (gj_ref ref = 1; ref <= function->count; ref++) {
    const gj_attr_list *list = &gj_graph_node(function, ref)->attrs->list[GJ_ATTR_functions];
    for (size_t i = 0; i < list->count; i++) {
      const gj_graph *called = gj_graph_function(function, (size_t)list->values[i]);
      if (called->depth > depth)
        depth = called->depth;
    }
  }
  return depth + 1;
}

static gj_status check_function(const gj_graph *function, gj_error *err) {
  if (function->error.code != GJ_OK) {
    *err = function->error;
    return err->code;
  }
  if (function->root == function || function->number >= 0)
    return gj_fail(err, GJ_E_ARGUMENT, "function \"%s\": %s", function->name,
                   function->number >= 0 ? "it was added before" : "it is a graph of its own");
  if (function->output_count == 0)
    return gj_fail(err, GJ_E_ARGUMENT, "function \"%s\" has no output", function->name);
  if (function->root->function_count >= GJ_MAX_FUNCTIONS)
    return gj_fail(err, GJ_E_OVERFLOW, "function \"%s\": the graph has %d functions, the most",
                   function->name, GJ_MAX_FUNCTIONS);
  if (depth_of(function) > GJ_MAX_FUNCTION_DEPTH)
    return gj_fail(err, GJ_E_OVERFLOW, "function \"%s\": functions are nested more than %d deep",
                   function->name, GJ_MAX_FUNCTION_DEPTH);
  return GJ_OK;
}

int64_t gj_graph_function_add(gj_graph *function) {
  gj_graph *root = function->root;
  gj_error *err = &root->error;
  if (err->code != GJ_OK || check_function(function, err) != GJ_OK)
    return -1;
  gj_graph **functions = gj_array_grow(root->functions, &root->function_capacity,
                                       root->function_count + 1, sizeof *functions);
  if (functions)
    root->functions = functions;
  uint8_t *needed = gj_arena_alloc(&function->arena, function->count + 1);
  if (!functions || !needed) {
    gj_fail(err, GJ_E_MEMORY, "function \"%s\": out of memory", function->name);
    return -1;
  }
  gj_graph_mark_needed(function, needed);
  function->needed = needed;
  function->depth = depth_of(function);
  function->number = (int64_t)root->function_count;
  functions[root->function_count++] = function;
  return function->number;
}

// --- reading ---

size_t gj_graph_function_count(const gj_graph *graph) { return graph->root->function_count; }

const gj_graph *gj_graph_function(const gj_graph *graph, size_t number) {
  return graph->root->functions[number];
}

int64_t gj_graph_function_number(const gj_graph *graph) { return graph->number; }

bool gj_graph_is_function(const gj_graph *graph) { return graph->root != graph; }

gj_graph *gj_graph_root(const gj_graph *graph) { return graph->root; }

const gj_type *gj_graph_output_type(const gj_graph *graph, size_t index) {
  return &gj_graph_node(graph, graph->outputs[index].ref)->type;
}

// Params stand in the same order when their nodes do; names have no say.
bool gj_graph_function_equal(const gj_graph *a, const gj_graph *b) {
  if (a->count != b->count || a->output_count != b->output_count)
    return false;
  for (size_t i = 0; i < a->output_count; i++)
    if (a->outputs[i].ref != b->outputs[i].ref)
      return false;
  for (gj_ref ref = 1; ref <= a->count; ref++)
    if (!gj__node_equal(gj_graph_node(a, ref), gj_graph_node(b, ref)))
      return false;
  return true;
}

uint64_t gj_graph_function_hash(const gj_graph *function) {
  uint64_t hash = gj_hash_u64(function->count, function->output_count);
  for (size_t i = 0; i < function->output_count; i++)
    hash = gj_hash_u64(hash, function->outputs[i].ref);
  for (gj_ref ref = 1; ref <= function->count; ref++)
    hash = gj_hash_u64(hash, gj__node_hash(gj_graph_node(function, ref)));
  return hash;
}

static void mark_node(const gj_node *node, uint8_t *called) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  for (size_t i = 0; i < list->count; i++)
    called[list->values[i]] = 1;
}

void gj_graph_mark_called(const gj_graph *graph, const uint8_t *needed, uint8_t *out_called) {
  size_t count = gj_graph_function_count(graph);
  memset(out_called, 0, count + 1);
  for (gj_ref ref = 1; ref <= graph->count; ref++)
    if (needed[ref])
      mark_node(gj_graph_node(graph, ref), out_called);
  for (size_t number = count; number-- > 0;) { // callers stand behind what they call
    const gj_graph *function = gj_graph_function(graph, number);
    for (gj_ref ref = 1; out_called[number] && ref <= function->count; ref++)
      if (function->needed[ref])
        mark_node(gj_graph_node(function, ref), out_called);
  }
}
