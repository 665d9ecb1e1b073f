// The wrapped kind "graph": building, reading and evaluating a Graph IR graph from JavaScript.
//
// Values are refs (positive integers), sizes are gj_dim numbers (negative ones name expressions of
// the graph's own table): both mean something only together with their graph, which lib/ keeps
// beside them.
#ifndef GJN_GRAPH_H
#define GJN_GRAPH_H

#include "helpers.h"

// The core's graph behind a wrapped object; NULL with an exception pending when it is disposed or
// something else. Borrowed: valid until JavaScript runs again.
gj_graph *gjn_get_graph(napi_env env, napi_value value);
// Wraps a graph and takes it over, also on failure.
napi_value gjn_new_graph(napi_env env, gj_graph *graph);

// The first `count` elements of an array as refs.
bool gjn_get_refs(napi_env env, napi_value array, gj_ref *refs, uint32_t count);

// graph.c: () below lists what JavaScript passes after the graph itself.
napi_value gjn_graph_new(napi_env env, napi_callback_info info);     // (name | undefined) => graph
napi_value gjn_graph_parse(napi_env env, napi_callback_info info);   // (text) => graph
napi_value gjn_graph_dispose(napi_env env, napi_callback_info info); // ()
napi_value gjn_graph_function(napi_env env, napi_callback_info info);
napi_value gjn_graph_function_add(napi_env env, napi_callback_info info);
napi_value gjn_graph_param(napi_env env, napi_callback_info info); // (name, dtype, dims) => ref
napi_value gjn_graph_const(napi_env env, napi_callback_info info); // (dtype, dims, array) => ref
// (dtype, dims, storage) => ref
napi_value gjn_graph_const_shared(napi_env env, napi_callback_info info);
napi_value gjn_graph_op(napi_env env, napi_callback_info info);     // (code, refs, attrs) => ref
napi_value gjn_graph_output(napi_env env, napi_callback_info info); // (name, ref)
// () => { graph, became }: a simplified copy, and the ref in it per ref of this graph, 0 for none
napi_value gjn_graph_simplify(napi_env env, napi_callback_info info);

// derive.c: refs of derivatives, 0 for none; see passes/derive/derive.h. `find` gives the text of
// the derivative of an apply: (text, operand) => text | undefined (ys, seeds, wrt, find) =>
// gradients
napi_value gjn_graph_vjp(napi_env env, napi_callback_info info);
// (wrt, tangents, ys, find) => tangents
napi_value gjn_graph_jvp(napi_env env, napi_callback_info info);

// batch.c: a function of this graph, by its handle, for a batch of some of its inputs; see
// passes/batch/batch.h
// (function, refs, flags, size) => { refs, flags }
napi_value gjn_graph_batch(napi_env env, napi_callback_info info);

// storage.c
gj_storage *gjn_get_storage(napi_env env, napi_value value); // NULL with an exception pending
// (bytes) => storage, whose property `buffer` is an ArrayBuffer over it
napi_value gjn_storage_new(napi_env env, napi_callback_info info);

// inspect.c
napi_value gjn_graph_print(napi_env env, napi_callback_info info);   // () => text
napi_value gjn_graph_name(napi_env env, napi_callback_info info);    // () => text
napi_value gjn_graph_type(napi_env env, napi_callback_info info);    // (ref) => { dtype, dims }
napi_value gjn_graph_count(napi_env env, napi_callback_info info);   // () => nodes
napi_value gjn_graph_node(napi_env env, napi_callback_info info);    // (ref) => what it is
napi_value gjn_graph_inputs(napi_env env, napi_callback_info info);  // () => [{ name, ref }]
napi_value gjn_graph_outputs(napi_env env, napi_callback_info info); // () => [{ name, ref }]
napi_value gjn_graph_functions(napi_env env,
                               napi_callback_info info);         // () => [{ name, nodes, outputs }]
napi_value gjn_graph_dim(napi_env env, napi_callback_info info); // (text) => dim
napi_value gjn_graph_dim_text(napi_env env, napi_callback_info info); // (dim) => number | text
napi_value gjn_graph_dim_op(napi_env env, napi_callback_info info);   // (operator, a, b) => dim

// reference.c
napi_value gjn_graph_fit(napi_env env, napi_callback_info info);  // (shapes) => output shapes
napi_value gjn_graph_eval(napi_env env, napi_callback_info info); // (shapes, arrays)

#endif
