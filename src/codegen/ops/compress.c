// The lanes of a vector where a mask is true, next to each other in front.
//
//   AVX-512            one instruction, which LLVM knows (llvm.experimental.vector.compress)
//   AVX2               a permutation of eight times 32 bits by indices from a table, which the mask
//                      as a number numbers the rows of
//   16 bytes           the same by a shuffle of bytes: SSSE3, WebAssembly, NEON
//   whatever is left   LLVM's own way: each lane is stored, and the place goes on where it is true
//
// What the lanes behind hold differs from machine to machine. Left out: tables for elements of one
// and two bytes, of which a vector has too many lanes.
#include "codegen/context.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 256, ROW_BYTES = 16, PERMUTED = 8 };

// Row b has the numbers of the pieces, `each` per lane, of the lanes whose bits are set in b, and
// then zeros.
static LLVMValueRef table_of(gj__cg *cg, unsigned lanes, unsigned each) {
  char name[32];
  snprintf(name, sizeof name, "gj.compress.%ux%u", lanes, each);
  LLVMValueRef table = LLVMGetNamedGlobal(cg->module, name);
  if (table)
    return table;
  unsigned width = lanes * each;
  char bytes[MOST_ROWS * PERMUTED] = {0};
  for (unsigned row = 0; row < 1u << lanes; row++) {
    unsigned at = 0;
    for (unsigned lane = 0; lane < lanes; lane++)
      for (unsigned k = 0; k < each && (row >> lane & 1); k++)
        bytes[row * width + at++] = (char)(lane * each + k);
  }
  unsigned length = width << lanes;
  LLVMValueRef data = LLVMConstStringInContext2(cg->context, bytes, length, true);
  table = LLVMAddGlobal(cg->module, LLVMTypeOf(data), name);
  LLVMSetInitializer(table, data);
  LLVMSetGlobalConstant(table, true);
  LLVMSetLinkage(table, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(table, ROW_BYTES);
  return table;
}

// The row of the table for a mask, as a vector of bytes.
static LLVMValueRef row_of(gj__cg *cg, LLVMValueRef mask, unsigned each) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask)), width = lanes * each;
  LLVMTypeRef type = LLVMVectorType(cg->i8, width);
  LLVMValueRef number = gj__cg_mask_number(cg, mask);
  LLVMValueRef row = LLVMBuildGEP2(cg->builder, type, table_of(cg, lanes, each), &number, 1, "");
  LLVMValueRef load = LLVMBuildLoad2(cg->builder, type, row, "");
  LLVMSetAlignment(load, width);
  return load;
}

static LLVMValueRef call_intrinsic(gj__cg *cg, const char *name, LLVMTypeRef *types, unsigned count,
                                   LLVMValueRef *args) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(cg->module, id, types, count);
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, args, 2, "");
}

// What shuffles 16 bytes by 16 others, or NULL.
static const char *byte_shuffle(const gj__cg *cg) {
  const char *triple = cg->target->triple;
  if (cg->target->wasm)
    return "llvm.wasm.swizzle";
  if (strncmp(triple, "aarch64", 7) == 0)
    return "llvm.aarch64.neon.tbl1";
  bool x86 = strncmp(triple, "x86_64", 6) == 0;
  return x86 && strstr(cg->target->features, "+ssse3") ? "llvm.x86.ssse3.pshuf.b.128" : NULL;
}

static LLVMValueRef by_bytes(gj__cg *cg, const char *name, LLVMValueRef value, LLVMValueRef row) {
  LLVMTypeRef type = LLVMTypeOf(row);
  LLVMValueRef args[] = {LLVMBuildBitCast(cg->builder, value, type, ""), row};
  bool overloaded = strncmp(cg->target->triple, "aarch64", 7) == 0;
  return call_intrinsic(cg, name, &type, overloaded, args);
}

static LLVMValueRef by_words(gj__cg *cg, LLVMValueRef value, LLVMValueRef row) {
  LLVMTypeRef type = LLVMVectorType(cg->i32, PERMUTED);
  LLVMValueRef args[] = {LLVMBuildBitCast(cg->builder, value, type, ""),
                         LLVMBuildZExt(cg->builder, row, type, "")};
  return call_intrinsic(cg, "llvm.x86.avx2.permd", NULL, 0, args);
}

// `lanes` lanes, the first of them those of v: the others are those of `rest`.
static LLVMValueRef resized(gj__cg *cg, LLVMValueRef v, LLVMValueRef rest, unsigned lanes) {
  LLVMValueRef numbers[GJ_MAX_LANES];
  for (unsigned i = 0; i < lanes; i++)
    numbers[i] = LLVMConstInt(cg->i32, i, false);
  return LLVMBuildShuffleVector(cg->builder, v, rest, LLVMConstVector(numbers, lanes), "");
}

// By a table; NULL where the machine has no shuffle for that.
static LLVMValueRef by_table(gj__cg *cg, LLVMValueRef value, LLVMValueRef mask, unsigned bytes) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(value));
  const char *triple = cg->target->triple, *shuffle = byte_shuffle(cg);
  bool avx2 = strncmp(triple, "x86_64", 6) == 0 && cg->target->vector_bytes == 32;
  if (bytes * lanes == ROW_BYTES && shuffle)
    return by_bytes(cg, shuffle, value, row_of(cg, mask, bytes));
  if (bytes * lanes == 4 * PERMUTED && avx2)
    return by_words(cg, value, row_of(cg, mask, bytes / 4));
  if (2 * bytes * lanes != ROW_BYTES || !shuffle)
    return NULL;
  value = resized(cg, value, LLVMGetPoison(LLVMTypeOf(value)), 2 * lanes);
  mask = resized(cg, mask, LLVMConstNull(LLVMTypeOf(mask)), 2 * lanes);
  LLVMTypeRef type = LLVMTypeOf(value);
  value = LLVMBuildBitCast(cg->builder, by_table(cg, value, mask, bytes), type, "");
  return resized(cg, value, LLVMGetPoison(type), lanes);
}

LLVMValueRef gj__cg_compress(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef value = gj__cg_expr(cg, e->args[0]), mask = gj__cg_expr(cg, e->args[1]);
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned bytes = (unsigned)gj_dtype_bytes((gj_dtype)e->type.dtype);
  bool table = bytes >= 4 && cg->target->vector_bytes < 64;
  LLVMValueRef moved = table ? by_table(cg, value, mask, bytes) : NULL;
  if (moved)
    return LLVMBuildBitCast(cg->builder, moved, type, "");
  LLVMValueRef args[] = {value, mask, LLVMGetPoison(type)};
  return gj__cg_intrinsic(cg, "llvm.experimental.vector.compress", &type, 1, args, 3);
}
