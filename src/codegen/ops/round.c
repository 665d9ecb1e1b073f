// Rounding to integers, in floating point.
//
// One instruction nearly everywhere. 32-bit ARM before version 8 has none, and LLVM would call the
// C library, which objects must not need. There a number below 2^52 (f64; 2^23 for f32) has that
// added and taken away again, which rounds it to even, and the others follow by a comparison; the
// sign is put back, since -0.25 rounds to -0. Larger numbers, infinities and NaN are their own
// result.
#include "codegen/context.h"

#include <string.h>

static bool lacks_rounding(const gj__cg *cg) { return strncmp(cg->target->triple, "arm", 3) == 0; }

// |x| rounded to even where |x| is below `large`.
static LLVMValueRef nearest(gj__cg *cg, LLVMValueRef magnitude, LLVMValueRef large) {
  LLVMValueRef sum = LLVMBuildFAdd(cg->builder, magnitude, large, "");
  return LLVMBuildFSub(cg->builder, sum, large, "");
}

// One less where the rounded value is above x, one more where it is below.
static LLVMValueRef adjust(gj__cg *cg, LLVMValueRef rounded, LLVMValueRef x, LLVMValueRef one,
                           bool down) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef wrong = LLVMBuildFCmp(b, down ? LLVMRealOGT : LLVMRealOLT, rounded, x, "");
  LLVMValueRef other =
      down ? LLVMBuildFSub(b, rounded, one, "") : LLVMBuildFAdd(b, rounded, one, "");
  return LLVMBuildSelect(b, wrong, other, rounded, "");
}

static LLVMValueRef with_sign_of(gj__cg *cg, LLVMValueRef value, LLVMValueRef x) {
  return gj__cg_intrinsic1(cg, "llvm.copysign", value, x, NULL);
}

LLVMValueRef gj__cg_round(gj__cg *cg, const gj_lexpr *e, LLVMValueRef x) {
  static const char *const names[] = {[GJ_OP_floor] = "llvm.floor",
                                      [GJ_OP_ceil] = "llvm.ceil",
                                      [GJ_OP_trunc] = "llvm.trunc",
                                      [GJ_OP_round_even] = "llvm.roundeven"};
  if (!lacks_rounding(cg))
    return gj__cg_intrinsic1(cg, names[e->op], x, NULL, NULL);
  LLVMBuilderRef b = cg->builder;
  gj_dtype dtype = (gj_dtype)e->type.dtype;
  int64_t first_large = INT64_C(1) << (gj_dtype_bytes(dtype) == 8 ? 52 : 23);
  LLVMValueRef large = gj__cg_number(cg, dtype, e->type.lanes, first_large);
  LLVMValueRef one = gj__cg_number(cg, dtype, e->type.lanes, 1);
  LLVMValueRef magnitude = gj__cg_intrinsic1(cg, "llvm.fabs", x, NULL, NULL);
  LLVMValueRef value = nearest(cg, magnitude, large);
  if (e->op == GJ_OP_trunc)
    value = adjust(cg, value, magnitude, one, true);
  value = with_sign_of(cg, value, x);
  if (e->op == GJ_OP_floor || e->op == GJ_OP_ceil)
    value = with_sign_of(cg, adjust(cg, value, x, one, e->op == GJ_OP_floor), x);
  LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, magnitude, large, "");
  return LLVMBuildSelect(b, small, value, x, "");
}
