// Rules of contractions, which are linear in each operand: a cotangent is contracted with the
// other.
#include "passes/derive/rules.h"

static const gj_attr_list *list_of(const gj_node *node, gj_attr attr) {
  return &node->attrs->list[attr];
}

// Forward: the op on the tangent of one operand and the other as it is, once for each operand.
void gj__jvp_bilinear(gj__derive *d, gj_ref ref, const gj_node *node, gj_ref *out_tangents) {
  gj_ref sum = 0;
  (void)ref;
  for (uint32_t i = 0; i < 2; i++) {
    gj_ref args[2] = {node->args[0], node->args[1]};
    args[i] = gj__d_tangent(d, node->args[i]);
    if (!args[i])
      continue;
    gj_ref own = gj_graph_append_like(d->graph, node, args);
    sum = sum && own ? gj__d_add(d, sum, own) : sum ? sum : own;
  }
  out_tangents[0] = sum;
}

// --- dot_general ---

// Axes of one operand: those along batches, those summed over, and the free ones in their order.
typedef struct side {
  const gj_attr_list *batch, *contract;
  int64_t free[GJ_MAX_RANK];
  uint8_t free_count;
} side;

static side side_of(const gj__derive *d, const gj_node *node, uint32_t operand) {
  side s = {.batch = list_of(node, operand ? GJ_ATTR_rhs_batch : GJ_ATTR_lhs_batch),
            .contract = list_of(node, operand ? GJ_ATTR_rhs_contract : GJ_ATTR_lhs_contract)};
  for (uint8_t i = 0; i < gj__type_of(d, node->args[operand])->rank; i++) {
    bool taken = false;
    for (uint8_t k = 0; k < s.batch->count; k++)
      taken = taken || s.batch->values[k] == i;
    for (uint8_t k = 0; k < s.contract->count; k++)
      taken = taken || s.contract->values[k] == i;
    if (!taken)
      s.free[s.free_count++] = i;
  }
  return s;
}

// The product of the cotangent and the other operand that operand `i` gets. They stand in the order
// of the axes of operand i where it is a matrix: of the first the cotangent comes first, of the
// second the other operand, so that nothing has to be transposed. Contracted are the free axes of
// the other operand, which the cotangent has behind its batches, or at its end.
static gj_ref dot_product(gj__derive *d, const gj_node *node, uint32_t i, gj_ref ct,
                          const side *own, const side *other) {
  int64_t batch[GJ_MAX_RANK], theirs[GJ_MAX_RANK];
  uint8_t batches = own->batch->count;
  uint8_t first_theirs = (uint8_t)(batches + (i == 0 ? own->free_count : 0));
  for (uint8_t k = 0; k < batches; k++)
    batch[k] = k;
  for (uint8_t k = 0; k < other->free_count; k++)
    theirs[k] = first_theirs + k;
  static const gj_attr batch_attrs[2] = {GJ_ATTR_lhs_batch, GJ_ATTR_rhs_batch};
  static const gj_attr contract_attrs[2] = {GJ_ATTR_lhs_contract, GJ_ATTR_rhs_contract};
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, batch_attrs[i], batch, batches);
  gj_attrs_set(&attrs, batch_attrs[1 - i], other->batch->values, batches);
  gj_attrs_set(&attrs, contract_attrs[i], theirs, other->free_count);
  gj_attrs_set(&attrs, contract_attrs[1 - i], other->free, other->free_count);
  gj_ref args[2];
  args[i] = ct;
  args[1 - i] = node->args[1 - i];
  return gj_graph_append(d->graph, GJ_OP_dot_general, args, 2, &attrs);
}

// The free axes of the other operand in that product, its contracted ones here, stand in their
// order.
static uint8_t place_contracted(const side *own, const side *other, uint8_t at, int64_t *back) {
  for (int64_t axis = 0; axis < GJ_MAX_RANK; axis++)
    for (uint8_t k = 0; k < other->contract->count; k++)
      if (other->contract->values[k] == axis)
        back[own->contract->values[k]] = at++;
  return at;
}

// What operand `i` gets: the product has the batches, the free axes of `i` and those of the other
// that it was contracted along, which go where their partners lie in `i`.
static gj_ref dot_operand(gj__derive *d, const gj_node *node, uint32_t i, gj_ref ct) {
  side own = side_of(d, node, i), other = side_of(d, node, 1 - i);
  int64_t back[GJ_MAX_RANK];
  uint8_t at = 0;
  if (!ct)
    return 0;
  gj_ref made = dot_product(d, node, i, ct, &own, &other);
  for (uint8_t k = 0; k < own.batch->count; k++)
    back[own.batch->values[k]] = at++;
  if (i == 1)
    at = place_contracted(&own, &other, at, back);
  for (uint8_t k = 0; k < own.free_count; k++)
    back[own.free[k]] = at++;
  if (i == 0)
    place_contracted(&own, &other, at, back);
  return gj__d_transpose(d, made, back);
}

void gj__vjp_dot_general(gj__derive *d, gj_ref ref, const gj_node *node, const gj_ref *cts) {
  (void)ref;
  for (uint32_t i = 0; i < 2; i++)
    if (gj__d_wants(d, node->args[i]))
      gj__d_give(d, node->args[i], dot_operand(d, node, i, cts[0]));
}
