// Scalar minima and maxima beside a number that cannot be NaN, on x86.
//
// LLVM 22 knows that an integer as a float is no NaN. Where the CPU has AVX-512 it then puts the
// other operand last if that is a quiet NaN, since maxss gives its last operand where one is NaN,
// and asks no more: a signalling NaN is not seen, and the result is the number. So a fence, which
// is no instruction, hides from instruction selection what it knows, and NaN is asked for.
//
// This runs behind the optimiser, which brings conversions and extremes together. Left out:
// constants, with which LLVM goes another way, and vectors.
#include "codegen/optimise/optimise.h"

#include <llvm-c/Core.h>

#include <math.h>
#include <string.h>

enum { DEEP = 8 };

static unsigned intrinsic_of(LLVMValueRef value) {
  LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
  return callee && LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
}

static bool is_one_of(LLVMValueRef value, const char *const *names, size_t count) {
  unsigned id = intrinsic_of(value);
  for (size_t i = 0; id && i < count; i++)
    if (id == LLVMLookupIntrinsicID(names[i], strlen(names[i])))
      return true;
  return false;
}

static bool is_extreme(LLVMValueRef value) {
  static const char *const names[] = {"llvm.maximum", "llvm.minimum"};
  return is_one_of(value, names, 2);
}

// Whether LLVM may see that `value` is a number.
static bool is_number(LLVMValueRef value, unsigned depth) {
  static const char *const steps[] = {"llvm.fabs",  "llvm.floor",     "llvm.ceil",
                                      "llvm.trunc", "llvm.roundeven", "llvm.rint"};
  LLVMBool inexact;
  if (LLVMIsAConstantFP(value))
    return !isnan(LLVMConstRealGetDouble(value, &inexact));
  if (!LLVMIsAInstruction(value) || depth == DEEP)
    return false;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMSIToFP:
  case LLVMUIToFP:
    return true;
  case LLVMFPExt:
  case LLVMFPTrunc:
  case LLVMFNeg:
    return is_number(LLVMGetOperand(value, 0), depth + 1);
  case LLVMSelect:
    return is_number(LLVMGetOperand(value, 1), depth + 1) &&
           is_number(LLVMGetOperand(value, 2), depth + 1);
  case LLVMCall:
    if (is_extreme(value))
      return is_number(LLVMGetOperand(value, 0), depth + 1) &&
             is_number(LLVMGetOperand(value, 1), depth + 1);
    return is_one_of(value, steps, sizeof steps / sizeof *steps) &&
           is_number(LLVMGetOperand(value, 0), depth + 1);
  default:
    return false;
  }
}

static void fence(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call, unsigned side) {
  static const char name[] = "llvm.arithmetic.fence";
  LLVMValueRef value = LLVMGetOperand(call, side);
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMIsConstant(value) || !is_number(value, 0))
    return;
  LLVMValueRef f =
      LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetOperand(call, side, LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, &value, 1, ""));
}

void gj__keep_signalling_nans(LLVMModuleRef module) {
  static const char *const names[] = {"llvm.maximum.f32", "llvm.maximum.f64", "llvm.minimum.f32",
                                      "llvm.minimum.f64"};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef f = LLVMGetNamedFunction(module, names[i]);
    for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use; use = LLVMGetNextUse(use)) {
      LLVMValueRef call = LLVMGetUser(use);
      for (unsigned side = 0; side < 2; side++)
        fence(module, builder, call, side);
    }
  }
  LLVMDisposeBuilder(builder);
}
