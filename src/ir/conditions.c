// The list of conditions, and what each is called.

#include "ir/conditions.h"

#include "ir/dims/dims.h"
#include "ir/graph_data.h"
#include "ir/infer/contract.h"
#include "ir/infer/index_axes.h"
#include "ir/infer/infer.h"

gj_status gj_graph_each_axis(const gj_graph *graph, gj_condition_fn *visit, void *context) {
  for (size_t i = 0; i < gj_graph_input_count(graph); i++) {
    gj_condition c = {
        .kind = GJ_CONDITION_AXIS, .graph = graph, .ref = gj_graph_input(graph, i), .input = i};
    c.type = &gj_graph_node(graph, c.ref)->type;
    for (c.axis = 0; c.axis < c.type->rank; c.axis++)
      GJ_TRY(visit(context, &c));
  }
  return GJ_OK;
}

static gj_status each_slice(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                            void *context) {
  c.kind = GJ_CONDITION_SLICE;
  for (c.axis = 0; c.axis < c.type->rank; c.axis++) {
    c.start = node->attrs->list[GJ_ATTR_start].values[c.axis];
    c.stride = node->attrs->list[GJ_ATTR_stride].values[c.axis];
    GJ_TRY(visit(context, &c));
  }
  return GJ_OK;
}

static gj_status each_window(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                             void *context) {
  (void)node;
  c.kind = GJ_CONDITION_WINDOW;
  for (c.axis = 0; c.axis < c.whole->rank; c.axis++)
    GJ_TRY(visit(context, &c));
  return GJ_OK;
}

// Pairs of axes whose sizes are not known to agree.
static gj_status each_pair(gj_condition c, const uint8_t *first, const uint8_t *second,
                           uint8_t count, gj_condition_fn *visit, void *context) {
  c.kind = GJ_CONDITION_EQUAL;
  for (uint8_t i = 0; i < count; i++) {
    c.axis = first[i];
    c.other = second[i];
    if (c.whole->shape[c.axis] != c.type->shape[c.other])
      GJ_TRY(visit(context, &c));
  }
  return GJ_OK;
}

// What negative padding takes away is there. The elements of an axis that are `base` apart take up
// (size - 1) · base + 1, so that is a bound of the size; axes that nothing is taken from are left
// out.
static gj_status each_padding(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                              void *context) {
  const gj_attr_list *list = node->attrs->list;
  uint8_t axes = list[GJ_ATTR_lo].count, first = (uint8_t)(c.whole->rank - axes);
  gj_type least = *c.whole;
  c.kind = GJ_CONDITION_WINDOW;
  c.type = &least;
  for (uint8_t i = 0; i < axes; i++) {
    int64_t base = list[GJ_ATTR_base_dilation].values[i];
    int64_t gone = -(list[GJ_ATTR_lo].values[i] + list[GJ_ATTR_hi].values[i]);
    if (gone <= 0)
      continue;
    c.axis = (uint8_t)(first + i);
    least.shape[c.axis] = (gone + base - 2) / base + 1;
    GJ_TRY(visit(context, &c));
  }
  return GJ_OK;
}

// Windows of a size that inference could not tell, which no shape shows.
static gj_status each_extent(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                             void *context) {
  c.kind = GJ_CONDITION_EXTENT;
  for (c.axis = 0; c.axis < c.whole->rank; c.axis++) {
    c.start = node->attrs->list[GJ_ATTR_window].values[c.axis];
    if (!gj_dim_is_const(c.start))
      GJ_TRY(visit(context, &c));
  }
  return GJ_OK;
}

static gj_status each_contraction(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                                  void *context) {
  const gj_graph *graph = c.graph;
  gj_contraction axes = gj_contraction_of(graph, node);
  const gj_contract_side *lhs = &axes.side[0], *rhs = &axes.side[1];
  c.type = &gj_graph_node(graph, node->args[1])->type;
  GJ_TRY(each_pair(c, lhs->batch, rhs->batch, axes.batch_count, visit, context));
  return each_pair(c, lhs->contract, rhs->contract, axes.contract_count, visit, context);
}

// Of gather and the scatters: a window as large as it is along each axis of the operand, where axes
// that the result lacks count in gather only.
static gj_status each_indexed(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                              void *context) {
  const gj_graph *graph = c.graph;
  gj_index_axes axes = gj_index_axes_of(graph, node);
  gj_type window = {.dtype = c.whole->dtype, .rank = c.whole->rank};
  if (node->op == GJ_OP_gather)
    c.taken = &node->type;
  for (uint8_t i = 0; c.taken && i < window.rank; i++)
    window.shape[i] = gj_window_size(graph, node, &axes, i);
  for (uint8_t k = 0; !c.taken && k < axes.window_count; k++)
    window.shape[axes.operand[k]] = gj_window_size(graph, node, &axes, axes.operand[k]);
  c.type = &window;
  return each_window(node, c, visit, context);
}

static gj_status each_results(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                              void *context) {
  gj_type type;
  gj_error unseen;
  c.type = &type;
  for (size_t i = 1; i < gj_node_result_count(node); i++)
    if (gj_graph_result_type(c.graph, c.ref, i, &type, &unseen) == GJ_OK)
      GJ_TRY(visit(context, &c));
  c.kind = GJ_CONDITION_ROUNDS;
  c.type = &node->type;
  if (node->op != GJ_OP_for)
    return GJ_OK;
  c.start = node->attrs->list[GJ_ATTR_count].values[0];
  return visit(context, &c);
}

// --- the rules of kinds.def: what must hold of a node besides its own shape ---

static gj_status each_none(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                           void *context) {
  (void)node, (void)c, (void)visit, (void)context;
  return GJ_OK;
}

static gj_status each_count(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                            void *context) {
  (void)node;
  c.kind = GJ_CONDITION_COUNT;
  return visit(context, &c);
}

static gj_status each_update(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                             void *context) {
  c.type = &gj_graph_node(c.graph, node->args[1])->type;
  return each_window(node, c, visit, context);
}

static gj_status each_axis(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                           void *context) {
  c.kind = GJ_CONDITION_WINDOW;
  c.axis = (uint8_t)gj_node_int(node, GJ_ATTR_axis);
  return visit(context, &c);
}

static gj_status each_extents(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                              void *context) {
  GJ_TRY(each_extent(node, c, visit, context));
  return each_padding(node, c, visit, context);
}

typedef gj_status rule_fn(const gj_node *node, gj_condition c, gj_condition_fn *visit,
                          void *context);

static rule_fn *const rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_CONDITIONS(rule) each_##rule,
#include "ops/kinds.def"
};

static gj_status visit_node(const gj_graph *graph, gj_ref ref, gj_condition_fn *visit,
                            void *context) {
  const gj_node *node = gj_graph_node(graph, ref);
  gj_condition c = {.kind = GJ_CONDITION_SHAPE, .graph = graph, .ref = ref, .type = &node->type};
  GJ_TRY(visit(context, &c));
  if (node->arg_count > 0)
    c.whole = &gj_graph_node(graph, node->args[0])->type;
  return rules[gj_op_kind_of((gj_op)node->op)](node, c, visit, context);
}

// --- conditions on computed sizes ---

static bool has_computed(const gj_dims *dims, const gj_type *type) {
  for (size_t axis = 0; type && axis < type->rank; axis++)
    if (gj_dim_is_computed(dims, type->shape[axis]))
      return true;
  return false;
}

static bool depends_on_data(const gj_condition *c) {
  const gj_dims *dims = gj_graph_dims(c->graph);
  switch (c->kind) {
  case GJ_CONDITION_COUNT:
    return has_computed(dims, c->whole) || has_computed(dims, c->type);
  case GJ_CONDITION_SLICE:
    return gj_dim_is_computed(dims, c->whole->shape[c->axis]) ||
           gj_dim_is_computed(dims, c->type->shape[c->axis]) || gj_dim_is_computed(dims, c->start);
  case GJ_CONDITION_WINDOW:
    return gj_dim_is_computed(dims, c->whole->shape[c->axis]) ||
           gj_dim_is_computed(dims, c->type->shape[c->axis]);
  case GJ_CONDITION_EQUAL:
    return gj_dim_is_computed(dims, c->whole->shape[c->axis]) ||
           gj_dim_is_computed(dims, c->type->shape[c->other]);
  default: // by the least and the most
    return false;
  }
}

static bool is_at_least(gj_dims *dims, gj_dim a, gj_dim b) {
  gj_dim difference = gj_dim_sub(dims, a, b);
  return difference != GJ_DIM_ERROR && gj_dim_never_negative(dims, difference);
}

// What max(a, 0) is when it is not 0, where the condition says nothing about 0. It is never more.
static gj_dim unless_empty(gj_dims *dims, gj_dim size) {
  gj_dim_node node = gj_dim_get(dims, size);
  if (node.kind != GJ_DIM_MAXIMUM)
    return size;
  return node.operands[0] == 0 ? node.operands[1] : node.operands[1] == 0 ? node.operands[0] : size;
}

// With a stride of s, the last element is start + s · (size - 1).
static bool slice_is_proved(gj_dims *dims, const gj_condition *c) {
  gj_dim size = unless_empty(dims, c->type->shape[c->axis]), whole = c->whole->shape[c->axis];
  gj_dim steps = gj_dim_sub(dims, size, 1), stride = gj_dim_const(dims, c->stride);
  gj_dim last = gj_dim_add(dims, c->start, gj_dim_mul(dims, stride, steps));
  gj_dim low = c->stride > 0 ? c->start : last, high = c->stride > 0 ? last : c->start;
  gj_dim end = gj_dim_add(dims, high, 1);
  return is_at_least(dims, low, 0) &&
         (is_at_least(dims, whole, end) || is_at_least(dims, unless_empty(dims, whole), end));
}

bool gj_condition_is_proved(const gj_condition *c) {
  gj_dims *dims = gj_graph_dims(c->graph);
  gj_dim have, want;
  switch (c->kind) {
  case GJ_CONDITION_COUNT:
    have = gj_type_size(dims, c->whole);
    want = gj_type_size(dims, c->type);
    return have != GJ_DIM_ERROR && have == want;
  case GJ_CONDITION_SLICE:
    return slice_is_proved(dims, c);
  case GJ_CONDITION_WINDOW:
    return is_at_least(dims, c->whole->shape[c->axis], c->type->shape[c->axis]);
  case GJ_CONDITION_EQUAL:
    return c->whole->shape[c->axis] == c->type->shape[c->other];
  default:
    return false;
  }
}

// --- all of them ---

typedef struct filter {
  bool on_data;
  gj_condition_fn *visit;
  void *context;
} filter;

static gj_status pass_on(void *context, const gj_condition *c) {
  const filter *f = context;
  return depends_on_data(c) == f->on_data ? f->visit(f->context, c) : GJ_OK;
}

static gj_status each_needed(const gj_graph *graph, const uint8_t *needed, filter *f) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    if (needed[ref])
      GJ_TRY(visit_node(graph, ref, pass_on, f));
  return GJ_OK;
}

static gj_status each(const gj_graph *graph, const uint8_t *needed, const uint8_t *called,
                      filter f) {
  GJ_TRY(each_needed(graph, needed, &f));
  for (size_t i = 0; i < gj_graph_function_count(graph); i++) {
    const gj_graph *function = gj_graph_function(graph, i);
    if (called[i])
      GJ_TRY(each_needed(function, function->needed, &f));
  }
  return GJ_OK;
}

gj_status gj_graph_each_condition(const gj_graph *graph, const uint8_t *needed,
                                  const uint8_t *called, gj_condition_fn *visit, void *context) {
  return each(graph, needed, called, (filter){false, visit, context});
}

gj_status gj_graph_each_open_condition(const gj_graph *graph, const uint8_t *needed,
                                       const uint8_t *called, gj_condition_fn *visit,
                                       void *context) {
  return each(graph, needed, called, (filter){true, visit, context});
}

void gj_condition_print(const gj_condition *c, int64_t limit, gj_strbuf *out) {
  const gj_graph *graph = c->graph;
  if (gj_graph_function_number(graph) >= 0)
    gj_strbuf_printf(out, "function @%lld: ", (long long)gj_graph_function_number(graph));
  const gj_dims *dims = gj_graph_dims(graph);
  const gj_node *node = gj_graph_node(graph, c->ref);
  const char *op = gj_op_name((gj_op)node->op);
  gj__text size =
      c->axis < c->type->rank ? gj__dim_text(dims, c->type->shape[c->axis]) : (gj__text){""};
  gj__text whole = c->whole && c->axis < c->whole->rank
                       ? gj__dim_text(dims, c->whole->shape[c->axis])
                       : (gj__text){""};
  switch (c->kind) {
  case GJ_CONDITION_AXIS:
    gj_strbuf_printf(out, "input \"%s\": the size of axis %u, %s, is not in [0, %lld]", node->name,
                     (unsigned)c->axis, size.s, (long long)limit);
    return;
  case GJ_CONDITION_SHAPE:
    gj_strbuf_printf(out, "%s: %%%u of shape %s has a negative size or more than 2^47 bytes", op,
                     c->ref, gj__shape_text(dims, c->type).s);
    return;
  case GJ_CONDITION_COUNT:
    gj_strbuf_printf(out, "reshape: %s has not as many elements as %s (%%%u)",
                     gj__shape_text(dims, c->whole).s, gj__shape_text(dims, c->type).s, c->ref);
    return;
  case GJ_CONDITION_SLICE:
    gj_strbuf_printf(out,
                     "slice: start %s, stride %lld and %s elements (%%%u) leave axis %u of size %s",
                     gj__dim_text(dims, c->start).s, (long long)c->stride, size.s, c->ref,
                     (unsigned)c->axis, whole.s);
    return;
  case GJ_CONDITION_ROUNDS:
    gj_strbuf_printf(out, "for: the count %s (%%%u) is negative or more than 2^47",
                     gj__dim_text(dims, c->start).s, c->ref);
    return;
  case GJ_CONDITION_EXTENT:
    gj_strbuf_printf(out, "%s: the window of axis %u, %s (%%%u), is less than 1 or more than 2^47",
                     op, (unsigned)c->axis, gj__dim_text(dims, c->start).s, c->ref);
    return;
  case GJ_CONDITION_WINDOW:
    if (node->op == GJ_OP_top_k) {
      gj_strbuf_printf(out, "top_k: count is %s, but axis %u of the operand of %%%u has size %s",
                       size.s, (unsigned)c->axis, c->ref, whole.s);
      return;
    }
    gj_strbuf_printf(out, "%s: axis %u of the window has size %s, but the operand of %%%u has %s",
                     op, (unsigned)c->axis, size.s, c->ref, whole.s);
    return;
  case GJ_CONDITION_EQUAL:
    gj_strbuf_printf(out, "%s (%%%u): axis %u of %s has size %s, but axis %u of %s has %s", op,
                     c->ref, (unsigned)c->axis, gj__shape_text(dims, c->whole).s, whole.s,
                     (unsigned)c->other, gj__shape_text(dims, c->type).s,
                     gj__dim_text(dims, c->type->shape[c->other]).s);
    return;
  }
}
