// Makes LLVM target machines from target descriptions.
//
// Levels 0 and 1 select instructions the quick way: a third of the time, and with the optimiser's
// passes run before (level 1) the loops of vectorised kernels are 0–20 % slower. A machine caches
// subtargets without locking, so each compilation has its own; making one costs about a tenth of a
// millisecond. Code is position-independent except for wasm, where that would turn constants into
// imports; it reaches its constants within ±2 GiB, which both ORC and linkers keep.
#include "codegen/machine.h"

#include <llvm-c/Core.h>
#include <stddef.h>

gj_status gj__target_machine(const gj_target *target, unsigned opt_level,
                             LLVMTargetMachineRef *out_machine, gj_error *err) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelNone,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive};
  gj__targets_ready();
  LLVMTargetRef llvm_target = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &message)) {
    gj_fail(err, GJ_E_ARGUMENT, "target: triple %s: %s", target->triple, message);
    LLVMDisposeMessage(message);
    return GJ_E_ARGUMENT;
  }
  *out_machine =
      LLVMCreateTargetMachine(llvm_target, target->triple, target->cpu, target->features,
                              levels[opt_level > 3 ? 3 : opt_level],
                              target->wasm ? LLVMRelocDefault : LLVMRelocPIC, LLVMCodeModelDefault);
  if (!*out_machine)
    return gj_fail(err, GJ_E_UNSUPPORTED, "target: no code generator for %s", target->triple);
  return GJ_OK;
}
