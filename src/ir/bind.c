// From symbols to numbers: what a run must check once the shapes of its inputs are known.
//
// A symbol takes its value from the first input that has it as a size. Then every condition of
// conditions.h is checked, so code that runs afterwards can rely on all of them. Sizes of 0 count
// as 1 in the byte limit, as in gj__type_check(). Sizes that the run itself computes are taken at
// their most and their least.

#include "ir/conditions.h"
#include "ir/infer/infer.h"

#include "base/size.h"

#include <stdlib.h>

typedef struct binder {
  const gj_graph *graph; // or function at work
  gj_dims *dims;
  const int64_t *const *shapes; // by input
  int64_t *values;              // by symbol
  gj_ref *bound_by;             // by symbol; 0 while unbound
  uint8_t *needed;              // by ref
  uint8_t *called;              // by function
  gj_error *err;
} binder;

// --- messages ---

static void append_symbols(const binder *b, gj_dim d, bool *first, gj_strbuf *out) {
  gj_dim_node node = gj_dim_get(b->dims, d);
  if (node.kind == GJ_DIM_SYMBOL && out->size < 100) {
    gj_strbuf_printf(
        out, "%s%s %s %lld", *first ? " for " : ", ", gj_dims_symbol_name(b->dims, node.symbol),
        gj_dim_is_computed(b->dims, d) ? "from 0 to" : "=", (long long)b->values[node.symbol]);
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

static gj_status bind_axis(void *context, const gj_condition *c) {
  const binder *b = context;
  int64_t size = b->shapes[c->input][c->axis];
  if (size < 0 || size > GJ_DIM_MAX)
    return gj_fail(b->err, GJ_E_SHAPE, "input \"%s\": axis %u has size %lld, not in [0, 2^47]",
                   gj_graph_node(b->graph, c->ref)->name, (unsigned)c->axis, (long long)size);
  int symbol = gj_dim_as_symbol(b->dims, c->type->shape[c->axis]);
  if (symbol >= 0 && b->bound_by[symbol] == 0) {
    b->values[symbol] = size;
    b->bound_by[symbol] = c->ref;
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

// The same as the least and the most it can be.
static gj_status range_of(const binder *b, gj_ref ref, gj_dim d, int64_t *out_lo, int64_t *out_hi) {
  GJ_TRY(check_symbols_bound(b, d));
  if (gj_dim_range(b->dims, d, b->values, out_lo, out_hi))
    return GJ_OK;
  return gj_fail(b->err, GJ_E_OVERFLOW, "%s: %s (%%%u) overflows or divides by zero",
                 gj_op_name((gj_op)gj_graph_node(b->graph, ref)->op), explain(b, d).s, ref);
}

// The sizes of a shape, each in range and their product too.
static gj_status check_shape(const binder *b, const gj_condition *c) {
  const gj_type *type = c->type;
  const char *op = gj_op_name((gj_op)gj_graph_node(b->graph, c->ref)->op);
  int64_t bytes = (int64_t)gj_dtype_bytes(type->dtype);
  for (size_t axis = 0; axis < type->rank; axis++) {
    int64_t least, size;
    GJ_TRY(range_of(b, c->ref, type->shape[axis], &least, &size));
    if (least < 0)
      return gj_fail(b->err, GJ_E_SHAPE, "%s: the size of axis %zu of %%%u %s %lld: %s", op, axis,
                     c->ref, least == size ? "is" : "may be", (long long)least,
                     explain(b, type->shape[axis]).s);
    if (!gj_mul_i64(bytes, size == 0 ? 1 : size, &bytes) || bytes > GJ_DIM_MAX)
      return gj_fail(b->err, GJ_E_OVERFLOW, "%s: %%%u of shape %s has more than 2^47 bytes: %s", op,
                     c->ref, gj__shape_text(b->dims, type).s, explain(b, type->shape[axis]).s);
  }
  return GJ_OK;
}

// A size that an earlier condition has found to have a value.
static int64_t known(const binder *b, gj_dim d) {
  int64_t value = 0;
  gj_dim_eval(b->dims, d, b->values, &value);
  return value;
}

static int64_t element_count(const binder *b, const gj_type *type) {
  int64_t count = 1;
  for (size_t axis = 0; axis < type->rank; axis++)
    count *= known(b, type->shape[axis]);
  return count;
}

static gj_status check_count(const binder *b, const gj_condition *c) {
  int64_t have = element_count(b, c->whole), want = element_count(b, c->type);
  if (have == want)
    return GJ_OK;
  return gj_fail(b->err, GJ_E_SHAPE, "reshape: %s has %lld elements, but %s (%%%u) has %lld%s",
                 gj__shape_text(b->dims, c->whole).s, (long long)have,
                 gj__shape_text(b->dims, c->type).s, c->ref, (long long)want,
                 explain_shapes(b, c->whole, c->type).s);
}

static gj_status check_slice(const binder *b, const gj_condition *c) {
  int64_t start, last, size = known(b, c->type->shape[c->axis]);
  int64_t from = known(b, c->whole->shape[c->axis]);
  GJ_TRY(value_of(b, c->ref, c->start, &start));
  if (size == 0 || (gj_mul_i64(c->stride, size - 1, &last) && gj_add_i64(start, last, &last) &&
                    start >= 0 && start < from && last >= 0 && last < from))
    return GJ_OK;
  return gj_fail(b->err, GJ_E_SHAPE,
                 "slice: start %lld, stride %lld and %lld elements (%%%u: %s) leave axis %u of "
                 "size %lld",
                 (long long)start, (long long)c->stride, (long long)size, c->ref,
                 explain(b, c->type->shape[c->axis]).s, (unsigned)c->axis, (long long)from);
}

static gj_status check_window(const binder *b, const gj_condition *c) {
  int64_t window = known(b, c->type->shape[c->axis]), whole = known(b, c->whole->shape[c->axis]);
  if (window <= whole || (c->taken && element_count(b, c->taken) == 0))
    return GJ_OK;
  const char *op = gj_op_name((gj_op)gj_graph_node(b->graph, c->ref)->op);
  if (gj_graph_node(b->graph, c->ref)->op == GJ_OP_top_k)
    return gj_fail(b->err, GJ_E_SHAPE,
                   "%s: count is %lld, but axis %u of the operand of %%%u has size %lld", op,
                   (long long)window, (unsigned)c->axis, c->ref, (long long)whole);
  return gj_fail(b->err, GJ_E_SHAPE,
                 "%s: axis %u of the window has size %lld, but the operand of %%%u has %lld", op,
                 (unsigned)c->axis, (long long)window, c->ref, (long long)whole);
}

static gj_status check_equal(const binder *b, const gj_condition *c) {
  gj_dim first = c->whole->shape[c->axis], second = c->type->shape[c->other];
  if (known(b, first) == known(b, second))
    return GJ_OK;
  return gj_fail(b->err, GJ_E_SHAPE,
                 "%s (%%%u): axis %u of %s has size %lld, but axis %u of %s has %lld: %s and %s",
                 gj_op_name((gj_op)gj_graph_node(b->graph, c->ref)->op), c->ref, (unsigned)c->axis,
                 gj__shape_text(b->dims, c->whole).s, (long long)known(b, first),
                 (unsigned)c->other, gj__shape_text(b->dims, c->type).s,
                 (long long)known(b, second), explain(b, first).s, explain(b, second).s);
}

// A value that the size of a condition may have and that does not lie from `lowest` to GJ_DIM_MAX;
// `lowest` when there is none.
static gj_status find_outside(const binder *b, const gj_condition *c, int64_t lowest,
                              int64_t *out_value) {
  int64_t least, most;
  GJ_TRY(range_of(b, c->ref, c->start, &least, &most));
  *out_value = least < lowest ? least : most > GJ_DIM_MAX ? most : lowest;
  return GJ_OK;
}

static gj_status check_rounds(const binder *b, const gj_condition *c) {
  int64_t count;
  GJ_TRY(find_outside(b, c, 0, &count));
  if (count == 0)
    return GJ_OK;
  return gj_fail(b->err, GJ_E_SHAPE, "for: the count of %%%u is %lld, not in [0, 2^47]: %s", c->ref,
                 (long long)count, explain(b, c->start).s);
}

static gj_status check_extent(const binder *b, const gj_condition *c) {
  int64_t size;
  GJ_TRY(find_outside(b, c, 1, &size));
  if (size == 1)
    return GJ_OK;
  return gj_fail(b->err, GJ_E_SHAPE,
                 "%s: the window of axis %u of %%%u has size %lld, not in [1, 2^47]: %s",
                 gj_op_name((gj_op)gj_graph_node(b->graph, c->ref)->op), (unsigned)c->axis, c->ref,
                 (long long)size, explain(b, c->start).s);
}

static gj_status check_condition(void *context, const gj_condition *c) {
  static gj_status (*const checks[])(const binder *, const gj_condition *) = {
      [GJ_CONDITION_SHAPE] = check_shape,   [GJ_CONDITION_COUNT] = check_count,
      [GJ_CONDITION_SLICE] = check_slice,   [GJ_CONDITION_WINDOW] = check_window,
      [GJ_CONDITION_EQUAL] = check_equal,   [GJ_CONDITION_ROUNDS] = check_rounds,
      [GJ_CONDITION_EXTENT] = check_extent,
  };
  const binder *b = context;
  if (c->graph == b->graph)
    return checks[c->kind](b, c);
  binder inner = *b;
  gj_error why = {0};
  inner.graph = c->graph;
  inner.err = &why;
  gj_status status = checks[c->kind](&inner, c);
  if (status == GJ_OK)
    return GJ_OK;
  return gj_fail(b->err, status, "function @%lld: %s",
                 (long long)gj_graph_function_number(c->graph), why.message);
}

// Computed sizes stand at the most they can be until a run knows better.
static gj_status bind_computed(const binder *b) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(b->graph); ref++) {
    const gj_node *node = gj_graph_node(b->graph, ref);
    if (node->op != GJ_OP_compress || !b->needed[ref])
      continue;
    int symbol = gj_dim_as_symbol(b->dims, node->type.shape[0]);
    int64_t least, most;
    gj_dim size = gj_graph_node(b->graph, node->args[0])->type.shape[0];
    GJ_TRY(range_of(b, ref, size, &least, &most));
    b->values[symbol] = most;
    b->bound_by[symbol] = ref;
  }
  return GJ_OK;
}

static gj_status bind_all(binder *b) {
  GJ_TRY(gj_graph_each_axis(b->graph, bind_axis, b));
  for (size_t i = 0; i < gj_graph_input_count(b->graph); i++)
    GJ_TRY(check_input(b, gj_graph_input(b->graph, i), b->shapes[i]));
  GJ_TRY(bind_computed(b));
  return gj_graph_each_condition(b->graph, b->needed, b->called, check_condition, b);
}

gj_status gj_graph_bind(const gj_graph *graph, const int64_t *const *shapes, int64_t *symbol_values,
                        gj_error *err) {
  gj_dims *dims = gj_graph_dims(graph);
  size_t symbols = gj_dims_symbol_count(dims);
  size_t nodes = gj_graph_node_count(graph);
  binder b = {.graph = graph,
              .dims = dims,
              .shapes = shapes,
              .values = symbol_values,
              .bound_by = calloc(symbols + 1, sizeof(gj_ref)),
              .needed = malloc(nodes + 1),
              .called = malloc(gj_graph_function_count(graph) + 1),
              .err = err};
  gj_status status;
  if (b.bound_by && b.needed && b.called) {
    for (size_t i = 0; i < symbols; i++)
      symbol_values[i] = 0;
    gj_graph_mark_needed(graph, b.needed);
    gj_graph_mark_called(graph, b.needed, b.called);
    status = bind_all(&b);
  } else {
    status = gj_fail(err, GJ_E_MEMORY, "bind: out of memory for %zu symbols and %zu nodes", symbols,
                     nodes);
  }
  free(b.bound_by);
  free(b.needed);
  free(b.called);
  return status;
}
