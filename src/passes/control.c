// Where a control op keeps what beside its results: one piece of working memory, divided.
//
// A carried value that the body changes in place (in_place.c) has one place: that of the result
// where somebody asks for it. Of the others a loop has two sets: a round reads one and writes the
// other, and no value is copied between rounds. Behind them are the places of results that nobody
// uses, which functions write all the same, a line for the condition or the number of the round,
// and the memory that the functions work in, the same for all of them, since only one runs at a
// time.
#include "passes/plan.h"

typedef struct layout {
  const gj_plan *plan;
  gj_dims *dims;
  gj_dim end;
} layout;

// A place for `bytes`, on a boundary of 64.
static gj_dim reserve(layout *l, gj_dim bytes) {
  gj_dim line = gj_dim_const(l->dims, 64), place = l->end;
  gj_dim up = gj_dim_add(l->dims, bytes, gj_dim_const(l->dims, 63));
  gj_dim lines = gj_dim_floordiv(l->dims, up, line);
  l->end = gj_dim_add(l->dims, l->end, gj_dim_mul(l->dims, lines, line));
  return place;
}

static gj_dim bytes_of(const layout *l, const gj_type *type) {
  gj_dim element = gj_dim_const(l->dims, (int64_t)gj_dtype_bytes(type->dtype));
  return gj_dim_mul(l->dims, gj_type_size(l->dims, type), element);
}

static gj_dim most_scratch(const layout *l, const gj_attr_list *functions) {
  gj_dim most = 0;
  for (size_t i = 0; i < functions->count; i++)
    most = gj_dim_max(l->dims, most, l->plan->functions[functions->values[i]]->scratch_bytes);
  return most;
}

const gj_graph *gj__control_body(const gj_graph *graph, const gj_node *node) {
  size_t last = node->op == GJ_OP_while ? 1 : 0;
  return gj_graph_function(graph, (size_t)node->attrs->list[GJ_ATTR_functions].values[last]);
}

const gj_plan *gj__control_plan(const gj_plan *plan, const gj_node *node) {
  return plan->functions[gj_graph_function_number(gj__control_body(plan->graph, node))];
}

// --- registers ---

enum { REGISTER_NODES = 512 }; // of a kernel, as often as they are written

static bool is_register_function(const gj_graph *function, unsigned *budget);

// A value that is computed where an element of it is wanted.
static bool is_computed_alone(const gj_node *node) { return !gj__has_own_kernel(node); }

// The stacked operands of a loop have one element for each round.
static bool is_register_control(const gj_graph *graph, const gj_node *node, bool inner,
                                unsigned *budget) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  for (size_t i = 0; i < list->count; i++)
    if (!is_register_function(gj_graph_function(graph, (size_t)list->values[i]), budget))
      return false;
  size_t carried = node->attrs->set & GJ_HAS_CARRIED ? (size_t)gj_node_int(node, GJ_ATTR_carried)
                                                     : node->result_count;
  if (inner && carried < node->result_count)
    return false;
  for (uint32_t a = 0; inner && a < node->arg_count; a++) {
    const gj_node *arg = gj_graph_node(graph, node->args[a]);
    if (!gj__has_one_element(&arg->type) && arg->op != GJ_OP_param)
      return false;
  }
  if (node->op != GJ_OP_for)
    return true;
  const gj_graph *body = gj__control_body(graph, node);
  size_t stacked = (size_t)gj_node_int(node, GJ_ATTR_stacked);
  for (size_t i = carried; i < carried + stacked; i++)
    if (!gj__has_one_element(&gj_graph_node(body, gj_graph_input(body, i + 1))->type))
      return false;
  return true;
}

static bool is_register_function(const gj_graph *function, unsigned *budget) {
  size_t count = gj_graph_node_count(function);
  if (count > *budget)
    return false;
  *budget -= (unsigned)count;
  for (size_t i = 0; i < gj_graph_output_count(function); i++)
    if (!gj__has_one_element(gj_graph_output_type(function, i)))
      return false;
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(function, ref);
    bool control = gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS);
    if (control ? !is_register_control(function, node, true, budget) : !is_computed_alone(node))
      return false;
  }
  return true;
}

bool gj__runs_in_registers(const gj_graph *graph, const gj_node *node) {
  unsigned budget = REGISTER_NODES;
  return is_register_control(graph, node, false, &budget);
}

// --- memory ---

gj_status gj__control_places(const gj_plan *plan, const gj_kernel *kernel, gj_arena *arena,
                             gj_control_places *out, gj_error *err) {
  const gj_node *node = gj_graph_node(plan->graph, kernel->owner);
  const gj_graph *body = gj__control_body(plan->graph, node);
  uint32_t results = node->result_count;
  bool loops = node->attrs->set & GJ_HAS_CARRIED;
  layout l = {plan, gj_graph_dims(plan->graph), 0};
  *out = (gj_control_places){.carried = loops ? (uint32_t)gj_node_int(node, GJ_ATTR_carried) : 0};
  out->stores = gj_arena_array(arena, results, sizeof *out->stores);
  out->places = gj_arena_array(arena, results, sizeof *out->places);
  out->in_place = gj_arena_array(arena, results, sizeof *out->in_place);
  if (!out->stores || !out->places || !out->in_place)
    return gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %u results", results);
  const uint32_t *taken = gj__control_plan(plan, node)->taken;
  for (uint32_t i = 0; i < results; i++) {
    out->stores[i] = GJ_NO_BUFFER;
    out->in_place[i] = i < out->carried && taken[i] == i + (node->op == GJ_OP_for);
  }
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    const gj_node *store = gj_graph_node(plan->graph, kernel->stores[i].ref);
    out->stores[store->op == GJ_OP_result ? gj_node_int(store, GJ_ATTR_index) : 0] =
        kernel->stores[i].buffer;
  }
  if (gj__runs_in_registers(plan->graph, node))
    return GJ_OK;
  for (uint32_t i = 0; i < out->carried; i++)
    if (!out->in_place[i])
      out->places[i] = reserve(&l, bytes_of(&l, gj_graph_output_type(body, i)));
  out->set = l.end;
  l.end = gj_dim_add(l.dims, l.end, l.end);
  for (uint32_t i = 0; i < results; i++)
    if (out->stores[i] == GJ_NO_BUFFER && (i >= out->carried || out->in_place[i]))
      out->places[i] = reserve(&l, bytes_of(&l, gj_graph_output_type(body, i)));
  out->line = loops ? reserve(&l, 8) : l.end;
  out->inner = l.end;
  out->bytes = gj_dim_add(l.dims, l.end, most_scratch(&l, &node->attrs->list[GJ_ATTR_functions]));
  return GJ_OK;
}
