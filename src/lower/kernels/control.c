// Control ops: calls, choices and loops around functions.
//
// A function of the graph is a function of Loop IR that takes its outputs, its inputs, where in the
// run's arena it may work, and the symbols (lower.c makes it, as it makes the entry). A control
// kernel calls it: what is carried lies where the body changes it, or in two sets in the arena,
// which change places by swapping two offsets, and stacked operands and results are read and
// written where they are, a part per round. So a round costs its calls and nothing else. Functions
// of numbers are not even called: see control_registers.c. Loops ask in every round whether they
// are cancelled, since nobody knows how many rounds there are.
//
// Left out: rounds on several threads. The kernels in a function are divided as any others.
#include "lower/context.h"

#include <string.h>

typedef struct control {
  gj__lower *l;
  const gj_kernel *kernel;
  const gj_node *node;
  gj_control_places places;
  size_t args, results;
  const gj_lexpr **in, **out; // of the function to be called
  const gj_lexpr **kept;      // per result: its place, once somebody asked
} control;

// --- memory ---

// An offset into the arena, `place` bytes behind where this kernel may work.
static const gj_lexpr *at(control *c, gj_dim place) {
  return gj__add(c->l, c->l->base, gj__dim(c->l, place));
}

static const gj_lexpr *operand(const control *c, size_t i) {
  return c->l->buffers[c->l->plan->home[c->node->args[i]]];
}

static const gj_type *output_type(const control *c, size_t i) {
  return gj_graph_output_type(gj__control_body(c->l->graph, c->node), i);
}

static const gj_lexpr *size_of(gj__lower *l, const gj_type *type) {
  uint8_t axes[GJ_MAX_RANK];
  return gj__size(l, type, axes, gj__loop_axes(type, axes));
}

// Where result `i`, which is in no set, goes; always the same expression.
static const gj_lexpr *result(control *c, size_t i) {
  if (c->places.stores[i] != GJ_NO_BUFFER)
    return c->l->buffers[c->places.stores[i]];
  if (!c->kept[i])
    c->kept[i] = gj_lx_scratch(c->l->m, at(c, c->places.places[i]), output_type(c, i)->dtype);
  return c->kept[i];
}

// The pointer to carried value `i`, which is in the set that begins at `set` or has its own place.
static const gj_lexpr *carried(control *c, const gj_lexpr *set, size_t i) {
  if (c->places.in_place[i])
    return result(c, i);
  const gj_lexpr *place = gj__add(c->l, set, gj__dim(c->l, c->places.places[i]));
  return gj_lx_scratch(c->l->m, place, output_type(c, i)->dtype);
}

static void copy(control *c, gj_lblock *into, const gj_type *type, const gj_lexpr *to,
                 const gj_lexpr *from) {
  gj__lower *l = c->l;
  gj__enter(l, into);
  const gj_lexpr *size = size_of(l, type);
  const gj_lexpr *index = gj__i64(l, 0);
  if (!gj__is_one(size))
    index = gj__nest_run(l, into, (gj__range){index, size})->at[0];
  gj_ls_store(l->m, l->f, l->block, to, index, gj_lx_load(l->m, from, index, 1));
}

// --- calling ---

// What a function finds in an output is put there, unless it lies there.
static void hand_over(control *c, gj_lblock *into, size_t number) {
  const gj_plan *plan = c->l->plan->functions[number];
  for (size_t i = 0; i < gj_graph_output_count(plan->graph); i++)
    if (plan->taken[i] != GJ_NO_BUFFER && c->in[plan->taken[i]] != c->out[i])
      copy(c, into, gj_graph_output_type(plan->graph, i), c->out[i], c->in[plan->taken[i]]);
}

// Calls a function with c->in and c->out and returns from the kernel when it was stopped.
static void call(void *context, gj_lblock *into, size_t function) {
  control *c = context;
  gj__lower *l = c->l;
  size_t number = (size_t)c->node->attrs->list[GJ_ATTR_functions].values[function];
  const gj_graph *graph = gj_graph_function(l->graph, number);
  size_t outputs = gj_graph_output_count(graph), inputs = gj_graph_input_count(graph), n = 0;
  size_t symbols = gj_dims_symbol_count(l->dims);
  const gj_lexpr **args = gj_arena_array(&l->scratch, outputs + inputs + symbols + 1, sizeof *args);
  if (!args) {
    l->out_of_memory = true;
    return;
  }
  hand_over(c, into, number);
  gj__enter(l, into);
  for (size_t i = 0; i < outputs; i++)
    args[n++] = c->out[i];
  for (size_t i = 0; i < inputs; i++)
    args[n++] = c->in[i];
  args[n++] = at(c, c->places.inner);
  for (size_t i = 0; i < symbols; i++)
    args[n++] = l->symbols[i];
  const gj_lexpr *status = gj__let(l, "status", gj_lx_call(l->m, l->functions[number], args, n));
  gj_lstmt *stop = gj_ls_if(
      l->m, l->f, into,
      gj_lx_binary(l->m, GJ_OP_ne, status, gj_lx_const(l->m, (gj_scalar){.dtype = GJ_DTYPE_i32})));
  gj_ls_return(l->m, l->f, &stop->body, status);
}

// --- call, cond, switch ---

void gj__choose(gj__lower *l, gj_lblock *into, const gj_lexpr *number, size_t first, size_t count,
                gj__choice_fn *write, void *context) {
  if (count == 1) {
    write(context, into, first);
    return;
  }
  size_t half = count / 2;
  gj_scalar middle = {.dtype = GJ_DTYPE_i32, .v.i = (int64_t)(first + half)};
  const gj_lexpr *low = gj_lx_binary(l->m, GJ_OP_lt, number, gj_lx_const(l->m, middle));
  gj_lstmt *branch = gj_ls_if(l->m, l->f, into, low);
  gj__choose(l, &branch->body, number, first, half, write, context);
  gj__choose(l, &branch->orelse, number, first + half, count - half, write, context);
}

static void lower_choice(control *c) {
  gj__lower *l = c->l;
  size_t first = c->node->op == GJ_OP_cond || c->node->op == GJ_OP_switch;
  for (size_t i = first; i < c->args; i++)
    c->in[i - first] = operand(c, i);
  for (size_t i = 0; i < c->results; i++)
    c->out[i] = result(c, i);
  if (first == 0) {
    call(c, &l->f->body, 0);
    return;
  }
  const gj_lexpr *chooser = gj__let(l, "chosen", gj_lx_load(l->m, operand(c, 0), gj__i64(l, 0), 1));
  if (c->node->op == GJ_OP_switch) {
    size_t count = c->node->attrs->list[GJ_ATTR_functions].count;
    gj__choose(l, &l->f->body, chooser, 0, count, call, c);
    return;
  }
  gj_lstmt *branch = gj_ls_if(l->m, l->f, &l->f->body, chooser);
  call(c, &branch->body, 0);
  call(c, &branch->orelse, 1);
}

// --- loops ---

// Locals with the offsets of the set that a round reads and of the one that it writes.
typedef struct sets {
  uint32_t now, next;
} sets;

static sets begin_sets(control *c) {
  gj__lower *l = c->l;
  gj_lblock *body = &l->f->body;
  for (size_t i = 0; i < c->places.carried; i++)
    if (carried(c, at(c, 0), i) != operand(c, i))
      copy(c, body, output_type(c, i), carried(c, at(c, 0), i), operand(c, i));
  gj__enter(l, body);
  uint32_t now = gj_ls_let(l->m, l->f, body, "now", at(c, 0));
  return (sets){now, gj_ls_let(l->m, l->f, body, "next", at(c, c->places.set))};
}

static void swap_sets(control *c, gj_lblock *into, sets s) {
  gj__lower *l = c->l;
  const gj_lexpr *now = gj__local(l, gj_ls_let(l->m, l->f, into, "old", gj__local(l, s.now)));
  gj_ls_set(l->m, l->f, into, s.now, gj__local(l, s.next));
  gj_ls_set(l->m, l->f, into, s.next, now);
}

static void end_sets(control *c, sets s) {
  for (size_t i = 0; i < c->places.carried; i++)
    if (c->places.stores[i] != GJ_NO_BUFFER && !c->places.in_place[i])
      copy(c, &c->l->f->body, output_type(c, i), c->l->buffers[c->places.stores[i]],
           carried(c, gj__local(c->l, s.now), i));
}

static void lower_while(control *c) {
  gj__lower *l = c->l;
  sets s = begin_sets(c);
  gj_scalar yes = {.dtype = GJ_DTYPE_bool, .v.u = 1};
  gj_lstmt *loop = gj_ls_while(l->m, l->f, &l->f->body, gj_lx_const(l->m, yes));
  const gj_lexpr *go = gj_lx_scratch(l->m, at(c, c->places.line), GJ_DTYPE_bool);
  gj__poll(l, &loop->body);
  for (size_t i = 0; i < c->args; i++)
    c->in[i] = i < c->places.carried ? carried(c, gj__local(l, s.now), i) : operand(c, i);
  c->out[0] = go;
  call(c, &loop->body, 0);
  const gj_lexpr *stop = gj_lx_unary(l->m, GJ_OP_not, gj_lx_load(l->m, go, gj__i64(l, 0), 1));
  gj_ls_break(l->m, l->f, &gj_ls_if(l->m, l->f, &loop->body, stop)->body, 1);
  for (size_t i = 0; i < c->results; i++)
    c->out[i] = carried(c, gj__local(l, s.next), i);
  call(c, &loop->body, 1);
  swap_sets(c, &loop->body, s);
  end_sets(c, s);
}

// The part of a stacked value that belongs to a round.
static const gj_lexpr *part(control *c, const gj_lexpr *whole, const gj_type *type,
                            const gj_lexpr *round) {
  return gj_lx_offset(c->l->m, whole, gj__mul(c->l, round, size_of(c->l, type)));
}

static void lower_for(control *c) {
  gj__lower *l = c->l;
  size_t end = c->places.carried + (size_t)gj_node_int(c->node, GJ_ATTR_stacked);
  const gj_graph *body = gj__control_body(l->graph, c->node);
  sets s = begin_sets(c);
  const gj_lexpr *count = gj__keep(l, "count", gj__dim(l, gj_node_int(c->node, GJ_ATTR_count)));
  gj_lstmt *loop = gj_ls_for(l->m, l->f, &l->f->body, "r", gj__i64(l, 0), count, 1, 0, 1);
  const gj_lexpr *round = gj__local(l, loop->local);
  gj__poll(l, &loop->body);
  gj__enter(l, &loop->body);
  if (gj_node_int(c->node, GJ_ATTR_descending))
    round = gj__let(l, "round", gj__sub(l, gj__sub(l, count, gj__i64(l, 1)), round));
  c->in[0] = gj_lx_scratch(l->m, at(c, c->places.line), GJ_DTYPE_i64);
  gj_ls_store(l->m, l->f, &loop->body, c->in[0], gj__i64(l, 0), round);
  for (size_t i = 0; i < c->args; i++) {
    const gj_type *type = &gj_graph_node(body, gj_graph_input(body, i + 1))->type;
    c->in[i + 1] = i < c->places.carried ? carried(c, gj__local(l, s.now), i)
                   : i < end             ? part(c, operand(c, i), type, round)
                                         : operand(c, i);
  }
  for (size_t i = 0; i < c->results; i++) {
    if (i < c->places.carried)
      c->out[i] = carried(c, gj__local(l, s.next), i);
    else if (c->places.stores[i] == GJ_NO_BUFFER)
      c->out[i] = result(c, i);
    else
      c->out[i] = part(c, result(c, i), output_type(c, i), round);
  }
  call(c, &loop->body, 0);
  swap_sets(c, &loop->body, s);
  end_sets(c, s);
}

// Two result nodes of one number, which simplification would have made one.
static void copy_twins(control *c) {
  gj__lower *l = c->l;
  for (uint32_t i = 0; i < c->kernel->store_count; i++) {
    const gj_store *store = &c->kernel->stores[i];
    const gj_node *node = gj_graph_node(l->graph, store->ref);
    size_t index = node->op == GJ_OP_result ? (size_t)gj_node_int(node, GJ_ATTR_index) : 0;
    if (c->places.stores[index] != store->buffer)
      copy(c, &l->f->body, &node->type, l->buffers[store->buffer],
           l->buffers[c->places.stores[index]]);
  }
}

void gj__lower_control(gj__lower *l, const gj_kernel *kernel) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  control c = {l, kernel, node, .args = node->arg_count, .results = node->result_count};
  c.in = gj_arena_array(&l->scratch, c.args + 1, sizeof *c.in);
  c.out = gj_arena_array(&l->scratch, c.results, sizeof *c.out);
  c.kept = gj_arena_array(&l->scratch, c.results + 1, sizeof *c.kept);
  gj_error unseen;
  if (!c.in || !c.out || !c.kept ||
      gj__control_places(l->plan, kernel, &l->scratch, &c.places, &unseen) != GJ_OK) {
    l->out_of_memory = true;
    return;
  }
  memset(c.kept, 0, c.results * sizeof *c.kept);
  gj__enter(l, &l->f->body);
  if (gj__runs_in_registers(l->graph, node))
    gj__lower_registers(l, kernel, &c.places);
  else if (node->op == GJ_OP_while)
    lower_while(&c);
  else if (node->op == GJ_OP_for)
    lower_for(&c);
  else
    lower_choice(&c);
  copy_twins(&c);
}
