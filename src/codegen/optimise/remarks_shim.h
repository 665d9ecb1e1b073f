// What LLVM's optimiser says about loops, as C sees it; remarks.c makes sentences of it.
#ifndef GJ_CODEGEN_OPTIMISE_REMARKS_SHIM_H
#define GJ_CODEGEN_OPTIMISE_REMARKS_SHIM_H

#include <llvm-c/Types.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// One remark. Texts last for the call.
typedef struct gj__llvm_remark {
  const char *pass, *name, *text; // "loop-vectorize", "UnsafeDep", what LLVM says
  bool done;                      // something was done to the loop
  unsigned line, column;          // of the loop, 0: unknown
  unsigned width, interleave;     // of a vectorised loop, 0: not said
  unsigned unroll;                // of an unrolled loop, 0: completely or not said
} gj__llvm_remark;

typedef void gj__on_remark(const gj__llvm_remark *remark, void *data);

// Calls `hear` for remarks of passes over loops in this context. Before LLVM's own handler is set.
void gj__hear_remarks(LLVMContextRef context, gj__on_remark *hear, void *data);
// From here on nobody asks, so LLVM need not make any.
void gj__stop_remarks(LLVMContextRef context);

#ifdef __cplusplus
}
#endif

#endif
