// Hears what LLVM's optimiser says about loops.
//
// LLVM's C interface has a handler for diagnostics but no way to say that remarks are wanted: that
// is a virtual function, or a command-line option of the whole process. So this is C++, as little
// as does it. Whatever else is reported goes on to the handler of C.
#include "codegen/optimise/remarks_shim.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CBindingWrapping.h"

#include <memory>
#include <string>

using namespace llvm;

namespace {

bool isAbout(StringRef Pass) { return Pass == "loop-vectorize" || Pass == "loop-unroll"; }

class Listener : public DiagnosticHandler {
public:
  Listener(gj__on_remark *Hear, void *Data) : Hear(Hear), Data(Data) {}

  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return Listens && isAbout(Pass); }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return Listens && isAbout(Pass); }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Listens && isAbout(Pass); }
  bool isAnyRemarkEnabled() const override { return Listens; }

  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() != DS_Remark)
      return DiagnosticHandler::handleDiagnostics(Info);
    if (Listens && isa<DiagnosticInfoOptimizationBase>(Info))
      tell(cast<DiagnosticInfoOptimizationBase>(Info));
    return true;
  }

  bool Listens = true;

private:
  static unsigned number(const DiagnosticInfoOptimizationBase &Remark, StringRef Key) {
    unsigned Value = 0;
    for (const auto &Arg : Remark.getArgs())
      if (Arg.Key == Key && !StringRef(Arg.Val).getAsInteger(10, Value))
        return Value;
    return 0;
  }

  void tell(const DiagnosticInfoOptimizationBase &Remark) {
    if (!isAbout(Remark.getPassName()))
      return;
    std::string Pass = Remark.getPassName().str(), Name = Remark.getRemarkName().str();
    std::string Text = Remark.getMsg();
    gj__llvm_remark Out = {};
    Out.pass = Pass.c_str();
    Out.name = Name.c_str();
    Out.text = Text.c_str();
    Out.done = Remark.getKind() == DK_OptimizationRemark;
    if (Remark.isLocationAvailable()) {
      Out.line = Remark.getLocation().getLine();
      Out.column = Remark.getLocation().getColumn();
    }
    Out.width = number(Remark, "VectorizationFactor");
    Out.interleave = number(Remark, "InterleaveCount");
    Out.unroll = number(Remark, "UnrollCount");
    Hear(&Out, Data);
  }

  gj__on_remark *Hear;
  void *Data;
};

} // namespace

extern "C" void gj__hear_remarks(LLVMContextRef Context, gj__on_remark *Hear, void *Data) {
  unwrap(Context)->setDiagnosticHandler(std::make_unique<Listener>(Hear, Data), true);
}

extern "C" void gj__stop_remarks(LLVMContextRef Context) {
  auto *Handler = const_cast<DiagnosticHandler *>(unwrap(Context)->getDiagHandlerPtr());
  static_cast<Listener *>(Handler)->Listens = false;
}
