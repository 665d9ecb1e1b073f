// The reference meaning of every elementwise op on one element.
//
// Float functions compute in a wider type than their operands and round once: f32 in double, f64 in
// the host's long double, halves as f32 whose result is rounded to the half type. Where long double
// has more bits than double (x86-64, and quadruple precision on arm64 Linux) the result is almost
// always the correctly rounded one. add, sub, mul, div and sqrt of f64 are done in double, which
// IEEE 754 rounds correctly; their f32 results are correctly rounded because double has more than
// twice the bits of float. Integers compute modulo 2^64 as unsigned and wrap.

#include "ops/scalar.h"

#include <math.h>
#include <string.h>

typedef gj_scalar eval_fn(const gj_scalar *args, gj_dtype dtype);

// A double as the result of an op of a float type.
static gj_scalar float_of(gj_dtype dtype, double value) {
  return (gj_scalar){.dtype = dtype, .v.f = gj__scalar_result(dtype, value)};
}

static gj_scalar int_of(gj_dtype dtype, uint64_t bits) {
  return (gj_scalar){.dtype = dtype, .v.u = gj__scalar_wrap(dtype, bits)};
}

static gj_scalar truth(bool value) { return (gj_scalar){.dtype = GJ_DTYPE_bool, .v.u = value}; }

static bool is_float(gj_scalar s) { return gj_dtype_is_float(s.dtype); }
static bool is_signed(gj_scalar s) { return gj_dtype_get(s.dtype)->kind == GJ_KIND_INT; }
static unsigned width(gj_scalar s) { return gj_dtype_get(s.dtype)->bits; }

// --- sign and rounding ---

static gj_scalar eval_neg(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return is_float(*a) ? (gj_scalar){.dtype = a->dtype, .v.f = -a->v.f}
                      : int_of(a->dtype, 0 - a->v.u);
}

static gj_scalar eval_abs(const gj_scalar *a, gj_dtype dtype) {
  if (is_float(*a))
    return (gj_scalar){.dtype = a->dtype, .v.f = fabs(a->v.f)};
  return is_signed(*a) && a->v.i < 0 ? eval_neg(a, dtype) : *a;
}

static gj_scalar eval_sign(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  if (is_float(*a))
    return a->v.f > 0 ? float_of(a->dtype, 1) : a->v.f < 0 ? float_of(a->dtype, -1) : *a;
  if (is_signed(*a) && a->v.i < 0)
    return int_of(a->dtype, UINT64_MAX);
  return int_of(a->dtype, a->v.u != 0);
}

static gj_scalar eval_floor(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return float_of(a->dtype, floor(a->v.f));
}

static gj_scalar eval_ceil(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return float_of(a->dtype, ceil(a->v.f));
}

static gj_scalar eval_trunc(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return float_of(a->dtype, trunc(a->v.f));
}

// Spelled out, so that it does not depend on the rounding mode of the host.
static gj_scalar eval_round_even(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  double x = a->v.f, below = floor(x), part = x - below;
  if (!(fabs(x) < 0x1p52))
    return *a;
  bool up = part > 0.5 || (part == 0.5 && fmod(below, 2) != 0);
  return float_of(a->dtype, copysign(up ? below + 1 : below, x));
}

static gj_scalar eval_same(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return *a;
}

static gj_scalar eval_sqrt(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return float_of(a->dtype, sqrt(a->v.f));
}

// --- elementary functions ---

// f64 through the long double function, others through the double one.
#define UNARY_MATH(op)                                                                             \
  static gj_scalar eval_##op(const gj_scalar *a, gj_dtype dtype) {                                 \
    (void)dtype;                                                                                   \
    return float_of(a->dtype,                                                                      \
                    a->dtype != GJ_DTYPE_f64 ? op(a->v.f) : (double)op##l((long double)a->v.f));   \
  }
// Some results are numbers whatever the other operand is; the C library excepts signalling NaNs.
static double quiet(double x) { return isnan(x) ? NAN : x; }

#define BINARY_MATH(op)                                                                            \
  static gj_scalar eval_##op(const gj_scalar *a, gj_dtype dtype) {                                 \
    (void)dtype;                                                                                   \
    return float_of(a->dtype, a->dtype != GJ_DTYPE_f64                                             \
                                  ? op(quiet(a[0].v.f), quiet(a[1].v.f))                           \
                                  : (double)op##l((long double)a[0].v.f, (long double)a[1].v.f));  \
  }
UNARY_MATH(cbrt)
UNARY_MATH(exp)
UNARY_MATH(exp2)
UNARY_MATH(expm1)
UNARY_MATH(log)
UNARY_MATH(log2)
UNARY_MATH(log10)
UNARY_MATH(log1p)
UNARY_MATH(sin)
UNARY_MATH(cos)
UNARY_MATH(tan)
UNARY_MATH(asin)
UNARY_MATH(acos)
UNARY_MATH(atan)
UNARY_MATH(sinh)
UNARY_MATH(cosh)
UNARY_MATH(tanh)
UNARY_MATH(asinh)
UNARY_MATH(acosh)
UNARY_MATH(atanh)
UNARY_MATH(erf)
UNARY_MATH(erfc)
UNARY_MATH(lgamma)
BINARY_MATH(atan2)
BINARY_MATH(hypot)
#undef UNARY_MATH
#undef BINARY_MATH

// --- bits and tests ---

static gj_scalar eval_not(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return int_of(a->dtype, ~a->v.u);
}

static gj_scalar eval_is_nan(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(isnan(a->v.f));
}

static gj_scalar eval_is_finite(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(isfinite(a->v.f));
}

static gj_scalar eval_popcount(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  uint64_t count = 0;
  for (unsigned i = 0; i < width(*a); i++)
    count += a->v.u >> i & 1;
  return int_of(a->dtype, count);
}

static gj_scalar eval_clz(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  uint64_t count = 0;
  while (count < width(*a) && !(a->v.u >> (width(*a) - 1 - count) & 1))
    count++;
  return int_of(a->dtype, count);
}

// --- arithmetic ---

static gj_scalar eval_add(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return is_float(*a) ? float_of(a->dtype, a[0].v.f + a[1].v.f)
                      : int_of(a->dtype, a[0].v.u + a[1].v.u);
}

static gj_scalar eval_sub(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return is_float(*a) ? float_of(a->dtype, a[0].v.f - a[1].v.f)
                      : int_of(a->dtype, a[0].v.u - a[1].v.u);
}

static gj_scalar eval_mul(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return is_float(*a) ? float_of(a->dtype, a[0].v.f * a[1].v.f)
                      : int_of(a->dtype, a[0].v.u * a[1].v.u);
}

static gj_scalar eval_div(const gj_scalar *a, gj_dtype dtype) {
  if (is_float(*a))
    return float_of(a->dtype, a[0].v.f / a[1].v.f);
  if (a[1].v.u == 0)
    return int_of(a->dtype, UINT64_MAX);
  if (!is_signed(*a))
    return int_of(a->dtype, a[0].v.u / a[1].v.u);
  // Dividing by -1 is negation, which wraps for the least integer where the division would trap.
  return a[1].v.i == -1 ? eval_neg(a, dtype) : int_of(a->dtype, (uint64_t)(a[0].v.i / a[1].v.i));
}

static gj_scalar eval_rem(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  if (is_float(*a))
    return float_of(a->dtype, fmod(a[0].v.f, a[1].v.f));
  if (a[1].v.u == 0)
    return a[0];
  if (!is_signed(*a))
    return int_of(a->dtype, a[0].v.u % a[1].v.u);
  return int_of(a->dtype, a[1].v.i == -1 ? 0 : (uint64_t)(a[0].v.i % a[1].v.i));
}

static gj_scalar int_pow(const gj_scalar *a) {
  uint64_t result = 1, base = a[0].v.u, exponent = a[1].v.u;
  if (is_signed(*a) && a[1].v.i < 0) {
    if (a[0].v.i != 1 && a[0].v.i != -1)
      return int_of(a->dtype, 0);
    exponent &= 1; // ±1 to a negative power depends on its parity only
  }
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return int_of(a->dtype, result);
}

static gj_scalar eval_pow(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  if (!is_float(*a))
    return int_pow(a);
  double x = quiet(a[0].v.f), y = quiet(a[1].v.f);
  // glibc's powl gives inf for powl(-inf, -0x1p63); zeros and infinities need no extra precision.
  bool plain = a->dtype != GJ_DTYPE_f64 || isinf(x) || x == 0;
  return float_of(a->dtype, plain ? pow(x, y) : (double)powl(x, y));
}

// True when x stands before y in the order of min and max: -0 before +0, numbers as usual.
static bool before(gj_scalar x, gj_scalar y) {
  if (is_float(x))
    return x.v.f < y.v.f || (x.v.f == y.v.f && signbit(x.v.f) && !signbit(y.v.f));
  return is_signed(x) ? x.v.i < y.v.i : x.v.u < y.v.u;
}

static bool not_a_number(gj_scalar s) { return is_float(s) && isnan(s.v.f); }

static gj_scalar eval_min(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  if (not_a_number(a[0]) || not_a_number(a[1]))
    return not_a_number(a[0]) ? a[0] : a[1];
  return before(a[1], a[0]) ? a[1] : a[0];
}

static gj_scalar eval_max(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  if (not_a_number(a[0]) || not_a_number(a[1]))
    return not_a_number(a[0]) ? a[0] : a[1];
  return before(a[0], a[1]) ? a[1] : a[0];
}

static gj_scalar eval_fma(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  double x = a[0].v.f, y = a[1].v.f, z = a[2].v.f;
  if (a->dtype != GJ_DTYPE_f64)
    return float_of(a->dtype, fmaf((float)x, (float)y, (float)z));
  return float_of(a->dtype, fma(x, y, z));
}

// --- logic and shifts ---

static gj_scalar eval_and(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return int_of(a->dtype, a[0].v.u & a[1].v.u);
}

static gj_scalar eval_or(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return int_of(a->dtype, a[0].v.u | a[1].v.u);
}

static gj_scalar eval_xor(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return int_of(a->dtype, a[0].v.u ^ a[1].v.u);
}

static gj_scalar eval_shl(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  // A negative count is a huge one when read as unsigned.
  return int_of(a->dtype, a[1].v.u < width(*a) ? a[0].v.u << a[1].v.u : 0);
}

static gj_scalar eval_shr(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  bool negative = is_signed(*a) && a[0].v.i < 0;
  if (a[1].v.u >= width(*a))
    return int_of(a->dtype, negative ? UINT64_MAX : 0);
  // The complement of a negative number shifts in zeros, which become sign bits again.
  return int_of(a->dtype, negative ? ~(~a[0].v.u >> a[1].v.u) : a[0].v.u >> a[1].v.u);
}

// --- comparison and choice ---

static bool less(gj_scalar x, gj_scalar y) {
  if (is_float(x))
    return x.v.f < y.v.f;
  return is_signed(x) ? x.v.i < y.v.i : x.v.u < y.v.u;
}

static bool equal(gj_scalar x, gj_scalar y) {
  return is_float(x) ? x.v.f == y.v.f : x.v.u == y.v.u;
}

static gj_scalar eval_eq(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(equal(a[0], a[1]));
}

static gj_scalar eval_ne(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(!equal(a[0], a[1]));
}

static gj_scalar eval_lt(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(less(a[0], a[1]));
}

static gj_scalar eval_le(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(less(a[0], a[1]) || equal(a[0], a[1]));
}

static gj_scalar eval_gt(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(less(a[1], a[0]));
}

static gj_scalar eval_ge(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return truth(less(a[1], a[0]) || equal(a[0], a[1]));
}

static gj_scalar eval_select(const gj_scalar *a, gj_dtype dtype) {
  (void)dtype;
  return a[0].v.u != 0 ? a[1] : a[2];
}

// --- conversion ---

// Truncates towards zero and saturates; NaN gives 0.
static gj_scalar float_to_int(double x, gj_dtype dtype) {
  const gj_dtype_info *info = gj_dtype_get(dtype);
  bool to_signed = info->kind == GJ_KIND_INT;
  gj_scalar s = {.dtype = dtype};
  double limit = ldexp(1, info->bits - to_signed), whole = trunc(x);
  if (isnan(x))
    return s;
  if (whole >= limit)
    s.v.u = gj__scalar_greatest(dtype);
  else if (whole < (to_signed ? -limit : 0))
    s.v.i = gj__scalar_least(dtype);
  else if (to_signed)
    s.v.i = (int64_t)whole;
  else
    s.v.u = (uint64_t)whole;
  return s;
}

// An integer as a double; where that has too few digits, the lowest one left says that something
// other than zeros is missing, so that rounding to much fewer digits is right.
static double sticky(gj_scalar a) {
  bool negative = is_signed(a) && a.v.i < 0;
  uint64_t magnitude = negative ? 0 - a.v.u : a.v.u, lost = magnitude & 0x7FF;
  if (magnitude >> 53 != 0 && lost != 0)
    magnitude = (magnitude ^ lost) | 0x800;
  return negative ? -(double)magnitude : (double)magnitude;
}

// Straight from the integer to the float type: through a double, f32 would be rounded twice.
static gj_scalar int_to_float(gj_scalar a, gj_dtype dtype) {
  gj_scalar s = {.dtype = dtype};
  if (gj_dtype_is_half(dtype))
    s.v.f = gj__scalar_nearest(dtype, sticky(a));
  else if (dtype == GJ_DTYPE_f32)
    s.v.f = is_signed(a) ? (float)a.v.i : (float)a.v.u;
  else
    s.v.f = is_signed(a) ? (double)a.v.i : (double)a.v.u;
  return s;
}

static gj_scalar eval_convert(const gj_scalar *a, gj_dtype dtype) {
  if (dtype == GJ_DTYPE_bool)
    return truth(is_float(*a) ? a->v.f != 0 : a->v.u != 0);
  if (is_float(*a) && gj_dtype_is_float(dtype)) // rounded once, halves too
    return (gj_scalar){.dtype = dtype, .v.f = gj__scalar_nearest(dtype, a->v.f)};
  if (is_float(*a))
    return float_to_int(a->v.f, dtype);
  return gj_dtype_is_float(dtype) ? int_to_float(*a, dtype) : int_of(dtype, a->v.u);
}

static gj_scalar eval_bitcast(const gj_scalar *a, gj_dtype dtype) {
  unsigned char bytes[8] = {0};
  gj_scalar_store(*a, bytes);
  return gj_scalar_load(dtype, bytes);
}

// --- dispatch ---

static const struct row {
  gj_op op;
  eval_fn *eval;
} rows[GJ_OP_COUNT] = {
    // Each row closes the one before it, so that GJ_EVAL, where there is one, falls into the
    // braces.
    // clang-format off
    [GJ_OP_none] = {.op = GJ_OP_none
#define GJ_OP(name, ...) }, [GJ_OP_##name] = {.op = GJ_OP_##name
#define GJ_EVAL(function) , .eval = eval_##function
#include "ops/ops.def"
    }
    // clang-format on
};

gj_scalar gj_scalar_eval(gj_op op, const gj_scalar *args, gj_dtype dtype) {
  return rows[op].eval(args, dtype);
}
