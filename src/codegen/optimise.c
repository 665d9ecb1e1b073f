// LLVM's optimiser with a pipeline of our own.
//
// The modules that come here are small, already in loops of the right form and already vectorised,
// so most of default<O3> finds nothing to do but costs 5 times as much (4.7 ms against 0.85 ms for
// a kernel of two loops). Kept are the passes that removed instructions from kernels: mem2reg for
// locals that are set, inlining of kernels and math, SROA for arrays that unrolling made
// constant-indexed, instcombine, CSE, LICM. LLVM's loop and SLP vectorisers never run: they could
// not know which loops may be reordered, and scalar and vector code would no longer round alike.
#include "codegen/optimise.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

static const char *pipeline(unsigned opt_level) {
  switch (opt_level) {
  case 0:
    return "always-inline,globaldce";
  case 1:
    return "function(mem2reg),always-inline,cgscc(inline),"
           "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm)),"
           "globaldce";
  default:
    return "function(mem2reg),always-inline,cgscc(inline),"
           "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
           "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce),globaldce";
  }
}

// Whether loop strength reduction pays: it turns indices into pointers that step. Instructions of
// x86 and wasm add a scaled or constant index for nothing, and there it made loops larger, none
// faster, and took a quarter of the time of small kernels. Arm steps a pointer in the access itself.
static bool steps_pointers(const gj_target *target) {
  return !target->wasm && strncmp(target->triple, "x86_64", 6) != 0;
}

gj_status gj__optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, const gj_target *target,
                       unsigned opt_level, gj_error *err) {
  char passes[512];
  snprintf(passes, sizeof passes, "%s%s", pipeline(opt_level),
           opt_level >= 2 && steps_pointers(target) ? ",function(loop(loop-reduce))" : "");
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return GJ_OK;
  char *message = LLVMGetErrorMessage(error);
  gj_fail(err, GJ_E_INTERNAL, "codegen: LLVM's optimiser refused the module: %s", message);
  LLVMDisposeErrorMessage(message);
  return GJ_E_INTERNAL;
}
