// Conversions between floats and 64-bit integers for x86 without AVX-512; in wasm those to f64.
//
// Its vector instructions convert i32 only, and LLVM takes most vectors of i64 and u64 apart. A
// float x, truncated and in range, is taken apart into halves of 32 bits:
//   high = floor(x · 2^-32), low = x - high · 2^32: both exact, for x is an integer of 53 bits
// Added to 2^52 (1.5 · 2^52 where it may be negative), a half stands in the low bits of the sum.
// The other way the halves become the low bits of such numbers, and the only rounding is that of
// the addition of both.
//
// To f32 an integer goes through f64. That would round twice, so first the integer is rounded "to
// odd": when it has more than 53 bits, the low 11 go, and the lowest left is set if any of them
// was. f64 holds the result exactly, and the bit says on which side of a tie of f32 it lies.
#include "codegen/context.h"

bool gj__cg_lacks_wide_casts(const gj__cg *cg, unsigned lanes) {
  return lanes > 1 && cg->target->triple[0] == 'x' && cg->target->vector_bytes < 64;
}

static LLVMValueRef f64_const(gj__cg *cg, unsigned lanes, double value) {
  return gj__cg_const(cg, (gj_scalar){GJ_DTYPE_f64, {.f = value}}, lanes);
}

// The bits of x + magic.
static LLVMValueRef bits_of_sum(gj__cg *cg, LLVMValueRef x, double magic, unsigned lanes) {
  LLVMValueRef sum = LLVMBuildFAdd(cg->builder, x, f64_const(cg, lanes, magic), "");
  return LLVMBuildBitCast(cg->builder, sum, LLVMVectorType(cg->i64, lanes), "");
}

LLVMValueRef gj__cg_wide_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                  unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  x = gj__cg_intrinsic1(cg, "llvm.trunc", gj__cg_convert(cg, x, from, GJ_DTYPE_f64, lanes), NULL,
                        NULL);
  LLVMValueRef high = LLVMBuildFMul(b, x, f64_const(cg, lanes, 0x1p-32), "");
  high = gj__cg_intrinsic1(cg, "llvm.floor", high, NULL, NULL);
  LLVMValueRef low =
      LLVMBuildFSub(b, x, LLVMBuildFMul(b, high, f64_const(cg, lanes, 0x1p32), ""), "");
  bool is_signed = to == GJ_DTYPE_i64;
  high = bits_of_sum(cg, high, is_signed ? 0x1.8p52 : 0x1p52, lanes);
  low = bits_of_sum(cg, low, 0x1p52, lanes);
  high = LLVMBuildShl(b, high, gj__cg_number(cg, GJ_DTYPE_i64, lanes, 32), "");
  low = LLVMBuildAnd(b, low, gj__cg_number(cg, GJ_DTYPE_i64, lanes, UINT32_MAX), "");
  return LLVMBuildOr(b, high, low, "");
}

static LLVMValueRef as_f64(gj__cg *cg, LLVMValueRef bits, unsigned lanes) {
  return LLVMBuildBitCast(cg->builder, bits, LLVMVectorType(cg->f64, lanes), "");
}

// The halves of x in the low bits of numbers from 2^84 and 2^52 on, added after these have gone.
static LLVMValueRef to_f64(gj__cg *cg, LLVMValueRef x, gj_dtype from, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  bool is_signed = from == GJ_DTYPE_i64; // then 2^63 more, so that the high half is not negative
  LLVMValueRef high = LLVMBuildLShr(b, x, gj__cg_number(cg, from, lanes, 32), "");
  high = LLVMBuildXor(
      b, high, gj__cg_number(cg, from, lanes, is_signed ? 0x4530000080000000 : 0x4530000000000000),
      "");
  LLVMValueRef low = LLVMBuildAnd(b, x, gj__cg_number(cg, from, lanes, UINT32_MAX), "");
  low = LLVMBuildOr(b, low, gj__cg_number(cg, from, lanes, 0x4330000000000000), "");
  double begin = 0x1p84 + 0x1p52 + (is_signed ? 0x1p63 : 0);
  high = LLVMBuildFSub(b, as_f64(cg, high, lanes), f64_const(cg, lanes, begin), "");
  return LLVMBuildFAdd(b, high, as_f64(cg, low, lanes), "");
}

// x, or if it is beyond ±2^53 what it is when rounded to odd.
LLVMValueRef gj__cg_odd_integer(gj__cg *cg, LLVMValueRef x, gj_dtype from, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef last = gj__cg_number(cg, from, lanes, 0x7ff);
  LLVMValueRef lost = LLVMBuildAdd(b, LLVMBuildAnd(b, x, last, ""), last, "");
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildOr(b, x, lost, ""), LLVMBuildNot(b, last, ""), "");
  int64_t bound = (int64_t)1 << 53;
  LLVMValueRef moved = x;
  if (from == GJ_DTYPE_i64) {
    moved = LLVMBuildAdd(b, x, gj__cg_number(cg, from, lanes, bound), "");
    bound *= 2;
  }
  LLVMValueRef large = gj__cg_icmp(cg, LLVMIntUGT, moved, gj__cg_number(cg, from, lanes, bound));
  return LLVMBuildSelect(b, large, odd, x, "");
}

LLVMValueRef gj__cg_wide_to_float(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                  unsigned lanes) {
  if (to == GJ_DTYPE_f64)
    return to_f64(cg, x, from, lanes);
  x = to_f64(cg, gj__cg_odd_integer(cg, x, from, lanes), from, lanes);
  return LLVMBuildFPTrunc(cg->builder, x, gj__cg_register_type(cg, to, lanes), "");
}
