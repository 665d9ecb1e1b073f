// Sizes known at run time: a dimension is a number or an expression over symbols.
//
// A gj_dim ≥ 0 is a number; a gj_dim < 0 names an expression in a gj_dims table. Expressions are
// kept in one canonical form, a sum of products of atoms with integer coefficients, and
// hash-consed, so two dims of one table are equal exactly when their values are the same int64: n +
// m is m + n, 2·n - n is n. Atoms are symbols, floor divisions, and max of two dims. The order of
// terms depends on names only, so text is the same whatever was interned before. Symbols are sizes:
// simplification takes them as ≥ 0. Arithmetic on dims never fails silently: an overflow, an
// expression beyond the limits of dims.c (size and nesting, so that walks stay cheap) or a bad
// argument gives GJ_DIM_ERROR, which absorbs further arithmetic.
#ifndef GJ_IR_DIMS_DIMS_H
#define GJ_IR_DIMS_DIMS_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t gj_dim;
typedef struct gj_dims gj_dims;

#define GJ_DIM_ERROR INT64_MIN
// No dimension, element count or byte size may exceed this (2^47: the address space of a process).
#define GJ_DIM_MAX ((gj_dim)1 << 47)

gj_dims *gj_dims_new(void);                  // NULL when out of memory
gj_dims *gj_dims_clone(const gj_dims *dims); // same gj_dim values mean the same in the copy
void gj_dims_free(gj_dims *dims);

static inline bool gj_dim_is_const(gj_dim d) { return d >= 0; }
// True for a number or an expression of this table; false for GJ_DIM_ERROR and foreign values.
bool gj_dim_is_valid(const gj_dims *dims, gj_dim d);

// The symbol of that name ([A-Za-z_][A-Za-z0-9_]*, at most 63 bytes), made when new.
gj_dim gj_dim_symbol(gj_dims *dims, const char *name, size_t length);
size_t gj_dims_symbol_count(const gj_dims *dims);
const char *gj_dims_symbol_name(const gj_dims *dims, size_t symbol);
// The number of the symbol when `d` is a bare symbol, else -1.
int gj_dim_as_symbol(const gj_dims *dims, gj_dim d);

// Arithmetic. Constants inside may be negative (n - 2), so intermediate values are signed; a
// constant result that is negative cannot be expressed as a number and is interned as an
// expression.
gj_dim gj_dim_const(gj_dims *dims, int64_t value);
gj_dim gj_dim_add(gj_dims *dims, gj_dim a, gj_dim b);
gj_dim gj_dim_sub(gj_dims *dims, gj_dim a, gj_dim b);
gj_dim gj_dim_mul(gj_dims *dims, gj_dim a, gj_dim b);
gj_dim gj_dim_floordiv(gj_dims *dims, gj_dim a,
                       gj_dim b); // exact where it divides evenly: (4·n)/4 = n
gj_dim gj_dim_max(gj_dims *dims, gj_dim a, gj_dim b);
gj_dim gj_dim_min(gj_dims *dims, gj_dim a, gj_dim b); // a + b - max(a, b) where neither is known

// True and the value when `d` is a constant of either sign.
bool gj_dim_value(const gj_dims *dims, gj_dim d, int64_t *out_value);

// The value of `d` for the given values of all symbols; false on overflow or division by zero.
bool gj_dim_eval(const gj_dims *dims, gj_dim d, const int64_t *symbol_values, int64_t *out_value);

// --- computed sizes (computed.c) ---
//
// A symbol may stand for a size that a run finds out, between 0 and a bound.

// Says so of a symbol. False when it has another bound, when the bound has none or names the symbol
// itself, and when out of memory.
bool gj_dims_compute(gj_dims *dims, gj_dim symbol, gj_dim bound);
// Whether such a symbol is in `d`.
bool gj_dim_is_computed(const gj_dims *dims, gj_dim d);
// The most and the least that `d` can be whatever computed sizes are, without them; GJ_DIM_ERROR
// when no such bound is found.
gj_dim gj_dim_most(gj_dims *dims, gj_dim d);
gj_dim gj_dim_least(gj_dims *dims, gj_dim d);
// Whether it is known that `d` is not negative, whatever computed sizes are.
bool gj_dim_never_negative(gj_dims *dims, gj_dim d);
// Both as numbers, for the given values of all other symbols; false on overflow, division by zero,
// and where no bound is found.
bool gj_dim_range(const gj_dims *dims, gj_dim d, const int64_t *symbol_values, int64_t *out_lo,
                  int64_t *out_hi);

// Walks an expression: its canonical structure, for lowering it to Loop IR.
typedef enum gj_dim_kind {
  GJ_DIM_CONST,    // value
  GJ_DIM_SYMBOL,   // symbol
  GJ_DIM_SUM,      // value (constant term) + Σ terms
  GJ_DIM_PRODUCT,  // value (coefficient) · Π operands
  GJ_DIM_FLOORDIV, // operands[0] / operands[1]
  GJ_DIM_MAXIMUM   // max(operands[0], operands[1])
} gj_dim_kind;

typedef struct gj_dim_node {
  gj_dim_kind kind;
  int64_t value;
  uint32_t symbol;
  uint32_t operand_count;
  const gj_dim *operands; // terms of a sum are products, atoms or symbols
} gj_dim_node;

gj_dim_node gj_dim_get(const gj_dims *dims, gj_dim d);

// Text: "n", "n + 2*m", "max(n - 2, 0)", "(n + 1)/2". Parsing accepts + - * / max, parentheses
// (nesting limited), numbers and names, and stops at the first character it cannot use; *text moves
// behind it.
void gj_dim_print(const gj_dims *dims, gj_dim d, gj_strbuf *out);
gj_dim gj_dim_parse(gj_dims *dims, const char **text, const char *end, gj_error *err);

#endif
