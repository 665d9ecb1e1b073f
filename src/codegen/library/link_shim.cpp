// Links what is needed of a bitcode module.
//
// LLVM's C interface reads bitcode lazily, but its linker takes all of a module. The flag that says
// otherwise is C++'s.
#include "codegen/library/link_shim.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

extern "C" bool gj__link_needed(LLVMModuleRef To, const unsigned char *Bitcode, size_t Size) {
  Module &Own = *unwrap(To);
  StringRef Bytes(reinterpret_cast<const char *>(Bitcode), Size);
  Expected<std::unique_ptr<Module>> Library =
      getLazyBitcodeModule(MemoryBufferRef(Bytes, "library"), Own.getContext());
  if (!Library) {
    consumeError(Library.takeError());
    return false;
  }
  (*Library)->setTargetTriple(Own.getTargetTriple());
  (*Library)->setDataLayout(Own.getDataLayout());
  auto Hide = [](Module &M, const StringSet<> &Linked) {
    internalizeModule(M, [&](const GlobalValue &Value) {
      return !Value.hasName() || !Linked.contains(Value.getName());
    });
  };
  return !Linker::linkModules(Own, std::move(*Library), Linker::Flags::LinkOnlyNeeded, Hide);
}
