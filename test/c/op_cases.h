// Every elementwise op and dtype with adversarial operands, for tests that go through all of them.
#ifndef GJ_TEST_OP_CASES_H
#define GJ_TEST_OP_CASES_H

#include "check.h"
#include "loops/loops.h"

#include <math.h>

enum { MAX_VALUES = 64, MAX_COUNT = 4096 };

// --- operands ---

static inline size_t float_values(gj_dtype dtype, gj_scalar *out) {
  static const double values[] = {
      0.0,     -0.0,        1.0,      -1.0,           0.5,      -0.5,     1.5,
      2.5,     -2.5,        3.0,      -7.0,           0.1,      -0.3,     1e-3,
      100.25,  127.5,       128.0,    -128.5,         -129.0,   255.5,    256.0,
      32767.5, 32768.0,     -32769.0, 65535.9,        65536.0,  1e9,      0x1p31,
      -0x1p31, -0x1p31 - 1, 0x1p32,   0x1p53,         0x1p63,   -0x1p63,  0x1p64,
      -0x1p64, 1e30,        -1e30,    0x1.fffffep127, 0x1p-126, 0x1p-149, -0x1p-140,
      20.5,    -33.25,      710.0,    -745.0,         88.5,     -104.0,   1e22};
  size_t n = 0;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    out[n++] = (gj_scalar){dtype, {.f = gj__scalar_nearest(dtype, values[i])}};
  out[n++] = (gj_scalar){dtype, {.f = INFINITY}};
  out[n++] = (gj_scalar){dtype, {.f = -INFINITY}};
  out[n++] = (gj_scalar){dtype, {.f = NAN}};
  if (dtype == GJ_DTYPE_f64) {
    static const double more[] = {1e300, -0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 1e-310};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
      out[n++] = (gj_scalar){dtype, {.f = more[i]}};
  }
  return n;
}

static inline size_t values_of(gj_dtype dtype, gj_scalar *out) {
  if (gj_dtype_is_float(dtype))
    return float_values(dtype, out);
  if (dtype == GJ_DTYPE_bool) {
    out[0] = (gj_scalar){dtype, {.u = 0}};
    out[1] = (gj_scalar){dtype, {.u = 1}};
    return 2;
  }
  unsigned bits = gj_dtype_get(dtype)->bits;
  uint64_t top = (uint64_t)1 << (bits - 1);
  uint64_t values[] = {0,
                       1,
                       2,
                       3,
                       5,
                       7,
                       10,
                       100,
                       bits - 1,
                       bits,
                       bits + 1,
                       top,
                       top - 1,
                       top + 1,
                       top - 2,
                       (uint64_t)-1,
                       (uint64_t)-2,
                       (uint64_t)-3,
                       (uint64_t)-7,
                       (uint64_t)-100,
                       (uint64_t)0 - bits,
                       0x5555555555555555u,
                       0x0123456789abcdefu,
                       0x0f0f0f0f0f0f0f0fu};
  size_t n = sizeof values / sizeof values[0];
  for (size_t i = 0; i < n; i++)
    out[i] = gj_scalar_load(dtype, &values[i]);
  return n;
}

// --- one case ---

typedef struct op_case {
  gj_op op;
  gj_dtype args[3], result;
  unsigned arity;
} op_case;

// Operands as arrays in memory; the count is a multiple of every vector width.
static unsigned char operands[3][MAX_COUNT * 8];
static gj_scalar scalars[3][MAX_COUNT];

static uint64_t random_state = 88172645463325252u;
static inline size_t random_below(size_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state >> 11) % n;
}

// All pairs of the first two operands, random thirds.
static inline size_t fill_operands(const op_case *c) {
  gj_scalar values[3][MAX_VALUES];
  size_t counts[3] = {1, 1, 1}, count = 0;
  for (unsigned k = 0; k < c->arity; k++)
    counts[k] = values_of(c->args[k], values[k]);
  size_t pairs = counts[0] * counts[1];
  for (size_t i = 0; i < pairs || i % 64 != 0; i++) {
    size_t pick[3] = {i % counts[0], i / counts[0] % counts[1], random_below(counts[2])};
    if (c->arity == 3)
      pick[0] = random_below(counts[0]);
    for (unsigned k = 0; k < c->arity; k++) {
      scalars[k][i] = values[k][pick[k]];
      gj_scalar_store(scalars[k][i], operands[k] + i * gj_dtype_bytes(c->args[k]));
    }
    count = i + 1;
  }
  return count;
}

// --- the table ---

static inline gj_dtype result_of(gj_op op, gj_dtype dtype) {
  switch (op) {
  case GJ_OP_eq:
  case GJ_OP_ne:
  case GJ_OP_lt:
  case GJ_OP_le:
  case GJ_OP_gt:
  case GJ_OP_ge:
  case GJ_OP_is_nan:
  case GJ_OP_is_finite:
    return GJ_DTYPE_bool;
  default:
    return dtype;
  }
}

typedef void visit_case(const op_case *c, void *data);

// All cases, or a share of them, at each call another one.
static inline void for_each_case(visit_case *visit, void *data) {
  static uint64_t number;
  for (gj_op op = GJ_OP_none + 1; op < GJ_OP_COUNT; op++) {
    if (!gj_op_is_elementwise(op))
      continue;
    for (gj_dtype d = GJ_DTYPE_none + 1; d < GJ_DTYPE_COUNT; d++) {
      if (!gj_loops_takes(op, d))
        continue;
      op_case c = {op, {d, d, d}, result_of(op, d), (unsigned)gj_op_get(op)->arity};
      if (op == GJ_OP_select)
        c.args[0] = GJ_DTYPE_bool;
      if (op != GJ_OP_convert && op != GJ_OP_bitcast) {
        if (check_takes(number++))
          visit(&c, data);
        continue;
      }
      for (gj_dtype to = GJ_DTYPE_none + 1; to < GJ_DTYPE_COUNT; to++) {
        bool same = op == GJ_OP_bitcast &&
                    (gj_dtype_bytes(to) != gj_dtype_bytes(d) || to == GJ_DTYPE_bool || to == d);
        if (to == d || same)
          continue;
        c.result = to;
        if (check_takes(number++))
          visit(&c, data);
      }
    }
  }
}

#endif
