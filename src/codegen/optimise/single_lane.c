// Masked stores of one lane, made stores of an element.
//
// LLVM 22 turns a masked store of truncated lanes into one that truncates, and that, where its mask
// is a constant with a single lane, into a store of the wide element: it writes past the place.
// This runs behind the optimiser, since constants may come of its work. Left out: masks that only
// instruction selection finds to be constant.
#include "codegen/optimise/optimise.h"

#include <llvm-c/Core.h>

#include <string.h>

enum { VALUE, ADDRESS, MASK };

static bool is_masked_store(LLVMValueRef i) {
  static const char name[] = "llvm.masked.store.";
  size_t length = 0;
  LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
  const char *text = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return length > sizeof name && memcmp(text, name, sizeof name - 1) == 0;
}

// The only lane of a constant mask that is true, -1 where there are others or none.
static int only_lane(LLVMValueRef mask) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask));
  int found = -1;
  for (unsigned i = 0; LLVMIsConstant(mask) && i < lanes; i++) {
    LLVMValueRef lane = LLVMGetAggregateElement(mask, i);
    if (!lane || !LLVMIsAConstantInt(lane))
      return -1;
    if (!LLVMConstIntGetZExtValue(lane))
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

static void store_lane(LLVMBuilderRef builder, LLVMValueRef call, int lane) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  LLVMValueRef at = LLVMConstInt(i32, (unsigned)lane, false), value = LLVMGetOperand(call, VALUE);
  LLVMPositionBuilderBefore(builder, call);
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  LLVMValueRef to = LLVMBuildGEP2(builder, element, LLVMGetOperand(call, ADDRESS), &at, 1, "");
  LLVMValueRef store = LLVMBuildStore(builder, LLVMBuildExtractElement(builder, value, at, ""), to);
  LLVMSetAlignment(store, 1); // x86, for which there are masks, does not ask
  LLVMInstructionEraseFromParent(call);
}

void gj__store_single_lanes(LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        int lane = is_masked_store(i) ? only_lane(LLVMGetOperand(i, MASK)) : -1;
        if (lane >= 0)
          store_lane(builder, i, lane);
      }
  LLVMDisposeBuilder(builder);
}
