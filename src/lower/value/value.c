// Graph values as Loop IR expressions: the inside of every kernel.
//
// gj__value() answers "what is element `index` of this value?" by recursion over the operands.
// Elementwise ops ask for the same index, movement ops for a computed one, so a transpose or a
// slice costs an index expression and no memory. What lives in memory is loaded. Each answer
// becomes a local of the current block and is remembered per (value, index), so shared values are
// computed once. The depth of the recursion is bounded by fusion (passes/fuse.c), which stores
// expressions that grow too deep.
#include "base/hash.h"
#include "loops/apply.h"
#include "lower/context.h"

#include <string.h>

enum { FIRST_SLOTS = 64, DEEP_INDEX = 64 };

// --- what has been computed in this block ---

void gj__enter(gj__lower *l, gj_lblock *block) {
  l->block = block;
  l->memo_count = 0;
  l->derived_count = 0;
  if (l->memo)
    memset(l->memo, 0, l->memo_slots * sizeof *l->memo);
}

static gj__memo *memo_slot(gj__memo *memo, size_t slots, gj_ref ref, const gj__index *index) {
  size_t slot = (size_t)gj_hash_u64(ref, (uint64_t)(uintptr_t)index) & (slots - 1);
  while (memo[slot].ref && (memo[slot].ref != ref || memo[slot].index != index))
    slot = (slot + 1) & (slots - 1);
  return &memo[slot];
}

static void memo_grow(gj__lower *l) {
  size_t slots = l->memo_slots ? 2 * l->memo_slots : FIRST_SLOTS;
  gj__memo *memo = gj_arena_array(&l->scratch, slots, sizeof *memo);
  if (!memo) {
    l->out_of_memory = true;
    return;
  }
  memset(memo, 0, slots * sizeof *memo);
  for (size_t i = 0; i < l->memo_slots; i++)
    if (l->memo[i].ref)
      *memo_slot(memo, slots, l->memo[i].ref, l->memo[i].index) = l->memo[i];
  l->memo = memo;
  l->memo_slots = slots;
}

static const gj_lexpr *memo_find(gj__lower *l, gj_ref ref, const gj__index *index) {
  return l->memo_slots ? memo_slot(l->memo, l->memo_slots, ref, index)->value : NULL;
}

static void memo_add(gj__lower *l, gj_ref ref, const gj__index *index, const gj_lexpr *value) {
  if (2 * (l->memo_count + 1) > l->memo_slots)
    memo_grow(l);
  if (l->out_of_memory)
    return;
  *memo_slot(l->memo, l->memo_slots, ref, index) = (gj__memo){ref, index, value};
  l->memo_count++;
}

// --- one rule per kind ---

static const gj_lexpr *operand(gj__lower *l, const gj_node *node, uint32_t arg,
                               const gj__index *index) {
  return gj__value(l, node->args[arg], index);
}

static const gj_type *type_of(gj__lower *l, gj_ref ref) {
  return &gj_graph_node(l->graph, ref)->type;
}

const gj_lexpr *gj__constant(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (!l->data[ref]) { // once for all kernels
    size_t count = node->data_size / gj_dtype_bytes(node->type.dtype);
    gj_ldata data = {node->type.dtype, count, node->data, node->storage};
    l->data[ref] = 1 + gj_lmodule_data_like(l->m, &data);
  }
  return gj_lx_data(l->m, l->data[ref] - 1);
}

const gj_lexpr *gj__value_const(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (node->data_size == gj_dtype_bytes(node->type.dtype))
    return gj_lx_const(l->m, gj_scalar_load(node->type.dtype, node->data));
  return gj_lx_load(l->m, gj__constant(l, ref), gj__flatten(l, &node->type, index), 1);
}

const gj_lexpr *gj__value_iota(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  index = gj__unflatten(l, &node->type, index);
  const gj_lexpr *at = index->at[gj_node_int(node, GJ_ATTR_axis)];
  return gj_lx_convert(l->m, at, node->type.dtype);
}

const gj_lexpr *gj__value_elementwise(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_lexpr *args[3];
  for (uint32_t a = 0; a < node->arg_count; a++)
    args[a] = operand(l, node, a, gj__broadcast(l, &node->type, type_of(l, node->args[a]), index));
  return gj_lx_op(l->m, (gj_op)node->op, args, node->arg_count, node->type.dtype);
}

const gj_lexpr *gj__value_apply(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_lexpr *args[GJ_MAX_APPLIED];
  for (uint32_t a = 0; a < node->arg_count; a++)
    args[a] = operand(l, node, a, gj__broadcast(l, &node->type, type_of(l, node->args[a]), index));
  return gj_lx_apply(l->m, l->f, l->block, node->name, args, node->arg_count, l->poll);
}

const gj_lexpr *gj__value_reshape(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_type *from = type_of(l, node->args[0]);
  if (index->flat)
    return operand(l, node, 0, index);
  gj__index *moved = gj__index_new(l);
  uint8_t to_axes[GJ_MAX_RANK], from_axes[GJ_MAX_RANK];
  unsigned count = gj__loop_axes(&node->type, to_axes);
  if (gj__same_sizes(&node->type, from)) { // only axes of size 1 come or go
    gj__loop_axes(from, from_axes);
    for (uint8_t i = 0; i < from->rank; i++)
      moved->at[i] = gj__i64(l, 0);
    for (unsigned k = 0; k < count; k++)
      moved->at[from_axes[k]] = index->at[to_axes[k]];
  } else {
    moved->flat = true;
    moved->at[0] = gj__flatten(l, &node->type, index);
  }
  return operand(l, node, 0, moved);
}

const gj_lexpr *gj__value_transpose(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  index = gj__unflatten(l, &node->type, index);
  gj__index *moved = gj__index_new(l);
  const int64_t *axes = node->attrs->list[GJ_ATTR_axes].values;
  for (uint8_t i = 0; i < node->type.rank; i++)
    moved->at[axes[i]] = index->at[i];
  return operand(l, node, 0, moved);
}

const gj_lexpr *gj__value_broadcast(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_type *from = type_of(l, node->args[0]);
  if (gj__has_one_element(from))
    return operand(l, node, 0, l->origin);
  gj_dim own[GJ_MAX_RANK];
  const gj__index *aligned = NULL;
  if (gj__align(l->graph, ref, 0, own))
    aligned = gj__aligned_operand(l, &node->type, own, index);
  if (aligned)
    return operand(l, node, 0, aligned);
  index = gj__unflatten(l, &node->type, index);
  gj__index *moved = gj__index_new(l);
  const int64_t *axes = node->attrs->list[GJ_ATTR_axes].values;
  for (uint8_t i = 0; i < from->rank; i++)
    moved->at[i] = from->shape[i] == 1 ? gj__i64(l, 0) : index->at[axes[i]];
  return operand(l, node, 0, moved);
}

// `at`, or a local holding it once it has many levels: every link of a chain of slices and
// reversals adds one or two, and expressions have a limit. Short ones stay as they are, for the
// vectoriser to see their strides through.
static const gj_lexpr *cut(gj__lower *l, const gj_lexpr *at) {
  return at->depth > DEEP_INDEX ? gj__let(l, "i", at) : at;
}

const gj_lexpr *gj__value_slice(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  index = gj__unflatten(l, &node->type, index);
  gj__index *moved = gj__index_new(l);
  const int64_t *start = node->attrs->list[GJ_ATTR_start].values;
  const int64_t *stride = node->attrs->list[GJ_ATTR_stride].values;
  for (uint8_t i = 0; i < node->type.rank; i++)
    moved->at[i] =
        cut(l, gj__add(l, gj__dim(l, start[i]), gj__mul(l, index->at[i], gj__i64(l, stride[i]))));
  return operand(l, node, 0, moved);
}

const gj__index *gj__window(gj__lower *l, const gj_type *whole, const gj_type *window,
                            const gj_ref *starts, const gj__index *index) {
  gj__index *moved = gj__index_new(l);
  for (uint8_t i = 0; i < whole->rank; i++) {
    const gj_lexpr *start = gj__value(l, starts[i], l->origin);
    start = gj__clamp_start(l, start, whole->shape[i], window->shape[i]);
    moved->at[i] = cut(l, gj__add(l, start, index->at[i]));
  }
  return moved;
}

const gj_lexpr *gj__value_dynamic_slice(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  index = gj__unflatten(l, &node->type, index);
  return operand(l, node, 0,
                 gj__window(l, type_of(l, node->args[0]), &node->type, node->args + 1, index));
}

const gj_lexpr *gj__value_reverse(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  index = gj__unflatten(l, &node->type, index);
  gj__index *moved = gj__index_new(l);
  *moved = *index;
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  for (uint8_t i = 0; i < axes->count; i++) {
    int64_t axis = axes->values[i];
    const gj_lexpr *last = gj__sub(l, gj__dim(l, node->type.shape[axis]), gj__i64(l, 1));
    moved->at[axis] = cut(l, gj__sub(l, last, index->at[axis]));
  }
  return operand(l, node, 0, moved);
}

// Asking for an element of what a kernel stores, other than by a load, is a mistake of fusion.
const gj_lexpr *gj__value_stored(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  (void)index;
  l->m->failed =
      gj_fail(&l->m->error, GJ_E_INTERNAL, "%s: computed on the way", gj_op_name((gj_op)node->op));
  return gj_lx_const(l->m, gj_scalar_start(GJ_START_ZERO, node->type.dtype));
}

static gj__value_fn *const rules[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_VALUE(rule) gj__value_##rule,
#include "ops/kinds.def"
};

bool gj__in_memory(const gj__lower *l, gj_ref ref) {
  bool here = l->plan->writer[ref] == l->kernel && l->kept[ref] != l->kernel + 1;
  return l->plan->home[ref] != GJ_NO_BUFFER && !here;
}

static const gj_lexpr *load(gj__lower *l, gj_ref ref, const gj__index *index) {
  uint32_t home = l->plan->home[ref];
  const gj_lexpr *at = gj__flatten(l, type_of(l, ref), index);
  if (l->plan->buffers[home].row)
    at = index->col;
  return gj_lx_load(l->m, l->buffers[home], at, 1);
}

// What is known of the row at hand, or NULL.
static const gj_lexpr *find_number(const gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj__number *number = &l->numbers[ref];
  bool here = index == l->this_row || index == l->origin;
  return here && number->kernel == l->kernel + 1 ? number->value : NULL;
}

const gj_lexpr *gj__value(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  if (gj__has_one_element(&node->type))
    index = l->origin;
  const gj_lexpr *value = find_number(l, ref, index);
  if (!value)
    value = memo_find(l, ref, index);
  if (value)
    return value;
  const char *name = gj_op_name((gj_op)node->op);
  if (gj__in_memory(l, ref)) {
    name = gj__buffer_name(l, l->plan->home[ref]);
    value = load(l, ref, index);
  } else {
    value = rules[gj_op_kind_of((gj_op)node->op)](l, ref, index);
    if (gj_op_has((gj_op)node->op, GJ_TRAIT_COMPUTES))
      gj__note_computed(l, ref);
  }
  if (value->kind != GJ_LX_CONST && value->kind != GJ_LX_LOCAL)
    value = gj__let(l, name, value);
  memo_add(l, ref, index, value);
  return value;
}

// --- how values can be read, see kinds.def ---

static bool flat_yes(gj__lower *l, const gj_node *node) {
  (void)l, (void)node;
  return true;
}

static bool flat_no(gj__lower *l, const gj_node *node) {
  (void)l, (void)node;
  return false;
}

static bool flat_operand(gj__lower *l, const gj_node *node) {
  return gj__is_flat(l, node->args[0]);
}

static bool flat_one(gj__lower *l, const gj_node *node) {
  return gj__has_one_element(type_of(l, node->args[0]));
}

static bool flat_maps(gj__lower *l, const gj_node *node) {
  for (uint32_t a = 0; a < node->arg_count; a++) {
    const gj_type *arg = type_of(l, node->args[a]);
    if (gj__has_one_element(arg))
      continue;
    if (!gj__same_sizes(&node->type, arg) || !gj__is_flat(l, node->args[a]))
      return false;
  }
  return true;
}

static bool crossed_no(gj__lower *l, const gj_node *node) {
  (void)l, (void)node;
  return false;
}

static bool crossed_operands(gj__lower *l, const gj_node *node) {
  for (uint32_t a = 0; a < node->arg_count; a++)
    if (gj__is_crossed(l, node->args[a]))
      return true;
  return false;
}

// Whether `node` moves its last axis to the front of others.
static bool crosses(const gj_node *node) {
  int64_t last = node->type.rank - 1;
  return node->op == GJ_OP_transpose && node->attrs->list[GJ_ATTR_axes].values[last] != last;
}

static bool crossed_transpose(gj__lower *l, const gj_node *node) {
  return crosses(node) || crossed_operands(l, node);
}

static const struct layout_rule {
  bool (*flat)(gj__lower *l, const gj_node *node);
  bool (*crossed)(gj__lower *l, const gj_node *node);
} layouts[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_LAYOUT(flat, crossed, near) {flat_##flat, crossed_##crossed},
#include "ops/kinds.def"
};

static bool find_flat(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  return gj__has_one_element(&node->type) || gj__in_memory(l, ref) ||
         layouts[gj_op_kind_of((gj_op)node->op)].flat(l, node);
}

bool gj__is_flat(gj__lower *l, gj_ref ref) {
  uint32_t no = 2 * l->kernel + 1, yes = no + 1; // remembered per kernel
  if (l->flat[ref] != no && l->flat[ref] != yes)
    l->flat[ref] = find_flat(l, ref) ? yes : no;
  return l->flat[ref] == yes;
}

static bool find_crossed(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  return !gj__has_one_element(&node->type) && !gj__in_memory(l, ref) &&
         layouts[gj_op_kind_of((gj_op)node->op)].crossed(l, node);
}

bool gj__is_crossed(gj__lower *l, gj_ref ref) {
  uint32_t no = 2 * l->kernel + 1, yes = no + 1; // remembered per kernel
  if (l->crossed[ref] != no && l->crossed[ref] != yes)
    l->crossed[ref] = find_crossed(l, ref) ? yes : no;
  return l->crossed[ref] == yes;
}

unsigned gj__crossed_axis(gj__lower *l, gj_ref ref) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  while (!crosses(node)) {
    uint32_t a = 0;
    while (!gj__is_crossed(l, node->args[a]))
      a++;
    node = gj_graph_node(l->graph, node->args[a]);
  }
  unsigned axis = 0, rank = node->type.rank;
  while (node->attrs->list[GJ_ATTR_axes].values[axis] + 1 != rank)
    axis++;
  return rank - 1 - axis;
}
