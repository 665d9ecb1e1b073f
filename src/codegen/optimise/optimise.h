// LLVM's optimiser with the project's own pipeline, for codegen/ only.
#ifndef GJ_CODEGEN_OPTIMISE_OPTIMISE_H
#define GJ_CODEGEN_OPTIMISE_OPTIMISE_H

#include "codegen/codegen.h"

#include <llvm-c/TargetMachine.h>

// Runs the passes that the options ask for over a verified module.
gj_status gj__optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, const gj_target *target,
                       const gj_codegen_options *options, gj_error *err);

// overflow.c: makes products with overflow of i64 of what every machine has.
void gj__lower_overflow(LLVMModuleRef module);
// extreme_wasm.c: makes selects that LLVM would take for minima or maxima what they say.
void gj__keep_extremes_exact(LLVMModuleRef module);
// extreme_x86.c: lets scalar minima and maxima of integers as floats see every NaN.
void gj__keep_signalling_nans(LLVMModuleRef module);
// single_lane.c: keeps LLVM from making masked stores of one lane wider than they are.
void gj__store_single_lanes(LLVMModuleRef module);

#endif
