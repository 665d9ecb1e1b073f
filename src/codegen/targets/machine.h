// LLVM target machines, for codegen/ only.
#ifndef GJ_CODEGEN_TARGETS_MACHINE_H
#define GJ_CODEGEN_TARGETS_MACHINE_H

#include "codegen/targets/target.h"

#include <llvm-c/TargetMachine.h>

// Initialises the linked-in LLVM targets once per process; any thread may call it at any time.
void gj__targets_ready(void);

// A machine of its own for one compilation, to be released with the same target and level (0 … 3).
gj_status gj__target_machine(const gj_target *target, unsigned opt_level,
                             LLVMTargetMachineRef *out_machine, gj_error *err);
void gj__target_machine_release(const gj_target *target, unsigned opt_level,
                                LLVMTargetMachineRef machine);

#endif
