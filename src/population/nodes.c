// See nodes.h.
#include "population/nodes.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, MOST_NODES = 1 << 30 };

void gj__nodes_fini(gj__nodes *nodes) {
  free(nodes->list);
  free(nodes->slots);
  free(nodes->functions);
  *nodes = (gj__nodes){0};
}

static const bool truths[GJ_OP_COUNT] = {
    [GJ_OP_eq] = true, [GJ_OP_ne] = true,  [GJ_OP_lt] = true,     [GJ_OP_le] = true,
    [GJ_OP_gt] = true, [GJ_OP_ge] = true,  [GJ_OP_is_nan] = true, [GJ_OP_is_finite] = true,
    [GJ_OP_or] = true, [GJ_OP_and] = true, [GJ_OP_xor] = true,    [GJ_OP_not] = true};

bool gj__op_is_truth(gj_op op) { return truths[op]; }

// Constants are told apart by their bits, so -0 is not 0 and one NaN is one node.
static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static size_t slot_of(const gj__nodes *nodes, const gj__node *n) {
  uint64_t h = bits_of(n->value) ^ ((uint64_t)n->op << 3 | n->leaf);
  h = (h ^ n->args[0]) * UINT64_C(0x9E3779B97F4A7C15);
  h = ((h ^ (h >> 29)) + n->args[1]) * UINT64_C(0xD6E8FEB86659FD93);
  h = ((h ^ (h >> 31)) + n->args[2]) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(h >> 32) & (nodes->slot_count - 1);
}

static bool same(const gj__node *a, const gj__node *b) {
  return a->op == b->op && a->leaf == b->leaf && a->args[0] == b->args[0] &&
         a->args[1] == b->args[1] && a->args[2] == b->args[2] &&
         bits_of(a->value) == bits_of(b->value);
}

// Room in the table for one more at no more than half full.
static bool make_slots(gj__nodes *nodes) {
  if (nodes->slot_count > 2 * nodes->count)
    return true;
  size_t count = nodes->slot_count ? 2 * nodes->slot_count : FIRST_SLOTS;
  uint32_t *slots = calloc(count, sizeof *slots);
  if (!slots)
    return false;
  free(nodes->slots);
  nodes->slots = slots;
  nodes->slot_count = count;
  for (size_t i = 0; i < nodes->count; i++) {
    size_t at = slot_of(nodes, &nodes->list[i]);
    while (slots[at])
      at = (at + 1) & (count - 1);
    slots[at] = (uint32_t)i + 1;
  }
  return true;
}

static uint32_t intern(gj__nodes *nodes, const gj__node *wanted) {
  if (!make_slots(nodes))
    return GJ__NO_NODE;
  size_t at = slot_of(nodes, wanted);
  for (; nodes->slots[at]; at = (at + 1) & (nodes->slot_count - 1))
    if (same(&nodes->list[nodes->slots[at] - 1], wanted))
      return nodes->slots[at] - 1;
  if (nodes->count == nodes->capacity) {
    gj__node *grown = nodes->count < MOST_NODES ? gj_array_grow(nodes->list, &nodes->capacity,
                                                                nodes->count + 1, sizeof *grown)
                                                : NULL;
    if (!grown)
      return GJ__NO_NODE;
    nodes->list = grown;
  }
  nodes->list[nodes->count] = *wanted;
  nodes->slots[at] = (uint32_t)++nodes->count;
  return (uint32_t)nodes->count - 1;
}

uint32_t gj__nodes_leaf(gj__nodes *nodes, gj__leaf leaf, uint32_t number, double value) {
  gj__node n = {.leaf = (uint8_t)leaf, .args = {number}, .value = value};
  n.traits = leaf == GJ__VARIABLE ? 0 : GJ__UNIFORM;
  return intern(nodes, &n);
}

static bool is_one(const gj__nodes *nodes, uint32_t node) {
  const gj__node *n = &nodes->list[node];
  return n->leaf == GJ__CONSTANT && n->value == 1;
}

bool gj__nodes_add_function(gj__nodes *nodes, const gj_population_function *function) {
  gj_population_function *grown = nodes->function_count < GJ__MOST_FUNCTIONS
                                      ? gj_array_grow(nodes->functions, &nodes->function_capacity,
                                                      nodes->function_count + 1, sizeof *grown)
                                      : NULL;
  if (!grown)
    return false;
  nodes->functions = grown;
  grown[nodes->function_count++] = *function;
  return true;
}

uint32_t gj__nodes_apply(gj__nodes *nodes, uint32_t op, const uint32_t *args) {
  // Exact whatever the other operand is; derivatives are full of it.
  if ((op == GJ_OP_mul || op == GJ_OP_div) && is_one(nodes, args[1]))
    return args[0];
  if (op == GJ_OP_mul && is_one(nodes, args[0]))
    return args[1];
  bool is_function = gj__op_is_function(op);
  gj__node n = {.op = (uint16_t)op, .traits = GJ__UNIFORM};
  if (!is_function && truths[op])
    n.traits |= GJ__TRUTH;
  for (int i = 0, arity = gj__node_arity(nodes, &n); i < arity; i++) {
    n.args[i] = args[i];
    if (!(nodes->list[args[i]].traits & GJ__UNIFORM))
      n.traits &= (uint8_t)~GJ__UNIFORM;
  }
  if (!is_function && (gj_op_get((gj_op)op)->flags & GJ_OP_COMMUTES) && n.args[0] > n.args[1]) {
    n.args[0] = args[1];
    n.args[1] = args[0];
  }
  return intern(nodes, &n);
}
