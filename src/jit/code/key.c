// Hashing a graph, or the text of a module, as it is written.
//
// The hash is cryptographic: a graph from a stranger cannot be made to have the key of another.
// Each list is preceded by its length and each expression by its kind, so different graphs are
// different byte strings. Sizes are hashed by structure, with symbols by number behind the list of
// their names: numbers of dims depend on what else a table was asked for, numbers of symbols are
// part of the interface of the code.
#include "jit/code/key.h"

#include "cache/build_id.h"
#include "jit/code/compiled.h"
#include "jit/code/host_math.h"

#include <llvm-c/Core.h>

static void add_dim(gj_digester *d, const gj_dims *dims, gj_dim dim) {
  if (gj_dim_is_const(dim)) {
    gj_digester_add_u64(d, GJ_DIM_CONST);
    gj_digester_add_u64(d, (uint64_t)dim);
    return;
  }
  gj_dim_node node = gj_dim_get(dims, dim);
  uint64_t head[4] = {node.kind, (uint64_t)node.value, node.symbol, node.operand_count};
  gj_digester_add(d, head, sizeof head);
  for (uint32_t i = 0; i < node.operand_count; i++)
    add_dim(d, dims, node.operands[i]);
}

static void add_attrs(gj_digester *d, const gj_dims *dims, const gj_attrs *attrs) {
  gj_digester_add_u64(d, attrs->set);
  for (int a = 0; a < GJ_ATTR_COUNT; a++) {
    const gj_attr_list *list = &attrs->list[a];
    bool sizes = gj_attr_get((gj_attr)a)->form == GJ_FORM_DIMS;
    if (!(attrs->set & (1u << a)))
      continue;
    gj_digester_add_u64(d, list->count);
    for (uint8_t i = 0; i < list->count; i++)
      if (sizes)
        add_dim(d, dims, list->values[i]);
      else
        gj_digester_add_u64(d, (uint64_t)list->values[i]);
  }
}

static void add_node(gj_digester *d, const gj_dims *dims, const gj_node *node) {
  uint64_t head[5] = {node->op, node->arg_count, (uint64_t)node->type.dtype, node->type.rank,
                      node->data ? node->data_size : 0};
  gj_digester_add(d, head, sizeof head);
  gj_digester_add(d, node->args, node->arg_count * sizeof *node->args);
  for (uint8_t i = 0; i < node->type.rank; i++)
    add_dim(d, dims, node->type.shape[i]);
  add_attrs(d, dims, node->attrs);
  gj_digester_add_text(d, node->name ? node->name : "");
  if (node->storage) // that is known by its own digest, which needs no reading again
    gj_digester_add(d, gj_storage_digest(node->storage), GJ_DIGEST_BYTES);
  else if (node->data)
    gj_digester_add(d, node->data, node->data_size);
}

// The nodes of a graph or function.
static void add_nodes(gj_digester *d, const gj_graph *graph) {
  const gj_dims *dims = gj_graph_dims(graph);
  size_t nodes = gj_graph_node_count(graph), outputs = gj_graph_output_count(graph);
  gj_digester_add_text(d, gj_graph_name(graph));
  gj_digester_add_u64(d, nodes);
  for (gj_ref ref = 1; ref <= nodes; ref++)
    add_node(d, dims, gj_graph_node(graph, ref));
  gj_digester_add_u64(d, outputs);
  for (size_t i = 0; i < outputs; i++) {
    const gj_output *output = gj_graph_output(graph, i);
    gj_digester_add_text(d, output->name);
    gj_digester_add_u64(d, output->ref);
  }
}

static void add_graph(gj_digester *d, const gj_graph *graph) {
  const gj_dims *dims = gj_graph_dims(graph);
  size_t symbols = gj_dims_symbol_count(dims), functions = gj_graph_function_count(graph);
  gj_digester_add_u64(d, symbols);
  for (size_t i = 0; i < symbols; i++)
    gj_digester_add_text(d, gj_dims_symbol_name(dims, i));
  gj_digester_add_u64(d, functions);
  for (size_t i = 0; i < functions; i++)
    add_nodes(d, gj_graph_function(graph, i));
  add_nodes(d, graph);
}

// The compiler is this library and LLVM, which may be a library of its own.
static bool add_compiler(gj_digester *d) {
  static const char here;
  unsigned version[3];
  LLVMGetVersion(&version[0], &version[1], &version[2]);
  gj_digester_add(d, version, sizeof version);
  gj_digester_add_text(d, GJ_VERSION);
  return gj_build_id_add(d, &here) && gj_build_id_add(d, (const void *)(uintptr_t)LLVMGetVersion);
}

static void add_target(gj_digester *d, const gj_target *target) {
  gj_digester_add_text(d, target->triple);
  gj_digester_add_text(d, target->cpu);
  gj_digester_add_text(d, target->features);
  uint64_t head[] = {target->vector_bytes, target->pointer_bytes,
                     target->fma,          target->halves,
                     target->wasm,         target->masked,
                     target->cheap_masks,  (uint64_t)target->stream_bytes};
  gj_digester_add(d, head, sizeof head);
}

bool gj__code_key(const gj_graph *graph, const gj_compile_options *options, const gj_target *target,
                  gj_digest *out_key) {
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add_text(&d, "graph");
  add_target(&d, target);
  uint64_t head[] = {(uint64_t)options->numerics, options->opt_level, gj__piece_ns(options),
                     gj_host_math_has_platform_pow()};
  gj_digester_add(&d, head, sizeof head);
  bool known = add_compiler(&d);
  add_graph(&d, graph);
  *out_key = gj_digester_finish(&d);
  return known;
}

bool gj__text_key(const char *text, size_t size, const gj_function_options *options,
                  const gj_target *target, gj_digest *out_key) {
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add_text(&d, "function");
  add_target(&d, target);
  uint64_t head[] = {(uint64_t)options->numerics, options->opt_level, size,
                     gj_host_math_has_platform_pow()};
  gj_digester_add(&d, head, sizeof head);
  bool known = add_compiler(&d);
  gj_digester_add(&d, text, size);
  *out_key = gj_digester_finish(&d);
  return known;
}

bool gj__note_key(const char *name, size_t size, gj_digest *out_key) {
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add_text(&d, "note");
  gj_digester_add_u64(&d, gj_host_math_has_platform_pow());
  bool known = add_compiler(&d);
  gj_digester_add(&d, name, size);
  *out_key = gj_digester_finish(&d);
  return known;
}
