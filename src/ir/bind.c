// From symbols to numbers: what a run must check once the shapes of its inputs are known.
//
// A symbol takes its value from the first input that has it as a size. Then every size that outputs
// depend on is computed and every check that infer.c had to leave open is made, so code that runs
// afterwards can rely on all of it. Sizes of 0 count as 1 in the byte limit, as in
// gj__type_check().

#include "ir/graph.h"
#include "ir/infer.h"

#include "base/size.h"

#include <stdlib.h>

typedef struct binder {
  const gj_graph *graph;
  gj_dims *dims;
  int64_t *values;  // by symbol
  gj_ref *bound_by; // by symbol; 0 while unbound
  uint8_t *needed;  // by ref
  gj_error *err;
} binder;

// --- messages ---

static void append_symbols(const binder *b, gj_dim d, bool *first, gj_strbuf *out) {
  gj_dim_node node = gj_dim_get(b->dims, d);
  if (node.kind == GJ_DIM_SYMBOL && out->size < 100) {
    gj_strbuf_printf(out, "%s%s = %lld", *first ? " for " : ", ",
                     gj_dims_symbol_name(b->dims, node.symbol), (long long)b->values[node.symbol]);
    *first = false;
  }
  for (uint32_t i = 0; i < node.operand_count; i++)
    append_symbols(b, node.operands[i], first, out);
}

// "n - 2 for n = 1": a size and the values of its symbols.
static gj__text explain(const binder *b, gj_dim d) {
  gj_strbuf out = {0};
  bool first = true;
  gj_dim_print(b->dims, d, &out);
  append_symbols(b, d, &first, &out);
  return gj__text_take(&out);
}

// " for n = 1, m = 2": the symbols of two shapes. No size is computed here, since interning one
// would write to a graph that others may be reading.
static gj__text explain_shapes(const binder *b, const gj_type *x, const gj_type *y) {
  gj_strbuf out = {0};
  bool first = true;
  for (size_t axis = 0; axis < x->rank; axis++)
    append_symbols(b, x->shape[axis], &first, &out);
  for (size_t axis = 0; first && axis < y->rank; axis++)
    append_symbols(b, y->shape[axis], &first, &out);
  return gj__text_take(&out);
}

// --- inputs ---

static gj_status bind_input(const binder *b, gj_ref ref, const int64_t *shape) {
  const gj_node *node = gj_graph_node(b->graph, ref);
  for (size_t axis = 0; axis < node->type.rank; axis++) {
    if (shape[axis] < 0 || shape[axis] > GJ_DIM_MAX)
      return gj_fail(b->err, GJ_E_SHAPE, "input \"%s\": axis %zu has size %lld, not in [0, 2^47]",
                     node->name, axis, (long long)shape[axis]);
    int symbol = gj_dim_as_symbol(b->dims, node->type.shape[axis]);
    if (symbol >= 0 && b->bound_by[symbol] == 0) {
      b->values[symbol] = shape[axis];
      b->bound_by[symbol] = ref;
    }
  }
  return GJ_OK;
}

// The shape given is the one declared, now that symbols have values.
static gj_status check_input(const binder *b, gj_ref ref, const int64_t *shape) {
  const gj_node *node = gj_graph_node(b->graph, ref);
  for (size_t axis = 0; axis < node->type.rank; axis++) {
    gj_dim declared = node->type.shape[axis];
    int64_t expected;
    int symbol = gj_dim_as_symbol(b->dims, declared);
    if (gj_dim_eval(b->dims, declared, b->values, &expected) && expected == shape[axis])
      continue;
    if (symbol >= 0)
      return gj_fail(b->err, GJ_E_SHAPE,
                     "input \"%s\": axis %zu has size %lld, but %s is %lld from input \"%s\"",
                     node->name, axis, (long long)shape[axis],
                     gj_dims_symbol_name(b->dims, (size_t)symbol), (long long)expected,
                     gj_graph_node(b->graph, b->bound_by[symbol])->name);
    return gj_fail(b->err, GJ_E_SHAPE, "input \"%s\": axis %zu has size %lld, but it must be %s",
                   node->name, axis, (long long)shape[axis], explain(b, declared).s);
  }
  return GJ_OK;
}

static gj_status check_symbols_bound(const binder *b, gj_dim d) {
  gj_dim_node node = gj_dim_get(b->dims, d);
  if (node.kind == GJ_DIM_SYMBOL && b->bound_by[node.symbol] == 0)
    return gj_fail(b->err, GJ_E_VERIFY, "no input has the symbol %s as a size, so it has no value",
                   gj_dims_symbol_name(b->dims, node.symbol));
  for (uint32_t i = 0; i < node.operand_count; i++)
    GJ_TRY(check_symbols_bound(b, node.operands[i]));
  return GJ_OK;
}

// --- nodes ---

static gj_status value_of(const binder *b, gj_ref ref, gj_dim d, int64_t *out_value) {
  GJ_TRY(check_symbols_bound(b, d));
  if (gj_dim_eval(b->dims, d, b->values, out_value))
    return GJ_OK;
  return gj_fail(b->err, GJ_E_OVERFLOW, "%s: %s (%%%u) overflows or divides by zero",
                 gj_op_name((gj_op)gj_graph_node(b->graph, ref)->op), explain(b, d).s, ref);
}

// The sizes of a shape, each in range and their product too.
static gj_status bind_shape(const binder *b, gj_ref ref, const gj_type *type, int64_t *out_shape) {
  const char *op = gj_op_name((gj_op)gj_graph_node(b->graph, ref)->op);
  int64_t bytes = (int64_t)gj_dtype_bytes(type->dtype);
  for (size_t axis = 0; axis < type->rank; axis++) {
    int64_t size;
    GJ_TRY(value_of(b, ref, type->shape[axis], &size));
    if (size < 0)
      return gj_fail(b->err, GJ_E_SHAPE, "%s: the size of axis %zu of %%%u is %lld: %s", op, axis,
                     ref, (long long)size, explain(b, type->shape[axis]).s);
    if (!gj_mul_i64(bytes, size == 0 ? 1 : size, &bytes) || bytes > GJ_DIM_MAX)
      return gj_fail(b->err, GJ_E_OVERFLOW, "%s: %%%u of shape %s has more than 2^47 bytes: %s", op,
                     ref, gj__shape_text(b->dims, type).s, explain(b, type->shape[axis]).s);
    out_shape[axis] = size;
  }
  return GJ_OK;
}

static int64_t element_count(const int64_t *shape, size_t rank) {
  int64_t count = 1;
  for (size_t axis = 0; axis < rank; axis++)
    count *= shape[axis];
  return count;
}

static gj_status check_reshape(const binder *b, gj_ref ref, const int64_t *from, size_t from_rank,
                               const int64_t *to, size_t to_rank) {
  int64_t have = element_count(from, from_rank), want = element_count(to, to_rank);
  if (have == want)
    return GJ_OK;
  const gj_node *node = gj_graph_node(b->graph, ref);
  const gj_type *source = &gj_graph_node(b->graph, node->args[0])->type;
  return gj_fail(b->err, GJ_E_SHAPE, "reshape: %s has %lld elements, but %s (%%%u) has %lld%s",
                 gj__shape_text(b->dims, source).s, (long long)have,
                 gj__shape_text(b->dims, &node->type).s, ref, (long long)want,
                 explain_shapes(b, source, &node->type).s);
}

static gj_status check_slice(const binder *b, gj_ref ref, const int64_t *from, const int64_t *to) {
  const gj_node *node = gj_graph_node(b->graph, ref);
  for (size_t axis = 0; axis < node->type.rank; axis++) {
    int64_t start, last, stride = node->attrs->list[GJ_ATTR_stride].values[axis];
    gj_dim symbolic = node->attrs->list[GJ_ATTR_start].values[axis];
    GJ_TRY(value_of(b, ref, symbolic, &start));
    if (to[axis] == 0)
      continue;
    if (!gj_mul_i64(stride, to[axis] - 1, &last) || !gj_add_i64(start, last, &last) || start < 0 ||
        start >= from[axis] || last < 0 || last >= from[axis])
      return gj_fail(
          b->err, GJ_E_SHAPE,
          "slice: start %lld, stride %lld and %lld elements (%%%u: %s) leave axis %zu of "
          "size %lld",
          (long long)start, (long long)stride, (long long)to[axis], ref,
          explain(b, node->type.shape[axis]).s, axis, (long long)from[axis]);
  }
  return GJ_OK;
}

static gj_status check_window(const binder *b, gj_ref ref, const int64_t *from,
                              const int64_t *window, size_t rank) {
  for (size_t axis = 0; axis < rank; axis++)
    if (window[axis] > from[axis])
      return gj_fail(b->err, GJ_E_SHAPE,
                     "%s: axis %zu of the window has size %lld, but the operand of %%%u has %lld",
                     gj_op_name((gj_op)gj_graph_node(b->graph, ref)->op), axis,
                     (long long)window[axis], ref, (long long)from[axis]);
  return GJ_OK;
}

static gj_status bind_node(const binder *b, gj_ref ref) {
  const gj_node *node = gj_graph_node(b->graph, ref);
  gj_op_kind kind = (gj_op_kind)gj_op_get((gj_op)node->op)->kind;
  int64_t shape[GJ_MAX_RANK], from[GJ_MAX_RANK], update[GJ_MAX_RANK];
  GJ_TRY(bind_shape(b, ref, &node->type, shape));
  if (kind != GJ_OP_KIND_RESHAPE && kind != GJ_OP_KIND_SLICE && kind != GJ_OP_KIND_DYNAMIC_SLICE &&
      kind != GJ_OP_KIND_UPDATE_SLICE)
    return GJ_OK;
  const gj_type *source = &gj_graph_node(b->graph, node->args[0])->type;
  GJ_TRY(bind_shape(b, node->args[0], source, from));
  if (kind == GJ_OP_KIND_RESHAPE)
    return check_reshape(b, ref, from, source->rank, shape, node->type.rank);
  if (kind == GJ_OP_KIND_SLICE)
    return check_slice(b, ref, from, shape);
  if (kind == GJ_OP_KIND_DYNAMIC_SLICE)
    return check_window(b, ref, from, shape, source->rank);
  GJ_TRY(bind_shape(b, node->args[1], &gj_graph_node(b->graph, node->args[1])->type, update));
  return check_window(b, ref, from, update, source->rank);
}

static gj_status bind_all(const binder *b, const int64_t *const *shapes) {
  for (size_t i = 0; i < gj_graph_input_count(b->graph); i++)
    GJ_TRY(bind_input(b, gj_graph_input(b->graph, i), shapes[i]));
  for (size_t i = 0; i < gj_graph_input_count(b->graph); i++)
    GJ_TRY(check_input(b, gj_graph_input(b->graph, i), shapes[i]));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(b->graph); ref++)
    if (b->needed[ref])
      GJ_TRY(bind_node(b, ref));
  return GJ_OK;
}

gj_status gj_graph_bind(const gj_graph *graph, const int64_t *const *shapes, int64_t *symbol_values,
                        gj_error *err) {
  gj_dims *dims = gj_graph_dims(graph);
  size_t symbols = gj_dims_symbol_count(dims);
  size_t nodes = gj_graph_node_count(graph);
  binder b = {graph, dims, symbol_values, calloc(symbols + 1, sizeof(gj_ref)), malloc(nodes + 1),
              err};
  gj_status status;
  if (b.bound_by && b.needed) {
    for (size_t i = 0; i < symbols; i++)
      symbol_values[i] = 0;
    gj_graph_mark_needed(graph, b.needed);
    status = bind_all(&b, shapes);
  } else {
    status = gj_fail(err, GJ_E_MEMORY, "bind: out of memory for %zu symbols and %zu nodes", symbols,
                     nodes);
  }
  free(b.bound_by);
  free(b.needed);
  return status;
}
