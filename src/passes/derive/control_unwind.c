// Reverse rule of while, whose number of rounds is known only when it has run.
//
// Sizes have to be known, so states are not stacked. The loop runs once more to count its rounds.
// Then another goes back through them: it needs the state that a round began with, and runs the
// loop again up to there, from the last state that it has kept. On the way it keeps those half way,
// three quarters of the way and so on, so that the next ones are near: n rounds take about
// n/2 · log2(n) more of them and log2(n) + 2 kept states, of which there is room for SLOTS, enough
// for 2^30 rounds. (Checkpoints by bisection: A. Griewank, Achieving logarithmic growth of temporal
// and spatial complexity in reverse automatic differentiation, 1992.)
//
// Kept states are a stack in arrays [SLOTS, …]: each round that is run again is written behind its
// top, which moves up where the round is one to be kept.
#include "passes/derive/control.h"

enum { SLOTS = 32 };

typedef struct loop {
  gj__derive *d;
  gj_ref ref;
  const gj_node *node;
  const gj_graph *condition, *body;
  size_t args, carried;
  uint8_t *flows,
      *given; // by operand: it depends on a variable; by carried value: it gets a cotangent
  gj__joint joint;
} loop;

static const gj_type *type_of(const loop *l, size_t i) { return gj__input_type(l->body, i); }

static gj_type kept_type(const loop *l, size_t i) {
  gj_type type = *type_of(l, i);
  memmove(type.shape + 1, type.shape, type.rank * sizeof type.shape[0]);
  type.shape[0] = SLOTS;
  type.rank++;
  return type;
}

static const gj_type index_type = {.dtype = GJ_DTYPE_i64};
static const gj_type places_type = {.dtype = GJ_DTYPE_i64, .rank = 1, .shape = {SLOTS}};

static gj_ref whole(gj__derive *d, int64_t value) {
  return gj__d_number(d, GJ_DTYPE_i64, (double)value);
}

// A function being made, and what it is given.
typedef struct made {
  gj__derive words;
  gj_ref *args;
  size_t count;
} made;

static bool begin(const loop *l, made *m, const char *name) {
  gj_graph *to = gj__d_function_new(l->d, name);
  m->words = gj__d_inside(l->d, to);
  m->args = gj__d_room(l->d, 3 * l->args + 8, sizeof *m->args);
  m->count = 0;
  return to && m->args;
}

static gj_ref take(made *m, const gj_type *type, gj_ref arg) {
  m->args[m->count++] = arg;
  return gj__d_input(m->words.graph, type);
}

static gj_ref append_while(gj__derive *d, const made *m, size_t carried, int64_t condition,
                           int64_t body) {
  gj_attrs attrs = {0};
  int64_t number = (int64_t)carried, functions[] = {condition, body};
  gj_attrs_set(&attrs, GJ_ATTR_carried, &number, 1);
  gj_attrs_set(&attrs, GJ_ATTR_functions, functions, 2);
  for (size_t i = 0; i < m->count; i++)
    if (!m->args[i])
      return 0;
  return condition < 0 || body < 0
             ? 0
             : gj_graph_append(d->graph, GJ_OP_while, m->args, m->count, &attrs);
}

// What a function of the loop gives for these values, in the function that is being made; by ref.
static gj_ref *run(const loop *l, made *m, const gj_graph *f, const gj_ref *values) {
  gj_ref *map = gj__d_room(l->d, gj_graph_node_count(f) + 1, sizeof *map);
  for (size_t i = 0; map && i < l->args; i++)
    map[gj_graph_input(f, i)] = values[i];
  return map && gj__d_copy_function(l->d, f, m->words.graph, map) ? map : NULL;
}

// A condition with the same inputs as a body has: a value and what it is less than.
static int64_t less(const loop *l, const made *body, size_t a, size_t b, bool swap) {
  gj_graph *from = body->words.graph, *to = gj__d_function_new(l->d, "condition");
  gj__derive words = gj__d_inside(l->d, to);
  gj_ref x = 0, y = 0;
  for (size_t i = 0; to && i < gj_graph_input_count(from); i++) {
    gj_ref input = gj__d_input(to, gj__input_type(from, i));
    x = i == a ? input : x;
    y = i == b ? input : y;
  }
  if (!to)
    return -1;
  y = y ? y : whole(&words, 0);
  gj__d_output(to, swap ? gj__d_op2(&words, GJ_OP_lt, y, x) : gj__d_op2(&words, GJ_OP_lt, x, y));
  return gj__d_function_add(l->d, to);
}

// --- counting ---

static int64_t counting(const loop *l, bool body) {
  made m;
  const gj_graph *f = body ? l->body : l->condition;
  gj_ref *values = gj__d_room(l->d, l->args, sizeof *values);
  if (!values || !begin(l, &m, body ? "count" : "condition"))
    return -1;
  gj_ref round = take(&m, &index_type, 0);
  for (size_t i = 0; i < l->args; i++)
    values[i] = take(&m, type_of(l, i), 0);
  const gj_ref *map = run(l, &m, f, values);
  if (!map)
    return -1;
  if (body)
    gj__d_output(m.words.graph, gj__d_add(&m.words, round, whole(&m.words, 1)));
  for (size_t i = 0; i < gj_graph_output_count(f); i++)
    gj__d_output(m.words.graph, map[gj_graph_output(f, i)->ref]);
  return gj__d_function_add(l->d, m.words.graph);
}

static gj_ref count_rounds(const loop *l) {
  made m = {.args = gj__d_room(l->d, l->args + 1, sizeof *m.args)};
  if (!m.args)
    return 0;
  m.args[m.count++] = whole(l->d, 0);
  for (size_t i = 0; i < l->args; i++)
    m.args[m.count++] = l->node->args[i];
  int64_t condition = counting(l, false);
  return append_while(l->d, &m, l->carried + 1, condition, counting(l, true));
}

// --- kept states ---

// An index per axis: a slot, and zeros.
static void starts_at(gj__derive *d, gj_ref slot, uint8_t rank, gj_ref *out) {
  out[0] = slot;
  for (uint8_t i = 1; i < rank; i++)
    out[i] = whole(d, 0);
}

static gj_ref read_slot(gj__derive *d, gj_ref slots, gj_ref slot) {
  gj_type type = *gj__type_of(d, slots), part = type;
  gj_ref args[1 + GJ_MAX_RANK] = {slots};
  gj_attrs attrs = {0};
  starts_at(d, slot, type.rank, args + 1);
  type.shape[0] = 1;
  gj_attrs_set(&attrs, GJ_ATTR_shape, type.shape, type.rank);
  part.rank--;
  memmove(part.shape, type.shape + 1, part.rank * sizeof part.shape[0]);
  return gj__d_reshape(
      d, gj_graph_append(d->graph, GJ_OP_dynamic_slice, args, 1 + (size_t)type.rank, &attrs),
      &part);
}

static gj_ref write_slot(gj__derive *d, gj_ref slots, gj_ref slot, gj_ref value) {
  gj_type type = *gj__type_of(d, slots);
  uint8_t rank = type.rank;
  type.shape[0] = 1;
  gj_ref args[2 + GJ_MAX_RANK] = {slots, gj__d_reshape(d, value, &type)};
  starts_at(d, slot, rank, args + 2);
  return args[1] ? gj_graph_append(d->graph, GJ_OP_update_slice, args, 2 + (size_t)rank, NULL) : 0;
}

// Half way from a round to another, the latter where they are next to each other.
static gj_ref half_way(gj__derive *d, gj_ref from, gj_ref to) {
  gj_ref far = gj__d_add(d, gj__d_sub(d, to, from), whole(d, 1));
  return gj__d_add(d, from, gj__d_op2(d, GJ_OP_shr, far, whole(d, 1)));
}

// --- running rounds again ---

// Where the loop back stands, as values of its body.
typedef struct place {
  gj_ref round, top, places; // `places`: which round a kept state is of
  gj_ref *slots, *state, *constants;
} place;

static bool room_for(const loop *l, place *p) {
  p->slots = gj__d_room(l->d, l->args, sizeof *p->slots);
  p->state = gj__d_room(l->d, l->args, sizeof *p->state);
  return p->slots && p->state;
}

// One round from `at` on, kept if it is `next`, the next one to be kept on the way to `target`.
// Inputs: round, next, top, places, states, kept states, target, constants.
static int64_t one_round(const loop *l, made *m, const place *from, gj_ref next, gj_ref target) {
  place p;
  gj_ref *values = gj__d_room(l->d, l->args, sizeof *values);
  gj__derive *w = &m->words;
  if (!values || !room_for(l, &p) || !begin(l, m, "again"))
    return -1;
  p.round = take(m, &index_type, from->round);
  gj_ref stop = take(m, &index_type, next);
  p.top = take(m, &index_type, from->top);
  p.places = take(m, &places_type, from->places);
  for (size_t i = 0; i < l->carried; i++)
    values[i] = take(m, type_of(l, i), from->state[i]);
  for (size_t i = 0; i < l->carried; i++) {
    gj_type type = kept_type(l, i);
    p.slots[i] = take(m, &type, from->slots[i]);
  }
  gj_ref end = take(m, &index_type, target);
  for (size_t i = l->carried; i < l->args; i++)
    values[i] = take(m, type_of(l, i), from->constants[i]);
  const gj_ref *map = run(l, m, l->body, values);
  if (!map)
    return -1;
  gj_ref round = gj__d_add(w, p.round, whole(w, 1)), hit = gj__d_eq(w, round, stop);
  gj__d_output(w->graph, round);
  gj__d_output(w->graph, gj__d_select(w, hit, half_way(w, round, end), stop));
  gj__d_output(w->graph, gj__d_add(w, p.top, gj__d_convert(w, hit, GJ_DTYPE_i64)));
  gj__d_output(w->graph, write_slot(w, p.places, p.top, round));
  for (size_t i = 0; i < l->carried; i++)
    gj__d_output(w->graph, map[gj_graph_output(l->body, i)->ref]);
  for (size_t i = 0; i < l->carried; i++)
    gj__d_output(w->graph, write_slot(w, p.slots[i], p.top, map[gj_graph_output(l->body, i)->ref]));
  return gj__d_function_add(l->d, w->graph);
}

// The place where round `target` begins, which is no longer kept then.
static bool run_to(const loop *l, gj__derive *w, place *p, gj_ref target) {
  made m;
  gj_ref last = gj__d_sub(w, p->top, whole(w, 1));
  p->round = read_slot(w, p->places, last);
  for (size_t i = 0; i < l->carried; i++)
    p->state[i] = read_slot(w, p->slots[i], last);
  int64_t body = one_round(l, &m, p, half_way(w, p->round, target), target);
  size_t carried = 4 + 2 * l->carried;
  if (body < 0)
    return false;
  gj_ref again = append_while(w, &m, carried, less(l, &m, 0, carried, false), body);
  p->top = gj__d_sub(w, gj__d_result(w, again, 2), whole(w, 1));
  p->places = gj__d_result(w, again, 3);
  for (size_t i = 0; i < l->carried; i++) {
    p->state[i] = gj__d_result(w, again, 4 + i);
    p->slots[i] = gj__d_result(w, again, 4 + l->carried + i);
  }
  return again != 0;
}

// --- going back ---

// Inputs of the loop back: round, top, places, kept states, cotangents, sums, constants. `cts` and
// `sums` by operand; the count of those that are carried.
static size_t take_all(const loop *l, made *m, place *p, gj_ref count, const gj_ref *cts,
                       gj_ref *own_cts, gj_ref *own_sums) {
  gj__derive *d = l->d;
  p->round = take(m, &index_type, count);
  p->top = take(m, &index_type, whole(d, 1));
  p->places = take(m, &places_type, gj__d_filled(d, &places_type, 0));
  for (size_t i = 0; i < l->carried; i++) {
    static const int64_t behind[GJ_MAX_RANK] = {1, 2, 3, 4, 5, 6, 7};
    gj_type type = kept_type(l, i);
    p->slots[i] = take(m, &type, gj__d_broadcast(d, l->node->args[i], &type, behind));
  }
  for (size_t i = 0; i < l->carried; i++)
    if (l->given[i])
      own_cts[i] = take(m, type_of(l, i), cts[i] ? cts[i] : gj__d_filled(d, type_of(l, i), 0));
  for (size_t i = l->carried; i < l->args; i++)
    if (l->joint.made[i])
      own_sums[i] = take(m, type_of(l, i), gj__d_filled(d, type_of(l, i), 0));
  size_t carried = m->count;
  for (size_t i = l->carried; i < l->args; i++)
    p->constants[i] = take(m, type_of(l, i), l->node->args[i]);
  return carried;
}

// Cotangents of what a round began with, of those of what it gave.
static bool set_outputs(const loop *l, made *m, const place *p, gj_ref target, const gj_ref *cts,
                        const gj_ref *sums) {
  const gj__joint *joint = &l->joint;
  gj__derive *w = &m->words;
  gj_ref *map = gj__d_room(l->d, gj_graph_node_count(joint->graph) + 1, sizeof *map);
  if (!map)
    return false;
  for (size_t i = 0; i < l->args; i++)
    map[joint->map[gj_graph_input(l->body, i)]] = i < l->carried ? p->state[i] : p->constants[i];
  for (size_t i = 0; i < l->carried; i++)
    if (l->given[i])
      map[joint->given[i]] = cts[i];
  if (!gj__joint_copy(l->d, joint, w->graph, map))
    return false;
  gj__d_output(w->graph, target);
  gj__d_output(w->graph, p->top);
  gj__d_output(w->graph, p->places);
  for (size_t i = 0; i < l->carried; i++)
    gj__d_output(w->graph, p->slots[i]);
  for (size_t i = 0; i < l->carried; i++)
    if (l->given[i]) {
      gj_ref own = map[joint->made[i]];
      gj__d_output(w->graph, own ? own : gj__d_filled(w, type_of(l, i), 0));
    }
  for (size_t i = l->carried; i < l->args; i++)
    if (sums[i])
      gj__d_output(w->graph, gj__d_add(w, sums[i], map[joint->made[i]]));
  return true;
}

static gj_ref append_back(const loop *l, gj_ref count, const gj_ref *cts) {
  made m;
  place p;
  gj__derive *d = l->d;
  gj_ref *own_cts = gj__d_room(d, l->args, sizeof *own_cts);
  gj_ref *own_sums = gj__d_room(d, l->args, sizeof *own_sums);
  p.constants = gj__d_room(d, l->args, sizeof *p.constants);
  if (!own_cts || !own_sums || !p.constants || !room_for(l, &p) || !begin(l, &m, "cotangents"))
    return 0;
  size_t carried = take_all(l, &m, &p, count, cts, own_cts, own_sums);
  gj_ref target = gj__d_sub(&m.words, p.round, whole(&m.words, 1));
  if (!run_to(l, &m.words, &p, target) || !set_outputs(l, &m, &p, target, own_cts, own_sums))
    return 0;
  int64_t condition = less(l, &m, 0, SIZE_MAX, true);
  return append_while(d, &m, carried, condition, gj__d_function_add(d, m.words.graph));
}

static bool prepare(loop *l, const gj_ref *cts) {
  gj__derive *d = l->d;
  uint8_t *wanted = gj__d_room(d, l->args, 1), *results = gj__d_room(d, l->carried, 1);
  l->flows = gj__d_room(d, l->args, 1);
  l->given = gj__d_room(d, l->carried, 1);
  if (!wanted || !results || !l->flows || !l->given)
    return false;
  for (size_t i = 0; i < l->args; i++)
    l->flows[i] = gj__d_wants(d, l->node->args[i]);
  for (size_t i = 0; i < l->carried; i++)
    l->given[i] = cts[i] != 0;
  if (!gj__d_flow_control(&d->arena, d->graph, l->node, l->flows, results) ||
      !gj__d_flow_back(l->body, 0, l->carried, l->flows, l->given)) {
    gj__d_refuse(d, l->ref, "out of memory");
    return false;
  }
  for (size_t i = 0; i < l->args; i++)
    wanted[i] = i < l->carried ? l->given[i] : gj__d_wants(d, l->node->args[i]);
  return gj__joint_vjp(d, l->body, l->given, wanted, &l->joint) &&
         gj__joint_cut(d, &l->joint, NULL, NULL);
}

void gj__vjp_while(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  loop l = {.d = d,
            .ref = ref,
            .node = node,
            .condition = gj__d_function(d, node, 0),
            .body = gj__d_function(d, node, 1),
            .args = node->arg_count,
            .carried = (size_t)gj_node_int(node, GJ_ATTR_carried)};
  size_t index = 3 + l.carried;
  for (size_t i = 0; i < l.carried; i++)
    if (type_of(&l, i)->rank == GJ_MAX_RANK) {
      gj__d_refuse(d, ref, "a carried value has the highest rank, so its states cannot be kept");
      return;
    }
  if (!prepare(&l, cts))
    return;
  gj_ref own = append_back(&l, count_rounds(&l), cts);
  for (size_t i = 0; own && i < l.carried; i++)
    if (l.given[i]) {
      gj_ref ct = gj__d_result(d, own, index++);
      if (gj__d_wants(d, node->args[i]))
        gj__d_give(d, node->args[i], ct);
    }
  for (size_t i = l.carried; own && i < l.args; i++)
    if (l.joint.made[i])
      gj__d_give(d, node->args[i], gj__d_result(d, own, index++));
}
