// In place: updates that write into the memory of what they update.
//
// A kernel that changes a part of an array (update_slice, scatter) or hands one through functions
// (control ops) may have it and its result in one place, if nobody reads the old array any more.
// Then a loop that changes one element of a carried array does just that in each round.
//
// Memory is joined from the last kernel to the first: what the kernel overwrites gets the buffer of
// its result, so that a chain of updates becomes one array. Where an input of a function is joined
// to an output, the function takes it there: plan->taken says so, and who calls the function copies
// the operand to where the result goes, unless it is there already. A kernel may move behind later
// ones that still read the old array.
//
// Left out: elementwise kernels, whose operands memory.c overwrites if they are not of functions.
#include "passes/fuse.h"

#include <string.h>

enum { MOST_MOVED = 64, READER_NODES = 64 };

typedef struct read {
  gj_ref ref;
  bool in_step;
} read;

typedef struct kernel_reads {
  uint32_t id; // the kernel's place before any moved
  read *items;
  size_t count;
} kernel_reads;

typedef struct joiner {
  gj_plan *plan;
  kernel_reads *reads; // by kernel
  uint32_t *last;      // per buffer: 1 + id of the last kernel that reads it
  uint32_t *position;  // per id
  uint32_t *joined;    // per buffer: the one it was joined to, or itself
  read *next;          // room for what is read
  size_t total;
  uint32_t kernel;
} joiner;

static uint32_t buffer_of(joiner *j, uint32_t buffer) {
  while (j->joined[buffer] != buffer)
    buffer = j->joined[buffer] = j->joined[j->joined[buffer]];
  return buffer;
}

static uint32_t home_of(joiner *j, gj_ref ref) {
  uint32_t home = j->plan->home[ref];
  return home == GJ_NO_BUFFER ? home : buffer_of(j, home);
}

// --- what kernels read ---

static void count_read(gj_ref ref, bool in_step, void *context) {
  (void)ref, (void)in_step;
  ((joiner *)context)->total++;
}

static void note_read(gj_ref ref, bool in_step, void *context) {
  joiner *j = context;
  kernel_reads *own = &j->reads[j->kernel];
  own->items[own->count++] = (read){ref, in_step};
  j->next++;
  j->last[j->plan->home[ref]] = j->kernel + 1;
}

static bool find_reads(joiner *j, gj_arena *scratch) {
  gj_plan *plan = j->plan;
  size_t refs = gj_graph_node_count(plan->graph) + 1, kernels = plan->kernel_count;
  uint32_t *seen = gj_arena_array(scratch, refs, sizeof *seen);
  j->reads = gj_arena_array(scratch, kernels + 1, sizeof *j->reads);
  j->position = gj_arena_array(scratch, kernels + 1, sizeof *j->position);
  j->last = gj_arena_array(scratch, plan->buffer_count + 1, sizeof *j->last);
  j->joined = gj_arena_array(scratch, plan->buffer_count + 1, sizeof *j->joined);
  if (!seen || !j->reads || !j->position || !j->last || !j->joined)
    return false;
  for (uint32_t i = 0; i < plan->buffer_count; i++)
    j->joined[i] = i;
  memset(seen, 0, refs * sizeof *seen);
  memset(j->last, 0, (plan->buffer_count + 1) * sizeof *j->last);
  for (uint32_t k = 0; k < kernels; k++)
    gj__kernel_reads(plan, k, seen, count_read, j);
  j->next = gj_arena_array(scratch, j->total + 1, sizeof *j->next);
  if (!j->next)
    return false;
  memset(seen, 0, refs * sizeof *seen);
  for (j->kernel = 0; j->kernel < kernels; j->kernel++) {
    j->reads[j->kernel] = (kernel_reads){j->kernel, j->next, 0};
    j->position[j->kernel] = j->kernel;
    gj__kernel_reads(plan, j->kernel, seen, note_read, j);
  }
  return true;
}

static bool reads_buffer(joiner *j, uint32_t kernel, uint32_t buffer) {
  for (size_t i = 0; i < j->reads[kernel].count; i++)
    if (home_of(j, j->reads[kernel].items[i].ref) == buffer)
      return true;
  return false;
}

// --- what a kernel may overwrite ---

static bool writes_buffer(joiner *j, const gj_kernel *kernel, uint32_t buffer) {
  for (uint32_t i = 0; i < kernel->store_count; i++)
    if (kernel->stores[i].buffer != GJ_NO_BUFFER &&
        buffer_of(j, kernel->stores[i].buffer) == buffer)
      return true;
  return false;
}

// The operand of a control op that becomes result `index` in place, or that count.
static uint32_t operand_taken(const gj_plan *plan, const gj_node *node, uint32_t index) {
  const gj_attr_list *list = &node->attrs->list[GJ_ATTR_functions];
  uint32_t none = node->arg_count, found = none;
  bool loops = node->attrs->set & GJ_HAS_CARRIED;
  if (loops && index >= (uint32_t)gj_node_int(node, GJ_ATTR_carried))
    return none;
  for (size_t i = node->op == GJ_OP_while; i < list->count; i++) {
    uint32_t input = plan->functions[list->values[i]]->taken[index];
    uint32_t lead = node->op == GJ_OP_for,
             first = node->op == GJ_OP_cond || node->op == GJ_OP_switch;
    uint32_t operand = input == GJ_NO_BUFFER ? none : input + first - lead;
    if (operand >= none || (found != none && found != operand) || (loops && operand != index))
      return none;
    found = operand;
  }
  return found;
}

// The value whose memory store `s` of `kernel` may take, or 0.
static gj_ref overwritten(const joiner *j, uint32_t k, const gj_store *s) {
  const gj_plan *plan = j->plan;
  const gj_kernel *kernel = &plan->kernels[k];
  const gj_node *node = kernel->owner ? gj_graph_node(plan->graph, kernel->owner) : NULL;
  if (!node || !gj__store_lasts(plan, s) || plan->home[s->ref] != s->buffer)
    return 0;
  if (gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_UPDATES))
    return node->args[0];
  if (!gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS) || gj__runs_in_registers(plan->graph, node))
    return 0;
  const gj_node *store = gj_graph_node(plan->graph, s->ref);
  uint32_t index = store->op == GJ_OP_result ? (uint32_t)gj_node_int(store, GJ_ATTR_index) : 0;
  uint32_t operand = operand_taken(plan, node, index);
  return operand < node->arg_count ? node->args[operand] : 0;
}

// An update of one element is computed, and where it goes, before anything is written.
static bool is_single(const gj_graph *graph, const gj_node *node) {
  return node->op == GJ_OP_update_slice &&
         gj__has_one_element(&gj_graph_node(graph, node->args[1])->type);
}

// Whether kernel `k` reads the buffer for this value only, and each element where it is written.
static bool reads_once(joiner *j, uint32_t k, gj_ref ref, uint32_t buffer) {
  const gj_plan *plan = j->plan;
  const gj_kernel *kernel = &plan->kernels[k];
  const gj_node *node = gj_graph_node(plan->graph, kernel->owner);
  uint32_t count = 0;
  if (gj_kernel_has(kernel->kind, GJ_KERNEL_HAS_CALLS)) {
    for (uint32_t a = 0; a < node->arg_count; a++)
      count += home_of(j, node->args[a]) == buffer;
    return count == 1;
  }
  for (size_t i = 0; i < j->reads[k].count; i++) {
    const read *r = &j->reads[k].items[i];
    if (home_of(j, r->ref) == buffer &&
        (r->ref != ref || !(r->in_step || is_single(plan->graph, node))))
      return false;
  }
  return true;
}

// --- moving ---

// Whether kernel `k` may run behind kernel `to`.
static bool may_move(joiner *j, uint32_t k, uint32_t to) {
  const gj_kernel *kernels = j->plan->kernels;
  if (to - k > MOST_MOVED)
    return false;
  for (uint32_t other = k + 1; other <= to; other++) {
    for (uint32_t i = 0; i < kernels[k].store_count; i++)
      if (kernels[k].stores[i].buffer != GJ_NO_BUFFER &&
          reads_buffer(j, other, buffer_of(j, kernels[k].stores[i].buffer)))
        return false;
    for (size_t i = 0; i < j->reads[k].count; i++)
      if (writes_buffer(j, &kernels[other], home_of(j, j->reads[k].items[i].ref)))
        return false;
  }
  return true;
}

static void move(joiner *j, uint32_t k, uint32_t to) {
  gj_plan *plan = j->plan;
  gj_kernel kernel = plan->kernels[k];
  kernel_reads reads = j->reads[k];
  size_t count = to - k;
  memmove(&plan->kernels[k], &plan->kernels[k + 1], count * sizeof kernel);
  memmove(&j->reads[k], &j->reads[k + 1], count * sizeof reads);
  plan->kernels[to] = kernel;
  j->reads[to] = reads;
  for (uint32_t i = k; i <= to; i++) {
    j->position[j->reads[i].id] = i;
    for (uint32_t s = 0; s < plan->kernels[i].store_count; s++) {
      const gj_store *store = &plan->kernels[i].stores[s];
      if (plan->home[store->ref] == store->buffer)
        plan->writer[store->ref] = i;
    }
  }
  for (size_t i = 0; i < reads.count; i++) {
    uint32_t *last = &j->last[home_of(j, reads.items[i].ref)];
    if (j->position[*last - 1] < to)
      *last = reads.id + 1;
  }
}

// Makes kernel *k the last that reads the buffer; false when that cannot be.
static bool read_last(joiner *j, uint32_t *k, uint32_t buffer) {
  uint32_t last = j->position[j->last[buffer] - 1];
  if (last == *k)
    return true;
  if (last < *k || !may_move(j, *k, last))
    return false;
  move(j, *k, last);
  *k = last;
  return true;
}

// --- joining ---

// Whether what is in `from` may lie in `to`, which nothing touches before the kernel at hand.
static bool may_join(const joiner *j, uint32_t from, uint32_t to) {
  const gj_plan *plan = j->plan;
  const gj_buffer *a = &plan->buffers[from], *b = &plan->buffers[to];
  bool function = gj_graph_function_number(plan->graph) >= 0;
  if (a->row || b->row || a->bytes != b->bytes || a->type.dtype != b->type.dtype)
    return false;
  if (a->kind == GJ_BUFFER_INPUT)
    return function && b->kind == GJ_BUFFER_OUTPUT;
  return a->kind == GJ_BUFFER_SCRATCH &&
         (b->kind == GJ_BUFFER_SCRATCH || b->kind == GJ_BUFFER_OUTPUT);
}

static void join(joiner *j, uint32_t from, uint32_t to) {
  gj_plan *plan = j->plan;
  uint32_t inputs = (uint32_t)gj_graph_input_count(plan->graph);
  j->joined[from] = to;
  if (j->last[to] == 0 ||
      (j->last[from] != 0 && j->position[j->last[to] - 1] < j->position[j->last[from] - 1]))
    j->last[to] = j->last[from];
  if (plan->buffers[from].kind == GJ_BUFFER_INPUT)
    plan->taken[plan->buffers[to].index - inputs] = plan->buffers[from].index;
  else
    plan->buffers[from].kind = GJ_BUFFER_NONE;
}

static void join_kernel(joiner *j, uint32_t k) {
  gj_plan *plan = j->plan;
  for (uint32_t i = 0; i < plan->kernels[k].store_count; i++) {
    gj_store *s = &plan->kernels[k].stores[i];
    gj_ref ref = overwritten(j, k, s);
    if (!ref || home_of(j, ref) == GJ_NO_BUFFER)
      continue;
    uint32_t from = home_of(j, ref), to = buffer_of(j, s->buffer);
    if (from == to || !may_join(j, from, to) || !reads_once(j, k, ref, from) ||
        !read_last(j, &k, from))
      continue;
    join(j, from, to);
    gj_kernel *kernel = &plan->kernels[k];
    if (kernel->kind == GJ_KERNEL_SCATTER) // nothing is copied
      kernel->domain =
          gj_graph_node(plan->graph, gj_graph_node(plan->graph, kernel->owner)->args[2])->type;
  }
}

// Puts the buffers that were joined to others into the plan.
static void settle(joiner *j) {
  gj_plan *plan = j->plan;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(plan->graph); ref++)
    plan->home[ref] = home_of(j, ref);
  for (uint32_t k = 0; k < plan->kernel_count; k++)
    for (uint32_t i = 0; i < plan->kernels[k].store_count; i++) {
      uint32_t *buffer = &plan->kernels[k].stores[i].buffer;
      if (*buffer != GJ_NO_BUFFER)
        *buffer = buffer_of(j, *buffer);
    }
}

// --- what is passed on ---

static void drop_store(gj_kernel *kernel, uint32_t i) {
  memmove(&kernel->stores[i], &kernel->stores[i + 1],
          (--kernel->store_count - i) * sizeof *kernel->stores);
}

// An output that is an input is there already, if the function takes it there.
static void join_copies(joiner *j) {
  gj_plan *plan = j->plan;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < plan->kernel_count; k++) {
    gj_kernel *kernel = &plan->kernels[k];
    for (uint32_t i = kernel->kind == GJ_KERNEL_ELEMENTWISE ? kernel->store_count : 0; i-- > 0;) {
      const gj_store s = kernel->stores[i];
      uint32_t from = home_of(j, s.ref);
      bool copies = gj_graph_node(plan->graph, s.ref)->op == GJ_OP_param &&
                    plan->buffers[from].kind == GJ_BUFFER_INPUT;
      if (!copies || !may_join(j, from, s.buffer))
        continue;
      drop_store(kernel, i);
      join(j, from, s.buffer);
    }
    if (kernel->store_count == 0)
      continue;
    for (uint32_t i = 0; i < kernel->store_count; i++)
      if (plan->writer[kernel->stores[i].ref] == k)
        plan->writer[kernel->stores[i].ref] = kept;
    plan->kernels[kept++] = *kernel;
  }
  plan->kernel_count = kept;
}

gj_status gj__plan_in_place(gj_plan *plan, gj_error *err) {
  size_t outputs = gj_graph_output_count(plan->graph);
  gj_arena scratch;
  plan->taken = gj_arena_array(&plan->arena, outputs + 1, sizeof *plan->taken);
  if (!plan->taken)
    return gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %zu outputs", outputs);
  for (size_t i = 0; i < outputs; i++)
    plan->taken[i] = GJ_NO_BUFFER;
  bool any = gj_graph_function_number(plan->graph) >= 0;
  for (uint32_t k = 0; k < plan->kernel_count; k++)
    any = any || gj_kernel_has(plan->kernels[k].kind, GJ_KERNEL_HAS_UPDATES | GJ_KERNEL_HAS_CALLS);
  if (!any)
    return GJ_OK;
  gj_arena_init(&scratch, 1 << 12);
  joiner j = {.plan = plan};
  gj_status status = GJ_OK;
  if (!find_reads(&j, &scratch)) {
    status = gj_fail(err, GJ_E_MEMORY, "plan: out of memory for %u kernels", plan->kernel_count);
  } else {
    for (uint32_t k = plan->kernel_count; k-- > 0;)
      join_kernel(&j, k);
    join_copies(&j);
    settle(&j);
  }
  gj_arena_fini(&scratch);
  return status;
}

// --- operands ---

// Whether computing `ref` on the way reads `whole`; true also where that takes long to find out.
static bool reads(const gj__fuser *f, gj_ref ref, gj_ref whole, unsigned *budget) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  if (ref == whole)
    return true;
  if (f->stored[ref] || node->arg_count == 0)
    return false;
  if (*budget == 0)
    return true;
  --*budget;
  for (uint32_t a = 0; a < node->arg_count; a++)
    if (reads(f, node->args[a], whole, budget))
      return true;
  return false;
}

void gj__store_apart(gj__fuser *f) {
  bool function = gj_graph_function_number(f->graph) >= 0;
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    if (!gj__updates(node) || is_single(f->graph, node))
      continue;
    gj_ref whole = node->args[0];
    bool input = gj_graph_node(f->graph, whole)->op == GJ_OP_param;
    for (uint32_t a = 1; f->stored[whole] && (function || !input) && a < node->arg_count; a++) {
      unsigned budget = READER_NODES;
      if (node->args[a] != whole && reads(f, node->args[a], whole, &budget))
        f->stored[node->args[a]] = 1;
    }
  }
}
