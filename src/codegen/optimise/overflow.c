// Products of 64 bits with overflow, and products of more, for machines of 32.
//
// LLVM's optimiser makes llvm.smul.with.overflow of a product that is divided again to see whether
// it overflowed. Machines of 64 bits have that in an instruction or two; for others LLVM calls a
// function of the compiler's library (__multi3, __mulodi4), which nobody here has. So there the
// division comes back:
//   overflow = a is -1 ? b is the least : a is not 0 and a · b / a is not b
//
// It also finds sums of counters without a loop, n · (n - 1) / 2 in 65 bits and the like. Such
// products are put together of those of halves of 64 bits, and these of halves of 32.
#include "codegen/optimise/optimise.h"

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

typedef struct halves {
  LLVMValueRef low, high;
} halves;

static halves split(LLVMBuilderRef b, LLVMValueRef value, unsigned bits) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeRef half = LLVMIntTypeInContext(LLVMGetTypeContext(type), bits);
  LLVMValueRef shifted = LLVMBuildLShr(b, value, LLVMConstInt(type, bits, false), "");
  return (halves){LLVMBuildTrunc(b, value, half, ""), LLVMBuildTrunc(b, shifted, half, "")};
}

// low + high · 2^(bits of half a `wide`)
static LLVMValueRef joined(LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high,
                           LLVMTypeRef wide) {
  LLVMValueRef by = LLVMConstInt(wide, LLVMGetIntTypeWidth(wide) / 2, false);
  LLVMValueRef top = LLVMBuildShl(b, LLVMBuildZExt(b, high, wide, ""), by, "");
  return LLVMBuildOr(b, LLVMBuildZExt(b, low, wide, ""), top, "");
}

// All 128 bits of x · y, of 64 bits each.
static halves full_product(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef type = LLVMTypeOf(x);
  halves p = split(b, x, 32), q = split(b, y, 32);
  LLVMValueRef parts[4] = {p.low, p.high, q.low, q.high};
  for (int i = 0; i < 4; i++)
    parts[i] = LLVMBuildZExt(b, parts[i], type, "");
  LLVMValueRef least = LLVMBuildMul(b, parts[0], parts[2], "");
  LLVMValueRef cross = LLVMBuildMul(b, parts[1], parts[2], "");
  LLVMValueRef other = LLVMBuildMul(b, parts[0], parts[3], "");
  LLVMValueRef by = LLVMConstInt(type, 32, false);
  // None of these sums passes 64 bits: (2^32 - 1)^2 + 2 · (2^32 - 1) is 2^64 - 1.
  LLVMValueRef middle = LLVMBuildAdd(b, cross, LLVMBuildLShr(b, least, by, ""), "");
  LLVMValueRef mask = LLVMConstInt(type, UINT32_MAX, false);
  LLVMValueRef last = LLVMBuildAdd(b, other, LLVMBuildAnd(b, middle, mask, ""), "");
  LLVMValueRef high = LLVMBuildMul(b, parts[1], parts[3], "");
  high = LLVMBuildAdd(b, high, LLVMBuildLShr(b, middle, by, ""), "");
  high = LLVMBuildAdd(b, high, LLVMBuildLShr(b, last, by, ""), "");
  LLVMValueRef low =
      LLVMBuildOr(b, LLVMBuildShl(b, last, by, ""), LLVMBuildAnd(b, least, mask, ""), "");
  return (halves){low, high};
}

static void lower_product(LLVMBuilderRef b, LLVMValueRef mul) {
  LLVMPositionBuilderBefore(b, mul);
  LLVMTypeRef type = LLVMTypeOf(mul);
  LLVMTypeRef wide = LLVMInt128TypeInContext(LLVMGetTypeContext(type));
  halves p = split(b, LLVMBuildZExt(b, LLVMGetOperand(mul, 0), wide, ""), 64);
  halves q = split(b, LLVMBuildZExt(b, LLVMGetOperand(mul, 1), wide, ""), 64);
  halves full = full_product(b, p.low, q.low);
  LLVMValueRef cross =
      LLVMBuildAdd(b, LLVMBuildMul(b, p.low, q.high, ""), LLVMBuildMul(b, p.high, q.low, ""), "");
  LLVMValueRef high = LLVMBuildAdd(b, full.high, cross, "");
  LLVMValueRef value = LLVMBuildTrunc(b, joined(b, full.low, high, wide), type, "");
  LLVMReplaceAllUsesWith(mul, value);
  LLVMInstructionEraseFromParent(mul);
}

static bool is_wide_product(LLVMValueRef instruction) {
  LLVMTypeRef type = LLVMTypeOf(instruction);
  if (LLVMGetInstructionOpcode(instruction) != LLVMMul ||
      LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return false;
  unsigned bits = LLVMGetIntTypeWidth(type);
  return bits > 64 && bits <= 128;
}

static void lower_products(LLVMBuilderRef builder, LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef next, i = LLVMGetFirstInstruction(b); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (is_wide_product(i))
          lower_product(builder, i);
      }
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
  lower_products(builder, module);
  LLVMDisposeBuilder(builder);
}
