// Conversions between dtypes.
//
// Floats to integers truncate, saturate at the ends of the integer type and make NaN 0; anything
// but zero, NaN too, is true; the rest are LLVM's own casts, which are defined for all values. LLVM
// has saturating casts, and where the machine has them as well (wasm, arm64) they are used. For x86
// LLVM takes vectors of them apart into scalars, so vectors saturate here, by comparisons and
// selects around the plain cast:
//   f64 → i32    cast(min(max(x, -2^31), 2^31 - 1)), 0 where x is NaN
//   f32 → i32    cast(max(x, -2^31)), but 2^31 - 1 where x ≥ 2^31, 0 where x is NaN
// The second form is for bounds that the float type cannot represent. Types below 32 bits are cast
// to i32 first, for which there are vector instructions. LLVM takes more casts apart, which are put
// together in convert_wide.c (64 bits on x86 before AVX-512) and convert_wasm.c. Halves are i16 and
// come and go through f32 (convert_half.c).
#include "codegen/context.h"

static bool is_signed(gj_dtype dtype) { return gj_dtype_get(dtype)->kind == GJ_KIND_INT; }

static LLVMValueRef float_const(gj__cg *cg, gj_dtype dtype, unsigned lanes, double value) {
  return gj__cg_const(cg, (gj_scalar){dtype, {.f = value}}, lanes);
}

static double power_of_two(unsigned exponent) {
  double value = 1;
  while (exponent-- > 0)
    value *= 2;
  return value;
}

static LLVMValueRef saturating_cast(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes) {
  if (cg->target->wasm && lanes > 1 && gj_dtype_get(to)->bits == 32)
    return gj__cg_wasm_saturate(cg, x, to, lanes);
  LLVMTypeRef types[2] = {gj__cg_register_type(cg, to, lanes), LLVMTypeOf(x)};
  const char *name = is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  return gj__cg_intrinsic(cg, name, types, 2, &x, 1);
}

// Saturates as i32 and then, among integers, to the narrower type.
static LLVMValueRef narrow_saturating_cast(gj__cg *cg, LLVMValueRef x, gj_dtype to,
                                           unsigned lanes) {
  unsigned bits = gj_dtype_get(to)->bits;
  int64_t least = is_signed(to) ? -((int64_t)1 << (bits - 1)) : 0;
  int64_t greatest = ((int64_t)1 << (is_signed(to) ? bits - 1 : bits)) - 1;
  LLVMValueRef wide = saturating_cast(cg, x, GJ_DTYPE_i32, lanes);
  wide =
      gj__cg_intrinsic1(cg, "llvm.smax", wide, gj__cg_number(cg, GJ_DTYPE_i32, lanes, least), NULL);
  wide = gj__cg_intrinsic1(cg, "llvm.smin", wide, gj__cg_number(cg, GJ_DTYPE_i32, lanes, greatest),
                           NULL);
  return LLVMBuildTrunc(cg->builder, wide, gj__cg_register_type(cg, to, lanes), "");
}

LLVMValueRef gj__cg_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                             unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  unsigned bits = gj_dtype_get(to)->bits;
  LLVMTypeRef type = gj__cg_register_type(cg, to, lanes);
  if (bits == 64 && gj__cg_lacks_wide_casts(cg, lanes))
    return gj__cg_wide_truncate(cg, x, from, to, lanes);
  if (bits < 32) { // as i32
    x = gj__cg_truncate(cg, x, from, GJ_DTYPE_i32, lanes);
    return LLVMBuildTrunc(b, x, type, "");
  }
  if (cg->target->wasm && lanes > 1 && bits == 32)
    return gj__cg_wasm_truncate(cg, x, to, lanes);
  return LLVMBuildCast(b, is_signed(to) ? LLVMFPToSI : LLVMFPToUI, x, type, "");
}

// The same by comparisons and selects. max(x, least) is written so that NaN becomes `least`, as
// x86's instruction does; for unsigned types that is the 0 that NaN should give.
static LLVMValueRef select_saturating_cast(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                           unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  unsigned bits = gj_dtype_get(to)->bits, precision = from == GJ_DTYPE_f64 ? 53 : 24;
  unsigned magnitude = is_signed(to) ? bits - 1 : bits;
  double end = power_of_two(magnitude);
  LLVMValueRef least = float_const(cg, from, lanes, is_signed(to) ? -end : 0);
  LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, x, least, "");
  LLVMValueRef inside = LLVMBuildSelect(b, above, x, least, ""), too_big = NULL;
  if (magnitude <= precision) {
    LLVMValueRef greatest = float_const(cg, from, lanes, end - 1);
    LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, inside, greatest, "");
    inside = LLVMBuildSelect(b, below, inside, greatest, "");
  } else {
    too_big = LLVMBuildFCmp(b, LLVMRealOGE, x, float_const(cg, from, lanes, end), "");
    inside = LLVMBuildSelect(b, too_big, float_const(cg, from, lanes, 0), inside, "");
  }
  LLVMValueRef result = gj__cg_truncate(cg, inside, from, to, lanes);
  if (too_big) {
    uint64_t greatest = UINT64_MAX >> (64 - magnitude);
    LLVMValueRef top = gj__cg_number(cg, to, lanes, (int64_t)greatest);
    result = LLVMBuildSelect(b, too_big, top, result, "");
  }
  if (!is_signed(to))
    return result;
  LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
  return LLVMBuildSelect(b, nan, gj__cg_number(cg, to, lanes, 0), result, "");
}

static LLVMValueRef float_to_int(gj__cg *cg, LLVMValueRef x, gj_dtype from, gj_dtype to,
                                 unsigned lanes) {
  bool x86 = cg->target->triple[0] == 'x';
  if (lanes == 1)
    return saturating_cast(cg, x, to, lanes);
  if (x86)
    return select_saturating_cast(cg, x, from, to, lanes);
  return gj_dtype_get(to)->bits < 32 ? narrow_saturating_cast(cg, x, to, lanes)
                                     : saturating_cast(cg, x, to, lanes);
}

static LLVMValueRef int_to_float(gj__cg *cg, LLVMValueRef value, gj_dtype from, gj_dtype to,
                                 unsigned lanes) {
  LLVMTypeRef type = gj__cg_register_type(cg, to, lanes);
  if (from == GJ_DTYPE_bool)
    return LLVMBuildSelect(cg->builder, value, gj__cg_number(cg, to, lanes, 1),
                           gj__cg_number(cg, to, lanes, 0), "");
  bool in_halves =
      gj__cg_lacks_wide_casts(cg, lanes) || (cg->target->wasm && lanes > 1 && to == GJ_DTYPE_f64);
  if (gj_dtype_get(from)->bits == 64 && in_halves)
    return gj__cg_wide_to_float(cg, value, from, to, lanes);
  LLVMOpcode cast = is_signed(from) ? LLVMSIToFP : LLVMUIToFP;
  if (gj_dtype_get(from)->bits < 32 && lanes > 1) { // as i32
    value = gj__cg_convert(cg, value, from, GJ_DTYPE_i32, lanes);
    cast = LLVMSIToFP;
    if (cg->target->wasm && to == GJ_DTYPE_f32)
      return gj__cg_wasm_small_to_f32(cg, value, lanes);
  }
  if (to == GJ_DTYPE_f32 && gj_dtype_get(from)->bits < 64 && gj__cg_is_short(cg, lanes))
    return gj__cg_wasm_padded(cg, value, cast, type);
  return LLVMBuildCast(cg->builder, cast, value, type, "");
}

static LLVMValueRef to_bool(gj__cg *cg, LLVMValueRef value, gj_dtype from, unsigned lanes) {
  LLVMValueRef zero = gj__cg_number(cg, from, lanes, 0);
  return gj_dtype_is_float(from) ? LLVMBuildFCmp(cg->builder, LLVMRealUNE, value, zero, "")
                                 : LLVMBuildICmp(cg->builder, LLVMIntNE, value, zero, "");
}

LLVMValueRef gj__cg_convert(gj__cg *cg, LLVMValueRef value, gj_dtype from, gj_dtype to,
                            unsigned lanes) {
  const gj_dtype_info *f = gj_dtype_get(from), *t = gj_dtype_get(to);
  LLVMTypeRef type = gj__cg_register_type(cg, to, lanes);
  LLVMBuilderRef b = cg->builder;
  if (from == to)
    return value;
  if (gj_dtype_is_half(from))
    return gj__cg_convert(cg, gj__cg_from_half(cg, value, from, lanes), GJ_DTYPE_f32, to, lanes);
  if (gj_dtype_is_half(to))
    return gj__cg_to_half(cg, value, from, to, lanes);
  if (to == GJ_DTYPE_bool)
    return to_bool(cg, value, from, lanes);
  if (from == GJ_DTYPE_f64 && to == GJ_DTYPE_f32 && cg->target->wasm && lanes > 1)
    return gj__cg_wasm_demote(cg, value, lanes);
  if (f->kind == GJ_KIND_FLOAT && t->kind == GJ_KIND_FLOAT)
    return t->bits > f->bits ? LLVMBuildFPExt(b, value, type, "")
                             : LLVMBuildFPTrunc(b, value, type, "");
  if (f->kind == GJ_KIND_FLOAT)
    return float_to_int(cg, value, from, to, lanes);
  if (t->kind == GJ_KIND_FLOAT)
    return int_to_float(cg, value, from, to, lanes);
  if (from == GJ_DTYPE_bool)
    return LLVMBuildZExt(b, value, type, "");
  if (t->bits == f->bits)
    return value;
  if (t->bits < f->bits)
    return LLVMBuildTrunc(b, value, type, "");
  return is_signed(from) ? LLVMBuildSExt(b, value, type, "") : LLVMBuildZExt(b, value, type, "");
}
