// Selects between two floats by their own comparison, in vectors of wasm.
//
// LLVM 22 takes all of them for pmin or pmax, which says something else about zeros of both signs
// where the comparison is one of <= and >=; and with relaxed simd for f32x4.relaxed_min and its
// like, whose results for NaN and for zeros are the engine's choice. So vectors get here what they
// say, by name and a register at a time:
//   pmin(a, b) = b < a ? b : a        pmax(a, b) = a < b ? b : a
// For comparisons that neither is (a <= b ? a : b gives the first of equal zeros), a fence, which
// is no instruction, hides from LLVM that they compare what is selected.
//
// Other relaxed instructions are only there where this code generator asks for them (truncation of
// what is in range, convert_wasm.c) or where contraction is allowed.
#include "codegen/optimise/optimise.h"

#include <llvm-c/Core.h>
#include <stdint.h>
#include <string.h>

enum { REGISTER_BITS = 128, MOST_LANES = 64 };

typedef struct rewriter {
  LLVMModuleRef module;
  LLVMBuilderRef builder;
} rewriter;

static LLVMValueRef call(rewriter *r, const char *name, LLVMValueRef *args, unsigned count) {
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(r->module, id, &type, 1);
  return LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

// `count` lanes from `first` on of the lanes of x and y, one after the other; those behind the last
// are poison.
static LLVMValueRef lanes_of(rewriter *r, LLVMValueRef x, LLVMValueRef y, unsigned first,
                             unsigned count) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(r->module));
  LLVMValueRef which[MOST_LANES];
  unsigned all = 2 * LLVMGetVectorSize(LLVMTypeOf(x));
  for (unsigned i = 0; i < count; i++)
    which[i] = first + i < all ? LLVMConstInt(i32, first + i, false) : LLVMGetPoison(i32);
  return LLVMBuildShuffleVector(r->builder, x, y, LLVMConstVector(which, count), "");
}

// pmin or pmax of vectors of any size.
static LLVMValueRef pseudo(rewriter *r, const char *name, LLVMValueRef a, LLVMValueRef b) {
  LLVMTypeRef type = LLVMTypeOf(a), element = LLVMGetElementType(type);
  unsigned lanes = LLVMGetVectorSize(type);
  unsigned whole = REGISTER_BITS / (LLVMGetTypeKind(element) == LLVMDoubleTypeKind ? 64 : 32);
  LLVMValueRef none = LLVMGetPoison(type), args[2] = {a, b};
  if (lanes == whole)
    return call(r, name, args, 2);
  if (lanes < whole) {
    LLVMValueRef wide =
        pseudo(r, name, lanes_of(r, a, none, 0, whole), lanes_of(r, b, none, 0, whole));
    return lanes_of(r, wide, LLVMGetPoison(LLVMTypeOf(wide)), 0, lanes);
  }
  unsigned half = lanes / 2;
  LLVMValueRef low = pseudo(r, name, lanes_of(r, a, none, 0, half), lanes_of(r, b, none, 0, half));
  LLVMValueRef high =
      pseudo(r, name, lanes_of(r, a, none, half, half), lanes_of(r, b, none, half, half));
  return lanes_of(r, low, high, 0, lanes);
}

// What stands for `x < y ? yes : no`, where x and y are what is selected.
static LLVMValueRef less(rewriter *r, LLVMValueRef x, LLVMValueRef y, LLVMValueRef yes) {
  return yes == x ? pseudo(r, "llvm.wasm.pmin", y, x) : pseudo(r, "llvm.wasm.pmax", x, y);
}

// What an ordinary comparison and select are when they select what they compare, or NULL.
static LLVMValueRef extreme(rewriter *r, LLVMValueRef condition, LLVMValueRef yes,
                            LLVMValueRef no) {
  if (!LLVMIsAFCmpInst(condition))
    return NULL;
  LLVMValueRef x = LLVMGetOperand(condition, 0), y = LLVMGetOperand(condition, 1);
  if (!(yes == x && no == y) && !(yes == y && no == x))
    return NULL;
  switch (LLVMGetFCmpPredicate(condition)) {
  case LLVMRealOLT:
    return less(r, x, y, yes);
  case LLVMRealOGT:
    return less(r, y, x, yes);
  case LLVMRealUGE: // not x < y
    return less(r, x, y, no);
  case LLVMRealULE:
    return less(r, y, x, no);
  default:
    return NULL;
  }
}

// A select that is no minimum or maximum stays one. Where its operands are not those of the
// comparison, LLVM may still find out that they are the same.
static void hide(rewriter *r, LLVMValueRef select) {
  unsigned side = LLVMIsConstant(LLVMGetOperand(select, 1)) ? 2 : 1;
  LLVMValueRef value = LLVMGetOperand(select, side);
  if (!LLVMIsConstant(value))
    LLVMSetOperand(select, side, call(r, "llvm.arithmetic.fence", &value, 1));
}

static bool selects_floats(LLVMValueRef i) {
  LLVMTypeRef type = LLVMTypeOf(i);
  if (LLVMGetInstructionOpcode(i) != LLVMSelect || LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
  return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static void rewrite_block(rewriter *r, LLVMBasicBlockRef block) {
  LLVMValueRef next;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
    next = LLVMGetNextInstruction(i);
    if (!selects_floats(i))
      continue;
    LLVMPositionBuilderBefore(r->builder, i);
    LLVMValueRef exact =
        extreme(r, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), LLVMGetOperand(i, 2));
    if (exact) {
      LLVMReplaceAllUsesWith(i, exact);
      LLVMInstructionEraseFromParent(i);
    } else {
      hide(r, i);
    }
  }
}

void gj__keep_extremes_exact(LLVMModuleRef module) {
  rewriter r = {module, LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      rewrite_block(&r, b);
  LLVMDisposeBuilder(r.builder);
}
