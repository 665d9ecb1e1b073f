// Graphs: lifecycle, reading, names and outputs. Appending nodes is in build.c.

#include "ir/graph_data.h"
#include "ir/infer/infer.h"
#include "ir/library_op.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

// What a graph owns but for its dims and functions.
static void graph_free(gj_graph *graph) {
  for (gj_ref ref = 1; graph->holds && ref <= graph->count; ref++)
    gj_storage_release(gj_graph_node(graph, ref)->storage);
  gj_arena_fini(&graph->arena);
  free(graph->functions);
  free(graph->chunks);
  free(graph->inputs);
  free(graph->outputs);
  free(graph->binders);
  gj_table_fini(&graph->input_names);
  gj_table_fini(&graph->output_names);
  gj_table_fini(&graph->shared);
  free(graph);
}

gj_graph *gj__graph_new(const char *what, const char *name, gj_dims *dims) {
  gj_graph *graph = dims ? calloc(1, sizeof *graph) : NULL;
  if (!graph)
    return NULL;
  graph->root = graph;
  graph->number = -1;
  graph->dims = dims;
  gj_arena_init(&graph->arena, 0);
  const char *own = name ? name : "main";
  // A bad name is reported like any other error of building: by the next check.
  if (gj__name_check(what, own, &graph->error) != GJ_OK)
    own = "main";
  graph->name = gj_arena_strdup(&graph->arena, own);
  if (!graph->name) {
    graph_free(graph);
    return NULL;
  }
  return graph;
}

static gj_graph *new_root(const char *name, gj_dims *dims) {
  gj_graph *graph = gj__graph_new("graph", name, dims);
  if (!graph)
    gj_dims_free(dims);
  return graph;
}

gj_graph *gj_graph_new(const char *name) { return new_root(name, gj_dims_new()); }

gj_graph *gj_graph_new_like(const gj_graph *from) {
  return new_root(from->name, gj_dims_clone(from->dims));
}

void gj_graph_free(gj_graph *graph) {
  if (!graph)
    return;
  for (gj_graph *made = graph->functions_made, *next; made; made = next) {
    next = made->next_made;
    graph_free(made);
  }
  gj_dims_free(graph->dims);
  graph_free(graph);
}

// --- reading ---

const char *gj_graph_name(const gj_graph *graph) { return graph->name; }

size_t gj_graph_node_count(const gj_graph *graph) { return graph->count; }

const gj_node *gj_graph_node(const gj_graph *graph, gj_ref ref) {
  size_t index = ref - (size_t)1;
  return &graph->chunks[index >> GJ__CHUNK_BITS][index & (GJ__CHUNK_NODES - 1)];
}

gj_dims *gj_graph_dims(const gj_graph *graph) { return graph->dims; }

size_t gj_graph_input_count(const gj_graph *graph) { return graph->input_count; }

gj_ref gj_graph_input(const gj_graph *graph, size_t index) { return graph->inputs[index]; }

size_t gj_graph_output_count(const gj_graph *graph) { return graph->output_count; }

const gj_output *gj_graph_output(const gj_graph *graph, size_t index) {
  return &graph->outputs[index];
}

static size_t results_own(const gj_node *node) {
  uint16_t flags = gj_op_get((gj_op)node->op)->flags;
  return flags & GJ_OP_EACH ? node->arg_count : flags & GJ_OP_TWO ? 2 : 1;
}

// Reductions of pairs give a pair.
static size_t results_pairs(const gj_node *node) {
  return gj_op_get((gj_op)node->op)->arity == 2 ? 2 : results_own(node);
}

// Each operand but the mask.
static size_t results_rest(const gj_node *node) { return node->arg_count - 1; }

static size_t results_library(const gj_node *node) { return gj__library_result_count(node); }

typedef size_t results_fn(const gj_node *node);

static results_fn *const results[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_RESULTS(rule) results_##rule,
#include "ops/kinds.def"
};

size_t gj_node_result_count(const gj_node *node) {
  if (node->result_count > 0)
    return node->result_count;
  return results[gj_op_kind_of((gj_op)node->op)](node);
}

gj_status gj_graph_result_type(const gj_graph *graph, gj_ref ref, size_t index, gj_type *out_type,
                               gj_error *err) {
  if (ref == 0 || ref > graph->count)
    return gj_fail(err, GJ_E_ARGUMENT, "result: %%%u is no value, the graph has %zu nodes", ref,
                   graph->count);
  const gj_node *node = gj_graph_node(graph, ref);
  size_t count = gj_node_result_count(node);
  if (index >= count)
    return gj_fail(err, GJ_E_ARGUMENT, "result: index %zu, but %%%u (%s) has %zu", index, ref,
                   gj_op_name((gj_op)node->op), count);
  *out_type = node->type;
  if (node->op == GJ_OP_compress) {
    *out_type = gj_graph_node(graph, node->args[index + 1])->type;
    out_type->shape[0] = node->type.shape[0];
  } else if (gj_op_kind_of((gj_op)node->op) == GJ_OP_KIND_LIBRARY)
    *out_type = gj_library_form_of(graph, node).results[index];
  else if (node->result_count > 0)
    *out_type = gj__control_result(graph, node, index);
  else if (index > 0 && node->arg_count > 1)
    out_type->dtype = gj_graph_node(graph, node->args[index])->type.dtype;
  return GJ_OK;
}

bool gj_graph_computes_sizes(const gj_graph *graph) { return graph->root->binder_count > 0; }

gj_ref gj_graph_binder(const gj_graph *graph, gj_dim d) {
  const gj_graph *root = graph->root;
  int symbol = gj_dim_as_symbol(graph->dims, d);
  return symbol >= 0 && (size_t)symbol < root->binder_count ? root->binders[symbol] : 0;
}

static void each_binder(const gj_graph *graph, gj_dim d, gj_binder_fn *visit, void *context) {
  if (!gj_dim_is_computed(graph->dims, d))
    return;
  gj_ref binder = gj_graph_binder(graph, d);
  if (binder)
    visit(context, binder);
  gj_dim_node node = gj_dim_get(graph->dims, d);
  for (uint32_t i = 0; i < node.operand_count; i++)
    each_binder(graph, node.operands[i], visit, context);
}

void gj_node_each_binder(const gj_graph *graph, const gj_node *node, gj_binder_fn *visit,
                         void *context) {
  if (!node->symbolic || !gj_graph_computes_sizes(graph))
    return;
  for (size_t axis = 0; axis < node->type.rank; axis++)
    each_binder(graph, node->type.shape[axis], visit, context);
  for (int a = 0; a < GJ_ATTR_COUNT; a++) {
    const gj_attr_list *list = &node->attrs->list[a];
    if ((node->attrs->set & 1u << a) && gj_attr_get((gj_attr)a)->form == GJ_FORM_DIMS)
      for (size_t i = 0; i < list->count; i++)
        each_binder(graph, list->values[i], visit, context);
  }
}

static void keep_last(void *context, gj_ref binder) {
  gj_ref *last = context;
  *last = binder > *last ? binder : *last;
}

gj_ref gj_node_binder(const gj_graph *graph, const gj_node *node) {
  gj_ref last = 0;
  gj_node_each_binder(graph, node, keep_last, &last);
  return last;
}

gj_dim gj_type_size(gj_dims *dims, const gj_type *type) {
  gj_dim size = 1;
  for (size_t axis = 0; axis < type->rank; axis++)
    size = gj_dim_mul(dims, size, type->shape[axis]);
  return size;
}

// --- names ---

// Length of the well-formed UTF-8 character at `text`, 0 when there is none. RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF.
static size_t character_length(const unsigned char *text) {
  unsigned char lead = text[0];
  if (lead < 0x80)
    return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  if ((lead == 0xE0 && text[1] < 0xA0) || (lead == 0xED && text[1] > 0x9F) ||
      (lead == 0xF0 && text[1] < 0x90) || (lead == 0xF4 && text[1] > 0x8F))
    return 0;
  return length;
}

gj_status gj__name_check(const char *what, const char *name, gj_error *err) {
  if (!name || name[0] == '\0')
    return gj_fail(err, GJ_E_ARGUMENT, "%s: the name is empty", what);
  size_t size = strlen(name);
  if (size > GJ_MAX_NAME)
    return gj_fail(err, GJ_E_ARGUMENT, "%s: the name has %zu bytes, at most %d are allowed", what,
                   size, GJ_MAX_NAME);
  const unsigned char *at = (const unsigned char *)name;
  while (*at) {
    size_t length = character_length(at);
    if (length == 0)
      return gj_fail(err, GJ_E_ARGUMENT, "%s: the name is not UTF-8 at byte %zu", what,
                     (size_t)(at - (const unsigned char *)name));
    // C0, DEL and C1, the last in UTF-8 as C2 80 … C2 9F.
    if (*at < 0x20 || *at == 0x7F || (*at == 0xC2 && at[1] < 0xA0))
      return gj_fail(err, GJ_E_ARGUMENT, "%s: the name has a control character at byte %zu", what,
                     (size_t)(at - (const unsigned char *)name));
    at += length;
  }
  return GJ_OK;
}

bool gj_graph_set_output(gj_graph *graph, const char *name, gj_ref ref) {
  gj_error *err = &graph->error;
  if (err->code != GJ_OK || gj__is_closed(graph) || gj__name_check("output", name, err) != GJ_OK)
    return false;
  if (ref == 0 || ref > graph->count) {
    gj_fail(err, GJ_E_ARGUMENT, "output \"%s\": %%%u is no value, the graph has %zu nodes", name,
            ref, graph->count);
    return false;
  }
  uint64_t hash = gj_hash_bytes(0, name, strlen(name));
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(&graph->output_names, hash, &cursor)) != 0;)
    if (strcmp(graph->outputs[i - 1].name, name) == 0) {
      gj_fail(err, GJ_E_ARGUMENT, "output \"%s\": the name is taken by another output", name);
      return false;
    }
  gj_output *outputs = gj_array_grow(graph->outputs, &graph->output_capacity,
                                     graph->output_count + 1, sizeof *outputs);
  if (outputs)
    graph->outputs = outputs;
  const char *copy = outputs ? gj_arena_strdup(&graph->arena, name) : NULL;
  if (!copy || !gj_table_add(&graph->output_names, hash, (uint32_t)graph->output_count + 1)) {
    gj_fail(err, GJ_E_MEMORY, "output \"%s\": out of memory", name);
    return false;
  }
  outputs[graph->output_count++] = (gj_output){copy, ref};
  return true;
}

gj_status gj_graph_take_error(gj_graph *graph, gj_error *err) {
  gj_status code = graph->error.code;
  if (code != GJ_OK && err)
    *err = graph->error;
  graph->error = (gj_error){.code = GJ_OK};
  return code;
}
