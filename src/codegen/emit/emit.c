// Loop IR → LLVM IR: module, functions and statements.
//
//   func k0(z: f64* noalias, x: f64* noalias readonly, n: i64) -> i32 { for i = 0 to n step 1 { … }
//   … }
// becomes
//   define internal i32 @gj.k0(ptr noalias captures(none) %z, ptr noalias readonly captures(none)
//   %x,
//                              i64 %n, ptr %exec) { … }
//
// A local that is only let is an SSA value named after it; one that is also set is a stack slot,
// which LLVM's mem2reg turns into values. Loops test before the first round and after each, the
// form in which LLVM hoists loads. Every function takes `exec` as its last parameter, so that
// scratch and cancelled work anywhere. Functions but the entry are internal and called "gj.<name>":
// a name from a text file must not be taken for an intrinsic or a C library function.
#include "codegen/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

gj_status gj__cg_fail(gj__cg *cg, gj_status code, const char *format, ...) {
  if (cg->status != GJ_OK)
    return cg->status;
  va_list arguments;
  va_start(arguments, format);
  cg->status = gj_fail_v(cg->err, code, format, arguments);
  va_end(arguments);
  return cg->status;
}

// --- functions ---

void gj__cg_attribute(gj__cg *cg, LLVMValueRef function, LLVMAttributeIndex at, const char *name,
                      uint64_t value) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(cg->context, kind, value));
}

// riscv64 wants integers in registers widened with their sign; others don't look at the upper half.
void gj__cg_widened_result(gj__cg *cg, LLVMValueRef value) {
  if (strncmp(cg->target->triple, "riscv64", 7) != 0)
    return;
  unsigned kind = LLVMGetEnumAttributeKindForName("signext", 7);
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(cg->context, kind, 0);
  if (LLVMIsACallInst(value))
    LLVMAddCallSiteAttribute(value, LLVMAttributeReturnIndex, attribute);
  else
    LLVMAddAttributeAtIndex(value, LLVMAttributeReturnIndex, attribute);
}

void gj__cg_string_attribute(gj__cg *cg, LLVMValueRef function, const char *name,
                             const char *value) {
  LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(cg->context, name, (unsigned)strlen(name),
                                                    value, (unsigned)strlen(value)));
}

// LLVM's pipeline knows loops by what C's library does. Code that gj_jit_load links may call the
// three functions that it provides, and wasm has instructions for them; nobody else has a library.
static void name_library(gj__cg *cg, LLVMValueRef f) {
  static const char *const absent[] = {"no-builtin-strlen", "no-builtin-wcslen",
                                       "no-builtin-memcmp", "no-builtin-bcmp"};
  bool bulk = cg->target->wasm && strstr(cg->target->features, "+bulk-memory");
  if (!cg->options->vectorise)
    return;
  if (!cg->options->host_math && !bulk) {
    gj__cg_string_attribute(cg, f, "no-builtins", "");
    return;
  }
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    gj__cg_string_attribute(cg, f, absent[i], "");
}

void gj__cg_function_attributes(gj__cg *cg, LLVMValueRef f) {
  const gj_target *t = cg->target;
  gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "nounwind", 0);
  gj__cg_string_attribute(cg, f, "no-trapping-math", "true");
  if (cg->fast) // 1 / sqrt(0) and 1 / sqrt(∞) of f32 would be NaN
    gj__cg_string_attribute(cg, f, "reciprocal-estimates", "none");
  gj__cg_string_attribute(cg, f, "target-cpu", t->cpu);
  // The host's list has 150 features and would bury the text; the target machine has it anyway.
  if (t->features[0] && (cg->list_features || strlen(t->features) < 160))
    gj__cg_string_attribute(cg, f, "target-features", t->features);
  if (t->vector_bytes == 64)
    gj__cg_string_attribute(cg, f, "prefer-vector-width", "512");
  if (cg->options->for_size)
    gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "optsize", 0);
  name_library(cg, f);
}

LLVMValueRef gj__cg_function(gj__cg *cg, const char *name, LLVMTypeRef type) {
  LLVMValueRef f = LLVMAddFunction(cg->module, name, type);
  LLVMSetLinkage(f, LLVMInternalLinkage);
  LLVMSetUnnamedAddress(f, LLVMGlobalUnnamedAddr);
  gj__cg_function_attributes(cg, f);
  return f;
}

// No pointer outlives a call, as Loop IR can neither store nor return one, unless its address is
// taken as a number.
static void pointer_attributes(gj__cg *cg, LLVMValueRef f, unsigned param, uint8_t flags) {
  LLVMAttributeIndex at = param + 1;
  if (flags & GJ_LOCAL_NOALIAS)
    gj__cg_attribute(cg, f, at, "noalias", 0);
  if (flags & GJ_LOCAL_READONLY)
    gj__cg_attribute(cg, f, at, "readonly", 0);
  if (!cg->captures)
    gj__cg_attribute(cg, f, at, "captures", 0);
}

static void name_params(gj__cg *cg, LLVMValueRef f, const gj_lfunc *func) {
  for (uint32_t i = 0; i < func->param_count; i++) {
    const gj_llocal *local = &func->locals[i];
    LLVMSetValueName2(LLVMGetParam(f, i), local->name, strlen(local->name));
    if (local->type.pointer)
      pointer_attributes(cg, f, i, local->flags);
  }
}

static gj_part part_of(const gj__cg *cg, uint32_t func) {
  return cg->options->part ? (gj_part)cg->options->part[func] : GJ_PART_OWN;
}

static bool sets_dims(const gj_lblock *block) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    if (s->kind == GJ_LS_DIM || sets_dims(&s->body) || sets_dims(&s->orelse))
      return true;
  }
  return false;
}

static LLVMTypeRef result_type(gj__cg *cg, const gj_lfunc *func) {
  return func->returns.dtype == GJ_DTYPE_none ? LLVMVoidTypeInContext(cg->context)
                                              : gj__cg_type(cg, func->returns);
}

static LLVMValueRef declare_entry(gj__cg *cg, const gj_lfunc *func) {
  LLVMTypeRef params[3] = {cg->ptr, cg->ptr, cg->ptr};
  static const char *const names[3] = {"buffers", "dims", "exec"};
  LLVMValueRef f =
      gj__cg_function(cg, cg->options->entry_symbol, LLVMFunctionType(cg->i32, params, 3, false));
  gj__cg_widened_result(cg, f);
  LLVMSetLinkage(f, LLVMExternalLinkage);
  LLVMSetUnnamedAddress(f, LLVMNoUnnamedAddr);
  for (unsigned i = 0; i < 3; i++) {
    bool written = i == 1 && sets_dims(&func->body);
    pointer_attributes(cg, f, i, GJ_LOCAL_NOALIAS | (written ? 0 : GJ_LOCAL_READONLY));
    LLVMSetValueName2(LLVMGetParam(f, i), names[i], strlen(names[i]));
  }
  return f;
}

// As C passes it: bool and, where the ABI says so, 32-bit integers are widened.
static void scalar_attributes(gj__cg *cg, LLVMValueRef f, LLVMAttributeIndex at, gj_ltype type) {
  bool riscv = strncmp(cg->target->triple, "riscv64", 7) == 0;
  if (type.pointer)
    return;
  if (type.dtype == GJ_DTYPE_bool)
    gj__cg_attribute(cg, f, at, "zeroext", 0);
  else if (riscv && (type.dtype == GJ_DTYPE_i32 || type.dtype == GJ_DTYPE_u32))
    gj__cg_attribute(cg, f, at, "signext", 0);
}

// A function of C: its linker name is its own unless the options name it.
static LLVMValueRef declare_exported(gj__cg *cg, const gj_lfunc *func) {
  bool exec = cg->needs_exec[func->index];
  unsigned count = func->param_count + exec;
  LLVMTypeRef *params = gj_arena_array(&cg->arena, (size_t)count + 1, sizeof *params);
  if (!params) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at function %s", func->name);
    return NULL;
  }
  for (uint32_t i = 0; i < func->param_count; i++)
    params[i] = gj__cg_type(cg, func->locals[i].type);
  params[func->param_count] = cg->ptr;
  const char *symbol = cg->options->plan_symbol ? cg->options->plan_symbol : func->name;
  if (LLVMGetNamedFunction(cg->module, symbol)) {
    gj__cg_fail(cg, GJ_E_ARGUMENT, "codegen: two functions are exported as %s", symbol);
    return NULL;
  }
  LLVMTypeRef type = LLVMFunctionType(result_type(cg, func), params, count, false);
  LLVMValueRef f = gj__cg_function(cg, symbol, type);
  LLVMSetLinkage(f, LLVMExternalLinkage);
  LLVMSetUnnamedAddress(f, LLVMNoUnnamedAddr);
  name_params(cg, f, func);
  if (exec)
    LLVMSetValueName2(LLVMGetLastParam(f), "exec", 4);
  for (uint32_t i = 0; i < func->param_count; i++)
    scalar_attributes(cg, f, i + 1, func->locals[i].type);
  scalar_attributes(cg, f, LLVMAttributeReturnIndex, func->returns);
  return f;
}

static LLVMValueRef declare_function(gj__cg *cg, const gj_lfunc *func) {
  if (func->library)
    return gj__cg_library_function(cg, func);
  if (func->entry)
    return declare_entry(cg, func);
  if (func->exported)
    return declare_exported(cg, func);
  const char *shown = cg->options->export_prefix, *prefix = shown ? shown : "gj.";
  size_t count = (size_t)func->param_count + 1, size = strlen(prefix) + strlen(func->name) + 1;
  LLVMTypeRef *params = gj_arena_array(&cg->arena, count, sizeof *params);
  char *name = gj_arena_alloc(&cg->arena, size);
  if (!params || !name) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at function %s", func->name);
    return NULL;
  }
  for (uint32_t i = 0; i < func->param_count; i++)
    params[i] = gj__cg_type(cg, func->locals[i].type);
  params[func->param_count] = cg->ptr;
  snprintf(name, size, "%s%s", prefix, func->name);
  LLVMTypeRef type = LLVMFunctionType(result_type(cg, func), params, (unsigned)count, false);
  LLVMValueRef f = gj__cg_function(cg, name, type);
  if (shown || part_of(cg, func->index) != GJ_PART_OWN) {
    LLVMSetLinkage(f, LLVMExternalLinkage);
    LLVMSetVisibility(f, LLVMHiddenVisibility);
  }
  name_params(cg, f, func);
  if (cg->options->keep_functions)
    gj__cg_attribute(cg, f, LLVMAttributeFunctionIndex, "noinline", 0);
  LLVMSetValueName2(LLVMGetParam(f, func->param_count), "exec", 4);
  pointer_attributes(cg, f, func->param_count, GJ_LOCAL_NOALIAS | GJ_LOCAL_READONLY);
  return f;
}

// --- blocks and locals ---

LLVMBasicBlockRef gj__cg_block(gj__cg *cg, const char *prefix, const char *suffix) {
  char name[64];
  snprintf(name, sizeof name, "%.40s%s", prefix, suffix);
  return LLVMAppendBasicBlockInContext(cg->context, cg->function, name);
}

static bool block_is_open(gj__cg *cg) {
  return !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(cg->builder));
}

static void branch_to(gj__cg *cg, LLVMBasicBlockRef block) {
  if (block_is_open(cg))
    LLVMBuildBr(cg->builder, block);
}

// Code behind a break or return goes to a block that nothing reaches.
static void start_dead_block(gj__cg *cg) {
  LLVMPositionBuilderAtEnd(cg->builder, gj__cg_block(cg, "dead", ""));
}

LLVMValueRef gj__cg_slot(gj__cg *cg, LLVMTypeRef type, const char *name, unsigned align) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(cg->builder);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(cg->function);
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (first)
    LLVMPositionBuilderBefore(cg->builder, first);
  else
    LLVMPositionBuilderAtEnd(cg->builder, entry);
  LLVMValueRef slot = LLVMBuildAlloca(cg->builder, type, name);
  if (align)
    LLVMSetAlignment(slot, align);
  LLVMPositionBuilderAtEnd(cg->builder, here);
  return slot;
}

// Marks the locals that some statement sets after their let.
static void find_slots(gj__cg *cg, const gj_lblock *block) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    if (s->kind == GJ_LS_SET)
      cg->locals[s->local].slot = true;
    find_slots(cg, &s->body);
    find_slots(cg, &s->orelse);
  }
}

static void define_local(gj__cg *cg, uint32_t index, LLVMValueRef value) {
  gj__local *local = &cg->locals[index];
  const gj_llocal *info = &cg->func->locals[index];
  if (local->slot) {
    if (!local->value)
      local->value = gj__cg_slot(cg, gj__cg_type(cg, info->type), info->name, 0);
    LLVMBuildStore(cg->builder, value, local->value);
    return;
  }
  size_t length = 0;
  if (LLVMIsAInstruction(value) && (LLVMGetValueName2(value, &length), length == 0))
    LLVMSetValueName2(value, info->name, strlen(info->name));
  local->value = value;
}

static LLVMValueRef statement_expr(gj__cg *cg, const gj_lexpr *e) {
  gj__memo_clear(&cg->memo);
  return gj__cg_expr(cg, e);
}

// --- statements ---

static void emit_block(gj__cg *cg, const gj_lblock *block);

static void mark_nontemporal(gj__cg *cg, LLVMValueRef store) {
  unsigned kind = LLVMGetMDKindIDInContext(cg->context, "nontemporal", 11);
  LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(cg->i32, 1, false));
  LLVMMetadataRef node = LLVMMDNodeInContext2(cg->context, &one, 1);
  LLVMSetMetadata(store, kind, LLVMMetadataAsValue(cg->context, node));
}

static void emit_store(gj__cg *cg, const gj_lstmt *s) {
  gj__memo_clear(&cg->memo);
  gj_dtype dtype = s->a->type.dtype;
  LLVMValueRef value = gj__cg_expr(cg, s->c);
  if (gj__cg_store_piece(cg, s, value))
    return;
  LLVMValueRef mask = s->d ? gj__cg_expr(cg, s->d) : NULL;
  LLVMValueRef address = gj__cg_address(cg, dtype, s->a, s->b, mask ? 0 : LLVMGEPFlagInBounds);
  if (dtype == GJ_DTYPE_bool)
    value = LLVMBuildZExt(cg->builder, value, gj__cg_memory_type(cg, dtype, s->c->type.lanes), "");
  if (mask) {
    gj__cg_masked_store(cg, dtype, value, address, mask);
    return;
  }
  LLVMValueRef store = LLVMBuildStore(cg->builder, value, address);
  unsigned bytes = (unsigned)gj_dtype_bytes(dtype);
  LLVMSetAlignment(store, bytes);
  if (s->marks & GJ_STORE_STREAM) {
    LLVMSetAlignment(store, bytes * s->c->type.lanes);
    mark_nontemporal(cg, store);
  }
}

// Streamed stores of x86 are weakly ordered among other threads; an sfence orders them.
static void emit_fence(gj__cg *cg) {
  if (strncmp(cg->target->triple, "x86_64", 6) == 0)
    gj__cg_intrinsic(cg, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
  else
    LLVMBuildFence(cg->builder, LLVMAtomicOrderingRelease, false, "");
}

// To be read or written, and kept in all caches; wasm has no such instruction.
static void emit_fetch(gj__cg *cg, const gj_lstmt *s) {
  if (cg->target->wasm)
    return;
  LLVMValueRef args[4] = {statement_expr(cg, s->a),
                          LLVMConstInt(cg->i32, s->marks & GJ_FETCH_WRITE, false),
                          LLVMConstInt(cg->i32, 3, false), LLVMConstInt(cg->i32, 1, false)};
  gj__cg_intrinsic(cg, "llvm.prefetch", &cg->ptr, 1, args, 4);
}

static void emit_array(gj__cg *cg, const gj_lstmt *s) {
  if (cg->locals[s->local].pieces)
    return;
  const gj_llocal *info = &cg->func->locals[s->local];
  LLVMTypeRef element = gj__cg_memory_type(cg, info->type.dtype, 1);
  cg->locals[s->local].value =
      gj__cg_slot(cg, LLVMArrayType2(element, (uint64_t)s->count), info->name, 64);
}

static void emit_body(gj__cg *cg, const gj_lstmt *s, LLVMBasicBlockRef on_break,
                      LLVMBasicBlockRef on_continue) {
  gj__loop loop = {on_break, on_continue, cg->loop};
  cg->loop = &loop;
  emit_block(cg, &s->body);
  cg->loop = loop.outer;
}

// What i is compared with for i + step < hi without overflow: i < hi - step, where a saturated
// difference is below every i. A step of one cannot overflow, and i + 1 < hi is the form that LLVM
// knows best.
static LLVMValueRef loop_bound(gj__cg *cg, LLVMValueRef hi, int64_t step) {
  LLVMValueRef by = LLVMConstInt(cg->i64, (uint64_t)step, true);
  return step == 1 ? hi : gj__cg_intrinsic1(cg, "llvm.ssub.sat", hi, by, NULL);
}

static LLVMValueRef more_rounds(gj__cg *cg, LLVMValueRef i, LLVMValueRef bound, int64_t step,
                                LLVMValueRef *out_next) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef by = LLVMConstInt(cg->i64, (uint64_t)step, true);
  *out_next = step == 1 ? LLVMBuildNSWAdd(b, i, by, "") : LLVMBuildAdd(b, i, by, "");
  return LLVMBuildICmp(b, LLVMIntSLT, step == 1 ? *out_next : i, bound, "");
}

// pre: if (lo < hi) { do { body; next: } while (i + step < hi) } end:
static void emit_for(gj__cg *cg, const gj_lstmt *s) {
  LLVMBuilderRef b = cg->builder;
  const char *name = cg->func->locals[s->local].name;
  LLVMValueRef lo = statement_expr(cg, s->a), hi = statement_expr(cg, s->b);
  LLVMValueRef bound = loop_bound(cg, hi, s->count);
  LLVMBasicBlockRef pre = LLVMGetInsertBlock(b), body = gj__cg_block(cg, name, ".body");
  LLVMBasicBlockRef next = gj__cg_block(cg, name, ".next"), end = gj__cg_block(cg, name, ".end");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, lo, hi, ""), body, end);

  LLVMPositionBuilderAtEnd(b, body);
  LLVMValueRef i = LLVMBuildPhi(b, cg->i64, name);
  LLVMAddIncoming(i, &lo, &pre, 1);
  define_local(cg, s->local, i);
  emit_body(cg, s, end, next);
  branch_to(cg, next);

  LLVMPositionBuilderAtEnd(b, next);
  LLVMValueRef step = NULL, more = more_rounds(cg, i, bound, s->count, &step);
  gj__cg_place_loop(cg, s, LLVMBuildCondBr(b, more, body, end));
  LLVMAddIncoming(i, &step, &next, 1);
  LLVMMoveBasicBlockAfter(next, LLVMGetLastBasicBlock(cg->function));
  LLVMMoveBasicBlockAfter(end, LLVMGetLastBasicBlock(cg->function));
  LLVMPositionBuilderAtEnd(b, end);
}

static void emit_while(gj__cg *cg, const gj_lstmt *s) {
  LLVMBuilderRef b = cg->builder;
  LLVMBasicBlockRef test = gj__cg_block(cg, "while", ""), body = gj__cg_block(cg, "while", ".body");
  LLVMBasicBlockRef end = gj__cg_block(cg, "while", ".end");
  LLVMBasicBlockRef next = s->line ? gj__cg_block(cg, "while", ".next") : test;
  LLVMBuildBr(b, test);
  LLVMPositionBuilderAtEnd(b, test);
  LLVMValueRef condition = statement_expr(cg, s->a);
  LLVMBuildCondBr(b, condition, body, end);
  LLVMPositionBuilderAtEnd(b, body);
  emit_body(cg, s, end, next);
  branch_to(cg, next);
  if (next != test) { // one branch that goes back, to say where the loop is
    LLVMMoveBasicBlockAfter(next, LLVMGetLastBasicBlock(cg->function));
    LLVMPositionBuilderAtEnd(b, next);
    gj__cg_place_loop(cg, s, LLVMBuildBr(b, test));
  }
  LLVMMoveBasicBlockAfter(end, LLVMGetLastBasicBlock(cg->function));
  LLVMPositionBuilderAtEnd(b, end);
}

static void emit_if(gj__cg *cg, const gj_lstmt *s) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef condition = statement_expr(cg, s->a);
  LLVMBasicBlockRef then = gj__cg_block(cg, "if", ".then"), end = gj__cg_block(cg, "if", ".end");
  LLVMBasicBlockRef orelse = s->orelse.count ? gj__cg_block(cg, "if", ".else") : end;
  LLVMBuildCondBr(b, condition, then, orelse);
  LLVMPositionBuilderAtEnd(b, then);
  emit_block(cg, &s->body);
  branch_to(cg, end);
  if (s->orelse.count) {
    LLVMMoveBasicBlockAfter(orelse, LLVMGetLastBasicBlock(cg->function));
    LLVMPositionBuilderAtEnd(b, orelse);
    emit_block(cg, &s->orelse);
    branch_to(cg, end);
  }
  LLVMMoveBasicBlockAfter(end, LLVMGetLastBasicBlock(cg->function));
  LLVMPositionBuilderAtEnd(b, end);
}

static void emit_jump(gj__cg *cg, const gj_lstmt *s) {
  const gj__loop *loop = cg->loop;
  for (int64_t i = 1; i < s->count; i++)
    loop = loop->outer;
  LLVMBuildBr(cg->builder, s->kind == GJ_LS_BREAK ? loop->on_break : loop->on_continue);
  start_dead_block(cg);
}

static void emit_assume(gj__cg *cg, const gj_lstmt *s) {
  LLVMValueRef condition = statement_expr(cg, s->a);
  gj__cg_intrinsic(cg, "llvm.assume", NULL, 0, &condition, 1);
}

static void emit_return(gj__cg *cg, const gj_lstmt *s) {
  if (s->a)
    LLVMBuildRet(cg->builder, statement_expr(cg, s->a));
  else
    LLVMBuildRetVoid(cg->builder);
  start_dead_block(cg);
}

static void emit_stmt(gj__cg *cg, const gj_lstmt *s) {
  switch ((gj_lstmt_kind)s->kind) {
  case GJ_LS_LET:
    define_local(cg, s->local, statement_expr(cg, s->a));
    return;
  case GJ_LS_SET:
    LLVMBuildStore(cg->builder, statement_expr(cg, s->a), cg->locals[s->local].value);
    return;
  case GJ_LS_STORE:
    emit_store(cg, s);
    return;
  case GJ_LS_ARRAY:
    emit_array(cg, s);
    return;
  case GJ_LS_FOR:
    emit_for(cg, s);
    return;
  case GJ_LS_WHILE:
    emit_while(cg, s);
    return;
  case GJ_LS_IF:
    emit_if(cg, s);
    return;
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    emit_jump(cg, s);
    return;
  case GJ_LS_RELEASE:
    gj__cg_release(cg, statement_expr(cg, s->a));
    return;
  case GJ_LS_ASSUME:
    emit_assume(cg, s);
    return;
  case GJ_LS_RETURN:
    emit_return(cg, s);
    return;
  case GJ_LS_DO:
    statement_expr(cg, s->a);
    return;
  case GJ_LS_TILE:
    gj__memo_clear(&cg->memo);
    gj__cg_tile(cg, s);
    return;
  case GJ_LS_DIM:
    gj__cg_set_dim(cg, (uint64_t)s->count, gj__cg_expr(cg, s->a));
    return;
  case GJ_LS_FENCE:
    emit_fence(cg);
    return;
  case GJ_LS_FETCH:
    emit_fetch(cg, s);
    return;
  }
}

static void emit_block(gj__cg *cg, const gj_lblock *block) {
  for (uint32_t i = 0; i < block->count && cg->status == GJ_OK; i++)
    emit_stmt(cg, block->stmts[i]);
}

// --- module ---

static void emit_function(gj__cg *cg, const gj_lfunc *func, LLVMValueRef function) {
  cg->func = func;
  cg->function = function;
  cg->locals = gj_arena_array(&cg->arena, func->local_count, sizeof *cg->locals);
  if (!cg->locals) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at the locals of %s", func->name);
    return;
  }
  if (cg->options->keep_calls)
    gj__cg_string_attribute(cg, function, "disable-tail-calls", "true");
  cg->sets_dims = func->entry && sets_dims(&func->body);
  find_slots(cg, &func->body);
  // Slots and arrays get a block of their own, so that they can be added to it at any time.
  LLVMBasicBlockRef slots = LLVMAppendBasicBlockInContext(cg->context, function, "entry");
  LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(cg->context, function, "start");
  LLVMPositionBuilderAtEnd(cg->builder, start);
  bool bare = func->exported && !cg->needs_exec[func->index];
  cg->exec = bare ? LLVMConstNull(cg->ptr) : LLVMGetLastParam(function);
  gj__cg_find_pieces(cg);
  if (func->entry ? cg->options->exec_optional : func->exported && !bare)
    cg->exec = gj__cg_exec_or_none(cg, cg->exec);
  for (uint32_t i = 0; i < func->param_count; i++)
    define_local(cg, i, LLVMGetParam(function, i));
  emit_block(cg, &func->body);
  if (block_is_open(cg)) {
    if (func->returns.dtype == GJ_DTYPE_none)
      LLVMBuildRetVoid(cg->builder);
    else
      LLVMBuildUnreachable(cg->builder);
  }
  LLVMPositionBuilderAtEnd(cg->builder, slots);
  LLVMBuildBr(cg->builder, start);
}

static const char *external_name(gj__cg *cg, const gj_lfunc *func, const char *prefix) {
  size_t size = strlen(prefix) + strlen(func->external) + 1;
  char *name = gj_arena_alloc(&cg->arena, size);
  if (name)
    snprintf(name, size, "%s%s", prefix, func->external);
  else
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at function %s", func->name);
  return name;
}

// Of an object: the linker finds the C function.
static LLVMValueRef call_symbol(gj__cg *cg, const gj_lfunc *func, LLVMValueRef *arrays) {
  const char *name = external_name(cg, func, cg->options->custom_prefix);
  if (!name)
    return NULL;
  LLVMTypeRef params[2] = {cg->ptr, cg->ptr};
  LLVMTypeRef type = LLVMFunctionType(cg->i32, params, 2, false);
  LLVMValueRef callee = LLVMGetNamedFunction(cg->module, name);
  if (!callee)
    callee = LLVMAddFunction(cg->module, name, type);
  return LLVMBuildCall2(cg->builder, type, callee, arrays, 2, "");
}

// In this process: the symbol is a gj_custom, whose first field is called with it.
static LLVMValueRef call_registered(gj__cg *cg, const gj_lfunc *func, LLVMValueRef *arrays) {
  LLVMBuilderRef b = cg->builder;
  const char *name = external_name(cg, func, GJ_CUSTOM_PREFIX);
  if (!name)
    return NULL;
  LLVMTypeRef params[4] = {cg->ptr, cg->ptr, cg->ptr, cg->ptr};
  LLVMTypeRef type = LLVMFunctionType(cg->i32, params, 4, false);
  LLVMValueRef own = LLVMGetNamedGlobal(cg->module, name);
  if (!own)
    own = LLVMAddGlobal(cg->module, cg->ptr, name);
  LLVMValueRef args[4] = {own, arrays[0], arrays[1], LLVMGetLastParam(cg->function)};
  return LLVMBuildCall2(b, type, LLVMBuildLoad2(b, cg->ptr, own, ""), args, 4, "");
}

// Body of a function that stands for one from outside: its arguments as two arrays.
static void emit_external(gj__cg *cg, const gj_lfunc *func, LLVMValueRef function) {
  LLVMBuilderRef b = cg->builder;
  cg->function = function;
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cg->context, function, "entry"));
  uint32_t pointers = 0, count = func->param_count;
  while (pointers < count && func->locals[pointers].type.pointer)
    pointers++;
  LLVMTypeRef types[2] = {LLVMArrayType2(cg->ptr, pointers + 1),
                          LLVMArrayType2(cg->i64, count - pointers + 1)};
  LLVMValueRef arrays[2] = {LLVMBuildAlloca(b, types[0], "buffers"),
                            LLVMBuildAlloca(b, types[1], "sizes")};
  for (uint32_t i = 0; i < count; i++) {
    unsigned which = i >= pointers;
    LLVMValueRef at[2] = {LLVMConstInt(cg->i64, 0, false),
                          LLVMConstInt(cg->i64, which ? i - pointers : i, false)};
    LLVMBuildStore(b, LLVMGetParam(function, i),
                   LLVMBuildInBoundsGEP2(b, types[which], arrays[which], at, 2, ""));
  }
  LLVMValueRef status = cg->options->custom_prefix ? call_symbol(cg, func, arrays)
                                                   : call_registered(cg, func, arrays);
  if (status)
    LLVMBuildRet(b, status);
}

static bool any_expr(const gj_lexpr *e, gj_lexpr_kind kind) {
  if (!e || e->kind == kind)
    return e != NULL;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (any_expr(e->args[i], kind))
      return true;
  return false;
}

static bool any_in_block(const gj_lblock *block, gj_lexpr_kind kind) {
  for (uint32_t i = 0; i < block->count; i++) {
    const gj_lstmt *s = block->stmts[i];
    if (any_expr(s->a, kind) || any_expr(s->b, kind) || any_expr(s->c, kind) ||
        any_expr(s->d, kind) || any_in_block(&s->body, kind) || any_in_block(&s->orelse, kind))
      return true;
  }
  return false;
}

// What the functions of the module as a whole do.
static void look_around(gj__cg *cg) {
  const gj_lmodule *m = cg->lm;
  bool recurses = false, exported = false;
  for (uint32_t i = 0; i < m->func_count; i++) {
    recurses = recurses || any_in_block(&m->funcs[i]->body, GJ_LX_TOO_DEEP);
    cg->captures = cg->captures || any_in_block(&m->funcs[i]->body, GJ_LX_ADDRESS);
    exported = exported || m->funcs[i]->exported;
  }
  cg->own_exec = recurses && (exported || cg->options->exec_optional) && !cg->target->wasm;
  cg->stack_bytes = recurses ? gj_lmodule_stack_bytes(m) : 0;
  gj_lfunc_needs_exec(m, cg->needs_exec);
}

void gj__cg_module(gj__cg *cg) {
  const gj_lmodule *m = cg->lm;
  cg->functions = gj_arena_array(&cg->arena, m->func_count, sizeof *cg->functions);
  cg->tasks = gj_arena_array(&cg->arena, m->func_count, sizeof *cg->tasks);
  cg->data = gj_arena_array(&cg->arena, m->data_count, sizeof *cg->data);
  cg->needs_exec = gj_arena_array(&cg->arena, m->func_count, sizeof *cg->needs_exec);
  if (!cg->functions || !cg->tasks || !cg->data || !cg->needs_exec) {
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at %u functions", m->func_count);
    return;
  }
  look_around(cg);
  if (cg->options->weights.size)
    gj__cg_region(cg);
  for (uint32_t i = 0; i < m->func_count && cg->status == GJ_OK; i++)
    if (!m->funcs[i]->entry || part_of(cg, i) != GJ_PART_ELSEWHERE) // nobody calls it
      cg->functions[i] = declare_function(cg, m->funcs[i]);
  for (uint32_t i = 0; i < m->func_count && cg->status == GJ_OK; i++)
    if (part_of(cg, i) != GJ_PART_ELSEWHERE && !m->funcs[i]->library)
      (m->funcs[i]->external ? emit_external : emit_function)(cg, m->funcs[i], cg->functions[i]);
  if (cg->status == GJ_OK)
    gj__cg_link_library(cg);
}
