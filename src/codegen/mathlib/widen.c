// Copies a function into another module, each scalar made a vector.
//
// Widening takes straight-line code (the math library's rule) and rewrites instruction by
// instruction:
//   %t = fmul double %x, 2.0     →   %t = fmul <8 x double> %x, splat (double 2.0)
//   %v = load double, ptr %p     →   a permutation (lookup.c), a masked.gather, or one load and a
//   splat where %p is a constant
// so every lane computes exactly what the scalar function does. At one lane the copy is literal and
// may have any control flow. What a function calls comes along: intrinsics by name, its own helpers
// as copies. Anything else is an internal error naming function and instruction, which a test over
// the whole library would show.
#include "codegen/context.h"

#include <stdio.h>
#include <string.h>

typedef struct copier {
  gj__cg *cg;
  LLVMValueRef source;
  unsigned lanes;
  gj__memo map; // source value → copy
} copier;

static LLVMValueRef refuse(copier *c, LLVMValueRef what) {
  size_t length = 0;
  char *text = LLVMPrintValueToString(what);
  gj__cg_fail(c->cg, GJ_E_INTERNAL, "codegen: math function %s at %u lanes: cannot copy %.200s",
              LLVMGetValueName2(c->source, &length), c->lanes, text);
  LLVMDisposeMessage(text);
  return NULL;
}

static LLVMTypeRef widen_type(copier *c, LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? type : gj__with_lanes(type, c->lanes);
}

// --- constants ---

// Tables are constants of the library's module and get a private twin here.
static LLVMValueRef copy_global(copier *c, LLVMValueRef global) {
  LLVMValueRef initial = LLVMGetInitializer(global);
  if (!initial || !LLVMIsGlobalConstant(global))
    return refuse(c, global);
  size_t length = 0;
  char name[96];
  snprintf(name, sizeof name, "gjm.%.80s", LLVMGetValueName2(global, &length));
  LLVMValueRef copy = LLVMGetNamedGlobal(c->cg->module, name);
  if (copy)
    return copy;
  copy = LLVMAddGlobal(c->cg->module, LLVMGlobalGetValueType(global), name);
  LLVMSetInitializer(copy, initial);
  LLVMSetGlobalConstant(copy, true);
  LLVMSetLinkage(copy, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(copy, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(copy, LLVMGetAlignment(global));
  return copy;
}

static LLVMValueRef copy_constant(copier *c, LLVMValueRef value) {
  if (LLVMIsAGlobalVariable(value))
    return copy_global(c, value);
  if (!LLVMIsAConstantExpr(value))
    return value;
  if (LLVMGetConstOpcode(value) != LLVMGetElementPtr)
    return refuse(c, value);
  int count = LLVMGetNumOperands(value);
  LLVMValueRef base = copy_constant(c, LLVMGetOperand(value, 0)), indices[8];
  if (!base || count > 9)
    return refuse(c, value);
  for (int i = 1; i < count; i++)
    indices[i - 1] = LLVMGetOperand(value, (unsigned)i);
  return LLVMConstGEPWithNoWrapFlags(LLVMGetGEPSourceElementType(value), base, indices,
                                     (unsigned)count - 1, LLVMGEPGetNoWrapFlags(value));
}

// The copy of an operand: what the map has, or a constant, repeated over the lanes unless it is a
// pointer.
static LLVMValueRef operand(copier *c, LLVMValueRef value) {
  LLVMValueRef copy = gj__memo_get(&c->map, value);
  if (copy)
    return copy;
  if (!LLVMIsAConstant(value))
    return refuse(c, value);
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind || c->lanes == 1)
    return copy_constant(c, value);
  if (LLVMIsAPoisonValue(value) || LLVMIsAUndefValue(value))
    return LLVMGetPoison(widen_type(c, type));
  if (!LLVMIsAConstantInt(value) && !LLVMIsAConstantFP(value))
    return refuse(c, value);
  return gj__const_splat(value, c->lanes);
}

// --- functions called ---

static LLVMValueRef copy_callee(copier *c, LLVMValueRef callee) {
  size_t length = 0;
  const char *name = LLVMGetValueName2(callee, &length);
  LLVMValueRef known = LLVMGetNamedFunction(c->cg->module, name);
  if (known)
    return known;
  if (LLVMGetIntrinsicID(callee))
    return LLVMAddFunction(c->cg->module, name, LLVMGlobalGetValueType(callee));
  if (LLVMIsDeclaration(callee))
    return refuse(c, callee);
  LLVMValueRef copy = gj__clone_function(c->cg, callee, 1, name);
  if (copy) // only slow parts have helpers
    gj__cg_mark_cold(c->cg, copy);
  return copy;
}

// An intrinsic's name ends in the types it is overloaded on, which LLVM's C interface does not
// list. They are the result, the first operand, or both: whichever makes the scalar's own name.
static unsigned overloaded_types(LLVMValueRef callee, LLVMTypeRef result, LLVMTypeRef first,
                                 LLVMTypeRef *types, LLVMTypeRef *out) {
  LLVMTypeRef guesses[3][2] = {{result, NULL}, {result, first}, {first, NULL}};
  unsigned id = LLVMGetIntrinsicID(callee);
  size_t length = 0, have = 0;
  const char *name = LLVMGetValueName2(callee, &have);
  for (unsigned i = 0; i < 3; i++) {
    unsigned count = guesses[i][1] ? 2 : 1;
    char *guess = LLVMIntrinsicCopyOverloadedName(id, guesses[i], count, &length);
    bool same = length == have && memcmp(guess, name, length) == 0;
    LLVMDisposeMessage(guess);
    if (!same)
      continue;
    out[0] = i == 2 ? types[1] : types[0];
    out[1] = types[1];
    return count;
  }
  return 0;
}

static LLVMValueRef widen_call(copier *c, LLVMValueRef instruction) {
  LLVMValueRef callee = LLVMGetCalledValue(instruction), args[4];
  unsigned count = LLVMGetNumArgOperands(instruction);
  if (!callee || !LLVMIsAFunction(callee) || count < 1 || count > 4)
    return refuse(c, instruction);
  unsigned id = LLVMGetIntrinsicID(callee);
  if (!id || !LLVMIntrinsicIsOverloaded(id))
    return refuse(c, instruction);
  LLVMTypeRef result = LLVMTypeOf(instruction), first = LLVMTypeOf(LLVMGetOperand(instruction, 0));
  LLVMTypeRef wide[2] = {widen_type(c, result), widen_type(c, first)}, types[2];
  unsigned type_count = overloaded_types(callee, result, first, wide, types);
  if (!type_count)
    return refuse(c, instruction);
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(c->cg->module, id, types, type_count);
  LLVMTypeRef type = LLVMGlobalGetValueType(f), params[4];
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < count; i++) { // immediate operands stay scalar
    LLVMValueRef arg = LLVMGetOperand(instruction, i);
    args[i] = LLVMGetTypeKind(params[i]) == LLVMVectorTypeKind ? operand(c, arg) : arg;
    if (!args[i])
      return NULL;
  }
  return LLVMBuildCall2(c->cg->builder, type, f, args, count, "");
}

// --- widening ---

// Table access: the base is a constant, the index a vector.
static LLVMValueRef widen_gep(copier *c, LLVMValueRef instruction) {
  int count = LLVMGetNumOperands(instruction);
  LLVMValueRef base = operand(c, LLVMGetOperand(instruction, 0)), indices[8];
  if (!base || count > 9)
    return refuse(c, instruction);
  for (int i = 1; i < count; i++) {
    LLVMValueRef index = LLVMGetOperand(instruction, (unsigned)i);
    indices[i - 1] = LLVMIsAConstant(index) ? index : operand(c, index);
    if (!indices[i - 1])
      return NULL;
  }
  return LLVMBuildGEPWithNoWrapFlags(c->cg->builder, LLVMGetGEPSourceElementType(instruction), base,
                                     indices, (unsigned)count - 1, "",
                                     LLVMGEPGetNoWrapFlags(instruction));
}

// The index of each lane as a vector of integers as wide as the elements, or NULL. A mask that
// keeps it below `length` goes, since lookups do that by themselves.
static LLVMValueRef lookup_index(copier *c, LLVMValueRef index, LLVMTypeRef element,
                                 unsigned length) {
  bool narrow = LLVMGetTypeKind(element) == LLVMFloatTypeKind;
  if (narrow && LLVMIsAZExtInst(index))
    index = LLVMGetOperand(index, 0);
  if (LLVMIsAInstruction(index) && LLVMGetInstructionOpcode(index) == LLVMAnd) {
    LLVMValueRef mask = LLVMGetOperand(index, 1);
    if (LLVMIsAConstantInt(mask) && LLVMConstIntGetZExtValue(mask) == length - 1)
      index = LLVMGetOperand(index, 0);
  }
  LLVMTypeRef wanted = narrow ? c->cg->i32 : c->cg->i64;
  return LLVMTypeOf(index) == wanted && LLVMIsAInstruction(index) ? operand(c, index) : NULL;
}

// The constant array of `element`s that begins at this address: a table, or a row of one with two
// dimensions. NULL for anything else.
static LLVMValueRef table_at(LLVMValueRef address, LLVMTypeRef element) {
  uint64_t offset = 0, bytes = LLVMGetTypeKind(element) == LLVMFloatTypeKind ? 4 : 8;
  if (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr &&
      LLVMGetNumOperands(address) == 2 &&
      LLVMGetGEPSourceElementType(address) == LLVMInt8TypeInContext(LLVMGetTypeContext(element))) {
    offset = LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1));
    address = LLVMGetOperand(address, 0);
  }
  if (!LLVMIsAGlobalVariable(address) || !LLVMIsGlobalConstant(address))
    return NULL;
  LLVMValueRef table = LLVMGetInitializer(address);
  if (!table || LLVMGetTypeKind(LLVMTypeOf(table)) != LLVMArrayTypeKind)
    return NULL;
  LLVMTypeRef inner = LLVMGetElementType(LLVMTypeOf(table));
  if (LLVMGetTypeKind(inner) == LLVMArrayTypeKind) {
    uint64_t stride = LLVMGetArrayLength2(inner) * bytes, row = offset / stride;
    if (row * stride != offset || row >= LLVMGetArrayLength2(LLVMTypeOf(table)))
      return NULL;
    table = LLVMGetAggregateElement(table, (unsigned)row);
    offset = 0;
  }
  return offset == 0 && LLVMGetElementType(LLVMTypeOf(table)) == element ? table : NULL;
}

// table[index] where the table fits into registers; NULL where it must be gathered.
static LLVMValueRef widen_lookup(copier *c, LLVMValueRef instruction) {
  LLVMValueRef gep = LLVMGetOperand(instruction, 0);
  LLVMTypeRef element = LLVMTypeOf(instruction);
  if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 ||
      LLVMGetGEPSourceElementType(gep) != element)
    return NULL;
  LLVMValueRef table = table_at(LLVMGetOperand(gep, 0), element);
  if (!table)
    return NULL;
  unsigned length = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(table));
  LLVMValueRef index = lookup_index(c, LLVMGetOperand(gep, 1), element, length);
  return index ? gj__cg_lookup(c->cg, table, index) : NULL;
}

static LLVMValueRef widen_load(copier *c, LLVMValueRef instruction) {
  LLVMValueRef permuted = widen_lookup(c, instruction);
  if (permuted)
    return permuted;
  LLVMValueRef pointer = operand(c, LLVMGetOperand(instruction, 0));
  LLVMTypeRef type = LLVMTypeOf(instruction);
  if (!pointer || LLVMGetVolatile(instruction))
    return refuse(c, instruction);
  if (LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMVectorTypeKind)
    return gj__cg_gather(c->cg, widen_type(c, type), pointer, LLVMGetAlignment(instruction));
  LLVMValueRef load = LLVMBuildLoad2(c->cg->builder, type, pointer, "");
  LLVMSetAlignment(load, LLVMGetAlignment(instruction));
  return gj__cg_splat(c->cg, load, c->lanes);
}

static LLVMValueRef widen_binary(copier *c, LLVMValueRef instruction, LLVMOpcode opcode,
                                 LLVMValueRef *a) {
  LLVMValueRef v = LLVMBuildBinOp(c->cg->builder, opcode, a[0], a[1], "");
  if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != opcode)
    return v;
  if (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl) {
    LLVMSetNSW(v, LLVMGetNSW(instruction));
    LLVMSetNUW(v, LLVMGetNUW(instruction));
  } else if (opcode == LLVMLShr || opcode == LLVMAShr || opcode == LLVMUDiv || opcode == LLVMSDiv) {
    LLVMSetExact(v, LLVMGetExact(instruction));
  } else if (opcode == LLVMOr) {
    LLVMSetIsDisjoint(v, LLVMGetIsDisjoint(instruction));
  }
  return v;
}

// Casts which LLVM takes apart in wasm (convert_wasm.c), as the conversions that they are; NULL for
// others.
static LLVMValueRef widen_wasm_cast(copier *c, LLVMOpcode opcode, LLVMValueRef x, LLVMTypeRef to) {
  gj__cg *cg = c->cg;
  LLVMTypeRef from = LLVMGetElementType(LLVMTypeOf(x));
  if (opcode == LLVMFPTrunc && from == cg->f64 && to == cg->f32)
    return gj__cg_convert(cg, x, GJ_DTYPE_f64, GJ_DTYPE_f32, c->lanes);
  if (opcode == LLVMSIToFP && from == cg->i32 && to == cg->f32)
    return gj__cg_convert(cg, x, GJ_DTYPE_i32, GJ_DTYPE_f32, c->lanes);
  if (opcode == LLVMSIToFP && from == cg->i64 && to == cg->f64)
    return gj__cg_convert(cg, x, GJ_DTYPE_i64, GJ_DTYPE_f64, c->lanes);
  if (opcode == LLVMFPToSI && to == cg->i32 && (from == cg->f32 || from == cg->f64))
    return gj__cg_wasm_saturate(cg, x, GJ_DTYPE_i32, c->lanes);
  return NULL;
}

static LLVMValueRef widen_cast(copier *c, LLVMValueRef instruction, LLVMOpcode opcode,
                               LLVMValueRef x) {
  LLVMTypeRef to = LLVMTypeOf(instruction);
  LLVMValueRef cast = NULL;
  if (c->cg->target->wasm)
    cast = widen_wasm_cast(c, opcode, x, to);
  return cast ? cast : LLVMBuildCast(c->cg->builder, opcode, x, widen_type(c, to), "");
}

static LLVMValueRef widen_operator(copier *c, LLVMValueRef instruction, LLVMOpcode opcode) {
  LLVMBuilderRef b = c->cg->builder;
  LLVMValueRef a[3] = {0};
  int count = LLVMGetNumOperands(instruction);
  for (int i = 0; i < count && i < 3; i++)
    if (!(a[i] = operand(c, LLVMGetOperand(instruction, (unsigned)i))))
      return NULL;
  switch (opcode) {
  case LLVMFNeg:
    return LLVMBuildFNeg(b, a[0], "");
  case LLVMICmp:
    return gj__cg_icmp(c->cg, LLVMGetICmpPredicate(instruction), a[0], a[1]);
  case LLVMFCmp:
    return LLVMBuildFCmp(b, LLVMGetFCmpPredicate(instruction), a[0], a[1], "");
  case LLVMSelect:
    return LLVMBuildSelect(b, a[0], a[1], a[2], "");
  case LLVMFreeze:
    return LLVMBuildFreeze(b, a[0], "");
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMFPTrunc:
  case LLVMFPExt:
  case LLVMFPToUI:
  case LLVMFPToSI:
  case LLVMUIToFP:
  case LLVMSIToFP:
  case LLVMBitCast:
    return widen_cast(c, instruction, opcode, a[0]);
  default:
    if (count == 2 && LLVMIsABinaryOperator(instruction))
      return widen_binary(c, instruction, opcode, a);
    return refuse(c, instruction);
  }
}

static LLVMValueRef widen_instruction(copier *c, LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  switch (opcode) {
  case LLVMGetElementPtr:
    return widen_gep(c, instruction);
  case LLVMLoad:
    return widen_load(c, instruction);
  case LLVMCall:
    return widen_call(c, instruction);
  case LLVMRet: {
    LLVMValueRef value = operand(c, LLVMGetOperand(instruction, 0));
    return value ? LLVMBuildRet(c->cg->builder, value) : NULL;
  }
  default:
    return widen_operator(c, instruction, opcode);
  }
}

static void widen_body(copier *c, LLVMValueRef copy) {
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(c->source);
  if (LLVMGetNextBasicBlock(block)) {
    refuse(c, LLVMGetBasicBlockTerminator(block));
    return;
  }
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c->cg->context, copy, "entry");
  LLVMPositionBuilderAtEnd(c->cg->builder, entry);
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef wide = widen_instruction(c, i);
    if (!wide)
      return;
    gj__memo_put(c->cg, &c->map, i, wide);
  }
}

// --- literal copies ---

static LLVMBasicBlockRef copied_block(copier *c, LLVMBasicBlockRef block) {
  return LLVMValueAsBasicBlock(gj__memo_get(&c->map, LLVMBasicBlockAsValue(block)));
}

// First pass: the instruction itself, still with the operands of the original.
static void copy_instruction(copier *c, LLVMValueRef instruction) {
  LLVMBuilderRef b = c->cg->builder;
  LLVMValueRef copy;
  if (LLVMIsAPHINode(instruction)) {
    copy = LLVMBuildPhi(b, LLVMTypeOf(instruction), "");
  } else {
    copy = LLVMInstructionClone(instruction);
    LLVMInsertIntoBuilder(b, copy);
  }
  gj__memo_put(c->cg, &c->map, instruction, copy);
}

static void connect_phi(copier *c, LLVMValueRef instruction, LLVMValueRef copy) {
  for (unsigned i = 0; i < LLVMCountIncoming(instruction); i++) {
    LLVMValueRef value = operand(c, LLVMGetIncomingValue(instruction, i));
    LLVMBasicBlockRef from = copied_block(c, LLVMGetIncomingBlock(instruction, i));
    if (!value)
      return;
    LLVMAddIncoming(copy, &value, &from, 1);
  }
}

// Second pass: operands, now that everything has a copy.
static void connect_instruction(copier *c, LLVMValueRef instruction) {
  LLVMValueRef copy = gj__memo_get(&c->map, instruction);
  if (LLVMIsAPHINode(instruction)) {
    connect_phi(c, instruction, copy);
    return;
  }
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef value = LLVMGetOperand(instruction, (unsigned)i), mapped = NULL;
    if (LLVMIsAFunction(value))
      mapped = copy_callee(c, value);
    else if (LLVMValueIsBasicBlock(value))
      mapped = gj__memo_get(&c->map, value);
    else
      mapped = operand(c, value);
    if (!mapped)
      return;
    LLVMSetOperand(copy, (unsigned)i, mapped);
  }
}

static void copy_body(copier *c, LLVMValueRef copy) {
  LLVMBasicBlockRef b;
  for (b = LLVMGetFirstBasicBlock(c->source); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMBasicBlockRef twin = LLVMAppendBasicBlockInContext(c->cg->context, copy, "");
    gj__memo_put(c->cg, &c->map, LLVMBasicBlockAsValue(b), LLVMBasicBlockAsValue(twin));
  }
  for (b = LLVMGetFirstBasicBlock(c->source); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMPositionBuilderAtEnd(c->cg->builder, copied_block(c, b));
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      copy_instruction(c, i);
  }
  for (b = LLVMGetFirstBasicBlock(c->source); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      connect_instruction(c, i);
}

// A literal copy is called as the original was: same convention, same attributes of the parameters
// (sret is part of how a function is called).
static void copy_signature(copier *c, LLVMValueRef copy, unsigned param_count) {
  LLVMSetFunctionCallConv(copy, LLVMGetFunctionCallConv(c->source));
  for (LLVMAttributeIndex at = 1; at <= param_count; at++) {
    unsigned count = LLVMGetAttributeCountAtIndex(c->source, at);
    LLVMAttributeRef attributes[32];
    if (count > 32) {
      refuse(c, c->source);
      return;
    }
    LLVMGetAttributesAtIndex(c->source, at, attributes);
    for (unsigned i = 0; i < count; i++)
      LLVMAddAttributeAtIndex(copy, at, attributes[i]);
  }
}

LLVMValueRef gj__clone_function(gj__cg *cg, LLVMValueRef source, unsigned lanes, const char *name) {
  copier c = {.cg = cg, .source = source, .lanes = lanes, .map = {.round = 1}};
  LLVMTypeRef type = LLVMGlobalGetValueType(source), params[8];
  unsigned count = LLVMCountParamTypes(type);
  if (count > 8) {
    refuse(&c, source);
    return NULL;
  }
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < count; i++)
    params[i] = widen_type(&c, params[i]);
  LLVMTypeRef returns = widen_type(&c, LLVMGetReturnType(type));
  LLVMValueRef copy = gj__cg_function(cg, name, LLVMFunctionType(returns, params, count, false));
  for (unsigned i = 0; i < count; i++)
    gj__memo_put(cg, &c.map, LLVMGetParam(source, i), LLVMGetParam(copy, i));
  if (lanes > 1) {
    widen_body(&c, copy);
  } else {
    copy_signature(&c, copy, count);
    copy_body(&c, copy);
  }
  gj__memo_fini(&c.map);
  return cg->status == GJ_OK ? copy : NULL;
}
