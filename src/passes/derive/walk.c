// See walk.h, and the table of rules.
#include "passes/derive/walk.h"

#include "passes/derive/control.h"

// A row without a rule leaves two designators side by side, which no compiler takes.
static const gj__derive_rule rules[GJ_OP_COUNT] = {
#define GJ_OP(name, ...) [GJ_OP_##name] =
#define GJ_DERIVE(reverse, forward) {gj__vjp_##reverse, gj__jvp_##forward, NULL},
#define GJ_FORMULA(formulas) {gj__vjp_formula, gj__jvp_formula, formulas},
#define gj__vjp_none NULL
#define gj__jvp_none NULL
#include "ops/ops.def"
};

const gj__derive_rule *gj__d_rule_of(gj_op op) { return &rules[op]; }

const char *gj_derivative_text(gj_op op) {
  return !rules[op].vjp ? "none" : rules[op].formulas ? rules[op].formulas : "rule";
}

gj_ref gj__d_owner_of(const gj_graph *graph, gj_ref ref, size_t *out_index) {
  const gj_node *node = gj_graph_node(graph, ref);
  *out_index = node->op == GJ_OP_result ? (size_t)gj_node_int(node, GJ_ATTR_index) : 0;
  return node->op == GJ_OP_result ? node->args[0] : ref;
}

void gj__d_refuse(gj__derive *d, gj_ref ref, const char *why) {
  gj_error error;
  gj_op op = (gj_op)gj_graph_node(d->graph, ref)->op;
  gj_fail(&error, GJ_E_UNSUPPORTED, "derivative of %s (%%%u): %s", gj_op_name(op), ref, why);
  gj_graph_refuse(d->graph, &error);
}

// Whether a value that depends on a variable is read as one. A node with several results stands for
// its first one itself, but not for `result` nodes.
static bool reads(const gj_graph *graph, const uint8_t *marks, const gj_node *user, gj_ref arg) {
  return user->op == GJ_OP_result
             ? marks[arg] & GJ__SOME
             : marks[arg] & GJ__FLOWS && gj_dtype_is_float(gj_graph_node(graph, arg)->type.dtype);
}

bool gj__d_passes_on(const gj_node *node) {
  if (node->op == GJ_OP_result)
    return gj_dtype_is_float(node->type.dtype);
  return rules[node->op].vjp &&
         (gj_node_result_count(node) > 1 || gj_dtype_is_float(node->type.dtype));
}

bool gj__d_wants(const gj__derive *d, gj_ref operand) {
  return d->active[operand] && gj_dtype_is_float(gj__type_of(d, operand)->dtype);
}

bool gj__d_needs(const gj__derive *d, const gj_node *node) {
  bool needs = false;
  for (uint32_t a = 0; a < node->arg_count; a++)
    needs = needs || gj__d_wants(d, node->args[a]);
  return needs && rules[node->op].vjp;
}

// Of what depends on a variable, what the ys need.
static void mark_active(gj__derive *d, const gj_ref *ys, size_t y_count, const uint8_t *depends) {
  for (size_t k = 0; k < y_count; k++)
    d->active[ys[k]] = d->active[ys[k]] || depends[ys[k]] & GJ__FLOWS;
  for (gj_ref ref = (gj_ref)d->count; ref > 0; ref--) {
    const gj_node *node = gj_graph_node(d->graph, ref);
    for (uint32_t a = 0; a < node->arg_count && d->active[ref] && gj__d_passes_on(node); a++)
      if (reads(d->graph, depends, node, node->args[a]))
        d->active[node->args[a]] = 1;
  }
}

static gj_status check_values(gj__derive *d, const char *what, const gj_ref *refs, size_t count,
                              gj_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (refs[i] == 0 || refs[i] > d->count)
      return gj_fail(err, GJ_E_ARGUMENT, "derivative: %s %zu is no value of the graph", what, i);
    gj_dtype dtype = gj__type_of(d, refs[i])->dtype;
    if (!gj_dtype_is_float(dtype))
      return gj_fail(err, GJ_E_DTYPE,
                     "derivative: %s %zu (%%%u) is of dtype %s, but must be a float", what, i,
                     refs[i], gj_dtype_name(dtype));
  }
  return GJ_OK;
}

gj_status gj__derive_begin(gj__derive *d, const gj_ref *ys, size_t y_count, const gj_ref *wrt,
                           size_t count, gj_error *err) {
  gj_arena_init(&d->arena, 1 << 16);
  d->count = gj_graph_node_count(d->graph);
  GJ_TRY(check_values(d, "value", ys, y_count, err));
  GJ_TRY(check_values(d, "variable", wrt, count, err));
  uint8_t *depends = gj_arena_array(&d->arena, d->count + 1, 1);
  d->active = gj_arena_array(&d->arena, d->count + 1, 1);
  d->cotangents = gj_arena_array(&d->arena, d->count + 1, sizeof *d->cotangents);
  d->tangents = gj_arena_array(&d->arena, d->count + 1, sizeof *d->tangents);
  if (!depends || !d->active || !d->cotangents || !d->tangents)
    return gj_fail(err, GJ_E_MEMORY, "derivative: out of memory for %zu nodes", d->count);
  for (size_t i = 0; i < count; i++)
    depends[wrt[i]] = GJ__FLOWS;
  if (!gj__d_mark(&d->arena, d->graph, d->count, depends))
    return gj_fail(err, GJ_E_MEMORY, "derivative: out of memory for %zu nodes", d->count);
  mark_active(d, ys, y_count, depends);
  d->shared_before = gj_graph_share_nodes(d->graph, true);
  return GJ_OK;
}

gj_status gj__derive_end(gj__derive *d, gj_status status, gj_error *err) {
  if (d->active)
    gj_graph_share_nodes(d->graph, d->shared_before);
  gj_arena_fini(&d->arena);
  gj_error own;
  gj_status failed = gj_graph_take_error(d->graph, &own);
  if (status != GJ_OK || failed == GJ_OK)
    return status;
  *err = own;
  return failed;
}
