// What stays of a control op: functions with the inputs and outputs that somebody needs.
//
//   - results that nobody asks for are no longer computed, nor is what only they need;
//   - a carried value that every round leaves alone is a constant of the loop, and the result the
//     operand itself; a result that all branches pass on is the operand, too;
//   - constants are known inside;
//   - an operand given twice is one input.
#include "passes/fold/control.h"

#include <string.h>

// What becomes of an operand.
typedef enum fate { KEPT, DROPPED, ALIAS, SUNK } fate;

typedef struct shrink {
  fate *fates;   // by operand
  size_t *as;    // ALIAS: which operand it equals
  size_t *order; // the operands that are kept, in their new order
  size_t order_count, carried, stacked;
  uint8_t *outputs; // by result: the functions go on giving it
} shrink;

// --- what functions need ---

// True when every function passes operand `operand` on as result `index`; a body as the next value
// of itself.
static bool passes_on(const gj__control *c, size_t index, size_t operand) {
  for (size_t i = c->op == GJ_OP_while; i < c->function_count; i++) {
    const gj_graph *f = gj__control_function(c, i);
    if (gj_graph_output(f, index)->ref != gj_graph_input(f, gj__control_input(c, operand)))
      return false;
  }
  return true;
}

// The operand that stands for a result of a choice, or that count.
static size_t passed_on(const gj__control *c, size_t index) {
  const gj_graph *f = gj__control_function(c, 0);
  gj_ref ref = gj_graph_output(f, index)->ref;
  for (size_t i = gj__control_first(c); i < c->arg_count; i++)
    if (gj_graph_input(f, gj__control_input(c, i)) == ref)
      return passes_on(c, index, i) ? i : c->arg_count;
  return c->arg_count;
}

// Marks operands that no function needs for the outputs that stay.
static bool find_needs_of_choice(const gj__control *c, shrink *s, uint8_t *needed) {
  for (size_t i = 0; i < c->result_count; i++) {
    s->outputs[i] = c->asked[i];
    size_t operand = c->asked[i] ? passed_on(c, i) : c->arg_count;
    if (operand == c->arg_count)
      continue;
    c->results[i] = c->args[operand];
    s->outputs[i] = 0;
  }
  for (size_t k = 0; k < c->function_count; k++) {
    gj__reach at;
    if (!gj__reach_begin(c, gj__control_function(c, k), &at))
      return false;
    for (size_t i = 0; i < c->result_count; i++)
      if (s->outputs[i])
        gj__reach_output(&at, i);
    for (size_t i = 0; i < at.found_count; i++)
      needed[at.found[i] + gj__control_first(c)] = 1;
  }
  return true;
}

// A carried value is needed when its result is asked for, by the condition, or for another one.
static bool find_needs_of_loop(const gj__control *c, shrink *s, uint8_t *needed) {
  gj__reach body, condition;
  size_t lead = c->op == GJ_OP_for, taken = 0;
  if (!gj__reach_begin(c, gj__control_last(c), &body) ||
      !gj__reach_begin(c, gj__control_function(c, 0), &condition))
    return false;
  if (c->op == GJ_OP_while)
    gj__reach_output(&condition, 0);
  for (size_t i = 0; i < condition.found_count; i++) {
    needed[condition.found[i]] = 1;
    if (condition.found[i] < c->carried)
      gj__reach_output(&body, condition.found[i]);
  }
  for (size_t i = 0; i < c->result_count; i++)
    if (c->asked[i])
      gj__reach_output(&body, i);
  for (size_t i = 0; i < c->carried; i++)
    needed[i] |= c->asked[i];
  for (; taken < body.found_count; taken++) {
    size_t input = body.found[taken];
    if (input < lead)
      continue;
    needed[input - lead] = 1;
    if (input - lead < c->carried)
      gj__reach_output(&body, input - lead);
  }
  for (size_t i = 0; i < c->result_count; i++)
    s->outputs[i] = i < c->carried ? needed[i] : c->asked[i];
  return true;
}

// Whether each round leaves carried value `i` alone.
static bool stays(const gj__control *c, size_t i) { return passes_on(c, i, i); }

// Constants of a loop that are carried become operands behind the others. A `while` keeps one
// carried value.
static void free_constants(const gj__control *c, shrink *s, const uint8_t *needed,
                           uint8_t *constant) {
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

static bool is_sunk(const gj__control *c, size_t operand) {
  const gj_node *node = gj_graph_node(c->r->out, c->args[operand]);
  size_t *left = &c->r->all->sunk_bytes;
  if (node->op != GJ_OP_const || node->data_size > *left)
    return false;
  *left -= node->data_size;
  return true;
}

static void keep(shrink *s, size_t operand) { s->order[s->order_count++] = operand; }

// Operands that functions know before they run: constants of a loop, all of a choice.
static void settle_known(const gj__control *c, shrink *s, size_t from, const uint8_t *needed,
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

static void settle_operands(const gj__control *c, shrink *s, const uint8_t *needed,
                            const uint8_t *constant) {
  size_t varying = c->carried + c->stacked;
  for (size_t i = gj__control_first(c); i < c->arg_count; i++)
    if (!needed[i])
      s->fates[i] = DROPPED;
  for (size_t i = 0; i < varying; i++)
    if (needed[i] && !constant[i]) {
      keep(s, i);
      *(i < c->carried ? &s->carried : &s->stacked) += 1;
    }
  settle_known(c, s, gj__control_loops(c) ? varying : gj__control_first(c), needed, constant);
}

// --- specialised functions ---

// The function with the inputs and outputs that are left; its number, -1 after a failure.
static int64_t specialise(const gj__control *c, const shrink *s, size_t i) {
  const gj_graph *f = gj__control_function(c, i);
  gj_graph *to = gj_graph_function_new(c->r->out, gj_graph_name(f));
  gj_ref *given = gj__control_room(c, gj_graph_input_count(f), sizeof *given);
  static const uint8_t only[] = {1};
  const uint8_t *outputs = c->op == GJ_OP_while && i == 0 ? only : s->outputs;
  if (!to || !given)
    return -1;
  gj_graph_share_nodes(to, true);
  if (c->op == GJ_OP_for)
    given[0] = gj__control_param(to, f, 0);
  for (size_t k = 0; k < s->order_count; k++)
    given[gj__control_input(c, s->order[k])] =
        gj__control_param(to, f, gj__control_input(c, s->order[k]));
  for (size_t k = gj__control_first(c); k < c->arg_count; k++) {
    const gj_node *node = gj_graph_node(c->r->out, c->args[k]);
    if (s->fates[k] == ALIAS)
      given[gj__control_input(c, k)] = given[gj__control_input(c, s->as[k])];
    else if (s->fates[k] == SUNK)
      given[gj__control_input(c, k)] = gj_graph_const_like(to, node);
  }
  const gj_ref *results = gj__control_outputs(c, f, to, given, outputs);
  for (size_t k = 0; results && k < gj_graph_output_count(f); k++)
    if (outputs[k])
      gj_graph_set_output(to, gj_graph_output(f, k)->name, results[k]);
  return results ? gj__rebuild_add_function(c->r->all, to) : -1;
}

static size_t count_outputs(const gj__control *c, const shrink *s) {
  size_t count = 0;
  for (size_t i = 0; i < c->result_count; i++)
    count += s->outputs[i];
  return count;
}

// True when nothing would be gained, or it would cost too much.
static bool stays_as_it_is(const gj__control *c, const shrink *s) {
  bool same = s->order_count + gj__control_first(c) == c->arg_count &&
              count_outputs(c, s) == c->result_count;
  size_t nodes = 0, functions = gj_graph_function_count(c->r->out);
  for (size_t i = 0; i < c->function_count; i++)
    nodes += gj_graph_node_count(gj__control_function(c, i));
  size_t reserved = gj_graph_function_count(c->r->in) + c->function_count;
  return (same && s->carried == c->carried) || functions + reserved > GJ_MAX_FUNCTIONS / 2 ||
         !gj__control_spend(c, nodes);
}

// --- the op that is left ---

static gj_ref append_control(const gj__control *c, const gj_ref *args, size_t count,
                             int64_t carried, int64_t stacked) {
  gj_attrs attrs = *c->node->attrs;
  gj_attrs_set(&attrs, GJ_ATTR_functions, c->numbers, c->function_count);
  if (gj__control_loops(c))
    gj_attrs_set(&attrs, GJ_ATTR_carried, &carried, 1);
  if (c->op == GJ_OP_for)
    gj_attrs_set(&attrs, GJ_ATTR_stacked, &stacked, 1);
  return gj_graph_append(c->r->out, c->op, args, count, &attrs);
}

void gj__control_append(const gj__control *c) {
  gj_ref ref = append_control(c, c->args, c->arg_count, (int64_t)c->carried, (int64_t)c->stacked);
  for (size_t i = 0; i < c->result_count; i++)
    c->results[i] = c->asked[i] ? gj__control_result_of(c, ref, i) : 0;
}

static void append_shrunk(gj__control *c, const shrink *s) {
  gj_ref *args = gj__control_room(c, c->arg_count, sizeof *args);
  int64_t *numbers = gj__control_room(c, c->function_count, sizeof *numbers);
  size_t count = gj__control_first(c), index = 0;
  for (size_t i = 0; numbers && i < c->function_count; i++)
    numbers[i] = specialise(c, s, i);
  if (!args || !numbers)
    return;
  for (size_t i = 0; i < c->function_count; i++)
    if (numbers[i] < 0)
      return;
  c->numbers = numbers;
  args[0] = c->args[0];
  for (size_t i = 0; i < s->order_count; i++)
    args[count++] = c->args[s->order[i]];
  gj_ref ref = append_control(c, args, count, (int64_t)s->carried, (int64_t)s->stacked);
  for (size_t i = 0; i < c->result_count; i++)
    if (s->outputs[i])
      c->results[i] = gj__control_result_of(c, ref, index++);
}

void gj__control_shrink(gj__control *c) {
  shrink s = {.fates = gj__control_room(c, c->arg_count, sizeof *s.fates),
              .as = gj__control_room(c, c->arg_count, sizeof *s.as),
              .order = gj__control_room(c, c->arg_count, sizeof *s.order),
              .outputs = gj__control_room(c, c->result_count, 1)};
  uint8_t *needed = gj__control_room(c, c->arg_count, 1),
          *constant = gj__control_room(c, c->arg_count, 1);
  if (!s.fates || !s.as || !s.order || !s.outputs || !needed || !constant)
    return;
  bool found = gj__control_loops(c) ? find_needs_of_loop(c, &s, needed)
                                    : find_needs_of_choice(c, &s, needed);
  if (!found)
    return;
  if (gj__control_loops(c))
    free_constants(c, &s, needed, constant);
  if (count_outputs(c, &s) == 0) // every result is an operand
    return;
  settle_operands(c, &s, needed, constant);
  if (stays_as_it_is(c, &s))
    gj__control_append(c);
  else
    append_shrunk(c, &s);
}
