// Halves: f16 and bf16 computed in f32, so that what follows moves them and converts them only.
//
// Requires: a valid graph.
// Keeps:    inputs, outputs and their order, every value bit for bit (payloads of NaNs aside).
// Changes:  ops that compute on halves; nodes that no output needs are gone. Nothing where there
//           are no halves.
//
//   %3 = add %1, %2 : f16[n]          becomes          %3 = convert %1 : f32[n]
//                                                      %4 = convert %2 : f32[n]
//                                                      %5 = add %3, %4 : f32[n]
//                                                      %6 = convert %5 : f16[n]
//
// Every value of a half type has up to two forms: its bits, and the f32 that equals it. An op whose
// row says MOVES takes and gives bits. Any other takes the f32s, and what it makes of them is
// rounded to the half type, which gives the bits, and converted back for users that compute: that
// pair is the rounding which each op owes, and stays. Where the row says KEEPS, there is nothing to
// round, and the result is the second form as it is. What converts there and back with nothing in
// between falls to the rules of fold.c.
#include "passes/pass.h"
#include "passes/words.h"

#include "base/arena.h"

#include <string.h>

typedef struct legaliser {
  const gj_graph *in; // the graph, or one of its functions
  gj_graph *out;
  gj_ref *made; // per ref of `in`: the op as it was appended, for its further results
  gj_ref *bits; // per ref of `in`: its value in its own dtype, or 0
  gj_ref *wide; // per ref of `in` of a half type: the f32 that equals it, or 0
  gj_ref *args; // room for the longest operand list
  uint8_t *needed;
} legaliser;

static bool is_half(const gj_graph *graph, gj_ref ref) {
  return gj_dtype_is_half(gj_graph_node(graph, ref)->type.dtype);
}

static bool has_halves(const gj_graph *graph) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    if (is_half(graph, ref))
      return true;
  return false;
}

static gj_ref bits_of(legaliser *l, gj_ref ref) {
  if (!l->bits[ref])
    l->bits[ref] = gj__w_convert(l->out, l->wide[ref], gj_graph_node(l->in, ref)->type.dtype);
  return l->bits[ref];
}

// The value as ops compute with it: of a half type its f32.
static gj_ref value_of(legaliser *l, gj_ref ref) {
  gj_dtype dtype = gj_graph_node(l->in, ref)->type.dtype;
  if (!gj_dtype_is_half(dtype))
    return l->bits[ref];
  if (!l->wide[ref])
    l->wide[ref] = gj__w_convert(l->out, l->bits[ref], (gj_dtype)gj_dtype_get(dtype)->computed);
  return l->wide[ref];
}

// `made` is the value of `ref`, or of a half type what its op has computed.
static void settle(legaliser *l, gj_ref ref, gj_ref made, gj_op op) {
  gj_dtype dtype = gj_graph_node(l->in, ref)->type.dtype;
  if (!made || gj_graph_node(l->out, made)->type.dtype == dtype)
    l->bits[ref] = made;
  else if (gj_op_get(op)->flags & GJ_OP_KEEPS)
    l->wide[ref] = made;
  else
    l->bits[ref] = gj__w_convert(l->out, made, dtype);
}

// An index counts up in i64 and is rounded once.
static gj_ref count_up(legaliser *l, const gj_node *node) {
  int64_t dtype = GJ_DTYPE_i64;
  gj_attrs attrs = *node->attrs;
  gj_attrs_set(&attrs, GJ_ATTR_dtype, &dtype, 1);
  return gj__w_convert(l->out, gj_graph_append(l->out, (gj_op)node->op, NULL, 0, &attrs),
                       node->type.dtype);
}

static gj_ref rebuild(legaliser *l, gj_ref ref, const gj_node *node) {
  gj_op op = (gj_op)node->op;
  const gj_op_info *info = gj_op_get(op);
  if (op == GJ_OP_param)
    return gj_graph_param(l->out, node->name, &node->type);
  if (op == GJ_OP_const)
    return gj_graph_const_like(l->out, node);
  if (op == GJ_OP_result)
    return gj_graph_append(l->out, op, &l->made[node->args[0]], 1, node->attrs);
  if (op == GJ_OP_iota && gj_dtype_is_half(node->type.dtype))
    return count_up(l, node);
  // What converts again does so from the f32, which simplifying drops if it is on the way only.
  bool moves = (info->flags & GJ_OP_MOVES) && op != GJ_OP_convert;
  for (uint32_t a = 0; a < node->arg_count; a++)
    l->args[a] = moves ? bits_of(l, node->args[a]) : value_of(l, node->args[a]);
  return l->made[ref] = gj_graph_append_like(l->out, node, l->args);
}

// Rebuilds the graph or function `l->in` in `l->out`.
static void legalise(legaliser *l) {
  gj_graph_mark_needed(l->in, l->needed);
  if (gj_graph_computes_sizes(l->in)) // functions that nobody calls may name any of the sizes
    memset(l->needed, 1, gj_graph_node_count(l->in) + 1);
  gj_graph_share_nodes(l->out, true);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(l->in); ref++) {
    l->made[ref] = l->bits[ref] = l->wide[ref] = 0;
    if (!l->needed[ref])
      continue;
    const gj_node *node = gj_graph_node(l->in, ref);
    gj_op owner = (gj_op)node->op;
    if (owner == GJ_OP_result)
      owner = (gj_op)gj_graph_node(l->in, node->args[0])->op;
    settle(l, ref, rebuild(l, ref, node), owner);
  }
  for (size_t i = 0; i < gj_graph_output_count(l->in); i++) {
    const gj_output *output = gj_graph_output(l->in, i);
    gj_graph_set_output(l->out, output->name, bits_of(l, output->ref));
  }
}

// Functions take and give bits, as whoever calls them does, and keep their numbers.
static void legalise_all(legaliser *l, const gj_graph *in, gj_graph *out) {
  for (size_t i = 0; i < gj_graph_function_count(in); i++) {
    l->in = gj_graph_function(in, i);
    l->out = gj_graph_function_new(out, gj_graph_name(l->in));
    if (!l->out)
      return;
    legalise(l);
    gj_graph_function_add(l->out);
  }
  l->in = in;
  l->out = out;
  legalise(l);
}

// The most nodes and operands of the graph or a function.
static void measure(const gj_graph *graph, size_t *nodes, size_t *args) {
  size_t count = gj_graph_node_count(graph);
  *nodes = count > *nodes ? count : *nodes;
  for (gj_ref ref = 1; ref <= count; ref++)
    if (gj_graph_node(graph, ref)->arg_count > *args)
      *args = gj_graph_node(graph, ref)->arg_count;
}

gj_status gj_pass_halves(const gj_graph *in, gj_pass_id until, gj_ref *out_map,
                         gj_graph **out_graph, gj_error *err) {
  (void)until;
  *out_graph = NULL;
  size_t count = 0, longest = 1;
  bool halves = has_halves(in);
  measure(in, &count, &longest);
  for (size_t i = 0; i < gj_graph_function_count(in); i++) {
    halves = halves || has_halves(gj_graph_function(in, i));
    measure(gj_graph_function(in, i), &count, &longest);
  }
  if (!halves)
    return GJ_OK;
  count++;
  gj_arena scratch;
  gj_arena_init(&scratch, 1 << 16);
  gj_graph *out = gj_graph_new_like(in);
  legaliser l = {.made = gj_arena_array(&scratch, count, sizeof *l.made),
                 .bits = gj_arena_array(&scratch, count, sizeof *l.bits),
                 .wide = gj_arena_array(&scratch, count, sizeof *l.wide),
                 .args = gj_arena_array(&scratch, longest, sizeof *l.args),
                 .needed = gj_arena_array(&scratch, count, 1)};
  gj_status status = GJ_OK;
  if (!out || !l.made || !l.bits || !l.wide || !l.args || !l.needed) {
    status = gj_fail(err, GJ_E_MEMORY, "halves: out of memory for %zu nodes", count - 1);
  } else {
    legalise_all(&l, in, out);
    for (gj_ref ref = 0; ref <= gj_graph_node_count(in); ref++)
      out_map[ref] = l.bits[ref];
    status = gj_graph_take_error(out, err);
  }
  if (status == GJ_OK)
    *out_graph = out;
  else
    gj_graph_free(out);
  gj_arena_fini(&scratch);
  return status;
}
