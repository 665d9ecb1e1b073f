// Where loops are in the user's source, as LLVM carries it: a location in the metadata of the
// branch that goes back. Instructions have none, and no debug information is written.
#include "codegen/context.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

// The one function that all positions are said to be in. LLVM wants to know a file and a unit.
static LLVMMetadataRef scope(gj__cg *cg) {
  if (cg->scope)
    return cg->scope;
  LLVMDIBuilderRef b = LLVMCreateDIBuilder(cg->module);
  LLVMMetadataRef file = LLVMDIBuilderCreateFile(b, "source", 6, "", 0);
  LLVMMetadataRef unit = LLVMDIBuilderCreateCompileUnit(
      b, LLVMDWARFSourceLanguageC11, file, "graphjit", 8, true, "", 0, 0, "", 0,
      LLVMDWARFEmissionNone, 0, false, false, "", 0, "", 0);
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(b, file, NULL, 0, LLVMDIFlagZero);
  (void)unit;
  cg->scope = LLVMDIBuilderCreateFunction(b, file, "f", 1, "f", 1, file, 1, type, true, true, 1,
                                          LLVMDIFlagZero, true);
  LLVMDIBuilderFinalize(b);
  LLVMDisposeDIBuilder(b);
  return cg->scope;
}

void gj__cg_place_loop(gj__cg *cg, const gj_lstmt *s, LLVMValueRef back) {
  if (!cg->options->remarks || !s->line)
    return;
  LLVMMetadataRef self = LLVMTemporaryMDNode(cg->context, NULL, 0);
  LLVMMetadataRef parts[2] = {
      self, LLVMDIBuilderCreateDebugLocation(cg->context, s->line, s->column, scope(cg), NULL)};
  LLVMMetadataRef node = LLVMMDNodeInContext2(cg->context, parts, 2);
  LLVMMetadataReplaceAllUsesWith(self,
                                 node); // which disposes of it; such nodes begin with themselves
  unsigned kind = LLVMGetMDKindIDInContext(cg->context, "llvm.loop", 9);
  LLVMSetMetadata(back, kind, LLVMMetadataAsValue(cg->context, node));
}
