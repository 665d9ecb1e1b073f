// Checks a finished graph from scratch.
//
// Appending checks nodes one by one and passes build through the same door, so a failure here means
// that somebody wrote to memory that is not theirs or that a rule of infer.c changed under a stored
// graph. It is also where rules about the whole graph live: every symbol is bound by an input that
// has it as a size, or computed by one node, which stands before all that need it; and what depends
// on computed sizes holds whatever they are.

#include "ir/conditions.h"
#include "ir/graph.h"
#include "ir/infer/infer.h"

#include <stdlib.h>
#include <string.h>

typedef struct verifier {
  const gj_graph *graph;
  gj_dims *dims;
  bool *bound; // by symbol
  gj_ref
      *after; // by function: the last node that computes a size which it, or what it calls, names
  gj_error *err;
} verifier;

static gj_status fail_node(const verifier *v, gj_ref ref, const char *why) {
  return gj_fail(v->err, GJ_E_VERIFY, "%%%u (%s): %s", ref,
                 gj_op_name((gj_op)gj_graph_node(v->graph, ref)->op), why);
}

// Every symbol in `d` is bound; `where` is the node that uses it.
static gj_status check_symbols(const verifier *v, gj_dim d, gj_ref where) {
  gj_dim_node node = gj_dim_get(v->dims, d);
  if (node.kind == GJ_DIM_SYMBOL && !v->bound[node.symbol])
    return gj_fail(v->err, GJ_E_VERIFY,
                   "%%%u (%s): no input has the symbol %s as a size, so it has no value", where,
                   gj_op_name((gj_op)gj_graph_node(v->graph, where)->op),
                   gj_dims_symbol_name(v->dims, node.symbol));
  for (uint32_t i = 0; i < node.operand_count; i++)
    GJ_TRY(check_symbols(v, node.operands[i], where));
  return GJ_OK;
}

// --- computed sizes ---

// The last node that computes a size which this one needs.
static gj_ref binder_of(const verifier *v, const gj_node *node) {
  gj_ref last = gj_node_binder(v->graph, node);
  const gj_attr_list *functions = &node->attrs->list[GJ_ATTR_functions];
  for (size_t i = 0; i < functions->count; i++)
    if (v->after[functions->values[i]] > last)
      last = v->after[functions->values[i]];
  return last;
}

// Callers stand behind what they call.
static void find_after(const verifier *v) {
  for (size_t i = 0; i < gj_graph_function_count(v->graph); i++) {
    verifier own = *v;
    own.graph = gj_graph_function(v->graph, i);
    for (gj_ref ref = 1; ref <= gj_graph_node_count(own.graph); ref++) {
      gj_ref binder = binder_of(&own, gj_graph_node(own.graph, ref));
      v->after[i] = binder > v->after[i] ? binder : v->after[i];
    }
  }
}

static gj_status check_range(const verifier *v, gj_dim d, gj_ref where) {
  if (!gj_dim_is_computed(v->dims, d) ||
      (gj_dim_most(v->dims, d) != GJ_DIM_ERROR && gj_dim_least(v->dims, d) != GJ_DIM_ERROR))
    return GJ_OK;
  return gj_fail(v->err, GJ_E_UNSUPPORTED,
                 "%%%u (%s): no bounds are known of the size %s, which depends on data", where,
                 gj_op_name((gj_op)gj_graph_node(v->graph, where)->op), gj__dim_text(v->dims, d).s);
}

// The checks that cannot be made before a run hold whatever it computes.
static gj_status check_proved(void *context, const gj_condition *c) {
  const verifier *v = context;
  if (gj_condition_is_proved(c))
    return GJ_OK;
  gj_strbuf text = {0};
  gj_condition_print(c, 0, &text);
  return gj_fail(v->err, GJ_E_SHAPE, "%s for some values of a size that depends on data",
                 gj__text_take(&text).s);
}

// Sizes that depend on data have values where this node needs them, and bounds.
static gj_status check_computed(const verifier *v, gj_ref ref) {
  const gj_node *node = gj_graph_node(v->graph, ref);
  bool function = gj_graph_is_function(v->graph);
  gj_ref binder = binder_of(v, node);
  if (binder == 0)
    return GJ_OK;
  if (node->op == GJ_OP_param && !function)
    return gj_fail(v->err, GJ_E_SHAPE,
                   "input \"%s\": its size is what %%%u (compress) computes; use another symbol",
                   node->name, binder);
  if (!function && (binder > ref || (binder == ref && node->op != GJ_OP_compress)))
    return gj_fail(v->err, GJ_E_VERIFY, "%%%u (%s): it needs a size that %%%u computes behind it",
                   ref, gj_op_name((gj_op)node->op), binder);
  for (size_t axis = 0; axis < node->type.rank; axis++)
    GJ_TRY(check_range(v, node->type.shape[axis], ref));
  return GJ_OK;
}

// --- symbols ---

static gj_status check_node_symbols(const verifier *v, gj_ref ref) {
  const gj_node *node = gj_graph_node(v->graph, ref);
  if (gj_graph_computes_sizes(v->graph))
    GJ_TRY(check_computed(v, ref));
  if (!node->symbolic)
    return GJ_OK;
  for (size_t axis = 0; axis < node->type.rank; axis++)
    GJ_TRY(check_symbols(v, node->type.shape[axis], ref));
  for (int a = 0; a < GJ_ATTR_COUNT; a++)
    if ((node->attrs->set & 1u << a) && gj_attr_get((gj_attr)a)->form == GJ_FORM_DIMS)
      for (size_t i = 0; i < node->attrs->list[a].count; i++)
        GJ_TRY(check_symbols(v, node->attrs->list[a].values[i], ref));
  return GJ_OK;
}

static gj_status check_leaf(const verifier *v, gj_ref ref) {
  const gj_node *node = gj_graph_node(v->graph, ref);
  if (node->arg_count != 0 || node->attrs->set != 0)
    return fail_node(v, ref, "a leaf has operands or attributes");
  GJ_TRY(gj__type_check(v->dims, gj_op_name((gj_op)node->op), &node->type, v->err));
  if (node->op == GJ_OP_param)
    return node->name && node->name[0] ? GJ_OK : fail_node(v, ref, "an input has no name");
  gj_dim count = gj_type_size(v->dims, &node->type);
  size_t width = gj_dtype_bytes(node->type.dtype);
  bool splat = count != 0 && node->data_size == width;
  bool full = gj_dim_is_const(count) && (uint64_t)count * width == node->data_size;
  if (!node->data || !(splat || full))
    return fail_node(v, ref, "the data has another size than the shape");
  return GJ_OK;
}

static gj_status check_node(const verifier *v, gj_ref ref) {
  const gj_node *node = gj_graph_node(v->graph, ref);
  if (node->op == GJ_OP_none || node->op >= GJ_OP_COUNT)
    return gj_fail(v->err, GJ_E_VERIFY, "%%%u: unknown op number %d", ref, node->op);
  if (node->op == GJ_OP_param || node->op == GJ_OP_const)
    return check_leaf(v, ref);
  for (size_t i = 0; i < node->arg_count; i++)
    if (node->args[i] == 0 || node->args[i] >= ref)
      return fail_node(v, ref, "an operand does not stand before its user");
  gj_type type;
  gj_error why = {0};
  if (gj__infer_type(v->graph, (gj_op)node->op, node->args, node->arg_count, node->attrs, &type,
                     &why) != GJ_OK)
    return fail_node(v, ref, why.message);
  if (gj__target_check(v->graph, (gj_op)node->op, node->name, node->args, node->arg_count,
                       node->attrs, &why) != GJ_OK)
    return fail_node(v, ref, why.message);
  if (type.dtype != node->type.dtype || type.rank != node->type.rank ||
      memcmp(type.shape, node->type.shape, type.rank * sizeof(gj_dim)) != 0)
    return fail_node(v, ref, "the type is not the one that follows from the operands");
  if (node->result_count != (gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS)
                                 ? gj__control_result_count(v->graph, (gj_op)node->op, node->attrs)
                                 : 0))
    return fail_node(v, ref, "the number of results is not the one that follows from its function");
  return GJ_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Sorts `names` to find one that stands there twice.
static gj_status check_unique(const verifier *v, const char *what, const char **names,
                              size_t count) {
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 1; i < count; i++)
    if (strcmp(names[i - 1], names[i]) == 0)
      return gj_fail(v->err, GJ_E_VERIFY, "two %s are named \"%s\"", what, names[i]);
  return GJ_OK;
}

static void mark_computed(const verifier *v) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(v->graph); ref++) {
    const gj_node *node = gj_graph_node(v->graph, ref);
    if (node->op == GJ_OP_compress)
      v->bound[gj_dim_as_symbol(v->dims, node->type.shape[0])] = true;
  }
}

static gj_status check_inputs(const verifier *v, const char **names) {
  size_t count = gj_graph_input_count(v->graph), next = 0;
  bool binds = gj_graph_function_number(v->graph) < 0; // functions take what the graph knows
  for (gj_ref ref = 1; ref <= gj_graph_node_count(v->graph); ref++) {
    const gj_node *node = gj_graph_node(v->graph, ref);
    if (node->op != GJ_OP_param)
      continue;
    if (next >= count || gj_graph_input(v->graph, next) != ref)
      return fail_node(v, ref, "an input is not in the list of inputs");
    names[next++] = node->name;
    for (size_t axis = 0; axis < node->type.rank; axis++) {
      int symbol = gj_dim_as_symbol(v->dims, node->type.shape[axis]);
      if (symbol >= 0 && binds)
        v->bound[symbol] = true;
    }
  }
  mark_computed(v);
  if (next != count)
    return gj_fail(v->err, GJ_E_VERIFY, "%zu inputs are listed, but there are %zu", count, next);
  return check_unique(v, "inputs", names, count);
}

static gj_status check_outputs(const verifier *v, const char **names) {
  size_t count = gj_graph_output_count(v->graph);
  for (size_t i = 0; i < count; i++) {
    const gj_output *output = gj_graph_output(v->graph, i);
    if (output->ref == 0 || output->ref > gj_graph_node_count(v->graph))
      return gj_fail(v->err, GJ_E_VERIFY, "output \"%s\" is %%%u, which does not exist",
                     output->name, output->ref);
    names[i] = output->name;
  }
  return check_unique(v, "outputs", names, count);
}

static gj_status check_graph(const verifier *v) {
  size_t inputs = gj_graph_input_count(v->graph), outputs = gj_graph_output_count(v->graph);
  const char **names = calloc(1 + (inputs > outputs ? inputs : outputs), sizeof *names);
  if (!names)
    return gj_fail(v->err, GJ_E_MEMORY, "verify: out of memory");
  gj_status status = GJ_OK;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(v->graph) && status == GJ_OK; ref++)
    status = check_node(v, ref);
  if (status == GJ_OK)
    status = check_inputs(v, names);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(v->graph) && status == GJ_OK; ref++)
    status = check_node_symbols(v, ref);
  if (status == GJ_OK)
    status = check_outputs(v, names);
  free(names);
  return status;
}

// What is wrong with a function says so.
static gj_status check_function(verifier v, size_t number) {
  gj_error why = {0};
  gj_error *err = v.err;
  v.graph = gj_graph_function(v.graph, number);
  v.err = &why;
  if (gj_graph_output_count(v.graph) == 0)
    return gj_fail(err, GJ_E_VERIFY, "function @%zu: it has no output", number);
  gj_status status = check_graph(&v);
  return status == GJ_OK ? GJ_OK : gj_fail(err, status, "function @%zu: %s", number, why.message);
}

static gj_status check_open_conditions(const verifier *v) {
  uint8_t *needed = malloc(gj_graph_node_count(v->graph) + 1);
  uint8_t *called = malloc(gj_graph_function_count(v->graph) + 1);
  verifier own = *v;
  gj_status status = GJ_OK;
  if (needed && called) {
    gj_graph_mark_needed(v->graph, needed);
    gj_graph_mark_called(v->graph, needed, called);
    status = gj_graph_each_open_condition(v->graph, needed, called, check_proved, &own);
  } else {
    status = gj_fail(v->err, GJ_E_MEMORY, "verify: out of memory");
  }
  free(needed);
  free(called);
  return status;
}

static gj_status check_all(const verifier *v) {
  if (!v->bound || !v->after)
    return gj_fail(v->err, GJ_E_MEMORY, "verify: out of memory");
  if (gj_graph_computes_sizes(v->graph))
    find_after(v);
  GJ_TRY(check_graph(v));
  for (size_t i = 0; i < gj_graph_function_count(v->graph); i++)
    GJ_TRY(check_function(*v, i));
  return gj_graph_computes_sizes(v->graph) ? check_open_conditions(v) : GJ_OK;
}

gj_status gj_graph_verify(const gj_graph *graph, gj_error *err) {
  verifier v = {.graph = graph, .dims = gj_graph_dims(graph), .err = err};
  v.bound = calloc(gj_dims_symbol_count(v.dims) + 1, sizeof *v.bound);
  v.after = calloc(gj_graph_function_count(graph) + 1, sizeof *v.after);
  gj_status status = check_all(&v);
  free(v.bound);
  free(v.after);
  return status;
}
