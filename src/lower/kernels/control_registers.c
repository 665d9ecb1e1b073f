// Control ops in registers: functions of numbers are no calls, and what loops carry lies in locals.
//
// Where functions give numbers only (one element) and compute nothing but such and elements of
// arrays that lie in memory, their code stands in the kernel of the control op itself, inner
// control ops included:
//
//   let i: i64 = …
//   while (true) {
//     if (not(lt(i, 100))) { break }
//     set i = add(i, 1)
//   }
//
// passes/control.c says where. Parts of stacked operands are loaded in their round, stacked results
// stored. A loop that carries nothing is a vector loop. Cancellation is polled once per round of a
// `while`, once per chunk of a `for`.
#include "lower/context.h"

#include <string.h>

enum { CHUNK = 1 << 16 };

// What takes the place of an input: a number, or where an array is.
typedef struct port {
  const gj_lexpr *value, *pointer;
} port;

// A function while it is written into the kernel.
typedef struct frame {
  gj__lower own;
  const gj_lexpr ***results; // by ref of a control op: what it gives
} frame;

// What a loop goes over in the kernel's own memory; inner loops have none.
typedef struct stacks {
  const gj_lexpr *const *stores; // by result: where it goes, or NULL
} stacks;

static void emit_control(frame *f, gj_ref ref, const port *ports, const stacks *outer,
                         const gj_lexpr **out);

static void *room(gj__lower *l, size_t count, size_t size) {
  void *array = gj_arena_array(&l->scratch, count + 1, size);
  if (array)
    memset(array, 0, (count + 1) * size);
  else
    l->out_of_memory = true;
  return array;
}

// --- functions ---

// A plan of the function in which only its inputs lie in memory.
static gj_plan *plan_of(gj__lower *own, const gj_plan *whole, size_t number) {
  const gj_graph *graph = gj_graph_function(whole->graph, number);
  size_t refs = gj_graph_node_count(graph) + 1;
  gj_plan *plan = room(own, 1, sizeof *plan);
  if (!plan)
    return NULL;
  *plan = *whole->functions[number];
  plan->home = room(own, refs, sizeof *plan->home);
  plan->writer = room(own, refs, sizeof *plan->writer);
  if (!plan->home || !plan->writer)
    return NULL;
  for (size_t i = 0; i < refs; i++)
    plan->home[i] = plan->writer[i] = UINT32_MAX; // no buffer, no kernel
  for (size_t i = 0; i < gj_graph_input_count(graph); i++)
    plan->home[gj_graph_input(graph, i)] = (uint32_t)i; // buffers of inputs come first
  return plan;
}

static bool begin_frame(frame *f, const gj__lower *l, size_t number, gj_lblock *into) {
  gj__lower *own = &f->own;
  *own = *l;
  gj_arena_init(&own->scratch, 1 << 12);
  const gj_graph *graph = gj_graph_function(l->graph, number);
  size_t refs = gj_graph_node_count(graph) + 1;
  gj_plan *plan = plan_of(own, l->plan, number);
  own->plan = plan;
  own->graph = graph;
  own->kernel = 0;
  own->derived_capacity = 16;
  own->flat = room(own, refs, sizeof *own->flat);
  own->crossed = room(own, refs, sizeof *own->crossed);
  own->data = room(own, refs, sizeof *own->data);
  own->computed = room(own, refs, sizeof *own->computed);
  own->ops = room(own, refs, sizeof *own->ops);
  own->numbers = room(own, refs, sizeof *own->numbers);
  own->kept = room(own, refs, sizeof *own->kept);
  own->derived = room(own, own->derived_capacity, sizeof *own->derived);
  own->buffers = room(own, gj_graph_input_count(graph), sizeof *own->buffers);
  own->origin = room(own, 1, sizeof *own->origin);
  f->results = room(own, refs, sizeof *f->results);
  if (!plan || !own->flat || !own->crossed || !own->data || !own->computed || !own->ops ||
      !own->numbers || !own->kept || !own->derived || !own->buffers || !own->origin || !f->results)
    return false;
  *own->origin = (gj__index){.flat = true};
  own->origin->at[0] = gj__i64(own, 0);
  own->this_row = NULL;
  own->memo = NULL;
  own->memo_slots = own->op_count = 0;
  own->stream = NULL;
  gj__enter(own, into);
  return true;
}

// From now on `ref` is known to be `value`, in whatever block.
static void know(frame *f, gj_ref ref, const gj_lexpr *value) {
  f->own.numbers[ref] = (gj__number){f->own.kernel + 1, value};
}

static port port_of(frame *f, gj_ref ref) {
  const gj_node *node = gj_graph_node(f->own.graph, ref);
  if (gj__has_one_element(&node->type))
    return (port){.value = gj__value(&f->own, ref, f->own.origin)};
  return (port){.pointer = f->own.buffers[f->own.plan->home[ref]]};
}

static void emit_node(frame *f, gj_ref ref) {
  const gj_node *node = gj_graph_node(f->own.graph, ref);
  if (node->op == GJ_OP_result) {
    know(f, ref, f->results[node->args[0]][gj_node_int(node, GJ_ATTR_index)]);
  } else if (gj_op_has((gj_op)node->op, GJ_TRAIT_CALLS)) {
    port *ports = room(&f->own, node->arg_count, sizeof *ports);
    const gj_lexpr **results = room(&f->own, node->result_count, sizeof *results);
    if (!ports || !results)
      return;
    for (uint32_t a = 0; a < node->arg_count; a++)
      ports[a] = port_of(f, node->args[a]);
    f->results[ref] = results;
    emit_control(f, ref, ports, NULL, results);
    know(f, ref, results[0]);
  } else if (gj__has_one_element(&node->type)) {
    know(f, ref, gj__value(&f->own, ref, f->own.origin));
  }
}

// Writes a function of the graph into a block; `out` receives its outputs.
static void emit_function(gj__lower *l, size_t number, gj_lblock *into, const port *inputs,
                          const gj_lexpr **out) {
  frame f;
  bool begun = begin_frame(&f, l, number, into);
  const gj_graph *graph = f.own.graph;
  for (size_t i = 0; begun && i < gj_graph_input_count(graph); i++) {
    f.own.buffers[i] = inputs[i].pointer;
    if (inputs[i].value)
      know(&f, gj_graph_input(graph, i), inputs[i].value);
  }
  for (gj_ref ref = 1; begun && ref <= gj_graph_node_count(graph) && !f.own.out_of_memory; ref++)
    emit_node(&f, ref);
  for (size_t i = 0; begun && i < gj_graph_output_count(graph) && !f.own.out_of_memory; i++)
    out[i] = f.own.numbers[gj_graph_output(graph, i)->ref].value;
  l->out_of_memory = l->out_of_memory || f.own.out_of_memory;
  gj_arena_fini(&f.own.scratch);
}

// --- choices ---

typedef struct control {
  gj__lower *l;
  const gj_node *node;
  const port *ports;
  const gj_attr_list *functions;
  uint32_t *locals; // by result, or by carried value
  const gj_lexpr **out;
} control;

static size_t function_of(const control *c, size_t i) { return (size_t)c->functions->values[i]; }

static const gj_lexpr *zero(gj__lower *l, gj_dtype dtype) {
  return gj_lx_const(l->m, (gj_scalar){.dtype = dtype});
}

// Sets the locals to what function `i` gives.
static void run_choice(void *context, gj_lblock *into, size_t i) {
  control *c = context;
  size_t first = c->node->op == GJ_OP_cond || c->node->op == GJ_OP_switch;
  emit_function(c->l, function_of(c, i), into, c->ports + first, c->out);
  for (uint32_t k = 0; k < c->node->result_count && !c->l->out_of_memory; k++)
    gj_ls_set(c->l->m, c->l->f, into, c->locals[k], c->out[k]);
}

static void emit_choice(control *c, gj_lblock *into) {
  gj__lower *l = c->l;
  const gj_graph *body = gj_graph_function(l->graph, function_of(c, 0));
  for (uint32_t i = 0; i < c->node->result_count; i++)
    c->locals[i] =
        gj_ls_let(l->m, l->f, into, "given", zero(l, gj_graph_output_type(body, i)->dtype));
  if (c->node->op == GJ_OP_cond) {
    gj_lstmt *branch = gj_ls_if(l->m, l->f, into, c->ports[0].value);
    run_choice(c, &branch->body, 0);
    run_choice(c, &branch->orelse, 1);
  } else {
    gj__choose(l, into, c->ports[0].value, 0, c->functions->count, run_choice, c);
  }
  for (uint32_t i = 0; i < c->node->result_count; i++)
    c->out[i] = gj__local(l, c->locals[i]);
}

// --- loops ---

static void begin_carried(control *c, gj_lblock *into, size_t carried) {
  gj__lower *l = c->l;
  for (size_t i = 0; i < carried; i++)
    c->locals[i] = gj_ls_let(l->m, l->f, into, "carried", c->ports[i].value);
}

static port carried_port(control *c, size_t i) {
  return (port){.value = gj__local(c->l, c->locals[i])};
}

// All carried values change at once: one that becomes what another was is kept aside first.
static void set_carried(control *c, gj_lblock *into, size_t carried) {
  gj__lower *l = c->l;
  for (size_t i = 0; i < carried; i++)
    for (size_t k = 0; k < carried; k++)
      if (k != i && c->out[i]->kind == GJ_LX_LOCAL && c->out[i]->index == c->locals[k]) {
        c->out[i] = gj__local(l, gj_ls_let(l->m, l->f, into, "next", c->out[i]));
        break;
      }
  for (size_t i = 0; i < carried; i++)
    gj_ls_set(l->m, l->f, into, c->locals[i], c->out[i]);
}

static void emit_while(control *c, gj_lblock *into, size_t carried) {
  gj__lower *l = c->l;
  size_t args = c->node->arg_count;
  port *inputs = room(l, args, sizeof *inputs);
  if (!inputs)
    return;
  begin_carried(c, into, carried);
  gj_scalar yes = {.dtype = GJ_DTYPE_bool, .v.u = 1};
  gj_lstmt *loop = gj_ls_while(l->m, l->f, into, gj_lx_const(l->m, yes));
  gj__poll(l, &loop->body);
  for (size_t i = 0; i < args; i++)
    inputs[i] = i < carried ? carried_port(c, i) : c->ports[i];
  emit_function(l, function_of(c, 0), &loop->body, inputs, c->out);
  if (l->out_of_memory)
    return;
  const gj_lexpr *stop = gj_lx_unary(l->m, GJ_OP_not, c->out[0]);
  gj_ls_break(l->m, l->f, &gj_ls_if(l->m, l->f, &loop->body, stop)->body, 1);
  emit_function(l, function_of(c, 1), &loop->body, inputs, c->out);
  if (!l->out_of_memory)
    set_carried(c, &loop->body, carried);
}

// The body of a loop and its number there. Rounds that depend on none before are lanes of vectors.
static gj_lblock *begin_rounds(control *c, gj_lblock *into, bool depend, const gj_lexpr **round) {
  gj__lower *l = c->l;
  gj__range range = {gj__i64(l, 0), gj__dim(l, gj_node_int(c->node, GJ_ATTR_count))};
  if (!depend) {
    *round = gj__nest_run(l, into, range)->at[0];
    return l->block;
  }
  gj__enter(l, into);
  range.hi = gj__keep(l, "count", range.hi);
  if (l->poll)
    into = gj__chunks(l, into, range.lo, range.hi, CHUNK, &range);
  gj_lstmt *loop = gj_ls_for(l->m, l->f, into, "r", range.lo, range.hi, 1, 0, 1);
  *round = gj__local(l, loop->local);
  gj__enter(l, &loop->body);
  if (gj_node_int(c->node, GJ_ATTR_descending)) {
    const gj_lexpr *last =
        gj__sub(l, gj__dim(l, gj_node_int(c->node, GJ_ATTR_count)), gj__i64(l, 1));
    *round = gj__let(l, "round", gj__sub(l, last, *round));
  }
  return &loop->body;
}

static void emit_for(control *c, gj_lblock *into, size_t carried, const stacks *outer) {
  gj__lower *l = c->l;
  size_t args = c->node->arg_count;
  size_t end = carried + (size_t)gj_node_int(c->node, GJ_ATTR_stacked);
  port *inputs = room(l, args + 1, sizeof *inputs);
  if (!inputs)
    return;
  begin_carried(c, into, carried);
  const gj_lexpr *round;
  gj_lblock *body = begin_rounds(c, into, carried > 0 || !outer, &round);
  inputs[0].value = round;
  for (size_t i = 0; i < args; i++)
    inputs[i + 1] = i < carried ? carried_port(c, i) : c->ports[i];
  for (size_t i = carried; i < end; i++) // of one round a stack may be a number already
    if (c->ports[i].pointer)
      inputs[i + 1] =
          (port){.value = gj__let(l, "part", gj_lx_load(l->m, c->ports[i].pointer, round, 1))};
  emit_function(l, function_of(c, 0), body, inputs, c->out);
  if (l->out_of_memory)
    return;
  for (size_t i = carried; outer && i < c->node->result_count; i++)
    if (outer->stores[i])
      gj_ls_store(l->m, l->f, body, outer->stores[i], round, c->out[i]);
  set_carried(c, body, carried);
}

static void emit_loop(control *c, gj_lblock *into, const stacks *outer) {
  size_t carried = (size_t)gj_node_int(c->node, GJ_ATTR_carried);
  if (c->node->op == GJ_OP_while)
    emit_while(c, into, carried);
  else
    emit_for(c, into, carried, outer);
  for (size_t i = 0; i < carried && !c->l->out_of_memory; i++)
    c->out[i] = gj__local(c->l, c->locals[i]);
}

// Writes a control op behind what its block has; the block goes on being the frame's.
static void emit_control(frame *f, gj_ref ref, const port *ports, const stacks *outer,
                         const gj_lexpr **out) {
  gj__lower *l = &f->own;
  const gj_node *node = gj_graph_node(l->graph, ref);
  gj_lblock *into = l->block;
  control c = {l, node, ports, .functions = &node->attrs->list[GJ_ATTR_functions], .out = out};
  c.locals = room(l, node->result_count, sizeof *c.locals);
  if (!c.locals)
    return;
  if (node->attrs->set & GJ_HAS_CARRIED)
    emit_loop(&c, into, outer);
  else
    emit_choice(&c, into);
  gj__enter(l, into);
}

// --- the kernel ---

void gj__lower_registers(gj__lower *l, const gj_kernel *kernel, const gj_control_places *places) {
  const gj_node *node = gj_graph_node(l->graph, kernel->owner);
  uint32_t args = node->arg_count, results = node->result_count;
  port *ports = room(l, args, sizeof *ports);
  const gj_lexpr **out = room(l, results, sizeof *out), **stores = room(l, results, sizeof *stores);
  if (!ports || !out || !stores)
    return;
  for (uint32_t i = 0; i < args; i++) {
    const gj_lexpr *pointer = l->buffers[l->plan->home[node->args[i]]];
    bool stacked = node->op == GJ_OP_for && i >= places->carried &&
                   i < places->carried + (uint32_t)gj_node_int(node, GJ_ATTR_stacked);
    bool one = gj__has_one_element(&gj_graph_node(l->graph, node->args[i])->type) && !stacked;
    if (one)
      ports[i].value = gj__let(l, "given", gj_lx_load(l->m, pointer, gj__i64(l, 0), 1));
    else
      ports[i].pointer = pointer;
  }
  for (uint32_t i = 0; i < results; i++)
    if (places->stores[i] != GJ_NO_BUFFER)
      stores[i] = l->buffers[places->stores[i]];
  frame f = {.own = *l};
  emit_control(&f, kernel->owner, ports, &(stacks){stores}, out);
  bool broken = f.own.out_of_memory;
  *l = f.own;
  uint32_t single = node->op == GJ_OP_for ? places->carried : results;
  for (uint32_t i = 0; i < single && !broken; i++)
    if (stores[i])
      gj_ls_store(l->m, l->f, &l->f->body, stores[i], gj__i64(l, 0), out[i]);
}
