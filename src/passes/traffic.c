// See traffic.h. A kernel is walked from what it stores down to what it reads, users before
// operands, which the order of refs gives; each value on the way knows how many of its elements are
// wanted.
#include "passes/traffic.h"

typedef struct counter {
  const gj_plan *plan;
  const gj_graph *graph;
  double *size;     // per ref: elements
  double *wanted;   // per ref: elements wanted in this kernel
  uint32_t *mark;   // per ref: 1 + the kernel that wants it
  double *read;     // per buffer: bytes read in this kernel
  uint32_t *listed; // per buffer: 1 + the kernel that reads it
  uint32_t kernel;
  uint32_t open; // refs that are wanted and have not been looked at
  gj_traffic *out;
} counter;

static double least(double a, double b) { return a < b ? a : b; }

static double element_bytes(const gj_node *node) {
  return (double)gj_dtype_bytes(node->type.dtype);
}

// Two users that walk a value in step want the same elements; of slices each wants its own.
static void want(counter *c, gj_ref ref, double elements, bool own) {
  if (c->mark[ref] != c->kernel + 1) {
    c->mark[ref] = c->kernel + 1;
    c->wanted[ref] = 0;
    c->open++;
  }
  double sum = own ? c->wanted[ref] + elements : elements;
  if (sum > c->wanted[ref])
    c->wanted[ref] = least(sum, c->size[ref]);
}

static void want_operands(counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  for (uint32_t a = 0; a < node->arg_count; a++) {
    double all = c->size[node->args[a]], some = least(all, c->wanted[ref]);
    switch (gj_op_get((gj_op)node->op)->kind) {
    case GJ_OP_KIND_SLICE:
    case GJ_OP_KIND_DYNAMIC_SLICE:
      want(c, node->args[a], some, true);
      break;
    case GJ_OP_KIND_ELEMENTWISE:
    case GJ_OP_KIND_RESHAPE:
    case GJ_OP_KIND_TRANSPOSE:
    case GJ_OP_KIND_BROADCAST:
    case GJ_OP_KIND_REVERSE:
    case GJ_OP_KIND_RESULT:
      want(c, node->args[a], some, false);
      break;
    default:
      want(c, node->args[a], all, false);
    }
  }
}

static void count_read(counter *c, uint32_t buffer, double bytes, double most) {
  if (c->listed[buffer] != c->kernel + 1) {
    c->listed[buffer] = c->kernel + 1;
    c->read[buffer] = 0;
  }
  double before = c->read[buffer];
  c->read[buffer] = least(before + bytes, most);
  c->out->bytes_read += c->read[buffer] - before;
}

// A constant that is one element repeated: what it is reduced to follows from its size.
static bool is_repeated(const counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  return node->op == GJ_OP_const && node->data_size == gj_dtype_bytes(node->type.dtype);
}

static void count_ops(counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  const gj_op_info *info = gj_op_get((gj_op)node->op);
  double bytes = element_bytes(node);
  for (uint32_t a = 0; a < node->arg_count; a++) {
    double own = element_bytes(gj_graph_node(c->graph, node->args[a]));
    bytes = own > bytes ? own : bytes;
  }
  bool wide = bytes > 4;
  unsigned each = wide ? info->wide_flops : info->narrow_flops;
  double count = 0;
  if (info->kind == GJ_OP_KIND_ELEMENTWISE)
    count = c->wanted[ref] * (each ? each : 1);
  else if (info->combine && !is_repeated(c, node->args[0])) // reductions, whole and running
    count = c->size[node->args[0]] * (each ? each : 1);
  *(wide ? &c->out->wide_ops : &c->out->narrow_ops) += count;
}

static void count_value(counter *c, gj_ref ref) {
  const gj_node *node = gj_graph_node(c->graph, ref);
  uint32_t home = c->plan->home[ref];
  if (home != GJ_NO_BUFFER && c->plan->writer[ref] != c->kernel) {
    count_read(c, home, c->wanted[ref] * element_bytes(node), c->size[ref] * element_bytes(node));
    return;
  }
  if (node->op == GJ_OP_const && !is_repeated(c, ref))
    c->out->bytes_read += c->wanted[ref] * element_bytes(node);
  count_ops(c, ref);
  want_operands(c, ref);
}

static void count_kernel(counter *c) {
  const gj_kernel *kernel = &c->plan->kernels[c->kernel];
  gj_ref last = 0;
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    gj_ref ref = kernel->stores[i].ref;
    if (gj__store_lasts(c->plan, &kernel->stores[i]))
      c->out->bytes_written += c->size[ref] * element_bytes(gj_graph_node(c->graph, ref));
    want(c, ref, c->size[ref], false);
    last = ref > last ? ref : last;
  }
  for (gj_ref ref = last; c->open > 0; ref--)
    if (c->mark[ref] == c->kernel + 1) {
      c->open--;
      count_value(c, ref);
    }
}

static gj_status find_sizes(counter *c, const int64_t *symbols, gj_error *err) {
  for (gj_ref ref = 1; ref <= gj_graph_node_count(c->graph); ref++) {
    const gj_type *type = &gj_graph_node(c->graph, ref)->type;
    c->size[ref] = 1;
    for (uint8_t i = 0; i < type->rank; i++) {
      int64_t size;
      if (!gj_dim_eval(gj_graph_dims(c->graph), type->shape[i], symbols, &size))
        return gj_fail(err, GJ_E_OVERFLOW, "the size of %%%u, axis %u, is too large", ref, i);
      c->size[ref] *= (double)size;
    }
  }
  return GJ_OK;
}

gj_status gj_plan_traffic(const gj_plan *plan, const int64_t *symbols, gj_traffic *out,
                          gj_error *err) {
  gj_arena scratch;
  gj_arena_init(&scratch, 0);
  size_t refs = gj_graph_node_count(plan->graph) + 1, buffers = plan->buffer_count + 1;
  counter c = {.plan = plan,
               .graph = plan->graph,
               .size = gj_arena_array(&scratch, refs, sizeof *c.size),
               .wanted = gj_arena_array(&scratch, refs, sizeof *c.wanted),
               .mark = gj_arena_array(&scratch, refs, sizeof *c.mark),
               .read = gj_arena_array(&scratch, buffers, sizeof *c.read),
               .listed = gj_arena_array(&scratch, buffers, sizeof *c.listed)};
  gj_status status = GJ_OK;
  if (!c.size || !c.wanted || !c.mark || !c.read || !c.listed)
    status = gj_fail(err, GJ_E_MEMORY, "profile: out of memory for %zu values", refs - 1);
  else
    status = find_sizes(&c, symbols, err);
  for (; status == GJ_OK && c.kernel < plan->kernel_count; c.kernel++) {
    c.out = &out[c.kernel];
    *c.out = (gj_traffic){0};
    count_kernel(&c);
  }
  gj_arena_fini(&scratch);
  return status;
}
