// Folding of control ops while a graph is rebuilt: functions are put where they are called, choices
// that are known are made, and functions keep only the inputs and outputs that somebody needs.
//
// A function whose ops stand at its call takes part in fusion, so one is inlined when it is small
// or named once. A loop that makes no round is what it began with, one of a single round its body.
// Of the functions that stay, specialised ones are made:
//
//   - results that nobody asks for are no longer computed, nor is what only they need;
//   - a carried value that every round leaves alone is a constant of the loop, and the result the
//     operand itself; a result that all branches pass on is the operand, too;
//   - constants are known inside;
//   - an operand given twice is one input.
//
// Functions that are called stand before their callers and have been rebuilt, so whatever is read
// here is a function of the new graph. Everything made on the way counts against a budget: nested
// functions that each call the next twice would double with every level.
//
// Left out: loops are not unrolled, and a choice between cheap values is not made a `select`.
#include "passes/fold.h"
#include "passes/rebuild.h"

#include <string.h>

enum { SMALL_NODES = 32 };

typedef struct control {
  gj__rebuild *r;
  gj_arena *scratch;
  const gj_node *node;
  gj_op op;
  gj_ref *args; // of `out`
  size_t arg_count, function_count, result_count;
  int64_t *numbers; // of functions of `out`
  size_t carried, stacked;
  uint8_t *asked;  // by result
  gj_ref *results; // what stands for it
  bool once;       // nobody else names the functions
} control;

// What becomes of an operand.
typedef enum fate { KEPT, DROPPED, ALIAS, SUNK } fate;

typedef struct shrink {
  fate *fates;   // by operand
  size_t *as;    // ALIAS: which operand it equals
  size_t *order; // the operands that are kept, in their new order
  size_t order_count, carried, stacked;
  uint8_t *outputs; // by result: the functions go on giving it
} shrink;

static void *room(const control *c, size_t count, size_t size) {
  void *array = gj_arena_array(c->scratch, count + 1, size);
  if (array)
    memset(array, 0, (count + 1) * size);
  else
    c->r->all->out_of_memory = true;
  return array;
}

static const gj_graph *function_of(const control *c, size_t i) {
  return gj_graph_function(c->r->out, (size_t)c->numbers[i]);
}

static const gj_graph *body_of(const control *c) { return function_of(c, c->op == GJ_OP_while); }

static bool is_loop(const control *c) { return c->op == GJ_OP_while || c->op == GJ_OP_for; }

// The first operand that functions get, and the input that takes it.
static size_t first_operand(const control *c) {
  return c->op == GJ_OP_cond || c->op == GJ_OP_switch;
}

static size_t input_of(const control *c, size_t operand) {
  return operand - first_operand(c) + (c->op == GJ_OP_for);
}

static bool spend(const control *c, size_t nodes) {
  if (nodes > c->r->all->budget)
    return false;
  c->r->all->budget -= nodes;
  return true;
}

// --- what depends on what ---

typedef struct reach {
  const gj_graph *f;
  uint8_t *live;
  gj_ref *stack;
  size_t *input_of;           // by ref of a param
  size_t *found, found_count; // inputs that were reached, in order
} reach;

static bool begin_reach(const control *c, const gj_graph *f, reach *out) {
  size_t count = gj_graph_node_count(f), inputs = gj_graph_input_count(f);
  *out = (reach){.f = f, .live = room(c, count, 1)};
  out->stack = room(c, count, sizeof *out->stack);
  out->input_of = room(c, count, sizeof *out->input_of);
  out->found = room(c, inputs, sizeof *out->found);
  if (!out->live || !out->stack || !out->input_of || !out->found)
    return false;
  for (size_t i = 0; i < inputs; i++)
    out->input_of[gj_graph_input(f, i)] = i;
  return true;
}

// Marks an output and all it needs.
static void reach_output(reach *at, size_t index) {
  size_t depth = 0;
  gj_ref ref = gj_graph_output(at->f, index)->ref;
  if (!at->live[ref])
    at->stack[depth++] = ref;
  at->live[ref] = 1;
  while (depth > 0) {
    const gj_node *node = gj_graph_node(at->f, at->stack[--depth]);
    if (node->op == GJ_OP_param)
      at->found[at->found_count++] = at->input_of[at->stack[depth]];
    for (uint32_t a = 0; a < node->arg_count; a++)
      if (!at->live[node->args[a]]) {
        at->live[node->args[a]] = 1;
        at->stack[depth++] = node->args[a];
      }
  }
}

// --- building ---

// The outputs of `f` that are asked for, in `out`, which has `given` as inputs; NULL after failure.
static gj_ref *build_outputs(const control *c, const gj_graph *f, gj_graph *out,
                             const gj_ref *given, const uint8_t *asked) {
  size_t outputs = gj_graph_output_count(f), nodes = gj_graph_node_count(f), most = 0, args = 1;
  gj__measure(f, &most, &args);
  reach need;
  gj__rebuild own = {.all = c->r->all, .in = f, .out = out, .given = given};
  own.map = room(c, nodes, sizeof *own.map);
  own.results = room(c, nodes, sizeof *own.results);
  own.chain = room(c, nodes, sizeof *own.chain);
  own.direct = room(c, nodes, 1);
  own.args = room(c, args, sizeof *own.args);
  gj_ref *results = room(c, outputs, sizeof *results);
  if (!begin_reach(c, f, &need) || !own.map || !own.results || !own.chain || !own.direct ||
      !own.args || !results)
    return NULL;
  for (size_t i = 0; i < outputs; i++)
    if (asked[i])
      reach_output(&need, i);
  own.live = need.live;
  gj__rebuild_nodes(&own);
  for (size_t i = 0; i < outputs; i++)
    results[i] = asked[i] ? own.map[gj_graph_output(f, i)->ref] : 0;
  return results;
}

static gj_ref append_result(const control *c, gj_ref ref, size_t index) {
  int64_t value = (int64_t)index;
  gj_attrs attrs = {0};
  if (index == 0)
    return ref;
  gj_attrs_set(&attrs, GJ_ATTR_index, &value, 1);
  return gj_graph_append(c->r->out, GJ_OP_result, &ref, 1, &attrs);
}

// What function `number` gives for these inputs, inlined or called.
static const gj_ref *invoke(const control *c, int64_t number, const gj_ref *inputs) {
  const gj_graph *f = gj_graph_function(c->r->out, (size_t)number);
  size_t nodes = gj_graph_node_count(f), outputs = gj_graph_output_count(f);
  if ((c->once || nodes <= SMALL_NODES) && spend(c, nodes))
    return build_outputs(c, f, c->r->out, inputs, c->asked);
  gj_ref *results = room(c, outputs, sizeof *results);
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_functions, &number, 1);
  gj_ref call = gj_graph_append(c->r->out, GJ_OP_call, inputs, gj_graph_input_count(f), &attrs);
  for (size_t i = 0; results && i < outputs; i++)
    results[i] = c->asked[i] ? append_result(c, call, i) : 0;
  return results;
}

// --- known choices ---

static const gj_ref *fold_choice(const control *c) {
  gj_scalar chooser;
  size_t chosen = 0, first = first_operand(c);
  bool known = c->op == GJ_OP_call;
  if (!known && gj__is_splat(c->r->out, c->args[0], &chooser)) {
    int64_t last = (int64_t)c->function_count - 1;
    int64_t at = c->op == GJ_OP_cond ? !chooser.v.i : chooser.v.i;
    chosen = (size_t)(at < 0 ? 0 : at > last ? last : at);
    known = true;
  }
  bool same = true;
  for (size_t i = 1; i < c->function_count; i++)
    same = same && c->numbers[i] == c->numbers[0];
  if (!known && !same)
    return NULL;
  if (c->op == GJ_OP_call && !c->once &&
      gj_graph_node_count(function_of(c, 0)) > SMALL_NODES) // stays what it is
    return NULL;
  return invoke(c, c->numbers[chosen], c->args + first);
}

// --- loops of no or one round ---

// The condition of a loop for what it begins with, when that is known.
static bool is_false_at_once(const control *c) {
  const gj_graph *condition = function_of(c, 0);
  gj_scalar value = {.v.i = 1};
  if (gj__is_splat(condition, gj_graph_output(condition, 0)->ref, &value))
    return !value.v.i;
  bool known = false;
  for (size_t i = 0; i < c->arg_count; i++)
    known = known || gj__is_splat(c->r->out, c->args[i], &value);
  size_t nodes = gj_graph_node_count(condition);
  if (!known || nodes > SMALL_NODES || !spend(c, nodes))
    return false;
  const gj_ref *truth = build_outputs(c, condition, c->r->out, c->args, (const uint8_t[]){1});
  return truth && truth[0] && gj__is_splat(c->r->out, truth[0], &value) && !value.v.i;
}

static gj_type type_of_result(const control *c, size_t index) {
  gj_type type = *gj_graph_output_type(body_of(c), index);
  if (c->op != GJ_OP_for || index < c->carried)
    return type;
  memmove(type.shape + 1, type.shape, type.rank * sizeof type.shape[0]);
  type.shape[0] = gj_node_int(c->node, GJ_ATTR_count);
  type.rank++;
  return type;
}

static const gj_ref *no_rounds(const control *c) {
  gj_ref *results = room(c, c->result_count, sizeof *results);
  for (size_t i = 0; results && i < c->result_count; i++) {
    gj_type type = type_of_result(c, i);
    if (i < c->carried)
      results[i] = c->args[i];
    else if (c->asked[i])
      results[i] = gj__splat(c->r->out, &type, (gj_scalar){.dtype = type.dtype});
  }
  return results;
}

static gj_ref reshape(const control *c, gj_ref ref, const gj_type *type) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_shape, type->shape, type->rank);
  gj_fold f = {c->r->out, GJ_OP_reshape, &ref, 1, &attrs, *type};
  gj_ref folded = gj__fold_movement(&f);
  return folded ? folded : gj_graph_append(c->r->out, GJ_OP_reshape, &ref, 1, &attrs);
}

static const gj_ref *one_round(const control *c) {
  const gj_graph *body = body_of(c);
  gj_type index = {.dtype = GJ_DTYPE_i64};
  gj_ref *inputs = room(c, c->arg_count + 1, sizeof *inputs);
  gj_ref *results = room(c, c->result_count, sizeof *results);
  if (!inputs || !results)
    return NULL;
  inputs[0] = gj__splat(c->r->out, &index, (gj_scalar){.dtype = GJ_DTYPE_i64});
  for (size_t i = 0; i < c->arg_count; i++) {
    bool part = i >= c->carried && i < c->carried + c->stacked;
    const gj_type *type = &gj_graph_node(body, gj_graph_input(body, i + 1))->type;
    inputs[i + 1] = part ? reshape(c, c->args[i], type) : c->args[i];
  }
  const gj_ref *given = invoke(c, c->numbers[0], inputs);
  for (size_t i = 0; given && i < c->result_count; i++) {
    gj_type type = type_of_result(c, i);
    results[i] = c->asked[i] && i >= c->carried ? reshape(c, given[i], &type) : given[i];
  }
  return given ? results : NULL;
}

static const gj_ref *fold_loop(const control *c) {
  if (c->op == GJ_OP_while)
    return is_false_at_once(c) ? no_rounds(c) : NULL;
  int64_t count = gj_node_int(c->node, GJ_ATTR_count);
  return count == 0 ? no_rounds(c) : count == 1 ? one_round(c) : NULL;
}

// --- what functions need ---

// True when every function passes operand `operand` on as result `index`; a body as the next value
// of itself.
static bool passes_on(const control *c, size_t index, size_t operand) {
  for (size_t i = c->op == GJ_OP_while; i < c->function_count; i++) {
    const gj_graph *f = function_of(c, i);
    if (gj_graph_output(f, index)->ref != gj_graph_input(f, input_of(c, operand)))
      return false;
  }
  return true;
}

// The operand that stands for a result of a choice, or that count.
static size_t passed_on(const control *c, size_t index) {
  const gj_graph *f = function_of(c, 0);
  gj_ref ref = gj_graph_output(f, index)->ref;
  for (size_t i = first_operand(c); i < c->arg_count; i++)
    if (gj_graph_input(f, input_of(c, i)) == ref)
      return passes_on(c, index, i) ? i : c->arg_count;
  return c->arg_count;
}

// Marks operands that no function needs for the outputs that stay.
static bool find_needs_of_choice(const control *c, shrink *s, uint8_t *needed) {
  for (size_t i = 0; i < c->result_count; i++) {
    s->outputs[i] = c->asked[i];
    size_t operand = c->asked[i] ? passed_on(c, i) : c->arg_count;
    if (operand == c->arg_count)
      continue;
    c->results[i] = c->args[operand];
    s->outputs[i] = 0;
  }
  for (size_t k = 0; k < c->function_count; k++) {
    reach at;
    if (!begin_reach(c, function_of(c, k), &at))
      return false;
    for (size_t i = 0; i < c->result_count; i++)
      if (s->outputs[i])
        reach_output(&at, i);
    for (size_t i = 0; i < at.found_count; i++)
      needed[at.found[i] + first_operand(c)] = 1;
  }
  return true;
}

// A carried value is needed when its result is asked for, by the condition, or for another one.
static bool find_needs_of_loop(const control *c, shrink *s, uint8_t *needed) {
  reach body, condition;
  size_t lead = c->op == GJ_OP_for, taken = 0;
  if (!begin_reach(c, body_of(c), &body) || !begin_reach(c, function_of(c, 0), &condition))
    return false;
  if (c->op == GJ_OP_while)
    reach_output(&condition, 0);
  for (size_t i = 0; i < condition.found_count; i++) {
    needed[condition.found[i]] = 1;
    if (condition.found[i] < c->carried)
      reach_output(&body, condition.found[i]);
  }
  for (size_t i = 0; i < c->result_count; i++)
    if (c->asked[i])
      reach_output(&body, i);
  for (size_t i = 0; i < c->carried; i++)
    needed[i] |= c->asked[i];
  for (; taken < body.found_count; taken++) {
    size_t input = body.found[taken];
    if (input < lead)
      continue;
    needed[input - lead] = 1;
    if (input - lead < c->carried)
      reach_output(&body, input - lead);
  }
  for (size_t i = 0; i < c->result_count; i++)
    s->outputs[i] = i < c->carried ? needed[i] : c->asked[i];
  return true;
}

// Whether each round leaves carried value `i` alone.
static bool stays(const control *c, size_t i) { return passes_on(c, i, i); }

// Constants of a loop that are carried become operands behind the others. A `while` keeps one
// carried value.
static void free_constants(const control *c, shrink *s, const uint8_t *needed, uint8_t *constant) {
  size_t left = 0;
  for (size_t i = 0; i < c->carried; i++)
    left += needed[i] && !stays(c, i);
  for (size_t i = 0; i < c->carried && (left > 0 || c->op == GJ_OP_for); i++)
    if (needed[i] && stays(c, i)) {
      constant[i] = 1;
      s->outputs[i] = 0;
      c->results[i] = c->args[i];
    }
}

// --- operands ---

static bool is_sunk(const control *c, size_t operand) {
  const gj_node *node = gj_graph_node(c->r->out, c->args[operand]);
  size_t *left = &c->r->all->sunk_bytes;
  if (node->op != GJ_OP_const || node->data_size > *left)
    return false;
  *left -= node->data_size;
  return true;
}

static void keep(shrink *s, size_t operand) { s->order[s->order_count++] = operand; }

// Operands that functions know before they run: constants of a loop, all of a choice.
static void settle_known(const control *c, shrink *s, size_t from, const uint8_t *needed,
                         const uint8_t *constant) {
  size_t first = s->order_count;
  for (size_t i = 0; i < c->arg_count; i++) {
    if ((i < from && !constant[i]) || !needed[i])
      continue;
    for (size_t k = first; k < s->order_count && s->fates[i] == KEPT; k++)
      if (c->args[s->order[k]] == c->args[i]) {
        s->fates[i] = ALIAS;
        s->as[i] = s->order[k];
      }
    if (s->fates[i] == KEPT && is_sunk(c, i))
      s->fates[i] = SUNK;
    if (s->fates[i] == KEPT)
      keep(s, i);
  }
}

static void settle_operands(const control *c, shrink *s, const uint8_t *needed,
                            const uint8_t *constant) {
  size_t varying = c->carried + c->stacked;
  for (size_t i = first_operand(c); i < c->arg_count; i++)
    if (!needed[i])
      s->fates[i] = DROPPED;
  for (size_t i = 0; i < varying; i++)
    if (needed[i] && !constant[i]) {
      keep(s, i);
      *(i < c->carried ? &s->carried : &s->stacked) += 1;
    }
  settle_known(c, s, is_loop(c) ? varying : first_operand(c), needed, constant);
}

// --- specialised functions ---

static gj_ref copy_param(gj_graph *to, const gj_graph *f, size_t input) {
  const gj_node *node = gj_graph_node(f, gj_graph_input(f, input));
  return gj_graph_param(to, node->name, &node->type);
}

// The function with the inputs and outputs that are left; its number, -1 after a failure.
static int64_t specialise(const control *c, const shrink *s, size_t i) {
  const gj_graph *f = function_of(c, i);
  gj_graph *to = gj_graph_function_new(c->r->out, gj_graph_name(f));
  gj_ref *given = room(c, gj_graph_input_count(f), sizeof *given);
  static const uint8_t only[] = {1};
  const uint8_t *outputs = c->op == GJ_OP_while && i == 0 ? only : s->outputs;
  if (!to || !given)
    return -1;
  gj_graph_share_nodes(to, true);
  if (c->op == GJ_OP_for)
    given[0] = copy_param(to, f, 0);
  for (size_t k = 0; k < s->order_count; k++)
    given[input_of(c, s->order[k])] = copy_param(to, f, input_of(c, s->order[k]));
  for (size_t k = first_operand(c); k < c->arg_count; k++) {
    const gj_node *node = gj_graph_node(c->r->out, c->args[k]);
    if (s->fates[k] == ALIAS)
      given[input_of(c, k)] = given[input_of(c, s->as[k])];
    else if (s->fates[k] == SUNK)
      given[input_of(c, k)] = gj_graph_const(to, &node->type, node->data, node->data_size);
  }
  const gj_ref *results = build_outputs(c, f, to, given, outputs);
  for (size_t k = 0; results && k < gj_graph_output_count(f); k++)
    if (outputs[k])
      gj_graph_set_output(to, gj_graph_output(f, k)->name, results[k]);
  return results ? gj__rebuild_add_function(c->r->all, to) : -1;
}

static size_t count_outputs(const control *c, const shrink *s) {
  size_t count = 0;
  for (size_t i = 0; i < c->result_count; i++)
    count += s->outputs[i];
  return count;
}

// True when nothing would be gained, or it would cost too much.
static bool stays_as_it_is(const control *c, const shrink *s) {
  bool same =
      s->order_count + first_operand(c) == c->arg_count && count_outputs(c, s) == c->result_count;
  size_t nodes = 0, functions = gj_graph_function_count(c->r->out);
  for (size_t i = 0; i < c->function_count; i++)
    nodes += gj_graph_node_count(function_of(c, i));
  size_t reserved = gj_graph_function_count(c->r->in) + c->function_count;
  return (same && s->carried == c->carried) || functions + reserved > GJ_MAX_FUNCTIONS / 2 ||
         !spend(c, nodes);
}

// --- the op that is left ---

static gj_ref append_control(const control *c, const gj_ref *args, size_t count, int64_t carried,
                             int64_t stacked) {
  gj_attrs attrs = *c->node->attrs;
  gj_attrs_set(&attrs, GJ_ATTR_functions, c->numbers, c->function_count);
  if (is_loop(c))
    gj_attrs_set(&attrs, GJ_ATTR_carried, &carried, 1);
  if (c->op == GJ_OP_for)
    gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  return gj_graph_append(c->r->out, c->op, args, count, &attrs);
}

// As it is, but for the numbers of its functions.
static gj_ref append_same(const control *c) {
  gj_ref ref = append_control(c, c->args, c->arg_count, (int64_t)c->carried, (int64_t)c->stacked);
  for (size_t i = 0; i < c->result_count; i++)
    c->results[i] = c->asked[i] ? append_result(c, ref, i) : 0;
  return ref;
}

static gj_ref append_shrunk(control *c, const shrink *s) {
  gj_ref *args = room(c, c->arg_count, sizeof *args);
  int64_t *numbers = room(c, c->function_count, sizeof *numbers);
  size_t count = first_operand(c), index = 0;
  for (size_t i = 0; numbers && i < c->function_count; i++)
    numbers[i] = specialise(c, s, i);
  if (!args || !numbers)
    return 0;
  for (size_t i = 0; i < c->function_count; i++)
    if (numbers[i] < 0)
      return 0;
  c->numbers = numbers;
  args[0] = c->args[0];
  for (size_t i = 0; i < s->order_count; i++)
    args[count++] = c->args[s->order[i]];
  gj_ref ref = append_control(c, args, count, (int64_t)s->carried, (int64_t)s->stacked);
  for (size_t i = 0; i < c->result_count; i++)
    if (s->outputs[i])
      c->results[i] = append_result(c, ref, index++);
  return ref;
}

static gj_ref shrink_control(control *c) {
  shrink s = {.fates = room(c, c->arg_count, sizeof *s.fates),
              .as = room(c, c->arg_count, sizeof *s.as),
              .order = room(c, c->arg_count, sizeof *s.order),
              .outputs = room(c, c->result_count, 1)};
  uint8_t *needed = room(c, c->arg_count, 1), *constant = room(c, c->arg_count, 1);
  if (!s.fates || !s.as || !s.order || !s.outputs || !needed || !constant)
    return 0;
  bool found = is_loop(c) ? find_needs_of_loop(c, &s, needed) : find_needs_of_choice(c, &s, needed);
  if (!found)
    return 0;
  if (is_loop(c))
    free_constants(c, &s, needed, constant);
  if (count_outputs(c, &s) == 0) // every result is an operand
    return c->results[0];
  settle_operands(c, &s, needed, constant);
  return stays_as_it_is(c, &s) ? append_same(c) : append_shrunk(c, &s);
}

// --- the whole ---

static bool begin_control(gj__rebuild *r, gj_ref ref, control *c) {
  const gj_node *node = gj_graph_node(r->in, ref);
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  *c = (control){.r = r, .scratch = r->all->scratch, .node = node, .op = (gj_op)node->op};
  c->arg_count = node->arg_count;
  c->result_count = node->result_count;
  c->function_count = list->count;
  c->args = room(c, c->arg_count, sizeof *c->args);
  c->numbers = room(c, list->count, sizeof *c->numbers);
  c->asked = room(c, c->result_count, 1);
  c->results = room(c, c->result_count, sizeof *c->results);
  if (!c->args || !c->numbers || !c->asked || !c->results)
    return false;
  c->once = r->functions != NULL;
  for (size_t i = 0; i < list->count; i++) {
    c->numbers[i] = r->functions ? r->functions[list->values[i]] : list->values[i];
    c->once = c->once && r->all->sites[list->values[i]] == 1;
  }
  memcpy(c->args, r->args, c->arg_count * sizeof *c->args);
  for (gj_ref at = r->chain[ref]; at; at = r->chain[at])
    c->asked[gj_node_int(gj_graph_node(r->in, at), GJ_ATTR_index)] = 1;
  c->asked[0] |= r->direct[ref];
  if (is_loop(c))
    c->carried = (size_t)gj_node_int(node, GJ_ATTR_carried);
  if (c->op == GJ_OP_for)
    c->stacked = (size_t)gj_node_int(node, GJ_ATTR_stacked);
  return true;
}

gj_ref gj__rebuild_control(gj__rebuild *r, gj_ref ref) {
  control c;
  if (!begin_control(r, ref, &c))
    return 0;
  for (size_t i = 0; i < c.arg_count; i++)
    if (!c.args[i]) // an earlier failure; the graph holds its message
      return 0;
  for (size_t i = 0; i < c.function_count; i++)
    if (c.numbers[i] < 0)
      return 0;
  const gj_ref *folded = NULL;
  if (r->all->fold)
    folded = is_loop(&c) ? fold_loop(&c) : fold_choice(&c);
  if (folded)
    memcpy(c.results, folded, c.result_count * sizeof *c.results);
  else if (r->all->fold)
    shrink_control(&c);
  else
    append_same(&c);
  r->results[ref] = c.results;
  return c.results[0];
}
