// Masks as numbers: bool vectors to words of bits, words to bool vectors, and how many are true.
//
// A cast of lanes to bits is one instruction where LLVM sees a comparison behind it (movmskpd,
// kmov, bitmask). Back, the cast is one with AVX-512 only; LLVM takes it apart bit by bit for
// others. They compare: each lane keeps its own bit of the word.
//
//   mask<4>(w), 32 bytes  →  icmp eq (and (splat w), <1, 2, 4, 8>), <1, 2, 4, 8>
#include "codegen/context.h"

#include <string.h>

LLVMValueRef gj__cg_mask_number(gj__cg *cg, LLVMValueRef mask) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask));
  LLVMTypeRef type = LLVMIntTypeInContext(cg->context, lanes);
  LLVMValueRef bits = LLVMBuildBitCast(cg->builder, mask, type, "");
  return lanes == 64 ? bits : LLVMBuildZExt(cg->builder, bits, cg->i64, "");
}

LLVMValueRef gj__cg_bits(gj__cg *cg, const gj_lexpr *e) {
  return gj__cg_mask_number(cg, gj__cg_expr(cg, e->args[0]));
}

LLVMValueRef gj__cg_trues(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef bits = gj__cg_mask_number(cg, gj__cg_expr(cg, e->args[0]));
  return gj__cg_intrinsic1(cg, "llvm.ctpop", bits, NULL, NULL);
}

static LLVMTypeRef integer(gj__cg *cg, unsigned bits) {
  return LLVMIntTypeInContext(cg->context, bits);
}

// The bytes of the word, each for the eight lanes that its bits are of.
static LLVMValueRef spread_bytes(gj__cg *cg, LLVMValueRef word, unsigned lanes) {
  LLVMTypeRef bytes = LLVMVectorType(cg->i8, 8);
  LLVMValueRef from = LLVMBuildBitCast(cg->builder, word, bytes, ""), numbers[GJ_MAX_LANES];
  for (unsigned i = 0; i < lanes; i++)
    numbers[i] = LLVMConstInt(cg->i32, i / 8, false);
  return LLVMBuildShuffleVector(cg->builder, from, LLVMGetPoison(bytes),
                                LLVMConstVector(numbers, lanes), "");
}

LLVMValueRef gj__cg_mask(gj__cg *cg, const gj_lexpr *e) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef word = gj__cg_expr(cg, e->args[0]), own[GJ_MAX_LANES];
  unsigned lanes = e->type.lanes, width = cg->target->vector_bytes * 8 / lanes;
  if (strncmp(cg->target->triple, "x86_64", 6) == 0 && cg->target->vector_bytes == 64) {
    word = LLVMBuildTruncOrBitCast(b, word, integer(cg, lanes), "");
    return LLVMBuildBitCast(b, word, LLVMVectorType(cg->i1, lanes), "");
  }
  width = width < 8 ? 8 : width > 64 ? 64 : width; // of elements that fill a vector
  LLVMTypeRef element = integer(cg, width);
  for (unsigned i = 0; i < lanes; i++)
    own[i] = LLVMConstInt(element, 1ull << i % width, false);
  LLVMValueRef bits = LLVMConstVector(own, lanes);
  LLVMValueRef words = lanes > width
                           ? spread_bytes(cg, word, lanes)
                           : gj__cg_splat(cg, LLVMBuildTruncOrBitCast(b, word, element, ""), lanes);
  return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, words, bits, ""), bits, "");
}
