// Rules of for, as JAX's scan has them.
//
// Forward: the loop with tangents beside the values. Reverse: the loop stacks the residuals of each
// round as well, and another in the other direction carries cotangents of what was carried and sums
// of those of the constants, and stacks those of what was stacked. Nothing is carried for a value
// that has no derivative. What a round makes of a carried value is what the next one begins with,
// so where both are residuals one of them is stacked, and goes on from round to round as the other.
#include "passes/derive/control.h"

typedef struct loop {
  gj__derive *d;
  gj_ref ref;
  const gj_node *node;
  const gj_graph *body;
  size_t args, carried, end, outputs; // operands from `end` on are constants; outputs of the body
  uint8_t *flows; // by operand: it depends on a variable, in the first round or later
  gj__joint joint;
} loop;

static bool begin(loop *l, gj__derive *d, gj_ref ref, const gj_node *node, uint8_t *out_results) {
  *l = (loop){.d = d, .ref = ref, .node = node, .body = gj__d_function(d, node, 0)};
  l->args = node->arg_count;
  l->carried = (size_t)gj_node_int(node, GJ_ATTR_carried);
  l->end = l->carried + (size_t)gj_node_int(node, GJ_ATTR_stacked);
  l->outputs = gj_graph_output_count(l->body);
  l->flows = gj__d_room(d, l->args, 1);
  for (size_t i = 0; l->flows && i < l->args; i++)
    l->flows[i] = gj__d_wants(d, node->args[i]);
  if (l->flows && out_results &&
      gj__d_flow_control(&d->arena, d->graph, node, l->flows, out_results))
    return true;
  gj__d_refuse(d, ref, "out of memory");
  return false;
}

static gj_ref input_of(const loop *l, size_t operand) {
  return l->joint.map[gj_graph_input(l->body, operand + 1)];
}

static const gj_type *part_type(const loop *l, size_t operand) {
  return gj__input_type(l->body, operand + 1);
}

// A loop being made: its body, and what that is given.
typedef struct made {
  gj_graph *to;
  gj_ref *map; // by ref of the joint
  gj_ref *args;
  size_t count, carried, stacked;
} made;

static bool begin_made(loop *l, made *m, const char *name, size_t most) {
  static const gj_type index = {.dtype = GJ_DTYPE_i64};
  *m = (made){.to = gj__d_function_new(l->d, name)};
  m->map = gj__d_room(l->d, gj_graph_node_count(l->joint.graph) + 1, sizeof *m->map);
  m->args = gj__d_room(l->d, most, sizeof *m->args);
  if (!m->to || !m->map || !m->args)
    return false;
  m->map[l->joint.map[gj_graph_input(l->body, 0)]] = gj__d_input(m->to, &index);
  return true;
}

// An operand of the loop as an input of its body, which stands for `inner` of the joint.
static gj_ref take(made *m, const gj_type *type, gj_ref inner, gj_ref arg) {
  m->args[m->count++] = arg;
  gj_ref input = gj__d_input(m->to, type);
  if (inner)
    m->map[inner] = input;
  return input;
}

static gj_ref append(loop *l, made *m, bool turns) {
  gj_attrs attrs = *l->node->attrs;
  int64_t number = gj__d_function_add(l->d, m->to);
  int64_t carried = (int64_t)m->carried, stacked = (int64_t)m->stacked;
  int64_t descending = gj_node_int(l->node, GJ_ATTR_descending) != turns;
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_attrs_set(&attrs, GJ_ATTR_carried, &carried, 1);
  gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  gj_attrs_set(&attrs, GJ_ATTR_descending, &descending, 1);
  for (size_t i = 0; i < m->count; i++)
    if (!m->args[i])
      return 0;
  return number < 0 ? 0 : gj_graph_append(l->d->graph, GJ_OP_for, m->args, m->count, &attrs);
}

// What the joint made, or zeros.
static gj_ref made_or_zeros(const loop *l, made *m, size_t i) {
  gj__derive inside = gj__d_inside(l->d, m->to);
  gj_ref own = m->map[l->joint.made[i]];
  return own ? own : gj__d_filled(&inside, gj__joint_made_type(&l->joint, i), 0);
}

// --- reverse ---

static bool find_given(const loop *l, const gj_ref *cts, uint8_t *out_given) {
  for (size_t k = 0; k < l->outputs; k++)
    out_given[k] = cts[k] != 0;
  if (gj__d_flow_back(l->body, 1, l->carried, l->flows, out_given))
    return true;
  gj__d_refuse(l->d, l->ref, "out of memory");
  return false;
}

static bool make_joint(loop *l, const uint8_t *given) {
  gj__derive *d = l->d;
  uint8_t *wanted = gj__d_room(d, l->args + 1, 1), *there = gj__d_room(d, l->args + 1, 1);
  if (!wanted || !there)
    return false;
  there[0] = GJ__FIXED;
  for (size_t i = 0; i < l->args; i++) {
    wanted[i + 1] = i < l->carried ? given[i] : gj__d_wants(d, l->node->args[i]);
    there[i + 1] = i < l->carried ? GJ__STORED : i < l->end ? GJ__THERE : GJ__FIXED;
  }
  return gj__joint_vjp(d, l->body, given, wanted, &l->joint) &&
         gj__joint_cut(d, &l->joint, there, NULL);
}

static bool is_residual(const gj__joint *joint, gj_ref ref) {
  for (size_t i = 0; i < joint->residual_count; i++)
    if (joint->residuals[i] == ref)
      return true;
  return false;
}

static bool is_stacked_anyway(const loop *l, gj_ref residual) {
  return gj__joint_output_of(&l->joint, residual, l->carried) < l->outputs;
}

// The carried value whose next one a residual is, where it is a residual, too, or else the count.
static size_t follows(const loop *l, gj_ref residual) {
  size_t i = gj__joint_output_of(&l->joint, residual, 0);
  bool is_next = i < l->carried && is_residual(&l->joint, input_of(l, i));
  return is_next && !is_stacked_anyway(l, residual) ? i : l->carried;
}

// The other residuals that the loop does not stack anyway become further results of it.
static bool widen(loop *l) {
  const gj__joint *joint = &l->joint;
  gj_ref *values = gj__d_room(l->d, joint->residual_count, sizeof *values);
  size_t count = 0;
  for (size_t i = 0; values && i < joint->residual_count; i++)
    if (!is_stacked_anyway(l, joint->residuals[i]) && follows(l, joint->residuals[i]) == l->carried)
      values[count++] = joint->residuals[i];
  if (!values || count == 0)
    return values != NULL;
  int64_t number = gj__joint_widened(l->d, joint, values, NULL, count);
  return number >= 0 && gj_graph_widen(l->d->graph, l->ref, &number);
}

static void take_cotangents(loop *l, made *m, const gj_ref *cts, const uint8_t *given) {
  for (size_t i = 0; i < l->carried; i++)
    if (given[i]) {
      const gj_type *type = part_type(l, i);
      take(m, type, l->joint.given[i], cts[i] ? cts[i] : gj__d_filled(l->d, type, 0));
    }
}

// The last values that were carried are what the last round made.
static void take_next(loop *l, made *m) {
  for (size_t i = 0; i < l->joint.residual_count; i++) {
    size_t of = follows(l, l->joint.residuals[i]);
    if (of < l->carried)
      take(m, part_type(l, of), l->joint.residuals[i], gj__d_result(l->d, l->ref, of));
  }
  m->carried = m->count;
}

// Sums that begin with zero; the inputs for them, by operand.
static void take_sums(loop *l, made *m, gj_ref *out_sums) {
  for (size_t i = l->end; i < l->args; i++)
    if (l->joint.made[i + 1])
      out_sums[i] = take(m, part_type(l, i), 0, gj__d_filled(l->d, part_type(l, i), 0));
}

static void take_stacked(loop *l, made *m, const gj_ref *cts) {
  const gj__joint *joint = &l->joint;
  size_t next = l->outputs;
  for (size_t i = l->carried; i < l->end; i++)
    if (gj__joint_needs_input(joint, i + 1))
      take(m, part_type(l, i), input_of(l, i), l->node->args[i]);
  for (size_t i = 0; i < joint->residual_count; i++) {
    gj_ref own = joint->residuals[i];
    if (follows(l, own) < l->carried)
      continue;
    size_t result = gj__joint_output_of(joint, own, l->carried);
    gj_ref whole = gj__d_result(l->d, l->ref, result < l->outputs ? result : next++);
    take(m, &gj_graph_node(joint->graph, own)->type, own, whole);
  }
  for (size_t k = l->carried; k < l->outputs; k++)
    if (joint->given[k])
      take(m, gj_graph_output_type(l->body, k), joint->given[k], cts[k]);
  m->stacked = m->count - m->carried;
}

static void take_constants(loop *l, made *m) {
  for (size_t i = l->end; i < l->args; i++)
    if (gj__joint_needs_input(&l->joint, i + 1))
      take(m, part_type(l, i), input_of(l, i), l->node->args[i]);
}

static void set_outputs(loop *l, made *m, const uint8_t *given, const gj_ref *sums) {
  gj__derive inside = gj__d_inside(l->d, m->to);
  for (size_t i = 0; i < l->carried; i++)
    if (given[i])
      gj__d_output(m->to, made_or_zeros(l, m, i + 1));
  for (size_t i = l->end; i < l->args; i++)
    if (sums[i])
      gj__d_output(m->to, gj__d_add(&inside, sums[i], m->map[l->joint.made[i + 1]]));
  for (size_t i = 0; i < l->joint.residual_count; i++) {
    size_t of = follows(l, l->joint.residuals[i]);
    if (of < l->carried)
      gj__d_output(m->to, m->map[input_of(l, of)]);
  }
  for (size_t i = l->carried; i < l->end; i++)
    if (l->joint.made[i + 1])
      gj__d_output(m->to, m->map[l->joint.made[i + 1]]);
}

static void give(loop *l, gj_ref own, size_t carried, const uint8_t *given) {
  size_t index = 0;
  const gj_ref *args = l->node->args;
  for (size_t i = 0; i < l->carried; i++)
    if (given[i]) {
      gj_ref ct = gj__d_result(l->d, own, index++);
      if (gj__d_wants(l->d, args[i]))
        gj__d_give(l->d, args[i], ct);
    }
  for (size_t i = l->end; i < l->args; i++)
    if (l->joint.made[i + 1])
      gj__d_give(l->d, args[i], gj__d_result(l->d, own, index++));
  index = carried;
  for (size_t i = l->carried; i < l->end; i++)
    if (l->joint.made[i + 1])
      gj__d_give(l->d, args[i], gj__d_result(l->d, own, index++));
}

void gj__vjp_for(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  loop l;
  made m;
  uint8_t *given = gj__d_room(d, node->result_count, 1);
  gj_ref *sums = gj__d_room(d, node->arg_count, sizeof *sums);
  if (!sums || !begin(&l, d, ref, node, given) || !find_given(&l, cts, given) ||
      !make_joint(&l, given) || !widen(&l))
    return;
  size_t most = 2 * l.args + l.outputs + l.joint.residual_count;
  if (!begin_made(&l, &m, "cotangents", most))
    return;
  take_cotangents(&l, &m, cts, given);
  take_sums(&l, &m, sums);
  take_next(&l, &m);
  take_stacked(&l, &m, cts);
  take_constants(&l, &m);
  if (!gj__joint_copy(d, &l.joint, m.to, m.map))
    return;
  set_outputs(&l, &m, given, sums);
  if (gj_graph_output_count(m.to) == 0)
    return;
  gj_ref own = append(&l, &m, true);
  if (own)
    give(&l, own, m.carried, given);
}

// --- forward ---

// Operands `from` to `end` and behind them the tangents of those that have one.
static void take_both(loop *l, made *m, size_t from, size_t end) {
  for (size_t i = from; i < end; i++)
    take(m, part_type(l, i), input_of(l, i), l->node->args[i]);
  for (size_t i = from; i < end; i++)
    if (l->flows[i])
      take(m, part_type(l, i), l->joint.given[i + 1],
           gj__d_tangent_or_zeros(l->d, l->node->args[i]));
}

static bool make_tangents(loop *l, const uint8_t *results) {
  gj__derive *d = l->d;
  uint8_t *given = gj__d_room(d, l->args + 1, 1), *kept = gj__d_room(d, l->outputs, 1);
  if (!given || !kept)
    return false;
  memcpy(given + 1, l->flows, l->args);
  memset(kept, 1, l->carried);
  return gj__joint_jvp(d, l->body, given, results, &l->joint) &&
         gj__joint_cut(d, &l->joint, NULL, kept);
}

void gj__jvp_for(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  loop l;
  made m;
  uint8_t *results = gj__d_room(d, node->result_count, 1);
  if (!begin(&l, d, ref, node, results) || !make_tangents(&l, results) ||
      !begin_made(&l, &m, "tangents", 2 * l.args))
    return;
  take_both(&l, &m, 0, l.carried);
  m.carried = m.count;
  take_both(&l, &m, l.carried, l.end);
  m.stacked = m.count - m.carried;
  take_both(&l, &m, l.end, l.args);
  if (!gj__joint_copy(d, &l.joint, m.to, m.map))
    return;
  for (size_t i = 0; i < l.carried; i++)
    gj__d_output(m.to, m.map[l.joint.map[gj_graph_output(l.body, i)->ref]]);
  for (size_t i = 0; i < l.outputs; i++)
    if (results[i])
      gj__d_output(m.to, made_or_zeros(&l, &m, i));
  gj_ref own = append(&l, &m, false);
  size_t index = l.carried;
  for (size_t i = 0; own && i < l.outputs; i++)
    if (results[i])
      out_tangents[i] = gj__d_result(d, own, index++);
}
