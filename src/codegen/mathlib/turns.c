// sin(c x) and cos(c x) for a multiple c of 2 pi, in numerics 'fast'.
//
// Programs that have angles in turns multiply by 2 pi, and reducing the product divides by it
// again. With c = 2 pi m, sin(c x) is sin2pi(m x), for which src/math/fast has a function that
// subtracts whole turns exactly: it takes half of the instructions, has no rare arguments and is no
// call in a loop that LLVM vectorises. c counts as such a multiple when it is within a unit in its
// last place of 2 pi m with an m of few digits, so the argument changes by no more than its
// rounding.
#include "codegen/context.h"

#include <math.h>

enum { FACTOR_DIGITS = 8 };

// The value that a constant has in all lanes; false for another one.
static bool splat_value(LLVMValueRef value, double *out) {
  LLVMBool loses;
  if (!LLVMIsAConstant(value))
    return false;
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
    LLVMValueRef first = LLVMGetAggregateElement(value, 0);
    for (unsigned i = LLVMGetVectorSize(LLVMTypeOf(value)); i-- > 1;)
      if (LLVMGetAggregateElement(value, i) != first) // constants that are equal are one
        return false;
    value = first;
  }
  if (!value || !LLVMIsAConstantFP(value))
    return false;
  *out = LLVMConstRealGetDouble(value, &loses);
  return true;
}

// The m of c = 2 pi m, or 0.
static double turns_of(double c, double ulp) {
  const double high = 0x1.921fb54442d18p2, low = 0x1.1a62633145c07p-52; // 2 pi
  int exponent;
  double m = frexp(c / high, &exponent);
  if (!isfinite(c) || fabs(c) < 0x1p-64 || fabs(c) > 0x1p64)
    return 0;
  m = ldexp(rint(ldexp(m, FACTOR_DIGITS)), exponent - FACTOR_DIGITS);
  return fabs(fma(m, high, -c) + m * low) <= ulp * fabs(c) ? m : 0;
}

// m x for an angle that is 2 pi m x, or NULL.
static LLVMValueRef in_turns(gj__cg *cg, gj_dtype dtype, LLVMValueRef angle, unsigned lanes) {
  if (!LLVMIsAInstruction(angle) || LLVMGetInstructionOpcode(angle) != LLVMFMul)
    return NULL;
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef x = LLVMGetOperand(angle, 1 - k);
    double c, m = 0;
    if (splat_value(LLVMGetOperand(angle, k), &c))
      m = turns_of(c, dtype == GJ_DTYPE_f64 ? 0x1p-52 : 0x1p-23);
    if (m == 1)
      return x;
    LLVMTypeRef type = gj__cg_register_type(cg, dtype, 1);
    if (m != 0)
      return LLVMBuildFMul(cg->builder, x, gj__const_splat(LLVMConstReal(type, m), lanes), "");
  }
  return NULL;
}

LLVMValueRef gj__math_turns(gj__cg *cg, const gj_lexpr *e, LLVMValueRef angle) {
  gj_dtype dtype = (gj_dtype)e->args[0]->type.dtype;
  bool is_sine = e->op == GJ_OP_sin;
  if (!cg->fast || (!is_sine && e->op != GJ_OP_cos) ||
      (dtype != GJ_DTYPE_f64 && dtype != GJ_DTYPE_f32))
    return NULL;
  LLVMValueRef x = in_turns(cg, dtype, angle, e->type.lanes), f = NULL;
  if (x)
    f = gj__math_fast_function(cg, is_sine ? "sin" : "cos", is_sine ? "sin2pi" : "cos2pi", dtype,
                               e->type.lanes);
  return f ? LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, &x, 1, "") : NULL;
}
