// The plan function: what a run of given sizes needs, as code that travels with the program.
//
//   export func plan(dims: i64* readonly, sizes: i64*) -> i32
//
// dims are the values of the symbols, whatever they are. sizes[0] becomes the bytes of scratch
// memory of a run, then come the sizes of every axis of every input and of every output. The result
// is 0, or 1 + the number of the first condition (ir/conditions.h) that the dims break; then sizes
// are not touched.
//
// Sizes that a run computes itself count at the most they can be, whatever dims say of them. Where
// there are any, the sizes of every output come once more, for what dims say, so that a caller asks
// before a run how much room outputs need, and behind it how much of that is theirs.
//
// Code is for i64, which may overflow, so each value has bounds: of a symbol those that the
// conditions give it, of an expression those that follow. Where they do not exclude an overflow,
// code tests for it, as a part of the condition that is being made. Conditions that follow from
// earlier ones make no code and get no number: shapes that were met before or have fewer bytes,
// equal polynomials. Every shape with a symbol among its sizes bounds the symbol, whose first check
// is against the least of these bounds, so an elementwise function of one symbol has one condition.
#include "lower/context.h"

#include "base/hash.h"
#include "base/size.h"
#include "base/table.h"
#include "ir/conditions.h"

#include <stdlib.h>
#include <string.h>

// A size as code, and the bounds of its value.
typedef struct value {
  const gj_lexpr *code;
  int64_t lo, hi;
} value;

// Sizes but constants, in ascending order, of a shape that has been checked.
typedef struct shape {
  int64_t bytes; // of an element and all constant sizes
  uint8_t rank;
  gj_dim sizes[GJ_MAX_RANK];
} shape;

typedef struct planner {
  const gj_graph *graph; // as written
  gj_dims *dims;         // may be added to
  gj_lmodule *m;
  gj_lfunc *f;
  gj_arena scratch;
  bool out_of_memory;
  uint32_t dims_param;
  int64_t *limits; // by symbol: the largest value that passes
  bool *asked;     // by symbol: it has been checked
  gj_dim *known;   // sizes with a value, which stand in values
  value *values;
  uint32_t known_count, known_capacity;
  gj_table known_index;
  shape *shapes;
  uint32_t shape_count, shape_capacity;
  gj_table shape_index;
  bool found;            // sizes that a run computes are what dims say, not their most
  const gj_lexpr *wrong; // what breaks the condition being made, or NULL
  const char **checks;
  uint32_t check_count, check_capacity;
} planner;

static const gj_lexpr *number(planner *p, int64_t n) { return gj_lx_i64(p->m, n); }

static const gj_lexpr *binary(planner *p, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(p->m, op, a, b);
}

static const gj_lexpr *let(planner *p, const char *name, const gj_lexpr *e) {
  if (e->kind == GJ_LX_CONST || e->kind == GJ_LX_LOCAL)
    return e;
  return gj_lx_local(p->m, p->f, gj_ls_let(p->m, p->f, &p->f->body, name, e));
}

// Room for one more item of an array in the arena.
static void *grow(planner *p, void *items, uint32_t count, uint32_t *capacity, size_t item_size) {
  if (count < *capacity)
    return items;
  uint32_t more = *capacity ? *capacity * 2 : 16;
  void *larger = gj_arena_array(&p->scratch, more, item_size);
  if (!larger) {
    p->out_of_memory = true;
    return NULL;
  }
  if (count)
    memcpy(larger, items, count * item_size);
  *capacity = more;
  return larger;
}

// --- conditions ---

enum { MOST_LEVELS = 32 }; // of an expression before it gets a name

static void refuse_if(planner *p, const gj_lexpr *wrong) {
  if (p->wrong)
    wrong = binary(p, GJ_OP_or, p->wrong, wrong);
  p->wrong = wrong->depth > MOST_LEVELS ? let(p, "wrong", wrong) : wrong;
}

static void refuse_below(planner *p, value v, int64_t lo) {
  if (v.lo < lo)
    refuse_if(p, binary(p, GJ_OP_lt, v.code, number(p, lo)));
}

static void refuse_above(planner *p, value v, int64_t hi) {
  if (v.hi > hi)
    refuse_if(p, binary(p, GJ_OP_gt, v.code, number(p, hi)));
}

// Ends a condition that something may break: gives it a number, and frees `text`.
static void end_condition(planner *p, gj_strbuf *text) {
  const char **checks = grow(p, p->checks, p->check_count, &p->check_capacity, sizeof *checks);
  char *kept = gj_arena_strdup(&p->m->arena, gj_strbuf_peek(text));
  if (!checks || !kept || text->failed) {
    p->out_of_memory = true;
  } else {
    p->checks = checks;
    checks[p->check_count++] = kept;
    gj_lstmt *stop = gj_ls_if(p->m, p->f, &p->f->body, p->wrong);
    gj_scalar code = {.dtype = GJ_DTYPE_i32, .v.i = p->check_count};
    gj_ls_return(p->m, p->f, &stop->body, gj_lx_const(p->m, code));
  }
  p->wrong = NULL;
  gj_strbuf_fini(text);
}

static void settle(planner *p, const gj_condition *c, int64_t limit) {
  if (!p->wrong)
    return;
  gj_strbuf text = {0};
  gj_condition_print(c, limit, &text);
  end_condition(p, &text);
}

// --- checked arithmetic ---

static value constant(planner *p, int64_t n) { return (value){number(p, n), n, n}; }

static value add(planner *p, value a, value b) {
  value sum = {let(p, "sum", binary(p, GJ_OP_add, a.code, b.code)), 0, 0};
  bool fits = gj_add_i64(a.lo, b.lo, &sum.lo);
  fits = gj_add_i64(a.hi, b.hi, &sum.hi) && fits;
  if (fits)
    return sum;
  // It overflowed when its sign is neither that of a nor that of b.
  const gj_lexpr *signs = binary(p, GJ_OP_and, binary(p, GJ_OP_xor, a.code, sum.code),
                                 binary(p, GJ_OP_xor, b.code, sum.code));
  refuse_if(p, binary(p, GJ_OP_lt, signs, number(p, 0)));
  return (value){sum.code, INT64_MIN, INT64_MAX};
}

// The bounds of all products; false when one is no i64.
static bool multiply_bounds(value a, value b, int64_t *out_lo, int64_t *out_hi) {
  int64_t ends[4];
  if (!gj_mul_i64(a.lo, b.lo, &ends[0]) || !gj_mul_i64(a.lo, b.hi, &ends[1]) ||
      !gj_mul_i64(a.hi, b.lo, &ends[2]) || !gj_mul_i64(a.hi, b.hi, &ends[3]))
    return false;
  *out_lo = *out_hi = ends[0];
  for (int i = 1; i < 4; i++) {
    *out_lo = ends[i] < *out_lo ? ends[i] : *out_lo;
    *out_hi = ends[i] > *out_hi ? ends[i] : *out_hi;
  }
  return true;
}

static value multiply(planner *p, value a, value b) {
  value product = {let(p, "product", binary(p, GJ_OP_mul, a.code, b.code)), 0, 0};
  if (multiply_bounds(a, b, &product.lo, &product.hi))
    return product;
  // Where a is not 0 the quotient is b again, unless it overflowed; -1 needs a test of its own, as
  // least / -1 is the least number once more.
  const gj_lexpr *quotient = binary(p, GJ_OP_div, product.code, a.code);
  const gj_lexpr *other = binary(p, GJ_OP_ne, quotient, b.code);
  refuse_if(p, binary(p, GJ_OP_and, binary(p, GJ_OP_ne, a.code, number(p, 0)), other));
  if (a.lo < 0)
    refuse_if(p, binary(p, GJ_OP_and, binary(p, GJ_OP_eq, a.code, number(p, -1)),
                        binary(p, GJ_OP_eq, b.code, number(p, INT64_MIN))));
  return (value){product.code, INT64_MIN, INT64_MAX};
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static value floor_divide(planner *p, value a, value b) {
  if (b.lo > 0) {
    value q = {let(p, "quotient", gj_lower_floordiv(p->m, a.code, b.code, a.lo >= 0)), 0, 0};
    q.lo = floor_of(a.lo, a.lo < 0 ? b.lo : b.hi);
    q.hi = floor_of(a.hi, a.hi < 0 ? b.hi : b.lo);
    return q;
  }
  refuse_if(p, binary(p, GJ_OP_eq, b.code, number(p, 0)));
  if (a.lo == INT64_MIN)
    refuse_if(p, binary(p, GJ_OP_and, binary(p, GJ_OP_eq, a.code, number(p, INT64_MIN)),
                        binary(p, GJ_OP_eq, b.code, number(p, -1))));
  return (value){let(p, "quotient", gj_lower_floordiv(p->m, a.code, b.code, false)), INT64_MIN,
                 INT64_MAX};
}

static value greater(planner *p, value a, value b) {
  return (value){let(p, "most", binary(p, GJ_OP_max, a.code, b.code)), a.lo > b.lo ? a.lo : b.lo,
                 a.hi > b.hi ? a.hi : b.hi};
}

// --- sizes ---

static uint32_t find_known(const planner *p, gj_dim d) {
  size_t at = 0;
  for (uint32_t k; (k = gj_table_next(&p->known_index, gj_hash_u64(0, (uint64_t)d), &at)) != 0;)
    if (p->known[k - 1] == d)
      return k;
  return 0;
}

static void keep_known(planner *p, gj_dim d, value v) {
  uint32_t capacity = p->known_capacity;
  gj_dim *known = grow(p, p->known, p->known_count, &capacity, sizeof *known);
  value *values = grow(p, p->values, p->known_count, &p->known_capacity, sizeof *values);
  if (!known || !values ||
      !gj_table_add(&p->known_index, gj_hash_u64(0, (uint64_t)d), p->known_count + 1)) {
    p->out_of_memory = true;
    return;
  }
  p->known = known;
  p->values = values;
  known[p->known_count] = d;
  values[p->known_count++] = v;
}

static value size_of(planner *p, gj_dim d);

// What dims say of a symbol that a run computes, brought into its bounds.
static value found_symbol(planner *p, gj_dim d, const gj_lexpr *load) {
  p->found = false;
  value most = size_of(p, d);
  p->found = true;
  const gj_lexpr *inside =
      binary(p, GJ_OP_min, binary(p, GJ_OP_max, load, number(p, 0)), most.code);
  return (value){let(p, "found", inside), 0, most.hi};
}

// In the order of gj_dim_eval(), so that the same sizes overflow.
static value compute(planner *p, gj_dim d) {
  gj_dim_node node = gj_dim_get(p->dims, d);
  if (node.kind == GJ_DIM_SYMBOL) {
    const gj_lexpr *dims = gj_lx_local(p->m, p->f, p->dims_param);
    const gj_lexpr *load = gj_lx_load(p->m, dims, number(p, node.symbol), 1);
    if (gj_dim_is_computed(p->dims, d))
      return found_symbol(p, d, load);
    return (value){let(p, gj_dims_symbol_name(p->dims, node.symbol), load), INT64_MIN, INT64_MAX};
  }
  value result = constant(p, node.value);
  bool sum = node.kind == GJ_DIM_SUM;
  if (node.kind == GJ_DIM_FLOORDIV)
    return floor_divide(p, size_of(p, node.operands[0]), size_of(p, node.operands[1]));
  if (node.kind == GJ_DIM_MAXIMUM)
    return greater(p, size_of(p, node.operands[0]), size_of(p, node.operands[1]));
  for (uint32_t i = 0; i < node.operand_count; i++) {
    value operand = size_of(p, node.operands[i]);
    bool neutral = i == 0 && node.value == (sum ? 0 : 1);
    result = neutral ? operand : sum ? add(p, result, operand) : multiply(p, result, operand);
  }
  return result;
}

// The value of a size; an overflow breaks the condition being made.
static value size_of(planner *p, gj_dim d) {
  if (!p->found)
    d = gj_dim_most(p->dims, d);
  if (gj_dim_is_const(d))
    return constant(p, d);
  uint32_t k = find_known(p, d);
  if (k)
    return p->values[k - 1];
  value v = compute(p, d);
  keep_known(p, d, v);
  return v;
}

// From here on the size is within bounds, since a condition asked for it.
static void narrow(planner *p, gj_dim d, int64_t lo, int64_t hi) {
  uint32_t k = find_known(p, gj_dim_most(p->dims, d));
  if (!k)
    return;
  value *v = &p->values[k - 1];
  v->lo = v->lo > lo ? v->lo : lo;
  v->hi = v->hi < hi ? v->hi : hi;
}

// --- symbols ---

static void check_symbol(planner *p, const gj_condition *c, gj_dim d, uint32_t symbol) {
  if (p->asked[symbol])
    return;
  p->asked[symbol] = true;
  value v = size_of(p, d);
  refuse_below(p, v, 0);
  refuse_above(p, v, p->limits[symbol]);
  settle(p, c, p->limits[symbol]);
  narrow(p, d, 0, p->limits[symbol]);
}

static gj_status symbol_axis(void *context, const gj_condition *c) {
  planner *p = context;
  gj_dim d = c->type->shape[c->axis];
  int symbol = gj_dim_as_symbol(p->dims, d);
  if (symbol >= 0)
    check_symbol(p, c, d, (uint32_t)symbol);
  return GJ_OK;
}

static gj_status expression_axis(void *context, const gj_condition *c) {
  planner *p = context;
  gj_dim d = c->type->shape[c->axis];
  value v = size_of(p, d);
  refuse_below(p, v, 0);
  refuse_above(p, v, GJ_DIM_MAX);
  settle(p, c, GJ_DIM_MAX);
  narrow(p, d, 0, GJ_DIM_MAX);
  return GJ_OK;
}

// --- shapes ---

static int by_dim(const void *a, const void *b) {
  gj_dim x = *(const gj_dim *)a, y = *(const gj_dim *)b;
  return (x > y) - (x < y);
}

static shape shape_of(planner *p, const gj_type *type) {
  shape s = {.bytes = (int64_t)gj_dtype_bytes(type->dtype)};
  for (uint8_t i = 0; i < type->rank; i++) {
    gj_dim d = type->shape[i];
    if (!gj_dim_is_const(d)) // the most that is computed may be a number
      s.sizes[s.rank++] = gj_dim_most(p->dims, d);
    else if (d > 0)
      s.bytes *= d; // inference has checked the product of constant sizes
  }
  qsort(s.sizes, s.rank, sizeof *s.sizes, by_dim);
  return s;
}

// Whether a shape with these sizes and as many bytes has been checked; from now on it has.
static bool met_before(planner *p, const shape *s) {
  uint64_t hash = gj_hash_bytes(0, s->sizes, s->rank * sizeof *s->sizes);
  size_t at = 0;
  for (uint32_t k; (k = gj_table_next(&p->shape_index, hash, &at)) != 0;) {
    shape *old = &p->shapes[k - 1];
    if (old->rank != s->rank || memcmp(old->sizes, s->sizes, s->rank * sizeof *s->sizes) != 0)
      continue;
    bool enough = s->bytes <= old->bytes;
    old->bytes = enough ? old->bytes : s->bytes;
    return enough;
  }
  shape *shapes = grow(p, p->shapes, p->shape_count, &p->shape_capacity, sizeof *shapes);
  if (!shapes || !gj_table_add(&p->shape_index, hash, p->shape_count + 1)) {
    p->out_of_memory = true;
    return true;
  }
  p->shapes = shapes;
  shapes[p->shape_count++] = *s;
  return false;
}

// Other sizes count as at least 1, so each shape bounds each of its symbols.
static gj_status bound_symbols(void *context, const gj_condition *c) {
  planner *p = context;
  if (c->kind != GJ_CONDITION_SHAPE)
    return GJ_OK;
  shape s = shape_of(p, c->type);
  for (uint8_t i = 0; i < s.rank; i++) {
    int symbol = gj_dim_as_symbol(p->dims, s.sizes[i]);
    if (symbol >= 0 && GJ_DIM_MAX / s.bytes < p->limits[symbol])
      p->limits[symbol] = GJ_DIM_MAX / s.bytes;
  }
  return GJ_OK;
}

// Refuses more bytes than GJ_DIM_MAX, dividing where multiplying may overflow.
static void check_bytes(planner *p, const shape *s, const value *sizes) {
  value one = {NULL, 1, 1}, total = {NULL, s->bytes, s->bytes};
  bool fits = true;
  for (uint8_t i = 0; fits && i < s->rank; i++) {
    value size = {NULL, 1, sizes[i].hi > 1 ? sizes[i].hi : one.hi};
    fits = multiply_bounds(total, size, &total.lo, &total.hi) && total.hi <= GJ_DIM_MAX;
  }
  if (fits)
    return;
  const gj_lexpr *bytes = number(p, s->bytes);
  for (uint8_t i = 0; i < s->rank; i++) {
    value v = sizes[i];
    if (i == 0)
      refuse_above(p, v, GJ_DIM_MAX / s->bytes);
    else
      refuse_if(p, binary(p, GJ_OP_gt, v.code, binary(p, GJ_OP_div, number(p, GJ_DIM_MAX), bytes)));
    if (i + 1 == s->rank)
      return;
    const gj_lexpr *least = v.lo < 1 ? binary(p, GJ_OP_max, v.code, number(p, 1)) : v.code;
    bytes = let(p, "bytes", binary(p, GJ_OP_mul, bytes, least));
  }
}

static void check_shape(planner *p, const gj_condition *c) {
  shape s = shape_of(p, c->type);
  value sizes[GJ_MAX_RANK];
  for (uint8_t i = 0; i < c->type->rank; i++)
    if (gj_dim_is_computed(p->dims, c->type->shape[i]))
      refuse_below(p, size_of(p, gj_dim_least(p->dims, c->type->shape[i])), 0);
  if (s.rank == 0 || met_before(p, &s)) {
    settle(p, c, 0);
    return;
  }
  for (uint8_t i = 0; i < s.rank; i++) {
    sizes[i] = size_of(p, s.sizes[i]);
    refuse_below(p, sizes[i], 0);
  }
  check_bytes(p, &s, sizes);
  settle(p, c, 0);
  for (uint8_t i = 0; i < s.rank; i++)
    narrow(p, s.sizes[i], 0, GJ_DIM_MAX / s.bytes);
}

// --- the other conditions ---

// Whether a - b is a number of at least `least`, as a polynomial.
static bool proved(planner *p, gj_dim a, gj_dim b, int64_t least) {
  int64_t difference;
  gj_dim d = gj_dim_sub(p->dims, a, b);
  return d != GJ_DIM_ERROR && gj_dim_value(p->dims, d, &difference) && difference >= least;
}

// Shapes have been checked, so this is an i64.
static const gj_lexpr *element_count(planner *p, const gj_type *type) {
  const gj_lexpr *count = number(p, 1);
  for (uint8_t i = 0; i < type->rank; i++)
    count = binary(p, GJ_OP_mul, count, size_of(p, type->shape[i]).code);
  return count;
}

static void check_count(planner *p, const gj_condition *c) {
  gj_dim have = gj_type_size(p->dims, c->whole), want = gj_type_size(p->dims, c->type);
  if (have != GJ_DIM_ERROR && have == want)
    return;
  refuse_if(p, binary(p, GJ_OP_ne, element_count(p, c->whole), element_count(p, c->type)));
  settle(p, c, 0);
}

// Its first or last element in the direction of the stride lies inside when the others do.
static void check_ends(planner *p, const gj_condition *c, value start, value size, value whole) {
  value step = constant(p, c->stride), less = constant(p, -1);
  value last = add(p, start, multiply(p, step, add(p, size, less)));
  value low = c->stride > 0 ? start : last, high = c->stride > 0 ? last : start;
  refuse_below(p, low, 0);
  if (high.hi >= whole.lo)
    refuse_if(p, binary(p, GJ_OP_ge, high.code, whole.code));
}

// With a stride of s, the last element is start + s · (size - 1).
static bool slice_is_inside(planner *p, const gj_condition *c) {
  gj_dim size = c->type->shape[c->axis], whole = c->whole->shape[c->axis];
  gj_dim steps = gj_dim_sub(p->dims, size, 1), stride = gj_dim_const(p->dims, c->stride);
  gj_dim last = gj_dim_add(p->dims, c->start, gj_dim_mul(p->dims, stride, steps));
  gj_dim low = c->stride > 0 ? c->start : last, high = c->stride > 0 ? last : c->start;
  return proved(p, low, 0, 0) && proved(p, whole, high, 1);
}

static void check_slice(planner *p, const gj_condition *c) {
  value size = size_of(p, c->type->shape[c->axis]), whole = size_of(p, c->whole->shape[c->axis]);
  value start = size_of(p, c->start);
  if (!slice_is_inside(p, c)) {
    const gj_lexpr *before = p->wrong;
    p->wrong = NULL;
    check_ends(p, c, start, size, whole);
    if (p->wrong && size.lo < 1)
      p->wrong = binary(p, GJ_OP_and, binary(p, GJ_OP_ne, size.code, number(p, 0)), p->wrong);
    if (before)
      refuse_if(p, before);
  }
  settle(p, c, 0);
}

static void check_window(planner *p, const gj_condition *c) {
  gj_dim window = c->type->shape[c->axis], whole = c->whole->shape[c->axis];
  if (proved(p, whole, window, 0))
    return;
  const gj_lexpr *wrong = binary(p, GJ_OP_gt, size_of(p, window).code, size_of(p, whole).code);
  if (c->taken)
    wrong =
        binary(p, GJ_OP_and, wrong, binary(p, GJ_OP_ne, element_count(p, c->taken), number(p, 0)));
  refuse_if(p, wrong);
  settle(p, c, 0);
}

static void check_equal(planner *p, const gj_condition *c) {
  value first = size_of(p, c->whole->shape[c->axis]);
  value second = size_of(p, c->type->shape[c->other]);
  refuse_if(p, binary(p, GJ_OP_ne, first.code, second.code));
  settle(p, c, 0);
}

static void check_rounds(planner *p, const gj_condition *c) {
  value count = size_of(p, c->start);
  refuse_below(p, size_of(p, gj_dim_least(p->dims, c->start)), 0);
  refuse_above(p, count, GJ_DIM_MAX);
  settle(p, c, 0);
}

static void check_extent(planner *p, const gj_condition *c) {
  value size = size_of(p, c->start);
  refuse_below(p, size_of(p, gj_dim_least(p->dims, c->start)), 1);
  refuse_above(p, size, GJ_DIM_MAX);
  settle(p, c, 0);
  narrow(p, c->start, 1, GJ_DIM_MAX);
}

static gj_status check_condition(void *context, const gj_condition *c) {
  static void (*const checks[])(planner *, const gj_condition *) = {
      [GJ_CONDITION_SHAPE] = check_shape,   [GJ_CONDITION_COUNT] = check_count,
      [GJ_CONDITION_SLICE] = check_slice,   [GJ_CONDITION_WINDOW] = check_window,
      [GJ_CONDITION_EQUAL] = check_equal,   [GJ_CONDITION_ROUNDS] = check_rounds,
      [GJ_CONDITION_EXTENT] = check_extent,
  };
  planner *p = context;
  checks[c->kind](p, c);
  return p->out_of_memory ? GJ_E_MEMORY : GJ_OK;
}

// --- the function ---

static value check_scratch(planner *p, gj_dim scratch) {
  value bytes = size_of(p, scratch);
  refuse_below(p, bytes, 0);
  refuse_above(p, bytes, GJ_DIM_MAX);
  if (p->wrong) {
    gj_strbuf text = {0};
    gj_strbuf_text(&text, "the intermediate values of a run do not fit in 2^47 bytes");
    end_condition(p, &text);
  }
  return bytes;
}

static void store_type(planner *p, const gj_lexpr *sizes, const gj_type *type, int64_t *at) {
  for (uint8_t i = 0; i < type->rank; i++)
    gj_ls_store(p->m, p->f, &p->f->body, sizes, number(p, (*at)++),
                size_of(p, type->shape[i]).code);
}

static void store_outputs(planner *p, const gj_lexpr *sizes, int64_t *at) {
  for (size_t i = 0; i < gj_graph_output_count(p->graph); i++)
    store_type(p, sizes, &gj_graph_node(p->graph, gj_graph_output(p->graph, i)->ref)->type, at);
}

static void store_sizes(planner *p, const gj_lexpr *sizes, value scratch) {
  int64_t at = 1;
  gj_ls_store(p->m, p->f, &p->f->body, sizes, number(p, 0), scratch.code);
  for (size_t i = 0; i < gj_graph_input_count(p->graph); i++)
    store_type(p, sizes, &gj_graph_node(p->graph, gj_graph_input(p->graph, i))->type, &at);
  store_outputs(p, sizes, &at);
  p->found = true;
  if (gj_graph_computes_sizes(p->graph))
    store_outputs(p, sizes, &at);
  p->wrong = NULL; // nothing overflows that does not at its most
}

static void build(planner *p, const uint8_t *needed, const uint8_t *called, gj_dim scratch_bytes) {
  gj_ltype pointer = gj_ltype_pointer(GJ_DTYPE_i64);
  p->f = gj_lfunc_new(p->m, "plan", gj_ltype_scalar(GJ_DTYPE_i32), false);
  p->f->exported = true;
  p->f->note = "sizes of a run";
  p->dims_param = gj_lfunc_param(p->m, p->f, "dims", pointer, GJ_LOCAL_READONLY);
  uint32_t sizes = gj_lfunc_param(p->m, p->f, "sizes", pointer, 0);
  gj_graph_each_condition(p->graph, needed, called, bound_symbols, p);
  gj_graph_each_axis(p->graph, symbol_axis, p);
  gj_graph_each_axis(p->graph, expression_axis, p);
  gj_graph_each_condition(p->graph, needed, called, check_condition, p);
  value scratch = check_scratch(p, scratch_bytes);
  store_sizes(p, gj_lx_local(p->m, p->f, sizes), scratch);
  gj_scalar ok = {.dtype = GJ_DTYPE_i32};
  gj_ls_return(p->m, p->f, &p->f->body, gj_lx_const(p->m, ok));
}

static bool keep_checks(planner *p, gj_lowered *out) {
  const char **checks = gj_arena_copy(&p->m->arena, p->checks, p->check_count * sizeof *p->checks);
  out->checks = checks;
  out->check_count = checks ? p->check_count : 0;
  return checks != NULL;
}

bool gj__lower_sizes(gj_lmodule *m, const gj_graph *graph, gj_dims *dims, gj_dim scratch_bytes,
                     gj_lowered *out) {
  size_t symbols = gj_dims_symbol_count(dims);
  planner p = {.graph = graph, .dims = dims, .m = m};
  gj_arena_init(&p.scratch, 0);
  p.limits = gj_arena_array(&p.scratch, symbols + 1, sizeof *p.limits);
  p.asked = gj_arena_array(&p.scratch, symbols + 1, sizeof *p.asked);
  uint8_t *needed = gj_arena_array(&p.scratch, gj_graph_node_count(graph) + 1, 1);
  uint8_t *called = gj_arena_array(&p.scratch, gj_graph_function_count(graph) + 1, 1);
  bool ok = p.limits && p.asked && needed && called;
  for (size_t i = 0; ok && i < symbols; i++)
    p.limits[i] = GJ_DIM_MAX;
  if (ok) {
    gj_graph_mark_needed(graph, needed);
    gj_graph_mark_called(graph, needed, called);
    build(&p, needed, called, scratch_bytes);
    ok = !p.out_of_memory && keep_checks(&p, out);
  }
  gj_table_fini(&p.known_index);
  gj_table_fini(&p.shape_index);
  gj_arena_fini(&p.scratch);
  return ok;
}
