// Lookups in small constant tables without memory: the table lies in one or two vector registers
// and a permutation picks an element for each lane.
//
//   t[i], i of <8 x i64>, t of 16 double  →  llvm.x86.avx512.vpermi2var.pd.512(t[0…7], i, t[8…15])
//
// One instruction, where a gather takes one load per lane. Only AVX-512 has permutations that are
// so general. AVX2 permutes eight floats, so two permutations and a choice serve for 16 floats or,
// as pairs of floats, for 8 doubles; for anything else it gathers, as other targets do, and fast
// functions that live on lookups are not used then (mathlib.c). LLVM's IR has no shuffle by a
// variable, hence the target's own intrinsics. They read only the low bits of an index, which is
// therefore not masked.
#include "codegen/context.h"

#include <string.h>

// The lanes of the registers in which elements of this many bytes are permuted; 0 if they are not.
static unsigned permuted_lanes(const gj__cg *cg, size_t bytes) {
  if (strncmp(cg->target->triple, "x86_64", 6) != 0)
    return 0;
  if (cg->target->vector_bytes == 64)
    return 64 / (unsigned)bytes;
  return cg->target->vector_bytes == 32 && bytes >= 4 ? 32 / (unsigned)bytes : 0;
}

// The tables of fast functions have 16 elements.
bool gj__cg_has_permute(const gj__cg *cg, gj_dtype dtype) {
  return 2 * permuted_lanes(cg, gj_dtype_bytes(dtype)) >= 16;
}

static LLVMValueRef constant_part(LLVMValueRef table, unsigned from, unsigned count) {
  LLVMValueRef elements[16];
  for (unsigned i = 0; i < count; i++)
    elements[i] = LLVMGetAggregateElement(table, from + i);
  return LLVMConstVector(elements, count);
}

// Calls an intrinsic that is not overloaded.
static LLVMValueRef call_intrinsic(gj__cg *cg, const char *name, LLVMValueRef *args,
                                   unsigned count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(cg->module, id, NULL, 0);
  return LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

// `count` lanes of v from lane `from`; lanes beyond the end are poison.
static LLVMValueRef part_of(gj__cg *cg, LLVMValueRef v, unsigned from, unsigned count) {
  unsigned have = LLVMGetVectorSize(LLVMTypeOf(v));
  LLVMValueRef mask[GJ_MAX_LANES];
  if (from == 0 && have == count)
    return v;
  for (unsigned i = 0; i < count; i++)
    mask[i] = from + i < have ? LLVMConstInt(cg->i32, from + i, false) : LLVMGetPoison(cg->i32);
  return LLVMBuildShuffleVector(cg->builder, v, LLVMGetPoison(LLVMTypeOf(v)),
                                LLVMConstVector(mask, count), "");
}

// a and b one behind the other; both have `lanes` lanes.
static LLVMValueRef join(gj__cg *cg, LLVMValueRef a, LLVMValueRef b, unsigned lanes) {
  LLVMValueRef mask[64];
  for (unsigned i = 0; i < 2 * lanes; i++)
    mask[i] = LLVMConstInt(cg->i32, i, false);
  return LLVMBuildShuffleVector(cg->builder, a, b, LLVMConstVector(mask, 2 * lanes), "");
}

// Eight or sixteen floats by eight indices with AVX2.
static LLVMValueRef permute_avx2(gj__cg *cg, LLVMValueRef table, LLVMValueRef index,
                                 unsigned length) {
  LLVMValueRef low[2] = {constant_part(table, 0, 8), index};
  LLVMValueRef first = call_intrinsic(cg, "llvm.x86.avx2.permps", low, 2);
  if (length == 8)
    return first;
  LLVMValueRef high[2] = {constant_part(table, 8, 8), index};
  LLVMValueRef second = call_intrinsic(cg, "llvm.x86.avx2.permps", high, 2);
  LLVMTypeRef type = LLVMTypeOf(index);
  LLVMValueRef shift = gj__const_splat(LLVMConstInt(cg->i32, 28, false), 8);
  LLVMValueRef top = LLVMBuildShl(cg->builder, index, shift, "");
  LLVMValueRef is_high = LLVMBuildICmp(cg->builder, LLVMIntSLT, top, LLVMConstNull(type), "");
  return LLVMBuildSelect(cg->builder, is_high, second, first, "");
}

// Where the halves of doubles lie among floats: element i at 2 i and 2 i + 1.
static LLVMValueRef halves_index(gj__cg *cg, LLVMValueRef index) {
  LLVMTypeRef floats = LLVMVectorType(cg->i32, 8);
  LLVMValueRef one = gj__const_splat(LLVMConstInt(cg->i64, 1, false), 4), mask[8], odd[8];
  LLVMValueRef twice = LLVMBuildShl(cg->builder, index, one, "");
  for (unsigned i = 0; i < 8; i++) {
    mask[i] = LLVMConstInt(cg->i32, i & ~1u, false);
    odd[i] = LLVMConstInt(cg->i32, i & 1, false);
  }
  twice = LLVMBuildBitCast(cg->builder, twice, floats, "");
  twice = LLVMBuildShuffleVector(cg->builder, twice, LLVMGetPoison(floats),
                                 LLVMConstVector(mask, 8), "");
  return LLVMBuildAdd(cg->builder, twice, LLVMConstVector(odd, 8), "");
}

// Four or eight doubles by four indices with AVX2.
static LLVMValueRef permute_pairs(gj__cg *cg, LLVMValueRef table, LLVMValueRef index,
                                  unsigned length) {
  LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(cg->context), 8);
  LLVMValueRef halves = halves_index(cg, index), part[2] = {NULL, NULL};
  for (unsigned i = 0; i < length / 4; i++) {
    LLVMValueRef values = constant_part(table, 4 * i, 4);
    LLVMValueRef args[2] = {LLVMConstBitCast(values, floats), halves};
    part[i] = LLVMBuildBitCast(cg->builder, call_intrinsic(cg, "llvm.x86.avx2.permps", args, 2),
                               LLVMTypeOf(values), "");
  }
  if (length == 4)
    return part[0];
  LLVMValueRef shift = gj__const_splat(LLVMConstInt(cg->i64, 61, false), 4);
  LLVMValueRef top = LLVMBuildShl(cg->builder, index, shift, "");
  LLVMValueRef is_high =
      LLVMBuildICmp(cg->builder, LLVMIntSLT, top, LLVMConstNull(LLVMTypeOf(index)), "");
  return LLVMBuildSelect(cg->builder, is_high, part[1], part[0], "");
}

// The lookup for one full register of indices.
static LLVMValueRef permute(gj__cg *cg, LLVMValueRef table, LLVMValueRef index, unsigned length) {
  if (cg->target->vector_bytes < 64)
    return LLVMGetVectorSize(LLVMTypeOf(index)) == 4 ? permute_pairs(cg, table, index, length)
                                                     : permute_avx2(cg, table, index, length);
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(index));
  LLVMValueRef low = constant_part(table, 0, lanes);
  if (length == lanes) {
    LLVMValueRef args[2] = {low, index};
    return call_intrinsic(
        cg, lanes == 8 ? "llvm.x86.avx512.permvar.df.512" : "llvm.x86.avx512.permvar.sf.512", args,
        2);
  }
  LLVMValueRef args[3] = {low, index, constant_part(table, lanes, lanes)};
  return call_intrinsic(
      cg, lanes == 8 ? "llvm.x86.avx512.vpermi2var.pd.512" : "llvm.x86.avx512.vpermi2var.ps.512",
      args, 3);
}

// Any number of lanes, in registers of `full` lanes.
static LLVMValueRef lookup(gj__cg *cg, LLVMValueRef table, LLVMValueRef index, unsigned length,
                           unsigned full) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(index));
  if (lanes <= full)
    return part_of(cg, permute(cg, table, part_of(cg, index, 0, full), length), 0, lanes);
  unsigned half = lanes / 2;
  LLVMValueRef low = lookup(cg, table, part_of(cg, index, 0, half), length, full);
  LLVMValueRef high = lookup(cg, table, part_of(cg, index, half, half), length, full);
  return join(cg, low, high, half);
}

LLVMValueRef gj__cg_lookup(gj__cg *cg, LLVMValueRef table, LLVMValueRef index) {
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(table));
  bool narrow = LLVMGetTypeKind(element) == LLVMFloatTypeKind;
  unsigned length = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(table));
  unsigned lanes = permuted_lanes(cg, narrow ? 4 : 8);
  if (lanes == 0 || (length != lanes && length != 2 * lanes))
    return NULL;
  return lookup(cg, table, index, length, lanes);
}
