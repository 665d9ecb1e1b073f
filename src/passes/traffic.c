// See traffic.h. A kernel is walked from what it stores down to what it reads, users before
// operands, which the order of refs gives; each value on the way knows how many of its elements are
// wanted.
#include "passes/traffic.h"

#include "ir/infer/contract.h"
#include "loops/apply.h"

#include <stdlib.h>
#include <string.h>

// A count: a number where the symbols have values, else a formula. Only one of the two is kept up.
typedef struct amount {
  double number;
  gj_dim formula;
} amount;

typedef struct totals {
  amount bytes_read, bytes_written, narrow_ops, wide_ops;
} totals;

typedef struct counter {
  const gj_plan *plan;
  const gj_graph *graph;
  const int64_t *symbols; // NULL: formulas
  amount *size;           // per ref: elements
  amount *wanted;         // per ref: elements wanted in this kernel
  uint32_t *mark;         // per ref: 1 + the kernel that wants it
  amount *read;           // per buffer: bytes read in this kernel
  uint32_t *listed;       // per buffer: 1 + the kernel that reads it
  uint32_t kernel;
  uint32_t open;        // refs that are wanted and have not been looked at
  const totals *bodies; // per function: of one call
  totals out;
} counter;

// --- amounts ---

static amount add(const counter *c, amount a, amount b) {
  if (c->symbols)
    return (amount){.number = a.number + b.number};
  return (amount){.formula = gj_dim_add(gj_graph_dims(c->graph), a.formula, b.formula)};
}

static amount subtract(const counter *c, amount a, amount b) {
  if (c->symbols)
    return (amount){.number = a.number - b.number};
  return (amount){.formula = gj_dim_sub(gj_graph_dims(c->graph), a.formula, b.formula)};
}

static amount times(const counter *c, amount a, size_t factor) {
  if (c->symbols)
    return (amount){.number = a.number * (double)factor};
  return (amount){.formula = gj_dim_mul(gj_graph_dims(c->graph), a.formula, (gj_dim)factor)};
}

static amount multiply(const counter *c, amount a, amount b) {
  if (c->symbols)
    return (amount){.number = a.number * b.number};
  return (amount){.formula = gj_dim_mul(gj_graph_dims(c->graph), a.formula, b.formula)};
}

static amount most(const counter *c, amount a, amount b) {
  if (c->symbols)
    return (amount){.number = a.number > b.number ? a.number : b.number};
  return (amount){.formula = gj_dim_max(gj_graph_dims(c->graph), a.formula, b.formula)};
}

static amount least(const counter *c, amount a, amount b) {
  if (c->symbols)
    return (amount){.number = a.number < b.number ? a.number : b.number};
  return (amount){.formula = gj_dim_min(gj_graph_dims(c->graph), a.formula, b.formula)};
}

static void grow(const counter *c, amount *total, amount by) { *total = add(c, *total, by); }

static size_t element_bytes(const gj_node *node) { return gj_dtype_bytes(node->type.dtype); }

// --- formulas ---

// The expression with each symbol replaced by itself plus `by`. Nesting is limited by dims.c. An
// operand is looked up each time, since new expressions may move the old ones.
static gj_dim shifted(gj_dims *dims, gj_dim d, int64_t by) {
  if (!gj_dim_is_valid(dims, d))
    return GJ_DIM_ERROR;
  gj_dim_node node = gj_dim_get(dims, d);
  gj_dim own = gj_dim_const(dims, node.value), first, second;
  switch (node.kind) {
  case GJ_DIM_CONST:
    return d;
  case GJ_DIM_SYMBOL:
    return gj_dim_add(dims, d, gj_dim_const(dims, by));
  case GJ_DIM_SUM:
    for (uint32_t i = 0; i < node.operand_count; i++)
      own = gj_dim_add(dims, own, shifted(dims, gj_dim_get(dims, d).operands[i], by));
    return own;
  case GJ_DIM_PRODUCT:
    for (uint32_t i = 0; i < node.operand_count; i++)
      own = gj_dim_mul(dims, own, shifted(dims, gj_dim_get(dims, d).operands[i], by));
    return own;
  default:
    first = shifted(dims, gj_dim_get(dims, d).operands[0], by);
    second = shifted(dims, gj_dim_get(dims, d).operands[1], by);
    return node.kind == GJ_DIM_FLOORDIV ? gj_dim_floordiv(dims, first, second)
                                        : gj_dim_max(dims, first, second);
  }
}

// Formulas are made over symbols that are less by one, and so at least 0 where sizes are at least
// 1: dims then know that m is at most m·n, which they cannot when n may be 0.
static gj_dim formula_of_size(gj_dims *dims, gj_dim size) { return shifted(dims, size, 1); }
static gj_dim finished(gj_dims *dims, amount made) { return shifted(dims, made.formula, -1); }

// --- walking a kernel ---

// Two users that walk a value in step want the same elements; of slices each wants its own. What is
// wanted never exceeds the size. (Formulas are the simpler the fewer of these comparisons are
// made.)
static void want(counter *c, gj_ref ref, amount elements, bool own) {
  if (c->mark[ref] != c->kernel + 1) {
    c->mark[ref] = c->kernel + 1;
    c->wanted[ref] = (amount){0};
    c->open++;
  }
  if (own)
    c->wanted[ref] = least(c, add(c, c->wanted[ref], elements), c->size[ref]);
  else
    c->wanted[ref] = most(c, c->wanted[ref], least(c, elements, c->size[ref]));
}

// --- what is wanted of operand `arg`, see kinds.def ---

static void want_all(counter *c, const gj_node *node, uint32_t arg, amount elements) {
  (void)elements;
  want(c, node->args[arg], c->size[node->args[arg]], false);
}

static void want_same(counter *c, const gj_node *node, uint32_t arg, amount elements) {
  want(c, node->args[arg], least(c, c->size[node->args[arg]], elements), false);
}

// Of where to begin, all is wanted.
static void want_picks(counter *c, const gj_node *node, uint32_t arg, amount elements) {
  amount all = c->size[node->args[arg]];
  want(c, node->args[arg], arg == 0 ? least(c, all, elements) : all, arg == 0);
}

static void count_read(counter *c, uint32_t buffer, amount bytes, amount whole) {
  if (c->listed[buffer] != c->kernel + 1) {
    c->listed[buffer] = c->kernel + 1;
    c->read[buffer] = bytes;
    grow(c, &c->out.bytes_read, bytes);
    return;
  }
  amount before = c->read[buffer];
  c->read[buffer] = least(c, add(c, before, bytes), whole);
  grow(c, &c->out.bytes_read, subtract(c, c->read[buffer], before));
}

// A constant that is one element repeated: what it is reduced to follows from its size.
static bool is_repeated(const counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  return node->op == GJ_OP_const && node->data_size == gj_dtype_bytes(node->type.dtype);
}

// A size that the graph names, as an amount.
static amount amount_of(const counter *c, gj_dim dim) {
  gj_dims *dims = gj_graph_dims(c->graph);
  int64_t size = 0;
  if (c->symbols && gj_dim_eval(dims, dim, c->symbols, &size))
    return (amount){.number = (double)size};
  return (amount){.formula = c->symbols ? 0 : formula_of_size(dims, dim)};
}

// --- operations, see kinds.def: `each` are those of an element ---

static amount count_none(const counter *c, gj_ref ref, unsigned each) {
  (void)c, (void)ref, (void)each;
  return (amount){0};
}

static amount count_each(const counter *c, gj_ref ref, unsigned each) {
  return times(c, c->wanted[ref], each ? each : 1);
}

static amount count_apply(const counter *c, gj_ref ref, unsigned each) {
  (void)each;
  return times(c, c->wanted[ref], (size_t)gj_apply_flops(gj_graph_node(c->graph, ref)->name));
}

static amount count_updates(const counter *c, gj_ref ref, unsigned each) {
  (void)each;
  const gj_node *node = gj_graph_node(c->graph, ref);
  return times(c, c->size[node->args[2]], gj_op_get((gj_op)node->op)->combine ? 1 : 0);
}

// Reductions, whole and running.
static amount count_reduced(const counter *c, gj_ref ref, unsigned each) {
  gj_ref from = gj_graph_node(c->graph, ref)->args[0];
  return is_repeated(c, from) ? (amount){0} : times(c, c->size[from], each ? each : 1);
}

// Products of a contraction: elements of the result times what each of them is the sum of.
static amount count_products(const counter *c, gj_ref ref, unsigned each) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  gj_contraction axes = gj_contraction_of(c->graph, node);
  const gj_type *lhs = &gj_graph_node(c->graph, node->args[0])->type;
  amount count = c->size[ref];
  for (uint8_t i = 0; i < axes.contract_count; i++)
    count = multiply(c, count, amount_of(c, lhs->shape[axes.side[0].contract[i]]));
  return times(c, count, each);
}

// Windows: padding counts like elements.
static amount count_windows(const counter *c, gj_ref ref, unsigned each) {
  (void)each;
  const gj_node *node = gj_graph_node(c->graph, ref);
  amount count = c->size[ref];
  for (uint8_t i = 0; i < node->type.rank; i++)
    count = multiply(c, count, amount_of(c, node->attrs->list[GJ_ATTR_window].values[i]));
  return count;
}

static amount count_conv(const counter *c, gj_ref ref, unsigned each) {
  (void)each;
  const gj_node *node = gj_graph_node(c->graph, ref);
  const gj_type *kernel = &gj_graph_node(c->graph, node->args[1])->type;
  amount count = times(c, c->size[ref], 2);
  for (uint8_t i = 1; i < node->type.rank; i++)
    count = multiply(c, count, amount_of(c, kernel->shape[i]));
  return count;
}

// Of an element of a matrix as many as it has columns, or as the result has; of signals what
// ops.def says.
static amount count_library(const counter *c, gj_ref ref, unsigned each) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  gj_library_form form = gj_library_form_of(c->graph, node);
  return multiply(c, times(c, c->size[node->args[0]], each), amount_of(c, form.steps));
}

static const struct kind_rule {
  void (*want)(counter *c, const gj_node *node, uint32_t arg, amount elements);
  amount (*count)(const counter *c, gj_ref ref, unsigned each);
} rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_TRAFFIC(wants, counts) {want_##wants, count_##counts},
#include "ops/kinds.def"
};

static void count_ops(counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  size_t bytes = element_bytes(node);
  for (uint32_t a = 0; a < node->arg_count; a++) {
    size_t own = element_bytes(gj_graph_node(c->graph, node->args[a]));
    bytes = own > bytes ? own : bytes;
  }
  bool wide = bytes > 4;
  amount count = rules[info->kind].count(c, ref, wide ? info->wide_flops : info->narrow_flops);
  grow(c, wide ? &c->out.wide_ops : &c->out.narrow_ops, count);
}

static void count_value(counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  uint32_t home = c->plan->home[ref];
  amount bytes = times(c, c->wanted[ref], element_bytes(node));
  if (home != GJ_NO_BUFFER && c->plan->writer[ref] != c->kernel) {
    count_read(c, home, bytes, times(c, c->size[ref], element_bytes(node)));
    return;
  }
  if (node->op == GJ_OP_const && !is_repeated(c, ref))
    grow(c, &c->out.bytes_read, bytes);
  count_ops(c, ref);
  for (uint32_t a = 0; a < node->arg_count; a++)
    rules[gj_op_kind_of((gj_op)node->op)].want(c, node, a, c->wanted[ref]);
}

// --- functions ---

// How often a loop runs its body: of a `while` nobody knows, so it counts once.
static amount rounds_of(const counter *c, const gj_node *node) {
  gj_dims *dims = gj_graph_dims(c->graph);
  int64_t count = 1;
  if (node->op != GJ_OP_for)
    return (amount){1, 1};
  gj_dim size = gj_node_int(node, GJ_ATTR_count);
  if (!c->symbols)
    return (amount){.formula = formula_of_size(dims, size)};
  return (amount){.number = gj_dim_eval(dims, size, c->symbols, &count) ? (double)count : 0};
}

// What the functions of a control op compute: of several branches the one that computes most.
static void count_functions(counter *c, const gj_node *node) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  bool choice = node->op == GJ_OP_cond || node->op == GJ_OP_switch;
  totals sum = {0};
  for (size_t i = 0; i < list->count; i++) {
    const totals *body = &c->bodies[list->values[i]];
    sum.narrow_ops = choice ? most(c, sum.narrow_ops, body->narrow_ops)
                            : add(c, sum.narrow_ops, body->narrow_ops);
    sum.wide_ops =
        choice ? most(c, sum.wide_ops, body->wide_ops) : add(c, sum.wide_ops, body->wide_ops);
  }
  grow(c, &c->out.narrow_ops, multiply(c, sum.narrow_ops, rounds_of(c, node)));
  grow(c, &c->out.wide_ops, multiply(c, sum.wide_ops, rounds_of(c, node)));
}

static void count_kernel(counter *c) {
  const gj_kernel *kernel = &c->plan->kernels[c->kernel];
  c->out = (totals){0};
  gj_ref last = 0;
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    gj_ref ref = kernel->stores[i].ref;
    if (gj__store_lasts(c->plan, &kernel->stores[i]))
      grow(c, &c->out.bytes_written,
           times(c, c->size[ref], element_bytes(gj_graph_node(c->graph, ref))));
    want(c, ref, c->size[ref], false);
    last = ref > last ? ref : last;
  }
  for (gj_ref ref = last; c->open > 0; ref--)
    if (c->mark[ref] == c->kernel + 1) {
      c->open--;
      count_value(c, ref);
    }
  if (gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS))
    count_functions(c, gj_graph_node(c->graph, kernel->owner));
}

// --- both ways of counting ---

static gj_status find_sizes(counter *c, gj_error *err) {
  gj_dims *dims = gj_graph_dims(c->graph);
  for (gj_ref ref = 1; ref <= gj_graph_node_count(c->graph); ref++) {
    const gj_type *type = &gj_graph_node(c->graph, ref)->type;
    c->size[ref] = (amount){1, 1};
    for (uint8_t i = 0; i < type->rank; i++) {
      int64_t size = 0;
      if (c->symbols && !gj_dim_eval(dims, type->shape[i], c->symbols, &size))
        return gj_fail(err, GJ_E_OVERFLOW, "the size of %%%u, axis %u, is too large", ref, i);
      c->size[ref].number *= (double)size;
      if (!c->symbols)
        c->size[ref].formula =
            gj_dim_mul(dims, c->size[ref].formula, formula_of_size(dims, type->shape[i]));
    }
  }
  return GJ_OK;
}

static gj_status count_plan(const gj_plan *plan, const int64_t *symbols, const totals *bodies,
                            totals *out, gj_error *err) {
  gj_arena scratch;
  gj_arena_init(&scratch, 0);
  size_t refs = gj_graph_node_count(plan->graph) + 1, buffers = plan->buffer_count + 1;
  counter c = {.plan = plan,
               .graph = plan->graph,
               .symbols = symbols,
               .bodies = bodies,
               .size = gj_arena_array(&scratch, refs, sizeof *c.size),
               .wanted = gj_arena_array(&scratch, refs, sizeof *c.wanted),
               .mark = gj_arena_array(&scratch, refs, sizeof *c.mark),
               .read = gj_arena_array(&scratch, buffers, sizeof *c.read),
               .listed = gj_arena_array(&scratch, buffers, sizeof *c.listed)};
  gj_status status = GJ_OK;
  if (!c.size || !c.wanted || !c.mark || !c.read || !c.listed)
    status = gj_fail(err, GJ_E_MEMORY, "out of memory for the traffic of %zu values", refs - 1);
  else
    status = find_sizes(&c, err);
  for (; status == GJ_OK && c.kernel < plan->kernel_count; c.kernel++) {
    count_kernel(&c);
    out[c.kernel] = c.out;
  }
  gj_arena_fini(&scratch);
  return status;
}

// One call of a function, whose callees have been counted.
static gj_status count_body(const gj_plan *plan, const int64_t *symbols, const totals *bodies,
                            totals *out, gj_error *err) {
  totals *kernels = calloc(plan->kernel_count + 1, sizeof *kernels);
  if (!kernels)
    return gj_fail(err, GJ_E_MEMORY, "out of memory for the traffic of a function");
  counter c = {.graph = plan->graph, .symbols = symbols};
  gj_status status = count_plan(plan, symbols, bodies, kernels, err);
  for (uint32_t k = 0; status == GJ_OK && k < plan->kernel_count; k++) {
    grow(&c, &out->narrow_ops, kernels[k].narrow_ops);
    grow(&c, &out->wide_ops, kernels[k].wide_ops);
  }
  free(kernels);
  return status;
}

static gj_status count(const gj_plan *plan, const int64_t *symbols, totals *out, gj_error *err) {
  size_t functions = gj_graph_function_count(plan->graph);
  size_t refs = gj_graph_node_count(plan->graph) + 1;
  totals *bodies = calloc(functions + 1, sizeof *bodies);
  uint8_t *all = malloc(refs), *called = calloc(functions + 1, 1);
  gj_status status = GJ_OK;
  if (!bodies || !all || !called) {
    status = gj_fail(err, GJ_E_MEMORY, "out of memory for the traffic of %zu functions", functions);
  } else {
    memset(all, 1, refs);
    gj_graph_mark_called(plan->graph, all, called);
    for (size_t i = 0; i < functions && status == GJ_OK; i++)
      if (called[i])
        status = count_body(plan->functions[i], symbols, bodies, &bodies[i], err);
    if (status == GJ_OK)
      status = count_plan(plan, symbols, bodies, out, err);
  }
  free(bodies);
  free(all);
  free(called);
  return status;
}

static gj_status out_of_memory(const gj_plan *plan, gj_error *err) {
  return gj_fail(err, GJ_E_MEMORY, "out of memory for the traffic of %u kernels",
                 (unsigned)plan->kernel_count);
}

gj_status gj_plan_traffic(const gj_plan *plan, const int64_t *symbols, gj_traffic *out,
                          gj_error *err) {
  static const int64_t no_symbols;
  totals *kernels = calloc(plan->kernel_count + 1, sizeof *kernels);
  if (!kernels)
    return out_of_memory(plan, err);
  gj_status status = count(plan, symbols ? symbols : &no_symbols, kernels, err);
  for (size_t k = 0; status == GJ_OK && k < plan->kernel_count; k++)
    out[k] = (gj_traffic){kernels[k].bytes_read.number, kernels[k].bytes_written.number,
                          kernels[k].narrow_ops.number, kernels[k].wide_ops.number};
  free(kernels);
  return status;
}

gj_status gj_plan_traffic_formulas(const gj_plan *plan, gj_traffic_formulas *out, gj_error *err) {
  totals *kernels = calloc(plan->kernel_count + 1, sizeof *kernels);
  if (!kernels)
    return out_of_memory(plan, err);
  gj_dims *dims = gj_graph_dims(plan->graph);
  gj_status status = count(plan, NULL, kernels, err);
  for (size_t k = 0; status == GJ_OK && k < plan->kernel_count; k++)
    out[k] = (gj_traffic_formulas){finished(dims, kernels[k].bytes_read),
                                   finished(dims, kernels[k].bytes_written),
                                   gj_dim_add(dims, finished(dims, kernels[k].narrow_ops),
                                              finished(dims, kernels[k].wide_ops))};
  free(kernels);
  return status;
}
