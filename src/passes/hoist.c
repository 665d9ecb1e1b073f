// What is the same in every round of a loop and costs something is computed before it.
//
// That is what depends on constants of the loop only: values that are captured, or carried and left
// alone. Cheap ones stay, since they fuse; what is kept becomes one more operand of the loop. A
// loop of no rounds then computes it for nothing.
#include "passes/fold/control.h"

#include <stdio.h>
#include <string.h>

// What becomes of an op that is the same in every round, see kinds.def: it must stay where it is;
// it is cheap, so it is computed where it is wanted; it is worth a place in memory.
typedef enum fate { STAYS, CHEAP, KEPT } fate;

static fate hoist_stays(const gj_node *node) {
  (void)node;
  return STAYS;
}

static fate hoist_cheap(const gj_node *node) {
  (void)node;
  return CHEAP;
}

static fate hoist_costly(const gj_node *node) {
  return gj_op_get((gj_op)node->op)->flags & GJ_OP_COSTLY ? KEPT : CHEAP;
}

// Several results would be as many operands of the loop.
static fate hoist_single(const gj_node *node) {
  return gj_node_result_count(node) == 1 ? KEPT : CHEAP;
}

typedef fate hoist_fn(const gj_node *node);

static hoist_fn *const rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_HOIST(rule) hoist_##rule,
#include "ops/kinds.def"
};

static fate fate_of(const gj_node *node) { return rules[gj_op_kind_of((gj_op)node->op)](node); }

// Fills out_refs with what a function of a loop computes of constants of the loop only and what the
// rest of it needs; how many there are.
static size_t find_constant(const gj__control *c, const gj_graph *f, gj_ref *out_refs) {
  size_t count = gj_graph_node_count(f), input = 0, found = 0;
  size_t varying = c->carried + c->stacked + (c->op == GJ_OP_for);
  uint8_t *constant = gj__control_room(c, count, 1), *used = gj__control_room(c, count, 1);
  if (!constant || !used)
    return 0;
  for (gj_ref ref = 1; ref <= count; ref++) {
    const gj_node *node = gj_graph_node(f, ref);
    constant[ref] = fate_of(node) != STAYS;
    if (node->op == GJ_OP_param)
      constant[ref] = input++ >= varying;
    for (uint32_t a = 0; a < node->arg_count; a++)
      constant[ref] = constant[ref] && constant[node->args[a]];
  }
  for (size_t i = 0; i < gj_graph_output_count(f); i++)
    used[gj_graph_output(f, i)->ref] = 1;
  for (gj_ref ref = (gj_ref)count; ref > 0; ref--) {
    const gj_node *node = gj_graph_node(f, ref);
    bool kept = used[ref] && constant[ref] && fate_of(node) == KEPT;
    if (kept)
      out_refs[found++] = ref;
    for (uint32_t a = 0; used[ref] && !kept && a < node->arg_count; a++)
      used[node->args[a]] = 1;
  }
  return found;
}

// A param whose name no other has.
static gj_ref add_param(gj_graph *to, const gj_type *type, size_t *number) {
  char name[32];
  bool taken = true;
  while (taken) {
    snprintf(name, sizeof name, "kept%zu", (*number)++);
    taken = false;
    for (size_t i = 0; i < gj_graph_input_count(to) && !taken; i++)
      taken = strcmp(gj_graph_node(to, gj_graph_input(to, i))->name, name) == 0;
  }
  return gj_graph_param(to, name, type);
}

// The function with inputs for `count` values behind its own; for those of `refs`, which begin at
// `from`, they take the place of what it would compute.
static int64_t with_kept(const gj__control *c, const gj_graph *f, const gj_type *types,
                         size_t count, const gj_ref *refs, size_t from, size_t own) {
  gj_graph *to = gj_graph_function_new(c->r->out, gj_graph_name(f));
  size_t inputs = gj_graph_input_count(f), outputs = gj_graph_output_count(f), number = 0;
  gj_ref *given = gj__control_room(c, inputs, sizeof *given);
  gj_ref *instead = gj__control_room(c, gj_graph_node_count(f), sizeof *instead);
  gj__reach need;
  if (!to || !given || !instead || !gj__reach_begin(c, f, &need))
    return -1;
  gj_graph_share_nodes(to, true);
  for (size_t i = 0; i < inputs; i++)
    given[i] = gj__control_param(to, f, i);
  for (size_t i = 0; i < count; i++) {
    gj_ref param = add_param(to, &types[i], &number);
    if (i >= from && i < from + own)
      instead[refs[i - from]] = param;
  }
  for (size_t i = 0; i < outputs; i++)
    gj__reach_output(&need, i);
  const gj_ref *map = gj__control_build(c, &need, to, given, instead);
  for (size_t i = 0; map && i < outputs; i++)
    gj_graph_set_output(to, gj_graph_output(f, i)->name, map[gj_graph_output(f, i)->ref]);
  return map ? gj__rebuild_add_function(c->r->all, to) : -1;
}

// Computes some values of function `i` in the graph around; false after a failure.
static bool compute_before(const gj__control *c, size_t i, const gj_ref *refs, size_t count,
                           gj_ref *out_args, gj_type *out_types) {
  const gj_graph *f = gj__control_function(c, i);
  gj_ref *given = gj__control_room(c, gj_graph_input_count(f), sizeof *given);
  gj__reach need;
  if (!given || !gj__reach_begin(c, f, &need))
    return false;
  for (size_t a = 0; a < c->arg_count; a++)
    given[gj__control_input(c, a)] = c->args[a];
  for (size_t k = 0; k < count; k++)
    gj__reach_ref(&need, refs[k]);
  const gj_ref *map = gj__control_build(c, &need, c->r->out, given, NULL);
  for (size_t k = 0; map && k < count; k++) {
    out_args[k] = map[refs[k]];
    out_types[k] = gj_graph_node(f, refs[k])->type;
    if (!out_args[k])
      return false;
  }
  return map != NULL;
}

void gj__control_hoist(gj__control *c) {
  size_t nodes = 0, total = 0, found[2] = {0}, count = c->function_count;
  if (!gj__control_loops(c))
    return;
  for (size_t i = 0; i < count; i++)
    nodes += gj_graph_node_count(gj__control_function(c, i));
  gj_ref *refs = gj__control_room(c, nodes, sizeof *refs);
  gj_ref *args = gj__control_room(c, c->arg_count + nodes, sizeof *args);
  gj_type *types = gj__control_room(c, nodes, sizeof *types);
  int64_t *numbers = gj__control_room(c, count, sizeof *numbers);
  if (!refs || !args || !types || !numbers)
    return;
  for (size_t i = 0; i < count; i++)
    total += found[i] = find_constant(c, gj__control_function(c, i), refs + total);
  size_t functions = gj_graph_function_count(c->r->out) + gj_graph_function_count(c->r->in);
  if (total == 0 || functions + count > GJ_MAX_FUNCTIONS / 2 || !gj__control_spend(c, 2 * nodes))
    return;
  memcpy(args, c->args, c->arg_count * sizeof *args);
  for (size_t i = 0, from = 0; i < count; from += found[i++])
    if (!compute_before(c, i, refs + from, found[i], args + c->arg_count + from, types + from))
      return;
  for (size_t i = 0, from = 0; i < count; from += found[i++]) {
    numbers[i] =
        with_kept(c, gj__control_function(c, i), types, total, refs + from, from, found[i]);
    if (numbers[i] < 0)
      return;
  }
  c->numbers = numbers;
  c->args = args;
  c->arg_count += total;
}
