// Values as unsigned keys of the same order, and back.
//
// The bits of a float of sign 0 order as integers do, those of sign 1 the other way round (IEEE
// 754, 5.10), so negative ones are turned over and the others get the highest bit. Tests are made
// on the bits, which no mode of arithmetic takes liberties with.
#include "lower/kernels/sort/sort.h"

static const gj_lexpr *binary(gj__lower *l, gj_op op, const gj_lexpr *a, const gj_lexpr *b) {
  return gj_lx_binary(l->m, op, a, b);
}

static const gj_lexpr *bits(gj__lower *l, gj_dtype dtype, uint64_t value) {
  gj_scalar scalar = {.dtype = dtype};
  scalar.v.u = gj__scalar_wrap(dtype, value);
  return gj_lx_const(l->m, scalar);
}

gj_dtype gj__key_dtype(gj_dtype dtype) {
  static const gj_dtype of_bytes[] = {
      [1] = GJ_DTYPE_u8, [2] = GJ_DTYPE_u16, [4] = GJ_DTYPE_u32, [8] = GJ_DTYPE_u64};
  return of_bytes[gj_dtype_bytes(dtype)];
}

static uint64_t sign_bit(gj_dtype dtype) { return UINT64_C(1) << (gj_dtype_get(dtype)->bits - 1); }

// All bits of the exponent.
static uint64_t infinity(gj_dtype dtype) {
  static const uint8_t fraction_bits[GJ_DTYPE_COUNT] = {
      [GJ_DTYPE_f16] = 10, [GJ_DTYPE_bf16] = 7, [GJ_DTYPE_f32] = 23, [GJ_DTYPE_f64] = 52};
  uint64_t one = UINT64_C(1) << fraction_bits[dtype];
  return (sign_bit(dtype) - 1) & ~(one - 1);
}

static const gj_lexpr *as_bits(gj__lower *l, const gj_lexpr *value) {
  gj_dtype key = gj__key_dtype((gj_dtype)value->type.dtype);
  return gj_lx_op(l->m, GJ_OP_bitcast, &value, 1, key);
}

static const gj_lexpr *magnitude(gj__lower *l, const gj_lexpr *value) {
  gj_dtype dtype = (gj_dtype)value->type.dtype, key = gj__key_dtype(dtype);
  return binary(l, GJ_OP_and, as_bits(l, value), bits(l, key, sign_bit(dtype) - 1));
}

const gj_lexpr *gj__is_zero(gj__lower *l, const gj_lexpr *value) {
  gj_dtype key = gj__key_dtype((gj_dtype)value->type.dtype);
  return binary(l, GJ_OP_eq, magnitude(l, value), bits(l, key, 0));
}

const gj_lexpr *gj__is_nan(gj__lower *l, const gj_lexpr *value) {
  gj_dtype dtype = (gj_dtype)value->type.dtype, key = gj__key_dtype(dtype);
  return binary(l, GJ_OP_gt, magnitude(l, value), bits(l, key, infinity(dtype)));
}

// The NaN that keys give back: the one that JavaScript has.
static uint64_t usual_nan(gj_dtype dtype) {
  uint64_t most = infinity(dtype);
  return most | most >> 1;
}

const gj_lexpr *gj__is_odd(gj__lower *l, const gj_lexpr *value) {
  gj_dtype dtype = (gj_dtype)value->type.dtype, key = gj__key_dtype(dtype);
  const gj_lexpr *own = as_bits(l, value);
  const gj_lexpr *unusual = binary(l, GJ_OP_ne, own, bits(l, key, usual_nan(dtype)));
  return binary(l, GJ_OP_or, binary(l, GJ_OP_eq, own, bits(l, key, sign_bit(dtype))),
                binary(l, GJ_OP_and, gj__is_nan(l, value), unusual));
}

static const gj_lexpr *float_key(gj__lower *l, const gj_lexpr *value) {
  gj_dtype dtype = (gj_dtype)value->type.dtype, key = gj__key_dtype(dtype);
  uint64_t sign = sign_bit(dtype);
  const gj_lexpr *own = gj__let(l, "bits", as_bits(l, value));
  const gj_lexpr *above = bits(l, key, sign);
  const gj_lexpr *negative = binary(l, GJ_OP_ge, own, above);
  const gj_lexpr *turned = gj_lx_select(l->m, negative, gj_lx_unary(l->m, GJ_OP_not, own),
                                        binary(l, GJ_OP_or, own, above));
  const gj_lexpr *numbers = gj_lx_select(l->m, gj__is_zero(l, value), above, turned);
  return gj_lx_select(l->m, gj__is_nan(l, value), bits(l, key, UINT64_MAX), numbers);
}

const gj_lexpr *gj__key_of(gj__lower *l, const gj_lexpr *value, gj_dtype to, bool descending) {
  gj_dtype dtype = (gj_dtype)value->type.dtype, key = gj__key_dtype(dtype);
  const gj_lexpr *result;
  if (gj_dtype_is_float(dtype))
    result = float_key(l, value);
  else if (dtype == GJ_DTYPE_bool)
    result = gj_lx_convert(l->m, value, key);
  else if (gj_dtype_get(dtype)->kind == GJ_KIND_INT)
    result = binary(l, GJ_OP_xor, as_bits(l, value), bits(l, key, sign_bit(dtype)));
  else
    result = value;
  if (descending)
    result = gj_lx_unary(l->m, GJ_OP_not, result);
  return gj_lx_convert(l->m, result, to);
}

const gj_lexpr *gj__value_of_key(gj__lower *l, const gj_lexpr *key, gj_dtype dtype,
                                 bool descending) {
  gj_dtype own = gj__key_dtype(dtype);
  const gj_lexpr *sign = bits(l, own, sign_bit(dtype));
  key = gj_lx_convert(l->m, key, own);
  if (descending)
    key = gj_lx_unary(l->m, GJ_OP_not, key);
  if (dtype == GJ_DTYPE_bool)
    return binary(l, GJ_OP_ne, key, bits(l, own, 0));
  if (gj_dtype_is_float(dtype)) {
    key = gj__let(l, "key", key);
    const gj_lexpr *nan = binary(l, GJ_OP_eq, key, bits(l, own, UINT64_MAX));
    const gj_lexpr *positive = binary(l, GJ_OP_ge, key, sign);
    key = gj_lx_select(l->m, positive, binary(l, GJ_OP_xor, key, sign),
                       gj_lx_unary(l->m, GJ_OP_not, key));
    key = gj_lx_select(l->m, nan, bits(l, own, usual_nan(dtype)), key);
  } else if (gj_dtype_get(dtype)->kind == GJ_KIND_INT) {
    key = binary(l, GJ_OP_xor, key, sign);
  }
  return own == dtype ? key : gj_lx_op(l->m, GJ_OP_bitcast, &key, 1, dtype);
}

static const gj_lexpr *turned(gj__lower *l, gj_dtype dtype, uint64_t key, bool descending) {
  return bits(l, gj__key_dtype(dtype), descending ? ~key : key);
}

const gj_lexpr *gj__zero_key(gj__lower *l, gj_dtype dtype, bool descending) {
  return turned(l, dtype, sign_bit(dtype), descending);
}

const gj_lexpr *gj__nan_key(gj__lower *l, gj_dtype dtype, bool descending) {
  return turned(l, dtype, UINT64_MAX, descending);
}
