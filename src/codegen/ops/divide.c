// Division of integers.
//
// LLVM leaves division by zero and the least integer divided by -1 undefined; x86 traps on both.
// Here every operand has the documented result. Guards are dropped where a constant operand shows
// that they cannot matter. No vector unit divides integers, so vectors divide in floating point:
//
//   up to 32 bits   q = trunc(a / b). With |a|, |b| < 2^n the exact quotient is an integer or at
//                   least 1/b away from the next one, and its rounding error is below
//                   2^n / b · 2^-p ≤ 1/b for the p = 24 (n = 16) or 53 (n = 32) bits.
//   64 bits         q = trunc(a · c), c = (1 / b)(1 - 2^-50); r = a - q · b
//                   q' = trunc(r · c);                        r' = r - q' · b
//                   and 1 more where r' ≥ b. Five roundings of 2^-53 each and the factor make a · c
//                   too small, but by less than 13 · 2^-53 of it: so 0 ≤ r ≤ a, and r / b is below
//                   1 + 2^15, which makes q' too small by less than 2 and leaves r' in [0, 2b).
//
// The second is for x86, where with AVX-512 it takes a third to a half of the time of dividing lane
// by lane with one of the fastest dividers. The vectors of wasm and arm64 have two lanes of 64
// bits, which divide faster one by one. Where the divisor is a constant LLVM multiplies by its
// inverse, except for vectors of 64 bits and in wasm, where it would go lane by lane.
#include "codegen/context.h"

static bool is_signed(gj_dtype dtype) { return gj_dtype_get(dtype)->kind == GJ_KIND_INT; }

// --- up to 32 bits ---

static LLVMValueRef narrow_quotient(gj__cg *cg, gj_dtype dtype, unsigned lanes, LLVMValueRef a,
                                    LLVMValueRef b) {
  gj_dtype through = gj_dtype_get(dtype)->bits <= 16 ? GJ_DTYPE_f32 : GJ_DTYPE_f64;
  LLVMValueRef x = gj__cg_convert(cg, a, dtype, through, lanes);
  LLVMValueRef y = gj__cg_convert(cg, b, dtype, through, lanes);
  return gj__cg_truncate(cg, LLVMBuildFDiv(cg->builder, x, y, ""), through, dtype, lanes);
}

// --- 64 bits ---

static LLVMValueRef scaled(gj__cg *cg, LLVMValueRef a, LLVMValueRef factor, unsigned lanes) {
  LLVMValueRef x = gj__cg_convert(cg, a, GJ_DTYPE_u64, GJ_DTYPE_f64, lanes);
  return LLVMBuildFMul(cg->builder, x, factor, "");
}

static LLVMValueRef less_multiple(gj__cg *cg, LLVMValueRef a, LLVMValueRef q, LLVMValueRef b) {
  return LLVMBuildSub(cg->builder, a, LLVMBuildMul(cg->builder, q, b, ""), "");
}

// a / b or a rem b of u64.
static LLVMValueRef divide_unsigned(gj__cg *cg, unsigned lanes, LLVMValueRef a, LLVMValueRef b,
                                    bool remainder) {
  LLVMBuilderRef builder = cg->builder;
  gj_scalar shrink = {GJ_DTYPE_f64, {.f = 1 - 0x1p-50}};
  LLVMValueRef divisor = gj__cg_convert(cg, b, GJ_DTYPE_u64, GJ_DTYPE_f64, lanes);
  LLVMValueRef one = gj__cg_number(cg, GJ_DTYPE_f64, lanes, 1);
  LLVMValueRef inverse = LLVMBuildFMul(builder, LLVMBuildFDiv(builder, one, divisor, ""),
                                       gj__cg_const(cg, shrink, lanes), "");
  LLVMValueRef q =
      gj__cg_truncate(cg, scaled(cg, a, inverse, lanes), GJ_DTYPE_f64, GJ_DTYPE_u64, lanes);
  LLVMValueRef rest = less_multiple(cg, a, q, b);
  LLVMValueRef more =
      gj__cg_truncate(cg, scaled(cg, rest, inverse, lanes), GJ_DTYPE_f64, GJ_DTYPE_i32, lanes);
  more = LLVMBuildZExt(builder, more, LLVMTypeOf(a), "");
  rest = less_multiple(cg, rest, more, b);
  LLVMValueRef last = LLVMBuildICmp(builder, LLVMIntUGE, rest, b, "");
  if (remainder)
    return LLVMBuildSelect(builder, last, LLVMBuildSub(builder, rest, b, ""), rest, "");
  q = LLVMBuildAdd(builder, q, more, "");
  return LLVMBuildAdd(builder, q, LLVMBuildZExt(builder, last, LLVMTypeOf(a), ""), "");
}

// -x where `sign` is -1, x where it is 0.
static LLVMValueRef negate_if(gj__cg *cg, LLVMValueRef sign, LLVMValueRef x) {
  return LLVMBuildSub(cg->builder, LLVMBuildXor(cg->builder, x, sign, ""), sign, "");
}

// The same of i64, for b ≠ 0: the least integer is its own magnitude, and so is a quotient of it.
static LLVMValueRef divide_signed(gj__cg *cg, unsigned lanes, LLVMValueRef a, LLVMValueRef b,
                                  bool remainder) {
  LLVMBuilderRef builder = cg->builder;
  LLVMValueRef last_bit = gj__cg_number(cg, GJ_DTYPE_i64, lanes, 63);
  LLVMValueRef negative = LLVMBuildAShr(builder, a, last_bit, "");
  LLVMValueRef other = LLVMBuildAShr(builder, b, last_bit, "");
  LLVMValueRef result =
      divide_unsigned(cg, lanes, negate_if(cg, negative, a), negate_if(cg, other, b), remainder);
  LLVMValueRef sign = remainder ? negative : LLVMBuildXor(builder, negative, other, "");
  return negate_if(cg, sign, result);
}

// --- the choice ---

// Whether b is ± a power of two, by which LLVM shifts.
static bool is_power_of_two(gj_dtype dtype, int64_t b) {
  uint64_t size = is_signed(dtype) && b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  return size && !(size & (size - 1));
}

// How to divide by b, or by `*known` where that is not NULL.
typedef enum method { BY_INSTRUCTION, BY_NARROW_FLOATS, BY_WIDE_FLOATS } method;

static method choose_method(const gj__cg *cg, const gj_lexpr *e, const int64_t *known) {
  const gj_target *target = cg->target;
  bool wide = gj_dtype_get(e->type.dtype)->bits == 64, x86 = target->triple[0] == 'x';
  if (e->type.lanes == 1 || (known && is_power_of_two(e->type.dtype, *known)))
    return BY_INSTRUCTION;
  if (wide)
    return x86 ? BY_WIDE_FLOATS : BY_INSTRUCTION;
  return known && !target->wasm ? BY_INSTRUCTION : BY_NARROW_FLOATS;
}

// a / b or a rem b for b ≠ 0, and b ≠ -1 where traps_on_minus().
static LLVMValueRef divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef a, LLVMValueRef b,
                           method how, bool remainder) {
  gj_dtype dtype = e->type.dtype;
  if (how == BY_WIDE_FLOATS)
    return is_signed(dtype) ? divide_signed(cg, e->type.lanes, a, b, remainder)
                            : divide_unsigned(cg, e->type.lanes, a, b, remainder);
  if (how == BY_NARROW_FLOATS) {
    LLVMValueRef q = narrow_quotient(cg, dtype, e->type.lanes, a, b);
    return remainder ? less_multiple(cg, a, q, b) : q;
  }
  LLVMOpcode opcode =
      is_signed(dtype) ? (remainder ? LLVMSRem : LLVMSDiv) : (remainder ? LLVMURem : LLVMUDiv);
  return LLVMBuildBinOp(cg->builder, opcode, a, b, "");
}

// Whether the least integer divided by -1 leaves the range that the method can do.
static bool traps_on_minus(gj_dtype dtype, method how) {
  bool narrow = gj_dtype_get(dtype)->bits < 32;
  return is_signed(dtype) && (how == BY_INSTRUCTION || (how == BY_NARROW_FLOATS && !narrow));
}

LLVMValueRef gj__cg_int_divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, bool remainder) {
  LLVMBuilderRef builder = cg->builder;
  gj_dtype dtype = e->type.dtype;
  unsigned lanes = e->type.lanes;
  LLVMValueRef a = args[0], b = args[1];
  int64_t known = 0;
  bool constant = gj__cg_constant_int(e->args[1], &known);
  method how = choose_method(cg, e, constant ? &known : NULL);
  bool avoid_minus = traps_on_minus(dtype, how);
  if (constant && known != 0 && (known != -1 || !avoid_minus))
    return divide(cg, e, a, b, how, remainder);

  LLVMValueRef one = gj__cg_number(cg, dtype, lanes, 1);
  LLVMValueRef minus_one = gj__cg_number(cg, dtype, lanes, -1);
  LLVMValueRef by_zero = LLVMBuildICmp(builder, LLVMIntEQ, b, LLVMConstNull(LLVMTypeOf(b)), "");
  LLVMValueRef by_minus = NULL, guarded = by_zero;
  if (avoid_minus) {
    by_minus = LLVMBuildICmp(builder, LLVMIntEQ, b, minus_one, "");
    guarded = LLVMBuildOr(builder, by_zero, by_minus, "");
  }
  LLVMValueRef safe = LLVMBuildSelect(builder, guarded, one, b, "");
  LLVMValueRef result = divide(cg, e, a, safe, how, remainder);
  if (remainder) // x rem 1 = 0 is also x rem -1
    return LLVMBuildSelect(builder, by_zero, a, result, "");
  if (by_minus)
    result = LLVMBuildSelect(builder, by_minus, LLVMBuildNeg(builder, a, ""), result, "");
  return LLVMBuildSelect(builder, by_zero, minus_one, result, "");
}
