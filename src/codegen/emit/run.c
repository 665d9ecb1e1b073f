// What functions ask of the run through gj_exec (base/exec.h): its fields, an exec where the
// caller gave none, how deep the stack is, and the heap.
//
// The heap's functions are called through pointers, so code needs no library. In WebAssembly there
// is nobody to call: there a function of the module's own moves the address where free memory
// begins.
//
// What alloc returns is `noalias`, as from malloc. It goes through an empty piece of assembly, so
// that LLVM has to believe that others know it: release() then counts as touching it, and nothing
// is moved across.
#include "codegen/context.h"

#include <string.h>

enum { SCRATCH, CANCEL, PARALLEL, SLOT, STACK_LIMIT, HEAP, FIELDS };
enum { OWN_STACK = 1 << 20 };     // bytes of stack below an entry that was called without a limit
enum { UNIT = 64, PAGE = 65536 }; // of a wasm heap: alignment, of memory

static LLVMTypeRef exec_type(gj__cg *cg) {
  LLVMTypeRef fields[FIELDS] = {cg->ptr, cg->ptr, cg->ptr, cg->i64, cg->ptr, cg->ptr};
  return LLVMStructTypeInContext(cg->context, fields, FIELDS, false);
}

static LLVMTypeRef address_type(gj__cg *cg) {
  return cg->target->pointer_bytes == 8 ? cg->i64 : cg->i32;
}

static LLVMValueRef field_of(gj__cg *cg, LLVMValueRef exec, unsigned index) {
  LLVMValueRef at[2] = {LLVMConstNull(cg->i32), LLVMConstInt(cg->i32, index, false)};
  return LLVMBuildGEPWithNoWrapFlags(cg->builder, exec_type(cg), exec, at, 2, "",
                                     LLVMGEPFlagInBounds | LLVMGEPFlagNUW);
}

LLVMValueRef gj__cg_exec_field(gj__cg *cg, LLVMTypeRef type, unsigned index) {
  LLVMValueRef address = field_of(cg, cg->exec, index);
  return cg->own_exec ? LLVMBuildLoad2(cg->builder, type, address, "")
                      : gj__cg_invariant_load(cg, type, address, 0);
}

// --- an exec of our own ---

// One that asks for nothing.
static LLVMValueRef none(gj__cg *cg) {
  LLVMValueRef global = LLVMGetNamedGlobal(cg->module, "none");
  if (global)
    return global;
  global = LLVMAddGlobal(cg->module, exec_type(cg), "none");
  LLVMSetInitializer(global, LLVMConstNull(exec_type(cg)));
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  return global;
}

static LLVMValueRef frame_address(gj__cg *cg) {
  LLVMValueRef level = LLVMConstInt(cg->i32, 0, false);
  LLVMValueRef frame = gj__cg_intrinsic(cg, "llvm.frameaddress", &cg->ptr, 1, &level, 1);
  return LLVMBuildPtrToInt(cg->builder, frame, address_type(cg), "");
}

// A copy of `given` on the stack whose limit lies a little below. What divides work takes its exec
// for a part of something larger, so one with that is not copied.
static LLVMValueRef with_limit(gj__cg *cg, LLVMValueRef given) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef types[FIELDS] = {cg->ptr, cg->ptr, cg->ptr, cg->i64, address_type(cg), cg->ptr};
  LLVMValueRef own = gj__cg_slot(cg, exec_type(cg), "exec", 0), values[FIELDS];
  for (unsigned i = 0; i < FIELDS; i++)
    values[i] = LLVMBuildLoad2(b, types[i], field_of(cg, given, i), "");
  LLVMValueRef lacks = LLVMBuildAnd(b, LLVMBuildIsNull(b, values[STACK_LIMIT], ""),
                                    LLVMBuildIsNull(b, values[PARALLEL], ""), "");
  LLVMValueRef below = LLVMConstInt(address_type(cg), OWN_STACK, false);
  values[STACK_LIMIT] = LLVMBuildSub(b, frame_address(cg), below, "");
  for (unsigned i = 0; i < FIELDS; i++)
    LLVMBuildStore(b, values[i], field_of(cg, own, i));
  return LLVMBuildSelect(b, lacks, own, given, "");
}

LLVMValueRef gj__cg_exec_or_none(gj__cg *cg, LLVMValueRef exec) {
  LLVMValueRef absent = LLVMBuildIsNull(cg->builder, exec, "");
  LLVMValueRef given = LLVMBuildSelect(cg->builder, absent, none(cg), exec, "");
  return cg->own_exec ? with_limit(cg, given) : given;
}

// --- the stack ---

// Where this frame is. On x86 the place of the return address, which needs no frame pointer.
static LLVMValueRef here(gj__cg *cg) {
  if (strncmp(cg->target->triple, "x86_64", 6) != 0)
    return frame_address(cg);
  LLVMValueRef at = gj__cg_intrinsic(cg, "llvm.addressofreturnaddress", &cg->ptr, 1, NULL, 0);
  return LLVMBuildPtrToInt(cg->builder, at, cg->i64, "");
}

LLVMValueRef gj__cg_unlikely(gj__cg *cg, LLVMValueRef condition) {
  if (!cg->options->vectorise)
    return condition;
  return gj__cg_intrinsic1(cg, "llvm.expect", condition, LLVMConstNull(cg->i1), NULL);
}

LLVMValueRef gj__cg_too_deep(gj__cg *cg) {
  if (cg->target->wasm)
    return LLVMConstNull(cg->i1);
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef type = address_type(cg);
  // Recursion that has been made a loop would never get deep, and might never end.
  gj__cg_string_attribute(cg, cg->function, "disable-tail-calls", "true");
  LLVMValueRef limit = gj__cg_exec_field(cg, type, STACK_LIMIT);
  LLVMValueRef arrays = LLVMConstInt(type, (uint64_t)cg->stack_bytes, false);
  limit = LLVMBuildAdd(b, limit, arrays, "");
  return gj__cg_unlikely(cg, LLVMBuildICmp(b, LLVMIntULT, here(cg), limit, "too_deep"));
}

// --- the heap ---

static void know(gj__cg *cg, LLVMValueRef pointer) {
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cg->context), &cg->ptr, 1, false);
  LLVMValueRef assembly =
      LLVMGetInlineAsm(type, "", 0, "r", 1, true, false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef call = LLVMBuildCall2(cg->builder, type, assembly, &pointer, 1, "");
  unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(cg->context, kind, 0));
}

static void call_attribute(gj__cg *cg, LLVMValueRef call, LLVMAttributeIndex at, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddCallSiteAttribute(call, at, LLVMCreateEnumAttribute(cg->context, kind, 0));
}

// Calls function `which` of gj_heap, in a block of its own where the heap is there; else `missing`.
static LLVMValueRef call_heap(gj__cg *cg, unsigned which, LLVMTypeRef returns, LLVMValueRef *args,
                              unsigned count, LLVMValueRef missing) {
  LLVMBuilderRef b = cg->builder;
  LLVMTypeRef types[3] = {cg->ptr, cg->i64, cg->i64};
  args[0] = gj__cg_exec_field(cg, cg->ptr, HEAP);
  LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b), gj__cg_block(cg, "heap", "")};
  LLVMBasicBlockRef end = gj__cg_block(cg, "heap", ".end");
  LLVMBuildCondBr(b, LLVMBuildIsNull(b, args[0], ""), end, from[1]);
  LLVMPositionBuilderAtEnd(b, from[1]);
  LLVMValueRef at = LLVMConstInt(cg->i64, which, false);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(b, cg->ptr, args[0], &at, 1, "");
  LLVMValueRef function = gj__cg_invariant_load(cg, cg->ptr, address, 0);
  LLVMTypeRef type = LLVMFunctionType(returns, types, count, false);
  LLVMValueRef call = LLVMBuildCall2(b, type, function, args, count, "");
  call_attribute(cg, call, LLVMAttributeFunctionIndex, "nounwind");
  call_attribute(cg, call, LLVMAttributeFunctionIndex, "willreturn");
  if (returns == cg->ptr) {
    call_attribute(cg, call, LLVMAttributeReturnIndex, "noalias");
    know(cg, call);
  }
  LLVMBuildBr(b, end);
  LLVMPositionBuilderAtEnd(b, end);
  if (!missing)
    return NULL;
  LLVMValueRef values[2] = {missing, call}, phi = LLVMBuildPhi(b, returns, "");
  LLVMAddIncoming(phi, values, from, 2);
  return phi;
}

// A count as the bytes it takes in a memory of 32 bits, or -1 where it is negative or takes more.
static LLVMValueRef wasm_bytes(LLVMBuilderRef b, gj__cg *cg, LLVMValueRef count,
                               LLVMValueRef size) {
  LLVMValueRef most = LLVMConstInt(cg->i64, INT32_MAX, false);
  LLVMValueRef room = LLVMBuildUDiv(b, most, size, "");
  LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntULE, count, room, "");
  LLVMValueRef bytes = LLVMBuildMul(b, count, size, "");
  LLVMValueRef unit = LLVMConstInt(cg->i64, UNIT - 1, false);
  bytes = LLVMBuildAnd(b, LLVMBuildAdd(b, bytes, unit, ""), LLVMBuildNot(b, unit, ""), "");
  return LLVMBuildSelect(b, fits, bytes, LLVMConstAllOnes(cg->i64), "");
}

// Zeros [next, end) by loops, which must not become calls of a library.
static void wasm_zero(LLVMBuilderRef b, gj__cg *cg, LLVMValueRef f, LLVMValueRef next,
                      LLVMValueRef end) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(cg->context, f, "zero");
  LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(cg->context, f, "done");
  LLVMValueRef empty = LLVMBuildICmp(b, LLVMIntEQ, next, end, "");
  LLVMBuildCondBr(b, empty, done, loop);
  LLVMPositionBuilderAtEnd(b, loop);
  LLVMValueRef at = LLVMBuildPhi(b, cg->i64, ""), eight = LLVMConstInt(cg->i64, 8, false);
  LLVMValueRef pointer = LLVMBuildIntToPtr(b, at, cg->ptr, "");
  LLVMBuildStore(b, LLVMConstNull(cg->i64), pointer);
  LLVMValueRef more = LLVMBuildAdd(b, at, eight, ""), values[2] = {next, more};
  LLVMBasicBlockRef from[2] = {before, loop};
  LLVMAddIncoming(at, values, from, 2);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, more, end, ""), loop, done);
  LLVMPositionBuilderAtEnd(b, done);
}

// Grows memory to `end` where it is smaller, or goes to `none`.
static void wasm_grow(LLVMBuilderRef b, gj__cg *cg, LLVMValueRef f, LLVMValueRef end,
                      LLVMBasicBlockRef fails) {
  LLVMBasicBlockRef grow = LLVMAppendBasicBlockInContext(cg->context, f, "grow");
  LLVMBasicBlockRef fits = LLVMAppendBasicBlockInContext(cg->context, f, "fits");
  LLVMValueRef args[2] = {LLVMConstInt(cg->i32, 0, false)};
  unsigned size_id = LLVMLookupIntrinsicID("llvm.wasm.memory.size", 21);
  unsigned grow_id = LLVMLookupIntrinsicID("llvm.wasm.memory.grow", 21);
  LLVMValueRef size_of = LLVMGetIntrinsicDeclaration(cg->module, size_id, &cg->i32, 1);
  LLVMValueRef grow_by = LLVMGetIntrinsicDeclaration(cg->module, grow_id, &cg->i32, 1);
  LLVMValueRef pages = LLVMBuildCall2(b, LLVMGlobalGetValueType(size_of), size_of, args, 1, "");
  LLVMValueRef last = LLVMConstInt(cg->i64, PAGE - 1, false);
  LLVMValueRef wanted =
      LLVMBuildLShr(b, LLVMBuildAdd(b, end, last, ""), LLVMConstInt(cg->i64, 16, false), "");
  LLVMValueRef have = LLVMBuildZExt(b, pages, cg->i64, "");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULE, wanted, have, ""), fits, grow);
  LLVMPositionBuilderAtEnd(b, grow);
  args[1] = LLVMBuildTrunc(b, LLVMBuildSub(b, wanted, have, ""), cg->i32, "");
  LLVMValueRef got = LLVMBuildCall2(b, LLVMGlobalGetValueType(grow_by), grow_by, args, 2, "");
  LLVMValueRef failed = LLVMBuildICmp(b, LLVMIntEQ, got, LLVMConstAllOnes(cg->i32), "");
  LLVMBuildCondBr(b, failed, fails, fits);
  LLVMPositionBuilderAtEnd(b, fits);
}

static void fill_wasm_alloc(gj__cg *cg, LLVMValueRef f) {
  LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->context);
  LLVMValueRef heap = LLVMGetParam(f, 0);
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cg->context, f, "entry");
  LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(cg->context, f, "some");
  LLVMBasicBlockRef fails = LLVMAppendBasicBlockInContext(cg->context, f, "fails");
  LLVMPositionBuilderAtEnd(b, entry);
  LLVMValueRef bytes = wasm_bytes(b, cg, LLVMGetParam(f, 1), LLVMGetParam(f, 2));
  LLVMValueRef wrong = LLVMBuildICmp(b, LLVMIntSLT, bytes, LLVMConstNull(cg->i64), "");
  wrong = LLVMBuildOr(b, wrong, LLVMBuildIsNull(b, heap, ""), "");
  LLVMBuildCondBr(b, wrong, fails, some);
  LLVMPositionBuilderAtEnd(b, some);
  LLVMValueRef next = LLVMBuildZExt(b, LLVMBuildLoad2(b, cg->i32, heap, ""), cg->i64, "");
  LLVMValueRef end = LLVMBuildAdd(b, next, bytes, "");
  wasm_grow(b, cg, f, end, fails);
  LLVMBuildStore(b, LLVMBuildTrunc(b, end, cg->i32, ""), heap);
  wasm_zero(b, cg, f, next, end);
  LLVMBuildRet(b, LLVMBuildIntToPtr(b, next, cg->ptr, ""));
  LLVMPositionBuilderAtEnd(b, fails);
  LLVMBuildRet(b, LLVMConstNull(cg->ptr));
  LLVMDisposeBuilder(b);
}

static LLVMValueRef wasm_alloc(gj__cg *cg) {
  static const char name[] = "gj_wasm_alloc";
  LLVMValueRef f = LLVMGetNamedFunction(cg->module, name);
  if (f)
    return f;
  LLVMTypeRef params[3] = {cg->ptr, cg->i64, cg->i64};
  f = gj__cg_function(cg, name, LLVMFunctionType(cg->ptr, params, 3, false));
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "noinline", 0);
  gj__cg_attribute(cg, f, LLVMAttributeReturnIndex, "noalias", 0);
  gj__cg_string_attribute(cg, f, "no-builtins", "");
  fill_wasm_alloc(cg, f);
  return f;
}

LLVMValueRef gj__cg_alloc(gj__cg *cg, const gj_lexpr *e) {
  int64_t bytes = (int64_t)gj_dtype_bytes((gj_dtype)e->type.dtype);
  LLVMValueRef args[3] = {NULL, gj__cg_expr(cg, e->args[0]),
                          LLVMConstInt(cg->i64, (uint64_t)bytes, false)};
  gj__memo_clear(&cg->memo);
  if (!cg->target->wasm)
    return call_heap(cg, 0, cg->ptr, args, 3, LLVMConstNull(cg->ptr));
  LLVMValueRef f = wasm_alloc(cg);
  args[0] = gj__cg_exec_field(cg, cg->ptr, HEAP);
  LLVMValueRef pointer = LLVMBuildCall2(cg->builder, LLVMGlobalGetValueType(f), f, args, 3, "");
  know(cg, pointer);
  return pointer;
}

LLVMValueRef gj__cg_mark(gj__cg *cg) {
  LLVMValueRef args[1];
  gj__memo_clear(&cg->memo);
  if (!cg->target->wasm)
    return call_heap(cg, 1, cg->i64, args, 1, LLVMConstNull(cg->i64));
  LLVMValueRef heap = gj__cg_exec_field(cg, cg->ptr, HEAP);
  return LLVMBuildZExt(cg->builder, LLVMBuildLoad2(cg->builder, cg->i32, heap, ""), cg->i64, "");
}

void gj__cg_release(gj__cg *cg, LLVMValueRef mark) {
  LLVMValueRef args[2] = {NULL, mark};
  gj__memo_clear(&cg->memo);
  if (!cg->target->wasm) {
    call_heap(cg, 2, LLVMVoidTypeInContext(cg->context), args, 2, NULL);
    return;
  }
  LLVMValueRef heap = gj__cg_exec_field(cg, cg->ptr, HEAP);
  LLVMBuildStore(cg->builder, LLVMBuildTrunc(cg->builder, mark, cg->i32, ""), heap);
}
