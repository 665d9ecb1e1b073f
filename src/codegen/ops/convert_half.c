// Conversions between halves, which are i16 here, and other dtypes.
//
// f16 and f32: an instruction where there are vectors of it (x86 with F16C, arm64), else integer
// code without branches, in which a half is an integer times a power of two like this:
//   f16 → f32   normal: exponent and fraction moved to their places, 224 added to the exponent and
//               the sum multiplied by 2^-112, which makes infinities and NaNs of those of f16;
//               subnormal: put into the low bits of 0.5, which is then taken away
//   f32 → f16   normal: the exponent less 112, half a unit added (less one bit where the result
//               would be even), the rest shifted out; subnormal: added to 0.5, whose low bits are
//               then the result, rounded by that addition
// bf16 is the upper half of f32; rounding to it is the same addition and shift. AVX512_BF16 has an
// instruction for that, but it takes subnormal numbers for zeros.
//
// LLVM would make operations on f16 of those on f32 whose result is rounded, and take them apart
// again where the processor has none. A fence, which is no instruction, keeps it from that.
//
// What is wider than f32 is rounded to odd first: to the f32 next to it whose last bit is set, if
// it is none itself. f32 has 13 digits more than a half, so that rounding this again is rounding
// once.
#include "codegen/context.h"

static LLVMValueRef i32_of(gj__cg *cg, unsigned lanes, int64_t value) {
  return gj__cg_number(cg, GJ_DTYPE_i32, lanes, value);
}

static LLVMValueRef f32_of(gj__cg *cg, unsigned lanes, double value) {
  return gj__cg_const(cg, (gj_scalar){GJ_DTYPE_f32, {.f = value}}, lanes);
}

static LLVMValueRef as_i32(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  return LLVMBuildBitCast(cg->builder, x, gj__with_lanes(cg->i32, lanes), "");
}

static LLVMValueRef as_f32(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  return LLVMBuildBitCast(cg->builder, x, gj__with_lanes(cg->f32, lanes), "");
}

static LLVMTypeRef half_type(gj__cg *cg, unsigned lanes) {
  return gj__with_lanes(LLVMHalfTypeInContext(cg->context), lanes);
}

static LLVMValueRef fence(gj__cg *cg, LLVMValueRef x) {
  return gj__cg_intrinsic1(cg, "llvm.arithmetic.fence", x, NULL, NULL);
}

// --- to f32 ---

static LLVMValueRef f16_to_f32(gj__cg *cg, LLVMValueRef wide, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef size = LLVMBuildAnd(b, wide, i32_of(cg, lanes, 0x7FFF), "");
  LLVMValueRef sign = LLVMBuildXor(b, wide, size, "");
  sign = LLVMBuildShl(b, sign, i32_of(cg, lanes, 16), "");
  LLVMValueRef normal = LLVMBuildShl(b, size, i32_of(cg, lanes, 13), "");
  normal = LLVMBuildAdd(b, normal, i32_of(cg, lanes, 224 << 23), "");
  normal = LLVMBuildFMul(b, as_f32(cg, normal, lanes), f32_of(cg, lanes, 0x1p-112), "");
  LLVMValueRef subnormal = LLVMBuildOr(b, size, i32_of(cg, lanes, 126 << 23), "");
  subnormal = LLVMBuildFSub(b, as_f32(cg, subnormal, lanes), f32_of(cg, lanes, 0.5), "");
  LLVMValueRef small = LLVMBuildICmp(b, LLVMIntSLT, size, i32_of(cg, lanes, 0x400), "");
  LLVMValueRef result = LLVMBuildSelect(b, small, subnormal, normal, "");
  return as_f32(cg, LLVMBuildOr(b, as_i32(cg, result, lanes), sign, ""), lanes);
}

LLVMValueRef gj__cg_from_half(gj__cg *cg, LLVMValueRef bits, gj_dtype from, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef f32 = gj__with_lanes(cg->f32, lanes);
  if (from == GJ_DTYPE_f16 && cg->target->halves) {
    LLVMValueRef half = LLVMBuildBitCast(b, bits, half_type(cg, lanes), "");
    return fence(cg, LLVMBuildFPExt(b, half, f32, ""));
  }
  LLVMValueRef wide = LLVMBuildZExt(b, bits, gj__with_lanes(cg->i32, lanes), "");
  if (from == GJ_DTYPE_f16)
    return f16_to_f32(cg, wide, lanes);
  return as_f32(cg, LLVMBuildShl(b, wide, i32_of(cg, lanes, 16), ""), lanes);
}

// --- from f32 ---

// The bits after rounding off the low `lost` of them to nearest even, `more` being added as well.
static LLVMValueRef rounded(gj__cg *cg, LLVMValueRef bits, unsigned lost, int64_t more,
                            unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef shift = i32_of(cg, lanes, lost), one = i32_of(cg, lanes, 1);
  LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, shift, ""), one, "");
  LLVMValueRef almost_half = i32_of(cg, lanes, (INT64_C(1) << (lost - 1)) - 1 + more);
  LLVMValueRef sum = LLVMBuildAdd(b, LLVMBuildAdd(b, bits, almost_half, ""), odd, "");
  return LLVMBuildLShr(b, sum, shift, "");
}

static LLVMValueRef f32_to_f16(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef bits = as_i32(cg, x, lanes);
  LLVMValueRef size = LLVMBuildAnd(b, bits, i32_of(cg, lanes, INT32_MAX), "");
  LLVMValueRef sign = LLVMBuildLShr(b, LLVMBuildXor(b, bits, size, ""), i32_of(cg, lanes, 16), "");
  LLVMValueRef infinity = i32_of(cg, lanes, 0x7C00);
  LLVMValueRef normal = rounded(cg, size, 13, -(INT64_C(112) << 23), lanes);
  normal = gj__cg_intrinsic1(cg, "llvm.umin", normal, infinity, NULL);
  LLVMValueRef sum = LLVMBuildFAdd(b, as_f32(cg, size, lanes), f32_of(cg, lanes, 0.5), "");
  LLVMValueRef subnormal =
      LLVMBuildSub(b, as_i32(cg, sum, lanes), i32_of(cg, lanes, 126 << 23), "");
  LLVMValueRef small = LLVMBuildICmp(b, LLVMIntSLT, size, i32_of(cg, lanes, 113 << 23), "");
  LLVMValueRef result = LLVMBuildSelect(b, small, subnormal, normal, "");
  LLVMValueRef nan = LLVMBuildICmp(b, LLVMIntSGT, size, i32_of(cg, lanes, 255 << 23), "");
  result = LLVMBuildSelect(b, nan, i32_of(cg, lanes, 0x7E00), result, "");
  return LLVMBuildOr(b, result, sign, "");
}

static LLVMValueRef f32_to_bf16(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef bits = as_i32(cg, x, lanes);
  LLVMValueRef cut = LLVMBuildLShr(b, bits, i32_of(cg, lanes, 16), "");
  LLVMValueRef quiet = LLVMBuildOr(b, cut, i32_of(cg, lanes, 0x40), "");
  LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  return LLVMBuildSelect(b, nan, quiet, rounded(cg, bits, 16, 0, lanes), "");
}

static LLVMValueRef from_f32(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef type = gj__cg_register_type(cg, to, lanes);
  if (to == GJ_DTYPE_f16 && cg->target->halves) {
    LLVMValueRef half = LLVMBuildFPTrunc(b, fence(cg, x), half_type(cg, lanes), "");
    return LLVMBuildBitCast(b, half, type, "");
  }
  LLVMValueRef wide = to == GJ_DTYPE_f16 ? f32_to_f16(cg, x, lanes) : f32_to_bf16(cg, x, lanes);
  return LLVMBuildTrunc(b, wide, type, "");
}

// --- from what is wider ---

static LLVMValueRef rounded_to_odd(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef i32 = gj__with_lanes(cg->i32, lanes);
  LLVMValueRef narrow = gj__cg_convert(cg, x, GJ_DTYPE_f64, GJ_DTYPE_f32, lanes);
  LLVMValueRef back = gj__cg_convert(cg, narrow, GJ_DTYPE_f32, GJ_DTYPE_f64, lanes);
  LLVMValueRef size = gj__cg_intrinsic1(cg, "llvm.fabs", x, NULL, NULL);
  LLVMValueRef size_back = gj__cg_intrinsic1(cg, "llvm.fabs", back, NULL, NULL);
  LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, size_back, size, "");
  LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealUNE, back, x, "");
  LLVMValueRef bits = as_i32(cg, narrow, lanes);
  bits = LLVMBuildSub(b, bits, LLVMBuildZExt(b, above, i32, ""), ""); // towards zero
  bits = LLVMBuildOr(b, bits, LLVMBuildZExt(b, inexact, i32, ""), "");
  return as_f32(cg, bits, lanes);
}

// What f32 holds, and integers of which it holds so many that those that it rounds overflow, go
// through f32.
static bool fits_f32(gj_dtype from, gj_dtype to) {
  const gj_dtype_info *f = gj_dtype_get(from);
  return f->kind == GJ_KIND_FLOAT ? f->bits <= 32 : f->bits <= 16 || to == GJ_DTYPE_f16;
}

LLVMValueRef gj__cg_to_half(gj__cg *cg, LLVMValueRef value, gj_dtype from, gj_dtype to,
                            unsigned lanes) {
  bool fits = fits_f32(from, to), wide = gj_dtype_is_integer(from) && gj_dtype_bytes(from) == 8;
  if (wide && !fits)
    value = gj__cg_odd_integer(cg, value, from, lanes);
  if (wide || !fits) { // vectors of 64-bit integers become f64 on more machines than f32
    value = gj__cg_convert(cg, value, from, GJ_DTYPE_f64, lanes);
    from = GJ_DTYPE_f64;
  }
  value = fits ? gj__cg_convert(cg, value, from, GJ_DTYPE_f32, lanes)
               : rounded_to_odd(cg, value, lanes);
  return from_f32(cg, value, to, lanes);
}
