// Folding rules of elementwise ops: constants, exact identities, chains of integer constants.
//
// A rule sees the node that is about to be appended and may return an existing ref or a smaller
// node instead. Three requirements bind every rule: the result has the type of the node; it has the
// bits the node would have had, in every numeric mode (the payload of a NaN aside); and it makes at
// most as many new nodes as it saves. Only correctly rounded ops are folded here: what exp(2) is,
// is for the math library of the target to say.
#include "passes/fold/fold.h"

#include <math.h>
#include <string.h>

enum { FOLD_ELEMENTS = 4096, MAX_ARITY = 3 };

typedef gj_ref rule_fn(const gj_fold *f);

// --- what rules ask ---

static const gj_node *node_of(const gj_fold *f, size_t arg) {
  return gj_graph_node(f->graph, f->args[arg]);
}

bool gj__same_shape(const gj_type *a, const gj_type *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

bool gj__same_type(const gj_type *a, const gj_type *b) {
  return a->dtype == b->dtype && gj__same_shape(a, b);
}

bool gj__is_splat(const gj_graph *graph, gj_ref ref, gj_scalar *out_value) {
  const gj_node *node = gj_graph_node(graph, ref);
  if (node->op != GJ_OP_const || node->data_size != gj_dtype_bytes(node->type.dtype))
    return false;
  *out_value = gj_scalar_load(node->type.dtype, node->data);
  return true;
}

gj_ref gj__splat(gj_graph *graph, const gj_type *type, gj_scalar value) {
  unsigned char bytes[8];
  gj_scalar_store(value, bytes);
  return gj_graph_const(graph, type, bytes, gj_dtype_bytes(type->dtype));
}

// The operand when it can stand for the node, that is, has its type.
static gj_ref keep(const gj_fold *f, gj_ref ref) {
  return gj__same_type(&gj_graph_node(f->graph, ref)->type, &f->type) ? ref : 0;
}

static gj_ref number(const gj_fold *f, double value) {
  gj_scalar scalar;
  return gj_scalar_from_double(f->type.dtype, value, &scalar)
             ? gj__splat(f->graph, &f->type, scalar)
             : 0;
}

// True when operand `arg` is a constant with all elements exactly `value` (signed zeros told
// apart).
static bool is_number(const gj_fold *f, size_t arg, double value) {
  gj_scalar have, want;
  return gj__is_splat(f->graph, f->args[arg], &have) &&
         gj_scalar_from_double(have.dtype, value, &want) && gj_scalar_same_bits(have, want);
}

static bool is_all_ones(const gj_fold *f, size_t arg) {
  gj_scalar have;
  return gj__is_splat(f->graph, f->args[arg], &have) &&
         gj_scalar_same_bits(have, gj_scalar_start(GJ_START_ONES, have.dtype));
}

static bool is_float(const gj_fold *f) { return gj_dtype_is_float(f->type.dtype); }

static gj_ref emit(const gj_fold *f, gj_op op, gj_ref a, gj_ref b) {
  gj_ref args[2] = {a, b};
  gj_fold g = *f;
  g.op = op;
  g.args = args;
  g.arg_count = b ? 2 : 1;
  gj_ref folded = gj__fold_elementwise(&g);
  return folded ? folded : gj_graph_append(f->graph, op, args, g.arg_count, f->attrs);
}

// --- constants ---

static gj_scalar element(const gj_node *node, size_t index) {
  size_t bytes = gj_dtype_bytes(node->type.dtype);
  if (node->data_size == bytes)
    index = 0;
  return gj_scalar_load(node->type.dtype, (const unsigned char *)node->data + index * bytes);
}

// All operands constant, each with one element or with the shape of the result.
static gj_ref fold_constants(const gj_fold *f) {
  if (!(gj_op_get(f->op)->flags & GJ_OP_EXACT) || f->arg_count > MAX_ARITY)
    return 0;
  bool splat = true;
  for (size_t a = 0; a < f->arg_count; a++) {
    const gj_node *node = node_of(f, a);
    if (node->op != GJ_OP_const)
      return 0;
    bool one = node->data_size == gj_dtype_bytes(node->type.dtype);
    if (!one && !gj__same_shape(&node->type, &f->type))
      return 0;
    splat = splat && one;
  }
  gj_dim size = gj_type_size(gj_graph_dims(f->graph), &f->type);
  if (!splat && (size < 0 || size > FOLD_ELEMENTS))
    return 0;
  size_t count = splat ? 1 : (size_t)size, bytes = gj_dtype_bytes(f->type.dtype);
  unsigned char data[FOLD_ELEMENTS * 8];
  for (size_t i = 0; i < count; i++) {
    gj_scalar args[MAX_ARITY];
    for (size_t a = 0; a < f->arg_count; a++)
      args[a] = element(node_of(f, a), i);
    gj_scalar result = gj_scalar_eval(f->op, args, f->type.dtype);
    if (is_float(f) && isnan(result.v.f) && f->op != GJ_OP_bitcast)
      result.v.f = NAN; // processors differ in the sign of the NaN that they make
    gj_scalar_store(result, data + i * bytes);
  }
  return gj_graph_const(f->graph, &f->type, data, count * bytes);
}

// --- binary ops ---

// Integers: (x op c1) op c2 is x op (c1 op c2), since wrapping arithmetic associates.
static gj_ref merge_chain(const gj_fold *f) {
  const gj_node *inner = node_of(f, 0);
  gj_scalar c[2];
  if (is_float(f) || inner->op != f->op || !gj__is_splat(f->graph, f->args[1], &c[1]) ||
      !gj__is_splat(f->graph, inner->args[1], &c[0]))
    return 0;
  gj_type scalar_type = {.dtype = f->type.dtype, .rank = 0};
  gj_scalar merged = gj_scalar_eval(f->op, c, f->type.dtype);
  const gj_node *x = gj_graph_node(f->graph, inner->args[0]);
  if (!gj__same_shape(&x->type, &f->type)) // the constants must not be what makes the shape
    return 0;
  gj_ref x_ref = inner->args[0];
  return emit(f, f->op, x_ref, gj__splat(f->graph, &scalar_type, merged));
}

static gj_ref fold_add(const gj_fold *f) {
  if (is_number(f, 1, is_float(f) ? -0.0 : 0.0))
    return keep(f, f->args[0]);
  return merge_chain(f);
}

static gj_ref fold_sub(const gj_fold *f) {
  gj_scalar c;
  if (is_number(f, 1, 0.0))
    return keep(f, f->args[0]);
  if (!is_float(f) && f->args[0] == f->args[1])
    return number(f, 0);
  if (!is_float(f) && gj__is_splat(f->graph, f->args[1], &c)) {
    gj_scalar zero_minus[2] = {gj_scalar_start(GJ_START_ZERO, c.dtype), c};
    gj_type type = gj_graph_node(f->graph, f->args[1])->type;
    gj_scalar negated = gj_scalar_eval(GJ_OP_sub, zero_minus, c.dtype);
    return emit(f, GJ_OP_add, f->args[0], gj__splat(f->graph, &type, negated));
  }
  return 0;
}

static gj_ref fold_mul(const gj_fold *f) {
  if (is_number(f, 1, 1))
    return keep(f, f->args[0]);
  if (!is_float(f) && is_number(f, 1, 0))
    return number(f, 0);
  return merge_chain(f);
}

// Dividing by a power of two is multiplying by its reciprocal, when that is normal too.
static gj_ref fold_div(const gj_fold *f) {
  gj_scalar c;
  int exponent;
  if (is_number(f, 1, 1))
    return keep(f, f->args[0]);
  if (!is_float(f) || !gj__is_splat(f->graph, f->args[1], &c) ||
      fabs(frexp(c.v.f, &exponent)) != 0.5)
    return 0;
  int limit = f->type.dtype == GJ_DTYPE_f64 ? 1021 : 125;
  if (exponent < -limit || exponent > limit)
    return 0;
  c.v.f = 1 / c.v.f;
  gj_type type = gj_graph_node(f->graph, f->args[1])->type;
  return emit(f, GJ_OP_mul, f->args[0], gj__splat(f->graph, &type, c));
}

// x², the one power worth a rule, is as exact as a product gets; x⁰ is 1 even for NaN.
static gj_ref fold_pow(const gj_fold *f) {
  if (is_number(f, 1, 0))
    return number(f, 1);
  if (is_number(f, 1, 1))
    return keep(f, f->args[0]);
  if (is_number(f, 1, 2) && keep(f, f->args[0]))
    return emit(f, GJ_OP_mul, f->args[0], f->args[0]);
  return 0;
}

static gj_ref fold_idempotent(const gj_fold *f) {
  return f->args[0] == f->args[1] ? keep(f, f->args[0]) : 0;
}

static gj_ref fold_and(const gj_fold *f) {
  if (is_all_ones(f, 1))
    return keep(f, f->args[0]);
  return is_number(f, 1, 0) ? number(f, 0) : fold_idempotent(f);
}

static gj_ref fold_or(const gj_fold *f) {
  if (is_number(f, 1, 0))
    return keep(f, f->args[0]);
  if (is_all_ones(f, 1))
    return gj__splat(f->graph, &f->type, gj_scalar_start(GJ_START_ONES, f->type.dtype));
  return fold_idempotent(f);
}

static gj_ref fold_xor(const gj_fold *f) {
  if (is_number(f, 1, 0))
    return keep(f, f->args[0]);
  return f->args[0] == f->args[1] ? number(f, 0) : 0;
}

static gj_ref fold_shift(const gj_fold *f) { return is_number(f, 1, 0) ? keep(f, f->args[0]) : 0; }

// --- unary ops ---

static gj_ref fold_involution(const gj_fold *f) { // neg, not: twice is nothing
  const gj_node *inner = node_of(f, 0);
  return inner->op == f->op ? keep(f, inner->args[0]) : 0;
}

static gj_ref fold_abs(const gj_fold *f) {
  const gj_node *inner = node_of(f, 0);
  if (inner->op == GJ_OP_abs)
    return keep(f, f->args[0]);
  return inner->op == GJ_OP_neg ? emit(f, GJ_OP_abs, inner->args[0], 0) : 0;
}

static gj_ref fold_rounding(const gj_fold *f) { // floor ceil trunc round_even of an integral value
  uint16_t op = node_of(f, 0)->op;
  bool integral =
      op == GJ_OP_floor || op == GJ_OP_ceil || op == GJ_OP_trunc || op == GJ_OP_round_even;
  return integral ? keep(f, f->args[0]) : 0;
}

// Of a float type, the hidden one with them.
static int digits_of(gj_dtype dtype) {
  return dtype == GJ_DTYPE_f64 ? 53 : dtype == GJ_DTYPE_f32 ? 24 : dtype == GJ_DTYPE_f16 ? 11 : 8;
}

// True when every value of `from` has an equal one in `to`.
static bool lossless(gj_dtype from, gj_dtype to) {
  const gj_dtype_info *a = gj_dtype_get(from), *b = gj_dtype_get(to);
  if (from == to || a->kind == GJ_KIND_BOOL)
    return true;
  if (b->kind == GJ_KIND_FLOAT && a->kind == GJ_KIND_FLOAT)
    return a->bits < b->bits;
  if (b->kind == GJ_KIND_FLOAT)
    return a->bits <= digits_of(to);
  if (a->kind == b->kind)
    return a->bits <= b->bits;
  return a->kind == GJ_KIND_UINT && b->kind == GJ_KIND_INT && a->bits < b->bits;
}

static gj_ref fold_convert(const gj_fold *f) {
  const gj_node *inner = node_of(f, 0);
  gj_dtype middle = inner->type.dtype, to = f->type.dtype;
  if (middle == to)
    return keep(f, f->args[0]);
  if (inner->op != GJ_OP_convert)
    return 0;
  gj_dtype from = gj_graph_node(f->graph, inner->args[0])->type.dtype;
  // Integers wrap where floats saturate, so a float between two integers may matter.
  bool wraps = gj_dtype_is_float(middle) && !gj_dtype_is_float(from) && !gj_dtype_is_float(to);
  if (!lossless(from, middle) || (wraps && to != GJ_DTYPE_bool && !lossless(from, to)))
    return 0;
  return emit(f, GJ_OP_convert, inner->args[0], 0);
}

static gj_ref fold_bitcast(const gj_fold *f) {
  return node_of(f, 0)->type.dtype == f->type.dtype ? keep(f, f->args[0]) : 0;
}

// Whether a constant beside x is the greater (the less) of both wherever `compare` says that x is
// less (greater) than it, or as much: then a choice by that is a maximum (minimum). Of zeros the
// sign counts: max(-0, 0) is 0, which only `le` gives, and only for a constant 0.
static bool bounds(gj_scalar c, gj_op compare) {
  bool below = compare == GJ_OP_lt || compare == GJ_OP_le;
  bool equal = compare == GJ_OP_le || compare == GJ_OP_ge;
  if (!gj_dtype_is_float(c.dtype))
    return c.dtype != GJ_DTYPE_bool;
  return c.v.f != 0 ? c.v.f == c.v.f : equal && below == !signbit(c.v.f);
}

// select(x < c, c, x) and its like.
static gj_ref fold_bound(const gj_fold *f) {
  const gj_node *condition = node_of(f, 0);
  gj_op compare = (gj_op)condition->op;
  bool below = compare == GJ_OP_lt || compare == GJ_OP_le;
  gj_scalar c;
  if (!below && compare != GJ_OP_gt && compare != GJ_OP_ge)
    return 0;
  if (condition->args[0] != f->args[2] || condition->args[1] != f->args[1] ||
      !gj__is_splat(f->graph, f->args[1], &c) || !bounds(c, compare))
    return 0;
  return emit(f, below ? GJ_OP_max : GJ_OP_min, f->args[2], f->args[1]);
}

static gj_ref fold_stop_gradient(const gj_fold *f) { return keep(f, f->args[0]); }

static gj_ref fold_select(const gj_fold *f) {
  gj_scalar p;
  if (gj__is_splat(f->graph, f->args[0], &p))
    return keep(f, f->args[p.v.i ? 1 : 2]);
  return f->args[1] == f->args[2] ? keep(f, f->args[1]) : fold_bound(f);
}

static rule_fn *const rules[GJ_OP_COUNT] = {
    [GJ_OP_neg] = fold_involution,
    [GJ_OP_not] = fold_involution,
    [GJ_OP_abs] = fold_abs,
    [GJ_OP_floor] = fold_rounding,
    [GJ_OP_ceil] = fold_rounding,
    [GJ_OP_trunc] = fold_rounding,
    [GJ_OP_round_even] = fold_rounding,
    [GJ_OP_add] = fold_add,
    [GJ_OP_sub] = fold_sub,
    [GJ_OP_mul] = fold_mul,
    [GJ_OP_div] = fold_div,
    [GJ_OP_pow] = fold_pow,
    [GJ_OP_min] = fold_idempotent,
    [GJ_OP_max] = fold_idempotent,
    [GJ_OP_and] = fold_and,
    [GJ_OP_or] = fold_or,
    [GJ_OP_xor] = fold_xor,
    [GJ_OP_shl] = fold_shift,
    [GJ_OP_shr] = fold_shift,
    [GJ_OP_select] = fold_select,
    [GJ_OP_convert] = fold_convert,
    [GJ_OP_bitcast] = fold_bitcast,
    [GJ_OP_stop_gradient] = fold_stop_gradient,
};

// --- operands ---

// What an operand that is only repeated comes from: a broadcast whose axes are the last ones in
// order is what an elementwise op does by itself, and a constant of one value needs no shape.
static gj_ref unrepeated(const gj_fold *f, gj_ref ref) {
  const gj_node *node = gj_graph_node(f->graph, ref);
  gj_scalar value;
  if (node->type.rank > 0 && gj__is_splat(f->graph, ref, &value)) {
    gj_type type = {.dtype = node->type.dtype, .rank = 0};
    return gj__splat(f->graph, &type, value);
  }
  if (node->op != GJ_OP_broadcast)
    return ref;
  const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_axes];
  for (uint8_t i = 0; i < axes->count; i++)
    if (axes->values[i] != node->type.rank - axes->count + i)
      return ref;
  return node->args[0];
}

// The node with operands that are not repeated beforehand, as long as another one still has its
// shape.
static gj_ref narrow_operands(const gj_fold *f) {
  gj_ref args[MAX_ARITY];
  bool changed = false;
  for (size_t a = 0; a < f->arg_count; a++)
    args[a] = f->args[a];
  for (size_t a = 0; a < f->arg_count; a++) {
    bool carried = false; // does another operand carry the result's shape?
    for (size_t b = 0; b < f->arg_count; b++)
      carried =
          carried || (b != a && gj__same_shape(&gj_graph_node(f->graph, args[b])->type, &f->type));
    if (!carried)
      continue;
    args[a] = unrepeated(f, f->args[a]);
    changed = changed || args[a] != f->args[a];
  }
  if (!changed)
    return 0;
  gj_fold g = *f;
  g.args = args;
  gj_ref folded = gj__fold_elementwise(&g);
  return folded ? folded : gj_graph_append(f->graph, f->op, args, f->arg_count, f->attrs);
}

// Operands of an op that commutes are put in order: constants to the right, so that rules look in
// one place, and other values as they were made, so that x + y and y + x are one node.
static gj_ref order_operands(const gj_fold *f) {
  if (!(gj_op_get(f->op)->flags & GJ_OP_COMMUTES))
    return 0;
  bool constant[2] = {node_of(f, 0)->op == GJ_OP_const, node_of(f, 1)->op == GJ_OP_const};
  bool swap = constant[0] != constant[1] ? constant[0] : f->args[0] > f->args[1];
  return swap ? emit(f, f->op, f->args[1], f->args[0]) : 0;
}

gj_ref gj__fold_elementwise(const gj_fold *f) {
  gj_ref ref = f->arg_count <= MAX_ARITY ? narrow_operands(f) : 0;
  if (!ref)
    ref = fold_constants(f);
  if (!ref)
    ref = order_operands(f);
  if (!ref && rules[f->op])
    ref = rules[f->op](f);
  return ref;
}

gj_ref gj__fold_none(const gj_fold *f) {
  (void)f;
  return 0;
}

typedef gj_ref fold_fn(const gj_fold *f);

static fold_fn *const kinds[GJ_OP_KIND_COUNT] = {
#define GJ_KIND(NAME, ...) [GJ_OP_KIND_##NAME] =
#define GJ_KIND_FOLD(how, rule) gj__fold_##rule,
#include "ops/kinds.def"
};

// Moving a constant of one value about leaves a constant of that value.
static gj_ref fold_splat(const gj_fold *f) {
  gj_scalar value;
  return gj_op_has(f->op, GJ_TRAIT_PICKS) && gj__is_splat(f->graph, f->args[0], &value)
             ? gj__splat(f->graph, &f->type, value)
             : 0;
}

gj_ref gj__fold(const gj_fold *f) {
  for (size_t a = 0; a < f->arg_count; a++)
    if (!f->args[a]) // an earlier failure; the graph holds its message
      return 0;
  if (f->arg_count == 0)
    return 0;
  gj_ref ref = fold_splat(f);
  return ref ? ref : kinds[gj_op_kind_of(f->op)](f);
}
