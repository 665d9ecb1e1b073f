// Conversions that wasm has for whole registers only.
//
// simd128 converts between four f32 and four i32, and between two f64 and the lower half of four
// f32 or i32, the upper half being zero. LLVM takes a vector of two lanes apart instead, and one of
// four f64 too. Here a cast gets four lanes: what is missing is filled with zeros, a shape that
// LLVM knows. A fence, which is no instruction, keeps its optimiser from seeing that only some of
// the lanes are used.
//
// Of integers of 8 and 16 bits, extended to i32, it makes conversions from those narrow types,
// which there are none of, so these become f32 by an addition: 1.5 · 2^23 + x has x in its low
// bits.
#include "codegen/context.h"

enum { LANES = 4 };

bool gj__cg_is_short(const gj__cg *cg, unsigned lanes) {
  return cg->target->wasm && lanes > 1 && lanes < LANES;
}

// `count` lanes from `first` on of the lanes of x and y, one after the other.
static LLVMValueRef lanes_of(gj__cg *cg, LLVMValueRef x, LLVMValueRef y, unsigned first,
                             unsigned count) {
  LLVMValueRef which[GJ_MAX_LANES];
  for (unsigned i = 0; i < count; i++)
    which[i] = LLVMConstInt(cg->i32, first + i, false);
  return LLVMBuildShuffleVector(cg->builder, x, y, LLVMConstVector(which, count), "");
}

// The first lanes of x, and zeros behind those that it has.
static LLVMValueRef padded(gj__cg *cg, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned lanes = LLVMGetVectorSize(type);
  LLVMValueRef zero = LLVMConstNull(type);
  return lanes < LANES ? padded(cg, lanes_of(cg, x, zero, 0, 2 * lanes)) : x;
}

LLVMValueRef gj__cg_wasm_padded(gj__cg *cg, LLVMValueRef x, LLVMOpcode cast, LLVMTypeRef type) {
  unsigned lanes = LLVMGetVectorSize(type);
  LLVMTypeRef full = LLVMVectorType(LLVMGetElementType(type), LANES);
  LLVMValueRef wide = LLVMBuildCast(cg->builder, cast, padded(cg, x), full, "");
  wide = gj__cg_intrinsic1(cg, "llvm.arithmetic.fence", wide, NULL, NULL);
  return lanes_of(cg, wide, LLVMGetPoison(full), 0, lanes);
}

LLVMValueRef gj__cg_wasm_small_to_f32(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  LLVMBuilderRef b = cg->builder;
  gj_scalar magic = {GJ_DTYPE_f32, {.f = 0x1.8p23}};
  LLVMValueRef bits = LLVMBuildAdd(b, x, gj__cg_number(cg, GJ_DTYPE_i32, lanes, 0x4b400000), "");
  LLVMValueRef sum = LLVMBuildBitCast(b, bits, LLVMVectorType(cg->f32, lanes), "");
  return LLVMBuildFSub(b, sum, gj__cg_const(cg, magic, lanes), "");
}

// Of more lanes than a register has the halves are converted one by one.
static LLVMValueRef by_halves(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes,
                              LLVMValueRef convert(gj__cg *, LLVMValueRef, gj_dtype, unsigned)) {
  LLVMValueRef nothing = LLVMGetPoison(LLVMTypeOf(x));
  unsigned half = lanes / 2;
  LLVMValueRef low = convert(cg, lanes_of(cg, x, nothing, 0, half), to, half);
  LLVMValueRef high = convert(cg, lanes_of(cg, x, nothing, half, half), to, half);
  return lanes_of(cg, low, high, 0, lanes);
}

LLVMValueRef gj__cg_wasm_saturate(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes) {
  bool wide = LLVMGetElementType(LLVMTypeOf(x)) == cg->f64;
  if (lanes > (wide ? 2 : LANES))
    return by_halves(cg, x, to, lanes, gj__cg_wasm_saturate);
  LLVMValueRef full = padded(cg, x);
  LLVMTypeRef types[2] = {gj__cg_register_type(cg, to, LANES), LLVMTypeOf(full)};
  bool is_signed = gj_dtype_get(to)->kind == GJ_KIND_INT;
  LLVMValueRef result =
      gj__cg_intrinsic(cg, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &full, 1);
  return lanes < LANES ? lanes_of(cg, result, LLVMGetPoison(types[0]), 0, lanes) : result;
}

// relaxed_trunc is a single instruction of x86, and saturates or not as the engine likes.
LLVMValueRef gj__cg_wasm_truncate(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes) {
  static const char *const names[2][2] = {
      {"llvm.wasm.relaxed.trunc.unsigned", "llvm.wasm.relaxed.trunc.unsigned.zero"},
      {"llvm.wasm.relaxed.trunc.signed", "llvm.wasm.relaxed.trunc.signed.zero"}};
  if (!cg->target->relaxed)
    return gj__cg_wasm_saturate(cg, x, to, lanes);
  bool wide = LLVMGetElementType(LLVMTypeOf(x)) == cg->f64;
  if (lanes > (wide ? 2 : LANES))
    return by_halves(cg, x, to, lanes, gj__cg_wasm_truncate);
  bool is_signed = gj_dtype_get(to)->kind == GJ_KIND_INT;
  LLVMValueRef full = wide ? x : padded(cg, x);
  LLVMValueRef result = gj__cg_intrinsic(cg, names[is_signed][wide], NULL, 0, &full, 1);
  LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(result));
  return lanes < LANES ? lanes_of(cg, result, none, 0, lanes) : result;
}

static LLVMValueRef demote(gj__cg *cg, LLVMValueRef x, gj_dtype to, unsigned lanes) {
  if (lanes > 2)
    return by_halves(cg, x, to, lanes, demote);
  return gj__cg_wasm_padded(cg, x, LLVMFPTrunc, gj__cg_register_type(cg, to, lanes));
}

LLVMValueRef gj__cg_wasm_demote(gj__cg *cg, LLVMValueRef x, unsigned lanes) {
  return demote(cg, x, GJ_DTYPE_f32, lanes);
}
