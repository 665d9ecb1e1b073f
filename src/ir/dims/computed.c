// Computed sizes: symbols whose value a run finds out (compress), and what is known of them before.
//
// Such a symbol lies between 0 and a bound, an expression of other symbols. Memory is arranged for
// the most that an expression can be, checks before a run go by its least and its most. Both follow
// by interval arithmetic: what a sum of several computed sizes has in common is not seen, so bounds
// may be wider than need be, never narrower. Expressions without bounds that could be found are
// products with what may be negative, and divisions by a computed size.

#include "ir/dims/table.h"

#include "base/array.h"
#include "base/size.h"

// GJ_DIM_ERROR for symbols that inputs bind.
static gj_dim bound_of(const gj_dims *dims, uint32_t symbol) {
  return symbol < dims->bound_count ? dims->bounds[symbol] : GJ_DIM_ERROR;
}

bool gj_dim_is_computed(const gj_dims *dims, gj_dim d) {
  if (dims->bound_count == 0 || !gj_dim_is_valid(dims, d))
    return false;
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL)
    return bound_of(dims, node.symbol) != GJ_DIM_ERROR;
  for (uint32_t i = 0; i < node.operand_count; i++)
    if (gj_dim_is_computed(dims, node.operands[i]))
      return true;
  return false;
}

static bool names(const gj_dims *dims, gj_dim d, uint32_t symbol) {
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL)
    return node.symbol == symbol;
  for (uint32_t i = 0; i < node.operand_count; i++)
    if (names(dims, node.operands[i], symbol))
      return true;
  return false;
}

// The bound is kept without computed sizes, so finding bounds never goes from one to the next.
bool gj_dims_compute(gj_dims *dims, gj_dim symbol, gj_dim bound) {
  int number = gj_dim_as_symbol(dims, symbol);
  gj_dim most = gj_dim_most(dims, bound);
  if (number < 0 || most == GJ_DIM_ERROR || names(dims, most, (uint32_t)number))
    return false;
  gj_dim known = bound_of(dims, (uint32_t)number);
  if (known != GJ_DIM_ERROR)
    return known == most;
  gj_dim *bounds =
      gj_array_grow(dims->bounds, &dims->bound_capacity, (size_t)number + 1, sizeof *bounds);
  if (!bounds)
    return false;
  dims->bounds = bounds;
  while (dims->bound_count <= (size_t)number)
    bounds[dims->bound_count++] = GJ_DIM_ERROR;
  bounds[number] = most;
  return true;
}

// --- as expressions ---

typedef struct range {
  gj_dim least, most;
} range;

static range range_of(gj_dims *dims, gj_dim d);

static const range no_range = {GJ_DIM_ERROR, GJ_DIM_ERROR};

// A coefficient times factors none of which can be negative.
static range range_of_product(gj_dims *dims, const gj_dim_node *node) {
  range all = {1, 1};
  for (uint32_t i = 0; i < node->operand_count; i++) {
    range one = range_of(dims, node->operands[i]);
    if (one.least == GJ_DIM_ERROR || !gj__dim_never_negative(dims, one.least))
      return no_range;
    all.least = gj_dim_mul(dims, all.least, one.least);
    all.most = gj_dim_mul(dims, all.most, one.most);
  }
  gj_dim factor = gj_dim_const(dims, node->value);
  all.least = gj_dim_mul(dims, all.least, factor);
  all.most = gj_dim_mul(dims, all.most, factor);
  return node->value < 0 ? (range){all.most, all.least} : all;
}

static range range_of(gj_dims *dims, gj_dim d) {
  if (!gj_dim_is_computed(dims, d))
    return (range){d, d};
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL)
    return (range){0, bound_of(dims, node.symbol)};
  if (node.kind == GJ_DIM_PRODUCT)
    return range_of_product(dims, &node);
  if (node.kind == GJ_DIM_SUM) {
    range sum = {gj_dim_const(dims, node.value), 0};
    sum.most = sum.least;
    for (uint32_t i = 0; i < node.operand_count; i++) {
      range one = range_of(dims, node.operands[i]);
      sum.least = gj_dim_add(dims, sum.least, one.least);
      sum.most = gj_dim_add(dims, sum.most, one.most);
    }
    return sum;
  }
  range a = range_of(dims, node.operands[0]), b = range_of(dims, node.operands[1]);
  if (node.kind == GJ_DIM_MAXIMUM)
    return (range){gj_dim_max(dims, a.least, b.least), gj_dim_max(dims, a.most, b.most)};
  if (b.least != b.most || !gj__dim_never_negative(dims, b.least))
    return no_range;
  return (range){gj_dim_floordiv(dims, a.least, b.least), gj_dim_floordiv(dims, a.most, b.least)};
}

gj_dim gj_dim_most(gj_dims *dims, gj_dim d) { return range_of(dims, d).most; }

gj_dim gj_dim_least(gj_dims *dims, gj_dim d) { return range_of(dims, d).least; }

bool gj_dim_never_negative(gj_dims *dims, gj_dim d) {
  gj_dim least = gj_dim_least(dims, d);
  return least != GJ_DIM_ERROR && gj__dim_never_negative(dims, least);
}

// --- as numbers ---

static bool join_ranges(const gj_dims *dims, const gj_dim_node *node, const int64_t *values,
                        int64_t *lo, int64_t *hi) {
  bool product = node->kind == GJ_DIM_PRODUCT;
  int64_t least = product ? 1 : node->value, most = least, a, b;
  for (uint32_t i = 0; i < node->operand_count; i++) {
    if (!gj_dim_range(dims, node->operands[i], values, &a, &b) || (product && a < 0))
      return false;
    if (product ? !gj_mul_i64(least, a, &least) || !gj_mul_i64(most, b, &most)
                : !gj_add_i64(least, a, &least) || !gj_add_i64(most, b, &most))
      return false;
  }
  if (product && (!gj_mul_i64(least, node->value, &least) || !gj_mul_i64(most, node->value, &most)))
    return false;
  bool turned = product && node->value < 0;
  *lo = turned ? most : least;
  *hi = turned ? least : most;
  return true;
}

bool gj_dim_range(const gj_dims *dims, gj_dim d, const int64_t *values, int64_t *out_lo,
                  int64_t *out_hi) {
  if (!gj_dim_is_computed(dims, d)) {
    bool ok = gj_dim_eval(dims, d, values, out_lo);
    *out_hi = *out_lo;
    return ok;
  }
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL) {
    *out_lo = 0;
    return gj_dim_eval(dims, bound_of(dims, node.symbol), values, out_hi);
  }
  if (node.kind == GJ_DIM_SUM || node.kind == GJ_DIM_PRODUCT)
    return join_ranges(dims, &node, values, out_lo, out_hi);
  int64_t a, b, c, e;
  if (!gj_dim_range(dims, node.operands[0], values, &a, &b) ||
      !gj_dim_range(dims, node.operands[1], values, &c, &e))
    return false;
  if (node.kind == GJ_DIM_MAXIMUM) {
    *out_lo = a > c ? a : c;
    *out_hi = b > e ? b : e;
    return true;
  }
  if (c != e || c <= 0)
    return false;
  *out_lo = gj__floor_divide(a, c);
  *out_hi = gj__floor_divide(b, c);
  return true;
}
