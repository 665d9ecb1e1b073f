// Makes loops of memcpy, memmove and memset.
//
// LLVM has functions for that, in C++ only, and runs them by itself just for targets that it knows
// to have no library.
#include "codegen/optimise/memory_shim.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

// What fits into stores of words even in code that has to be small.
static constexpr uint64_t StoredBytes = 32;

static bool isStored(const MemIntrinsic &Call) {
  auto *Length = dyn_cast<ConstantInt>(Call.getLength());
  return Length && Length->getZExtValue() <= StoredBytes;
}

static bool expand(MemIntrinsic *Call, const TargetTransformInfo &Target) {
  if (auto *Copy = dyn_cast<MemCpyInst>(Call))
    expandMemCpyAsLoop(Copy, Target);
  else if (auto *Move = dyn_cast<MemMoveInst>(Call))
    return expandMemMoveAsLoop(Move, Target);
  else
    expandMemSetAsLoop(cast<MemSetInst>(Call));
  return true;
}

extern "C" void gj__expand_memory(LLVMModuleRef Of) {
  Module &Own = *unwrap(Of);
  TargetTransformInfo Target(Own.getDataLayout());
  SmallVector<MemIntrinsic *, 16> Calls;
  for (Function &F : Own)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<MemIntrinsic>(&I); Call && !isStored(*Call))
        Calls.push_back(Call);
  for (MemIntrinsic *Call : Calls)
    if (expand(Call, Target))
      Call->eraseFromParent();
}
