// One element of any dtype, and the reference meaning of every elementwise op on it.
//
// Floats are held in `f` (f32 and halves as the double they equal), integers and bool in `i` (sign-
// or zero-extended to 64 bits). The functions behind GJ_EVAL in ops.def are here; the Graph IR
// evaluator, the Loop IR evaluator and constant folding use them, generated code never does.
#ifndef GJ_OPS_SCALAR_H
#define GJ_OPS_SCALAR_H

#include "ops/op.h"

typedef struct gj_scalar {
  gj_dtype dtype;
  union {
    double f;
    int64_t i; // bool, signed integers; unsigned ones as the same bits, see u
    uint64_t u;
  } v;
} gj_scalar;

gj_scalar gj_scalar_load(gj_dtype dtype, const void *element); // of a bool: any byte but 0 is true
void gj_scalar_store(gj_scalar value, void *element);          // writes gj_dtype_bytes() bytes
bool gj_scalar_same_bits(gj_scalar a, gj_scalar b);            // any two NaNs are the same

// From a JS number. Floats round to nearest; false when an integer type or bool cannot hold the
// value exactly.
bool gj_scalar_from_double(gj_dtype dtype, double value, gj_scalar *out);

// The number of a float type nearest to `value`; a NaN keeps what it can of its payload.
double gj__scalar_nearest(gj_dtype dtype, double value);
// What an op of a float type makes of its exact result: the number nearest in the type it computes
// in, and of that the nearest in the type itself.
double gj__scalar_result(gj_dtype dtype, double value);

// `bits` cut to the width of an integer type or bool and sign- or zero-extended back to 64 bits.
uint64_t gj__scalar_wrap(gj_dtype dtype, uint64_t bits);
// The range of an integer type or bool.
int64_t gj__scalar_least(gj_dtype dtype);
uint64_t gj__scalar_greatest(gj_dtype dtype);

// op on its operands; `dtype` is the result type (meaningful for convert and bitcast, checked
// otherwise by the caller). `op` must be elementwise.
gj_scalar gj_scalar_eval(gj_op op, const gj_scalar *args, gj_dtype dtype);
// The same for the ops on f64 that JavaScript's Math has with bits of its own (math/js/js.def);
// false for others. Two operands are read.
bool gj_scalar_is_js(gj_op op, gj_dtype dtype); // whether it is one of them
bool gj_scalar_eval_js(gj_op op, const gj_scalar *args, gj_scalar *out);

// The value a reduction of `dtype` starts from.
gj_scalar gj_scalar_start(gj_start start, gj_dtype dtype);

#endif
