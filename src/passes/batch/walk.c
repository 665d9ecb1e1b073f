// See batch.h: the walk over a function, and the table of rules.
#include "passes/batch/rules.h"

#include "ir/infer/infer.h"

// A row without a rule leaves two designators side by side, which no compiler takes.
static gj__batch_fn *const rules[GJ_OP_COUNT] = {
#define GJ_OP(name, ...) [GJ_OP_##name] =
#define GJ_BATCH(rule) gj__batch_##rule,
#define gj__batch_none NULL
#include "ops/ops.def"
};

void gj__b_refuse(gj__batch *b, gj_op op, const char *why) {
  gj_error error;
  gj_fail(&error, GJ_E_UNSUPPORTED, "batch of %s: %s", gj_op_name(op), why);
  gj_graph_refuse(b->out, &error);
}

bool gj__b_no_memory(gj__batch *b) {
  gj_error error;
  gj_fail(&error, GJ_E_MEMORY, "batch: out of memory");
  gj_graph_refuse(b->out, &error);
  return false;
}

void *gj__b_room(gj__batch *b, size_t count, size_t size) {
  void *room = gj_arena_array(&b->all->arena, count, size);
  if (!room)
    gj__b_no_memory(b);
  return room;
}

// A node that no batched operand leads to, as it is.
static void copy(gj__batch *b, const gj_node *node, const gj_batched *args, gj_batched *out) {
  gj_ref *refs = gj__b_room(b, node->arg_count, sizeof *refs);
  for (uint32_t i = 0; refs && i < node->arg_count; i++)
    refs[i] = args[i].ref;
  gj_ref made = !refs                     ? 0
                : node->op == GJ_OP_const ? gj_graph_const_like(b->out, node)
                                          : gj_graph_append_like(b->out, node, refs);
  gj__b_results(b, node, made, false, out);
}

static void append_node(gj__batch *b, const gj_node *node, gj_batched *out) {
  gj_batched *args = gj__b_room(b, node->arg_count, sizeof *args);
  bool batched = false;
  for (uint32_t i = 0; args && i < node->arg_count; i++) {
    args[i] = b->made[node->args[i]][0];
    batched = batched || args[i].batched;
  }
  // A shape that says nothing may be there to tell one value from its like (a variable of a
  // derivative that was asked for), which a node that is shared would not.
  const gj_type *type = node->op == GJ_OP_reshape && args ? gj__b_type(b, args[0].ref) : NULL;
  if (type && !batched && gj__type_equal(type, &node->type))
    out[0] = args[0];
  else if (args && batched)
    rules[node->op](b, node, args, out);
  else if (args)
    copy(b, node, args, out);
}

static bool append_nodes(gj__batch *b, const gj_graph *function, const uint8_t *needed) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(function); ref++) {
    const gj_node *node = gj_graph_node(function, ref);
    if (!needed[ref] || b->made[ref])
      continue;
    if (node->op == GJ_OP_result) {
      b->made[ref] = b->made[node->args[0]] + gj_node_int(node, GJ_ATTR_index);
      continue;
    }
    gj_batched *made = gj__b_room(b, gj_node_result_count(node), sizeof *made);
    if (!made)
      return false;
    append_node(b, node, made);
    if (!made[0].ref)
      return false;
    b->made[ref] = made;
  }
  return true;
}

bool gj__b_append_function(gj__batching *all, const gj_graph *function, gj_graph *out,
                           const gj_batched *inputs, gj_batched *outputs) {
  gj__batch b = {.all = all, .out = out};
  size_t count = gj_graph_node_count(function);
  uint8_t *needed = gj__b_room(&b, count + 1, 1);
  b.made = gj__b_room(&b, count + 1, sizeof *b.made);
  gj_batched *given = gj__b_room(&b, gj_graph_input_count(function), sizeof *given);
  if (!needed || !b.made || !given)
    return false;
  gj_graph_mark_needed(function, needed);
  for (size_t i = 0; i < gj_graph_input_count(function); i++) {
    given[i] = inputs[i];
    b.made[gj_graph_input(function, i)] = &given[i];
  }
  bool before = gj_graph_share_nodes(out, true);
  bool done = append_nodes(&b, function, needed);
  gj_graph_share_nodes(out, before);
  for (size_t k = 0; done && k < gj_graph_output_count(function); k++)
    outputs[k] = b.made[gj_graph_output(function, k)->ref][0];
  return done;
}

// --- the pass ---

static gj_status check_inputs(gj_graph *graph, const gj_graph *function, const gj_batched *inputs,
                              gj_dim size, gj_error *err) {
  gj_dims *dims = gj_graph_dims(graph);
  if (gj_graph_root(graph) != gj_graph_root(function))
    return gj_fail(err, GJ_E_ARGUMENT, "batch: function \"%s\" is of another graph",
                   gj_graph_name(function));
  if (!gj_dim_is_valid(dims, size))
    return gj_fail(err, GJ_E_SHAPE, "batch: the size is none");
  for (size_t i = 0; i < gj_graph_input_count(function); i++) {
    const gj_type *want = &gj_graph_node(function, gj_graph_input(function, i))->type;
    if (inputs[i].ref == 0 || inputs[i].ref > gj_graph_node_count(graph))
      return gj_fail(err, GJ_E_ARGUMENT, "batch: input %zu is no value of the graph", i);
    gj_type have = gj_graph_node(graph, inputs[i].ref)->type;
    bool fits = !inputs[i].batched || (have.rank > 0 && have.shape[0] == size);
    if (fits && inputs[i].batched)
      memmove(have.shape, have.shape + 1, --have.rank * sizeof *have.shape);
    if (!fits || !gj__type_equal(&have, want))
      return gj_fail(err, GJ_E_SHAPE, "batch: input %zu is %s, which is no %s%s of batch size %s",
                     i, gj__type_text(dims, &gj_graph_node(graph, inputs[i].ref)->type).s,
                     inputs[i].batched ? "batch of " : "", gj__type_text(dims, want).s,
                     gj__dim_text(dims, size).s);
  }
  return GJ_OK;
}

gj_status gj_graph_batch(gj_graph *graph, const gj_graph *function, const gj_batched *inputs,
                         gj_dim size, gj_batched *outputs, gj_error *err) {
  gj__batching all = {.size = size};
  GJ_TRY(check_inputs(graph, function, inputs, size, err));
  gj_arena_init(&all.arena, 1 << 16);
  gj__batch room = {.all = &all, .out = graph};
  all.variants = gj__b_room(&room, gj_graph_function_count(graph), sizeof *all.variants);
  bool done = all.variants && gj__b_append_function(&all, function, graph, inputs, outputs);
  gj_arena_fini(&all.arena);
  GJ_TRY(gj_graph_take_error(graph, err));
  return done ? GJ_OK : gj_fail(err, GJ_E_INTERNAL, "batch: a rule gave no value");
}
