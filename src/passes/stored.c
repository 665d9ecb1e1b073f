// What is stored: which values get memory of their own.
//
// A value is stored when something must read it from memory: outputs, reductions, and the ops whose
// result is assembled by several loop nests (concat, pad, update_slice). On top of that a value is
// stored when recomputing it would cost more: an expensive or long one that several kernels use or
// that a broadcast or a contraction repeats, one that is read at several indices, and one that is
// used far away in a large graph and takes more than an op or two. Everything else is computed on
// the way, inside the loops of whoever needs it.
//
// The stages of a row kernel count as kernels here: a row that two of them use is kept when it is
// not cheap.
#include "passes/fuse.h"

#include <string.h>

// Most ops that are rather done again than read back from memory what they give, where several
// kernels want it and where one far away does. Most values that a segment takes from earlier ones:
// with 180 addresses in a loop, LLVM took ten times as long for each operation.
enum { CHEAP_OPS = 8, FEW_OPS = 2, MOST_FETCHED = 32 };

static const uint32_t MANY = UINT32_MAX;

// Indices at which a value is wanted: that of its kernel, the only one of a value with one element,
// MADE + ref for one that a user makes of its own, and MANY.
enum { NOWHERE, KERNEL, ORIGIN, MADE };

// What lies in memory without being stored: a constant that a custom_call takes, if it is more than
// a number.
static bool lies(const gj_graph *graph, const gj_node *user, gj_ref v) {
  const gj_node *node = gj_graph_node(graph, v);
  return user->op == GJ_OP_custom_call && node->op == GJ_OP_const &&
         node->data_size > gj_dtype_bytes(node->type.dtype);
}

void gj__count_uses(gj__fuser *f) {
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    for (uint32_t a = 0; a < node->arg_count && node->op != GJ_OP_result; a++)
      f->uses[node->args[a]]++;
    if (gj__is_stored_kind(node))
      f->stored[ref] = 1;
    for (uint32_t a = 0; a < node->arg_count && gj__reads_memory(node); a++)
      if (!lies(f->graph, node, node->args[a]))
        f->stored[node->args[a]] = 1;
    if (gj__gives_size(node))
      f->uses[ref]++; // for the size, whatever becomes of the rows
  }
  for (size_t i = 0; i < gj_graph_output_count(f->graph); i++) {
    gj_ref ref = gj_graph_output(f->graph, i)->ref;
    f->uses[ref]++;
    if (gj_graph_node(f->graph, ref)->op != GJ_OP_const)
      f->stored[ref] = 1;
  }
}

// A move or a broadcast of `v` by its user asks for it at other indices than the user's other
// operands. Values of one element are exempt, since there is only one index, and so are operands of
// reductions, which take every element once.
static bool moves(const gj__fuser *f, gj_ref user, uint32_t arg) {
  const gj_node *node = gj_graph_node(f->graph, user);
  gj_ref v = node->args[arg];
  return !gj_op_has((gj_op)node->op, GJ_TRAIT_ONCE) && !gj__reads_in_step(f->graph, user, arg) &&
         !gj__has_one_element(&gj_graph_node(f->graph, v)->type);
}

// --- whether an op asks for an element of operand `arg` more than once, see kinds.def ---

static bool repeats_never(const gj_node *node, uint32_t arg) {
  (void)node, (void)arg;
  return false;
}

static bool repeats_always(const gj_node *node, uint32_t arg) {
  (void)node, (void)arg;
  return true;
}

// A mask is counted, then looked at.
static bool repeats_mask(const gj_node *node, uint32_t arg) {
  (void)node;
  return arg == 0;
}

// Whether windows of a reduction have elements in common.
static bool repeats_windows(const gj_node *node, uint32_t arg) {
  const gj_attr_list *list = node->attrs->list;
  (void)arg;
  for (uint8_t i = 0; i < node->type.rank; i++) {
    gj_dim window = list[GJ_ATTR_window].values[i];
    if (!gj_dim_is_const(window) || window > list[GJ_ATTR_stride].values[i])
      return true;
  }
  return false;
}

// A running reduction asks twice along rows that may be longer than a segment
// (lower/kernels/cumulate_row.c).
static bool repeats_row(const gj_node *node, uint32_t arg) {
  int64_t axis = gj_node_int(node, GJ_ATTR_axis);
  for (int64_t i = axis + 1; i < node->type.rank; i++)
    if (node->type.shape[i] != 1)
      return false;
  gj_dim size = node->type.shape[axis];
  return arg == 0 && (!gj_dim_is_const(size) || size > GJ_CUMULATE_SEGMENT);
}

// --- which operands an op wants in memory, see kinds.def ---

static void lay_none(gj__fuser *f, const gj_node *node) { (void)f, (void)node; }

static void lay_computed(gj__fuser *f, gj_ref ref) {
  if (f->holds[ref] & GJ__COMPUTES)
    f->stored[ref] = 1;
}

// One element may be taken any number of times.
static void lay_source(gj__fuser *f, const gj_node *node) { lay_computed(f, node->args[0]); }

// A key is wanted for every element.
static void lay_key(gj__fuser *f, const gj_node *node) { lay_computed(f, node->args[0]); }

// A convolution reads its operands again and again, and in the order of memory: they lie there.
static void lay_window(gj__fuser *f, const gj_node *node) {
  for (uint32_t a = 0; a < node->arg_count; a++) {
    gj_ref v = node->args[a];
    const gj_node *inner = gj_graph_node(f->graph, v);
    while (inner->op == GJ_OP_reshape)
      inner = gj_graph_node(f->graph, inner->args[0]);
    if (inner->arg_count > 0 && !gj__is_stored_kind(inner))
      f->stored[v] = 1;
  }
}

static const struct store_rule {
  bool (*repeats)(const gj_node *node, uint32_t arg);
  void (*lay)(gj__fuser *f, const gj_node *node);
} rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_STORE(repeats, lay) {repeats_##repeats, lay_##lay},
#include "ops/kinds.def"
};

// Stores what a later user would otherwise compute more than once: costly values that are repeated,
// and any computed value of several uses that is moved by one of them (without this rule a chain of
// shifted sums would double in cost with every link).
static void store_moved(gj__fuser *f, gj_ref user) {
  const gj_node *node = gj_graph_node(f->graph, user);
  const struct store_rule *rule = &rules[gj_op_kind_of((gj_op)node->op)];
  rule->lay(f, node);
  for (uint32_t a = 0; a < node->arg_count; a++) {
    gj_ref v = node->args[a];
    if (f->stored[v] || !(f->holds[v] & GJ__COMPUTES))
      continue;
    bool costly_repeat = (f->holds[v] & GJ__COSTLY) && rule->repeats(node, a) &&
                         !gj__reads_in_step(f->graph, user, a);
    if (costly_repeat || (f->uses[v] > 1 && moves(f, user, a)))
      f->stored[v] = 1;
  }
}

// True when computing `ref` takes at most *budget ops, none of them costly.
static bool is_cheap(const gj__fuser *f, gj_ref ref, unsigned *budget) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  if (f->stored[ref] || node->arg_count == 0)
    return true;
  if ((f->holds[ref] & GJ__COSTLY) || *budget == 0)
    return false;
  --*budget;
  for (uint32_t a = 0; a < node->arg_count; a++)
    if (!is_cheap(f, node->args[a], budget))
      return false;
  return true;
}

// --- segments ---

// Operands from earlier segments that `node` is the first of its run of nodes to take. last[ref] is
// the last run that takes it.
static uint32_t count_fetched(const gj__fuser *f, gj_ref ref, uint32_t run, uint32_t *last) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  uint32_t fetched = 0;
  for (uint32_t a = 0; a < node->arg_count; a++) {
    gj_ref v = node->args[a];
    bool far = f->segment[v] != f->segment[ref] && gj_graph_node(f->graph, v)->arg_count > 0;
    if (far && last[v] != run) {
      last[v] = run;
      fetched++;
    }
  }
  return fetched;
}

// Cuts the graph where a segment has as many nodes with operands as a kernel should, or takes as
// many values from earlier ones, as the way back of a long chain does. The latter are counted from
// the last op with a kernel of its own on, where other kernels end anyway.
void gj__cut_segments(gj__fuser *f) {
  uint32_t segment = 0, nodes = 0, fetched = 0, run = 1;
  uint32_t *last = f->touched;
  memset(last, 0, f->count * sizeof *last);
  memset(f->far, 0, f->count);
  f->segment[0] = 0;
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    bool full = nodes == GJ__MAX_OPS || fetched >= MOST_FETCHED;
    if (full) {
      segment++;
      nodes = 0;
    }
    if (full || gj__has_own_kernel(node)) {
      run++;
      fetched = 0;
    }
    f->segment[ref] = segment;
    nodes += node->arg_count > 0;
    fetched += count_fetched(f, ref, run, last);
    for (uint32_t a = 0; a < node->arg_count; a++)
      f->far[node->args[a]] |= f->segment[node->args[a]] != segment;
  }
}

// Decides, operands first, what is stored beyond what must be.
static void store_costly(gj__fuser *f) {
  for (gj_ref ref = 1; ref < f->count; ref++) {
    const gj_node *node = gj_graph_node(f->graph, ref);
    store_moved(f, ref);
    bool computes = gj_op_has((gj_op)node->op, GJ_TRAIT_COMPUTES);
    uint8_t holds = computes ? GJ__COMPUTES : 0;
    if (gj_op_get((gj_op)node->op)->flags & GJ_OP_COSTLY)
      holds |= GJ__COSTLY;
    for (uint32_t a = 0; a < node->arg_count; a++)
      if (!f->stored[node->args[a]])
        holds |= f->holds[node->args[a]];
    f->holds[ref] = holds;
    unsigned budget = FEW_OPS;
    if (f->far[ref] && node->arg_count > 0 && !(computes && is_cheap(f, ref, &budget)))
      f->stored[ref] = 1;
    if (f->stored[ref])
      f->holds[ref] = 0;
  }
}

// Notes that `user` wants its operand `arg`, itself being wanted at `index`.
static void ask(gj__fuser *f, gj_ref user, uint32_t arg, uint32_t index) {
  gj_ref v = gj_graph_node(f->graph, user)->args[arg];
  if (gj__has_one_element(&gj_graph_node(f->graph, v)->type))
    index = ORIGIN;
  else if (moves(f, user, arg))
    index = MADE + user;
  if (f->asked[v] != NOWHERE && f->asked[v] != index)
    index = MANY;
  f->asked[v] = index;
}

// Stores computed values that are wanted at several indices through different users, none of which
// need move it itself: s = add(reverse(abs(s)), neg(s)), written k times, would otherwise ask for
// the first s at 2^k places. Users come first, so that what is stored asks but once.
static void store_scattered(gj__fuser *f) {
  memset(f->asked, 0, f->count * sizeof *f->asked);
  for (gj_ref ref = (gj_ref)f->count - 1; ref > 0; ref--) {
    if (f->asked[ref] == MANY && (f->holds[ref] & GJ__COMPUTES))
      f->stored[ref] = 1;
    const gj_node *node = gj_graph_node(f->graph, ref);
    uint32_t index = f->stored[ref] ? (uint32_t)KERNEL : f->asked[ref];
    for (uint32_t a = 0; a < node->arg_count && index != NOWHERE; a++)
      ask(f, ref, a, index);
  }
}

void gj__choose_stored(gj__fuser *f) {
  store_costly(f);
  store_scattered(f);
}

// --- what several kernels compute ---

// Numbers what computes a value for `it`: its kernel, and in a row kernel the stage. A number per
// row is computed once for all stages.
static uint32_t computer(const gj__item *it, gj_place place) {
  uint32_t stage = it->in_rows && place != GJ_PLACE_ROW ? it->stage : 0;
  return (it->group + 1) * GJ__MAX_STAGES + (stage < GJ__MAX_STAGES ? stage : GJ__MAX_STAGES - 1);
}

static void note_group(gj__fuser *f, gj_ref ref, gj_place place, bool stored, void *context) {
  if (stored)
    return;
  uint32_t mine = computer(context, place);
  if (f->group[ref] == 0)
    f->group[ref] = mine;
  else if (f->group[ref] != mine)
    f->group[ref] = MANY;
}

bool gj__store_shared(gj__fuser *f, bool all) {
  bool changed = false;
  memset(f->group, 0, f->count * sizeof *f->group);
  for (size_t i = 0; i < f->item_count; i++)
    gj__walk(f, &f->items[i], note_group, &f->items[i]);
  memset(f->covered, 0, f->count);
  for (gj_ref ref = (gj_ref)f->count - 1; ref > 0; ref--) {
    unsigned budget = CHEAP_OPS;
    bool shared = f->group[ref] == MANY && !f->stored[ref] && !is_cheap(f, ref, &budget);
    if (shared && (all || !f->covered[ref]) && f->uses[ref] > 1) {
      f->stored[ref] = 1;
      changed = true;
    }
    const gj_node *node = gj_graph_node(f->graph, ref);
    for (uint32_t a = 0; shared && a < node->arg_count; a++)
      f->covered[node->args[a]] = 1;
  }
  return changed;
}
