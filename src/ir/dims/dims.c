// Dim expressions: arithmetic in canonical form, and evaluation.
//
// Every operation unpacks its operands into a polynomial (a constant plus monomials with
// coefficients), computes there, and packs the result: terms without zeros, ordered by structure. A
// monomial is an atom or an interned product of atoms with coefficient 1. What is equal as a
// polynomial over its atoms is therefore the same entry. Floor divisions and maxima are atoms after
// a few rewrites that hold for all integers; beyond those, equal values may stay different
// expressions, and a user has to write them alike.

#include "base/size.h"
#include "ir/dims/table.h"

enum { MAX_TERMS = 128, MAX_ATOMS = 32 };

typedef struct term {
  gj_dim monomial;
  int64_t coefficient;
} term;

typedef struct poly {
  int64_t constant;
  uint32_t count;
  bool failed;
  term terms[MAX_TERMS];
} poly;

// --- polynomials ---

// An interned product of sorted atoms; the bare atom when it is alone with coefficient 1.
static gj_dim product(gj_dims *dims, int64_t coefficient, const gj_dim *atoms, uint32_t count) {
  if (count == 1 && coefficient == 1)
    return atoms[0];
  gj_dim_node node = {GJ_DIM_PRODUCT, coefficient, 0, count, atoms};
  return gj__dims_intern(dims, &node, NULL, 0);
}

// The atoms of a monomial: itself, or the operands of its product.
static uint32_t atoms_of(const gj_dims *dims, const gj_dim *monomial, const gj_dim **out_atoms) {
  gj_dim_node node = gj_dim_get(dims, *monomial);
  *out_atoms = node.kind == GJ_DIM_PRODUCT ? node.operands : monomial;
  return node.kind == GJ_DIM_PRODUCT ? node.operand_count : 1;
}

static void add_constant(poly *p, int64_t value) {
  if (!gj_add_i64(p->constant, value, &p->constant))
    p->failed = true;
}

static void add_term(poly *p, gj_dim monomial, int64_t coefficient) {
  if (monomial == GJ_DIM_ERROR)
    p->failed = true;
  for (uint32_t i = 0; i < p->count; i++)
    if (p->terms[i].monomial == monomial) {
      if (!gj_add_i64(p->terms[i].coefficient, coefficient, &p->terms[i].coefficient))
        p->failed = true;
      return;
    }
  if (p->count == MAX_TERMS)
    p->failed = true;
  else
    p->terms[p->count++] = (term){monomial, coefficient};
}

// Adds factor · d, where d is not a sum.
static void add_scaled(gj_dims *dims, poly *p, gj_dim d, int64_t factor) {
  gj_dim_node node = gj_dim_get(dims, d);
  int64_t scaled;
  if (node.kind == GJ_DIM_CONST || node.kind == GJ_DIM_PRODUCT) {
    if (!gj_mul_i64(node.value, factor, &scaled))
      p->failed = true;
    else if (node.kind == GJ_DIM_CONST)
      add_constant(p, scaled);
    else
      add_term(p, product(dims, 1, node.operands, node.operand_count), scaled);
  } else
    add_term(p, d, factor);
}

// p += factor · d
static void accumulate(gj_dims *dims, poly *p, gj_dim d, int64_t factor) {
  if (!gj_dim_is_valid(dims, d)) {
    p->failed = true;
    return;
  }
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind != GJ_DIM_SUM) {
    add_scaled(dims, p, d, factor);
    return;
  }
  int64_t constant;
  if (gj_mul_i64(node.value, factor, &constant))
    add_constant(p, constant);
  else
    p->failed = true;
  for (uint32_t i = 0; i < node.operand_count; i++)
    add_scaled(dims, p, node.operands[i], factor);
}

// Without its terms, which are kilobytes.
static void begin(poly *p, int64_t constant) {
  p->constant = constant;
  p->count = 0;
  p->failed = false;
}

static void unpack(gj_dims *dims, gj_dim d, poly *out) {
  begin(out, 0);
  accumulate(dims, out, d, 1);
}

// Drops zero terms and sorts the rest.
static void tidy(const gj_dims *dims, poly *p) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    term t = p->terms[i];
    if (t.coefficient == 0)
      continue;
    uint32_t to = kept++;
    for (; to > 0 && gj__dims_compare(dims, t.monomial, p->terms[to - 1].monomial) < 0; to--)
      p->terms[to] = p->terms[to - 1];
    p->terms[to] = t;
  }
  p->count = kept;
}

static gj_dim pack(gj_dims *dims, poly *p) {
  if (p->failed || p->constant == INT64_MIN)
    return GJ_DIM_ERROR;
  tidy(dims, p);
  if (p->count == 0)
    return gj_dim_const(dims, p->constant);
  gj_dim operands[MAX_TERMS];
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->terms[i].coefficient == INT64_MIN)
      return GJ_DIM_ERROR;
    const gj_dim *atoms;
    uint32_t count = atoms_of(dims, &p->terms[i].monomial, &atoms);
    operands[i] = product(dims, p->terms[i].coefficient, atoms, count);
    if (operands[i] == GJ_DIM_ERROR)
      return GJ_DIM_ERROR;
  }
  if (p->count == 1 && p->constant == 0)
    return operands[0];
  gj_dim_node node = {GJ_DIM_SUM, p->constant, 0, p->count, operands};
  return gj__dims_intern(dims, &node, NULL, 0);
}

// --- arithmetic ---

static gj_dim combine(gj_dims *dims, gj_dim a, gj_dim b, int64_t factor) {
  poly sum;
  unpack(dims, a, &sum);
  accumulate(dims, &sum, b, factor);
  return pack(dims, &sum);
}

gj_dim gj_dim_add(gj_dims *dims, gj_dim a, gj_dim b) { return combine(dims, a, b, 1); }

gj_dim gj_dim_sub(gj_dims *dims, gj_dim a, gj_dim b) { return combine(dims, a, b, -1); }

// The product of two monomials: their atoms merged in order.
static gj_dim multiply(gj_dims *dims, gj_dim a, gj_dim b) {
  const gj_dim *x, *y;
  uint32_t m = atoms_of(dims, &a, &x), n = atoms_of(dims, &b, &y);
  if (m + n > MAX_ATOMS)
    return GJ_DIM_ERROR;
  gj_dim merged[MAX_ATOMS];
  for (uint32_t i = 0, j = 0; i + j < m + n;) {
    bool left = j == n || (i < m && gj__dims_compare(dims, x[i], y[j]) <= 0);
    gj_dim next = left ? x[i] : y[j];
    merged[i + j] = next;
    if (left)
      i++;
    else
      j++;
  }
  return product(dims, 1, merged, m + n);
}

gj_dim gj_dim_mul(gj_dims *dims, gj_dim a, gj_dim b) {
  poly x, y, result;
  begin(&result, 0);
  unpack(dims, a, &x);
  unpack(dims, b, &y);
  if (x.failed || y.failed)
    return GJ_DIM_ERROR;
  accumulate(dims, &result, a, y.constant);
  for (uint32_t j = 0; j < y.count; j++) {
    if (x.constant != 0) {
      int64_t scaled;
      if (!gj_mul_i64(x.constant, y.terms[j].coefficient, &scaled))
        return GJ_DIM_ERROR;
      add_term(&result, y.terms[j].monomial, scaled);
    }
    for (uint32_t i = 0; i < x.count; i++) {
      int64_t coefficient;
      if (!gj_mul_i64(x.terms[i].coefficient, y.terms[j].coefficient, &coefficient))
        return GJ_DIM_ERROR;
      add_term(&result, multiply(dims, x.terms[i].monomial, y.terms[j].monomial), coefficient);
    }
  }
  return pack(dims, &result);
}

// b ≠ 0 and not (INT64_MIN, -1).
int64_t gj__floor_divide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a < 0 ? -a : a;
}

static gj_dim atom(gj_dims *dims, gj_dim_kind kind, gj_dim a, gj_dim b) {
  if (a == GJ_DIM_ERROR || b == GJ_DIM_ERROR)
    return GJ_DIM_ERROR;
  gj_dim operands[2] = {a, b};
  gj_dim_node node = {kind, 0, 0, 2, operands};
  return gj__dims_intern(dims, &node, NULL, 0);
}

// floor(p / b) for a number b > 0. Multiples of b leave the division: floor((q·b + r) / b) = q +
// floor(r / b). The rest is divided by common factors, floor((g·x + c) / (g·b)) = floor((x +
// floor(c / g)) / b), and a division inside is merged: floor((floor(x / c) + k) / b) = floor((x +
// c·k) / (c·b)).
static gj_dim divide_by_number(gj_dims *dims, poly *p, int64_t b) {
  poly whole;
  begin(&whole, gj__floor_divide(p->constant, b));
  p->constant %= b;
  if (p->constant < 0)
    p->constant += b;
  int64_t common = b;
  for (uint32_t i = 0; i < p->count; i++) {
    term *t = &p->terms[i];
    add_term(&whole, t->monomial, t->coefficient / b);
    t->coefficient %= b;
    common = gcd(common, t->coefficient);
  }
  tidy(dims, p);
  if (p->count == 0)
    return pack(dims, &whole); // the constant left over is in [0, b)
  b /= common;
  p->constant = gj__floor_divide(p->constant, common);
  for (uint32_t i = 0; i < p->count; i++)
    p->terms[i].coefficient /= common;
  gj_dim_node inner = gj_dim_get(dims, p->terms[0].monomial);
  int64_t divisor, scaled, merged;
  gj_dim quotient;
  if (p->count == 1 && p->terms[0].coefficient == 1 && inner.kind == GJ_DIM_FLOORDIV &&
      gj_dim_value(dims, inner.operands[1], &divisor) && gj_mul_i64(divisor, b, &merged) &&
      gj_mul_i64(divisor, p->constant, &scaled)) {
    gj_dim numerator = gj_dim_add(dims, inner.operands[0], gj_dim_const(dims, scaled));
    quotient = gj_dim_floordiv(dims, numerator, merged);
  } else
    quotient = atom(dims, GJ_DIM_FLOORDIV, pack(dims, p), b);
  accumulate(dims, &whole, quotient, 1);
  return pack(dims, &whole);
}

// The exact quotient of two monomials into `out`, or false. A monomial divided by itself is 1.
static bool divide_monomial(gj_dims *dims, term t, term by, poly *out) {
  const gj_dim *x, *y;
  uint32_t m = atoms_of(dims, &t.monomial, &x), n = atoms_of(dims, &by.monomial, &y);
  gj_dim left[MAX_ATOMS];
  uint32_t count = 0, j = 0;
  for (uint32_t i = 0; i < m; i++) {
    if (j < n && x[i] == y[j])
      j++;
    else
      left[count++] = x[i];
  }
  if (j < n || t.coefficient % by.coefficient != 0)
    return false;
  int64_t coefficient = t.coefficient / by.coefficient;
  if (count == 0)
    add_constant(out, coefficient);
  else
    add_term(out, product(dims, 1, left, count), coefficient);
  return true;
}

gj_dim gj_dim_floordiv(gj_dims *dims, gj_dim a, gj_dim b) {
  poly x, y;
  unpack(dims, a, &x);
  unpack(dims, b, &y);
  if (x.failed || y.failed || b == 0)
    return GJ_DIM_ERROR;
  if (a == b)
    return 1;
  if (y.count == 0 && y.constant > 0)
    return divide_by_number(dims, &x, y.constant);
  if (y.count == 0) // a negative number: floor(a / b) = floor(-a / -b)
    return gj_dim_floordiv(dims, gj_dim_sub(dims, 0, a), gj_dim_sub(dims, 0, b));
  // n·m / m is n. Where m is 0 the division has no value, so nothing that has one changes.
  poly exact;
  begin(&exact, 0);
  bool divides = y.count == 1 && y.constant == 0 && x.constant == 0;
  for (uint32_t i = 0; divides && i < x.count; i++)
    divides = divide_monomial(dims, x.terms[i], y.terms[0], &exact);
  return divides ? pack(dims, &exact) : atom(dims, GJ_DIM_FLOORDIV, a, b);
}

// True when `d` cannot be negative; false when it may be or nobody knows.
bool gj__dim_never_negative(const gj_dims *dims, gj_dim d) {
  gj_dim_node node = gj_dim_get(dims, d);
  if (node.kind == GJ_DIM_SYMBOL)
    return true;
  if (node.kind == GJ_DIM_MAXIMUM)
    return gj__dim_never_negative(dims, node.operands[0]) ||
           gj__dim_never_negative(dims, node.operands[1]);
  bool result = node.value >= 0;
  for (uint32_t i = 0; result && i < node.operand_count; i++)
    result = gj__dim_never_negative(dims, node.operands[i]);
  return result;
}

static bool poly_never_negative(const gj_dims *dims, const poly *p) {
  bool result = !p->failed && p->constant >= 0;
  for (uint32_t i = 0; result && i < p->count; i++)
    result = p->terms[i].coefficient == 0 ||
             (p->terms[i].coefficient > 0 && gj__dim_never_negative(dims, p->terms[i].monomial));
  return result;
}

gj_dim gj_dim_max(gj_dims *dims, gj_dim a, gj_dim b) {
  if (!gj_dim_is_valid(dims, a) || !gj_dim_is_valid(dims, b))
    return GJ_DIM_ERROR;
  poly difference;
  unpack(dims, a, &difference);
  accumulate(dims, &difference, b, -1);
  if (poly_never_negative(dims, &difference))
    return a;
  unpack(dims, b, &difference);
  accumulate(dims, &difference, a, -1);
  if (poly_never_negative(dims, &difference))
    return b;
  return gj__dims_compare(dims, a, b) < 0 ? atom(dims, GJ_DIM_MAXIMUM, a, b)
                                          : atom(dims, GJ_DIM_MAXIMUM, b, a);
}

gj_dim gj_dim_min(gj_dims *dims, gj_dim a, gj_dim b) {
  gj_dim larger = gj_dim_max(dims, a, b);
  if (larger == a || larger == b)
    return larger == a ? b : a;
  return gj_dim_sub(dims, gj_dim_add(dims, a, b), larger);
}

// --- values ---

// result ∘= the values of all operands, ∘ being + or ·.
static bool fold(const gj_dims *dims, const gj_dim_node *node, const int64_t *symbol_values,
                 int64_t *result) {
  for (uint32_t i = 0; i < node->operand_count; i++) {
    int64_t value;
    if (!gj_dim_eval(dims, node->operands[i], symbol_values, &value))
      return false;
    if (node->kind == GJ_DIM_SUM ? !gj_add_i64(*result, value, result)
                                 : !gj_mul_i64(*result, value, result))
      return false;
  }
  return true;
}

bool gj_dim_eval(const gj_dims *dims, gj_dim d, const int64_t *symbol_values, int64_t *out_value) {
  if (!gj_dim_is_valid(dims, d))
    return false;
  gj_dim_node node = gj_dim_get(dims, d);
  int64_t result = node.value, a, b;
  switch (node.kind) {
  case GJ_DIM_CONST:
    break;
  case GJ_DIM_SYMBOL:
    result = symbol_values[node.symbol];
    break;
  case GJ_DIM_SUM:
  case GJ_DIM_PRODUCT:
    if (!fold(dims, &node, symbol_values, &result))
      return false;
    break;
  case GJ_DIM_FLOORDIV:
  case GJ_DIM_MAXIMUM:
    if (!gj_dim_eval(dims, node.operands[0], symbol_values, &a) ||
        !gj_dim_eval(dims, node.operands[1], symbol_values, &b))
      return false;
    if (node.kind == GJ_DIM_FLOORDIV && (b == 0 || (a == INT64_MIN && b == -1)))
      return false;
    result = node.kind == GJ_DIM_MAXIMUM ? (a > b ? a : b) : gj__floor_divide(a, b);
    break;
  }
  *out_value = result;
  return true;
}
