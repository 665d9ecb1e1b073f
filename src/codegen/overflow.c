// Products of 64 bits with overflow, for machines of 32.
//
// LLVM's optimiser makes llvm.smul.with.overflow of a product that is divided again to see whether
// it overflowed. Machines of 64 bits have that in an instruction or two; for others LLVM calls a
// function of the compiler's library (__multi3, __mulodi4), which nobody here has. So there the
// division comes back:
//   overflow = a is -1 ? b is the least : a is not 0 and a · b / a is not b
#include "codegen/optimise.h"

#include <llvm-c/Core.h>
#include <stdint.h>
#include <string.h>

typedef struct product {
  LLVMBuilderRef builder;
  LLVMTypeRef type;
  LLVMValueRef a, b, ab;
} product;

static LLVMValueRef is(const product *p, LLVMValueRef value, int64_t number) {
  LLVMValueRef constant = LLVMConstInt(p->type, (uint64_t)number, true);
  return LLVMBuildICmp(p->builder, LLVMIntEQ, value, constant, "");
}

static LLVMValueRef overflow_of(const product *p, bool is_signed) {
  LLVMBuilderRef b = p->builder;
  LLVMValueRef zero = is(p, p->a, 0), minus = is(p, p->a, -1);
  LLVMValueRef apart = is_signed ? LLVMBuildOr(b, zero, minus, "") : zero;
  LLVMValueRef by = LLVMBuildSelect(b, apart, LLVMConstInt(p->type, 1, false), p->a, "");
  LLVMValueRef quotient =
      is_signed ? LLVMBuildSDiv(b, p->ab, by, "") : LLVMBuildUDiv(b, p->ab, by, "");
  LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, quotient, p->b, "");
  LLVMValueRef never = LLVMConstNull(LLVMTypeOf(differs));
  LLVMValueRef result = LLVMBuildSelect(b, zero, never, differs, "");
  return is_signed ? LLVMBuildSelect(b, minus, is(p, p->b, INT64_MIN), result, "") : result;
}

static void lower_call(LLVMBuilderRef builder, LLVMValueRef call, bool is_signed) {
  LLVMPositionBuilderBefore(builder, call);
  product p = {builder, LLVMTypeOf(LLVMGetOperand(call, 0)), LLVMGetOperand(call, 0),
               LLVMGetOperand(call, 1), NULL};
  p.ab = LLVMBuildMul(builder, p.a, p.b, "");
  LLVMValueRef pair = LLVMGetPoison(LLVMTypeOf(call));
  pair = LLVMBuildInsertValue(builder, pair, p.ab, 0, "");
  pair = LLVMBuildInsertValue(builder, pair, overflow_of(&p, is_signed), 1, "");
  LLVMReplaceAllUsesWith(call, pair);
  LLVMInstructionEraseFromParent(call);
}

void gj__lower_overflow(LLVMModuleRef module) {
  static const char *const names[] = {"llvm.umul.with.overflow.i64", "llvm.smul.with.overflow.i64"};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    LLVMValueRef f = LLVMGetNamedFunction(module, names[is_signed]);
    for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use; use = LLVMGetFirstUse(f))
      lower_call(builder, LLVMGetUser(use), is_signed);
    if (f)
      LLVMDeleteFunction(f);
  }
  LLVMDisposeBuilder(builder);
}
