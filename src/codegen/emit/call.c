// Calls of other functions of the module, plain and parallel.
//
// A parallel call whose range is long, in a run that has threads, goes to gj_exec.parallel with the
// arguments packed into a struct on the stack and a task that unpacks them:
//
//   define internal i32 @gj.k0.task(ptr %context, i64 %begin, i64 %end, ptr %exec)
//
// All other calls are plain ones with the whole range, so that small work costs a comparison. The
// callee stays out of line, since it is called from both places. In wasm there are no threads but
// in modules that ask for them; there the function called is the module's own, and
// gj_exec.parallel says only that it should be.
#include "codegen/context.h"

#include <stdio.h>
#include <string.h>

// Params of a callee that are not those of its range, and arguments of a parallel call behind them.
enum { RANGE_PARAMS = 2, RANGE_ARGS = 3 };

static LLVMValueRef lost(gj__cg *cg, const gj_lexpr *e) {
  gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at a call");
  return LLVMGetPoison(gj__cg_type(cg, e->type));
}

// `count` arguments emitted, with room for `more` behind them. What was computed before a call must
// not be taken for what the same expression means after it.
static LLVMValueRef *emit_args(gj__cg *cg, const gj_lexpr *e, uint32_t more) {
  LLVMValueRef *args = gj_arena_array(&cg->arena, (size_t)e->arg_count + more, sizeof *args);
  for (uint32_t i = 0; args && i < e->arg_count; i++)
    args[i] = gj__cg_expr(cg, e->args[i]);
  gj__memo_clear(&cg->memo);
  return args;
}

static LLVMValueRef build_call(LLVMBuilderRef builder, LLVMValueRef f, LLVMValueRef *args,
                               uint32_t count) {
  return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

LLVMValueRef gj__cg_call(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef *args = emit_args(cg, e, 1), callee = cg->functions[e->index];
  if (!args)
    return lost(cg, e);
  if (cg->lm->funcs[e->index]->library) // that knows of no run
    return build_call(cg->builder, callee, args, e->arg_count);
  args[e->arg_count] = cg->exec;
  return build_call(cg->builder, callee, args, e->arg_count + 1);
}

// --- tasks ---

// The arguments of a parallel call that are the same for every piece, as a struct.
static LLVMTypeRef context_type(gj__cg *cg, const gj_lfunc *callee) {
  uint32_t count = callee->param_count - RANGE_PARAMS;
  LLVMTypeRef *fields = gj_arena_array(&cg->arena, (size_t)count + 1, sizeof *fields);
  for (uint32_t i = 0; fields && i < count; i++)
    fields[i] = gj__cg_type(cg, callee->locals[i].type);
  return fields ? LLVMStructTypeInContext(cg->context, fields, count, false) : NULL;
}

// Body of a task: the callee with what the context holds, the range and exec.
static void fill_task(gj__cg *cg, LLVMValueRef task, uint32_t index, LLVMTypeRef context,
                      LLVMValueRef *args) {
  uint32_t count = cg->lm->funcs[index]->param_count - RANGE_PARAMS;
  LLVMBuilderRef b = LLVMCreateBuilderInContext(cg->context);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cg->context, task, "start"));
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef field = LLVMBuildStructGEP2(b, context, LLVMGetParam(task, 0), i, "");
    args[i] = LLVMBuildLoad2(b, LLVMStructGetTypeAtIndex(context, i), field, "");
  }
  for (unsigned i = 1; i <= 3; i++)
    args[count + i - 1] = LLVMGetParam(task, i);
  LLVMBuildRet(b, build_call(b, cg->functions[index], args, count + 3));
  LLVMDisposeBuilder(b);
}

static LLVMValueRef make_task(gj__cg *cg, uint32_t index, LLVMTypeRef context) {
  const gj_lfunc *callee = cg->lm->funcs[index];
  static const char *const names[4] = {"context", "begin", "end", "exec"};
  size_t size = strlen(callee->name) + sizeof "gj..task";
  char *name = gj_arena_alloc(&cg->arena, size);
  LLVMValueRef *args = gj_arena_array(&cg->arena, (size_t)callee->param_count + 1, sizeof *args);
  if (!name || !args)
    return NULL;
  snprintf(name, size, "gj.%s.task", callee->name);
  LLVMTypeRef params[4] = {cg->ptr, cg->i64, cg->i64, cg->ptr};
  LLVMValueRef task = gj__cg_function(cg, name, LLVMFunctionType(cg->i32, params, 4, false));
  gj__cg_widened_result(cg, task);
  for (unsigned i = 0; i < 4; i++)
    LLVMSetValueName2(LLVMGetParam(task, i), names[i], strlen(names[i]));
  fill_task(cg, task, index, context, args);
  gj__cg_attribute(cg, cg->functions[index], LLVMAttributeFunctionIndex, "noinline", 0);
  return task;
}

// --- the parallel call ---

bool gj__cg_divides(const gj__cg *cg) { return !cg->target->wasm || cg->options->wasm_pool; }

// parallel(exec, task, &context, lo, hi, grain); args are those of the call.
static LLVMValueRef divide(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args, LLVMTypeRef context,
                           LLVMValueRef parallel) {
  LLVMBuilderRef b = cg->builder;
  uint32_t count = e->arg_count - RANGE_ARGS;
  LLVMValueRef packed = gj__cg_slot(cg, context, "context", 0);
  for (uint32_t i = 0; i < count; i++)
    LLVMBuildStore(b, args[i], LLVMBuildStructGEP2(b, context, packed, i, ""));
  LLVMTypeRef types[6] = {cg->ptr, cg->ptr, cg->ptr, cg->i64, cg->i64, cg->i64};
  LLVMValueRef all[6] = {cg->exec, cg->tasks[e->index], packed};
  for (unsigned i = 0; i < RANGE_ARGS; i++)
    all[3 + i] = args[count + i];
  LLVMTypeRef type = LLVMFunctionType(cg->i32, types, 6, false);
  LLVMValueRef status = LLVMBuildCall2(b, type, parallel, all, 6, "");
  gj__cg_widened_result(cg, status);
  return status;
}

// Whether the range is longer than the grain and there is somebody to divide it among.
static LLVMValueRef pays(gj__cg *cg, LLVMValueRef *range, LLVMValueRef parallel) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef span = LLVMBuildSub(b, range[1], range[0], "");
  LLVMValueRef longer = LLVMBuildICmp(b, LLVMIntSGT, span, range[2], "");
  return LLVMBuildAnd(b, longer, LLVMBuildIsNotNull(b, parallel, ""), "divide");
}

// The call with the whole range; args have room for one more.
static LLVMValueRef call_whole(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args) {
  uint32_t count = e->arg_count - 1; // in place of the grain
  args[count] = cg->exec;
  return build_call(cg->builder, cg->functions[e->index], args, count + 1);
}

// if (pays) divide; else call: the status of either.
static LLVMValueRef build_choice(gj__cg *cg, const gj_lexpr *e, LLVMValueRef *args,
                                 LLVMTypeRef context, LLVMValueRef pool) {
  LLVMBuilderRef b = cg->builder;
  LLVMValueRef result[2], parallel = gj__cg_exec_field(cg, cg->ptr, 2);
  LLVMBasicBlockRef many = gj__cg_block(cg, "parallel", ""), one = gj__cg_block(cg, "serial", "");
  LLVMBasicBlockRef from[2] = {many, one}, joined = gj__cg_block(cg, "joined", "");
  LLVMValueRef choice = pays(cg, args + e->arg_count - RANGE_ARGS, parallel);
  LLVMBuildCondBr(b, choice, many, one);
  LLVMPositionBuilderAtEnd(b, many);
  result[0] = divide(cg, e, args, context, pool ? pool : parallel);
  LLVMBuildBr(b, joined);
  LLVMPositionBuilderAtEnd(b, one);
  result[1] = call_whole(cg, e, args);
  LLVMBuildBr(b, joined);
  LLVMPositionBuilderAtEnd(b, joined);
  LLVMValueRef status = LLVMBuildPhi(b, cg->i32, "");
  LLVMAddIncoming(status, result, from, 2);
  return status;
}

LLVMValueRef gj__cg_parallel(gj__cg *cg, const gj_lexpr *e) {
  LLVMValueRef *args = emit_args(cg, e, 0), pool = NULL;
  if (!args)
    return lost(cg, e);
  if (!gj__cg_divides(cg))
    return call_whole(cg, e, args);
  LLVMTypeRef context = context_type(cg, cg->lm->funcs[e->index]);
  if (context && !cg->tasks[e->index])
    cg->tasks[e->index] = make_task(cg, e->index, context);
  if (!context || !cg->tasks[e->index])
    return lost(cg, e);
  if (cg->options->wasm_pool && !(pool = gj__cg_wasm_pool(cg)))
    return lost(cg, e);
  return build_choice(cg, e, args, context, pool);
}
