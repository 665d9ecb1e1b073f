// The stages of code generation: emit, verify, optimise, write.
//
// Each call has its own LLVM context and target machine, so calls on several threads share nothing.
// What LLVM reports as an error while writing machine code would end the process by default; a
// handler turns it into a status.
#include "codegen/codegen.h"

#include "base/clock.h"
#include "codegen/context.h"
#include "codegen/optimise/optimise.h"
#include "codegen/optimise/remarks_shim.h"
#include "codegen/targets/machine.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <stdlib.h>
#include <string.h>

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  gj__cg *cg = data;
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: LLVM: %s", text);
  LLVMDisposeMessage(text);
}

static void cg_init(gj__cg *cg) {
  gj_arena_init(&cg->arena, 0);
  LLVMContextRef c = cg->context = LLVMContextCreate();
  if (cg->options->remarks)
    gj__hear_remarks(c, gj__on_loop_remark, cg);
  LLVMContextSetDiagnosticHandler(c, on_diagnostic, cg);
  cg->module = LLVMModuleCreateWithNameInContext(cg->lm->name, c);
  cg->builder = LLVMCreateBuilderInContext(c);
  cg->i1 = LLVMInt1TypeInContext(c);
  cg->i8 = LLVMInt8TypeInContext(c);
  cg->i32 = LLVMInt32TypeInContext(c);
  cg->i64 = LLVMInt64TypeInContext(c);
  cg->f32 = LLVMFloatTypeInContext(c);
  cg->f64 = LLVMDoubleTypeInContext(c);
  cg->ptr = LLVMPointerTypeInContext(c, 0);
  cg->memo.round = 1;
  if (cg->options->numerics == GJ_NUMERICS_FAST)
    cg->fast = LLVMFastMathAllowReassoc | LLVMFastMathAllowContract | LLVMFastMathAllowReciprocal;
}

static void cg_fini(gj__cg *cg) {
  gj__mathlib_fini(cg);
  gj__memo_fini(&cg->memo);
  LLVMDisposeBuilder(cg->builder);
  LLVMDisposeModule(cg->module);
  LLVMContextDispose(cg->context);
  gj_arena_fini(&cg->arena);
}

static void set_layout(gj__cg *cg, LLVMTargetMachineRef machine) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(cg->module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(cg->module, cg->target->triple);
}

static gj_status check_module(gj__cg *cg) {
  char *message = NULL;
  if (LLVMVerifyModule(cg->module, LLVMReturnStatusAction, &message))
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: LLVM's verifier refused %s: %s", cg->lm->name,
                message);
  LLVMDisposeMessage(message);
  return cg->status;
}

// Copies `size` bytes and a NUL behind them.
static gj_status copy_out(const void *bytes, size_t size, unsigned char **out_bytes,
                          size_t *out_size, gj_error *err) {
  unsigned char *copy = malloc(size + 1);
  if (!copy)
    return gj_fail(err, GJ_E_MEMORY, "codegen: out of memory at %zu bytes of output", size);
  memcpy(copy, bytes, size);
  copy[size] = 0;
  *out_bytes = copy;
  *out_size = size;
  return GJ_OK;
}

static gj_status write_buffer(gj__cg *cg, LLVMMemoryBufferRef buffer, unsigned char **out_bytes,
                              size_t *out_size) {
  if (!buffer)
    return gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at the output");
  gj_status status =
      copy_out(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), out_bytes, out_size, cg->err);
  LLVMDisposeMemoryBuffer(buffer);
  return status;
}

static gj_status write_text(gj__cg *cg, unsigned char **out_bytes, size_t *out_size) {
  char *text = LLVMPrintModuleToString(cg->module);
  gj_status status = copy_out(text, strlen(text), out_bytes, out_size, cg->err);
  LLVMDisposeMessage(text);
  return status;
}

static gj_status write_machine_code(gj__cg *cg, LLVMTargetMachineRef machine, gj_emit what,
                                    unsigned char **out_bytes, size_t *out_size) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  LLVMCodeGenFileType type = what == GJ_EMIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, cg->module, type, &message, &buffer)) {
    gj__cg_fail(cg, GJ_E_INTERNAL, "codegen: LLVM's code generator: %s", message);
    LLVMDisposeMessage(message);
    return cg->status;
  }
  gj_status status = write_buffer(cg, buffer, out_bytes, out_size);
  if (status == GJ_OK && cg->status != GJ_OK) { // reported through the diagnostic handler
    free(*out_bytes);
    *out_bytes = NULL;
    return cg->status;
  }
  return status;
}

static gj_status run_stages(gj__cg *cg, LLVMTargetMachineRef machine, gj_emit what,
                            unsigned char **out_bytes, size_t *out_size, gj_codegen_times *times) {
  double start = gj_clock_ms();
  set_layout(cg, machine);
  gj__cg_module(cg);
  if (cg->status != GJ_OK || check_module(cg) != GJ_OK)
    return cg->status;
  if (what == GJ_EMIT_LLVM)
    return write_text(cg, out_bytes, out_size);
  double emitted = gj_clock_ms();
  gj_status optimise = gj__optimise(cg->module, machine, cg->target, cg->options, cg->err);
  if (cg->options->remarks) {
    gj__stop_remarks(cg->context);
    gj__remarks_sort(cg->options->remarks);
  }
  GJ_TRY(optimise);
  double optimised = gj_clock_ms();
  times->emit = emitted - start;
  times->optimize = optimised - emitted;
  if (what == GJ_EMIT_LLVM_OPTIMIZED)
    return write_text(cg, out_bytes, out_size);
  if (what == GJ_EMIT_BITCODE)
    return write_buffer(cg, LLVMWriteBitcodeToMemoryBuffer(cg->module), out_bytes, out_size);
  gj_status status = write_machine_code(cg, machine, what, out_bytes, out_size);
  times->machine = gj_clock_ms() - optimised;
  return status;
}

// Instructions of functions of users are selected with care from level 1 on, see machine.c.
static unsigned machine_level(const gj_codegen_options *options) {
  return options->opt_level == 1 && !options->vectorise ? 0 : options->opt_level;
}

gj_status gj_codegen(const gj_lmodule *module, const gj_target *target,
                     const gj_codegen_options *given, gj_emit what, unsigned char **out_bytes,
                     size_t *out_size, gj_codegen_times *times, gj_error *err) {
  gj_codegen_times ignored;
  gj_codegen_options own = *given, *options = &own;
  own.vectorise = own.vectorise || module->applies;
  times = times ? times : &ignored;
  *times = (gj_codegen_times){0};
  *out_bytes = NULL;
  *out_size = 0;
  if (module->failed != GJ_OK)
    return gj_fail(err, module->failed, "%s", module->error.message);
  GJ_TRY(gj_lmodule_verify(module, err)); // the emitters rely on it
  LLVMTargetMachineRef machine = NULL;
  GJ_TRY(gj__target_machine(target, machine_level(options), &machine, err));
  gj_error local = {0};
  gj__cg cg = {.lm = module,
               .target = target,
               .options = options,
               .err = err ? err : &local,
               .list_features = what == GJ_EMIT_BITCODE};
  cg_init(&cg);
  gj_status status = run_stages(&cg, machine, what, out_bytes, out_size, times);
  cg_fini(&cg);
  gj__target_machine_release(target, machine_level(options), machine);
  return status;
}
