// Appending nodes: checking, typing, copying, promotion, and sharing of equal nodes.
//
// Errors are sticky (graph.h). A node is assembled on the stack with borrowed pointers, looked up
// when sharing is on, and copied into the arena only when it is new, so a CSE hit costs no memory.

#include "ir/graph_data.h"
#include "ir/infer/infer.h"
#include "loops/apply.h"
#include "ops/custom.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/size.h"

#include <string.h>

enum { DATA_ALIGNMENT = 64, SMALL_ARGS = 8 };

static const gj_attrs no_attrs = {0};

static gj_ref fail_memory(gj_graph *graph, const char *op) {
  gj_fail(&graph->error, GJ_E_MEMORY, "%s: out of memory at node %zu", op, graph->count + 1);
  return 0;
}

// --- sharing ---

static uint64_t attrs_hash(uint64_t hash, const gj_attrs *attrs) {
  hash = gj_hash_u64(hash, attrs->set);
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if (attrs->set & 1u << a)
      hash = gj_hash_bytes(hash, attrs->list[a].values, attrs->list[a].count * sizeof(int64_t));
  return hash;
}

static uint64_t data_hash(uint64_t hash, const gj_node *node) {
  return node->storage ? gj_hash_bytes(hash, gj_storage_digest(node->storage), GJ_DIGEST_BYTES)
                       : gj_hash_bytes(hash, node->data, node->data_size);
}

uint64_t gj__node_hash(const gj_node *node) {
  uint64_t hash = gj_hash_u64(node->op, node->type.dtype);
  hash = gj_hash_bytes(hash, node->type.shape, node->type.rank * sizeof(gj_dim));
  hash = gj_hash_bytes(hash, node->args, node->arg_count * sizeof(gj_ref));
  return data_hash(attrs_hash(hash, node->attrs), node);
}

static bool same_bytes(const void *a, const void *b, size_t size) {
  return size == 0 || memcmp(a, b, size) == 0;
}

static bool attrs_equal(const gj_attrs *a, const gj_attrs *b) {
  if (a->set != b->set)
    return false;
  for (int i = 0; i < GJ_ATTR_COUNT; i++)
    if ((a->set & 1u << i) &&
        (a->list[i].count != b->list[i].count ||
         !same_bytes(a->list[i].values, b->list[i].values, a->list[i].count * sizeof(int64_t))))
      return false;
  return true;
}

// Of data of the same size, so both lie in a storage or none does.
static bool same_data(const gj_node *a, const gj_node *b) {
  if (!a->storage)
    return same_bytes(a->data, b->data, a->data_size);
  return a->storage == b->storage ||
         same_bytes(gj_storage_digest(a->storage), gj_storage_digest(b->storage), GJ_DIGEST_BYTES);
}

bool gj__node_equal(const gj_node *a, const gj_node *b) {
  return a->op == b->op && a->type.dtype == b->type.dtype && a->type.rank == b->type.rank &&
         a->arg_count == b->arg_count && a->data_size == b->data_size &&
         same_bytes(a->type.shape, b->type.shape, a->type.rank * sizeof(gj_dim)) &&
         same_bytes(a->args, b->args, a->arg_count * sizeof(gj_ref)) &&
         attrs_equal(a->attrs, b->attrs) && same_data(a, b) &&
         (!a->name || !b->name ? a->name == b->name : strcmp(a->name, b->name) == 0);
}

// Inputs are themselves: two of one type are still two.
static bool is_shareable(const gj_node *node) { return node->op != GJ_OP_param; }

static gj_ref find_shared(const gj_graph *graph, const gj_node *node, uint64_t hash) {
  size_t cursor = 0;
  for (uint32_t ref; (ref = gj_table_next(&graph->shared, hash, &cursor)) != 0;)
    if (gj__node_equal(gj_graph_node(graph, ref), node))
      return ref;
  return 0;
}

// Brings the table up to date with nodes that were appended while sharing was off.
static bool index_nodes(gj_graph *graph) {
  for (; graph->shared_count < graph->count; graph->shared_count++) {
    gj_ref ref = (gj_ref)graph->shared_count + 1;
    const gj_node *node = gj_graph_node(graph, ref);
    if (is_shareable(node) && !gj_table_add(&graph->shared, gj__node_hash(node), ref))
      return false;
  }
  return true;
}

bool gj_graph_share_nodes(gj_graph *graph, bool share) {
  bool before = graph->share;
  graph->share = share;
  return before;
}

void gj_graph_refuse(gj_graph *graph, const gj_error *error) {
  if (graph->error.code == GJ_OK)
    graph->error = *error;
}

// --- copying ---

static const gj_attrs *copy_attrs(gj_arena *arena, const gj_attrs *attrs) {
  if (attrs->set == 0)
    return &no_attrs;
  gj_attrs *copy = gj_arena_alloc(arena, sizeof *copy);
  if (!copy)
    return NULL;
  copy->set = attrs->set;
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if (attrs->set & 1u << a) {
      const gj_attr_list *list = &attrs->list[a];
      copy->list[a].count = list->count;
      copy->list[a].values = gj_arena_copy(arena, list->values, list->count * sizeof(int64_t));
      if (!copy->list[a].values)
        return NULL;
    }
  return copy;
}

static const void *copy_data(gj_arena *arena, const void *data, size_t size) {
  size_t room;
  if (!gj_add_size(size, DATA_ALIGNMENT, &room))
    return NULL;
  char *block = gj_arena_alloc(arena, room);
  if (!block)
    return NULL;
  block += (DATA_ALIGNMENT - (uintptr_t)block % DATA_ALIGNMENT) % DATA_ALIGNMENT;
  if (size > 0)
    memcpy(block, data, size);
  return block;
}

static bool is_symbolic(const gj_node *node) {
  for (size_t axis = 0; axis < node->type.rank; axis++)
    if (!gj_dim_is_const(node->type.shape[axis]))
      return true;
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if ((node->attrs->set & 1u << a) && gj_attr_get((gj_attr)a)->form == GJ_FORM_DIMS)
      for (size_t i = 0; i < node->attrs->list[a].count; i++)
        if (!gj_dim_is_const(node->attrs->list[a].values[i]))
          return true;
  return false;
}

// Notes that a compress gives its symbol a value.
static bool bind_symbol(gj_graph *graph, const gj_node *node) {
  size_t symbol = (size_t)gj_dim_as_symbol(graph->dims, node->type.shape[0]);
  gj_ref *binders =
      gj_array_grow(graph->binders, &graph->binder_capacity, symbol + 1, sizeof *binders);
  if (!binders)
    return false;
  graph->binders = binders;
  while (graph->binder_count <= symbol)
    binders[graph->binder_count++] = 0;
  binders[symbol] = (gj_ref)graph->count + 1;
  return true;
}

// Whether the symbol that a compress is to give a value has one.
static bool is_bound(gj_graph *graph, const gj_node *node) {
  gj_ref other = gj_graph_binder(graph, node->type.shape[0]);
  if (other)
    gj_fail(&graph->error, GJ_E_SHAPE, "compress: %s is the size that %%%u computes; use another",
            gj__dim_text(graph->dims, node->type.shape[0]).s, other);
  return other != 0;
}

// A new node that owns copies of everything `node` borrows; 0 when out of memory.
static gj_ref store(gj_graph *graph, const gj_node *node) {
  size_t chunk = graph->count >> GJ__CHUNK_BITS, slot = graph->count & (GJ__CHUNK_NODES - 1);
  if (slot == 0) {
    gj_node **chunks =
        gj_array_grow(graph->chunks, &graph->chunk_capacity, chunk + 1, sizeof *chunks);
    if (!chunks)
      return 0;
    graph->chunks = chunks;
    chunks[chunk] = gj_arena_array(&graph->arena, GJ__CHUNK_NODES, sizeof **chunks);
    if (!chunks[chunk])
      return 0;
  }
  gj_node own = *node;
  own.attrs = copy_attrs(&graph->arena, node->attrs);
  own.args = gj_arena_copy(&graph->arena, node->args, node->arg_count * sizeof(gj_ref));
  own.name = node->name ? gj_arena_strdup(&graph->arena, node->name) : NULL;
  if (node->data && !node->storage)
    own.data = copy_data(&graph->arena, node->data, node->data_size);
  if (!own.attrs || !own.args || (node->name && !own.name) || (node->data && !own.data))
    return 0;
  own.symbolic = is_symbolic(node);
  if (node->op == GJ_OP_compress && !bind_symbol(graph, node))
    return 0;
  graph->holds |= gj_storage_retain(own.storage) != NULL;
  graph->chunks[chunk][slot] = own;
  return (gj_ref)++graph->count;
}

// Appends a checked node, or finds its equal.
static gj_ref add(gj_graph *graph, const gj_node *node) {
  const char *op = gj_op_name((gj_op)node->op);
  uint64_t hash = 0;
  bool share = graph->share && is_shareable(node);
  if (share) {
    if (!index_nodes(graph))
      return fail_memory(graph, op);
    hash = gj__node_hash(node);
    gj_ref equal = find_shared(graph, node, hash);
    if (equal)
      return equal;
  }
  if (graph->count >= GJ_MAX_NODES) {
    gj_fail(&graph->error, GJ_E_OVERFLOW, "%s: the graph has %zu nodes, the most there may be", op,
            graph->count);
    return 0;
  }
  if (node->op == GJ_OP_compress && is_bound(graph, node))
    return 0;
  gj_ref ref = store(graph, node);
  if (!ref)
    return fail_memory(graph, op);
  if (share) {
    // The node is in the graph either way; a missing table entry would only lose sharing.
    if (gj_table_add(&graph->shared, hash, ref))
      graph->shared_count = ref;
  }
  return ref;
}

// --- appending ---

gj_status gj__target_check(const gj_graph *graph, gj_op op, const char *name, const gj_ref *args,
                           size_t arg_count, const gj_attrs *attrs, gj_error *err) {
  gj_dtype dtypes[GJ_MAX_APPLIED];
  if (op == GJ_OP_custom_call)
    return gj_custom_name_check(name, err);
  if (op != GJ_OP_apply)
    return GJ_OK;
  for (size_t i = 0; i < arg_count && i < GJ_MAX_APPLIED; i++)
    dtypes[i] = gj_graph_node(graph, args[i])->type.dtype;
  return gj_apply_check(name, dtypes, arg_count, (gj_dtype)attrs->list[GJ_ATTR_dtype].values[0],
                        err);
}

static gj_ref append_named(gj_graph *graph, gj_op op, const char *name, const gj_ref *args,
                           size_t arg_count, const gj_attrs *attrs) {
  if (graph->error.code != GJ_OK || gj__is_closed(graph))
    return 0;
  gj_node node = {
      .op = (uint16_t)op, .args = args, .attrs = attrs ? attrs : &no_attrs, .name = name};
  if (gj__infer_type(graph, op, args, arg_count, node.attrs, &node.type, &graph->error) != GJ_OK)
    return 0;
  if (gj__target_check(graph, op, name, args, arg_count, node.attrs, &graph->error) != GJ_OK)
    return 0;
  node.arg_count = (uint32_t)arg_count;
  if (gj_op_has(op, GJ_TRAIT_CALLS))
    node.result_count = gj__control_result_count(graph, op, attrs);
  return add(graph, &node);
}

gj_ref gj_graph_append(gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                       const gj_attrs *attrs) {
  return append_named(graph, op, NULL, args, arg_count, attrs);
}

gj_ref gj_graph_append_like(gj_graph *graph, const gj_node *node, const gj_ref *args) {
  return append_named(graph, (gj_op)node->op, node->name, args, node->arg_count, node->attrs);
}

bool gj_graph_widen(gj_graph *graph, gj_ref ref, const int64_t *functions) {
  gj_node *node = &graph->chunks[(ref - 1) >> GJ__CHUNK_BITS][(ref - 1) & (GJ__CHUNK_NODES - 1)];
  gj_op op = (gj_op)node->op;
  gj_attrs attrs = *node->attrs;
  gj_type type;
  gj_attrs_set(&attrs, GJ_ATTR_functions, functions, attrs.list[GJ_ATTR_functions].count);
  if (graph->error.code != GJ_OK || gj__is_closed(graph) ||
      gj__infer_type(graph, op, node->args, node->arg_count, &attrs, &type, &graph->error) != GJ_OK)
    return false;
  const gj_attrs *own = copy_attrs(&graph->arena, &attrs);
  if (!own)
    return fail_memory(graph, gj_op_name(op));
  node->attrs = own; // the table of equal nodes compares nodes, so it misses this one and no more
  node->result_count = gj__control_result_count(graph, op, own);
  return true;
}

gj_ref gj_graph_custom_call(gj_graph *graph, const char *name, const gj_ref *args, size_t arg_count,
                            const gj_attrs *attrs) {
  return append_named(graph, GJ_OP_custom_call, name, args, arg_count, attrs);
}

gj_ref gj_graph_apply(gj_graph *graph, const char *text, const gj_ref *args, size_t arg_count,
                      const gj_attrs *attrs) {
  return append_named(graph, GJ_OP_apply, text, args, arg_count, attrs);
}

gj_ref gj_graph_param(gj_graph *graph, const char *name, const gj_type *type) {
  gj_error *err = &graph->error;
  if (err->code != GJ_OK || gj__is_closed(graph) || gj__name_check("input", name, err) != GJ_OK ||
      gj__type_check(graph->dims, "input", type, err) != GJ_OK)
    return 0;
  uint64_t hash = gj_hash_bytes(0, name, strlen(name));
  size_t cursor = 0;
  for (uint32_t i; (i = gj_table_next(&graph->input_names, hash, &cursor)) != 0;)
    if (strcmp(gj_graph_node(graph, graph->inputs[i - 1])->name, name) == 0) {
      gj_fail(err, GJ_E_ARGUMENT, "input \"%s\": the name is taken by %%%u", name,
              graph->inputs[i - 1]);
      return 0;
    }
  gj_ref *inputs =
      gj_array_grow(graph->inputs, &graph->input_capacity, graph->input_count + 1, sizeof *inputs);
  if (!inputs)
    return fail_memory(graph, "input");
  graph->inputs = inputs;
  gj_node node = {.op = GJ_OP_param, .attrs = &no_attrs, .type = *type, .name = name};
  gj_ref ref = add(graph, &node);
  if (!ref)
    return 0;
  inputs[graph->input_count++] = ref;
  if (!gj_table_add(&graph->input_names, hash, (uint32_t)graph->input_count))
    return fail_memory(graph, "input");
  return ref;
}

// A bool has two representations; anything else would mean different things to different readers.
static gj_status check_bools(const unsigned char *data, size_t size, gj_error *err) {
  for (size_t i = 0; i < size; i++)
    if (data[i] > 1)
      return gj_fail(err, GJ_E_ARGUMENT, "const: element %zu of bool is %d, but it must be 0 or 1",
                     i, data[i]);
  return GJ_OK;
}

// Accepts all elements or a single one; `*out_size` is what to keep of the data.
static gj_status check_data(gj_graph *graph, const gj_type *type, const void *data, size_t size,
                            size_t *out_size) {
  size_t one = gj_dtype_bytes(type->dtype);
  gj_dim count = gj_type_size(graph->dims, type);
  gj_error *err = &graph->error;
  if (size > 0 && !data)
    return gj_fail(err, GJ_E_ARGUMENT, "const: no data for %zu bytes", size);
  // An empty constant has no element to keep, not even one to repeat.
  if (count == 0 && (size == 0 || size == one))
    *out_size = 0;
  else if (size == one)
    *out_size = one;
  else if (!gj_dim_is_const(count))
    return gj_fail(err, GJ_E_SHAPE,
                   "const: shape %s is symbolic, so it takes one element (%zu bytes), got %zu",
                   gj__shape_text(graph->dims, type).s, one, size);
  else if ((uint64_t)count * one != size)
    return gj_fail(err, GJ_E_SHAPE, "const: %s has %lld elements of %zu bytes, got %zu bytes",
                   gj__shape_text(graph->dims, type).s, (long long)count, one, size);
  else
    *out_size = size;
  if (type->dtype == GJ_DTYPE_bool)
    return check_bools(data, *out_size, err);
  return GJ_OK;
}

static bool can_append_const(gj_graph *graph, const gj_type *type) {
  return graph->error.code == GJ_OK && !gj__is_closed(graph) &&
         gj__type_check(graph->dims, "const", type, &graph->error) == GJ_OK;
}

static gj_ref add_const(gj_graph *graph, const gj_type *type, const void *data, size_t data_size,
                        gj_storage *storage) {
  gj_node node = {.op = GJ_OP_const,
                  .attrs = &no_attrs,
                  .type = *type,
                  .data = data,
                  .data_size = data_size,
                  .storage = storage};
  return add(graph, &node);
}

// Checked data, large enough for a storage, which is given up here.
static gj_ref add_stored(gj_graph *graph, const gj_type *type, gj_storage *storage) {
  if (!storage)
    return fail_memory(graph, "const");
  gj_ref ref = add_const(graph, type, gj_storage_bytes(storage), gj_storage_size(storage), storage);
  gj_storage_release(storage);
  return ref;
}

gj_ref gj_graph_const(gj_graph *graph, const gj_type *type, const void *data, size_t data_size) {
  size_t kept = 0;
  if (!can_append_const(graph, type) || check_data(graph, type, data, data_size, &kept) != GJ_OK)
    return 0;
  return kept < GJ_SHARED_LEAST ? add_const(graph, type, data ? data : "", kept, NULL)
                                : add_stored(graph, type, gj_storage_copy(data, kept));
}

gj_ref gj_graph_const_shared(gj_graph *graph, const gj_type *type, gj_storage *storage) {
  const void *data = gj_storage_bytes(storage);
  size_t size = gj_storage_size(storage), kept = 0;
  bool aligned = type->dtype > GJ_DTYPE_none && type->dtype < GJ_DTYPE_COUNT &&
                 (uintptr_t)data % gj_dtype_bytes(type->dtype) == 0;
  if (size < GJ_SHARED_LEAST || !aligned)
    return gj_graph_const(graph, type, data, size);
  if (!can_append_const(graph, type) || check_data(graph, type, data, size, &kept) != GJ_OK)
    return 0;
  return add_stored(graph, type, gj_storage_retain(storage));
}

gj_ref gj_graph_const_like(gj_graph *graph, const gj_node *node) {
  return can_append_const(graph, &node->type)
             ? add_const(graph, &node->type, node->data, node->data_size, node->storage)
             : 0;
}

// --- promotion ---

// The common dtype of the operands from `first` on, or GJ_DTYPE_none with an error.
static gj_dtype common_dtype(gj_graph *graph, gj_op op, const gj_ref *args, size_t first,
                             size_t count) {
  gj_dtype common = gj_graph_node(graph, args[first])->type.dtype;
  for (size_t i = first + 1; i < count; i++) {
    gj_dtype own = gj_graph_node(graph, args[i])->type.dtype;
    gj_dtype promoted = gj_dtype_promote(common, own);
    if (promoted == GJ_DTYPE_none) {
      gj_fail(&graph->error, GJ_E_DTYPE,
              "%s: %s (%%%u) and %s (%%%u) have no common dtype; convert one", gj_op_name(op),
              gj_dtype_name(common), args[first], gj_dtype_name(own), args[i]);
      return GJ_DTYPE_none;
    }
    common = promoted;
  }
  return common;
}

// `args` converted into `out`; false after a failure.
static bool promote(gj_graph *graph, gj_op op, const gj_ref *args, size_t count, gj_ref *out) {
  size_t first = gj__op_first_tied(op, count);
  memcpy(out, args, count * sizeof *args);
  if (first >= count)
    return true;
  gj_dtype common = common_dtype(graph, op, args, first, count);
  if (common == GJ_DTYPE_none)
    return false;
  int64_t value = common;
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &value, 1);
  for (size_t i = first; i < count; i++)
    if (gj_graph_node(graph, args[i])->type.dtype != common) {
      out[i] = gj_graph_append(graph, GJ_OP_convert, &args[i], 1, &attrs);
      if (!out[i])
        return false;
    }
  return true;
}

gj_ref gj_graph_op(gj_graph *graph, gj_op op, const gj_ref *args, size_t arg_count,
                   const gj_attrs *attrs) {
  if (graph->error.code != GJ_OK)
    return 0;
  // Whatever is wrong with the operands themselves is reported by the append.
  bool sound = (int)op > GJ_OP_none && op < GJ_OP_COUNT && arg_count <= GJ_MAX_NODES;
  for (size_t i = 0; sound && i < arg_count; i++)
    sound = args[i] != 0 && args[i] <= graph->count;
  if (!sound)
    return gj_graph_append(graph, op, args, arg_count, attrs);
  gj_ref few[SMALL_ARGS];
  gj_ref *promoted = few;
  if (arg_count > SMALL_ARGS)
    promoted = gj_arena_array(&graph->arena, arg_count, sizeof *promoted);
  if (!promoted)
    return fail_memory(graph, gj_op_name(op));
  if (arg_count > 0 && !promote(graph, op, args, arg_count, promoted))
    return 0;
  return gj_graph_append(graph, op, promoted, arg_count, attrs);
}
