// See derive.h.
//
// The nodes below a root are found with a stack of our own and gone through from the last to the
// first, so a node's users have all been there before it. Only what depends on a parameter counts.
#include "population/derive.h"

#include "base/array.h"
#include "population/formula.h"

#include <stdlib.h>
#include <string.h>

typedef struct known {
  bool read, has;
  gj__formula formula;
} known;

struct gj__deriver {
  gj__nodes *nodes;
  size_t first_new;   // nodes from here on are derivatives, which are not gone through
  bool *active;       // [first_new] depends on a parameter
  bool *seen;         // [first_new] among `below`
  uint32_t *adjoints; // [first_new] + 1; 0: none yet
  uint32_t *below;    // nodes below the root
  size_t below_count, below_capacity;
  known *formulas; // [GJ_OP_COUNT][3]
};

void gj__derivatives_fini(gj__derivatives *derivatives) {
  free(derivatives->parameters);
  free(derivatives->values);
  *derivatives = (gj__derivatives){0};
}

void gj__deriver_free(gj__deriver *d) {
  if (!d)
    return;
  free(d->active);
  free(d->seen);
  free(d->adjoints);
  free(d->below);
  free(d->formulas);
  free(d);
}

static void find_active(gj__deriver *d) {
  for (size_t i = 0; i < d->first_new; i++) {
    const gj__node *n = &d->nodes->list[i];
    d->active[i] = n->leaf == GJ__PARAMETER;
    for (int a = 0; a < gj__node_arity(d->nodes, n); a++)
      d->active[i] = d->active[i] || d->active[n->args[a]];
  }
}

gj__deriver *gj__deriver_new(gj__nodes *nodes) {
  gj__deriver *d = calloc(1, sizeof *d);
  if (!d)
    return NULL;
  d->nodes = nodes;
  d->first_new = nodes->count;
  d->active = calloc(nodes->count + 1, sizeof *d->active);
  d->seen = calloc(nodes->count + 1, sizeof *d->seen);
  d->adjoints = calloc(nodes->count + 1, sizeof *d->adjoints);
  d->formulas = calloc((size_t)GJ_OP_COUNT * 3, sizeof *d->formulas);
  if (d->active && d->seen && d->adjoints && d->formulas) {
    find_active(d);
    return d;
  }
  gj__deriver_free(d);
  return NULL;
}

static bool push_below(gj__deriver *d, uint32_t node) {
  if (!d->active[node] || d->seen[node])
    return true;
  uint32_t *grown = gj_array_grow(d->below, &d->below_capacity, d->below_count + 1, sizeof *grown);
  if (!grown)
    return false;
  d->below = grown;
  d->below[d->below_count++] = node;
  return d->seen[node] = true;
}

static int descending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

// The list is its own queue.
static bool find_below(gj__deriver *d, uint32_t root) {
  d->below_count = 0;
  if (!push_below(d, root))
    return false;
  for (size_t i = 0; i < d->below_count; i++) {
    const gj__node *n = &d->nodes->list[d->below[i]];
    for (int a = 0; a < gj__node_arity(d->nodes, n); a++)
      if (!push_below(d, n->args[a]))
        return false;
  }
  if (d->below_count)
    qsort(d->below, d->below_count, sizeof *d->below, descending);
  return true;
}

static const gj__formula *formula_of(gj__deriver *d, gj_op op, int operand) {
  known *k = &d->formulas[(size_t)op * 3 + (size_t)operand];
  if (!k->read)
    k->has = gj__formula_read(op, (size_t)operand, &k->formula);
  k->read = true;
  return k->has ? &k->formula : NULL;
}

static bool add_adjoint(gj__deriver *d, uint32_t node, uint32_t change) {
  if (change != GJ__NO_NODE && d->adjoints[node]) {
    uint32_t both[] = {d->adjoints[node] - 1, change};
    change = gj__nodes_apply(d->nodes, GJ_OP_add, both);
  }
  if (change != GJ__NO_NODE)
    d->adjoints[node] = change + 1;
  return change != GJ__NO_NODE;
}

// The change of an operand that a change of the node's value is; false where there is none.
static bool change_by_formula(gj__deriver *d, const gj__node *n, uint32_t at, int a,
                              uint32_t *out) {
  const gj__formula *f = formula_of(d, (gj_op)n->op, a);
  if (!f)
    return false;
  uint32_t operands[GJ__FORMULA_OPERANDS];
  memcpy(operands, n->args, sizeof n->args);
  operands[GJ__FORMULA_RESULT] = at;
  operands[GJ__FORMULA_CHANGE] = d->adjoints[at] - 1;
  gj_programs body = {1, f->starts, f->tokens, f->constants, false};
  *out = gj__body_apply(d->nodes, &body, 0, operands);
  return true;
}

static bool change_by_function(gj__deriver *d, const gj__node *n, uint32_t at, int a,
                               uint32_t *out) {
  uint32_t derivative = gj__function_of(d->nodes, n->op)->derivatives[a];
  if (!derivative)
    return false;
  uint32_t operands[] = {d->adjoints[at] - 1, 0};
  operands[1] = gj__nodes_apply(d->nodes, GJ_OP_COUNT + derivative - 1, n->args);
  *out = operands[1] == GJ__NO_NODE ? GJ__NO_NODE : gj__nodes_apply(d->nodes, GJ_OP_mul, operands);
  return true;
}

static bool carry_back(gj__deriver *d, uint32_t at) {
  const gj__node n = d->nodes->list[at]; // the array may move
  for (int a = 0; a < gj__node_arity(d->nodes, &n); a++) {
    uint32_t change;
    bool has = d->active[n.args[a]] &&
               (gj__op_is_function(n.op) ? change_by_function(d, &n, at, a, &change)
                                         : change_by_formula(d, &n, at, a, &change));
    if (has && !add_adjoint(d, n.args[a], change))
      return false;
  }
  return true;
}

static bool add_result(gj__derivatives *out, uint32_t parameter, uint32_t value) {
  uint32_t *p = gj_array_grow(out->parameters, &out->parameter_capacity, out->count + 1, sizeof *p);
  if (!p)
    return false;
  out->parameters = p;
  uint32_t *v = gj_array_grow(out->values, &out->value_capacity, out->count + 1, sizeof *v);
  if (!v)
    return false;
  out->values = v;
  p[out->count] = parameter;
  v[out->count++] = value;
  return true;
}

static bool walk(gj__deriver *d, uint32_t root, gj__derivatives *out) {
  uint32_t one = gj__nodes_leaf(d->nodes, GJ__CONSTANT, 0, 1);
  uint32_t zero = gj__nodes_leaf(d->nodes, GJ__CONSTANT, 0, 0);
  if (one == GJ__NO_NODE || zero == GJ__NO_NODE || !find_below(d, root))
    return false;
  if (d->below_count)
    d->adjoints[root] = one + 1;
  bool ok = true;
  for (size_t i = 0; i < d->below_count && ok; i++)
    if (d->adjoints[d->below[i]] && !d->nodes->list[d->below[i]].leaf)
      ok = carry_back(d, d->below[i]);
  for (size_t i = d->below_count; i-- > 0 && ok;) {
    uint32_t node = d->below[i], adjoint = d->adjoints[node];
    if (d->nodes->list[node].leaf == GJ__PARAMETER)
      ok = add_result(out, node, adjoint ? adjoint - 1 : zero);
  }
  return ok;
}

gj_status gj__derive(gj__deriver *d, uint32_t root, gj__derivatives *out, gj_error *err) {
  out->count = 0;
  bool ok = walk(d, root, out);
  for (size_t i = 0; i < d->below_count; i++) {
    d->seen[d->below[i]] = false;
    d->adjoints[d->below[i]] = 0;
  }
  return ok ? GJ_OK : gj_fail(err, GJ_E_MEMORY, "population: no memory for derivatives");
}
